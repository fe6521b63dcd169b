// Keeps an open page true: reads it again when the server says that something changed, and says so when it cannot.
// The page works without this script; it then reloads itself every 30 seconds.
{
  const silenceMs = 15_000
  const main = document.querySelector('[data-follow]')
  const lost = document.getElementById('lost')
  let busy = false
  let again = false
  let heardAt = performance.now()
  let knownAt = new Date()
  let events = null

  function listParts(root) {
    return [...root.querySelectorAll('[data-live]')]
  }

  function nameParts(root) {
    return listParts(root)
      .map((part) => part.id)
      .join()
  }

  function swap(next) {
    const fresh = next.getElementById('main')
    if (!fresh || listParts(fresh).length === 0) throw new Error('not a page to follow')
    if (nameParts(main) !== nameParts(fresh)) main.replaceChildren(...fresh.childNodes)
    else for (const part of listParts(main)) swapPart(part, next.getElementById(part.id))
    document.title = next.title
  }

  // Untouched when nothing changed: a screen reader then says nothing, a selection stays.
  function swapPart(part, fresh) {
    if (part.innerHTML === fresh.innerHTML) return
    const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null
    part.replaceChildren(...fresh.childNodes)
    if (focused === null) return
    const target = [...part.querySelectorAll('a[href]')].find((link) => link.getAttribute('href') === focused)
    target?.focus({ preventScroll: true })
  }

  function showLost() {
    if (!lost.hidden) return
    lost.hidden = false
    lost.textContent = `Connection to spanwatch lost. This page shows what was known at ${knownAt.toLocaleTimeString()}; it may no longer be true.`
    main.classList.add('is-lost')
    document.title = 'Connection lost – spanwatch'
  }

  function showFound() {
    knownAt = new Date()
    lost.hidden = true
    lost.textContent = ''
    main.classList.remove('is-lost')
  }

  async function read() {
    const response = await fetch(location.href, {
      headers: { accept: 'text/html' },
      cache: 'no-store',
      signal: AbortSignal.timeout(10_000),
    })
    if (response.status === 401) return location.reload()
    swap(new DOMParser().parseFromString(await response.text(), 'text/html'))
    showFound()
  }

  function refresh() {
    if (busy) {
      again = true
      return
    }
    busy = true
    read()
      .catch(showLost)
      .finally(() => {
        busy = false
        if (!again) return
        again = false
        refresh()
      })
  }

  function hear() {
    heardAt = performance.now()
    refresh()
  }

  function connect() {
    events?.close()
    events = new EventSource('/events')
    events.addEventListener('change', hear)
    events.addEventListener('beat', hear)
    events.addEventListener('error', refresh)
  }

  if (main && lost) {
    connect()
    setInterval(() => {
      if (performance.now() - heardAt < silenceMs) return
      heardAt = performance.now()
      connect()
      refresh()
    }, 5_000)
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') refresh()
    })
  }
}
