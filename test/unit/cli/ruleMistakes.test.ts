import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from './testIo.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-mistakes-'))
  mkdirSync(join(folder, 'rules'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const config = `explorer: { baseUrl: "http://127.0.0.1:1/", chains: { main: A, zone: B } }
channels: { ops-slack: { type: console } }
`

async function check(rule: readonly string[], rest = '') {
  writeFileSync(join(folder, 'spanwatch.yaml'), `${config}${rest}`)
  const text = ['rules:', '  - name: it', ...rule.map((line) => `    ${line}`), ''].join('\n')
  writeFileSync(join(folder, 'rules', 'a.yaml'), text)
  return await runCommand(['check', '-c', join(folder, 'spanwatch.yaml')])
}

const stalled = ['on: transfer.stalled']

test.each([
  {
    title: 'a key',
    rule: [...stalled, 'serverity: info'],
    says: `rules/a.yaml:4:5: unknown key \`serverity\`, did you mean \`severity\`?
    4 |     serverity: info
      |     ^^^^^^^^^`,
  },
  {
    title: 'a parameter of another kind',
    rule: ['on: transfer.failed', 'with: { after: 5m }'],
    says: 'rules/a.yaml:4:13: unknown key `after`',
  },
  {
    title: 'a name',
    rule: [...stalled, 'where: transfer.tokn.symbol == "USDC"'],
    says: `rules/a.yaml:4:21: \`where\`: unknown name \`transfer.tokn\`, did you mean \`transfer.token\`?
    4 |     where: transfer.tokn.symbol == "USDC"
      |                     ^`,
  },
  {
    title: 'a kind',
    rule: ['on: transfer.staled'],
    says: 'rules/a.yaml:3:9: `on`: expected a known value, got "transfer.staled", did you mean `transfer.stalled`?',
  },
  {
    title: 'a type',
    rule: [...stalled, 'where: transfer.amount > 1000'],
    says: 'an amount is written amount("1000.5")',
  },
  {
    title: 'an amount',
    rule: [...stalled, 'where: transfer.amount > amount("1,000")'],
    says: 'rules/a.yaml:4:37: `where`: expected an amount such as "1000.5", got "1,000"',
  },
  {
    title: 'a duration in days within an expression',
    rule: [...stalled, 'where: age > duration("2d")'],
    says: 'rules/a.yaml:4:27: `where`: expected a duration such as "30m" or "36h", got "2d"',
  },
  {
    title: 'a value that a name never has',
    rule: [...stalled, 'where: transfer.direction == "ZoneToMian"'],
    says: 'rules/a.yaml:4:34: `where`: transfer.direction is never "ZoneToMian", did you mean `ZoneToMain`?',
  },
  {
    title: 'an expression that is always the same',
    rule: [...stalled, 'where: 1 == 2'],
    says: 'the expression names nothing, so that it is always the same',
  },
  {
    title: 'a template',
    rule: [...stalled, 'summary: "{{ transfer.amout }}"'],
    says: 'rules/a.yaml:4:18: `summary`: unknown name `transfer.amout`, did you mean `transfer.amount`?',
  },
  {
    title: 'a filter',
    rule: [...stalled, 'summary: "{{ age | duraton }}"'],
    says: 'unknown filter `duraton`, did you mean `duration`?',
  },
  {
    title: 'a duration',
    rule: [...stalled, 'for: 5 minutes'],
    says: `rules/a.yaml:4:10: \`for\`: expected a duration such as 30m, got "5 minutes"
    4 |     for: 5 minutes
      |          ^^^^^^^^^`,
  },
  {
    title: 'an unquoted address',
    rule: [...stalled, 'labels: { escrow: 0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0 }'],
    says: 'rules/a.yaml:4:23: quote this address: without quotes YAML reads 0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0 as a number',
  },
  {
    title: 'a kind in open()',
    rule: [...stalled, 'unless: open("source.unavailble")'],
    says: 'rules/a.yaml:4:18: `unless`: unknown kind `source.unavailble`, did you mean `source.unavailable`?',
  },
  {
    title: 'its own kind in open()',
    rule: ['on: chain.stalled', 'unless: open("chain.stalled")'],
    says: "rules/a.yaml:4:18: `unless`: `chain.stalled` is the rule's own kind: once it fires, this rule would say nothing more",
  },
  {
    title: 'a ceiling below the floor',
    rule: [...stalled, 'with: { after: p99 * 3, ceiling: 2m }'],
    says: 'rules/a.yaml:4:38: `ceiling`: expected at least the floor, which is 5m where it is left out',
  },
  {
    title: 'a kind that is none, of which others share a word',
    rule: ['on: stalled'],
    says: '`on`: expected one of transfer.stalled, preconf.stalled, chain.stalled, got "stalled"',
  },
  ...[
    ['an equals sign', 'chain = "main"', 'what is equal is written =='],
    ['a duration without quotes', 'age > 30m', 'a duration is written duration("30m")'],
    ['an `and`', 'chain == "main" and age > duration("1h")', '`and` is written &&, `or` ||'],
    ['a `not`', 'not (chain == "main")', '`not` is written !'],
    ['a number of a text', 'facts.what > 5', 'a number in a text is read by amount(…)'],
    ['a number in quotes', 'facts.height > "5"', 'a number stands without quotes'],
    ['a number in quotes that is equal', '"5.5" == facts.height', 'a number stands without quotes'],
    ['a number that may be null in quotes', 'facts.explorerHeight >= "5"', 'a number stands without quotes'],
    ['a text without quotes', 'chain == 5', 'a text stands in quotes, an address as well'],
    ['a function that is none', 'now() - age > duration("1h")', 'how long it has been so is `age`'],
    ['a `not` before a name', 'not chain', '`not` is written !'],
    ['a number as a duration', 'age > duration(5)', 'a duration is written duration("30m")'],
    [
      'a duration of a number',
      'facts.height > duration("5m")',
      'milliseconds are compared as a number, as in > 300000',
    ],
    ['a text and an amount', 'facts.what > amount("5")', 'a number in a text is read by amount(…)'],
    [
      'a sum of amounts',
      'amount(facts.what) + amount("1") > amount("5")',
      'amounts are compared alone, by == != < <= > >=',
    ],
    ['what is not there', 'chain == null', 'a text that is not there is ""'],
    ['a text after `in`', 'chain in "main"', 'a list is written ["a", "b"]'],
    ['a list in round brackets', 'chain in ("main", "zone")', 'a list is written ["a", "b"]'],
    ['three equals signs', 'chain === "main"', 'what is equal is written =='],
    ['angle brackets', 'chain <> "main"', 'what is not equal is written !='],
    ['curly quotes', 'chain == “main”', 'quotes are straight: " at both ends'],
    ['a number in a function', 'chain.contains(0x12)', 'a text stands in quotes, an address as well'],
  ].map(([title = '', where = '', says = '']) => ({
    title,
    rule: ['on: chain.stalled', `where: '${where}'`],
    says: ` (${says})\n`,
  })),
  ...[
    ['amount > amount("5")', 'unknown name `amount`, did you mean `transfer.amount`?'],
    ['symbol == "USDC"', 'unknown name `symbol`, did you mean `transfer.token.symbol`?'],
    ['token == "USDC"', 'unknown name `token`, did you mean `transfer.token`?'],
    ['limitMs > 5', 'unknown name `limitMs`, did you mean `facts.limitMs`?'],
  ].map(([where = '', says = '']) => ({
    title: `a name without what stands before it, ${where}`,
    rule: [...stalled, `where: ${where}`],
    says,
  })),
  {
    title: 'a kind without quotes and open()',
    rule: [...stalled, 'unless: chain.stalled'],
    says: 'rules/a.yaml:4:13: `unless`: unknown name `chain.stalled`, did you mean `open("chain.stalled")`?',
  },
  {
    title: 'a kind without quotes in open()',
    rule: [...stalled, 'unless: open(chain.stalled)'],
    says: '`unless`: unknown name `chain.stalled`, did you mean `open("chain.stalled")`?',
  },
  {
    title: 'several kinds',
    rule: ['on: [transfer.stalled, transfer.failed]'],
    says: '`on`: expected one of transfer.failed, transfer.stalled, transfer.unbacked, transfer.mismatch, transfer.rewritten, transfer.duplicate, … (63 in all), got a list\n',
  },
  {
    title: 'a kind of which one has the word',
    rule: ['on: reorg'],
    says: '`on`: expected chain.reorg, got "reorg"\n',
  },
  {
    title: 'a parameter beside the only one',
    rule: ['on: transfer.large', 'with: { amount: "1000" }'],
    says: 'unknown key `amount`: expected `share`\n',
  },
  {
    title: 'parameters that are none',
    rule: [...stalled, 'with: after 5m'],
    says: '`with`: expected the kind\'s parameters, such as { after: 15m }, got "after 5m"\n',
  },
  {
    title: 'a surge without a bound',
    rule: ['on: flow.surge', 'with: { window: 1h, maxAmount: {} }'],
    says: 'rules/a.yaml:4:11: the rule: nothing is a surge without a bound: one of maxCount, maxAmount, ',
  },
  {
    title: 'a surge that is a share of deposits',
    rule: ['on: flow.surge', 'with: { share: 0.3, direction: MainToZone }'],
    says: 'rules/a.yaml:4:20: `share`: a share is of what withdrawals paid out, and the direction is that of deposits',
  },
  {
    title: 'a window of failures beside which nobody knows what arrived',
    rule: ['on: flow.failing', 'with: { window: 32d }'],
    says: 'rules/a.yaml:4:21: `window`: expected at most 31d, got "32d"',
  },
  {
    title: 'a window of copies before which no whole week is kept',
    rule: ['on: flow.surge', 'with: { window: 49h, copies: 5 }'],
    says: 'rules/a.yaml:4:21: `window`: expected at most 2d: one amount is compared with the week before, got "49h"',
  },
])('a mistake in $title ends with 2, its place and what was meant', async ({ rule, says }) => {
  const { exitCode, err } = await check(rule)
  expect(exitCode).toBe(2)
  expect(err).toContain(says)
})

test('a mistake in a channel of a route ends with 2, its place and what was meant', async () => {
  const { exitCode, err } = await check(stalled, 'routes: [{ channels: [ops-slak] }]\n')
  expect(exitCode).toBe(2)
  expect(err).toMatch(/spanwatch\.yaml:3:23: .*`ops-slak`.*did you mean `ops-slack`\?/)
})

test.each([
  {
    title: 'a rule',
    rest: `routes: [{ match: 'rule == "ti"', channels: [ops-slack] }, { channels: [ops-slack] }]`,
    says: 'spanwatch.yaml:3:28: there is no rule `ti`, did you mean `it`?',
  },
  {
    title: 'a label',
    rest: `routes: [{ match: 'int(labels.taem) > 3', channels: [ops-slack] }, { channels: [ops-slack] }]`,
    says: 'spanwatch.yaml:3:24: no alert has a label `taem`, did you mean `team`?',
  },
  {
    title: 'the symbol of a token in a route',
    rest: `routes: [{ match: 'symbol in ["USDC", "USCD"]', channels: [ops-slack] }, { channels: [ops-slack] }]`,
    says: 'spanwatch.yaml:3:39: no token of bridge.tokens has the symbol `USCD`, did you mean `USDC`?',
  },
  {
    title: 'a label to group by',
    rest: 'routes: [{ groupBy: [case, symbl], channels: [ops-slack] }]',
    says: 'spanwatch.yaml:3:28: no alert has a label `symbl`, did you mean `symbol`?',
  },
  {
    title: 'a label that is to be equal',
    rest: `inhibit: [{ source: 'chain == "main"', target: 'chain == "zone"', equal: [tokn] }]`,
    says: 'spanwatch.yaml:3:75: no alert has a label `tokn`, did you mean `token`?',
  },
  {
    title: 'a channel that is to be inhibited',
    rest: `inhibit: [{ source: 'chain == "main"', target: 'labels["channel"] == "ops-slak"', equal: [] }]`,
    says: 'spanwatch.yaml:3:70: there is no channel `ops-slak`, did you mean `ops-slack`?',
  },
  {
    title: 'a symbol in place of an address in a route',
    rest: `routes: [{ match: 'token == "USDC"', channels: [ops-slack] }, { channels: [ops-slack] }]`,
    says: 'spanwatch.yaml:3:29: labels["symbol"] holds the symbol; no token of bridge.tokens has the address `USDC`',
  },
  {
    title: 'an address that lacks digits in a route',
    rest: `routes: [{ match: 'token == "0x00aa"', channels: [ops-slack] }, { channels: [ops-slack] }]`,
    says: 'spanwatch.yaml:3:29: `0x00aa` is no address and no hash: these are 0x and 40 or 64 hex digits',
  },
  {
    title: 'the symbol of a token in a rule',
    rest: '',
    says: 'rules/a.yaml:5:37: no token of bridge.tokens has the symbol `USCD`, did you mean `USDC`?',
  },
])('$title that nothing has is a warning with its place and what was meant', async ({ rest, says }) => {
  const tokens = `bridge: { tokens: [{ address: "0x00000000000000000000000000000000000000aa", symbol: USDC, decimals: 6 }] }`
  const rule = [...stalled, 'labels: { team: treasury }', 'where: transfer.token.symbol == "USCD"']
  const { exitCode, out } = await check(rule, `${rest}\n${tokens}\n`)
  expect(exitCode).toBe(0)
  expect(out).toContain(says)
})

test('a kind that no rule is on, and rules in a folder below, are warnings, each on a line of its own', async () => {
  mkdirSync(join(folder, 'rules', 'more'))
  writeFileSync(join(folder, 'rules', 'more', 'b.YAML'), 'rules: []')
  const { exitCode, out } = await check([
    ...stalled,
    'unless: open("chain.stalled") || open("source.unavailable")',
  ])
  expect(exitCode).toBe(0)
  expect(out).toContain('rules/a.yaml:4:18: no rule is on `chain.stalled`: it is never open\n')
  expect(out).not.toContain('no rule is on `source.unavailable`')
  expect(out).toContain('rules/more:1:1: rules in a folder below are not read, such as b.YAML: move them up')
})

test('an address that lacks a digit, or has a name in its place, is a warning', async () => {
  const [whole, hash] = [`0x${'Ab'.repeat(20)}`, `0x${'cd'.repeat(32)}`]
  const short = whole.slice(0, -1)
  const where = `where: transfer.from in ["${whole}", "${short}", ""] || transfer.mainTxHash == "${hash}" || transfer.token.address != "${short}"`
  const { exitCode, out } = await check([...stalled, where])
  expect(exitCode).toBe(0)
  expect(out.match(/`[^`]*` is no address and no hash/g)).toEqual([
    `\`${short}\` is no address and no hash`,
    `\`${short}\` is no address and no hash`,
  ])
})

const routed = (...matches: readonly string[]) =>
  `routes: [${matches.map((match) => `{ ${match}, channels: [ops-slack] }`).join(', ')}, { channels: [ops-slack] }]`

test.each([
  [`match: 'severity == "critical"'`, `match: '(severity == "critical") && kind == "transfer.failed"'`, true],
  [
    `match: 'kind == "transfer.failed"&&severity=="critical"'`,
    `match: 'severity == "critical" && kind == "transfer.failed" && labels.chain == "main"'`,
    true,
  ],
  [`match: 'kind in ["transfer.failed"]'`, `match: 'kind in ["transfer.failed"]'`, true],
  [
    `match: 'severity == "critical"', continue: true`,
    `match: 'severity == "critical" && kind == "transfer.failed"'`,
    false,
  ],
  [`match: 'severity == "critical" && kind == "transfer.failed"'`, `match: 'severity == "critical"'`, false],
  [`match: 'severity == "critical" || kind == "transfer.failed"'`, `match: 'severity == "critical"'`, false],
  [`match: 'severity == "warning"'`, `match: 'severity == "critical"'`, false],
])('a route to which nothing comes is a warning: %s, then %s: %s', async (first, second, isWarned) => {
  const { exitCode, out } = await check(stalled, `${routed(first, second)}\n`)
  expect(exitCode).toBe(0)
  expect(out.includes('never reached: `routes[0]` takes all that this one asks for')).toBe(isWarned)
})

test('an event in open() is a warning', async () => {
  const rule = ['on: transfer.stalled', 'unless: open("transfer.failed") || open("chain.stalled")']
  writeFileSync(join(folder, 'rules', 'c.yml'), 'rules: [{ name: more, on: transfer.failed }]')
  const { exitCode, out } = await check(rule)
  expect(exitCode).toBe(0)
  expect(out).toContain('rules/a.yaml:4:18: `transfer.failed` is an event, which is sent once and never open')
})

test('a file whose ending is in capitals is read', async () => {
  writeFileSync(join(folder, 'rules', 'B.YAML'), 'rules: [{ name: it, on: transfer.failed }]')
  const { exitCode, err } = await check(stalled)
  expect(exitCode).toBe(2)
  expect(err).toContain('the rule name `it` is taken')
})

test.each([
  {
    title: 'a token of a bound',
    rule: [
      'on: flow.surge',
      'with: { maxAmount: { "0x00000000000000000000000000000000000000bb": "5", USCD: "5" } }',
    ],
    says: 'rules/a.yaml:4:77: no token of bridge.tokens has the symbol `USCD`, did you mean `USDC`?',
  },
  ...['facts.token', 'labels["token"]'].map((name) => ({
    title: `a symbol in ${name}`,
    rule: ['on: flow.surge', 'with: { maxCount: 5 }', `where: ${name} == "USDC"`],
    says: `rules/a.yaml:5:${name.length + 16}: labels["symbol"] holds the symbol; no token of bridge.tokens has the address \`USDC\``,
  })),
  {
    title: 'a token of a parameter',
    rule: ['on: flow.failing', 'with: { token: USCD }'],
    says: 'rules/a.yaml:4:20: no token of bridge.tokens has the symbol `USCD`, did you mean `USDC`?',
  },
  {
    title: 'a limit',
    rule: ['on: limit.used', 'where: facts.name == "todya"'],
    says: 'rules/a.yaml:4:26: no limit of bridge.limits has the name `todya`, did you mean `today`?',
  },
  {
    title: 'an operator',
    rule: ['on: operator.quiet', 'where: operator == "0x00000000000000000000000000000000000000d2"'],
    says: 'rules/a.yaml:4:24: bridge.operators does not list `0x00000000000000000000000000000000000000d2`, did you mean',
  },
  {
    title: 'a contract',
    rule: [
      'on: contract.changed',
      'where: contract in ["0x00000000000000000000000000000000000000B1", "0x00000000000000000000000000000000000000b2"]',
    ],
    says: 'rules/a.yaml:4:71: bridge.contracts does not list `0x00000000000000000000000000000000000000b2`, did you mean',
  },
])('of a rule $title that is not configured is a warning', async ({ rule, says }) => {
  const bridge = `bridge:
  tokens: [{ address: "0x00000000000000000000000000000000000000aa", symbol: USDC, decimals: 6 }]
  contracts: ["0x00000000000000000000000000000000000000b1"]
  operators: [{ address: "0x00000000000000000000000000000000000000d1" }]
  limits: [{ name: today, address: "0x00000000000000000000000000000000000000b1", call: "used() view returns (uint256)", max: "5" }]
`
  const { exitCode, out } = await check(rule, bridge)
  expect(exitCode).toBe(0)
  expect(out).toContain(says)
  expect(out.match(/does not list|no token of|no limit of/g)).toHaveLength(1)
})

test.each([
  ['transfer.stalled', 'transfer.crossType == "withdraw"', 'none is `withdraw`, did you mean `Withdraw`?'],
  ['transfer.stalled', 'transfer.crossType in ["Withdraw", "Instant"]', 'none is `Instant`'],
  ['transfer.stalled', 'transfer.token.type in ["erc20", ""]', 'none is `erc20`, did you mean `ERC20`?'],
  ['source.unavailable', 'source == "explorr"', 'none is `explorr`, did you mean `explorer`?'],
  ['source.drift', 'source != "Canonical"', 'none is `Canonical`, did you mean `canonical`?'],
  ['source.differs', 'source == "a.example.com"', null],
])('a word of a rule on %s that is not documented is a warning: %s', async (kind, where, says) => {
  const { exitCode, out } = await check([`on: ${kind}`, `where: '${where}'`])
  expect(exitCode).toBe(0)
  expect(/rules\/a\.yaml:4:\d+: of .*(none is .*)/.exec(out)?.[1] ?? null).toBe(says)
})

test.each([
  ['transfer.stalled', '', 'age > duration("5m")', 'by `after`, `age` is 30m or more: this is always so'],
  [
    'transfer.stalled',
    'after: 10m',
    'duration("9m59s") > age',
    'by `after`, `age` is 10m or more: this is never so',
  ],
  ['transfer.stalled', 'after: 10m', 'age < duration("20m")', null],
  ['transfer.stalled', 'after: p99 * 3', 'age > duration("1m")', null],
  [
    'operator.quiet',
    'after: 1h',
    'age >= duration("1h")',
    'by `after`, `age` is 1h or more: this is always so',
  ],
  ['flow.surge', 'maxCount: 1', 'age > duration("1m")', null],
  ['limit.used', '', 'facts.percent > 0.8', 'whole number of per cent: 0.8 is less than one, write 80'],
  ['limit.used', '', 'facts.percent > 80', null],
])(
  'a bound of a rule on %s with { %s } that is always or never kept is a warning: %s',
  async (kind, params, where, says) => {
    const { exitCode, out } = await check([`on: ${kind}`, `with: { ${params} }`, `where: '${where}'`])
    expect(exitCode).toBe(0)
    const warned = /rules\/a\.yaml:5:\d+: (.*)/.exec(out)?.[1] ?? null
    expect(warned).toEqual(says && expect.stringContaining(says))
  },
)

test.each([
  ['with: { after: 400d }', '', '4:20: `after` is 400d'],
  ['with: { after: 399d }', '', null],
  ['severity: info', 'retention: { transfers: 7d }', '2:11: `after` is 10d'],
  ['severity: info', 'retention: { transfers: 11d }', null],
])('a challenge that is forgotten before it is told is a warning: %s %s', async (line, rest, place) => {
  const bridge = 'bridge: { challenge: { terminal: [done] } }'
  const { exitCode, out } = await check(['on: challenge.stuck', line], `${bridge}\n${rest}\n`)
  expect(exitCode).toBe(0)
  expect(/rules\/a\.yaml:(.*), and .*/.exec(out)?.[1] ?? null).toBe(place)
  const says =
    'and `retention.transfers` forgets what is so old: it is never found; lower the one or raise the other'
  expect(out.includes(says)).toBe(place !== null)
  const off = await check(['on: challenge.stuck', line], `${rest}\n`)
  expect(off.out).not.toContain(says)
})

test('names that there are give no warning', async () => {
  const { out } = await check(
    [...stalled, 'labels: { team: treasury }', 'where: labels["symbol"] == ""'],
    `routes:
  - { match: 'rule == "it" || labels.team in ["treasury", ""] || rule.startsWith("i")', channels: [ops-slack] }
  - { match: 'transfer == "t5" && source == "explorer" && symbol != ""', channels: [ops-slack] }
  - { groupBy: [case, escrow], channels: [ops-slack] }
`,
  )
  expect(out).not.toContain('warnings')
})

test('`routes test` says which labels no alert has', async () => {
  await check(stalled)
  const words = ['tokn=0xaa', 'rule=ti', 'severity=hot', 'chain=main']
  const { out } = await runCommand(['routes', 'test', ...words, '-c', join(folder, 'spanwatch.yaml')])
  expect(out.split('\n').filter((line) => line.startsWith('but'))).toEqual([
    'but        no alert has a label `tokn`, did you mean `token`?',
    'but        there is no rule `ti`, did you mean `it`?',
    'but        there is no severity `hot`',
  ])
})

test('all mistakes of all files are reported at once, in the order of the text', async () => {
  writeFileSync(join(folder, 'rules', 'b.yaml'), 'rules:\n  - { name: other, on: transfer.faild }\n')
  const { exitCode, err } = await check([
    ...stalled,
    'with: { dirction: ZoneToMain }',
    'where: transfer.amout > amount("1")',
    'for: soon',
    'summary: "{{ fact }}"',
  ])
  expect(exitCode).toBe(2)
  const places = [...err.matchAll(/rules\/([ab]\.yaml:\d+)/g)].map(([, place]) => place)
  expect(places).toEqual(['a.yaml:4', 'a.yaml:5', 'a.yaml:6', 'a.yaml:7', 'b.yaml:2'])
})
