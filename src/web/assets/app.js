// Says times in the reader's zone, copies hashes, and keeps an open page true: reads it again when the server says that
// something changed, and says so when it cannot. The page works without this script: times stay in UTC, and it reloads
// itself every 30 seconds.
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

  // The server writes times in UTC, whatever zone its reader lives in.
  const zoneKey = 'spanwatch-utc'
  // A browser that keeps nothing refuses even to be asked.
  const kept = (() => {
    try {
      return globalThis.localStorage
    } catch {
      return null
    }
  })()
  let isUtc = kept?.getItem(zoneKey) === 'yes'
  const zones = { own: Intl.DateTimeFormat().resolvedOptions().timeZone, utc: 'UTC' }

  function sayTime(date, timeZone) {
    const options = { timeZone, timeZoneName: 'short', hourCycle: 'h23', year: 'numeric' }
    for (const part of ['month', 'day', 'hour', 'minute', 'second']) options[part] = '2-digit'
    const parts = new Intl.DateTimeFormat('en-GB', options).formatToParts(date)
    const of = (type) => parts.find((part) => part.type === type)?.value
    return `${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')}:${of('second')} ${of('timeZoneName')}`
  }

  function localizeTimes(root) {
    for (const time of root.querySelectorAll('time[datetime]')) {
      const date = new Date(time.dateTime)
      if (Number.isNaN(date.getTime())) continue
      const [own, utc] = [sayTime(date, zones.own), sayTime(date, zones.utc)]
      const shown = isUtc ? utc : own
      const other = isUtc ? own : utc
      if (time.classList.contains('at')) {
        time.textContent = shown
        time.title = other
      } else time.title = own === utc ? utc : `${shown}, ${other}`
    }
  }

  function offerZone() {
    const button = document.getElementById('zone')
    if (!button || ['UTC', 'Etc/UTC'].includes(zones.own)) return
    button.hidden = false
    const say = () => (button.textContent = isUtc ? `Times as of ${zones.own}` : 'Times in UTC')
    button.addEventListener('click', () => {
      isUtc = !isUtc
      kept?.setItem(zoneKey, isUtc ? 'yes' : 'no')
      say()
      localizeTimes(document)
    })
    say()
  }

  // Without TLS browsers keep the clipboard from pages of other machines; the older way works there.
  async function copy(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text)
    const field = document.createElement('textarea')
    field.value = text
    field.className = 'hidden'
    document.body.append(field)
    field.select()
    const isDone = document.execCommand('copy')
    field.remove()
    if (!isDone) throw new Error('it could not be copied')
  }

  function offerCopy() {
    document.addEventListener('click', (event) => {
      const button = event.target.closest?.('.copy')
      if (!button) return
      const said = document.getElementById('copied')
      copy(button.title).then(
        () => {
          button.classList.add('is-copied')
          said.textContent = `Copied ${button.title}`
          setTimeout(() => button.classList.remove('is-copied'), 1_500)
        },
        () => (said.textContent = 'It could not be copied'),
      )
    })
  }

  function nameParts(root) {
    return listParts(root)
      .map((part) => part.id)
      .join()
  }

  function swap(next) {
    const fresh = next.getElementById('main')
    localizeTimes(next)
    if (!fresh || listParts(fresh).length === 0) throw new Error('not a page to follow')
    if (nameParts(main) !== nameParts(fresh)) main.replaceChildren(...fresh.childNodes)
    else for (const part of listParts(main)) morphChildren(part, next.getElementById(part.id))
    if (document.title !== next.title) document.title = next.title
  }

  // Only what differs is touched: a focus, a selection, a half-filled form and an opened table stay, and a screen reader
  // hears of nothing that did not change.
  function morphChildren(from, to) {
    const before = [...from.childNodes]
    const keyed = new Map(before.filter((node) => node.dataset?.key).map((node) => [node.dataset.key, node]))
    let at = from.firstChild
    const wanted = Array.from(to.childNodes)
    for (const fresh of wanted) {
      const known = fresh.dataset?.key ? keyed.get(fresh.dataset.key) : at
      if (known && isAlike(known, fresh)) {
        if (known === at) at = at.nextSibling
        else from.insertBefore(known, at)
        morph(known, fresh)
      } else {
        from.insertBefore(fresh, at)
      }
    }
    while (at) {
      const gone = at
      at = at.nextSibling
      gone.remove()
    }
  }

  function isAlike(a, b) {
    return a.nodeName === b.nodeName && a.dataset?.key === b.dataset?.key
  }

  function morph(from, to) {
    if (from.nodeType !== Node.ELEMENT_NODE) {
      if (from.data !== to.data) from.data = to.data
      return
    }
    for (const { name, value } of to.attributes)
      if (from.getAttribute(name) !== value) from.setAttribute(name, value)
    const had = Array.from(from.attributes)
    for (const { name } of had) {
      const isOpened = name === 'open' && from.nodeName === 'DETAILS'
      if (!to.hasAttribute(name) && !isOpened) from.removeAttribute(name)
    }
    morphChildren(from, to)
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
    if (document.hidden) return
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

  function follow() {
    heardAt = performance.now()
    connect()
    refresh()
  }

  // Nobody looks at a hidden page: it asks for nothing, and reads everything anew when it is shown again.
  function rest() {
    events?.close()
    events = null
  }

  localizeTimes(document)
  offerZone()
  offerCopy()
  if (main && lost) {
    if (!document.hidden) connect()
    setInterval(() => {
      if (!document.hidden && performance.now() - heardAt >= silenceMs) follow()
    }, 5_000)
    document.addEventListener('visibilitychange', () => (document.hidden ? rest() : follow()))
  }
}
