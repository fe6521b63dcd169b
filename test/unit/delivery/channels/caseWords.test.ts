import { expect, test } from 'vitest'
import { caseLine, leadLine, moneyLine, saySum } from '../../../../src/delivery/channels/caseWords.ts'
import type { MessageCase } from '../../../../src/delivery/channels/message.ts'
import { toCase } from '../messages.ts'

const of = (symbol: string, amount: string, usd: string | null = null) => ({
  token: symbol,
  symbol,
  amount,
  usd,
})

test.each([
  ['2500000', '2,500,000'],
  ['110593.883745', '110,593.883745'],
  ['65.204673004196542394', '65.204673'],
  ['1000.000000000000000001', '1,000'],
  ['0.000000012345', '0.0000000123'],
  ['0.00012345678', '0.000123'],
  ['12.00', '12.00'],
  ['0.5', '0.5'],
  ['-3.25', '-3.25'],
  ['unknown', 'unknown'],
])('a sum of %s reads %s', (amount, said) => {
  expect(saySum(amount)).toBe(said)
})

test('what several tokens are worth is one sum', () => {
  const money = [of('WETH', '840.5', '2689600.00'), of('USDC', '2500000', '2500000.00')]
  expect(moneyLine(money)).toBe(
    '840.5 WETH, 2,500,000 USDC (5,189,600.00 USD at the prices of the configuration)',
  )
})

test('a sum of what has a price says that it is not all', () => {
  const money = [of('USDC', '10', '10.05'), of('[FOO]', '7'), of('[BAR]', '5'), of('[BAZ]', '1')]
  expect(moneyLine(money)).toBe(
    '10 USDC, 7 [FOO], 5 [BAR] and 1 more token (of that 10.05 USD at the price of the configuration)',
  )
  expect(moneyLine([of('[FOO]', '7')])).toBe('7 [FOO]')
  expect(moneyLine([])).toBe('')
})

test('what is worth less than a cent is not said to be worth nothing', () => {
  expect(moneyLine([of('USDC', '0.004', '0.00')])).toBe(
    '0.004 USDC (less than 0.01 USD at the price of the configuration)',
  )
})

test('that a case has one finding is not worth a word', () => {
  expect(leadLine(toCase({ members: 1, money: [] }))).toBe('case c42 · nobody has it yet')
  expect(leadLine(toCase({ members: 2, money: [] }))).toBe('2 findings · case c42 · nobody has it yet')
})

test.each([
  [{ assignee: 'ben' }, 'assigned to ben'],
  [{ assignee: 'ben', by: 'ana', state: 'acknowledged' }, 'assigned to ben, acknowledged by ana'],
  [{ assignee: 'ana', by: 'ana', state: 'acknowledged' }, 'acknowledged by ana'],
  [{ assignee: 'ben', by: 'ana', state: 'handled', reason: 'refunded' }, 'handled by ana: refunded'],
] satisfies [Partial<MessageCase>, string][])('of %j it is said who has it', (about, said) => {
  expect(leadLine(toCase({ members: 1, money: [], ...about }))).toBe(`case c42 · ${said}`)
})

test('a case that went into another one is not called closed', () => {
  const merged = toCase({ members: 1, money: [], state: 'closed', mergedInto: 'c7' })
  expect(leadLine(merged)).toBe('case c42 · went into case c7')
})

test('a case whose title names its money says of it what that is worth alone', () => {
  const title = 'Withdrawal of 6,508.5 USDC failed'
  const line = (money: Parameters<typeof moneyLine>[0]) => caseLine(toCase({ title, money, members: 1 }))
  expect(line([of('USDC', '6508.5', '6508.50')])).toBe(
    'CRITICAL: Withdrawal of 6,508.5 USDC failed, 6,508.50 USD at the price of the configuration at risk (case c42)',
  )
  expect(line([of('USDC', '6508.5')])).toBe('CRITICAL: Withdrawal of 6,508.5 USDC failed (case c42)')
  expect(line([of('USDC', '7000')])).toBe(
    'CRITICAL: Withdrawal of 6,508.5 USDC failed, 7,000 USDC at risk (case c42)',
  )
})
