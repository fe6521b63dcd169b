import { type ASTNode, Environment } from '@marcbachmann/cel-js'
import { type AmountValue, AmountValue as Amount, compareAmounts, parseAmount } from './amountValue.ts'

/**
 * The part of the expression language that all our expressions share: CEL, exact amounts, small limits. Nothing in it
 * can loop for long, reach outside or see a name that was not declared.
 */
export function createEnvironment(): Environment {
  const environment = new Environment({
    limits: {
      maxAstNodes: 2_000,
      maxDepth: 60,
      maxListElements: 1_000,
      maxMapEntries: 200,
      maxCallArguments: 16,
    },
  })
  environment
    .registerType('Amount', { ctor: Amount, fields: {} })
    .registerFunction('amount(string): Amount', toAmount, {
      description: 'An amount in token units, exact: amount("1000.5")',
    })
    .registerOperator('Amount == Amount', (a: AmountValue, b: AmountValue) => compareAmounts(a, b) === 0)
    .registerOperator('Amount < Amount', (a: AmountValue, b: AmountValue) => compareAmounts(a, b) < 0)
    .registerOperator('Amount <= Amount', (a: AmountValue, b: AmountValue) => compareAmounts(a, b) <= 0)
    .registerOperator('Amount > Amount', (a: AmountValue, b: AmountValue) => compareAmounts(a, b) > 0)
    .registerOperator('Amount >= Amount', (a: AmountValue, b: AmountValue) => compareAmounts(a, b) >= 0)
  return environment
}

/** The parts of an expression, unchecked. @throws where it is none */
export function parseExpression(text: string): ASTNode {
  return createEnvironment().parse(text).ast
}

function toAmount(text: string): AmountValue {
  const amount = parseAmount(text)
  if (amount === null) throw new Error(`amount("${text.slice(0, 40)}") is not an amount`)
  return amount
}
