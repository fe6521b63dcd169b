/**
 * Beside what is at hand without spanwatch, on the same work: `npm run bench:compare`. Alertmanager and promtool from Debian's
 * packages (what is missing is left out, and said), and a polling loop over viem's public client for receipts. What
 * spanwatch takes for the first notification and for a storm of 100,000 is in `npm run bench:alerts`.
 */
import { fork, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createPublicClient, http } from 'viem'
import { createRpc } from '../src/clients/rpc/createRpc.ts'
import { createSystemClock } from '../src/lib/clock.ts'
import { programPath } from '../test/support/realMonitor.ts'
import { type RunningAlertmanager, startAlertmanager } from '../test/support/startAlertmanager.ts'
import { note } from './support/figures.ts'
import { readResident } from './support/sandboxDaemon.ts'

const storm = 100_000
const ruleTests = 200
const receipts = 2_000

if (process.argv[2] === 'node') serveNode()
else {
  if (isThere('prometheus-alertmanager')) await compareAlerts()
  if (isThere('promtool')) compareRuleTests()
  await compareReceipts()
}

function isThere(program: string): boolean {
  const found = spawnSync(program, ['--version']).error === undefined
  if (!found) console.log(`${program} is not installed: left out`)
  return found
}

async function compareAlerts(): Promise<void> {
  const manager = await startAlertmanager('group_by: ["hash"], group_wait: 0s, group_interval: 1s')
  const times: number[] = []
  for (let index = 0; index < 40; index += 1) {
    const begun = performance.now()
    await post(manager, [`first-${index}`])
    while (manager.notifications.length <= index) await sleep(1)
    times.push(performance.now() - begun)
  }
  times.sort((a, b) => a - b)
  note({ name: 'Alertmanager: first notification, median', value: times[20] ?? Number.NaN, unit: 'ms' })
  await manager.close()

  // One group, as a case is one.
  const large = await startAlertmanager('group_by: ["alertname"], group_wait: 30s, group_interval: 5m')
  for (let first = 0; first < storm; first += 1_000)
    await post(
      large,
      Array.from({ length: 1_000 }, (_, index) => `storm-${first + index}`),
    )
  await sleep(2_000)
  note({
    name: 'Alertmanager: resident with 100,000 alerts',
    value: readResident(large.pid(), 'VmRSS'),
    unit: 'MB',
  })
  const before = await count(large)
  await large.restart()
  note({
    name: 'Alertmanager: of 100,000 alerts known after kill -9',
    value: ((await count(large)) / before) * 100,
    unit: '%',
  })
  const bytes = readdirSync(large.folder).reduce(
    (sum, name) => sum + statSync(join(large.folder, name)).size,
    0,
  )
  note({ name: 'Alertmanager: on disk for each of 100,000', value: bytes / storm, unit: 'bytes' })
  await large.close()
}

async function post({ url }: RunningAlertmanager, hashes: readonly string[]): Promise<void> {
  const alerts = hashes.map((hash) => ({
    labels: { alertname: 'transfer-failed', hash, severity: 'critical' },
  }))
  const answer = await fetch(`${url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(alerts),
  })
  if (!answer.ok) throw new Error(`Alertmanager: HTTP ${answer.status} ${await answer.text()}`)
}

async function count({ url }: RunningAlertmanager): Promise<number> {
  const answer = await fetch(`${url}/api/v2/alerts`)
  const alerts: unknown = await answer.json()
  return Array.isArray(alerts) ? alerts.length : 0
}

/** So many tests of one rule that waits, each with an input and two expectations. */
function compareRuleTests(): void {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-compare-'))
  const write = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content))
  const all = Array.from({ length: ruleTests }, (_, index) => index)
  write('prometheus.yaml', {
    groups: [{ name: 'g', rules: [{ alert: 'Stalled', expr: 'transfer_age_seconds > 1800' }] }],
  })
  write('prometheus.test.yaml', {
    rule_files: ['prometheus.yaml'],
    evaluation_interval: '1m',
    tests: all.map((index) => ({
      interval: '1m',
      input_series: [{ series: `transfer_age_seconds{hash="${index}"}`, values: '0+60x60' }],
      alert_rule_test: [
        { eval_time: '29m', alertname: 'Stalled', exp_alerts: [] },
        { eval_time: '40m', alertname: 'Stalled', exp_alerts: [{ exp_labels: { hash: String(index) } }] },
      ],
    })),
  })
  write('stalled.yaml', { rules: [{ name: 'stalled', on: 'transfer.stalled', with: { after: '30m' } }] })
  write('stalled.test.yaml', {
    rules: ['stalled.yaml'],
    tests: all.map((index) => ({
      name: `transfer ${index}`,
      inputs: [{ at: '0s', transfer: `w${index}` }],
      expect: [
        { at: '29m', firing: [], silent: true },
        { at: '40m', firing: [`stalled w${index}`] },
      ],
    })),
  })
  run('promtool', ['test', 'rules', join(folder, 'prometheus.test.yaml')], 'promtool: 200 rule tests')
  const own = [programPath, 'rules', 'test', join(folder, 'stalled.test.yaml')]
  run(process.execPath, own, 'spanwatch rules test: 200 rule tests')
  rmSync(folder, { recursive: true, force: true })
}

function run(program: string, args: readonly string[], name: string): void {
  const begun = performance.now()
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ended with ${status}:\n${stdout}${stderr}`)
  note({ name, value: performance.now() - begun, unit: 'ms' })
}

async function compareReceipts(): Promise<void> {
  const node = fork(fileURLToPath(import.meta.url), ['node'])
  const url = `http://127.0.0.1:${Number(await new Promise<unknown>((resolve) => node.once('message', resolve)))}`
  const hashes = Array.from(
    { length: receipts },
    (_, index) => `0x${index.toString(16).padStart(64, '0')}` as const,
  )
  try {
    const plain = createPublicClient({ transport: http(url) })
    await measure('viem: a loop over receipts, one after the other', async () => {
      for (const hash of hashes) await plain.getTransactionReceipt({ hash })
    })
    const batched = createPublicClient({ transport: http(url, { batch: { batchSize: 50 } }) })
    await measure('viem: the same in batches of 50', async () => {
      for (let first = 0; first < receipts; first += 50)
        await Promise.all(
          hashes.slice(first, first + 50).map((hash) => batched.getTransactionReceipt({ hash })),
        )
    })
    const rpc = createRpc({ source: 'canonical', url, clock: createSystemClock() })
    await measure('spanwatch: the same, read and checked', async () => {
      for (let first = 0; first < receipts; first += 50)
        await rpc.callMany(
          hashes
            .slice(first, first + 50)
            .map((hash) => ({ method: 'eth_getTransactionReceipt' as const, params: [hash] as [string] })),
          { signal: new AbortController().signal },
        )
    })
  } finally {
    node.kill()
  }
}

async function measure(name: string, work: () => Promise<void>): Promise<void> {
  const begun = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(begun)
  note({ name, value: (user + system) / receipts, unit: 'µs of CPU time each' })
}

/** A node that knows every transaction: each moved one token. */
function serveNode(): void {
  const address = (digit: string) => `0x${digit.repeat(40)}`
  const toReceipt = (hash: string) => ({
    transactionHash: hash,
    transactionIndex: '0x0',
    blockHash: `0x${'b'.repeat(64)}`,
    blockNumber: '0x10',
    from: address('1'),
    to: address('2'),
    cumulativeGasUsed: '0x5208',
    gasUsed: '0x5208',
    effectiveGasPrice: '0x1',
    contractAddress: null,
    logsBloom: `0x${'0'.repeat(512)}`,
    status: '0x1',
    type: '0x2',
    logs: [
      {
        address: address('c'),
        topics: [
          '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
          `0x${'1'.repeat(40).padStart(64, '0')}`,
          `0x${'2'.repeat(40).padStart(64, '0')}`,
        ],
        data: `0x${'1'.padStart(64, '0')}`,
        blockNumber: '0x10',
        blockHash: `0x${'b'.repeat(64)}`,
        transactionHash: hash,
        transactionIndex: '0x0',
        logIndex: '0x0',
        removed: false,
      },
    ],
  })
  interface Call {
    readonly id: number
    readonly params: readonly string[]
  }
  const answer = ({ id, params }: Call) => ({ jsonrpc: '2.0', id, result: toReceipt(params[0] ?? '') })
  const server = createServer((request, response) => {
    json(request).then(
      (body) => {
        // What the clients of this bench send.
        const calls = body as Call | Call[]
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(Array.isArray(calls) ? calls.map(answer) : answer(calls)))
      },
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}
