import { kinds } from '../src/checks/index.ts'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runBacktest } from '../src/replay/backtest/runBacktest.ts'
import type { Observation } from '../src/bridge/observation.ts'
import { renderProblems } from '../src/lib/renderProblems.ts'
import { loadRules } from '../src/rules/loadRules.ts'
import { openDatabase } from '../src/store/database.ts'
import { noteCoverage } from '../src/kernel/running/coverage.ts'
import { home } from '../src/lib/home.ts'
import { purgeFlow } from '../src/ledger/amounts/flow.ts'
import type { EvidenceReading } from '../src/ledger/evidence/evidence.ts'
import { createLedger } from '../src/ledger/ledger.ts'

// A million transfers, 20 rules that are all judged: target 10 s; a month of what crosses by the shipped rules: 60 s. One in a thousand was late, one in a thousand failed,
// and a share of them has what second sources said, moves included. Usage: backtest.ts [transfers] [share with evidence].
const count = Number(process.argv[2] ?? 1_000_000)
const evidenceShare = Number(process.argv[3] ?? 0.1)
const token = `0x${'c0'.repeat(20)}`
const start = Date.UTC(2026, 0, 1)
const stepMs = 10_000
const bridge = {
  contracts: [],
  events: [],
  escrows: [],
  operators: [],
  probes: [],
  limits: [],
  stages: [],
  tokens: [{ address: token, symbol: 'USDC', decimals: 6 }],
  challenge: { known: [], terminal: [] },
  fees: [],
}

const events = [
  ...[
    'failed',
    'unbacked',
    'mismatch',
    'rewritten',
    'duplicate',
    'vanished',
    'out_of_order',
    'unknown_token',
  ].map((name) => `transfer.${name}`),
  'batch.unresolved',
  'batch.mismatch',
  'source.disagreement',
]
const minutes = [5, 10, 15, 20, 30, 45, 60, 90, 120]
const text = [
  'rules:',
  ...events.map((kind) => `  - { name: ${kind}, on: ${kind} }`),
  ...minutes.map(
    (after) => `  - { name: stalled-${after}, on: transfer.stalled, with: { after: ${after}m } }`,
  ),
]

const folder = mkdtempSync(join(tmpdir(), 'spanwatch-bench-'))
try {
  const path = join(folder, 'ledger.sqlite')
  fill(path)
  measure(path, text.join('\n'), '20 rules')
  const large = `  - { name: large, on: transfer.large, where: 'transfer.amount >= amount("999999")' }`
  measure(path, [...text.slice(0, -1), large].join('\n'), '20 rules, one of them on amounts')
  measure(
    path,
    readFileSync(join(home, 'rules/flow.yaml'), 'utf8'),
    'the shipped rules on what crosses, over 32 days',
  )
} finally {
  rmSync(folder, { recursive: true })
}

function fill(path: string): void {
  const began = performance.now()
  const db = openDatabase(path)
  db.prepare('PRAGMA synchronous = OFF').run()
  const ledger = createLedger(db, { tokens: bridge.tokens, openIntervalMs: 10_000 })
  for (let from = 0; from < count; from += 1_000) {
    db.transaction(() => {
      for (let n = from; n < Math.min(from + 1_000, count); n += 1) record(ledger, n)
    })
  }
  const end = start + count * stepMs
  noteCoverage(db, 'transfers', start, end)
  noteCoverage(db, 'transfers', end, end)
  // As the upkeep leaves it behind.
  db.transaction(() => purgeFlow(db, end, 10_000_000))
  db.close()
  const seconds = (performance.now() - began) / 1_000
  console.log(`${count} transfers written in ${seconds.toFixed(1)} s, ${evidenceShare * 100} % with evidence`)
}

function record(ledger: ReturnType<typeof createLedger>, n: number): void {
  const at = start + n * stepMs
  const isLate = n % 1_000 === 7
  const whole = toRecord(n, { at: isLate ? at + 2_000_000 : at })
  if (isLate)
    ledger.recordAnswer([{ ...whole, requestedAt: at, mainHash: null, mainHeight: null, mainTime: null }], at)
  ledger.recordAnswer([whole], whole.requestedAt)
  if (n % 1_000 < evidenceShare * 1_000) ledger.recordEvidence(toEvidence(whole), whole.requestedAt)
}

function toRecord(n: number, { at }: { readonly at: number }): Observation {
  // Hashes differ from their first bytes on, by which the ledger finds them.
  const hash = (name: string) => `0x${name}${n.toString(16).padStart(14, '0').padEnd(62, '0')}`
  return {
    source: 'E12',
    requestedAt: at,
    id: String(n),
    direction: 'ZoneToMain',
    crossType: 'Withdraw',
    status: n % 1_000 === 13 ? 'failed' : 'success',
    mainHash: hash('aa'),
    mainHeight: n,
    mainTime: at - 20_000,
    zoneHash: hash('bb'),
    zoneHeight: n * 10,
    zoneTime: start + n * stepMs - 60_000,
    from: '',
    to: '',
    sourceAddress: `0x${(n % 5_000).toString(16).padStart(40, '0')}`,
    targetAddress: `0x${(n % 5_000).toString(16).padStart(40, '0')}`,
    value: String((n % 1_000_000) + 1),
    amountRaw: BigInt((n % 1_000_000) + 1) * 1_000_000n,
    token,
    tokenType: 'ERC20',
    tokenId: '',
    tokenName: 'USD Coin',
    zoneEventIndex: '0',
    zoneBlockHash: null,
    batchDetail: null,
    updateTime: at - 10_000,
    pushHeight: null,
  }
}

function toEvidence({
  mainHash,
  zoneHash,
  requestedAt,
  targetAddress,
  amountRaw,
}: Observation): EvidenceReading[] {
  const shared = { requestedAt, status: 'success', errorMessage: '' } as const
  const move = { token, from: '', to: targetAddress, amountRaw, amount: null, tokenId: '' }
  return [
    { ...shared, chain: 'zone', hash: zoneHash ?? '', source: 'E9', moves: null },
    { ...shared, chain: 'main', hash: mainHash ?? '', source: 'E13', moves: [move] },
  ]
}

function measure(path: string, rules: string, name: string): void {
  const loaded = loadRules([{ path: 'bench.yaml', text: rules }], kinds)
  if (!loaded.ok) throw new Error(renderProblems(loaded.problems))
  const db = openDatabase(path, { readOnly: true })
  const ledger = createLedger(db, { tokens: bridge.tokens, openIntervalMs: 10_000 })
  const began = performance.now()
  const cpu = process.cpuUsage()
  const result = runBacktest({
    db,
    ledger,
    bridge,
    rules: loaded.rules,
    since: 0,
    until: start + count * stepMs,
  })
  const seconds = (performance.now() - began) / 1_000
  const used = process.cpuUsage(cpu).user / 1_000_000
  const told = result.rules.reduce((sum, one) => sum + one.told, 0)
  const megabytes = process.memoryUsage.rss() / 1_048_576
  console.log(
    `${name} (${loaded.rules.length}): ${seconds.toFixed(1)} s (${used.toFixed(1)} s of a core), ${result.replayed} of ${result.transfers} looked at in full, ${told} told, ${megabytes.toFixed(0)} MB resident`,
  )
  db.close()
}
