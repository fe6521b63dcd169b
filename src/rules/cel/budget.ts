import type { ASTNode } from '@marcbachmann/cel-js'
import { sizeOf } from '../sizeOf.ts'
import { childrenOf, walk } from './walk.ts'

/** What one evaluation may take: a step is a part of the expression, evaluated once, about 0.1 µs. */
export const mostSteps = 250_000

/** How long a list that is not written out is taken to be when an expression is loaded. */
const assumedItems = 100

/** No name, hash or message is longer; what grows beyond was put together to be large. */
const longestText = 8_000
const longestList = 10_000
const charactersPerStep = 4

/** `getHours("Europe/Berlin")` and its like format the instant as a text first. */
const zonedSteps = 1_000

const loops = new Set(['all', 'exists', 'exists_one', 'map', 'filter'])

/** An evaluation took more than it may: neither true nor false can be said. */
export class OverBudgetError extends Error {
  override readonly name = 'OverBudgetError'
}

/** The steps that one evaluation has left. */
export interface Budget {
  left: number
  readonly sizes: WeakMap<object, number>
}

export function createBudget(): Budget {
  return { left: mostSteps, sizes: new WeakMap() }
}

/** @throws OverBudgetError */
export function spend(budget: Budget, steps: number): void {
  budget.left -= steps
  if (budget.left < 0) throw overBudget
}

// One for all: a loop goes on over what throws in it, and a trace for each turn would cost more than the turn.
const overBudget = new OverBudgetError(
  `the expression takes more than ${mostSteps.toLocaleString('en-US')} steps on these values`,
)

/** Runs an evaluation under its budget. An error that the expression itself absorbed (`error || true`) counts as well. */
export function runWithin<T>(budget: Budget, work: () => T): T {
  budget.left = mostSteps
  const result = work()
  if (budget.left < 0) throw overBudget
  return result
}

/** The innermost part of an expression that may take more steps than an evaluation has; null when none does. */
export function findCostly(root: ASTNode): { readonly node: ASTNode; readonly steps: number } | null {
  let costly: { node: ASTNode; steps: number } | null = null
  const estimate = (node: ASTNode): number => {
    const steps = 1 + stepsOf(node, estimate)
    if (steps > mostSteps) costly ??= { node, steps }
    return steps
  }
  estimate(root)
  return costly
}

function stepsOf(node: ASTNode, estimate: (node: ASTNode) => number): number {
  const children = childrenOf(node).map(estimate)
  const sum = children.reduce((total, one) => total + one, 0)
  if (node.op !== 'rcall' || !isLoop(node)) return sum
  const [range = 0] = children
  return range + itemsOf(node.args[1]) * (sum - range)
}

function isLoop(node: ASTNode & { op: 'rcall' }): boolean {
  return loops.has(node.args[0]) && node.args[2].length > 1
}

function itemsOf(node: ASTNode): number {
  if (node.op === 'list' || node.op === 'map') return node.args.length
  if (node.op === '+') return itemsOf(node.args[0]) + itemsOf(node.args[1])
  if (node.op === '?:') return Math.max(itemsOf(node.args[1]), itemsOf(node.args[2]))
  if (node.op === 'rcall' && isLoop(node)) return itemsOf(node.args[1])
  return assumedItems
}

type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown

/** What the library keeps of a node beside its declared fields: how it is evaluated, and what a macro stands for. */
interface Kept {
  readonly meta: {
    readonly evaluate: Evaluate
    readonly alternate?: Kept
    readonly macro?: { evaluate: Evaluate }
  }
  setMeta(name: 'evaluate', value: Evaluate): unknown
}

/**
 * Makes every part of a checked expression pay from the budget, for being evaluated and for the size of its value.
 * Without a loop or a name for a part (`cel.bind`) each part is evaluated once, and nothing can grow: those are spared,
 * because paying doubles the time. The library has no hook for this; a test holds that it works.
 */
export function meter(root: ASTNode, budget: Budget): void {
  const nodes = [...walk(root)]
  if (nodes.some((node) => keptOf(node).meta.macro ?? keptOf(node).meta.alternate)) pay(nodes, budget)
}

function pay(nodes: readonly ASTNode[], budget: Budget): void {
  for (const node of nodes) {
    if (node.op === 'value') continue
    const kept = keptOf(node)
    const steps =
      node.op === 'rcall' && node.args[0].startsWith('get') && node.args[2].length > 0 ? zonedSteps : 1
    const paid = (evaluate: Evaluate): Evaluate =>
      function (this: unknown, evaluator, part, context) {
        spend(budget, steps)
        const value = evaluate.call(this, evaluator, part, context)
        spend(budget, stepsFor(value, budget.sizes))
        return value
      }
    const { macro, alternate } = kept.meta
    if (macro) macro.evaluate = paid(macro.evaluate)
    else (alternate ?? kept).setMeta('evaluate', paid((alternate ?? kept).meta.evaluate))
  }
}

function keptOf(node: ASTNode): Kept {
  // The library does not declare these; `test/unit/rules/cel/budget.test.ts` fails when they are others.
  return node as unknown as Kept
}

/** Whoever compares or joins a value goes through all of it. */
function stepsFor(value: unknown, sizes: WeakMap<object, number>): number {
  if (typeof value === 'string' || value instanceof Uint8Array) {
    return value.length > longestText ? Infinity : Math.floor(value.length / charactersPerStep)
  }
  return Array.isArray(value) && value.length > longestList ? Infinity : sizeOf(value, sizes)
}
