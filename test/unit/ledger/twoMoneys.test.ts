import { describe, expect, test } from 'vitest'
import { judgeMoney } from '../../../src/meaning/judgeMoney.ts'
import type { Observation } from '../../../src/bridge/observation.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import type { EvidenceReading } from '../../../src/ledger/evidence/evidence.ts'
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts'
import { hash, toRecord } from '../../support/records.ts'

// A relayer pays a token and the chain's own currency in one transaction. The lists of token transfers do not show the
// one, those of calls within it not the other.

const noContract = `0x${'0'.repeat(40)}`
const inToken = toRecord({ id: 'token' })
const inCoin = toRecord({ id: 'coin', token: noContract, tokenType: '', zoneHash: hash('zone2') })
const move = { from: '0xe5', to: '0xbb', amountRaw: 1_500_000n, amount: null, tokenId: '' }
const tokenMove = { ...move, token: '0xcc' }
const coinMove = { ...move, token: '' }

function reading(overrides: Partial<EvidenceReading>): EvidenceReading {
  return {
    chain: 'main',
    hash: hash('main'),
    source: 'E13',
    requestedAt: 1_001_000,
    status: 'success',
    errorMessage: '',
    moves: [tokenMove],
    ...overrides,
  }
}
const ofTokens = reading({})
const ofCalls = reading({ source: 'E15', moves: [coinMove] })

function setUp() {
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, {
    tokens: [{ address: '0xcc', symbol: 'USDC', decimals: 6 }],
    openIntervalMs: 10_000,
    evidence: { since: 0, holdMs: 15_000, wantsReceipt: null },
  })
  return { db, ledger }
}

const record = (ledger: Ledger, ...records: Observation[]) => ledger.recordAnswer(records, 1_000_000)
const asked = (db: Database) =>
  db
    .prepare("SELECT ask FROM evidence_queue WHERE ask <> 'zone' ORDER BY ask")
    .all()
    .map(({ ask }) => ask)
const settings = { fees: [], vaultsOf: () => [] }

/** What is said of the money of each, by its id. */
function judge(ledger: Ledger) {
  const all = ledger.listTransfers({ limit: 9 })
  const said = (transfer: Transfer) => {
    const gap = judgeMoney(transfer, all, settings)?.gap ?? null
    return gap === null || gap === 'covered' ? gap : gap.what
  }
  return Object.fromEntries(all.map((transfer) => [transfer.id, said(transfer)]))
}

describe('a payout in native currency beside one in a token', () => {
  test.each([
    [
      'a list of token transfers says nothing of the former',
      [inToken, inCoin],
      ofTokens,
      { token: 'covered', coin: null },
    ],
    [
      'a list of calls says nothing of the latter',
      [inCoin, inToken],
      ofCalls,
      { token: null, coin: 'covered' },
    ],
  ])('%s', (_, [first, second], answer, said) => {
    const { ledger } = setUp()
    record(ledger, first as Observation)
    ledger.recordEvidence([answer], 1_001_000)
    record(ledger, second as Observation)
    expect(judge(ledger)).toEqual(said)
  })

  test.each([
    ['native', inToken, inCoin, ofTokens],
    ['main', inCoin, inToken, ofCalls],
  ])(
    'is asked for by its own list (%s) though the transaction is known by the other',
    (ask, first, second, answer) => {
      const { db, ledger } = setUp()
      record(ledger, first)
      db.prepare('DELETE FROM evidence_queue').run()
      ledger.recordEvidence([answer], 1_001_000)
      record(ledger, second)
      expect(asked(db)).toContain(ask)
    },
  )

  test('is told when its own list shows that another amount moved', () => {
    const { ledger } = setUp()
    record(ledger, inToken, inCoin)
    const less = { ...ofCalls, requestedAt: 1_000_500, moves: [{ ...coinMove, amountRaw: 1n }] }
    ledger.recordEvidence([less, ofTokens], 1_001_000)
    expect(judge(ledger)).toEqual({ token: 'covered', coin: 'amount' })
  })

  test('is judged by an answer that shows everything', () => {
    const { ledger } = setUp()
    record(ledger, inToken, inCoin)
    const whole = reading({ source: 'E7', moves: [tokenMove], isWhole: true })
    ledger.recordEvidence([whole], 1_001_000)
    expect(judge(ledger)).toEqual({ token: 'covered', coin: 'token' })
  })

  test('has failed when either list says that the transaction did', () => {
    const { ledger } = setUp()
    record(ledger, inCoin)
    ledger.recordEvidence([reading({ status: 'failed', moves: [] })], 1_001_000)
    expect(ledger.listTransfers({ limit: 9 })[0]?.evidence).toMatchObject([{ status: 'failed' }])
  })
})

describe('what the node of the chain says goes before what the explorer says', () => {
  const receipt = (moves: EvidenceReading['moves']) =>
    reading({ source: 'canonical', requestedAt: 1_002_000, moves })
  test.each([
    ['as far as it can be read', [{ ...tokenMove, amountRaw: null }], 'covered'],
    ['where it says what moved', null, 'covered'],
    ['whatever it is', [], 'amount'],
    [
      'and an unread movement of another token is no reason to doubt it',
      [{ ...tokenMove, token: '0xdd', amountRaw: null }],
      'token',
    ],
  ])('%s', (_, moves, token) => {
    const { ledger } = setUp()
    record(ledger, inToken)
    ledger.recordEvidence([ofTokens, receipt(moves)], 1_002_000)
    expect(judge(ledger)).toEqual({ token })
  })
})
