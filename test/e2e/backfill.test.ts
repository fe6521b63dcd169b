import { expect, onTestFinished, test } from 'vitest'
import { createFakeExplorer, type FakeExplorer, toWire, type WireRecord } from '../support/fakeExplorer.ts'
import {
  createProject,
  endProgram,
  type Project,
  runProgram,
  startDaemon,
  startProgram,
} from '../support/realMonitor.ts'
import { until } from '../support/startMonitor.ts'

const hour = 3_600_000

/** `count` records, one an hour, newest first. */
function createHistory(count: number): WireRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const at = Date.now() - (index + 1) * hour
    return toWire({ zoneBlockTime: String(at - 1_000), mainBlockTime: String(at) })
  })
}

async function setUp(count: number): Promise<{ api: FakeExplorer; project: Project }> {
  const api = await createFakeExplorer()
  onTestFinished(() => api.close())
  api.records = createHistory(count)
  api.pageCap = 50
  const project = createProject({
    url: api.url,
    rules: 'rules:\n  - { name: failed, on: transfer.failed, severity: critical }\n',
  })
  onTestFinished(() => project.remove())
  return { api, project }
}

async function countTransfers({ configPath }: Project): Promise<number> {
  const { stdout } = await runProgram(['transfers', 'list', '-c', configPath, '--limit', '100000', '--json'])
  return (JSON.parse(stdout) as unknown[]).length
}

const backfillOf = ({ configPath }: Project) => ['backfill', '-c', configPath, '--from', 'genesis']

test('a backfill that is stopped goes on where it was, and ends with every record once', async () => {
  const { api, project } = await setUp(3_000)
  const first = startProgram(backfillOf(project))
  await until(() => first.stderr().includes('records, back to'), 20_000)
  await endProgram(first)
  const [, read] = /^Stopped after (\d+) records/.exec(first.stdout()) ?? []
  const asked = api.requests.length
  const second = await runProgram(backfillOf(project))
  expect(second.stdout).toBe('Done: 3000 records read.\n')
  expect(Number(api.requests[asked]?.query.get('page'))).toBe(1 + Number(read) / 50)
  expect(await countTransfers(project)).toBe(3_000)
})

test('beside a daemon the daemon reads, and its end is seen', async () => {
  const { project } = await setUp(400)
  const daemon = await startDaemon(project)
  onTestFinished(async () => void (await endProgram(daemon)))
  const result = await runProgram(backfillOf(project))
  expect(result.stderr).toContain('The daemon reads')
  expect(result.stdout).toMatch(/^Done: /)
  expect(await countTransfers(project)).toBe(400)
})

test('what a backfill finds to be news is told by the daemon afterwards', async () => {
  const { api, project } = await setUp(60)
  const failed = api.records[3] as WireRecord
  failed['status'] = '0x0'
  expect((await runProgram(backfillOf(project))).code).toBe(0)
  const daemon = await startDaemon(project)
  onTestFinished(async () => void (await endProgram(daemon)))
  await until(() => daemon.stdout().includes(failed['zoneTxHash'] ?? '?'), 20_000)
})

test('a time that cannot be read is refused', async () => {
  const { project } = await setUp(1)
  const { code, stderr } = await runProgram(['backfill', '-c', project.configPath, '--from', 'soon'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--from: expected a duration')])
})
