import { fc } from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../src/bridge/observation.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { hash, toPending, toRecord } from '../../support/records.ts'

function ledgerOf(...answers: Observation[][]) {
  const ledger = createLedger(openDatabase(':memory:'), { tokens: [], openIntervalMs: 10_000 })
  for (const answer of answers) ledger.recordAnswer(answer, answer[0]?.requestedAt ?? 0)
  return ledger.listTransfers({ limit: 1_000 })
}

/** The event of a bridge contract that the record of `toRecord` would have. */
function toEvent(overrides: Partial<Observation> = {}): Observation {
  return toRecord({
    source: 'chain',
    crossType: '',
    status: 'unknown',
    zoneHash: null,
    zoneHeight: null,
    zoneTime: null,
    from: '',
    to: '',
    sourceAddress: '',
    value: null,
    tokenType: '',
    tokenName: '',
    logIndex: '1',
    ...overrides,
  })
}

const deposit = { direction: 'MainToZone', crossType: 'Deposit' } as const

describe('a transfer that only an event of the chain tells of', () => {
  test('a deposit is pending, a payout has no origin (semantics 12)', () => {
    expect(ledgerOf([toEvent({ direction: 'MainToZone' })])).toMatchObject([
      { state: 'pending', isListed: false, main: { hash: hash('main') }, zone: null, amount: null },
    ])
    expect(ledgerOf([toEvent()])).toMatchObject([{ state: 'unbacked', isListed: false, zone: null }])
  })

  test('says nothing of the list, which may show none of them yet', () => {
    const ledger = createLedger(openDatabase(':memory:'), { tokens: [], openIntervalMs: 10_000 })
    ledger.recordAnswer([toEvent({ direction: 'MainToZone' })], 1_000_000)
    expect(ledger.hasListed()).toBe(false)
    ledger.recordAnswer([toRecord({ mainHash: hash('other'), id: 'x2' })], 1_000_000)
    expect(ledger.hasListed()).toBe(true)
  })

  test('a zone hash that a payout names is no origin leg', () => {
    expect(ledgerOf([toEvent({ zoneHash: hash('invented') })])).toMatchObject([
      { state: 'unbacked', zone: null },
    ])
  })

  test('its record joins it later, and says what holds (semantics 12)', () => {
    const [transfer, ...others] = ledgerOf(
      [toEvent({ direction: 'MainToZone', token: '' })],
      [toRecord({ ...deposit, id: 'x1', requestedAt: 1_050_000 })],
    )
    expect(others).toEqual([])
    expect(transfer).toMatchObject({
      key: 't1',
      id: 'x1',
      state: 'completed',
      isListed: true,
      amount: '1.5',
      token: { address: '0xcc' },
    })
  })

  test('a withdrawal that is listed without its payout takes the event that names its zone hash', () => {
    expect(ledgerOf([toPending()], [toEvent({ zoneHash: hash('zone') })])).toMatchObject([
      { state: 'completed', main: { hash: hash('main') } },
    ])
  })

  test('a payout that names the zone hash of a withdrawal to somebody else stands alone', () => {
    const forged = toEvent({ zoneHash: hash('zone'), targetAddress: '0xee' })
    expect(ledgerOf([toPending()], [forged]).map(({ state }) => state)).toEqual(['unbacked', 'pending'])
  })

  test('equal events of one transaction are several transfers, each with its record', () => {
    const events = ['1', '2', '3'].map((logIndex) => toEvent({ logIndex }))
    expect(ledgerOf(events)).toHaveLength(3)
    const records = ['a', 'b'].map((id) => toRecord({ id, requestedAt: 1_050_000 }))
    expect(
      ledgerOf(events, records)
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['completed', 'completed', 'unbacked'])
  })

  test('an event that tells another amount than the only record of its transaction is no second transfer', () => {
    expect(ledgerOf([toEvent()], [toRecord({ amountRaw: 1_490_000n, value: '1.49' })])).toMatchObject([
      { amount: '1.49', state: 'completed' },
    ])
  })

  test('the items of a batch may have an event each', () => {
    const items = ['1', '2'].map((tokenId) => toEvent({ logIndex: tokenId, tokenId, amountRaw: 5n }))
    expect(ledgerOf(items, [toRecord({ id: 'b', crossType: 'BatchWithdraw', amountRaw: 10n })])).toHaveLength(
      1,
    )
  })

  test('the order of events and records makes no difference', () => {
    const answers = [
      ['1', '2', '3'].map((logIndex) =>
        toEvent({ logIndex, zoneHash: logIndex === '1' ? hash('z1') : null }),
      ),
      [toRecord({ id: 'a', zoneHash: hash('z1') })],
      [toRecord({ id: 'b', zoneHash: hash('z2'), requestedAt: 1_001_000 })],
      [toPending({ zoneHash: hash('z1'), id: 'a' })],
    ]
    const digest = (order: Observation[][]) =>
      ledgerOf(...order)
        .map(({ state, id, isListed }) => `${state} ${id} ${isListed}`)
        .sort()
    fc.assert(
      fc.property(fc.shuffledSubarray(answers, { minLength: answers.length }), (order) => {
        expect(digest(order)).toEqual(digest(answers))
      }),
    )
  })
})

describe('a withdrawal that only its zone action tells of', () => {
  const action = toEvent({
    mainHash: null,
    mainHeight: null,
    mainTime: null,
    zoneHash: hash('zone'),
    zoneHeight: 5_000,
    zoneTime: 800_000,
    token: '',
    targetAddress: '',
    amountRaw: 9n,
    logIndex: '',
  })

  test('is pending by its zone leg', () => {
    expect(ledgerOf([action])).toMatchObject([
      { state: 'pending', isListed: false, zone: { hash: hash('zone') }, main: null },
    ])
  })

  test('is joined by its record, whatever amount that names', () => {
    expect(ledgerOf([action], [toRecord({ id: 'r', requestedAt: 1_050_000 })])).toMatchObject([
      { key: 't1', state: 'completed', isListed: true, amount: '1.5' },
    ])
  })

  test('is no further transfer where several records share its transaction', () => {
    const records = ['1', '2'].map((id) => toRecord({ id, zoneEventIndex: id, mainHash: hash(`m${id}`) }))
    expect(ledgerOf(records, [action])).toHaveLength(2)
  })
})
