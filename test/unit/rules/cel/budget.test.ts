import { describe, expect, test } from 'vitest'
import { kinds } from '../../../../src/checks/index.ts'
import { selectRoutes } from '../../../../src/alerts/routing.ts'
import { compileLabelPredicate } from '../../../../src/rules/cel/compileConditions.ts'
import { matchFinding } from '../../../../src/rules/evaluateRules.ts'
import { problemsOf, ruleOf } from '../ruleFiles.ts'
import { pendingSince } from '../transfers.ts'

const hundred = `[${Array.from({ length: 100 }, (_, index) => index).join(', ')}]`
const nest = (depth: number, list = hundred) =>
  `${Array.from({ length: depth }, (_, level) => `${list}.all(v${level}, `).join('')}rule != ""${')'.repeat(depth)}`
const compile = (text: string) => compileLabelPredicate(kinds.names, text)
const problemOf = (text: string) => {
  const compiled = compile(text)
  return compiled.ok ? null : compiled.problem.message
}
const run = (text: string, labels: Record<string, string> = {}) => {
  const compiled = compile(text)
  if (!compiled.ok) throw new Error(compiled.problem.message)
  return compiled.run({ rule: 'r', kind: 'k', ...labels })
}
const over = /more than 250,000 steps/

describe('loops inside loops', () => {
  test('issue 12.1: five over a hundred elements each are refused when the rule is loaded, with their place', () => {
    expect(
      problemsOf(
        'on: transfer.stalled',
        `where: '${nest(5).replace('rule', 'transfer.id')}'`,
        'severity: info',
      ),
    ).toEqual([
      expect.stringMatching(
        /^4:\d+ `where`: this may take [\d,]+ steps, and an evaluation has 250,000: nest/,
      ),
    ])
  })

  test.each(['all', 'exists', 'exists_one', 'map', 'filter'])('%s counts as a loop', (name) => {
    const isList = name === 'map' || name === 'filter'
    const loop = (text: string, level: number) =>
      `${hundred}.${name}(v${level}, ${isList && level > 0 ? `size(${text}) > 0` : text})`
    const inner = loop(loop(loop('true', 0), 1), 2)
    const condition = isList ? `size(${inner}) > 0 && rule != ""` : `${inner} && rule != ""`
    expect(problemOf(condition)).toMatch(/may take [\d,]+ steps/)
  })

  test('lists from data count with a hundred elements', () => {
    const list = 'symbol.split(",")'
    expect(problemOf(nest(2, list))).toBeNull()
    expect(problemOf(nest(3, list))).toMatch(/may take/)
    expect(problemOf(nest(3, 'symbol.split(",").map(x, x + "a").filter(x, x != "")'))).toMatch(/may take/)
  })

  test('two over a hundred elements each are taken, and come to their answer', () => {
    expect(run(nest(2))).toBe(true)
    expect(run(`${hundred}.exists(a, ${hundred}.exists(b, a + b == 198 && rule == "r"))`)).toBe(true)
  })
})

describe('an evaluation that passes its budget is an error, whatever the expression makes of errors', () => {
  const many = { symbol: 'a,'.repeat(500) }
  const turns = 'symbol.split(",").all(a, symbol.split(",").all(b, a + b != "c"))'
  test.each([
    ['loops over more data than was assumed', turns],
    ['an error that is taken for an answer', `${turns} || true`],
    [
      'a loop that swallows it',
      `symbol.split(",").exists(a, symbol.split(",").all(b, a + b != "c") && a == "c")`,
    ],
    ['a list doubled again and again', bindDoubled('["a"]', 25, (name) => `size(${name}) > 0`)],
    ['a text doubled again and again', bindDoubled('"a"', 25, (name) => `${name} == symbol`)],
    ['lists of lists of lists, compared', `${bindNested('x')} == ${bindNested('y')}`],
    [
      'a text joined from many',
      'symbol.split("").map(x, symbol.split("")).map(y, y.join(symbol)).join(symbol) != ""',
    ],
    ['a pattern over and over', 'symbol.split(",").all(a, symbol.matches("(.?){60}x") || a != "b")'],
    [
      'hours of zones',
      'symbol.split(",").all(a, timestamp("2026-01-01T00:00:00Z").getHours("Europe/Berlin") < 24)',
    ],
  ])('%s', (_, text) => {
    expect(() => run(`(${text}) && rule != ""`, many)).toThrow(over)
  })

  test('each evaluation has a budget of its own', () => {
    const compiled = compile(`${nest(2)} && symbol != "x"`)
    const answers = [1, 2, 3].map(() => compiled.ok && compiled.run({ rule: 'r', symbol: 'a' }))
    expect(answers).toEqual([true, true, true])
  })

  test('the finding is told with what could not be asked, and the other rules go on', () => {
    const rule = ruleOf(
      'on: transfer.stalled',
      `where: 'transfer.token.name.split(",").all(a, transfer.token.name.split(",").all(b, a + b != "c"))'`,
      'severity: info',
    )
    const other = ruleOf('on: transfer.stalled', 'severity: info')
    const transfer = pendingSince(0, 0)
    const finding = {
      kind: 'transfer.stalled',
      subject: 't1',
      title: 'a withdrawal',
      transfer: { ...transfer, token: { ...transfer.token, name: 'a,'.repeat(500) } },
      facts: {},
      labels: {},
      evidence: [],
      since: 0,
    }
    const { matches, errors } = matchFinding([rule, other], finding, 1)
    expect(matches.map(({ finding: told }) => told.facts['notFiltered'] ?? null)).toEqual([
      expect.stringMatching(over),
      null,
    ])
    expect(errors.map(({ subject }) => subject)).toEqual(['t1'])
  })

  test('a route that could not finish takes the alert and goes on', () => {
    const compiled = compile(turns)
    const never = compile('int(symbol) > 5')
    if (!compiled.ok || !never.ok) throw new Error('expected expressions that compile')
    const route = (id: string, matches: (labels: Readonly<Record<string, string>>) => boolean) => ({
      id,
      matches,
      channels: [id],
      groupBy: [],
      groupWaitMs: null,
      groupIntervalMs: 1,
      repeatMs: 1,
      continue: false,
    })
    const routes = [route('fails', never.run), route('unfinished', compiled.run), route('last', () => true)]
    expect(selectRoutes(routes, many).map(({ id }) => id)).toEqual(['unfinished', 'last'])
  })
})

describe('patterns', () => {
  test.each([
    ['matches in a loop', '["a"].all(x, symbol.matches("^US"))', true],
    ['a pattern is looked for anywhere', 'symbol.matches("SD")', true],
    ['anchors are of the text', 'symbol.matches("^SD")', false],
    ['what would never end elsewhere', 'labels.token.matches("(a+)+$|(.?){60}x|(a|aa)+!")', false],
  ])('%s', (_, text, expected) => {
    expect(run(text, { symbol: 'USDC', token: `${'a'.repeat(400)}?` })).toBe(expected)
  })

  test('a pattern is checked when it is loaded, in a loop too, and must be written out', () => {
    const problems = (text: string) => problemsOf('on: transfer.stalled', `where: ${text}`, 'severity: info')
    expect(problems('transfer.token.name.matches("(a+)+$")')).toEqual([])
    expect(problems('transfer.token.name.matches("(?=a)")')).toEqual([
      '4:40 `where`: invalid or unsupported Perl syntax `(?=` at character 1; patterns are written as for RE2',
    ])
    expect(problems(`'["a"].all(x, transfer.token.name.matches("(a)\\1"))'`)).toHaveLength(1)
    expect(problems('transfer.state.matches(transfer.token.name)')).toEqual([
      '4:35 `where`: expected the pattern of matches() in quotes',
    ])
    expect(problems('transfer.amount.matches("a")')).toEqual([
      expect.stringMatching(/no matching overload for 'Amount\.matches\(string\)'/),
    ])
  })
})

function bindDoubled(first: string, depth: number, last: (name: string) => string): string {
  const begin = Array.from({ length: depth }, (_, level) => {
    const value = level === 0 ? first : `v${level - 1} + v${level - 1}`
    return `cel.bind(v${level}, ${value}, `
  })
  return `${begin.join('')}${last(`v${depth - 1}`)}${')'.repeat(depth)}`
}

/** A list of a hundred times a list of a hundred times a list of a hundred. */
function bindNested(name: string): string {
  const times = (inner: string) => `${hundred}.map(i, ${inner})`
  return `cel.bind(${name}1, ${times('1')}, cel.bind(${name}2, ${times(`${name}1`)}, cel.bind(${name}3, ${times(`${name}2`)}, ${name}3)))`
}
