/**
 * How long the gate takes to answer over a ledger of so many transfers: `npm run bench:gate -- [transfers]`. Through the
 * whole of the web side, as a relayer asks, with nobody else asking: the target is 20 ms at the 99th percentile.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Observation } from '../src/bridge/observation.ts'
import { kinds } from '../src/checks/index.ts'
import { createSystemClock } from '../src/lib/clock.ts'
import { createSilentLog } from '../src/lib/log.ts'
import { createApp } from '../src/monitor/createMonitor.ts'
import { readRuleFolder } from '../src/rules/readRuleFolder.ts'
import { createWebApp } from '../src/web/createWebApp.ts'
import { createWebDeps } from '../src/web/views/createWebDeps.ts'
import { plainConfig } from '../test/support/appConfig.ts'
import { toPending } from '../test/support/records.ts'
import { fillLedger } from './support/fillLedger.ts'

const pending = 3_000
const rounds = 2_000
/** Of one recipient, and of one transaction: what a name may bring along. */
const crowd = { recipient: 40, batch: 10 }

const transfers = Number(process.argv[2] ?? 200_000)
const folder = mkdtempSync(join(tmpdir(), 'spanwatch-bench-'))
try {
  await measure()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function createPending(n: number, now: number): Observation {
  const hash = (side: string) => `0x${createHash('sha256').update(`${side} ${n}`).digest('hex')}`
  const isOfBatch = n < crowd.batch
  return toPending({
    requestedAt: now - 30_000,
    id: hash('a'),
    zoneHash: isOfBatch ? `0x${'b'.repeat(64)}` : hash('c'),
    zoneEventIndex: isOfBatch ? String(n) : '0',
    zoneHeight: 5_000_000,
    zoneTime: now - 60_000,
    source: 'E12',
    targetAddress: `0x${(n < crowd.recipient ? 1 : n).toString(16).padStart(40, '0')}`,
    token: `0x${'c'.repeat(40)}`,
    amountRaw: 1_000_000n + BigInt(n),
    value: null,
  })
}

async function measure(): Promise<void> {
  const clock = createSystemClock()
  const now = clock.now()
  fillLedger(folder, transfers, now - 600_000)
  const loaded = await readRuleFolder(join(import.meta.dirname, '../rules'), kinds)
  if (!loaded.ok) throw new Error('the shipped rules do not load')
  const deps = { clock, log: createSilentLog(), write: () => undefined, random: Math.random }
  const token = `0x${'c'.repeat(40)}`
  const bridge = {
    ...plainConfig.bridge,
    tokens: [{ address: token, symbol: 'USDC', decimals: 6 }],
    escrows: [{ address: `0x${'e'.repeat(40)}`, token, baseline: null }],
  }
  const app = createApp(deps, {
    config: { ...plainConfig, bridge, stateDir: folder },
    rules: loaded.rules,
    version: 'bench',
    adoptState: true,
  })
  const { parts } = app
  const records = Array.from({ length: pending }, (_, n) => createPending(n, now))
  for (let at = 0; at < records.length; at += 100) parts.commit({ answers: [records.slice(at, at + 100)] })
  const evidence = records.map(({ zoneHash }) => ({
    chain: 'zone' as const,
    hash: zoneHash ?? '',
    source: 'E9' as const,
    requestedAt: now,
    status: 'success' as const,
    errorMessage: '',
    moves: null,
  }))
  parts.commit({ evidence })
  const web = createWebApp(createWebDeps(deps, parts), { listenHost: '127.0.0.1', token: null })
  const ask = async (name: string) => {
    const startedAt = clock.monotonicMs()
    const response = await web.request(`http://127.0.0.1/api/transfers/${name}/verdict`)
    await response.text()
    if (response.status !== 200) throw new Error(`${name} answered ${response.status}`)
    return clock.monotonicMs() - startedAt
  }
  const completed = parts.db
    .prepare("SELECT zone_hash FROM transfers WHERE state = 'completed' ORDER BY key LIMIT ?")
    .all(rounds)
  const single = (n: number) => records[crowd.recipient + (n % (pending - crowd.recipient))]?.zoneHash ?? ''
  const questions: readonly (readonly [string, (n: number) => string])[] = [
    ['one that is pending', single],
    [
      'one of a busy recipient',
      (n) => records[crowd.batch + (n % (crowd.recipient - crowd.batch))]?.zoneHash ?? '',
    ],
    [`a transaction of ${crowd.batch}`, () => `0x${'b'.repeat(64)}`],
    ['one that was paid', (n) => String(completed[n % completed.length]?.['zone_hash'])],
    ['an unknown hash', (n) => `0x${n.toString(16).padStart(64, 'd')}`],
  ]
  const count = parts.db.prepare('SELECT count(*) AS count FROM transfers').get()?.['count']
  console.log(`the gate over ${Number(count).toLocaleString('en')} transfers, ms:`)
  for (const [title, nameOf] of questions) {
    const took: number[] = []
    for (let n = 0; n < rounds / (title.startsWith('a transaction') ? 10 : 1); n += 1)
      took.push(await ask(nameOf(n)))
    const sorted = took.toSorted((a, b) => a - b)
    const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2).padStart(7)
    console.log(`${title.padEnd(28)} p50 ${at(0.5)}  p99 ${at(0.99)}  most ${at(0.999999)}  (target 20)`)
  }
  await app.stop()
}
