import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/lib/clock.ts'
import { Secret } from '../../src/lib/secret.ts'
import { createWebApp } from '../../src/web/createWebApp.ts'
import { startWebServer } from '../../src/web/startWebServer.ts'
import type { StatusFacts } from '../../src/web/statusFacts.ts'
import { hasBrowser, launchBrowser } from '../support/launchBrowser.ts'
import { findViolations, type Look, openPage, type OpenedPage } from '../support/openBrowser.ts'
import {
  createFakeWeb,
  failed,
  now,
  quiet,
  stalled,
  theft,
  toStory,
  transfer,
  zoneHash,
} from '../unit/web/support/fakeWeb.ts'

interface Opened extends OpenedPage {
  readonly url: string
  readonly web: ReturnType<typeof createFakeWeb>
  readonly stop: () => Promise<void>
}

describe.skipIf(!hasBrowser)('in Chromium', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launchBrowser()
  })

  afterAll(() => browser.close())

  async function open(path: string, status: StatusFacts = quiet, options: OpenOptions = {}): Promise<Opened> {
    const web = createFakeWeb({ status })
    const clock = { ...createSystemClock(), now: () => now }
    const app = createWebApp(
      { ...web.deps, clock },
      { listenHost: '127.0.0.1', token: options.token ?? null },
    )
    const server = await startWebServer({ app, clock, host: '127.0.0.1', port: 0 })
    onTestFinished(() => server.stop())
    const { page, complaints, hosts } = await openPage(browser, options)
    await page.goto(`${server.url}${path}`)
    return { page, url: server.url, web, complaints, hosts, stop: () => server.stop() }
  }

  const troubled = { ...quiet, openAlerts: [stalled], recentEvents: [failed] }

  test('a change on the server reaches an open page, its title and its spoken verdict', async () => {
    const { page, web, complaints } = await open('/')
    expect(await page.locator('h1').textContent()).toBe('No problem found')
    await expect.poll(() => web.listeners.size).toBe(1)
    await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }))
    web.status = troubled
    web.change()
    await page.getByRole('heading', { name: 'Critical' }).waitFor()
    expect(await page.title()).toBe('Critical – spanwatch')
    expect(await page.getByRole('status').textContent()).toBe('Verdict: Critical')
    expect(await page.locator('#cases').textContent()).toContain('1500.25 USDC has waited 47m')
    expect(await page.evaluate(() => 'sameDocument' in globalThis)).toBe(true)
    expect(complaints).toEqual([])
  })

  test('what is being typed survives an update, and so does the focus on a link', async () => {
    const { page, web } = await open('/', troubled)
    await page.getByRole('searchbox').fill('0xabc')
    await page.locator('#cases a').first().focus()
    await expect.poll(() => web.listeners.size).toBe(1)
    web.status = { ...troubled, openAlerts: [{ ...stalled, summary: 'another text' }] }
    web.change()
    await page.getByText('another text').first().waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('0xabc')
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe('/alerts/a1b2c3')
  })

  test('a lost server is said and the old verdict no longer stands in the title', async () => {
    const { page, web, stop } = await open('/')
    await expect.poll(() => web.listeners.size).toBe(1)
    await stop()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('Connection to spanwatch lost.')
    expect(await page.title()).toBe('Connection lost – spanwatch')
  })

  test('a state that can no longer be read takes the old one off the page', async () => {
    const { page, web } = await open('/', troubled)
    await expect.poll(() => web.listeners.size).toBe(1)
    web.status = { ...quiet, coverage: null as never }
    web.change()
    await page.getByRole('heading', { name: 'Cannot tell' }).waitFor()
    expect(await page.locator('#cases').count()).toBe(0)
    web.status = quiet
    web.change()
    await page.getByRole('heading', { name: 'No problem found' }).waitFor()
    expect(await page.locator('#cases').count()).toBe(1)
  })

  test('a hostile token name is shown and does nothing', async () => {
    const name = `<img src=x onerror=alert(1)><script>alert(2)</script>`
    const hostile = { ...transfer, token: { ...transfer.token, symbol: null, name } }
    const alert = { ...stalled, summary: name, title: name }
    const { page, web, url, complaints } = await open('/', { ...quiet, openAlerts: [alert] })
    expect(await page.locator('#cases').textContent()).toContain(name)
    web.stories = [
      { transfer: hostile, standing: null, observations: [], alerts: [toStory(alert)], givenBack: [] },
    ]
    for (const path of ['/transfers', '/transfers/t42']) {
      await page.goto(url + path)
      expect(await page.locator('main').textContent()).toContain(name)
    }
    expect(await page.locator('main script, main img').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('without a script the page reads the same and reloads itself', async () => {
    const { page } = await open('/', troubled, { script: false })
    expect(await page.locator('h1').textContent()).toBe('Critical')
    expect(await page.locator('noscript meta[http-equiv=refresh], meta[http-equiv=refresh]').count()).toBe(1)
    await page.getByRole('searchbox').fill('t42')
    await page.getByRole('button', { name: 'Search' }).click()
    expect(new URL(page.url()).pathname).toBe('/transfers/t42')
  })

  test('the form lets one in with the token and tells a wrong one', async () => {
    const { page, url } = await open('/transfers/t42', quiet, { token: new Secret('the right token') })
    await page.getByLabel('Token').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByRole('alert').textContent()).toBe('That is not the token.')
    await page.getByLabel('Token').fill('the right token')
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(page.url()).toBe(`${url}/transfers/t42`)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('USDC')
  })

  test.each(['light', 'dark'] as const)(
    'every verdict and the login form contrast, %s',
    async (colorScheme) => {
      const blind = { ...quiet, coverage: [{ source: 'explorer', lastGoodAt: null, staleAfterMs: 1 }] }
      const { page, web } = await open('/', quiet, { colorScheme })
      const words: (string | null)[] = []
      for (const status of [quiet, { ...quiet, openAlerts: [stalled] }, blind]) {
        web.status = status
        await page.reload()
        words.push(await page.locator('h1').textContent())
        expect(await findViolations(page)).toEqual([])
      }
      expect(words).toEqual(['No problem found', 'Needs attention', 'Cannot tell'])
      const login = await open('/login', quiet, { colorScheme, token: new Secret('any') })
      expect(await findViolations(login.page)).toEqual([])
    },
  )

  const fault: StatusFacts = {
    ...troubled,
    cases: Array.from({ length: 30 }, (_, index) => ({
      ...theft,
      id: `c${index}`,
      counts: 'critical' as const,
    })),
    caseCounts: [{ state: 'open', severity: 'critical', count: 30 }],
    recentEvents: Array.from({ length: 30 }, (_, index) => ({ ...failed, id: `e${index}` })),
    sources: quiet.sources.map((source) => ({
      ...source,
      endpoints: source.endpoints.map((endpoint) => ({
        ...endpoint,
        lastFailureAt: now,
        lastFailure: `${endpoint.endpoint} at explorer.example.com: the service failed (HTTP 500, 50026)`,
      })),
    })),
    pollers: Array.from({ length: 26 }, (_, index) => ({
      ...(quiet.pollers[0] ?? expect.fail()),
      poller: `poller${index}`,
      lastError: `E${index} at explorer.example.com: the service failed (HTTP 500, 50026)`,
    })),
  }

  test.each([
    { width: 360, screens: 6, screen: 740 },
    { width: 1_280, screens: 2.5, screen: 800 },
  ])('under fault the status is at most $screens screens of $screen px at $width', async (of) => {
    const { page } = await open('/', fault, { width: of.width })
    const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
    expect(height).toBeLessThanOrEqual(of.screens * of.screen)
  })

  test('on a phone the verdict and the first case with its buttons are on the first screen', async () => {
    const { page } = await open('/', fault, { width: 360 })
    const bottomOf = async (selector: string) => {
      const box = await page.locator(selector).first().boundingBox()
      return box === null ? Infinity : box.y + box.height
    }
    expect(await bottomOf('header')).toBeLessThan(100)
    expect(await bottomOf('#verdict')).toBeLessThan(300)
    expect(await bottomOf('#cases .actions')).toBeLessThan(740)
  })

  test('no column of the status ends far above the other', async () => {
    const { page } = await open('/', fault)
    const bottoms = await page.evaluate<number[]>(`(() => {
      const boxes = [...document.querySelectorAll('.flow > .card')].map((card) => card.getBoundingClientRect())
      const lefts = [...new Set(boxes.map(({ left }) => Math.round(left)))]
      return lefts.map((left) => Math.max(...boxes.filter((box) => Math.round(box.left) === left).map(({ bottom }) => bottom)))
    })()`)
    expect(bottoms).toHaveLength(2)
    expect(Math.max(...bottoms) - Math.min(...bottoms)).toBeLessThan(400)
  })

  test('times are those of the reader, UTC at a press', async () => {
    const { page } = await open('/transfers/t42', quiet, { timezoneId: 'Europe/Berlin' })
    const time = page.locator('time.at').first()
    expect(await time.textContent()).toMatch(/^2026-03-08 10:44:05 (CET|GMT\+1)$/)
    expect(await time.getAttribute('title')).toBe('2026-03-08 09:44:05 UTC')
    await page.getByRole('button', { name: 'Times in UTC' }).click()
    expect(await time.textContent()).toBe('2026-03-08 09:44:05 UTC')
    await page.reload()
    expect(await time.textContent()).toBe('2026-03-08 09:44:05 UTC')
  })

  test('on paper hashes and times are whole, and nothing is there to press', async () => {
    const { page } = await open('/breaks')
    const drawn = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}'), '::after').content`)
    expect(await drawn('.copy')).toBe('none')
    await page.emulateMedia({ media: 'print' })
    expect(await drawn('.copy')).toMatch(/^"0x[0-9a-f]{40,64}"$/)
    expect(await drawn('time:not(.at)')).toBe('" (2026-03-08 08:31:05 UTC)"')
    expect(
      await page.locator('form:not(.filters):visible, header.top:visible, button:not(.copy):visible').count(),
    ).toBe(0)
    expect(await page.getByLabel('Older than').isVisible()).toBe(true)
  })

  test('a hash is copied whole by a press, and leads to the explorer where one is named', async () => {
    const { page } = await open('/transfers/t42')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy 0x5a5a…5a5a' }).first().click()
    await page.getByText(`Copied ${zoneHash}`).waitFor({ state: 'attached' })
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(zoneHash)
    expect(
      await page
        .getByRole('link', { name: /^explorer/ })
        .first()
        .getAttribute('href'),
    ).toBe(`https://zone.example.com/tx/${zoneHash}`)
  })
})

interface OpenOptions extends Look {
  readonly token?: Secret
}
