import { expect, test } from 'vitest'
import { findPartner, listExplaining } from '../../../../../src/checks/escrow/explaining/explain.ts'
import { noAmount, toDecimal } from '../../../../../src/bridge/decimal.ts'
import { openEscrowWatch } from '../../../../../src/checks/escrow/watched/watch.ts'
import { hash, toRecord } from '../../../../support/records.ts'
import { pendingSince } from '../../../rules/transfers.ts'
import { createTestKernel } from '../../support.ts'

test('what left in one transaction is explained by all of its 600 payouts', () => {
  const kernel = createTestKernel()
  const payouts = Array.from({ length: 600 }, (_, n) =>
    toRecord({ zoneEventIndex: `${n}`, targetAddress: `0xb${n}` }),
  )
  kernel.commit({ answers: [payouts] })
  const watch = openEscrowWatch(kernel)
  expect(listExplaining({ ...kernel, watch }, hash('main'))).toHaveLength(600)
})

test('semantics.md 41: what left fits a withdrawal on its way that is the only one, by token, recipient and amount', () => {
  const onItsWay = pendingSince(1, 2)
  const fee = toDecimal('0.1') ?? noAmount
  const find = (amount: string, pending: readonly (typeof onItsWay)[], party = '0xbb', token = '0xcc') =>
    findPartner({ token, party, outward: toDecimal(amount) ?? noAmount }, pending, () => ({
      less: fee,
      more: noAmount,
    }))
  expect([find('1.5', [onItsWay]), find('1.4', [onItsWay])]).toEqual([onItsWay, onItsWay])
  const others = [
    find('1.500001', [onItsWay]),
    find('1.399999', [onItsWay]),
    find('1.5', [onItsWay], '0xb0'),
    find('1.5', [onItsWay], '0xbb', '0xdd'),
    find('1.5', [{ ...onItsWay, status: 'failed' }]),
    find('1.5', [onItsWay, { ...onItsWay, key: 't2' }]),
  ]
  expect(others).toEqual(others.map(() => null))
})
