import { describe, expect, test } from 'vitest'
import { toDecimal } from '../../../../src/bridge/decimal.ts'
import type { LegEvidence, Transfer } from '../../../../src/bridge/transfer.ts'
import { type Around, findPayouts, findRivals } from '../../../../src/web/gate/findPayouts.ts'
import { gateNow, payable } from '../../../support/gateFacts.ts'
import { hash } from '../../../support/records.ts'

const main = { chain: 'main', hash: hash('payout'), height: 800, time: gateNow - 60_000 } as const
const nothing: Around = { named: [], sharing: [payable], strays: [], leaving: [] }
const find = (around: Partial<Around>, transfer: Partial<Transfer> = {}) =>
  findPayouts({ ...payable, ...transfer }, { ...nothing, ...around }).map((one) => [one.hash, one.isCertain])
const said = (status: LegEvidence['status']): LegEvidence => ({
  chain: 'main',
  hash: main.hash,
  source: 'E13',
  at: gateNow,
  status,
  errorMessage: '',
  moves: null,
})
const other = (change: Partial<Transfer>): Transfer => ({ ...payable, key: 't2', id: 'w2', main, ...change })

describe('its own record', () => {
  const named = [{ hash: main.hash, source: 'E3', at: gateNow }]
  test('names the payout', () => expect(find({}, { main })).toEqual([[main.hash, true]]))
  test('named one before, and the chain has it', () =>
    expect(find({ named }, { evidence: [said('success')] })).toEqual([[main.hash, true]]))
  test('named one before, and nobody was asked about it', () =>
    expect(find({ named })).toEqual([[main.hash, false]]))
  test.each(['failed', 'absent'] as const)('named one before, and the chain says that it is %s', (status) =>
    expect(find({ named }, { evidence: [said(status)] })).toEqual([]),
  )
  test('is of an origin that was paid before the ledger begins', () => {
    const evidence = [{ ...said('success'), chain: 'zone', hash: hash('zone'), paidIn: hash('old') } as const]
    expect(find({}, { evidence })).toEqual([[hash('old'), true]])
  })
})

describe('another transfer of the same origin that was paid', () => {
  const paid = (change: Partial<Transfer>) => find({ sharing: [payable, other(change)] })
  test('is the same item', () => expect(paid({ zoneEventIndex: '0' })).toEqual([[main.hash, true]]))
  test('is the same by its id', () =>
    expect(paid({ id: 'w1', zoneEventIndex: null })).toEqual([[main.hash, true]]))
  test('is another item', () => expect(paid({ zoneEventIndex: '1' })).toEqual([]))
  test('may be either, while no index is known', () =>
    expect(paid({ zoneEventIndex: null })).toEqual([[main.hash, false]]))
  test('names it by its event alone', () => {
    const claim = { hash: hash('zone'), proof: 'open' } as const
    expect(paid({ zone: null, zoneEventIndex: null, claim, isListed: false })).toEqual([[main.hash, true]])
  })
  test('goes the other way', () => expect(paid({ direction: 'MainToZone' })).toEqual([]))
  test('is another row of one batch', () => {
    const batch = { crossType: 'BatchWithdraw' }
    const row = other({ ...batch, amountRaw: 7n })
    expect(find({ sharing: [payable, row] }, batch)).toEqual([])
    expect(find({ sharing: [payable, { ...row, amountRaw: payable.amountRaw }] }, batch)).toEqual([
      [main.hash, true],
    ])
  })
})

describe('a payout of no known origin', () => {
  const stray = (change: Partial<Transfer>) =>
    find({ strays: [other({ zone: null, state: 'unbacked', ...change })] })
  test('to the same recipient, of the same token', () => expect(stray({})).toEqual([[main.hash, false]]))
  test('of another amount all the same', () =>
    expect(stray({ amountRaw: 1n, amount: '0.000001' })).toHaveLength(1))
  test('of another token', () => {
    expect(stray({ token: { ...payable.token, address: '0xdd' } })).toEqual([])
    expect(stray({ token: { ...payable.token, address: '', isUnknown: true } })).toHaveLength(1)
  })
  test('of before value left', () => {
    expect(stray({ main: { ...main, time: payable.originAt - 1 } })).toEqual([])
    expect(stray({ main: { ...main, time: null } })).toHaveLength(1)
  })
  test('that has an origin by now', () => expect(stray({ zone: payable.zone })).toEqual([]))
})

describe('money that left the escrow unexplained', () => {
  const leave = (party: string, amount: string, at = gateNow) =>
    find({
      leaving: [{ hash: main.hash, at, party, outward: toDecimal(amount) ?? { digits: 0n, scale: 0 } }],
    })
  test('to its recipient, however much', () =>
    expect(leave(payable.targetAddress, '9')).toEqual([[main.hash, false]]))
  test('to nobody known', () => expect(leave('', '9')).toHaveLength(1))
  test('just as much, to whomever', () => {
    expect(leave('0x99', '1.50')).toHaveLength(1)
    expect(leave('0x99', '1.51')).toEqual([])
  })
  test('before value left', () => expect(leave('', '9', payable.originAt - 1)).toEqual([]))
})

test('what has the same origin and is not paid is a rival, unless it is another item', () => {
  const rivals = (change: Partial<Transfer>) =>
    findRivals(payable, [payable, other({ main: null, ...change })])
  expect(rivals({ zoneEventIndex: '0' })).toEqual([{ key: 't2', isSame: true }])
  expect(rivals({ zoneEventIndex: null })).toEqual([{ key: 't2', isSame: false }])
  expect(rivals({ zoneEventIndex: '1' })).toEqual([])
  expect(rivals({ main, zoneEventIndex: '0' })).toEqual([])
})
