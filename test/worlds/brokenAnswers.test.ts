import type { ServerResponse } from 'node:http'
import { expect, test, type TestContext } from 'vitest'
import { createSlackInbox } from '../../src/sandbox/inbox/slackInbox.ts'
import {
  createFakeExplorer,
  type FakeExplorer,
  type FakeRequest,
  send,
  toOpenWire,
  toWire,
  type WireRecord,
} from '../support/fakeExplorer.ts'
import {
  createProject,
  endProgram,
  type Program,
  readPeakMegabytes,
  startDaemon,
} from '../support/realMonitor.ts'
import { until } from '../support/startMonitor.ts'

// One real daemon for each fault: it answers well, then only with the fault until the outage is told, then well again.

const rules = `
rules:
  - { name: failed, on: transfer.failed, severity: critical, summary: "failed {{ transfer.amount }}" }
  - { name: unavailable, on: source.unavailable, severity: critical, summary: "no answer: {{ facts.lastError }}" }
  - { name: drift, on: source.drift, with: { keep: 3s }, severity: warning, summary: "drift: {{ facts.problem }}" }
  - { name: stalled, on: chain.stalled, with: { chain: main, after: 5m }, severity: critical, summary: "stalled" }
`
interface Watched {
  readonly api: FakeExplorer
  readonly daemon: Program
  /** What Slack got that holds all these words. */
  readonly telling: (...words: string[]) => string[]
}

/** A daemon that has read good answers, and what it tells. */
async function watch(context: TestContext, records: WireRecord[]): Promise<Watched> {
  const api = await createFakeExplorer()
  api.records = records
  const inbox = await createSlackInbox()
  const project = createProject({ url: api.url, rules, channels: { ops: { type: 'slack', url: inbox.url } } })
  const daemon = await startDaemon(project)
  context.onTestFinished(async () => {
    await endProgram(daemon)
    await inbox.close()
    await api.close()
    project.remove()
  })
  await until(() => api.requests.some(({ path }) => path.endsWith('/block/block-list')))
  return {
    api,
    daemon,
    telling: (...words) =>
      inbox.messages.map(({ text }) => text).filter((text) => words.every((word) => text.includes(word))),
  }
}

const good = () => JSON.stringify({ code: '0', msg: '', data: [] })
const eightyMegabytes = Buffer.alloc(80 * 1024 * 1024, ' ')

const outages: readonly {
  title: string
  says: string
  answer: (request: FakeRequest, response: ServerResponse) => void
}[] = [
  {
    title: 'F41: pages of HTML with status 200',
    says: 'HTML',
    answer: (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<html><script>alert(1)</script><h1>Welcome</h1></html>')
    },
  },
  {
    title: 'F42: JSON cut in the middle',
    says: 'not a JSON envelope',
    answer: (_, response) => send(response, 200, '{"code":"0","msg":"","data":[{"page":"1","da'),
  },
  {
    title: 'connections that are reset',
    says: 'connection',
    answer: (_, response) => void response.socket?.resetAndDestroy(),
  },
  { title: 'answers that never come', says: 'no whole answer within', answer: () => undefined },
  {
    title: 'HTTP 429',
    says: 'too many requests',
    answer: (_, response) => send(response, 429, { code: '50011', msg: 'Too Many Requests', data: [] }),
  },
  {
    title: 'busy answers, code 50013 with HTTP 200',
    says: 'busy',
    answer: (_, response) => send(response, 200, { code: '50013', msg: 'System is busy', data: [] }),
  },
  {
    title: 'F42: bodies of 80 MB',
    says: 'larger than 16 MB',
    answer: (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.on('error', () => undefined)
      response.write(good().slice(0, -1))
      response.end(eightyMegabytes)
    },
  },
]

test.concurrent.for(outages)(
  '$title: the outage is told, the daemon lives within 400 MB, recovers and says so',
  { timeout: 240_000 },
  async ({ answer, says }, context) => {
    const records = Array.from({ length: 120 }, () => toWire())
    const { api, daemon, telling } = await watch(context, records)
    api.intercept = (request, response) => {
      answer(request, response)
      return true
    }
    await until(() => telling('source.unavailable', says).length > 0, 90_000)
    expect(telling('stalled')).toEqual([])
    api.intercept = () => false
    const failed = toOpenWire({ status: '0x0' })
    api.records.unshift(failed)
    await until(() => telling('source.unavailable', 'resolved').length > 0, 90_000)
    await until(() => telling(failed['zoneTxHash'] ?? '?').length > 0, 90_000)
    expect(daemon.isRunning()).toBe(true)
    expect(readPeakMegabytes(daemon.pid) ?? 0).toBeLessThan(400)
  },
)

test.concurrent('F43: a record with numbers for strings is told as drift, the records around it go on', async (context) => {
  const { api, daemon, telling } = await watch(context, [toWire(), toWire()])
  const failed = toOpenWire({ status: '0x0' })
  const odd = { ...toOpenWire(), value: 12.5, valueRaw: 12_500_000 } as unknown as WireRecord
  api.records.unshift(odd, failed)
  await until(() => telling('source.drift', 'number 12.5').length > 0)
  await until(() => telling(failed['zoneTxHash'] ?? '?').length > 0)
  api.records.shift()
  await until(() => telling('source.drift', 'resolved').length > 0)
  expect(daemon.isRunning()).toBe(true)
}, 240_000)
