import { expect, test } from 'vitest'
import { type BurnHour, enoughForMs, measureBurn, noteBurn } from '../../../../src/checks/operators/burn.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** The hours after readings ten minutes apart, or so far apart as is said. */
function readAll(balances: readonly bigint[], everyMs = 10 * minuteMs): BurnHour[] {
  const hours = new Map<number, BurnHour>()
  const [first = 0n] = balances
  let before = { balance: first, at: 0 }
  for (const [index, balance] of balances.entries()) {
    const reading = { balance, at: index * everyMs }
    const at = Math.floor(reading.at / hourMs) * hourMs
    hours.set(at, noteBurn(hours.get(at) ?? null, before, reading))
    before = reading
  }
  return [...hours.values()]
}

/** So many readings that lose one wei each, from 10,000 on. */
const falling = (count: number) => Array.from({ length: count }, (_, index) => 10_000n - BigInt(index))

test('what was lost a day is measured over the time that was covered', () => {
  const hours = readAll(falling(145))
  expect(measureBurn(hours, 0)).toEqual({ perDay: 144n, measuredMs: dayMs })
})

test.each([
  ['twenty hours are enough', 121, 20 * hourMs],
  ['a reading less is not', 120, undefined],
])('%s', (_, count, measuredMs) => {
  expect(measureBurn(readAll(falling(count)), 0)?.measuredMs).toBe(measuredMs)
})

test('a top-up is no burn, and takes nothing away from it', () => {
  const balances = falling(145).map((balance, index) => (index < 72 ? balance : balance + 5_000n))
  expect(measureBurn(readAll(balances), 0)).toEqual({ perDay: 144n, measuredMs: dayMs - 10 * minuteMs })
})

test('a node that lags is no burn: what it takes back is taken back', () => {
  const honest = falling(145)
  // The node that is behind shows the balance before, then the present one again.
  const lagging = honest.map((balance, index) => (index % 3 === 2 ? (honest[index - 2] ?? balance) : balance))
  expect(measureBurn(readAll(lagging), 0)).toEqual({ perDay: 144n, measuredMs: dayMs })
})

test('readings more than 15 minutes apart cover nothing', () => {
  expect(measureBurn(readAll(falling(145), 16 * minuteMs), 0)).toBeNull()
  expect(measureBurn(readAll(falling(145), 15 * minuteMs), 0)?.perDay).toBe(96n)
})

test('money that is sent elsewhere in one go is no gas', () => {
  const balances = falling(145).map((balance, index) => (index < 72 ? balance : balance - 8_000n))
  // The hour that it left in is left out, and what was burned in it.
  expect(measureBurn(readAll(balances), 0)?.perDay).toBe(138n)
})

test('what was spent before the time looked at does not count', () => {
  const hours = readAll([...falling(145).map((balance) => balance * 100n), ...falling(145)])
  expect(measureBurn(hours, 145 * 10 * minuteMs)?.perDay).toBeLessThan(150n)
})

test('a balance lasts as long as it is spent; where nothing is, there is no end', () => {
  expect(enoughForMs(300n, 100n)).toBe(3 * dayMs)
  expect(enoughForMs(300n, 0n)).toBeNull()
})
