import { expect, test } from 'vitest'
import type { LegEvidence, Transfer } from '../../../src/bridge/transfer.ts'
import { judgeMoney, sampleZone } from '../../../src/meaning/judgeMoney.ts'
import { toRecord, toZoneWord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

const wholes = 300
const payout = transferOf([toRecord()])

/** Equal payouts of one transaction, which moved another token for so many of them, and how often that is looked at. */
function createCrowd(paid: number) {
  let reads = 0
  const { targetAddress: to, amountRaw, amount } = payout
  const moves = Array.from({ length: paid }, () => ({
    token: '0xee',
    from: '0xe5',
    to,
    amountRaw,
    amount,
    tokenId: '',
  }))
  const evidence: LegEvidence = {
    chain: 'main',
    hash: payout.main?.hash ?? '',
    source: 'E13',
    at: 1,
    errorMessage: '',
    status: 'success',
    moves,
    isWhole: true,
  }
  const all = Array.from({ length: wholes }, (_, n): Transfer => {
    const one = { ...payout, key: `t${n}`, evidence: [evidence] }
    return Object.defineProperty(one, 'firstSeenAt', { enumerable: true, get: () => ((reads += 1), 1) })
  })
  const settings = { fees: [], vaultsOf: () => [], keptOf: () => ((reads += 1), { less: 0n, more: 0n }) }
  const twins = all.map((one) => judgeMoney(one, all, settings)?.twin)
  return { twins: [...new Set(twins)], reads }
}

test.each([
  { title: 'each of a crowd that another token paid has it for a twin', paid: wholes, twins: ['0xee'] },
  { title: 'of a crowd that it paid in part the first have', paid: 100, twins: ['0xee', null] },
])('$title, at no more cost than all of them have', ({ paid, twins }) => {
  const crowd = createCrowd(paid)
  expect(crowd.twins).toEqual(twins)
  expect(crowd.reads).toBeLessThan(20_000)
})

const fees = { fees: [] }

test.each([
  ['the same base units', { amountRaw: payout.amountRaw, amount: null }, 'equal'],
  ['finer base units', { amountRaw: 5n, amount: '50' }, 'equal'],
  ['finer base units, with zeros behind', { amountRaw: 5n, amount: '50.00' }, 'equal'],
  ['another amount', { amountRaw: 5n, amount: '17' }, 'other'],
  ['base units alone, of another amount', { amountRaw: 5n, amount: null }, 'other'],
])('the zone’s word on an amount in %s is a sample', (_, said, value) => {
  const by = toZoneWord(payout, said)
  const sample = sampleZone({ ...payout, amount: '50', evidence: [by] }, fees)
  expect(sample?.value).toBe(value)
})
