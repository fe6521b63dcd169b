import { expect, test } from 'vitest'
import type { CarriedRisk } from '../../../src/alerts/store/outboxTotals.ts'
import { formatDecimal } from '../../../src/bridge/decimal.ts'
import { countKinds } from '../../../src/delivery/countKinds.ts'

const kind = 'escrow.drift'
const total = {
  kind,
  what: 'firing',
  severity: 'critical',
  count: 1,
  firstAt: 0,
  lastAt: 0,
  direction: null,
  error: null,
} as const

const risk = (place: string, unit: string, amount: string): CarriedRisk => ({
  fingerprint: `${place}${unit}`,
  what: 'firing',
  kind,
  token: '0xc0',
  place,
  unit,
  amount,
})

const moneyOf = (risks: readonly CarriedRisk[]) =>
  countKinds([total], risks).map(({ money }) => [...money].map(([token, sum]) => [token, formatDecimal(sum)]))

const movements = [risk('0xa1', 'movement', '2.5'), risk('0xa2', 'movement', '2.5')]

test('a sum of movements beside each of them counts no unit twice', () => {
  expect(moneyOf([risk('', 'balance', '5'), ...movements])).toEqual([[['0xc0', '5']]])
})

test('a sum of more than is told by itself counts as a whole', () => {
  expect(moneyOf([risk('', 'balance', '7'), ...movements])).toEqual([[['0xc0', '7']]])
})

test('movements apart from a smaller sum are added up', () => {
  expect(moneyOf([risk('', 'balance', '3'), ...movements])).toEqual([[['0xc0', '5']]])
})
