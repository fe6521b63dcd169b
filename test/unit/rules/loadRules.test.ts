import { kinds } from '../../../src/checks/index.ts'
import { describe, expect, test } from 'vitest'
import { renderProblems } from '../../../src/lib/renderProblems.ts'
import { loadRules } from '../../../src/rules/loadRules.ts'
import { problemsOf, problemsOfText, ruleOf } from './ruleFiles.ts'

describe('loadRules', () => {
  test('reads every key of a rule', () => {
    const rule = ruleOf(
      'on: transfer.stalled',
      'with: { direction: ZoneToMain, after: 1h30m }',
      'for: 10s',
      'keepFiringFor: 1m',
      'severity: warning',
      'labels: { team: bridge }',
      'runbook: https://example.com/stalled',
    )
    expect(rule).toMatchObject({
      name: 'test',
      kind: 'transfer.stalled',
      params: { direction: 'ZoneToMain', after: 5_400_000 },
      forMs: 10_000,
      keepFiringForMs: 60_000,
      severity: 'warning',
      labels: { team: 'bridge' },
      runbook: 'https://example.com/stalled',
      origin: 'rules/test.yaml:2',
    })
  })

  test('takes the rule that the documents show', () => {
    const rule = ruleOf(
      'on: transfer.stalled',
      'with: { direction: ZoneToMain, after: 30m }',
      'where: transfer.amount >= amount("1000") && transfer.token.symbol in ["USDC", "USDT"]',
      'for: 0s',
      'severity: critical',
      'labels: { team: bridge }',
      'summary: "{{ transfer.amount }} {{ transfer.token.symbol }} has waited {{ age | duration }}"',
      'runbook: https://example.com/runbook',
      'unless: open("source.unavailable")',
    )
    expect(rule.isExcused((kind) => kind === 'source.unavailable')).toBe(true)
  })

  test('a rule without texts tells everything of its kind, in words of the kind', () => {
    const rule = ruleOf('on: transfer.failed', 'severity: info')
    expect(rule).toMatchObject({ forMs: 0, keepFiringForMs: 0, runbook: null, labels: {} })
    expect(rule.isExcused(() => true)).toBe(false)
  })

  test('what a rule asks for is another matter by its parameters and its `where`, and not by what else it says', () => {
    const asked = ['with: { after: 30m }', 'where: age > duration("40m")']
    const asks = (...lines: string[]) => ruleOf('on: transfer.stalled', ...lines).asks
    expect(asks('with: { after: 1800s }', 'where: age > duration("40m")', 'for: 1m', 'severity: info')).toBe(
      asks(...asked),
    )
    expect(asks('with: { after: 31m }', 'where: age > duration("40m")')).not.toBe(asks(...asked))
    expect(asks('with: { after: 30m }', 'where: age > duration("41m")')).not.toBe(asks(...asked))
  })

  test('a rule that gives no severity warns', () => {
    expect(ruleOf('on: transfer.failed').severity).toBe('warning')
  })

  const stalled = ['on: transfer.stalled', 'severity: info']
  test.each([
    ['a mistyped key', [...stalled, 'serverity: x'], '5:5 unknown key `serverity`, did you mean `severity`?'],
    [
      'a mistyped parameter',
      [...stalled, 'with: { dirction: x }'],
      '5:13 unknown key `dirction`, did you mean `direction`?',
    ],
    [
      'a duration without a unit',
      [...stalled, 'with: { after: 30 }'],
      '5:20 `after`: expected a duration such as 30m, or a percentile such as p99 * 3, got 30',
    ],
    [
      'a duration that is none',
      [...stalled, 'with: { after: soon }'],
      '5:20 `after`: expected a duration such as 30m, or a percentile such as p99 * 3, got "soon"',
    ],
    [
      'a bound of nothing',
      [...stalled, 'with: { after: 0s }'],
      '5:20 `after`: expected a duration above 0, got "0s"',
    ],
    [
      'a `for` that is a number',
      [...stalled, 'for: 5'],
      '5:10 `for`: expected a duration such as 30m, got 5',
    ],
    [
      'an unquoted address',
      [...stalled, 'labels: { escrow: 0xabcdef }'],
      '5:23 quote this address: without quotes YAML reads 0xabcdef as a number',
    ],
    [
      'an unknown kind',
      ['on: transfer.staled', 'severity: info'],
      '3:9 `on`: expected a known value, got "transfer.staled", did you mean `transfer.stalled`?',
    ],
    [
      'an unknown severity',
      ['on: transfer.failed', 'severity: crit'],
      '4:15 `severity`: expected one of critical, warning, info, got "crit"',
    ],
    [
      '`for` on an event (semantics 27)',
      ['on: transfer.failed', 'severity: info', 'for: 5m'],
      '5:5 `for` has no meaning for transfer.failed: it is an event, which is sent once and for certain',
    ],
    [
      'a label that is taken (semantics 33)',
      [...stalled, 'labels: { rule: x }'],
      '5:15 `rule`: this label is set by the monitor itself; choose another name',
    ],
    [
      'a label that is a number',
      [...stalled, 'labels: { team: 5 }'],
      '5:21 `labels.team`: expected text in quotes, got 5',
    ],
    [
      'a runbook that is no link',
      [...stalled, 'runbook: javascript:alert(1)'],
      '5:14 `runbook`: expected a link that begins with https:// or http://, got "javascript:alert(1)"',
    ],
    [
      'parameters that are no mapping',
      [...stalled, 'with: 5'],
      "5:11 `with`: expected the kind's parameters, such as { after: 15m }, got 5",
    ],
    [
      'an infinite number',
      ['on: monitor.poll_overdue', 'severity: info', 'with: { factor: .inf }'],
      '5:21 .inf is not a number that means anything here',
    ],
    [
      'a silence that is longer than what it is compared with',
      ['on: flow.quiet', 'severity: info', 'with: { window: 7d }'],
      '5:21 `window`: expected at most 3d: it is compared with such windows of the past week, got "7d"',
    ],
    [
      'a surge over its past in windows of which none lies there',
      ['on: flow.surge', 'severity: info', 'with: { window: 7d, timesPast: 2 }'],
      '5:21 `window`: expected at most 3d: it is compared with such windows of the past week, got "7d"',
    ],
    [
      'a surge in a window that is longer than what is kept',
      ['on: flow.surge', 'severity: info', 'with: { window: 32d, maxCount: 5 }'],
      '5:21 `window`: expected at most 31d, got "32d"',
    ],
    [
      'an imbalance in such a window',
      ['on: flow.imbalance', 'severity: info', 'with: { window: 32d }'],
      '5:21 `window`: expected at most 31d, got "32d"',
    ],
    ['a repeated key', [...stalled, 'on: chain.stalled'], '5:5 this key was given before, in line 3'],
  ])('%s is refused with its place', (_title, lines, problem) => {
    expect(problemsOf(...lines)).toContain(problem)
  })

  test.each([
    ['', '1:1 the file is empty: expected `rules:` with a list of rules'],
    ['# nothing\n', '1:1 the file is empty: expected `rules:` with a list of rules'],
    ['rules: []\n', '1:8 `rules`: expected at least one rule'],
    ['rules: 5\n', '1:8 `rules`: expected a list of rules'],
    ['- a\n', '1:1 expected `rules:` with a list of rules'],
    ['rule: []\n', '1:1 `rules` is missing: expected `rules:` with a list of rules; `rule` is not it'],
  ])('the file %j is refused', (text, problem) => {
    expect(problemsOfText(text)).toEqual([problem])
  })

  test('a key beside the rules is refused', () => {
    expect(
      problemsOfText('rules:\n  - { name: a, on: transfer.failed, severity: info }\nextra: 1\n'),
    ).toEqual(['3:1 unknown key `extra`'])
  })

  test.each([
    'rules: [\n',
    'a: b: c\n',
    'rules: *x\n',
    'a: &a [*a]\nrules: *a\n',
    '--- 1\n--- 2\n',
    '? [1]\n: 2\n',
  ])('the broken text %j is refused, not thrown', (text) => {
    expect(problemsOfText(text)).not.toEqual([])
  })

  test('aliases that multiply are refused', () => {
    const level = (n: number) =>
      `l${n}: &l${n} [${Array(9)
        .fill(`*l${n - 1}`)
        .join(', ')}]`
    const text = ['l0: &l0 [x]', ...[1, 2, 3, 4, 5, 6].map(level), 'rules: *l6', ''].join('\n')
    expect(problemsOfText(text)[0]).toMatch(/alias/i)
  })

  test('every problem of every file is reported, in order', () => {
    const wrong = 'rules:\n  - { name: a, on: transfer.failed, severity: bad }\n  - { name: 5 }\n'
    const loaded = loadRules(
      [
        { path: 'rules/b.yaml', text: wrong },
        { path: 'rules/a.yaml', text: '' },
      ],
      kinds,
    )
    const places = loaded.ok ? [] : loaded.problems.map(({ file, line }) => `${file}:${line}`)
    expect(places).toEqual(['rules/a.yaml:1', 'rules/b.yaml:2', 'rules/b.yaml:3', 'rules/b.yaml:3'])
  })

  test('a name taken in another file is refused and says by which', () => {
    const text = 'rules:\n  - name: a\n    on: transfer.failed\n    severity: info\n'
    const loaded = loadRules(
      [
        { path: 'rules/a.yaml', text },
        { path: 'rules/b.yaml', text },
      ],
      kinds,
    )
    expect(loaded).toMatchObject({
      problems: [
        { file: 'rules/b.yaml', line: 2, message: 'the rule name `a` is taken: rules/a.yaml:2 has it' },
      ],
    })
  })

  test('a second rule on what the alert engine judges of itself is refused: it would never fire', () => {
    const ruleOn = (name: string) => `  - { name: ${name}, on: monitor.channel_dead, severity: info }\n`
    const loaded = loadRules(
      [
        { path: 'rules/a.yaml', text: `rules:\n${ruleOn('first')}` },
        { path: 'rules/b.yaml', text: `rules:\n${ruleOn('own')}` },
      ],
      kinds,
    )
    expect(loaded).toMatchObject({
      problems: [
        {
          file: 'rules/b.yaml',
          line: 2,
          message:
            'one rule alone can be on monitor.channel_dead, and rules/a.yaml:2 is it: change that one, or remove it',
        },
      ],
    })
  })

  test('no files at all are refused: nothing would ever be told', () => {
    expect(loadRules([], kinds).ok).toBe(false)
  })

  test('a problem in a block is shown with its own line', () => {
    const text = [
      'rules:',
      '  - name: a',
      '    on: transfer.stalled',
      '    severity: info',
      '    where: |',
      '      transfer.direction == "ZoneToMain" &&',
      '        transfer.amont > amount("5")',
      '',
    ].join('\n')
    const loaded = loadRules([{ path: 'rules/test.yaml', text }], kinds)
    expect(loaded.ok ? '' : renderProblems(loaded.problems)).toMatchInlineSnapshot(`
      "rules/test.yaml:7:18: \`where\`: unknown name \`transfer.amont\`, did you mean \`transfer.amount\`?
          7 |         transfer.amont > amount("5")
            |                  ^"
    `)
  })
})
