import { expect, test } from 'vitest'
import type { EvidenceReading } from '../../../../src/ledger/evidence/evidence.ts'
import { createLedger, type Ledger } from '../../../../src/ledger/ledger.ts'
import { walkHistory } from '../../../../src/ledger/transfers/history.ts'
import { hasAnswers, listAnswers } from '../../../../src/ledger/evidence/legAnswers.ts'
import { createSettling } from '../../../../src/ledger/transfers/repack.ts'
import { type Database, openDatabase } from '../../../../src/store/database.ts'
import { int } from '../../../../src/store/table.ts'
import { fc, timesOf } from '../../../support/fastCheck.ts'
import { hash, toPending, toRecord } from '../../../support/records.ts'

const settings = { tokens: [], openIntervalMs: 10_000 }
const ever = { before: Number.MAX_SAFE_INTEGER, shownBefore: Number.MAX_SAFE_INTEGER }
const user = `0x${'bb'.repeat(20)}`
const token = `0x${'aa'.repeat(20)}`

const record = (place: number, main = place) =>
  ({
    id: `r${place}`,
    zoneHash: hash(`zone ${place}`),
    mainHash: hash(`main ${main}`),
    sourceAddress: user,
    targetAddress: user,
    token,
    zoneEventIndex: String(place),
  }) as const

function answer(chain: 'zone' | 'main', place: number, at: number, status: 'success' | 'failed' = 'success') {
  const reading: EvidenceReading = {
    chain,
    hash: hash(`${chain} ${place}`),
    source: chain === 'zone' ? 'E9' : 'E13',
    requestedAt: at,
    status,
    errorMessage: status === 'failed' ? 'out of gas' : '',
    moves:
      chain === 'zone'
        ? null
        : [{ token, from: token, to: user, amountRaw: 1_500_000n, amount: null, tokenId: '' }],
    height: 500,
  }
  return reading
}

const countOf = (db: Database, name: string) => int.get(db, `SELECT count(*) FROM ${name}`)

function settleAll(db: Database): void {
  for (const settle = createSettling(db, 0); !settle(2); );
}

function open() {
  const db = openDatabase(':memory:')
  return { db, ledger: createLedger(db, settings) }
}

test('answers about a transfer that is over stand beside it, and say the same', () => {
  const { db, ledger } = open()
  ledger.recordAnswer([toRecord(record(1)), toRecord(record(2))], 1)
  ledger.recordEvidence([answer('zone', 1, 5), answer('main', 1, 6), answer('main', 2, 7)], 8)
  const [before] = [ledger.listTransfers({ limit: 9 })]
  settleAll(db)
  expect([countOf(db, 'leg_answers'), countOf(db, 'settled_answers'), hasAnswers(db)]).toEqual([0, 2, true])
  expect(createLedger(db, settings).listTransfers({ limit: 9 })).toEqual(before)
  expect(listAnswers(db, [hash('main 1')])).toMatchObject([{ chain: 'main', source: 'E13', at: 6 }])
})

test('the newest stay where they are looked for as such', () => {
  const { db, ledger } = open()
  ledger.recordAnswer(
    [1, 2, 3].map((place) => toRecord(record(place))),
    1,
  )
  ledger.recordEvidence(
    [1, 2, 3].map((place) => answer('zone', place, 5)),
    8,
  )
  createSettling(db, 2)(9)
  expect([countOf(db, 'leg_answers'), countOf(db, 'settled_answers')]).toEqual([2, 1])
})

test.each([
  ['failed', [toRecord({ ...record(1), status: 'failed' })]],
  [
    'shares its transactions with another',
    [toRecord(record(1)), toRecord({ ...record(1), id: 'r2', zoneEventIndex: '2' })],
  ],
])('those about a transfer that %s stay', (_, records) => {
  const { db, ledger } = open()
  ledger.recordAnswer(records, 1)
  ledger.recordEvidence([answer('zone', 1, 5), answer('main', 1, 6)], 8)
  settleAll(db)
  expect(countOf(db, 'settled_answers')).toBe(0)
})

test('of which something is asked, those stay', () => {
  const { db } = open()
  const evidence = { since: 0, holdMs: 15_000, wantsReceipt: null }
  const ledger = createLedger(db, { ...settings, evidence })
  ledger.recordAnswer([toRecord(record(1))], 1)
  ledger.recordEvidence([answer('zone', 1, 5)], 8)
  settleAll(db)
  expect(countOf(db, 'settled_answers')).toBe(0)
  db.prepare('DELETE FROM evidence_queue').run()
  settleAll(db)
  expect(countOf(db, 'settled_answers')).toBe(1)
})

test('a backtest looks at those of which more was said than that they succeeded, settled or not', () => {
  const { db, ledger } = open()
  ledger.recordAnswer(
    [1, 2, 3].map((place) => toRecord(record(place))),
    2_000_000,
  )
  ledger.recordEvidence([answer('zone', 1, 5), answer('main', 2, 6), answer('zone', 3, 7)], 2_000_000)
  const all = { until: 9_000_000, since: 0, all: false, slowMs: null, outOfOrder: false, batches: false }
  const filter = { ...all, tokens: null, evidence: true, shared: new Set<string>() }
  const looked = () => [...walkHistory(db, filter)].map(({ key }) => key)
  expect(looked()).toEqual([2])
  settleAll(db)
  expect([looked(), countOf(db, 'settled_answers')]).toEqual([[2], 3])
})

test('what waited is settled in a later round, and what stays is not looked at in each', () => {
  const { db, ledger } = open()
  ledger.recordAnswer(
    [toPending({ ...record(1), status: 'unknown' }), toRecord({ ...record(2), status: 'failed' })],
    1,
  )
  ledger.recordEvidence([answer('zone', 1, 5), answer('zone', 2, 5)], 8)
  const settle = createSettling(db, 0)
  expect([settle(9), countOf(db, 'settled_answers')]).toEqual([true, 0])
  ledger.recordAnswer([toRecord({ ...record(1), updateTime: 9 })], 9)
  expect([settle(9), settle(9)]).toEqual([false, true])
  expect([countOf(db, 'leg_answers'), countOf(db, 'settled_answers')]).toEqual([1, 1])
})

test('what is forgotten with its transfer is forgotten here', () => {
  const { db, ledger } = open()
  ledger.recordAnswer([toRecord(record(1))], 1)
  ledger.recordEvidence([answer('zone', 1, 5), answer('main', 1, 6)], 8)
  settleAll(db)
  expect(ledger.purge({ ...ever, limit: 10 })).toBe(1)
  expect([countOf(db, 'leg_answers'), countOf(db, 'settled_answers')]).toEqual([0, 0])
})

const places = fc.integer({ min: 0, max: 3 })
const chain = fc.constantFrom('zone' as const, 'main' as const)
const step = fc.oneof(
  fc.record({ do: fc.constant('record' as const), place: places, main: places, isPending: fc.boolean() }),
  fc.record({ do: fc.constant('answer' as const), chain, place: places, fails: fc.boolean() }),
  fc.record({ do: fc.constant('both' as const), place: places }),
  fc.record({ do: fc.constant('purge' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function take(ledger: Ledger, one: Step, at: number): void {
  switch (one.do) {
    case 'record': {
      const { place, main, isPending } = one
      const of = { ...record(place, main), updateTime: at }
      return void ledger.recordAnswer(
        [isPending ? toPending({ ...of, status: 'unknown' }) : toRecord(of)],
        at,
      )
    }
    case 'answer':
      return void ledger.recordEvidence(
        [answer(one.chain, one.place, at, one.fails ? 'failed' : 'success')],
        at,
      )
    case 'both':
      return void ledger.recordEvidence([answer('zone', one.place, at), answer('main', one.place, at)], at)
    case 'purge':
      return void ledger.purge({ ...ever, limit: 1 })
  }
}

const said = (db: Database, ledger: Ledger) => ({
  transfers: ledger.listTransfers({ limit: 99 }),
  answers: [0, 1, 2, 3]
    .flatMap((place) => [hash(`zone ${place}`), hash(`main ${place}`)])
    .map((name) =>
      listAnswers(db, [name]).map(({ chain: of, source, at, status, body }) => [
        of,
        source,
        at,
        status,
        body,
      ]),
    ),
})

test('whatever comes, a ledger that settles says what one says that does not', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
      const [plain, settling] = [open(), open()]
      for (const [index, one] of steps.entries()) {
        for (const { db, ledger } of [plain, settling]) db.transaction(() => take(ledger, one, 1_000 + index))
        settleAll(settling.db)
        expect(said(settling.db, settling.ledger)).toEqual(said(plain.db, plain.ledger))
      }
      for (const { db } of [plain, settling]) db.close()
    }),
    { numRuns: timesOf(150) },
  )
})
