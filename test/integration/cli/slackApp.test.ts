import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type FakeSlack, startFakeSlack } from '../../support/fakeSlack/fakeSlack.ts'
import { runCommand } from '../../unit/cli/testIo.ts'

async function setUp() {
  const slack = await startFakeSlack()
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-slack-'))
  onTestFinished(async () => {
    await slack.close()
    rmSync(folder, { recursive: true })
  })
  const path = join(folder, 'spanwatch.yaml')
  const text = `explorer: { baseUrl: "http://127.0.0.1:1", chains: { main: MAINCHAIN, zone: ZONE_CHAIN } }
channels:
  ops: { type: slack-app, token: "\${BOT}", appToken: "\${APP}", channel: "#bridge-alerts", url: "${slack.url}" }
`
  writeFileSync(path, text)
  const env = { BOT: slack.tokens.bot, APP: slack.tokens.app }
  const run = (...argv: string[]) => runCommand([...argv, '-c', path], { env })
  return { slack, run }
}

/** Buttons are for the daemon alone: whoever listens beside it would take presses away from it. */
function expectNoSocket(slack: FakeSlack): void {
  expect(slack.callsOf('apps.connections.open')).toEqual([])
}

test('channels test posts one message that says that it is a test', async () => {
  const { slack, run } = await setUp()
  const { out, exitCode } = await run('channels', 'test', 'ops')
  expect(out).toMatch(/^ops \(slack-app\): it took the test message/)
  expect(exitCode).toBe(0)
  expect(
    slack.posts().map(({ text, buttons }) => [text.includes('Test message of spanwatch'), buttons]),
  ).toEqual([[true, []]])
  expectNoSocket(slack)
})

test('channels test says what to do where the app is not in the channel', async () => {
  const { slack, run } = await setUp()
  slack.world.channel.hasApp = false
  const { out, exitCode } = await run('channels', 'test', 'ops')
  expect(out).toContain('it refuses us')
  expect(out).toContain('not_in_channel: invite the app to the channel: /invite @spanwatch')
  expect(exitCode).not.toBe(0)
})

test('check says what the channel is, without its tokens', async () => {
  const { slack, run } = await setUp()
  const { out, err, exitCode } = await run('check')
  expect(out).toContain(`ops: slack-app in #bridge-alerts at ${new URL(slack.url).host}, with buttons`)
  expect(out + err).not.toContain('aVerySecret')
  expect(exitCode).toBe(0)
  expect(slack.calls).toEqual([])
})

test('check --online asks Slack whether it knows the bot token, and posts nothing', async () => {
  const { slack, run } = await setUp()
  expect((await run('check', '--online')).out).toMatch(/ok +channel ops, .*knows the bot token/)
  slack.world.tokens.bot = 'xoxb-another'
  expect((await run('check', '--online')).out).toMatch(
    /failed +channel ops, .*invalid_auth[^]*channels\.ops\.token/,
  )
  expect(slack.calls.map(({ method }) => method)).toEqual(['auth.test', 'auth.test'])
  expectNoSocket(slack)
})
