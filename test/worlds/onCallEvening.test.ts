import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createSilentLog } from '../../src/lib/log.ts'
import { Secret } from '../../src/lib/secret.ts'
import { createWebApp } from '../../src/web/createWebApp.ts'
import { startWebServer } from '../../src/web/startWebServer.ts'
import { createWebDeps } from '../../src/web/views/createWebDeps.ts'
import { listElements } from '../support/fakeSlack/methods.ts'
import { type FakeSlack, startFakeSlack } from '../support/fakeSlack/fakeSlack.ts'
import { slackAppTo } from '../support/fakeSlack/slackAppTo.ts'
import { routingKey, startFakePagerDuty } from '../support/fakePagerDuty.ts'
import { hasBrowser, launchBrowser } from '../support/launchBrowser.ts'
import { openPage } from '../support/openBrowser.ts'
import { shippedPoll } from '../support/incidents.ts'
import { createLeapingClock } from '../support/leapingClock.ts'
import { runScenario } from '../support/runScenario.ts'

// An evening on call: a theft, a storm and an outage, with one person in Slack, one at the page, and a pager that rings
// after two minutes for what nobody took. Time goes on while something is waited for: nobody is late because a browser is.

const evening = `name: evening
description: a theft, a storm of failures, and an explorer that is silent
seed: 7
timeline:
  - { at: 15s, fault: transfer.unbacked, direction: ZoneToMain, token: USDC, amount: "2500000" }
  - { at: 60s, fault: transfer.failed, count: 60, spacing: 20ms, errorMessage: "execution reverted: nonce too low" }
  - { at: 5m, for: 90s, fault: api.reset }
`
const ann = { id: 'U0ANN00001', name: 'ann' }

async function start() {
  const slack = await startFakeSlack()
  const pager = await startFakePagerDuty()
  const clock = createLeapingClock()
  const run = await runScenario({
    scenario: evening,
    clock,
    timeoutMs: 60_000,
    preconfIntervalMs: 2_000,
    config: {
      poll: shippedPoll,
      channels: [
        slackAppTo(slack, { buttons: true }),
        { name: 'pager', type: 'pagerduty', routingKey: new Secret(routingKey), url: new Secret(pager.url) },
      ],
      routes: [
        {
          match: null,
          channels: ['ops'],
          groupBy: ['case'],
          groupWaitMs: 0,
          groupIntervalMs: 10_000,
          repeatMs: 14_400_000,
          escalate: [{ afterMs: 120_000, channels: ['pager'] }],
          continue: false,
        },
      ],
    },
  })
  clock.stop()
  const until = async (holds: () => boolean, meanwhile = async () => {}) => {
    const endAt = clock.now() + 600_000
    while (!holds()) {
      if (clock.now() > endAt) throw new Error('did not hold within ten minutes')
      await meanwhile()
      clock.start()
      await clock.sleep(500)
      clock.stop()
      // What has come over sockets is taken meanwhile.
      await sleep(10)
    }
  }
  const { parts } = run.app
  const web = createWebApp(createWebDeps({ clock: parts.clock, log: createSilentLog() }, parts), {
    listenHost: '127.0.0.1',
    token: null,
  })
  const server = await startWebServer({ app: web, clock: parts.clock, host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    clock.start()
    await server.stop()
    await run.stop()
    clock.stop()
    await Promise.all([slack.close(), pager.close()])
  })
  const { alerts } = parts
  /** The case of the first alert of a kind; null before there is one. */
  const caseOf = (kind: string) => {
    const found = alerts.listAlerts({ limit: 5_000 }).findLast((one) => one.kind === kind)
    return found ? alerts.findCaseOfAlert(found.id) : null
  }
  /** The first message of the thread of a case. */
  const rootOf = (id: number) =>
    slack
      .posts()
      .find(({ raw }) => listElements(raw).some((one) => String(one['value']).startsWith(`c${id}-`)))
  return { slack, pager, until, url: server.url, caseOf, rootOf }
}

function rungFor(pager: { readonly rings: readonly string[] }, id: number): number {
  return pager.rings.filter((key) => new RegExp(`c${id}\\b`).test(key)).length
}

async function handleOnPage(page: Page, at: { readonly url: string; readonly id: number }): Promise<void> {
  await page.goto(`${at.url}/cases/c${at.id}`)
  const form = page.locator('form[action$="/handle"]')
  await form.locator('input[name=by]').first().fill('eve')
  await form.locator('input[name=text]').fill('the relayer was restarted')
  await form.locator('button').click()
  await page.waitForURL(`**/cases/c${at.id}`)
}

function threadOf(slack: FakeSlack, ts: string): string {
  return slack
    .thread(ts)
    .map(({ text }) => text)
    .join('\n')
}

describe.skipIf(!hasBrowser)('an evening on call', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  test('what is taken in Slack shows on the page, what is handled there shows in Slack, and the pager rings for the rest', async () => {
    const { slack, pager, until, url, caseOf, rootOf } = await start()
    const { page, complaints } = await openPage(browser)

    // A theft: taken in Slack, within the two minutes.
    await until(() => caseOf('transfer.unbacked') !== null && slack.sockets.count() === 1)
    const theft = caseOf('transfer.unbacked')?.id ?? 0
    await until(() => rootOf(theft) !== undefined)
    const { ts = '' } = rootOf(theft) ?? {}
    await until(() => caseOf('escrow.drift')?.id === theft)
    const hasButton = () => {
      const root = rootOf(theft)
      return root !== undefined && listElements(root.raw).some((one) => one['action_id'] === 'case-ack')
    }
    const take = async () => {
      if (hasButton()) await slack.press(ann, { ts, actionId: 'case-ack' })
    }
    await until(() => caseOf('transfer.unbacked')?.state === 'acknowledged', take)
    await page.goto(`${url}/cases/c${theft}`)
    await expect.poll(() => page.locator('main').textContent()).toMatch(/acknowledged[^]*ann/i)

    // A storm: nobody takes it, so that the pager rings, once for all of it.
    // What is critical and joins the theft later opens that again: it is taken once more.
    await until(() => (caseOf('transfer.failed')?.members ?? 0) >= 60, take)
    const storm = caseOf('transfer.failed')?.id ?? 0
    expect(rungFor(pager, storm)).toBe(0)
    await until(() => rungFor(pager, storm) === 1, take)
    expect(rungFor(pager, theft)).toBe(0)

    // It is handled on the page: Slack says so, and the pager is quiet.
    const { ts: stormTs = '' } = rootOf(storm) ?? {}
    await handleOnPage(page, { url, id: storm })
    await expect.poll(() => page.locator('main').textContent()).toMatch(/handled[^]*relayer was restarted/i)
    await until(() => threadOf(slack, stormTs).includes('Handled by eve'))
    await until(() =>
      [...pager.alerts].every(([key, { state }]) => !key.includes(`c${storm}-`) || state === 'resolved'),
    )

    // The explorer falls silent: taken on the page, within the two minutes.
    await until(() => caseOf('source.unavailable') !== null)
    const outage = caseOf('source.unavailable')?.id ?? 0
    await page.goto(`${url}/cases/c${outage}`)
    const form = page.locator('form[action$="/ack"]')
    if ((await form.locator('input[name=by]:visible').count()) > 0)
      await form.locator('input[name=by]').fill('eve')
    await form.locator('button').click()
    await until(() => caseOf('source.unavailable')?.state !== 'open')
    await until(() => caseOf('source.unavailable')?.state === 'closed')
    expect(rungFor(pager, outage)).toBe(0)
    expect(rungFor(pager, storm)).toBe(1)
    expect(rungFor(pager, theft)).toBe(0)
    expect(complaints).toEqual([])
  }, 400_000)
})
