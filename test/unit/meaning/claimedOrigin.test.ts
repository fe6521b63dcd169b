import { createMostKept } from '../../../src/meaning/mostKept.ts'
import { describe, expect, test } from 'vitest'
import { isClaimFree, proveClaim } from '../../../src/meaning/claimedOrigin.ts'
import { findPartner } from '../../../src/checks/escrow/explaining/explain.ts'
import { isDisproved } from '../../../src/checks/escrow/flows/judgeFlow.ts'
import type { LegEvidence, Transfer } from '../../../src/bridge/transfer.ts'
import { toRecord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

const said = (overrides: Partial<LegEvidence> = {}): LegEvidence => ({
  chain: 'zone',
  hash: '0x0a',
  source: 'E9',
  at: 1,
  status: 'success',
  errorMessage: '',
  moves: null,
  amount: '100',
  actionType: 'withdraw',
  ...overrides,
})
const isWithdraw = (type: string) => type === 'withdraw'
const prove = (evidence: Partial<LegEvidence> | null, amount = '100') =>
  proveClaim('0x0a', { amount, amountRaw: null }, evidence === null ? [] : [said(evidence)], isWithdraw).proof

const none = createMostKept([])

describe('semantics.md 43: what the zone says of the origin that a payout names', () => {
  test.each([
    ['nothing was asked', null, '100', 'open'],
    ['a withdrawal of so much', {}, '100', 'proven'],
    ['a withdrawal of more, by a fee', {}, '99.5', 'proven'],
    ['a withdrawal of less', {}, '100.000001', 'refuted'],
    ['a withdrawal of an amount that it does not say', { amount: null }, '100', 'unsaid'],
    ['something else', { actionType: 'trade' }, '100', 'refuted'],
    ['it failed', { status: 'failed' }, '100', 'refuted'],
    ['it is not there', { status: 'absent' }, '100', 'refuted'],
    ['an empty status', { status: 'unknown' }, '100', 'open'],
  ] as const)('%s', (_, evidence, amount, proof) => {
    expect(prove(evidence, amount)).toBe(proof)
  })
})

const payout = (key: string, value: string, mainHash: string): Transfer => {
  const event = toRecord({ source: 'chain', direction: 'ZoneToMain', zoneHash: '0x0a', mainHash, value })
  return { ...transferOf([event]), key, amount: value, amountRaw: null, evidence: [said()] }
}

describe('one origin proves one payout', () => {
  test('one that nobody else names is free', () => {
    expect(isClaimFree(payout('t1', '60', '0x01'), [payout('t1', '60', '0x01')])).toBe(true)
  })

  test('of two that come to more than it brought neither is', () => {
    const [a, b] = [payout('t1', '60', '0x01'), payout('t2', '40', '0x02')]
    expect(isClaimFree(a, [a, b])).toBe(true)
    expect(isClaimFree(a, [a, payout('t2', '40.1', '0x02')])).toBe(false)
  })

  test('its own action, as the zone alone shows it, takes nothing of it', () => {
    const seen = toRecord({ source: 'chain', direction: 'ZoneToMain', zoneHash: '0x0a', value: '60' })
    const action: Transfer = { ...transferOf([seen]), key: 't2', main: null, amount: '60', amountRaw: null }
    const own = payout('t1', '60', '0x01')
    expect([action.isListed, isClaimFree(own, [own, action])]).toEqual([false, true])
  })

  test('what a record names is paid there', () => {
    const listed = { ...payout('t2', '1', '0x02'), isListed: true }
    expect(isClaimFree(payout('t1', '60', '0x01'), [listed])).toBe(false)
  })
})

test('a proven claim stands behind its payout, a refuted one does not', () => {
  const of = (proof: 'proven' | 'refuted') =>
    isDisproved({ ...payout('t1', '60', '0x01'), claim: { hash: '0x0a', proof } })
  expect([of('proven'), of('refuted')]).toEqual([false, true])
})

describe('the one withdrawal that a movement may be the payout of', () => {
  const onItsWay = (key: string, amount: string, targetAddress = '0xbb'): Transfer => ({
    ...transferOf([toRecord({ direction: 'ZoneToMain', zoneHash: '0x0a', mainHash: null, targetAddress })]),
    key,
    amount,
  })
  const flow = { token: '0xcc', outward: { digits: 5n, scale: 0 }, party: '0xbb' }

  test('fits by token, recipient and amount, and is the only one', () => {
    expect(findPartner(flow, [onItsWay('t1', '5'), onItsWay('t2', '6')], none)?.key).toBe('t1')
    expect(findPartner(flow, [onItsWay('t1', '5'), onItsWay('t2', '5.0')], none)).toBeNull()
    expect(findPartner(flow, [onItsWay('t1', '5', '0xdd')], none)).toBeNull()
  })

  test('may be more by the fee that is configured, never less', () => {
    const fees = [{ token: '0xcc', direction: 'ZoneToMain' as const, max: '1' }]
    expect(findPartner(flow, [onItsWay('t1', '6')], createMostKept(fees))?.key).toBe('t1')
    expect(findPartner(flow, [onItsWay('t1', '6.1')], createMostKept(fees))).toBeNull()
    expect(findPartner(flow, [onItsWay('t1', '4.9')], createMostKept(fees))).toBeNull()
  })
})
