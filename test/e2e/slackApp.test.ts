import { expect, onTestFinished, test } from 'vitest'
import { listChanges } from '../../src/store/auditLog.ts'
import { listElements } from '../support/fakeSlack/methods.ts'
import { createFakeExplorer, toWire } from '../support/fakeExplorer.ts'
import { startFakeSlack } from '../support/fakeSlack/fakeSlack.ts'
import { slackAppTo } from '../support/fakeSlack/slackAppTo.ts'
import { shippedPoll } from '../support/incidents.ts'
import { createProject, endProgram, startDaemon } from '../support/realMonitor.ts'
import { runScenario } from '../support/runScenario.ts'
import { until } from '../support/startMonitor.ts'

// The whole daemon, the sandbox and Slack's other side: what is pressed there is done here, and the other way round.

const theft = `name: theft
description: value is paid out that nobody sent
seed: 7
timeline:
  - { at: 15s, fault: transfer.unbacked, direction: ZoneToMain, token: USDC, amount: "2500000" }
`
const ann = { id: 'U0ANN00001', name: 'ann' }
const bob = { id: 'U0BOB00001', name: 'bob' }

async function start() {
  const slack = await startFakeSlack()
  const run = await runScenario({
    scenario: theft,
    speed: 8,
    config: {
      poll: shippedPoll,
      routes: [],
      channels: [slackAppTo(slack, { buttons: true })],
    },
  })
  onTestFinished(async () => {
    await run.stop()
    await slack.close()
  })
  return { slack, run }
}

test('a theft: one thread; acknowledged in Slack it is acknowledged here, handled here it is handled in Slack', async () => {
  const { slack, run } = await start()
  const { alerts, db, operations } = run.app.parts
  const root = () =>
    slack.posts().find(({ text }) => text.includes('2,500,000 USDC') && text.includes('Acknowledge'))
  await until(() => root() !== undefined && slack.sockets.count() === 1)
  const { ts = '' } = root() ?? {}
  const button = listElements(root()?.raw ?? { blocks: [] }).find((one) => one['action_id'] === 'case-ack')
  const id = Number(/^c(\d+)/.exec(String(button?.['value']))?.[1])

  await slack.press(ann, { ts, actionId: 'case-ack' })
  await until(() => alerts.findCase(id)?.state === 'acknowledged')
  expect(alerts.findCase(id)).toMatchObject({ by: 'ann' })
  expect(listChanges(db, { limit: 1 })).toMatchObject([
    { who: 'ann', via: 'slack', address: `T0FAKE0001/${ann.id}`, what: 'acknowledged', aboutId: `c${id}` },
  ])
  await until(() => slack.thread(ts).some(({ text }) => text.includes('Acknowledged by ann')))
  await until(() => root() === undefined)
  expect(slack.posts().find((one) => one.ts === ts)?.text).toContain('acknowledged by ann')

  await slack.press(bob, { ts, actionId: 'case-handle' })
  await until(() => slack.views.length === 1)
  operations.changeCase(
    { id: `c${id}`, do: 'handle', text: 'refunded by the operator' },
    { by: 'eve', from: { via: 'cli', address: null, role: null, session: null } },
  )
  await until(() =>
    slack.thread(ts).some(({ text }) => text.includes('Handled by eve: refunded by the operator')),
  )
  await until(() => slack.posts().some((one) => one.ts === ts && !one.buttons.includes('case-handle')))
  await slack.submit(bob, slack.views[0] ?? {}, { reason: 'too late' })
  await until(() => slack.ephemerals.length === 1)
  expect(slack.ephemerals[0]).toMatchObject({
    user: bob.id,
    text: expect.stringContaining('handled already, by eve'),
  })
  expect(run.log.join('')).not.toContain('aVerySecret')
})

test('a daemon that is stopped and started again goes on in the same thread, and its socket keeps nobody waiting', async () => {
  const slack = await startFakeSlack()
  const api = await createFakeExplorer()
  const project = createProject({
    url: api.url,
    rules: 'rules:\n  - { name: failed, on: transfer.failed, severity: critical }\n',
    channels: {
      ops: {
        type: 'slack-app',
        token: '${SLACK_BOT_TOKEN}',
        appToken: '${SLACK_APP_TOKEN}',
        channel: slack.channelId,
        url: slack.url,
      },
    },
    routes: [{ channels: ['ops'], groupWait: '0s', groupInterval: '1s' }],
  })
  const env = { SLACK_BOT_TOKEN: slack.tokens.bot, SLACK_APP_TOKEN: slack.tokens.app }
  let daemon = await startDaemon(project, { env })
  onTestFinished(async () => {
    await endProgram(daemon)
    await Promise.all([slack.close(), api.close()])
    project.remove()
  })
  api.records.unshift(toWire({ status: '0x0' }))
  await until(() => slack.posts().length === 1 && slack.sockets.count() === 1)
  const { ts = '' } = slack.posts()[0] ?? {}
  const stopped = performance.now()
  expect(await endProgram(daemon)).toBe(0)
  expect(performance.now() - stopped).toBeLessThan(8_000)
  expect(slack.sockets.count()).toBe(0)

  daemon = await startDaemon(project, { env })
  await until(() => slack.sockets.count() === 1)
  await slack.press(ann, { ts, actionId: 'case-ack' })
  await until(() => slack.thread(ts).some(({ text }) => text.includes('Acknowledged by ann')))
  await until(() => slack.posts()[0]?.text.includes('acknowledged by ann') === true)
  expect(slack.posts().length).toBe(1)
  expect(daemon.stderr()).not.toContain('aVerySecret')
})
