import { expect, test } from 'vitest'
import type { LegEvidence, Transfer } from '../../../src/bridge/transfer.ts'
import { takenBy } from '../../../src/meaning/paidSums.ts'
import { toRecord, toZoneWord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

const million = 1_000_000n
const payout = transferOf([toRecord({ amountRaw: 50n * million })])

function taken(said: Pick<LegEvidence, 'amount' | 'amountRaw'>) {
  const by = toZoneWord(payout, said)
  const token = { ...payout.token, decimals: 6 }
  const one: Transfer = { ...payout, token, evidence: [by] }
  return takenBy([one, { ...one, key: 't2', evidence: [] }])?.amount ?? null
}

test.each([
  ['their own units', { amount: '50', amountRaw: 50n * million }, 50n * million],
  ['their own units, the text rounded', { amount: '50', amountRaw: 50n * million + 7n }, 50n * million + 7n],
  ['finer units', { amount: '50', amountRaw: 50n * 10n ** 18n }, 50n * million],
  ['finer units, with zeros behind', { amount: '50.000', amountRaw: 50n * 10n ** 18n }, 50n * million],
  ['base units alone', { amount: null, amountRaw: 60n * million }, 60n * million],
  ['less than a record claims', { amount: '49', amountRaw: 49n * million }, null],
])('what the zone took is counted as records count it, said in %s', (_, said, amount) => {
  expect(taken(said)).toBe(amount)
})
