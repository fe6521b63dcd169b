import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/lib/clock.ts'
import { createWebApp } from '../../src/web/createWebApp.ts'
import { startWebServer } from '../../src/web/startWebServer.ts'
import type { StatusFacts } from '../../src/web/statusFacts.ts'
import { hasBrowser, launchBrowser } from '../support/launchBrowser.ts'
import { follow, type Look, openPage } from '../support/openBrowser.ts'
import { createFakeWeb, failed, now, quiet, stalled, theft, zoneHash } from '../unit/web/support/fakeWeb.ts'

const troubled: StatusFacts = {
  ...quiet,
  cases: [{ ...theft, counts: 'critical' }],
  caseCounts: [{ state: 'open', severity: 'critical', count: 1 }],
  openAlerts: [stalled],
  openAlertCount: 1,
  recentEvents: [failed],
}

/**
 * Runs in the page, as text: what has the focus, and what is wrong with how it shows. WCAG 2.2: a focus is visible
 * (2.4.7) and nothing covers all of it (2.4.11).
 */
const readFocus = `(() => {
  const one = document.activeElement
  if (one === null || one === document.body || one === document.documentElement) return null
  const faults = []
  const box = one.getBoundingClientRect()
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  if (outlineStyle === 'none' || parseFloat(outlineWidth) < 2) faults.push('no outline')
  const points = [0.1, 0.5, 0.9].flatMap((x) => [0.2, 0.5, 0.8].map((y) => [box.left + box.width * x, box.top + box.height * y]))
  const isSeen = points.some(([x, y]) => {
    const top = document.elementFromPoint(x, y)
    return top !== null && (one.contains(top) || top.contains(one))
  })
  if (!isSeen) faults.push('covered, or out of the window')
  const name = one.getAttribute('aria-label') ?? [...(one.labels ?? [])].map((label) => label.textContent).join(' ')
  return {
    text: (name || one.textContent || '').replace(/\\s+/g, ' ').trim(),
    tag: one.tagName.toLowerCase(),
    index: [...document.querySelectorAll('*')].indexOf(one),
    faults,
  }
})()`

/** Everything that the keyboard should reach, in the order of the document. */
const listReachable = `(() => {
  const all = [...document.querySelectorAll('*')]
  return all.flatMap((one, index) => {
    const is = one.matches('a[href], button:not([disabled]), input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')
    const isShown = one.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) && one.tabIndex >= 0
    return is && isShown ? [index] : []
  })
})()`

/** Targets that a finger misses, WCAG 2.2, 2.5.8; a link inside a sentence may be as low as its line. */
const findSmall = `[...document.querySelectorAll('button, input:not([type=hidden], [type=checkbox]), select, textarea, summary, .button, nav a, label:has(> [type=checkbox]), [type=checkbox]:not(label *)')]
  .filter((one) => one.checkVisibility() && !one.closest('.hidden'))
  .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
  .filter(([, box]) => Math.round(box.width) < 24 || Math.round(box.height) < 24)
  .map(([what, box]) => what + ' ' + Math.round(box.width) + '×' + Math.round(box.height))`

interface Focus {
  readonly text: string
  readonly tag: string
  readonly index: number
  readonly faults: readonly string[]
}

const focusOf = (page: Page) => page.evaluate<Focus | null>(readFocus)

const enter = (page: Page) => follow(page, () => page.keyboard.press('Enter'))

/** Presses Tab until what has the focus is called so. */
async function tabTo(page: Page, name: RegExp, tag?: string): Promise<void> {
  const seen: string[] = []
  for (let presses = 0; presses < 250; presses += 1) {
    await page.keyboard.press('Tab')
    const focus = await focusOf(page)
    if (focus === null) continue
    if (name.test(focus.text) && (tag === undefined || focus.tag === tag))
      return expect(focus.faults, focus.text).toEqual([])
    seen.push(focus.text)
  }
  expect.fail(`${String(name)} was not reached, but ${seen.slice(0, 60).join(', ')}`)
}

describe.skipIf(!hasBrowser)('by keyboard alone, in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  async function open(path: string, look: Look = {}) {
    const web = createFakeWeb({ status: troubled })
    const clock = { ...createSystemClock(), now: () => now }
    const app = createWebApp({ ...web.deps, clock }, { listenHost: '127.0.0.1', token: null })
    const server = await startWebServer({ app, clock, host: '127.0.0.1', port: 0 })
    onTestFinished(() => server.stop())
    const { page } = await openPage(browser, look)
    await page.goto(`${server.url}${path}`)
    return { page, web, url: server.url }
  }

  const paths = [
    '/',
    '/cases',
    '/cases/c42',
    '/transfers',
    '/transfers/t42',
    '/escrows?period=hour',
    '/alerts/a1b2c3',
    '/breaks',
    '/silences/new?alert=a1b2c3',
    '/rules',
    '/reports',
    '/outbox',
  ].flatMap((path) => [360, 1_280].map((width) => ({ path, width })))

  test.each(paths)(
    '$path at $width px: all is reached in order, is seen, and lets go',
    async ({ path, width }) => {
      const { page } = await open(path, { width })
      const reachable = await page.evaluate<number[]>(listReachable)
      const order: number[] = []
      for (let presses = 0; presses <= reachable.length; presses += 1) {
        await page.keyboard.press('Tab')
        const focus = await focusOf(page)
        if (focus === null) break
        expect(focus.faults, `${focus.tag} ${focus.text}`).toEqual([])
        order.push(focus.index)
      }
      expect(order).toEqual(reachable)
      // Backwards too.
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Shift+Tab')
      expect((await focusOf(page))?.index).not.toBe(order.at(-1))
      expect(await page.evaluate(findSmall)).toEqual([])
    },
  )

  test('the checks can fail', async () => {
    const { page } = await open('/rules')
    const style = (css: string) =>
      page.evaluate(
        `document.adoptedStyleSheets = [new CSSStyleSheet()]; document.adoptedStyleSheets[0].replaceSync(${JSON.stringify(css)})`,
      )
    await style(
      ':focus-visible { outline: none } main { position: relative; z-index: -1 } .buttons button { min-height: 0; height: 20px }',
    )
    await page.keyboard.press('Tab')
    expect((await focusOf(page))?.faults).toEqual(['no outline'])
    await style('.top { position: fixed; inset: 0; background: red }')
    await page.locator('#f-q').focus()
    expect((await focusOf(page))?.faults).toEqual(['covered, or out of the window'])
    await style('.buttons button { min-height: 0; height: 20px }')
    expect(await page.evaluate(findSmall)).toEqual([expect.stringContaining('Filter')])
  })

  test('the first stop leads past the navigation', async () => {
    const { page } = await open('/')
    await tabTo(page, /^Skip to content$/)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true)
  })

  test('the pages are reached by their names', async () => {
    const { page, url } = await open('/')
    await tabTo(page, /^Cases$/)
    await enter(page)
    expect(page.url()).toBe(`${url}/cases`)
  })

  test('a case is acknowledged, and handled with a reason', async () => {
    const { page, url, web } = await open('/')
    await tabTo(page, /^Acknowledge… case c42/)
    await enter(page)
    expect(page.url()).toBe(`${url}/cases/c42#hand`)
    await tabTo(page, /^Your name/)
    await page.keyboard.type('ana')
    await tabTo(page, /^Acknowledge$/)
    await page.keyboard.press('Space')
    await expect.poll(() => web.operated).toEqual(['ack c42 '])
    await page.waitForURL(`${url}/cases/c42`)
    await tabTo(page, /^Reason/)
    await page.keyboard.type('refunded')
    await enter(page)
    expect(web.operated.at(-1)).toBe('handle c42 refunded')
  })

  test('what is folded opens and closes again', async () => {
    const { page, web } = await open('/cases/c42')
    await tabTo(page, /^Assign…/, 'summary')
    await page.keyboard.press('Space')
    await tabTo(page, /^Your name/)
    await page.keyboard.type('ana')
    await tabTo(page, /^To/)
    await page.keyboard.type('ben')
    await enter(page)
    expect(web.operated).toEqual(['assign c42 ben'])
    await tabTo(page, /^Assign…/, 'summary')
    await page.keyboard.press('Enter')
    expect(await page.locator('details[open]').count()).toBe(1)
    await page.keyboard.press('Enter')
    expect(await page.locator('details[open]').count()).toBe(0)
  })

  test('a transfer is silenced for one of its kinds', async () => {
    const { page, url, web } = await open('/alerts/a1b2c3')
    await tabTo(page, /^Silence…/)
    await enter(page)
    expect(page.url()).toBe(`${url}/silences/new?alert=a1b2c3`)
    await tabTo(page, /^Until it is over/)
    await page.keyboard.press('Space')
    await tabTo(page, /^Your name/)
    await page.keyboard.type('ana')
    await tabTo(page, /^Comment/)
    await page.keyboard.type('asked the relayer')
    await tabTo(page, /^Silence this transfer$/, 'button')
    await enter(page)
    expect(web.operated).toEqual([expect.stringContaining('"untilOver":false')])
  })

  test('a hash is copied', async () => {
    const { page } = await open('/transfers/t42')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await tabTo(page, /^Copy 0x5a5a…5a5a$/)
    await page.keyboard.press('Enter')
    await page.getByText(`Copied ${zoneHash}`).waitFor({ state: 'attached' })
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(zoneHash)
  })

  test('something is sought; Escape takes back what was typed and keeps the focus', async () => {
    const { page, url } = await open('/')
    await tabTo(page, /^Search by hash/)
    await page.keyboard.type('nonsense')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    expect((await focusOf(page))?.text).toMatch(/^Search by hash/)
    await page.keyboard.type('t42')
    await enter(page)
    expect(page.url()).toBe(`${url}/transfers/t42`)
  })

  test('times are said in UTC', async () => {
    const { page } = await open('/transfers/t42', { timezoneId: 'Europe/Berlin' })
    await tabTo(page, /^Times in UTC$/)
    await page.keyboard.press('Space')
    expect(await page.locator('time.at').first().textContent()).toMatch(/ UTC$/)
    expect((await focusOf(page))?.text).toMatch(/^Times as of/)
  })

  test('rules are chosen', async () => {
    const { page, url } = await open('/rules')
    await tabTo(page, /^Severity/)
    await page.keyboard.type('warn')
    await tabTo(page, /^Filter$/)
    await enter(page)
    expect(page.url()).toBe(`${url}/rules?q=&severity=warning&state=`)
  })
})
