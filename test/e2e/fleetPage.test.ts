import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/lib/clock.ts'
import { startWebServer } from '../../src/web/startWebServer.ts'
import { bridgeHash } from '../support/fillFleet.ts'
import { hasBrowser, launchBrowser } from '../support/launchBrowser.ts'
import { findViolations, type Look, lookAs, openPage } from '../support/openBrowser.ts'
import { openFleet } from '../support/openFleet.ts'
import { postgresBin, type Postgres, startPostgres } from '../support/startPostgres.ts'

if (postgresBin === null) console.warn('skipped: the page over all bridges, PostgreSQL is missing')

describe.skipIf(!hasBrowser || postgresBin === null)('the page over all bridges in Chromium', () => {
  let browser: Browser
  let postgres: Postgres
  beforeAll(async () => {
    ;[browser, postgres] = await Promise.all([launchBrowser(), startPostgres()])
  })
  afterAll(async () => {
    await browser.close()
    await postgres.stop()
  })

  async function open(path: string, look: Look = {}) {
    const fleet = await openFleet(postgres)
    const clock = createSystemClock()
    const server = await startWebServer({ app: fleet.app, clock, host: '127.0.0.1', port: 0 })
    onTestFinished(() => server.stop())
    const opened = await openPage(browser, look)
    await opened.page.goto(`${server.url}${path}`)
    return { ...opened, ...fleet, url: server.url }
  }

  const paths = ['/', `/search?q=${bridgeHash}`, '/bridges/usdc-zone/cases/c7']
  const looks = [360, 768, 1_280].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
  )

  test.each(paths)('%s is whole at every width, in both schemes, by WCAG too', async (path) => {
    const { page, complaints, hosts, url } = await open(path, looks[0])
    for (const look of looks) {
      await lookAs(page, look)
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        look.width,
      )
      expect(await findViolations(page)).toEqual([])
      expect(complaints).toEqual([])
      expect([...hosts]).toEqual([new URL(url).host])
      const folder = process.env['PICTURES']
      if (folder !== undefined)
        await page.screenshot({
          path: `${folder}/${paths.indexOf(path)}-${look.width}-${look.colorScheme}.png`,
          fullPage: true,
        })
    }
  })

  test('what changes shows on an open page', async () => {
    const { page, query, listeners } = await open('/')
    await page.getByText('2 of 4 bridges are watched.').waitFor()
    await expect.poll(() => listeners.size).toBe(1)
    await query(`UPDATE spanwatch.leases SET until = clock_timestamp()`)
    // What was read just now is kept for a second.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    for (const listener of listeners) listener()
    await page.getByText('0 of 4 bridges are watched.').waitFor()
  })

  test('a case is acknowledged and silenced by forms, without a script as well', async () => {
    const { page, query } = await open('/', { script: false })
    await page.getByRole('link', { name: /paid without an origin/ }).click()
    const ack = page.locator('form', { hasText: 'Acknowledge' })
    await ack.getByLabel('Your name').fill('ana')
    const done = ack.getByRole('button').click()
    await answerNext(query, { ok: true })
    await done
    await page.getByText('Acknowledged. This page').waitFor()
    const silence = page.locator('form', { hasText: 'Silence' }).filter({ hasText: 'For' })
    expect(await silence.getByLabel('Your name').inputValue()).toBe('ana')
    await silence.getByLabel('Reason').fill('asked the operator')
    const silenced = silence.getByRole('button').click()
    const asked = await answerNext(query, { ok: false, error: 'it is over <b>' })
    await silenced
    await page.getByText('it is over <b>').waitFor()
    expect(asked).toMatchObject({
      what: 'silence',
      body: { author: 'ana', comment: 'asked the operator', transfer: { name: 't42', untilOver: false } },
      actor: { by: 'ana', from: { via: 'page' } },
    })
  })

  /** Answers what is asked, as a holder does. */
  async function answerNext(
    query: Awaited<ReturnType<typeof openFleet>>['query'],
    answer: object,
  ): Promise<Record<string, unknown> | undefined> {
    let asked: Record<string, unknown> | undefined
    await expect
      .poll(
        async () => {
          ;[asked] = await query(
            `UPDATE spanwatch.requests SET answered_at = clock_timestamp(), answer = $1::jsonb
             WHERE answered_at IS NULL RETURNING *`,
            [JSON.stringify(answer)],
          )
          return asked !== undefined
        },
        { timeout: 10_000 },
      )
      .toBe(true)
    return asked
  }
})
