import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../../src/bridge/finding.ts'
import type { Transfer } from '../../../../src/bridge/transfer.ts'
import { hash } from '../../../support/records.ts'
import { problemsOf, ruleOf } from '../ruleFiles.ts'
import { pendingSince } from '../transfers.ts'

const origin = Date.UTC(2026, 6, 1, 12)
const finding = (overrides: Partial<Transfer> = {}, facts: Finding['facts'] = {}): Finding => ({
  kind: 'transfer.stalled',
  subject: 't1',
  title: 'a withdrawal',
  transfer: pendingSince(origin, origin, overrides),
  facts,
  labels: {},
  evidence: [],
  since: origin,
})
const say = (summary: string, on = finding()) =>
  ruleOf(
    'on: transfer.stalled',
    'severity: critical',
    `summary: ${JSON.stringify(summary)}`,
    'labels: { team: bridge }',
  ).summarize(on, origin + 5_400_000)
const token = (name: string, symbol: string | null = null) => ({
  token: { address: '0xcc', symbol, name, type: 'ERC20', id: '', decimals: 6 },
})

describe('a summary', () => {
  test.each([
    [
      '{{ transfer.amount }} {{ transfer.token.symbol }} has waited {{ age | duration }}',
      '1.5 USDC has waited 1h 30m',
    ],
    ['{{ transfer.zoneTxHash | short }}', `${hash('zone').slice(0, 8)}…0000`],
    ['{{ transfer.originAt | time }}', '2026-07-01 12:00:00 UTC'],
    ['{{ transfer.originAt | time: "Europe/Berlin" }}', '2026-07-01 14:00:00 CEST'],
    ['{{ transfer.destinationAt | time }}', 'unknown'],
    ['{{ transfer.originAt | date: "%d.%m.%Y %H:%M" }}', '01.07.2026 12:00'],
    ['{{ transfer.originAt | date: "%H:%M", "Europe/Berlin" }}', '14:00'],
    ['{{ transfer.originAt | date_to_xmlschema }}', '2026-07-01T12:00:00+00:00'],
    ['{{ transfer.originAt | divided_by: 1000 | date: "%Y" }}', '2026'],
    ['{% if labels.severity == "critical" %}{{ labels.team }}{% endif %}', 'bridge'],
    ['one\n  line', 'one line'],
  ])('%s', (summary, expected) => {
    expect(say(summary)).toBe(expected)
  })

  test('prints an amount of 78 digits exactly, with separators only when asked (semantics 32)', () => {
    const amount = '57896044618658097711785492504343953926634992332820282019728.792003956564819969'
    expect(say('{{ transfer.amount }}', finding({ amount }))).toBe(amount)
    expect(say('{{ transfer.amount | amount }}', finding({ amount: '1234567.50' }))).toBe('1,234,567.50')
  })

  test('says that an amount is unknown', () => {
    expect(say('{{ transfer.amount | amount }}', finding({ amount: null }))).toBe('an unknown amount of')
  })

  test.each([
    '{{ 7 | times: 6 }}',
    '{% assign x = 1 %}',
    '<!channel>',
    '<script>alert(1)</script>',
    '=HYPERLINK("x")',
  ])('shows the token name %s literally, in brackets', (name) => {
    expect(say('{{ transfer.token.label }}', finding(token(name)))).toBe(`[${name}]`)
  })

  test('falls back to the address of a token without a name', () => {
    expect(say('{{ transfer.token.label }}', finding(token('')))).toBe('0xcc')
  })

  test('trusts the configured symbol above the name', () => {
    expect(say('{{ transfer.token.label }}', finding(token('Fake', 'USDC')))).toBe('USDC')
  })

  test('that fails on one finding names it and the failure instead of hiding the alert', () => {
    expect(
      say('{{ facts.destinationHeadAgeMs | duration }}', finding({}, { destinationHeadAgeMs: 'soon' })),
    ).toMatch(/^a withdrawal \(the summary of rule test failed: /)
  })

  const tripled =
    '{% assign a = "b" | split: "" %}{% for i in (1..30) %}{% assign a = a | push: a | push: a | push: a %}{% endfor %}'
  test.each([
    ['a long range', '{% for i in (1..100000000) %}x{% endfor %}'],
    [
      'ranges that count backwards',
      '{% for i in (900000000..1) %}{% endfor %}{% for i in (1..3000000) %}{% endfor %}',
    ],
    [
      'loops in loops',
      '{% for i in (1..400) %}{% for j in (1..400) %}{% for k in (1..400) %}{% endfor %}{% endfor %}{% endfor %}',
    ],
    [
      'loops over a list in loops',
      '{% assign a = "a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a" | split: "," %}{% for i in a %}{% for j in a %}{% for k in a %}{% for l in a %}{% for m in a %}{% endfor %}{% endfor %}{% endfor %}{% endfor %}{% endfor %}',
    ],
    [
      'loops that write much',
      `{% for i in (1..400) %}{% for j in (1..400) %}${'x'.repeat(500)}{% endfor %}{% endfor %}`,
    ],
    [
      'a text doubled again and again',
      '{% assign s = "aa" %}{% for i in (1..40) %}{% assign s = s | append: s %}{% endfor %}',
    ],
    [
      'a text replaced by itself',
      '{% assign s = "aa" %}{% for i in (1..40) %}{% assign s = s | replace: "a", s %}{% endfor %}',
    ],
    [
      'a capture of captures',
      '{% assign s = "aa" %}{% for i in (1..40) %}{% capture s %}{{s}}{{s}}{{s}}{% endcapture %}{% endfor %}',
    ],
    [
      'a list doubled again and again',
      '{% assign a = "b,c" | split: "," %}{% for i in (1..40) %}{% assign a = a | concat: a %}{% endfor %}',
    ],
    ['lists in lists, written', `${tripled}{{ a }}`],
    ['lists in lists, joined', `${tripled}{{ a | join: "x" }}`],
    ['lists in lists, as JSON', `${tripled}{{ a | json | size }}`],
    ['lists in lists, compared', `${tripled}{% assign b = a | push: 1 %}{% if a == b %}{% endif %}`],
    [
      'groups of groups',
      '{% assign a = "b,c" | split: "," %}{% for i in (1..40) %}{% assign g = a | group_by: "size" %}{% assign a = g | concat: g | map: "items" %}{% endfor %}{{ a | join }}',
    ],
    ['a padded date', '{{ 0 | date: "%900000000d" }}'],
  ])('issue 12.1: %s is stopped when the rule is loaded', (_, summary) => {
    const problems = problemsOf(
      'on: transfer.stalled',
      'severity: info',
      `summary: ${JSON.stringify(summary)}`,
    )
    // On a slow machine its time may be over before its memory is.
    expect(problems).toEqual([expect.stringMatching(/(memory alloc|template render) limit exceeded/)])
  })

  test('issue 12.1: a template of 2,000 characters is parsed or refused, whatever it nests', () => {
    for (const text of [
      '{'.repeat(1_900),
      '{%if a'.repeat(300),
      '{{ a[' + 'a['.repeat(900),
      `{{ ${'('.repeat(1_800)} }}`,
      '{% if 1 %}'.repeat(190),
    ]) {
      expect(
        problemsOf('on: transfer.stalled', 'severity: info', `summary: ${JSON.stringify(text)}`),
      ).toHaveLength(1)
    }
  })

  test.each([
    ['{{ transfer.amont }}', 'unknown name `transfer.amont`, did you mean `transfer.amount`?'],
    ['{{ transfr.amount }}', 'unknown name `transfr.amount`, did you mean `transfer.amount`?'],
    ['{{ labels.taem }}', 'unknown name `labels.taem`'],
    ['{{ age | duraton }}', 'unknown filter `duraton`, did you mean `duration`?'],
    ['{{ age', 'output "{{ age" not closed'],
    ['{% include "x" %}', 'tag "include" not found'],
    ['{% render "/etc/passwd" %}', 'tag "render" not found'],
    ['{% layout "x" %}', 'tag "layout" not found'],
    ['{{ labels | where_exp: "x", facts.destinationChain }}', 'unknown filter `where_exp`'],
    ['{{ transfer.originAt | time: "Mars/Base" }}', 'Invalid time zone specified: Mars/Base'],
    ['{{ transfer.amount.constructor }}', 'unknown name `transfer.amount.constructor`'],
  ])('%s is refused when loaded', (summary, message) => {
    const problems = problemsOf('on: transfer.stalled', 'severity: info', `summary: '${summary}'`)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(message)
  })
})
