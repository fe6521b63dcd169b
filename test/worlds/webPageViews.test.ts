import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/lib/clock.ts'
import { Secret } from '../../src/lib/secret.ts'
import { createWebApp } from '../../src/web/createWebApp.ts'
import { startWebServer } from '../../src/web/startWebServer.ts'
import type { StatusFacts } from '../../src/web/statusFacts.ts'
import { hasBrowser, launchBrowser } from '../support/launchBrowser.ts'
import { findViolations, follow, type Look, lookAs, openPage } from '../support/openBrowser.ts'
import { createFakeWeb, failed, now, quiet, stalled, zoneHash } from '../unit/web/support/fakeWeb.ts'

const hour = 3_600_000

const silence = {
  id: 3,
  matchers: ['rule="withdrawal-stalled"', 'symbol="USDC"'],
  startsAt: now - hour,
  endsAt: now + hour,
  author: 'ana',
  comment: 'migration of the relayer',
  createdAt: now - hour,
  transfer: null,
  expiredAt: null,
  problem: null,
}

const acked = { ...stalled, id: 'b1b2c3', ack: { by: 'ben', at: now - 60_000 } }
const muted = { ...stalled, id: 'c1b2c3', silence: { id: 3, endsAt: now + hour } }

const troubled: StatusFacts = {
  ...quiet,
  openAlerts: [stalled, acked, muted],
  openAlertCount: 3,
  recentEvents: [failed],
  silences: [silence],
  deadMessages: 1,
}

const paths = [
  '/',
  '/transfers',
  '/transfers/t42',
  '/cases',
  '/cases/c42',
  '/escrows?period=hour',
  '/alerts',
  '/alerts?show=events',
  '/alerts/a1b2c3',
  '/silences',
  '/silences/new?alert=a1b2c3',
  '/rules',
  '/reports',
  '/reports/2026-03-07',
  '/reports/2026-03-07/mail',
  '/outbox',
  '/search?q=a1b2c3',
  '/none',
] as const

/** What stands out to the right of the window; empty while nothing has to be scrolled to. */
const findWide = `document.documentElement.scrollWidth <= innerWidth ? [] : [document.documentElement.scrollWidth, ...[...document.querySelectorAll('body *')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 150))]`

describe.skipIf(!hasBrowser)('every view in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser(['--host-resolver-rules=MAP bridge.example 127.0.0.1'])
  })
  afterAll(() => browser.close())

  async function open(path: string, look: Look & { token?: Secret; host?: string } = {}) {
    const web = createFakeWeb({ status: troubled })
    const clock = { ...createSystemClock(), now: () => now }
    const listenHost = look.token ? '0.0.0.0' : '127.0.0.1'
    const app = createWebApp({ ...web.deps, clock }, { listenHost, token: look.token ?? null })
    const server = await startWebServer({ app, clock, host: '127.0.0.1', port: 0 })
    onTestFinished(() => server.stop())
    const url = look.host ? `http://${look.host}:${server.port}` : server.url
    const opened = await openPage(browser, look)
    await opened.page.goto(`${url}${path}`)
    return { ...opened, url, web }
  }

  // Each width in one scheme: `npm run bench:views` looks at all of them in both.
  const looks = [
    { width: 360, colorScheme: 'dark' },
    { width: 1_280, colorScheme: 'light' },
  ] as const

  test.each(paths)(
    '%s, narrow and dark, wide and light: no violation, no sideways scrolling, no complaint, no other host',
    async (path) => {
      const { page, url, complaints, hosts } = await open(path, looks[0])
      for (const look of looks) {
        await lookAs(page, look)
        // In a mail's page no script runs, the checker's own neither.
        if (path.endsWith('/mail')) continue
        expect(await findViolations(page), JSON.stringify(look)).toEqual([])
        expect(await page.evaluate(findWide), JSON.stringify(look)).toEqual([])
      }
      const isMissing = path === '/none' ? /404/ : /^$/
      expect(complaints.filter((text) => !isMissing.test(text))).toEqual([])
      expect([...hosts]).toEqual([new URL(url).host])
    },
  )

  test('the checker can fail', async () => {
    const { page } = await open('/')
    await page.evaluate(`document.documentElement.removeAttribute('lang')`)
    expect((await findViolations(page)).some((text) => text.startsWith('html-has-lang'))).toBe(true)
  })

  test('both charts are drawn, each scheme with its own', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await open('/', { colorScheme })
      const read = (what: string) =>
        page.evaluate(`[...document.querySelectorAll('.chart img')].map((img) => ${what})`)
      await expect.poll(() => read('img.naturalWidth > 0')).toEqual([true, true])
      expect(await read('new URL(img.currentSrc).searchParams.get("theme")')).toEqual([
        colorScheme,
        colorScheme,
      ])
    }
  })

  test.each([true, false])('an alert is acknowledged, then with one press, script: %s', async (script) => {
    const { page, url, web } = await open('/', { script })
    await page.getByRole('link', { name: /^Acknowledge… alert a1b2c3/ }).click()
    await page.getByLabel('Your name').fill('ana')
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await page.waitForURL(`${url}/alerts/a1b2c3`)
    await page.goto(url)
    await page.getByRole('button', { name: /^Acknowledge alert a1b2c3/ }).click()
    await page.waitForURL(`${url}/`)
    expect(web.operated).toEqual(['ack a1b2c3 by ana', 'ack a1b2c3 by ana'])
  })

  test('an alert is silenced by a form that its labels fill in, and a refusal keeps what was typed', async () => {
    const { page, url, web } = await open('/alerts/a1b2c3', { script: false })
    await page.getByRole('link', { name: /^Silence…/ }).click()
    const wide = () => page.getByRole('form', { name: /^Wider|^By labels/ })
    expect(
      await wide()
        .getByLabel(/^Matchers/)
        .inputValue(),
    ).toBe('rule="withdrawal-stalled"\nsymbol="USDC"')
    await wide().getByLabel('Your name').fill('ana')
    await wide()
      .getByLabel(/^Comment/)
      .fill('migration')
    await wide().getByLabel(/^For/).fill('soon')
    await wide().getByRole('button', { name: 'Silence' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('expected a duration')
    expect(
      await wide()
        .getByLabel(/^Comment/)
        .inputValue(),
    ).toBe('migration')
    await wide().getByLabel(/^For/).fill('3h')
    await wide().getByRole('button', { name: 'Silence' }).click()
    expect(page.url()).toBe(`${url}/silences#silence-3`)
    expect(web.operated).toEqual([
      `silence {"matchers":["rule=\\"withdrawal-stalled\\"","symbol=\\"USDC\\""],"startsAt":null,"endsAt":${now + 3 * hour},"author":"ana","comment":"migration"}`,
    ])
    await page.getByRole('button', { name: /^End now/ }).click()
    expect(web.operated.at(-1)).toBe('expire 3')
  })

  test('its transfer is silenced by one press, and changed matchers are shown before they are silenced', async () => {
    const { page, url, web } = await open('/silences/new?alert=a1b2c3', { script: false })
    const one = page.getByRole('form', { name: /^This transfer alone/ })
    await one.getByLabel('Your name').fill('ana')
    await one.getByLabel(/^Comment/).fill('asked the relayer')
    await one.getByRole('button', { name: 'Silence this transfer' }).click()
    expect(page.url()).toBe(`${url}/silences#silence-3`)
    expect(web.operated).toEqual([
      expect.stringContaining('"transfer":{"name":"t42","kinds":["transfer.stalled"],"untilOver":true}'),
    ])
    await page.goto(`${url}/silences/new?alert=a1b2c3`)
    await page.getByLabel(/^Matchers/).fill('symbol="USDC"')
    const wide = page.getByRole('form', { name: /^Wider|^By labels/ })
    await wide.getByLabel('Your name').fill('ana')
    await wide.getByLabel(/^Comment/).fill('migration')
    await wide.getByRole('button', { name: 'Silence' }).click()
    expect(web.operated).toHaveLength(1)
    expect(await page.getByLabel('What it matches').textContent()).toContain('Conditions that hold now: none')
    await page.getByRole('button', { name: 'Silence' }).click()
    expect(web.operated).toHaveLength(2)
  })

  test('what waits is tried again and dropped', async () => {
    const { page, web } = await open('/outbox')
    await follow(page, () => page.getByRole('button', { name: 'Try now item 17' }).click())
    await follow(page, () => page.getByRole('button', { name: 'Drop item 17' }).click())
    await follow(page, () => page.getByRole('button', { name: 'Try all again' }).click())
    expect(web.operated).toEqual(['retry 17', 'drop 17', 'retry dead'])
  })

  test('over plain http to another machine forms work, though the browser says nothing of their origin', async () => {
    const token = new Secret('the right token of the page')
    const { page, url, web } = await open('/alerts/a1b2c3', { token, host: 'bridge.example' })
    await page.getByLabel('Token').fill('the right token of the page')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Your name').fill('ana')
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await page.waitForURL(`${url}/alerts/a1b2c3`)
    await expect.poll(() => web.operated).toEqual(['ack a1b2c3 by ana'])
  })

  test('a form of another site changes nothing here', async () => {
    const { page, url, web } = await open('/')
    await page.goto('about:blank')
    await page.setContent(
      `<form method="post" action="${url}/alerts/a1b2c3/ack"><input name="by" value="eve"><button>Go</button></form>`,
    )
    await page.getByRole('button').click()
    await page.getByRole('heading', { name: 'Refused' }).waitFor()
    expect(web.operated).toEqual([])
  })

  test('a hash leads to its transfer, a number of an alert to the alert', async () => {
    const { page, url } = await open('/')
    await page.getByRole('searchbox').fill(zoneHash)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/transfers/t42`)
    await page.getByRole('searchbox').fill('#a1b2c3')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/alerts/a1b2c3`)
  })

  test('an opened table and a half-filled form survive an update', async () => {
    const { page, web } = await open('/alerts/a1b2c3')
    await page.getByLabel('Your name').fill('an')
    await expect.poll(() => web.listeners.size).toBe(1)
    web.status = { ...troubled, openAlerts: [{ ...stalled, summary: 'another text' }] }
    web.change()
    await page.getByRole('heading', { name: 'another text' }).waitFor()
    expect(await page.getByLabel('Your name').inputValue()).toBe('an')
    expect(await page.evaluate('document.activeElement.id')).toBe('by')
  })

  test('a hidden page asks for nothing, and is true again when it is shown', async () => {
    const { page, web } = await open('/')
    await expect.poll(() => web.listeners.size).toBe(1)
    const hide = (hidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} }); document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await hide(true)
    await expect.poll(() => web.listeners.size).toBe(0)
    web.status = quiet
    await hide(false)
    await page.getByRole('heading', { name: 'No problem found' }).waitFor()
    await expect.poll(() => web.listeners.size).toBe(1)
  })
})
