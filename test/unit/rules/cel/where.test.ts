import { kinds } from '../../../../src/checks/index.ts'
import { fc, timesOf } from '../../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { compareAmounts, toAmountValue } from '../../../../src/rules/cel/amountValue.ts'
import { compileLabelPredicate } from '../../../../src/rules/cel/compileConditions.ts'
import type { Finding } from '../../../../src/bridge/finding.ts'
import type { Transfer } from '../../../../src/bridge/transfer.ts'
import { problemsOf, ruleOf } from '../ruleFiles.ts'
import { pendingSince } from '../transfers.ts'

const origin = 1_000_000
const stalled = (overrides: Partial<Transfer> = {}, finding: Partial<Finding> = {}): Finding => ({
  kind: 'transfer.stalled',
  subject: 't1',
  title: 'a withdrawal',
  transfer: pendingSince(origin, origin, overrides),
  facts: { limitMs: 60_000 },
  labels: { direction: 'ZoneToMain' },
  evidence: [],
  since: origin,
  ...finding,
})
const where = (text: string) => ruleOf('on: transfer.stalled', `where: ${text}`, 'severity: info')
const holds = (text: string, finding = stalled(), now = origin + 60_000) => where(text).matches(finding, now)

/** 2^255 + 1 base units of a token with 18 decimals. */
const huge = '57896044618658097711785492504343953926634992332820282019728.792003956564819969'

describe('where', () => {
  test.each([
    ['transfer.amount >= amount("1.5")', true],
    ['transfer.amount >= amount("1.50000")', true],
    ['transfer.amount > amount("1.5")', false],
    ['transfer.amount != amount("1.50")', false],
    ['transfer.amount in [amount("2"), amount("1.50")]', true],
    ['transfer.token.symbol in ["USDC", "USDT"]', true],
    ['transfer.direction == "ZoneToMain" && transfer.state == "pending"', true],
    ['transfer.mainTxHash == "" && transfer.zoneTxHash.startsWith("0x")', true],
    ['transfer.destinationAt == null', true],
    ['transfer.originAt < timestamp("2026-01-01T00:00:00Z")', true],
    ['transfer.zoneHeight == 5000', true],
    ['age >= duration("1m")', true],
    ['age > duration("1m")', false],
    ['facts.limitMs == 60000', true],
    ['facts.destinationHeight == null', true],
    ['labels["direction"] == "ZoneToMain" && labels.chain == ""', true],
    ['kind == "transfer.stalled"', true],
  ])('%s is %s', (text, expected) => {
    expect(holds(`'${text}'`)).toBe(expected)
  })

  test.each([
    ['transfer.target == "0xABcd00000000000000000000000000000000EF01"', true],
    ['transfer.target in ["0x00", "0xABcd00000000000000000000000000000000EF01"]', true],
    ['transfer.target != "0xABcd00000000000000000000000000000000EF01"', false],
    ['transfer.target.startsWith("0xABcd")', true],
    ['transfer.target.endsWith("EF01")', true],
    ['transfer.target.contains("ABcd0")', true],
    ['transfer.target.matches("^0xAB[a-fA-F]")', true],
    ['transfer.target.matches("^0xAC")', false],
    ['transfer.target in {"0xABcd00000000000000000000000000000000EF01": 1}', true],
    ['["0xABcd00000000000000000000000000000000EF01"].exists(one, one == transfer.target)', true],
    [
      '[transfer.source, transfer.target].exists(one, one == "0xABcd00000000000000000000000000000000EF01")',
      true,
    ],
    ['"0xABcd00000000000000000000000000000000EF01" in [transfer.source, transfer.target]', true],
    ['transfer.token.symbol.endsWith("DEC")', false],
    ['["0x00000000000000000000000000000000000000AA"].exists(one, one == transfer.id)', true],
    ['labels["token"] == "0x00000000000000000000000000000000000000AA"', true],
    ['labels.token == "0x00000000000000000000000000000000000000AA"', true],
    ['transfer.id == "0x00000000000000000000000000000000000000AA"', true],
    ['transfer.id == "0x00000000000000000000000000000000000000aa"', false],
  ])('an address is written in any case, an id as it is: %s is %s', (text, expected) => {
    const labels = { token: '0x00000000000000000000000000000000000000aa' }
    const target = '0xabcd00000000000000000000000000000000ef01'
    const finding = stalled(
      { targetAddress: target, id: '0x00000000000000000000000000000000000000AA' },
      { labels },
    )
    expect(holds(`'${text}'`, finding)).toBe(expected)
  })

  test('what a rule says itself in a label is compared as it stands', () => {
    const own = 'labels: { vault: "0x00000000000000000000000000000000000000AA" }'
    const matches = (vault: string) =>
      ruleOf('on: transfer.stalled', `where: 'labels.vault == "${vault}"'`, 'severity: info', own).matches(
        stalled(),
        origin,
      )
    expect(matches('0x00000000000000000000000000000000000000AA')).toBe(true)
    expect(matches('0x00000000000000000000000000000000000000aa')).toBe(false)
  })

  test.each([
    'transfer.amountRaw >= "5"',
    'transfer.token.id < "5"',
    'facts.limitFrom > transfer.amountRaw',
    'labels.team > "3"',
  ])('texts have no order: %s is refused', (text) => {
    expect(problemsOf('on: transfer.stalled', `where: ${text}`, 'labels: { team: "4" }')).toEqual([
      expect.stringContaining('compares texts letter by letter'),
    ])
  })

  test('what a text says is compared as the number that it is', () => {
    const raw = (amountRaw: bigint) => stalled({ amountRaw })
    expect(holds('amount(transfer.amountRaw) >= amount("9")', raw(1_000n))).toBe(true)
    expect(holds('int(transfer.amountRaw) >= int("9")', raw(8n))).toBe(false)
  })

  test('an amount of 2^255+1 is told from its neighbours to the last unit', () => {
    const finding = stalled({ amount: huge })
    const next = `${huge.slice(0, -2)}70`
    expect(holds(`transfer.amount >= amount("${huge}")`, finding)).toBe(true)
    expect(holds(`transfer.amount >= amount("${next}")`, finding)).toBe(false)
  })

  test('an unknown amount is neither large nor small, but an error', () => {
    const finding = stalled({ amount: null })
    expect(() => holds('transfer.amount > amount("0")', finding)).toThrow('the amount is unknown')
    expect(() => holds('transfer.amount <= amount("0")', finding)).toThrow('the amount is unknown')
    expect(() => holds('transfer.amount == amount("0")', finding)).toThrow('the amount is unknown')
    expect(() => holds('transfer.amount != amount("0")', finding)).toThrow('the amount is unknown')
  })

  test('amounts of any scale compare as the integers they are', () => {
    const decimal = fc.tuple(fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }), fc.integer({ min: 0, max: 30 }))
    const write = ([raw, scale]: [bigint, number]) => {
      const digits = raw.toString().padStart(scale + 1, '0')
      const cut = digits.length - scale
      return scale === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`
    }
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const left = a[0] * 10n ** BigInt(30 - a[1])
        const right = b[0] * 10n ** BigInt(30 - b[1])
        const sign = left < right ? -1 : left > right ? 1 : 0
        expect(compareAmounts(toAmountValue(write(a)), toAmountValue(write(b)))).toBe(sign)
      }),
      { numRuns: timesOf(200) },
    )
  })

  test.each([
    ['transfer.amont > amount("1")', 21, 'unknown name `transfer.amont`, did you mean `transfer.amount`?'],
    ['trasfer.amount > amount("1")', 12, 'unknown name `trasfer`, did you mean `transfer`?'],
    ['transfer.amount > 5', 12, 'no such overload: Amount > int (an amount is written amount("1000.5"))'],
    ['age > 30', 12, 'no such overload: Duration > int (a duration is written duration("30m"))'],
    ['transfer.amount > amount("1,5")', 37, 'expected an amount such as "1000.5", got "1,5"'],
    ['age > duration("1d")', 27, 'expected a duration such as "30m" or "36h", got "1d"'],
    ['transfer.amount >', 29, 'Unexpected token: EOF'],
    ['transfer.direction', 12, 'expected an expression that is true or false, this one gives string'],
    [
      'transfer.direction == "zoneToMain"',
      34,
      'transfer.direction is never "zoneToMain", did you mean `ZoneToMain`?',
    ],
    [
      'transfer.direction.startsWith("zone")',
      42,
      'transfer.direction is nothing of which startsWith("zone") is true; it is one of MainToZone, ZoneToMain',
    ],
    [
      'transfer.direction.matches("^zone")',
      39,
      'transfer.direction is nothing of which matches("^zone") is true; it is one of MainToZone, ZoneToMain',
    ],
    [
      'transfer.state.contains("stalled") == false',
      36,
      'transfer.state is nothing of which contains("stalled") is true; it is one of pending, completed, failed, unbacked',
    ],
    ['kind == "transfer.failed"', 20, 'kind is never "transfer.failed", did you mean `transfer.stalled`?'],
    [
      'labels.kind == "transfer.failed"',
      27,
      'labels.kind is never "transfer.failed", did you mean `transfer.stalled`?',
    ],
    [
      'transfer.destinationAt == ""',
      38,
      'transfer.destinationAt is never "", which is no text; what is not known is null',
    ],
    [
      'transfer.zoneHeight in ["5000"]',
      36,
      'transfer.zoneHeight is never "5000", which is no text; what is not known is null',
    ],
    [
      'transfer.originAt > timestamp("2026-01-31")',
      42,
      'expected a time such as "2026-01-31T08:00:00Z", got "2026-01-31"',
    ],
    [
      'transfer.originAt.getHours("Europe/Berlni") > 8',
      39,
      'expected a time zone such as "Europe/Berlin", got "Europe/Berlni"',
    ],
    ['labels["tokn"] == "x"', 12, 'no alert has a label `tokn`, did you mean `token`?'],
    ['labels.direction == "out"', 32, 'labels.direction is never "out"; it is one of MainToZone, ZoneToMain'],
    [
      'transfer.amount > amount("5") && age > duration("1m") && transfer.amount < amount("3.0")',
      69,
      '`transfer.amount > amount("5")` and `transfer.amount < amount("3.0")` are never true together',
    ],
    [
      'age >= duration("1h") && duration("60m") > age',
      37,
      '`age >= duration("1h")` and `duration("60m") > age` are never true together',
    ],
    [
      'transfer.direction == "MainToZone" && transfer.direction == "ZoneToMain"',
      50,
      '`transfer.direction == "MainToZone"` and `transfer.direction == "ZoneToMain"` are never true together',
    ],
    [
      'transfer.token.symbol != "USDC" || transfer.token.symbol != "USDT"',
      47,
      '`transfer.token.symbol != "USDC"` or `transfer.token.symbol != "USDT"` is always true',
    ],
    [
      'transfer.mainHeight < 5 || transfer.mainHeight > -3',
      39,
      '`transfer.mainHeight < 5` or `transfer.mainHeight > -3` is always true',
    ],
    ['1 == 2', 12, 'the expression names nothing, so that it is always the same'],
    [
      'transfer.token.constructor == ""',
      27,
      'unknown name `transfer.token.constructor`; known here: address, symbol, name, label, type, id',
    ],
  ])('%s is refused when loaded', (text, column, message) => {
    expect(problemsOf('on: transfer.stalled', `where: ${text}`, 'severity: info')).toEqual([
      `4:${column} \`where\`: ${message}`,
    ])
  })

  test.each([
    'transfer.amount >= amount("5") && transfer.amount <= amount("5.00")',
    'transfer.amount > amount("3") && transfer.amount < amount("5")',
    'transfer.amount < amount("3") || transfer.amount > amount("5")',
    'transfer.token.symbol != "USDC" && transfer.token.symbol != "USDT"',
    'transfer.token.symbol == "USDC" || transfer.token.symbol == "USDT"',
    `transfer.target == "0x${'AB'.repeat(20)}" && transfer.target == "0x${'ab'.repeat(20)}"`,
    'transfer.mainHeight > 5 && (transfer.mainHeight < 3 || age > duration("1m"))',
    'transfer.mainHeight > 5 && transfer.zoneHeight < 3',
  ])('what can be true, and need not be, is taken: %s', (where) => {
    expect(problemsOf('on: transfer.stalled', `where: '${where}'`, 'severity: info')).toEqual([])
  })

  test('a fact of another kind is refused, with the facts that there are', () => {
    expect(problemsOf('on: chain.stalled', 'where: facts.waitedMs > 1', 'severity: info')).toEqual([
      '4:18 `where`: unknown name `facts.waitedMs`; known here: height, limitMs, blockTimeAt, inFlight, what, explorerHeight, canonicalHeight, preconfHeight',
    ])
  })

  test.each([
    ['flow.surge', 'facts.amount > amount("250")', 'facts.amount is a text: write amount(facts.amount)'],
    ['flow.surge', 'amount("250") == facts.amount', 'facts.amount is a text: write amount(facts.amount)'],
    [
      'operator.low_balance',
      'facts.perDay < amount("1")',
      'facts.perDay is a text: write amount(facts.perDay)',
    ],
  ])('of %s a fact that says an amount is read as one: %s is refused', (kind, where, message) => {
    const bound = kind === 'flow.surge' ? ['with: { maxCount: 5 }'] : []
    expect(problemsOf(`on: ${kind}`, ...bound, `where: '${where}'`)).toEqual([
      expect.stringContaining(message),
    ])
  })

  test.each([
    ['facts.destinationHalted == "true"', 'facts.destinationHalted is never "true", which is no text'],
    ['facts.destinationHalted > 0', 'no such overload: bool > int'],
    ['facts.destinationHeight in ["5"]', 'facts.destinationHeight is never "5", which is no text'],
    [
      'facts.usualMs > duration("5m")',
      'no such overload: int > Duration (milliseconds are compared as a number, as in > 300000)',
    ],
    ['facts.usualMs > amount("5")', 'no such overload: int > Amount'],
    ['transfer.destinationAt > 5', 'no such overload: Timestamp > int'],
    ['transfer.mainHeight in [true]', 'no such overload: int in bool'],
  ])('what may be null has the type that it has otherwise: %s is refused', (where, message) => {
    expect(problemsOf('on: transfer.stalled', `where: '${where}'`)).toEqual([
      expect.stringContaining(`\`where\`: ${message}`),
    ])
  })

  test.each([
    ['labels["severity"] == "critical"', 'labels.severity is never "critical"; it is info'],
    ['labels.severity in ["critical", "warning"]', 'labels.severity is never "critical"; it is info'],
    ['labels.severity in ["info", "crit"]', 'labels.severity is never "crit"; it is one of critical'],
    ['labels.rule == "another"', 'labels.rule is never "another"'],
    ['transfer.direction == "MainToZone"', 'transfer.direction is never "MainToZone"'],
    ['labels.direction == "MainToZone"', 'labels.direction is never "MainToZone"'],
  ])('what the rule itself says is the same in all that it finds: %s is refused', (where, message) => {
    const lines = ['on: transfer.stalled', 'with: { direction: ZoneToMain }', `where: '${where}'`]
    expect(problemsOf(...lines, 'severity: info')).toEqual([expect.stringContaining(message)])
  })

  test.each(['transfer.direction in ["MainToZone", "ZoneToMain"]', 'labels.severity in ["info", "warning"]'])(
    'what other rules say may stand beside it in a list: %s',
    (where) => {
      const lines = ['on: transfer.stalled', 'with: { direction: ZoneToMain }', `where: '${where}'`]
      expect(problemsOf(...lines, 'severity: info')).toEqual([])
    },
  )

  test('a sum of a flow that may be null is a text', () => {
    expect(problemsOf('on: flow.surge', 'with: { maxCount: 5 }', "where: 'facts.amount == 5'")).toEqual([
      expect.stringContaining('no such overload: string == int (a text stands in quotes'),
    ])
  })

  test.each([
    'facts.destinationHalted == true && facts.destinationHalted != null',
    'facts.usualMs > 5.5 || facts.usualMs == null || 300000 < facts.usualMs',
    'facts.usualMs > facts.limitMs',
    'transfer.destinationAt == null || transfer.destinationAt > timestamp("2026-01-31T08:00:00Z")',
    'transfer.mainHeight in [5, 6]',
  ])('what may be null is compared with what it can be: %s', (where) => {
    expect(problemsOf('on: transfer.stalled', `where: '${where}'`)).toEqual([])
  })

  test('a kind without a transfer has no such name', () => {
    expect(problemsOf('on: chain.stalled', 'where: transfer.state == "pending"', 'severity: info')).toEqual([
      '4:12 `where`: unknown name `transfer`; known here: kind, age, labels, facts, chain',
    ])
  })

  test.each([
    ['transfer.unbacked', 'facts.reason == "missing"', 'facts.reason is never "missing"'],
    ['transfer.unbacked', 'facts.reason in ["absent", "unlistd"]', 'did you mean `unlisted`?'],
    ['transfer.mismatch', 'facts.what != "amounts"', 'did you mean `amount`?'],
    ['contract.changed', 'facts.group == "upgraded"', 'did you mean `upgrade`?'],
    ['escrow.drift', 'facts.direction == "outgoing"', 'it is one of out, in'],
    ['probe.missed', 'facts.state == "underway"', 'did you mean `under way`?'],
  ])('of %s a fact with words of its own has no other: %s is refused', (kind, where, hint) => {
    expect(problemsOf(`on: ${kind}`, `where: '${where}'`, 'severity: info')).toEqual([
      expect.stringContaining(hint),
    ])
  })

  test('a fact that some findings lack may be asked for nothing', () => {
    const where = 'where: facts.statusAfter == "" || facts.statusAfter in ["failed", "success"]'
    expect(problemsOf('on: transfer.rewritten', where, 'severity: info')).toEqual([])
  })
})

describe('unless', () => {
  const rule = ruleOf(
    'on: transfer.stalled',
    'unless: open("source.unavailable") || open("chain.stalled")',
    'severity: info',
  )

  test('excuses while an alert of the kind is open', () => {
    expect(rule.isExcused((kind) => kind === 'chain.stalled')).toBe(true)
    expect(rule.isExcused(() => false)).toBe(false)
  })

  test('a kind that does not exist is refused', () => {
    expect(problemsOf('on: transfer.stalled', 'unless: open("chain.staled")', 'severity: info')).toEqual([
      '4:18 `unless`: unknown kind `chain.staled`, did you mean `chain.stalled`?',
    ])
  })
})

describe('compileLabelPredicate', () => {
  const run = (text: string, labels: Record<string, string>) => {
    const compiled = compileLabelPredicate(kinds.names, text)
    return compiled.ok ? compiled.run(labels) : compiled.problem
  }

  test.each([
    ['severity == "critical"', { severity: 'critical' }, true],
    ['severity == "critical"', { severity: 'info' }, false],
    ['kind in ["transfer.stalled", "chain.stalled"]', { kind: 'chain.stalled' }, true],
    ['chain == ""', {}, true],
    ['labels["team"] == "bridge"', { team: 'bridge' }, true],
    ['labels["team"] == "bridge"', {}, false],
    ['labels.team != "bridge"', {}, true],
    ['kind in ["transfer.stalled", "chain.stalled", "flow.quiet"]', { kind: 'flow.quiet' }, true],
    ['rule.startsWith("deposit-") && symbol == "USDC"', { rule: 'deposit-stalled', symbol: 'USDC' }, true],
  ])('%s over %j is %s', (text, labels, expected) => {
    expect(run(text, labels as Record<string, string>)).toBe(expected)
  })

  test.each([
    ['token == "0x00000000000000000000000000000000000000AA"', true],
    ['labels["escrow"] in ["0x00000000000000000000000000000000000000AA"]', true],
    ['token.endsWith("AA") && labels.escrow.matches("0AA$")', true],
    ['labels.vault.endsWith("aa") || labels.vault.matches("aa")', false],
    ['labels.vault in {"0x00000000000000000000000000000000000000AA": 1}', true],
    ['["0x00000000000000000000000000000000000000AA"].exists(one, one == labels.vault)', true],
    ['["0x00000000000000000000000000000000000000AA"].exists(one, one == token)', true],
    ['labels.vault == "0x00000000000000000000000000000000000000aa"', false],
    ['labels.vault == "0x00000000000000000000000000000000000000AA"', true],
  ])(
    'an address of a finding is written in any case, one of a rule as the rule does: %s is %s',
    (text, expected) => {
      const found = '0x00000000000000000000000000000000000000aa'
      const vault = '0x00000000000000000000000000000000000000AA'
      expect(run(text, { token: found, escrow: found, vault })).toBe(expected)
    },
  )

  test.each([
    ['labels["kind"] == "transfer.staled"', expect.objectContaining({ offset: 18 })],
    ['labels.level > "3"', { message: expect.stringContaining('letter by letter'), offset: 0 }],
    ['severty == "critical"', { message: 'unknown name `severty`, did you mean `severity`?', offset: 0 }],
    ['kind == "transfer.staled"', expect.objectContaining({ offset: 8 })],
    ['"team" in labels', { message: expect.stringContaining('reads as ""'), offset: 0 }],
    ['has(labels.team)', { message: expect.stringContaining('reads as ""'), offset: 0 }],
    ['', { message: 'an empty expression; leave the key out instead', offset: 0 }],
  ])('%s is refused', (text, problem) => {
    expect(run(text, {})).toEqual(problem)
  })
})
