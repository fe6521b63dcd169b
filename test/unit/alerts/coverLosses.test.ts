import { describe, expect, test } from 'vitest'
import { type Accusation, coverEscrow, coversTransfer, sawPayout } from '../../../src/alerts/joining.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { kinds } from '../../../src/checks/index.ts'
import { createCondition, createEvent } from './harness.ts'

// semantics.md 49: what was sent, beside what is about to be.

const token = `0x${'c'.repeat(40)}`
const mainHash = `0x${'3'.repeat(64)}`
const otherHash = `0x${'4'.repeat(64)}`

const accuse = (kind: string, finding: Finding): Accusation => ({
  severity: 'critical',
  finding: { ...finding, kind },
  kind: kinds.find(kind),
})
/** A payout of so much by the transaction of the movement, or another one. */
const payout = (amount: number, more: Partial<Transfer> = {}, facts: Finding['facts'] = {}) => ({
  ...createEvent(amount, {
    state: 'unbacked',
    status: 'success',
    main: { chain: 'main', hash: mainHash, height: 9, time: 1 },
    ...more,
  }),
  facts,
})
const unbacked = (amount: number, more: Partial<Transfer> = {}, facts: Finding['facts'] = {}) =>
  accuse('transfer.unbacked', payout(amount, more, facts))
const moved = (amount: string, facts: Finding['facts'] = {}) =>
  accuse(
    'escrow.drift',
    createCondition(`escrow:${mainHash}`, {
      labels: { chain: 'main', token },
      facts: { direction: 'out', amount, mainTxHash: mainHash, sum: '', ...facts },
    }),
  )
const lack = (missing: string) =>
  accuse('escrow.shortfall', createCondition('usdc', { labels: { token }, facts: { missing } }))

describe('semantics.md 49: of one transfer', () => {
  const mismatch = accuse('transfer.mismatch', payout(100))

  test('what ranks lower is said by what ranks higher, and by nothing else of its kind', () => {
    expect(coversTransfer(unbacked(100), mismatch)).toBe(true)
    expect(coversTransfer(mismatch, unbacked(100))).toBe(false)
    expect(coversTransfer(mismatch, { ...mismatch, severity: 'warning' })).toBe(false)
  })

  test('what is taken back says nothing of it any more', () => {
    expect(coversTransfer(unbacked(100, { originProof: 'proven' }, { reason: 'absent' }), mismatch)).toBe(
      false,
    )
  })
})

describe('semantics.md 49: what lacks at an escrow', () => {
  const largest = (told: readonly Accusation[], missing: string) => coverEscrow(told, lack(missing)).length

  test('is explained by a payout and its own movement once', () => {
    const told = [unbacked(100), moved('100')]
    expect([largest(told, '100'), largest(told, '100.000001')]).toEqual([1, 0])
    const apart = [unbacked(100), moved('100', { mainTxHash: otherHash })]
    expect([largest(apart, '200'), largest(apart, '200.000001')]).toEqual([2, 0])
  })

  test('what came in is explained by nothing that left', () => {
    expect(coverEscrow([unbacked(100)], moved('100'))).toHaveLength(1)
    expect(coverEscrow([unbacked(100)], moved('100', { direction: 'in' }))).toEqual([])
  })
})

describe('semantics.md 49: a movement that was sent before its payout was judged', () => {
  test('is that payout where a fee was kept from what its record says', () => {
    const move = { token, from: '0xe', to: '0xb', amountRaw: 98_500_000n, amount: null, tokenId: '' }
    const by = { chain: 'main', hash: mainHash, source: 'E13', at: 2, status: 'success' } as const
    const evidence = [{ ...by, errorMessage: '', moves: [move] }]
    expect(sawPayout(moved('98.5'), unbacked(100, { evidence }), [])).toBe(true)
    expect(sawPayout(moved('98.499999'), unbacked(100, { evidence }), [])).toBe(false)
    expect(sawPayout(moved('98.5'), unbacked(100), [])).toBe(false)
  })

  test('is that payout, and is none where it is a sum of several', () => {
    expect(sawPayout(moved('100'), unbacked(100), [])).toBe(true)
    expect(sawPayout(moved('100', { sum: '2 movements, 100 USDC' }), unbacked(100), [])).toBe(false)
  })

  test('has paid no more than it moved, together with what joined it already', () => {
    const first = unbacked(60, { key: 't1' })
    const second = unbacked(50, { key: 't2' })
    expect(sawPayout(moved('110'), second, [first])).toBe(true)
    expect(sawPayout(moved('109.999999'), second, [first])).toBe(false)
  })
})
