import { noAmount } from '../../../../src/bridge/decimal.ts'
import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { type LegEvidence, originLeg, type Transfer } from '../../../../src/bridge/transfer.ts'
import { batchMismatch } from '../../../../src/checks/transfers/batchMismatch.ts'
import { batchUnresolved } from '../../../../src/checks/transfers/batchUnresolved.ts'
import type { EventContext } from '../../../../src/ledger/context.ts'
import { transferDuplicate } from '../../../../src/checks/transfers/duplicate.ts'
import { transferLarge } from '../../../../src/checks/transfers/large.ts'
import { transferOutOfOrder } from '../../../../src/checks/transfers/outOfOrder.ts'
import { transferRewritten } from '../../../../src/checks/transfers/rewritten.ts'
import { transferUnknownToken } from '../../../../src/checks/transfers/unknownToken.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { eventContext, transferOf } from '../transfers.ts'

const proof = (name: string, overrides: Partial<LegEvidence> = {}): LegEvidence => ({
  chain: 'main',
  hash: hash(name),
  source: 'E13',
  at: 1_500_000,
  status: 'success',
  errorMessage: '',
  moves: null,
  ...overrides,
})
const move = (amountRaw: bigint, tokenId = '', to = '0xbb', from = '0xe5') => ({
  token: '0xcc',
  from,
  to,
  amountRaw,
  amount: null,
  tokenId,
})
/** A payout `name` of the event 1, proven unless told otherwise. */
const payout = (
  key: string,
  name: string,
  record: Partial<Observation> = {},
  evidence = [proof(name)],
): Transfer => ({
  ...transferOf(
    [toRecord({ source: 'E12', id: key, zoneEventIndex: '1', mainHash: hash(name), ...record })],
    evidence,
  ),
  key,
})
const among = (...all: Transfer[]): EventContext =>
  eventContext({
    related: {
      sharing: (chain, wanted) => all.filter((one) => one[chain]?.hash === wanted),
      allSharing: (chain, wanted) => all.filter((one) => one[chain]?.hash === wanted),
      ofOrigin: (wanted) => all.filter((one) => originLeg(one)?.hash === originLeg(wanted)?.hash),
      isFirstTo: () => true,
      joinedByAmount: () => null,
      firstOriginTime: () => null,
      escrowBalance: () => 1_000n,
      locked: () => noAmount,
    },
  })
const duplicates = (...all: Transfer[]) =>
  all.filter((one) => transferDuplicate.detect(one, {}, among(...all)) !== null).map(({ key }) => key)

describe('payouts of one origin', () => {
  const first = payout('t1', 'm1', { mainTime: 900_000 })
  const second = payout('t2', 'm2', { mainTime: 910_000 })

  test('beyond what it took are told, of the later one', () => {
    expect(duplicates(first, second)).toEqual(['t2'])
    expect(duplicates(second, first)).toEqual(['t2'])
  })

  test('are told once the earlier one was asked about anew, or could not be for two minutes', () => {
    const seenAt = 1_990_000
    const next = payout('t2', 'm2', { mainTime: 910_000, requestedAt: seenAt }, [
      proof('m2', { at: seenAt + 5_000 }),
    ])
    const told = (at: number, now: number) => {
      const one = payout('t1', 'm1', {}, [proof('m1', { at })])
      return transferDuplicate.detect(next, {}, { ...among(one, next), now }) !== null
    }
    expect(told(seenAt - 1, seenAt + 9_000)).toBe(false)
    expect(told(seenAt, seenAt + 9_000)).toBe(true)
    expect(told(seenAt - 1, seenAt + 119_999)).toBe(false)
    expect(told(seenAt - 1, seenAt + 120_000)).toBe(true)
  })

  test.each([
    ['unproven', payout('t2', 'm2', {}, [])],
    ['failed', payout('t2', 'm2', {}, [proof('m2', { status: 'failed' })])],
    ['of another event', payout('t2', 'm2', { zoneEventIndex: '2' })],
    ['of another token', payout('t2', 'm2', { token: '0xdd' })],
    [
      'by the same transaction, which moved it once',
      payout('t2', 'm1', {}, [proof('m1', { moves: [move(1_500_000n)] })]),
    ],
  ])('one of which is %s are not', (_, other) => {
    const one = payout('t1', 'm1', {}, [proof('m1', { moves: [move(1_500_000n)] })])
    expect(duplicates(one, other)).toEqual([])
  })

  test('of a batch shown as one row an item are not, and one row paid twice is', () => {
    const row = (key: string, name: string, tokenId: string, batchDetail: string | null) =>
      payout(key, name, {
        crossType: 'BatchWithdraw',
        tokenId,
        batchDetail,
        mainTime: 900_000 + Number(key.slice(1)),
      })
    const detail = '[{"tokenId":"7","amount":"1500000"},{"tokenId":"8","amount":"1500000"}]'
    for (const given of [detail, null]) {
      const rows = [row('t1', 'm1', '7', given), row('t2', 'm2', '8', given)]
      expect(duplicates(...rows)).toEqual([])
      expect(duplicates(...rows, row('t3', 'm3', '8', given))).toEqual(['t3'])
    }
  })

  test('are measured by what the zone transaction took, when it has one origin', () => {
    const took = (amountRaw: bigint) => ({
      ...proof('zone'),
      chain: 'zone' as const,
      source: 'E9' as const,
      amountRaw,
    })
    const parts = (amountRaw: bigint) =>
      ['m1', 'm2'].map((name, at) => payout(`t${at}`, name, {}, [proof(name), took(amountRaw)]))
    expect(duplicates(...parts(3_000_000n))).toEqual([])
    expect(duplicates(...parts(2_999_999n))).toEqual(['t1'])
  })

  test('are measured by their record beside another origin of the zone transaction, whose amount is for both', () => {
    const took = { ...proof('zone'), chain: 'zone' as const, source: 'E9' as const, amountRaw: 3_000_000n }
    const ofOne = ['m1', 'm2'].map((name, at) => payout(`t${at + 1}`, name, {}, [proof(name), took]))
    const other = payout('t3', 'm3', { zoneEventIndex: '2' }, [proof('m3'), took])
    expect(duplicates(...ofOne, other)).toEqual(['t2'])
  })

  test('are told once each: by their own names, and beside those by what the zone transaction took', () => {
    const took = { ...proof('zone'), chain: 'zone' as const, source: 'E9' as const, amountRaw: 1_500_000n }
    const paid = (n: number, zoneEventIndex: string) =>
      payout(`t${n}`, `m${n}`, { zoneEventIndex, mainTime: 900_000 + n }, [proof(`m${n}`), took])
    expect(duplicates(paid(1, '1'), paid(2, '1'), paid(3, '2'))).toEqual(['t2', 't3'])
    expect(duplicates(paid(1, '2'), paid(2, '1'), paid(3, '1'))).toEqual(['t2', 't3'])
  })

  test('are measured by their record where the zone names less than any of them: that is another unit', () => {
    const took = { ...proof('zone'), chain: 'zone' as const, source: 'E9' as const }
    const paid = (key: string, name: string, amountRaw: bigint) =>
      payout(key, name, {}, [proof(name), { ...took, amountRaw }])
    expect(duplicates(paid('t1', 'm1', 1n))).toEqual([])
    expect(duplicates(paid('t1', 'm1', 1n), paid('t2', 'm2', 1n))).toEqual(['t2'])
  })

  test('are measured by the record that was seen first: the later one needs explaining', () => {
    const of = (key: string, amountRaw: bigint, requestedAt: number) =>
      payout(key, `m${key}`, { amountRaw, value: null, requestedAt, mainTime: 900_000 })
    expect(duplicates(of('t1', 2_000_000n, 1_000_000), of('t2', 1_000_000n, 1_000_001))).toEqual(['t2'])
    expect(duplicates(of('t1', 1_000_000n, 1_000_000), of('t2', 2_000_000n, 1_000_001))).toEqual(['t2'])
  })

  test('for one deposit are told when it took less than was credited', () => {
    const credit = (key: string, zone: string, moved: bigint) =>
      payout(
        key,
        'm1',
        { direction: 'MainToZone', zoneHash: hash(zone), zoneTime: 950_000 + Number(key.slice(1)) },
        [
          proof('m1', { moves: [move(moved, '', '0x0a', '0xaa'), move(moved, '', '0xe5', '0x0a')] }),
          proof(zone, { chain: 'zone', source: 'E9' }),
        ],
      )
    expect(duplicates(credit('t1', 'z1', 1_500_000n), credit('t2', 'z2', 1_500_000n))).toEqual(['t2'])
    expect(duplicates(credit('t1', 'z1', 3_000_000n), credit('t2', 'z2', 3_000_000n))).toEqual([])
  })
})

describe('a record that names another payout', () => {
  const rewritten = (evidence: LegEvidence[]) =>
    transferOf(
      [
        toRecord({ source: 'E12', id: 'a', updateTime: 1_000_000 }),
        toRecord({
          source: 'E12',
          id: 'a',
          updateTime: 1_200_000,
          mainHash: hash('m2'),
          requestedAt: 1_300_000,
        }),
      ],
      evidence,
    )
  const told = (transfer: Transfer) =>
    [transferDuplicate, transferRewritten].flatMap(
      (one) => one.detect(transfer, {}, eventContext())?.kind ?? [],
    )

  test('is rewritten when the one before is gone or unknown, and paid twice when it still stands', () => {
    expect(told(rewritten([proof('main', { status: 'absent' })]))).toEqual(['transfer.rewritten'])
    expect(told(rewritten([]))).toEqual(['transfer.rewritten'])
    expect(told(rewritten([proof('main')]))).toEqual(['transfer.duplicate'])
  })

  test('is not paid twice by what was proven before it changed', () => {
    expect(told(rewritten([proof('main', { at: 1_000_000 })]))).toEqual(['transfer.rewritten'])
  })
})

describe('batches', () => {
  const batch = (
    batchDetail: string | null,
    evidence: LegEvidence[] = [],
    record: Partial<Observation> = {},
  ) =>
    payout(
      't1',
      'm1',
      { crossType: 'BatchWithdraw', amountRaw: 30n, value: '30', batchDetail, ...record },
      evidence,
    )
  const judge = (one: Transfer, ...others: Transfer[]) =>
    [batchUnresolved, batchMismatch]
      .map((kind) => kind.detect(one, {}, among(one, ...others)))
      .flatMap((finding) => (finding ? [finding.facts] : []))
  const detail = '{"ids":["7","8"],"amounts":["10","20"]}'

  test.each([
    ['adds up', batch(detail)],
    [
      'adds up in token units',
      batch('[{"id":"7","amount":"1.5"}]', [], { amountRaw: 1_500_000n, value: '1.5' }),
    ],
    ['has no detail', batch(null)],
    ['has no amount to compare', batch(detail, [], { amountRaw: null, value: null })],
    ['was moved', batch(detail, [proof('m1', { moves: [move(10n, '7'), move(20n, '8')] })])],
    ['was moved by a source without ids', batch(detail, [proof('m1', { moves: [move(10n), move(20n)] })])],
    ['is one row of its items', batch(detail, [], { amountRaw: 10n, value: '10', tokenId: '7' })],
    ['is another kind of transfer', batch('<junk>', [], { crossType: 'Withdraw' })],
  ])('one that %s is silent', (_, one) => {
    expect(judge(one)).toEqual([])
  })

  test('one unit off is told', () => {
    expect(judge(batch(detail.replace('"20"', '"19"')))).toMatchObject([{ itemSum: '29', recordSum: '30' }])
  })

  test('an item that was not moved is told by its id', () => {
    const moves = [move(10n, '7'), move(19n, '8')]
    expect(judge(batch(detail, [proof('m1', { moves })]))).toMatchObject([{ missing: '#8' }])
  })

  test('an unreadable one keeps its text', () => {
    expect(judge(batch('<batch of items>'))).toMatchObject([{ batchDetail: '<batch of items>' }])
  })
})

describe('times', () => {
  const facts = (record: Partial<Observation>, clockAheadMs = 0) =>
    transferOutOfOrder.detect(transferOf([toRecord(record)]), {}, eventContext({ clockAheadMs }))?.facts ??
    null

  test('two seconds before the origin are allowed, one millisecond more is told', () => {
    expect(facts({ mainTime: 798_000 })).toBeNull()
    expect(facts({ mainTime: 797_999 })).toEqual({ beforeOriginMs: 2_001, aheadMs: 0 })
  })

  test('the evidence says by how much as messages say a duration', () => {
    const found = transferOutOfOrder.detect(
      transferOf([toRecord({ mainTime: 710_000 })]),
      {},
      eventContext({}),
    )
    expect(found?.evidence).toMatchObject([
      { says: 'the destination leg is 1 min 30 s older than the origin leg' },
    ])
  })

  test('a deposit that was in order before its block was replaced is told once its origin is refuted, and no withdrawal is spared', () => {
    const deposit = { direction: 'MainToZone', mainTime: 810_000, zoneTime: 800_000 } as const
    const told = (record: Partial<Observation>, firstAt: number | null, proof = {}) =>
      transferOutOfOrder.detect(
        { ...transferOf([toRecord(record)]), ...proof },
        {},
        eventContext({ related: { ...eventContext().related, firstOriginTime: () => firstAt } }),
      ) !== null
    expect([null, 802_001, 802_000, 799_000].map((firstAt) => told(deposit, firstAt))).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect(told(deposit, 799_000, { originProof: 'absent' })).toBe(true)
    expect(told({ mainTime: 790_000, zoneTime: 800_000 }, 780_000)).toBe(true)
  })

  test('two seconds of the future are allowed, and what their clock is ahead by', () => {
    expect(facts({ mainTime: 2_002_000 })).toBeNull()
    expect(facts({ mainTime: 2_002_001 })).toEqual({ beforeOriginMs: 0, aheadMs: 2_001 })
    expect(facts({ mainTime: 2_002_001 }, 1)).toBeNull()
  })
})

describe('tokens', () => {
  const tokens = [{ address: '0xCC', symbol: 'USDC', decimals: 6 }]
  const facts = (record: Partial<Observation>, listed = tokens) =>
    transferUnknownToken.detect(
      transferOf([toRecord(record)]),
      {},
      eventContext({ bridge: { ...eventContext().bridge, tokens: listed } }),
    )?.facts ?? null

  test('an unlisted one is told, only where tokens are listed', () => {
    expect(facts({ token: '0xdd' })).toMatchObject({ token: '0xdd', problem: 'it is not listed' })
    expect(facts({ token: '0xdd' }, [])).toBeNull()
    expect(facts({ token: `0x${'ee'.repeat(20)}` })).toBeNull()
    expect(facts({})).toBeNull()
  })

  test('one with other decimals than listed is told', () => {
    expect(facts({ value: '0.15' })).toMatchObject({ decimals: 7, expectedDecimals: 6 })
  })
})

describe('amounts', () => {
  const large = (amountRaw: bigint, share?: number) =>
    transferLarge.detect(
      payout('t1', 'm1', { amountRaw, value: null }),
      share === undefined ? {} : { share },
      among(),
    )?.facts ?? null

  test('a share of the escrow is told above it, not at it', () => {
    expect(large(100n, 0.1)).toBeNull()
    expect(large(101n, 0.1)).toMatchObject({ sharePercent: 10, firstTimeRecipient: true })
  })

  test('without a share the rule chooses', () => {
    expect(large(1n)).toMatchObject({ escrowBalance: '1000' })
  })

  test('of before the first balance a deposit has a share of it, and a payout of it and of what it took from it', () => {
    const escrowBalance = (_token: string, at: number) => (at < 1_500_000 ? null : 1_000n)
    const late = eventContext({ related: { ...eventContext().related, escrowBalance } })
    const share = (direction: 'MainToZone' | 'ZoneToMain') =>
      transferLarge.detect(payout('t1', 'm1', { direction, amountRaw: 400n }), { share: 0.1 }, late)?.facts
        .sharePercent
    expect([share('MainToZone'), share('ZoneToMain')]).toEqual([40, 28])
  })

  test('of an empty escrow a payout is all there was, and a deposit no share that is known', () => {
    const empty = eventContext({ related: { ...eventContext().related, escrowBalance: () => 0n } })
    const share = (direction: 'MainToZone' | 'ZoneToMain') =>
      transferLarge.detect(payout('t1', 'm1', { direction }), { share: 0.1 }, empty)?.facts.sharePercent
    expect([share('ZoneToMain'), share('MainToZone')]).toEqual([100, undefined])
  })
})
