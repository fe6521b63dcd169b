import { expect, test } from 'vitest'
import {
  type AccountLeg,
  mainDeltas,
  openingDeltas,
  zoneDeltas,
} from '../../../../../src/checks/escrow/accounts/account.ts'

const start = { height: 1_000, time: 1_000_000 }
const deposit: AccountLeg = {
  key: 't1',
  isDeposit: true,
  amount: 100n,
  zoneAmount: null,
  less: 0n,
  more: 0n,
  isFailed: false,
  isBatch: false,
  isDisproved: false,
  surplus: 0n,
  main: { hash: '0x1', height: 1_001, time: 1_001_000 },
  zoneAt: 1_002_000,
}

test('what one deposit is credited a second time is a claim that nothing was locked for', () => {
  const again = { ...deposit, key: 't2', surplus: 100n }
  expect([deposit, again].map(zoneDeltas)).toEqual([
    { toZone: -100n, claims: 100n },
    { claims: 100n, lost: -100n },
  ])
  const locked = { net: 100n, verdict: 'explained' } as const
  expect(mainDeltas(locked, [deposit, again])).toEqual({ escrow: 100n, toZone: 100n })
  const before = { height: 999, time: 999_000, hash: '0x1' }
  expect([deposit, again].map((one) => openingDeltas({ ...one, main: before }, start))).toEqual([
    { claims: -100n, toZone: 100n },
    null,
  ])
})
