import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Backtest } from '../../../src/replay/backtest/runBacktest.ts'
import type { Observation } from '../../../src/bridge/observation.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts'
import { createLearned } from '../../../src/ledger/lessons/learned.ts'
import { hash, toPending, toRecord } from '../../support/records.ts'
import { runCommand } from './testIo.ts'

const day = 86_400_000
const minute = 60_000
const start = Date.UTC(2026, 2, 1)
const usdc = `0x${'cc'.repeat(20)}`

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-backtest-'))
  mkdirSync(join(folder, 'state'))
  mkdirSync(join(folder, 'rules'))
  write(
    'spanwatch.yaml',
    `explorer: { baseUrl: "http://127.0.0.1:1/", chains: { main: A, zone: B } }
bridge: { tokens: [{ address: "${usdc}", symbol: USDC, decimals: 6 }] }
`,
  )
  write('rules/rules.yaml', rulesOf('10m'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

const rulesOf = (after: string) => `rules:
  - { name: stalled, on: transfer.stalled, with: { after: ${after} }, for: 1m, keepFiringFor: 2m, severity: critical }
  - { name: failed, on: transfer.failed, summary: "failed {{ transfer.amount }}" }
  - { name: rewritten, on: transfer.rewritten }
  - { name: halted, on: chain.stalled }
`

function fill(record: (ledger: Ledger, db: Database) => void): void {
  const db = openDatabase(join(folder, 'state', 'ledger.sqlite'))
  const tokens = [{ address: usdc, symbol: 'USDC', decimals: 6 }]
  const ledger = createLedger(db, { tokens, openIntervalMs: 10_000 })
  db.transaction(() => record(ledger, db))
  db.close()
}

/** A transfer of its own; times by our clock and the chains' are the same but for what is overridden. */
function named(n: number, overrides: Partial<Observation>): Partial<Observation> {
  return {
    id: `id${n}`,
    zoneHash: hash(`zone${n}`),
    mainHash: hash(`main${n}`),
    token: usdc,
    source: 'E12',
    ...overrides,
  }
}

function addPending(ledger: Ledger, n: number, of: { from: number; to: number | null }): void {
  const zoneTime = of.from
  const { mainHash: _, ...open } = named(n, { zoneTime, requestedAt: of.from })
  ledger.recordAnswer([toPending(open)], of.from)
  if (of.to === null) return
  ledger.recordAnswer(
    [toRecord(named(n, { zoneTime, mainTime: of.to, requestedAt: of.to, updateTime: of.to }))],
    of.to,
  )
}

async function run(...args: string[]) {
  const { exitCode, out, err } = await runCommand(['backtest', '-c', join(folder, 'spanwatch.yaml'), ...args])
  return { exitCode, out, err, json: (): Backtest => JSON.parse(out) }
}

const toldOf = (result: Backtest) => Object.fromEntries(result.rules.map(({ rule, told }) => [rule, told]))

test('a wait is told to the second once it and `for` are over, and one that ends a second before is not', async () => {
  fill((ledger) => {
    addPending(ledger, 1, { from: start, to: start + 11 * minute })
    addPending(ledger, 2, { from: start, to: start + 11 * minute + 2_000 })
    addPending(ledger, 3, { from: start + day, to: null })
  })
  const { exitCode, json } = await run('--json')
  const stalled = json().rules[0]
  const firstAt = stalled?.firstAt ?? 0
  expect([exitCode, stalled]).toMatchObject([
    0,
    { rule: 'stalled', told: 2, resolved: 1, days: { '2026-03-01': 1, '2026-03-02': 1 } },
  ])
  expect(firstAt - start - 11 * minute).toBeGreaterThanOrEqual(0)
  expect(firstAt - start - 11 * minute).toBeLessThanOrEqual(1_000)
})

test('a failure counts on the day on which it was first seen, and once; what it turned into is a correction', async () => {
  fill((ledger) => {
    const at = start + day
    const failed = named(1, {
      status: 'failed',
      zoneTime: start,
      mainTime: start + 1_000,
      requestedAt: at,
      updateTime: start,
    })
    ledger.recordAnswer([toRecord(failed)], at)
    ledger.recordAnswer([toRecord({ ...failed, requestedAt: at + minute })], at + minute)
    const mended = {
      ...failed,
      status: 'success',
      requestedAt: at + 2 * minute,
      updateTime: at + minute,
    } as const
    ledger.recordAnswer([toRecord(mended)], at + 2 * minute)
    ledger.recordAnswer([toRecord({ ...mended, requestedAt: at + 3 * minute })], at + 3 * minute)
  })
  const { json } = await run('--json', '--rule', 'failed')
  expect(json().rules).toMatchObject([
    { rule: 'failed', told: 1, corrected: 1, examples: [{ text: 'failed 1.5' }] },
  ])
})

test('what a second source said counts from its first answer on, however often it was asked since', async () => {
  write(
    'rules/rules.yaml',
    `rules:
  - { name: left, on: transfer.failed, where: "!facts.nothingLeft" }
  - { name: kept, on: transfer.failed, where: facts.nothingLeft }
`,
  )
  fill((ledger) => {
    const open = { ...named(1, { status: 'failed', zoneTime: start, requestedAt: start + 1_000 }) }
    delete open.mainHash
    const evidence = { chain: 'zone', hash: hash('zone1'), source: 'E9', status: 'failed' } as const
    ledger.recordAnswer([toPending({ ...open, source: 'E3' })], start + 1_000)
    for (const at of [start + 5_000, start + 2 * day])
      ledger.recordEvidence([{ ...evidence, requestedAt: at, errorMessage: '', moves: null }], at)
    ledger.recordAnswer([toPending({ ...open, requestedAt: start + 9_000 })], start + 9_000)
  })
  const told = Object.fromEntries(
    (await run('--json')).json().rules.map(({ rule, told, firstAt }) => [rule, [told, firstAt]]),
  )
  expect(told).toMatchObject({ left: [0, null], kept: [1, start + 5_000] })
})

test('what is kept as a learned fee is no mismatch', async () => {
  write('rules/rules.yaml', 'rules: [{ name: mismatch, on: transfer.mismatch }]')
  fill((ledger, db) => {
    const learned = createLearned(db)
    for (let n = 0; n < 30; n += 1) {
      const sample = { kind: 'fee', name: `ZoneToMain ${usdc}`, value: '2000' } as const
      learned.learn([sample], { hash: hash(`lesson${n}`), party: `0x${n}` }, start + n)
    }
    for (const [n, paid] of [1_499_000n, 1_400_000n].entries()) {
      const at = start + n * minute
      ledger.recordAnswer(
        [toRecord(named(n, { zoneTime: at - 20_000, mainTime: at - 10_000, requestedAt: at }))],
        at,
      )
      const move = { token: usdc, from: '', to: '0xbb', amountRaw: paid, amount: null, tokenId: '' }
      const of = { chain: 'main', hash: hash(`main${n}`), source: 'E13', status: 'success' } as const
      ledger.recordEvidence([{ ...of, requestedAt: at, errorMessage: '', moves: [move] }], at)
    }
  })
  const { rules } = (await run('--json', '--rule', 'mismatch')).json()
  expect(rules).toMatchObject([{ told: 1, examples: [{ text: expect.stringContaining('1.4') }] }])
})

test('a learned time is that of the day, not of what came later', async () => {
  const rule = 'with: { after: p99 * 3, floor: 1m, minSamples: 5, otherwise: 30d }'
  write('rules/rules.yaml', `rules: [{ name: slow, on: transfer.stalled, ${rule} }]`)
  fill((ledger) => {
    for (let n = 0; n < 10; n += 1)
      addPending(ledger, n, { from: start + n * minute, to: start + (n + 1) * minute })
    addPending(ledger, 10, { from: start + day, to: start + day + 30 * minute })
    for (let n = 20; n < 40; n += 1)
      addPending(ledger, n, { from: start + 2 * day, to: start + 2 * day + 80 * minute })
  })
  const { rules } = (await run('--json', '--rule', 'slow')).json()
  expect(rules).toMatchObject([{ told: 1, days: { '2026-03-02': 1 } }])
})

test('--since and --until choose what is counted, their beginning included and their end not', async () => {
  fill((ledger) => {
    for (const n of [0, 1, 2]) {
      const at = start + n * day
      ledger.recordAnswer(
        [toRecord(named(n, { status: 'failed', zoneTime: at - 2, mainTime: at - 1, requestedAt: at }))],
        at,
      )
    }
  })
  const args = ['--since', '2026-03-02T00:00:00Z', '--until', '2026-03-03T00:00:00Z']
  expect((await run('--json', ...args)).json().rules[1]).toMatchObject({ told: 1, days: { '2026-03-02': 1 } })
})

test('what history says nothing of is named, not counted as nothing', async () => {
  fill(() => undefined)
  const { out } = await run()
  expect(out).toContain(
    'not replayed\n  halted (chain.stalled): never: heads and blocks of the past are not kept\n',
  )
  expect(out).not.toMatch(/^\w+ +halted/m)
})

const flowRules = `rules:
  - { name: surge, on: flow.surge, with: { window: 10m, maxCount: 3 }, severity: warning }
  - { name: short, on: escrow.shortfall, severity: critical }
`

test('what crossed is judged from the oldest step on that is kept, and says from when on that is', async () => {
  write('rules/rules.yaml', flowRules)
  fill((ledger) => {
    for (let n = 0; n < 5; n += 1) {
      const at = start + n * minute
      ledger.recordAnswer(
        [toRecord(named(n, { zoneTime: at - 20_000, mainTime: at - 10_000, requestedAt: at }))],
        at,
      )
    }
  })
  const until = ['--until', '2026-03-01T01:00:00Z']
  const { out } = await run(...until)
  expect(out).toContain('warning  surge (flow.surge): raised 1\n')
  expect(out).toContain(
    '\n  can be replayed from 2026-02-28T23:59:40.000Z on: the facts kept reach back so far\n',
  )
  expect(out).toContain(
    'short (escrow.shortfall): not yet: nothing of what it is judged by was kept until now\n',
  )
  // The fourth arrived ten seconds before the fourth minute; it is raised at the next whole one.
  expect((await run('--json', '--rule', 'surge', ...until)).json().rules[0]).toMatchObject({
    from: start - 20_000,
    firstAt: start + 3 * minute,
  })
})

test('what lies before the oldest step that is kept is not judged as if nothing had crossed', async () => {
  write('rules/rules.yaml', flowRules)
  const of = { zoneTime: start - 20_000, mainTime: start - 10_000, requestedAt: start }
  fill((ledger) => ledger.recordAnswer([toRecord(named(1, of))], start))
  const { out } = await run('--until', '2001-01-01T00:00:00Z')
  expect(out).toMatch(
    /surge \(flow\.surge\): can be replayed from \S+ on: the facts kept reach back so far\n/,
  )
})

test('--rules compares with other rules, also as CSV', async () => {
  mkdirSync(join(folder, 'other'))
  write('other/rules.yaml', rulesOf('1h'))
  fill((ledger) => addPending(ledger, 1, { from: start, to: start + 30 * minute }))
  const other = ['--rules', join(folder, 'other'), '--rule', 'stalled']
  expect((await run(...other)).out).toContain('stalled (transfer.stalled): raised 1 now, 0 then')
  expect((await run(...other, '--csv')).out).toBe(
    'rule,kind,severity,day,told,told_changed\r\nstalled,transfer.stalled,critical,2026-03-01,1,0\r\n',
  )
})

test('a mistyped rule ends with 2 and what was meant', async () => {
  fill(() => undefined)
  const { exitCode, err } = await run('--rule', 'staled')
  expect([exitCode, err]).toEqual([
    2,
    expect.stringContaining('unknown rule `staled`, did you mean `stalled`?'),
  ])
})

test('transfers that are passed over by their row are those of which nothing would be told', async () => {
  const kinds = ['failed', 'unbacked', 'mismatch', 'rewritten', 'duplicate', 'out_of_order', 'unknown_token']
  const rules = [
    'rules:',
    ...kinds.map((kind) => `  - { name: ${kind}, on: transfer.${kind} }`),
    '  - { name: batch, on: batch.unresolved }',
    '  - { name: stalled, on: transfer.stalled, with: { after: 10m } }',
  ]
  fill((ledger) => {
    for (let n = 0; n < 300; n += 1) ledger.recordAnswer([toRecord(odd(n))], start + n * minute)
    for (let n = 0; n < 300; n += 40) {
      const reading = {
        chain: 'main',
        hash: hash(`main${n}`),
        source: 'E13',
        requestedAt: start + n * minute,
      } as const
      const moves = [
        {
          token: usdc,
          from: '',
          to: '0xbb',
          amountRaw: n === 80 ? 1n : 1_500_000n,
          amount: null,
          tokenId: '',
        },
      ]
      ledger.recordEvidence([{ ...reading, status: 'success', errorMessage: '', moves }], start + n * minute)
    }
  })
  write('rules/rules.yaml', rules.join('\n'))
  const chosen = (await run('--json')).json()
  // A rule on amounts has to look at every transfer.
  write(
    'rules/rules.yaml',
    [
      ...rules,
      `  - { name: never, on: transfer.large, where: 'transfer.amount > amount("1e9")' }`.replace(
        '1e9',
        '1000000000',
      ),
    ].join('\n'),
  )
  const every = (await run('--json')).json()
  expect([every.replayed, chosen.replayed < 200]).toEqual([300, true])
  const { never, ...rest } = toldOf(every)
  expect([never, rest]).toEqual([0, toldOf(chosen)])
  expect(rest).toMatchObject({
    failed: 5,
    mismatch: 1,
    out_of_order: 5,
    unknown_token: 2,
    batch: 5,
    stalled: 5,
  })
})

/** Well, but for some that are odd each in their own way. */
function odd(n: number): Partial<Observation> {
  const at = start + n * minute
  const well = named(n, { zoneTime: at - 20_000, mainTime: at - 10_000, requestedAt: at })
  switch (n % 60) {
    case 1:
      return { ...well, status: 'failed' }
    case 2:
      return { ...well, mainTime: at - 40_000 }
    case 3:
      return { ...well, token: `0x${'dd'.repeat(20)}` }
    case 4:
      return { ...well, crossType: 'BatchWithdraw', batchDetail: 'nonsense' }
    case 5:
      return { ...well, amountRaw: 15_000_000n }
    case 6:
      return { ...well, zoneTime: at - 3_600_000, mainTime: at - 1_800_000 }
    default:
      return { ...well, value: n % 2 === 0 ? '1.5' : '1.500000' }
  }
}
