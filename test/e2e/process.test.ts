import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSlackInbox, type SlackInbox } from '../../src/sandbox/inbox/slackInbox.ts'
import { createFakeExplorer, type FakeExplorer, toOpenWire, toWire } from '../support/fakeExplorer.ts'
import {
  createProject,
  endProgram,
  type Program,
  type Project,
  runProgram,
  startDaemon,
  startProgram,
} from '../support/realMonitor.ts'
import { until } from '../support/startMonitor.ts'

const rules = `
rules:
  - { name: failed, on: transfer.failed, severity: critical, summary: "failed {{ transfer.amount }}" }
`
let api: FakeExplorer
let inbox: SlackInbox
let project: Project
let running: Program[] = []

beforeEach(async () => {
  api = await createFakeExplorer()
  inbox = await createSlackInbox()
  project = createProject({ url: api.url, rules, channels: { ops: { type: 'slack', url: inbox.url } } })
})
afterEach(async () => {
  await Promise.all(running.map(endProgram))
  running = []
  await inbox.close()
  await api.close()
  project.remove()
})

async function start() {
  const daemon = await startDaemon(project)
  running.push(daemon)
  return daemon
}

const addFailure = () => {
  const failed = toOpenWire({ status: '0x0' })
  api.records.unshift(failed)
  return failed['zoneTxHash'] ?? '?'
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const naming = (hash: string) => inbox.messages.filter(({ text }) => text.includes(hash))
const bodiesNaming = (hash: string) => inbox.requests.filter(({ body }) => body.includes(hash))

test('F1 F4: five kill -9 in a row lose no failed transfer and repeat only what was being sent', async () => {
  api.records = Array.from({ length: 30 }, () => toWire())
  const hashes: string[] = []
  for (let round = 0; round < 5; round += 1) {
    const daemon = await start()
    hashes.push(addFailure(), addFailure())
    // The first three die while Slack answers, between the delivery and its acknowledgement; the others at any time.
    const told = inbox.messages.length
    if (round < 3) await until(() => inbox.messages.length > told)
    else await pause(round * 150)
    daemon.kill('SIGKILL')
    await daemon.ended
  }
  await start()
  hashes.push(addFailure())
  await until(() => hashes.every((hash) => naming(hash).length > 0))
  await pause(2_500)
  const repeated = hashes.filter((hash) => naming(hash).length > 1)
  for (const hash of repeated) {
    const ids = naming(hash).map(({ text }) => /#\w+( · attempt \d+)?/.exec(text)?.[0] ?? '')
    expect(new Set(ids.map((id) => id.slice(0, 7))).size, ids.join()).toBe(1)
    expect(ids.slice(1).every((id) => id.includes('attempt'))).toBe(true)
  }
  // Each killed process had one message of this channel's critical lane in flight: each can repeat itself.
  expect(inbox.messages.filter(({ text }) => text.includes('attempt')).length).toBeLessThanOrEqual(5)
}, 60_000)

test('F1: a kill -9 between the delivery and its acknowledgement repeats that one message under its own id', async () => {
  inbox.respond({ kind: 'hang' })
  api.records = [toWire()]
  const first = await start()
  const hash = addFailure()
  await until(() => bodiesNaming(hash).length === 1)
  first.kill('SIGKILL')
  await first.ended
  await start()
  await until(() => naming(hash).length === 1)
  await pause(1_500)
  const [before, after] = bodiesNaming(hash).map(({ body }) => /#(\w{6,})( · attempt 2)?/.exec(body))
  expect(bodiesNaming(hash)).toHaveLength(2)
  expect([before?.[2], after?.[1], after?.[2]]).toEqual([undefined, before?.[1], ' · attempt 2'])
}, 40_000)

test('F3: killed before anything was committed, the next start reads the same range and tells it once', async () => {
  api.records = [toWire()]
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
}, 40_000)

test('F6: SIGTERM waits for a delivery in flight, takes its acknowledgement and exits 0', async () => {
  await inbox.close()
  const slow = await createSlowInbox(2_000)
  project.remove()
  project = createProject({ url: api.url, rules, channels: { ops: { type: 'slack', url: slow.url } } })
  try {
    api.records = [toWire()]
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
  } finally {
    await Promise.all(running.map(endProgram))
    await slow.close()
    inbox = await createSlackInbox()
  }
}, 40_000)

test('F18: a second process on the same state folder exits 75 without waiting and says why', async () => {
  const daemon = await start()
  const startedAt = performance.now()
  const second = await runProgram(['run', '-c', project.configPath])
  const tookMs = performance.now() - startedAt
  expect(second.code).toBe(75)
  expect(second.stderr).toContain('Another spanwatch process uses this state folder')
  // A second on a machine that does nothing else, nearly all of it the start of Node: nothing is waited for.
  expect(tookMs).toBeLessThan(3_000)
  expect(daemon.isRunning()).toBe(true)
})

test('a port in use ends the start with exit code 2 and names the port', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  project.remove()
  project = createProject({ url: api.url, rules, listen: `127.0.0.1:${port}` })
  const result = await runProgram(['run', '-c', project.configPath])
  other.close()
  expect(result.code).toBe(2)
  expect(result.stderr).toContain(String(port))
})

test('without trouble SIGTERM and SIGINT both end the daemon with 0', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const daemon = await start()
    daemon.kill(signal)
    expect(await daemon.ended).toBe(0)
  }
})

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
