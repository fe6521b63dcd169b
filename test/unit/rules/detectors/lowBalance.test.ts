import { expect, test } from 'vitest'
import { operatorLowBalance } from '../../../../src/checks/operators/lowBalance.ts'
import { toOperator } from '../facts.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const now = 10 * dayMs
const unit = 10n ** 18n

/** A tenth of a unit an hour for so long. */
const burnFor = (hours: number) =>
  Array.from({ length: hours }, (_, index) => ({
    at: now - (hours - index) * hourMs,
    spent: unit / 10n,
    coveredMs: hourMs,
  }))

function judge(of: Parameters<typeof toOperator>[0], given: object) {
  const operator = toOperator({ balanceAt: now, burn: burnFor(48), ...of })
  return operatorLowBalance.judge(
    { now, operators: [operator] } as never,
    operatorLowBalance.params.parse(given),
  )
}

test.each([
  ['less than three days are told', 7n * unit, 1],
  ['three days are not', 72n * (unit / 10n), 0],
])('by days: %s', (_, balance, count) => {
  expect(judge({ balance }, { days: 3 }).findings).toHaveLength(count)
})

test('says for how many days it is enough, and by what that was measured', () => {
  const [found] = judge({ balance: 5n * unit }, { days: 3 }).findings
  expect(found?.facts).toEqual({
    balance: '5',
    enoughFor: 'enough for about 2 days',
    enoughForMs: 50 * hourMs,
    perDay: '2.4',
    measuredMs: 2 * dayMs,
  })
  expect(found?.evidence.at(-1)?.says).toBe('enough for about 2 days: 2.4 a day was spent, measured over 2d')
})

test('a low balance says it too, and says nothing of it before it was measured', () => {
  const low = { balance: unit, minBalance: 2n * unit }
  expect(judge(low, {}).findings[0]?.facts).toMatchObject({ enoughFor: 'enough for less than a day' })
  const unmeasured = judge({ ...low, burn: burnFor(19) }, {})
  expect(unmeasured.findings[0]?.facts).toMatchObject({ enoughFor: '', enoughForMs: null, perDay: null })
  expect(unmeasured.unknown).toEqual([])
})

test.each([
  ['until it was measured for nearly a day', { burn: burnFor(19) }],
  ['while its balance is too old', { balanceAt: now - 16 * 60_000 }],
  ['without a balance', { balance: null }],
])('by days nothing is known %s', (_, of) => {
  expect(judge({ balance: unit, ...of }, { days: 3 })).toMatchObject({ findings: [], unknown: ['0xop'] })
})

test('an operator that spends nothing runs out of nothing', () => {
  const burn = burnFor(48).map((hour) => ({ ...hour, spent: 0n }))
  expect(judge({ balance: 1n, burn }, { days: 3 })).toMatchObject({ findings: [], unknown: [] })
})

test('a rule by days leaves minBalance to the rule on that, unless it gives a bound itself', () => {
  const of = { balance: 50n * unit, minBalance: 100n * unit }
  expect(judge(of, { days: 3 }).findings).toEqual([])
  expect(judge(of, { days: 3, below: '60' }).findings).toHaveLength(1)
})

test.each(['23h', '8d'])('a measure over %s is refused', (over) => {
  expect(operatorLowBalance.params.safeParse({ over }).success).toBe(false)
})
