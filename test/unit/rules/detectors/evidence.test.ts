import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../../src/bridge/observation.ts'
import type { LegEvidence, TokenMove } from '../../../../src/bridge/transfer.ts'
import type { EventContext } from '../../../../src/ledger/context.ts'
import { sourceDisagreement } from '../../../../src/checks/evidence/disagreement.ts'
import { transferMismatch } from '../../../../src/checks/transfers/mismatch.ts'
import { transferUnbacked } from '../../../../src/checks/transfers/unbacked.ts'
import { hash, toPending, toRecord } from '../../../support/records.ts'
import { eventContext, transferOf } from '../transfers.ts'

const zone = (status: LegEvidence['status'], more: Partial<LegEvidence> = {}): LegEvidence => ({
  chain: 'zone',
  hash: hash('zone'),
  source: 'E9',
  at: 1_000_000,
  status,
  errorMessage: '',
  moves: null,
  ...more,
})
const paid: TokenMove = {
  token: '0xcc',
  from: '0xe5',
  to: '0xbb',
  amountRaw: 1_500_000n,
  amount: null,
  tokenId: '',
}
const main = (status: LegEvidence['status'], more: Partial<LegEvidence> = {}): LegEvidence =>
  zone(status, {
    chain: 'main',
    hash: hash('main'),
    source: 'E13',
    moves: status === 'success' ? [paid] : null,
    ...more,
  })
const facts = (
  detector: typeof transferUnbacked,
  evidence: readonly LegEvidence[],
  record: Partial<Observation> = {},
  context: Partial<EventContext> = {},
) => detector.detect(transferOf([toRecord(record)], evidence), {}, eventContext(context))?.facts ?? null

test('an origin is proven by the node of its chain before the explorer', () => {
  const node = (status: LegEvidence['status']) => zone(status, { source: 'zoneRpc', moves: [] })
  const proofOf = (evidence: LegEvidence[]) => transferOf([toRecord({})], evidence).originProof
  expect(proofOf([zone('success'), node('absent')])).toBe('absent')
  expect(proofOf([zone('absent'), node('success')])).toBe('proven')
  expect(proofOf([zone('success'), node('failed')])).toBe('failed')
})

test.each([
  ['moved its token', [main('success')], 'proven'],
  ['moved another one', [main('success', { moves: [{ ...paid, token: '0xdd' }] })], 'unverified'],
  ['moved nothing', [main('success', { moves: [] })], 'unverified'],
  ['does not say how it ended', [main('unknown')], 'unverified'],
  ['failed', [main('failed')], 'failed'],
  ['is another one', [main('success', { hash: hash('other') })], 'unverified'],
] as const)('the origin of a deposit whose transaction %s (semantics 11)', (_, evidence, proof) => {
  const deposit = toRecord({ direction: 'MainToZone', crossType: 'Deposit' })
  expect(transferOf([deposit], evidence).originProof).toBe(proof)
})

describe('what disagrees is dated by the leg that does', () => {
  const record = { zoneTime: 300_000, mainTime: 800_000, requestedAt: 900_000 }
  const more = [{ ...paid, amountRaw: 2_000_000n }]
  const canonical = (status: LegEvidence['status']) => main(status, { source: 'canonical' })
  const sinceOf = (
    detector: typeof transferUnbacked,
    evidence: readonly LegEvidence[],
    of: Partial<Observation> = {},
  ) => detector.detect(transferOf([toRecord({ ...record, ...of })], evidence), {}, eventContext())?.since

  test('a payout of another amount, long after its origin', () => {
    expect(sinceOf(transferMismatch, [zone('success'), main('success', { moves: more })])).toBe(800_000)
    expect(sinceOf(sourceDisagreement, [main('success'), canonical('absent')])).toBe(800_000)
  })

  test('an origin that failed, beside a payout', () => {
    expect(sinceOf(transferMismatch, [zone('failed'), main('success')])).toBe(300_000)
  })

  test('never later than it was read, by a clock of the chain that is ahead', () => {
    const ahead = { mainTime: 5_000_000 }
    expect(sinceOf(transferMismatch, [main('success', { moves: more })], ahead)).toBe(900_000)
  })

  test('a leg whose block has no time, by its origin', () => {
    const untimed = { mainTime: null }
    expect(sinceOf(transferMismatch, [main('success', { moves: more })], untimed)).toBe(300_000)
  })
})

describe('transfer.unbacked', () => {
  const unnamed = { zoneHash: null, zoneHeight: null, zoneTime: null }
  test.each([
    ['an origin that is not there', [zone('absent', { reads: 3 })], {}, { reason: 'absent', reads: 3 }],
    ['an origin that failed', [zone('failed')], {}, { reason: 'failed' }],
    [
      'a record without an origin, after settling',
      [],
      { ...unnamed, requestedAt: 960_000 },
      { reason: 'unnamed' },
    ],
    [
      'a failed record without an origin whose payout is there',
      [main('success')],
      { ...unnamed, status: 'failed' as const, requestedAt: 960_000 },
      { reason: 'unnamed' },
    ],
  ])('%s', (_, evidence, record, expected) => {
    expect(facts(transferUnbacked, evidence, record)).toMatchObject(expected)
  })

  test.each([
    ['a proven origin', [zone('success')], {}, {}],
    ['an origin that nobody was asked of', [], {}, {}],
    ['a record without an origin, one moment before', [], { ...unnamed, requestedAt: 959_999 }, {}],
    ['a payout before anything was to be told', [zone('absent')], {}, { tellSince: 900_001 }],
    [
      'a failed record without an origin, of which nothing shows that it arrived',
      [],
      { ...unnamed, status: 'failed' as const, requestedAt: 960_000 },
      {},
    ],
    [
      'a record that does not say whether it has an origin',
      [],
      { ...unnamed, unsaid: 'zoneHash', requestedAt: 960_000 },
      {},
    ],
    [
      'no head has passed it yet',
      [],
      { ...unnamed, requestedAt: 960_000 },
      { watermark: 899_999, now: 1_049_999 },
    ],
  ])('silent: %s', (_, evidence, record, context) => {
    expect(facts(transferUnbacked, evidence, record, context)).toBeNull()
  })

  test.each([
    ['while the zone has not come so far', 899_999, null],
    ['no longer than that', 900_000, 'unnamed'],
  ])('a payout that fits the one withdrawal on its way waits %s (semantics 41)', (_, zoneAt, reason) => {
    const partner = transferOf([toPending({ zoneHash: hash('partner') })])
    const context = eventContext()
    const found = facts(
      transferUnbacked,
      [],
      { ...unnamed, requestedAt: 960_000 },
      {
        horizons: {
          main: 950_000,
          zone: zoneAt,
          list: 950_000,
          returnedAt: null,
          lateMs: null,
          lacksSince: null,
        },
        related: { ...context.related, joinedByAmount: () => partner },
      },
    )
    expect(found?.['reason'] ?? null).toBe(reason)
  })

  test('heads that lag beyond the cap are said, and no reason for silence', () => {
    const late = { watermark: 899_999, now: 1_050_000 }
    expect(facts(transferUnbacked, [], { ...unnamed, requestedAt: 960_000 }, late)).toMatchObject({
      reason: 'unnamed',
      listLags: true,
    })
  })

  test('the canonical chain goes before the explorer', () => {
    const origin = { direction: 'MainToZone' as const, crossType: 'Deposit' }
    const both = [main('success'), main('absent', { source: 'canonical' })]
    expect(facts(transferUnbacked, both, origin)).toMatchObject({ reason: 'absent', asked: 'canonical' })
    expect(facts(transferUnbacked, both.slice(0, 1), origin)).toBeNull()
  })
})

describe('transfer.mismatch', () => {
  test.each([
    ['a leg that failed', [main('failed')], { what: 'status', leg: 'main', found: '0x0' }],
    ['a payout that is not there', [main('absent')], { what: 'status', found: 'not known' }],
    ['nothing moved', [main('success', { moves: [] })], { what: 'amount', found: 'nothing moved' }],
    [
      'another amount by one unit',
      [main('success', { moves: [{ ...paid, amountRaw: 1_499_999n }] })],
      { what: 'amount', expected: '1.5', found: '1.499999' },
    ],
    ['another amount on the zone', [zone('success', { amountRaw: 1n, amount: '0.000001' })], { leg: 'zone' }],
  ])('%s', (_, evidence, expected) => {
    expect(facts(transferMismatch, evidence)).toMatchObject(expected)
  })

  test.each([
    ['the very amount', [main('success'), zone('success', { amountRaw: 1_500_000n })], {}],
    ['the zone counts in other units', [zone('success', { amountRaw: 15n, amount: '1.50' })], {}],
    ['a failed record with a good origin', [zone('success'), main('absent')], { status: 'failed' as const }],
    ['a source that does not say what moved', [main('success', { moves: null })], {}],
  ])('silent: %s', (_, evidence, record) => {
    expect(facts(transferMismatch, evidence, record)).toBeNull()
  })
})

describe('source.disagreement', () => {
  const canonical = (status: LegEvidence['status'], more: Partial<LegEvidence> = {}) =>
    main(status, { source: 'canonical', ...more })
  test.each([
    ['no transaction', canonical('absent'), { what: 'status', canonical: 'does not exist' }],
    ['a failed one', canonical('failed'), { what: 'status', canonical: 'failed' }],
    ['other movements', canonical('success', { moves: [{ ...paid, to: '0x99' }] }), { what: 'moves' }],
  ])('%s', (_, second, expected) => {
    expect(facts(sourceDisagreement, [main('success'), second])).toMatchObject(expected)
  })

  test('silent: the same in token units, with movements of other tokens', () => {
    const units = { ...paid, amountRaw: null, amount: '1.5' }
    const more = canonical('success', { moves: [paid, { ...paid, token: '0xdd' }] })
    expect(facts(sourceDisagreement, [main('success', { moves: [units] }), more])).toBeNull()
  })

  const node = (status: LegEvidence['status']) => zone(status, { source: 'zoneRpc', moves: [] })
  test.each([
    ['does not know', 'absent', 'does not exist'],
    ['knows as failed', 'failed', 'failed'],
  ] as const)('a zone transaction that the node of the zone %s', (_, status, says) => {
    expect(facts(sourceDisagreement, [zone('success'), node(status)])).toMatchObject({
      what: 'status',
      chain: 'zone',
      explorer: 'succeeded',
      node: says,
      asked: 'E9, zoneRpc',
    })
  })

  test('silent: both know the zone transaction, or one of them was not asked', () => {
    expect(facts(sourceDisagreement, [zone('success'), node('success')])).toBeNull()
    expect(facts(sourceDisagreement, [node('absent')])).toBeNull()
  })

  test('silent: the explorer cannot show a transaction that moved nothing', () => {
    expect(facts(sourceDisagreement, [main('absent'), canonical('success', { moves: [] })])).toBeNull()
  })

  describe('answers of two times', () => {
    const [before, after] = [main('success', { at: 1_000_000 }), canonical('absent', { at: 1_020_000 })]
    const said = (evidence: readonly LegEvidence[], now: number) =>
      facts(sourceDisagreement, evidence, {}, { now })

    test('the older one is waited for, and only so long', () => {
      expect(said([before, after], 1_139_999)).toBeNull()
      expect(said([before, after], 1_140_000)).toMatchObject({ what: 'status', unanswered: 'explorer' })
      expect(said([{ ...before, at: 1_040_000 }, after], 1_160_000)).toMatchObject({ unanswered: 'node' })
    })

    test('one that is the same before and after the other is of the same time', () => {
      const again = { ...before, at: 1_021_000, since: 1_000_000 }
      expect(said([again, after], 1_021_000)).toMatchObject({ what: 'status', node: 'does not exist' })
      expect(said([again, after], 1_021_000)).not.toHaveProperty('unanswered')
    })

    test('a leg of which they differ is not hidden by another that is waited for', () => {
      const other = [zone('success', { at: 1_000_000 }), zone('failed', { source: 'zoneRpc', at: 1_000_000 })]
      expect(said([before, after, ...other], 1_020_000)).toMatchObject({ chain: 'zone', what: 'status' })
    })
  })
})

describe('what a told mismatch was told by', () => {
  const canJudge = (
    told: { readonly what: string; readonly leg: string },
    evidence: readonly LegEvidence[],
    record: Partial<Observation> = {},
  ) => transferMismatch.canJudge?.(told, transferOf([toRecord(record)], evidence), eventContext())
  const amount = { what: 'amount', leg: 'main' }
  const failed = { status: 'failed' } as const

  test('can be compared while what it moved can be read, or is known to have moved nothing', () => {
    expect(canJudge(amount, [main('success')])).toBe(true)
    expect(canJudge(amount, [main('failed')])).toBe(true)
    expect(canJudge({ what: 'amount', leg: 'zone' }, [zone('success')])).toBe(true)
  })

  test('cannot be compared with movements that cannot be read, or are not known yet', () => {
    expect(canJudge(amount, [main('success', { moves: null })])).toBe(false)
    expect(canJudge(amount, [])).toBe(false)
  })

  test('cannot be compared with a record that failed while the payout stands', () => {
    for (const leg of ['main', 'zone'])
      expect(canJudge({ what: 'amount', leg }, [zone('success'), main('success')], failed)).toBe(false)
    expect(canJudge(amount, [zone('success'), main('failed')], failed)).toBe(true)
    expect(canJudge({ what: 'status', leg: 'main' }, [main('success')], failed)).toBe(true)
  })
})
