import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type TestContext } from 'vitest'
import { createSlackInbox } from '../../src/sandbox/inbox/slackInbox.ts'
import { toWire } from '../support/fakeExplorer.ts'
import { runProgram, startProgram } from '../support/realMonitor.ts'
import { createOwnDaemon } from '../support/ownDaemon.ts'
import { until } from '../support/startMonitor.ts'

const rules = `
rules:
  - { name: failed, on: transfer.failed, severity: critical, summary: "failed {{ transfer.amount }}" }
`
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function setUp(
  context: Pick<TestContext, 'onTestFinished'>,
  { slackUrl, listen }: { slackUrl?: string; listen?: string } = {},
) {
  const project = { rules, ...(listen !== undefined && { listen }) }
  const own = await createOwnDaemon(context, { records: [toWire()], slackUrl, project })
  const { inbox } = own
  return {
    ...own,
    bodiesNaming: (hash: string) => inbox.requests.filter(({ body }) => body.includes(hash)),
  }
}

test.concurrent('F1 F4: three kill -9 in a row lose no failed transfer and repeat only what was being sent', async (context) => {
  const { api, inbox, start, addFailure, naming } = await setUp(context)
  api.records = Array.from({ length: 30 }, () => toWire())
  const hashes: string[] = []
  for (let round = 0; round < 3; round += 1) {
    const daemon = await start()
    hashes.push(addFailure(), addFailure())
    // The first two die while Slack answers, between the delivery and its acknowledgement; the other at any time.
    const told = inbox.messages.length
    if (round < 2) await until(() => inbox.messages.length > told)
    else await pause(450)
    daemon.kill('SIGKILL')
    await daemon.ended
  }
  await start()
  hashes.push(addFailure())
  await until(() => hashes.every((hash) => naming(hash).length > 0))
  await pause(2_500)
  const repeated = hashes.filter((hash) => naming(hash).length > 1)
  for (const hash of repeated) {
    const ids = naming(hash).map(({ text }) => /message #\w+( · attempt \d+)?/.exec(text)?.[0] ?? '')
    expect(new Set(ids.map((id) => id.replace(/ ·.*/, ''))).size, ids.join()).toBe(1)
    expect(ids.slice(1).every((id) => id.includes('attempt'))).toBe(true)
  }
  // Each killed process had one message of this channel's critical lane in flight: each can repeat itself.
  expect(inbox.messages.filter(({ text }) => text.includes('attempt')).length).toBeLessThanOrEqual(3)
}, 240_000)

test.concurrent('F1: a kill -9 between the delivery and its acknowledgement repeats that one message under its own id', async (context) => {
  const { inbox, start, addFailure, naming, bodiesNaming } = await setUp(context)
  inbox.respond({ kind: 'hang' })
  const first = await start()
  const hash = addFailure()
  await until(() => bodiesNaming(hash).length === 1)
  first.kill('SIGKILL')
  await first.ended
  await start()
  await until(() => naming(hash).length === 1)
  await pause(1_500)
  const [before, after] = bodiesNaming(hash).map(({ body }) => /message #(\w{6,})( · attempt 2)?/.exec(body))
  expect(bodiesNaming(hash)).toHaveLength(2)
  expect([before?.[2], after?.[1], after?.[2]]).toEqual([undefined, before?.[1], ' · attempt 2'])
}, 240_000)

test.concurrent('F3: killed before anything was committed, the next start reads the same range and tells it once', async (context) => {
  const { api, project, running, start, addFailure, naming } = await setUp(context)
  const hash = addFailure()
  const first = startProgram(['run', '-c', project.configPath])
  running.push(first)
  api.intercept = ({ path }) => {
    if (!path.endsWith('/cross/transaction-list')) return false
    first.kill('SIGKILL')
    return true
  }
  await first.ended
  api.intercept = () => false
  await start()
  await until(() => naming(hash).length > 0)
  await pause(1_500)
  expect(naming(hash)).toHaveLength(1)
}, 240_000)

test.concurrent('F6: SIGTERM waits for a delivery in flight, takes its acknowledgement and exits 0', async (context) => {
  const slow = await createSlowInbox(2_000)
  context.onTestFinished(slow.close)
  const { start, addFailure } = await setUp(context, { slackUrl: slow.url })
  const daemon = await start()
  addFailure()
  await until(() => slow.received() === 1)
  const stoppedAt = performance.now()
  daemon.kill('SIGTERM')
  expect(await daemon.ended).toBe(0)
  expect(performance.now() - stoppedAt).toBeGreaterThan(1_000)
  expect(slow.answered()).toBe(1)
  await start()
  await pause(2_500)
  expect(slow.received()).toBe(1)
}, 240_000)

test.concurrent.for(['SIGTERM', 'SIGINT'] as const)(
  'F7: a second %s during a delivery ends at once with 1, and the message is told again after the restart',
  { timeout: 240_000 },
  async (signal, context) => {
    const { inbox, start, addFailure, naming, bodiesNaming } = await setUp(context)
    inbox.respond({ kind: 'hang' })
    const daemon = await start()
    const hash = addFailure()
    await until(() => bodiesNaming(hash).length === 1)
    daemon.kill(signal)
    await pause(300)
    expect(daemon.isRunning()).toBe(true)
    daemon.kill(signal)
    expect(await daemon.ended).toBe(1)
    await start()
    await until(() => naming(hash).length === 1)
    expect(naming(hash)[0]?.text).toContain('attempt 2')
  },
)

test.concurrent('F7: SIGHUP during a delivery sends nothing again and ends nothing', async (context) => {
  const slow = await createSlowInbox(1_500)
  context.onTestFinished(slow.close)
  const { start, addFailure } = await setUp(context, { slackUrl: slow.url })
  const daemon = await start()
  addFailure()
  await until(() => slow.received() === 1)
  daemon.kill('SIGHUP')
  await until(() => daemon.stderr().includes('rules reloaded'))
  await until(() => slow.answered() === 1)
  await pause(1_500)
  expect(slow.received()).toBe(1)
  expect(daemon.isRunning()).toBe(true)
}, 240_000)

test.concurrent('F10: a configuration that is wrong exits 2 each time, asks nothing and tells nobody', async (context) => {
  const { api, inbox, project } = await setUp(context)
  const asked = api.requests.length
  writeFileSync(project.configPath, `${readFileSync(project.configPath, 'utf8')}\nstaet: ./state\n`)
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { code, stderr } = await runProgram(['run', '-c', project.configPath])
    expect(code).toBe(2)
    expect(stderr).toContain('state')
  }
  expect(inbox.requests).toEqual([])
  expect(api.requests.length).toBe(asked)
}, 240_000)

test.concurrent('F33: a webhook address that is replaced on disk is used without a restart', async (context) => {
  const second = await createSlackInbox()
  context.onTestFinished(() => second.close())
  const { inbox, project, start, addFailure, naming } = await setUp(context, { slackUrl: '${file:hook}' })
  const path = join(project.folder, 'hook')
  writeFileSync(path, inbox.url)
  const daemon = await start()
  const before = addFailure()
  await until(() => naming(before).length === 1)
  writeFileSync(`${path}.new`, `${second.url}\n`)
  renameSync(`${path}.new`, path)
  await pause(1_100)
  const after = addFailure()
  await until(() => second.messages.some(({ text }) => text.includes(after)))
  expect(naming(after)).toEqual([])
  expect(daemon.stderr()).not.toContain(new URL(second.url).pathname)
}, 240_000)

test('F18: a second process on the same state folder exits 75 without waiting and says why (semantics 34)', async (context) => {
  const { project, start } = await setUp(context)
  const daemon = await start()
  const timed = async (args: string[]) => {
    const startedAt = performance.now()
    const ended = await runProgram(args)
    return { ...ended, tookMs: performance.now() - startedAt }
  }
  const checked = await timed(['check', '-c', project.configPath])
  const second = await timed(['run', '-c', project.configPath])
  expect(second.code).toBe(75)
  expect(second.stderr).toContain('Another spanwatch process uses this state folder')
  // Nearly all of it is the start of Node, as for a command beside it: nothing is waited for.
  expect(second.tookMs).toBeLessThan(3 * checked.tookMs + 2_000)
  expect(daemon.isRunning()).toBe(true)
}, 240_000)

test.concurrent('a port in use ends the start with exit code 2 and names the port', async (context) => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const { project } = await setUp(context, { listen: `127.0.0.1:${port}` })
  const result = await runProgram(['run', '-c', project.configPath])
  other.close()
  expect(result.code).toBe(2)
  expect(result.stderr).toContain(String(port))
}, 240_000)

test.concurrent('without trouble SIGTERM and SIGINT both end the daemon with 0', async (context) => {
  const { start } = await setUp(context)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const daemon = await start()
    daemon.kill(signal)
    expect(await daemon.ended).toBe(0)
  }
}, 240_000)

/** Takes each message at once and says `ok` only after a while. */
async function createSlowInbox(answerAfterMs: number) {
  let received = 0
  let answered = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      received += 1
      setTimeout(() => {
        response.end('ok')
        answered += 1
      }, answerAfterMs)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/services/T/B/x`,
    received: () => received,
    answered: () => answered,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
