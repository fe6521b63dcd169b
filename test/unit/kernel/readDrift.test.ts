import { describe, expect, test } from 'vitest'
import { readDrift } from '../../../src/kernel/sharedFacts.ts'
import { createMismatchLog } from '../../../src/clients/explorer/mismatchLog.ts'
import { escrowShortfall } from '../../../src/checks/escrow/shortfall.ts'
import { sourceDrift } from '../../../src/checks/sources/drift.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { recordQuarantine } from '../../../src/kernel/reads/quarantine.ts'
import { toFacts, toHolding } from '../rules/facts.ts'

const now = 600_000
const outside = 'answers another question: txid 0xaa was asked for, 0xbb came'
const unreadable = 'valueRaw: expected a decimal uint256, got a number'

/** What is said of an escrow that is short, while E3 had these problems, the last of them newest. */
function judge(of: {
  readonly set?: readonly string[]
  readonly answers?: readonly string[]
  /** When the newest whole reading of the list began. */
  readonly readAt?: number
}) {
  const db = openDatabase(':memory:')
  const mismatches = createMismatchLog()
  for (const [n, problem] of (of.set ?? []).entries())
    recordQuarantine(db, [{ endpoint: 'E3', problem, raw: `row ${n}` }], now - 1_000 + n)
  for (const problem of of.answers ?? []) mismatches.note('E3', now, problem)
  const drift = readDrift({ db, explorer: { mismatches }, list: { readAt: of.readAt ?? null } }, 0)
  const facts = toFacts(now, {
    drift,
    escrow: { moves: [], sums: [], unjudged: [], holdings: [toHolding({ judged: short })], headroom: [] },
  })
  return {
    short: escrowShortfall.judge(facts, escrowShortfall.params.parse({})),
    drifting: sourceDrift.judge(facts, sourceDrift.params.parse({})).findings,
  }
}

const short = { owed: 100n, holdings: 90n, openOut: 0n, height: 5, at: now }

describe('an escrow that is short', () => {
  test.each([
    ['whole answers', { answers: [outside] }],
    ['rows among others', { set: [outside], answers: [outside] }],
  ])('is told where E3 ignores a filter, in %s: they say nothing of the amounts of the list', (_, of) => {
    const { short, drifting } = judge(of)
    expect(short.findings).toHaveLength(1)
    expect(drifting).toHaveLength(1)
  })

  test.each([
    ['an amount that cannot be read', { set: [unreadable] }],
    ['such an amount, and newer rows outside a filter', { set: [unreadable, outside], answers: [outside] }],
    [
      'another page than was asked for',
      { answers: ['is of another page: page 2 was asked for, page 1 came'] },
    ],
  ])('cannot be told of while the list has %s', (_, of) => {
    const { short, drifting } = judge(of)
    expect(short).toMatchObject({ findings: [], unknown: ['0xt1'], blind: [] })
    expect(drifting).toHaveLength(1)
  })

  test('is told once the list was read whole after another page came than was asked for, and not before', () => {
    const answers = ['is of another page: page 2 was asked for, page 1 came']
    expect(judge({ answers, readAt: now }).short.findings).toEqual([])
    expect(judge({ answers, readAt: now + 1 }).short.findings).toHaveLength(1)
    expect(judge({ answers, set: [unreadable], readAt: now + 1 }).short.findings).toEqual([])
  })
})

test('of rows that could not be read each hash is named once, by when it was first seen; of those outside a filter none', () => {
  const db = openDatabase(':memory:')
  const [first, second] = ['1', '2'].map((digit) => `0x${digit.repeat(64)}`)
  const put = (endpoint: string, raw: string, at: number, problem = unreadable) =>
    recordQuarantine(db, [{ endpoint, problem, raw }], at)
  put('E3', `{"txId":"${first}","topics":["0x${'4'.repeat(64)}"]}`, 1_000)
  put('E3', `{"mainTxHash":"${first}","zoneTxHash":"${second}"}`, 2_000)
  put('E3', `{"mainTxHash":"0x${'3'.repeat(64)}"}`, 3_000, outside)
  put('E5', `{"hash":"${first}"}`, 4_000)
  const drift = readDrift({ db, explorer: { mismatches: createMismatchLog() }, list: { readAt: null } }, 0)
  expect(drift.map(({ endpoint, named }) => [endpoint, named])).toEqual([
    [
      'E3',
      [
        { hash: first, at: 1_000 },
        { hash: second, at: 2_000 },
      ],
    ],
    ['E5', []],
  ])
})
