import { describe, expect, test } from 'vitest'
import { compileBody } from '../../../../src/delivery/channels/compileBody.ts'
import { fc, timesOf, seeds } from '../../../support/fastCheck.ts'
import { hostileTexts, toCase, toItem, toMessage } from '../messages.ts'
import { anyMessage } from './anyMessage.ts'

function render(text: string, message = toMessage(), contentType?: string, degraded = false): string {
  const compiled = compileBody(text, contentType)
  if (!compiled.ok) throw new Error(`${compiled.problem.offset}: ${compiled.problem.message}`)
  return compiled.run(message, degraded)
}

function problemOf(text: string, contentType?: string): string {
  const compiled = compileBody(text, contentType)
  return compiled.ok ? 'none' : `${compiled.problem.offset} ${compiled.problem.message}`
}

const chat = '{ "text": {{ headline | json }}{% if case %}, "case": {{ case.id | json }}{% endif %} }'

describe('a body', () => {
  test('is made of the message, and its case where it has one', () => {
    expect(JSON.parse(render(chat))).toEqual({
      text: 'CRITICAL: a withdrawal of 1250000.500001 USDC has not arrived',
    })
    expect(JSON.parse(render(chat, toMessage({ case: toCase() })))).toMatchObject({ case: 'c42' })
  })

  test('can go through items, fields, money and changes', () => {
    const text = `{{ changes | join: " " }}
{% for one in case.money %}{{ one.amount | amount }} {{ one.symbol }}
{% endfor %}{% for item in items %}{{ item.severity }} {{ item.summary }} ({{ item.facts.waitedMs | default: 0 | duration }})
{% for field in item.fields %}{{ field.label }}={{ field.value }};{% endfor %}
{% endfor %}{{ items.size }} of {{ total }}, {{ untold }} more, first {{ items[0].rule | default: "none" }}`
    const message = toMessage({ total: 9, case: toCase(), changes: ['acknowledged'] })
    expect(render(text, message, 'text/plain').replaceAll('\n\n', '\n')).toContain(
      `acknowledged
1,250,000.5 USDC
critical 1250000.5 USDC has waited 2h 10m (2h 10m)
Amount=1250000.500001 USDC;`,
    )
  })

  test('without its items after a refused message', () => {
    expect(render('{{ items.size }} {{ untold }}', toMessage(), 'text/plain', true)).toBe('0 1')
  })

  // Of 200,000 characters none is made: that message goes out in the documented form.
  test.each(hostileTexts.filter(({ length }) => length < 100_000))(
    'case %#: a hostile text stays a text of the JSON',
    (hostile) => {
      const text =
        '[{% for item in items %}{{ item.summary | json }}{% unless forloop.last %},{% endunless %}{% endfor %}]'
      expect(JSON.parse(render(text, toMessage({ items: [toItem({ summary: hostile })] })))).toEqual([
        hostile,
      ])
    },
  )

  test.each(seeds())('whatever is said, the body of chats is JSON (seed %i)', (seed) => {
    fc.assert(
      fc.property(anyMessage, fc.boolean(), (message, degraded) => {
        expect(() => JSON.parse(render(chat, message, 'application/json', degraded))).not.toThrow()
      }),
      { seed, numRuns: timesOf(100, seed) },
    )
  })
})

test.each([
  ['an unknown name', '{{ headlin }}', '3 unknown name `headlin`, did you mean `headline`?'],
  [
    'an unknown name of a case',
    '\n{% if case %}{{ case.sevrity }}{% endif %}',
    '17 unknown name `case.sevrity`, did you mean `case.severity`?',
  ],
  [
    'an unknown name of an item',
    '{% for item in items %}{{ item.sumary }}{% endfor %}',
    '26 undefined variable: item.sumary',
  ],
  ['an unknown filter', '{{ headline | jso }}', '0 unknown filter `jso`, did you mean `json`?'],
  ['an item that may not be there', '{{ items[0].rule }}', '3 undefined variable: items.0'],
  [
    'a fact that may not be there',
    '{% for item in items %}{{ item.facts.x }}{% endfor %}',
    '26 undefined variable: item.facts.x',
  ],
  ['a tag that reads files', '{% include "x" %}', '0 tag "include" not found'],
  ['a tag without its end', '{% if case %}', '0 tag {% if case %} not closed'],
  ['more than it may be', 'x'.repeat(20_001), '0 expected at most 20000 characters, got 20001'],
])('%s is refused at its place', (_, text, expected) => {
  expect(problemOf(text, 'text/plain')).toBe(expected)
})

test.each(['{ "text": "{{ headline }}" }', '{ "text": {{ headline }} }', '{ "text": {{ headline | json }} '])(
  '%s is refused: it would be no JSON',
  (text) => {
    expect(problemOf(text)).toContain('`| json` puts a value in with its quotes')
    expect(problemOf(text, 'application/vnd.api+json')).toContain('what comes out is no JSON')
    expect(problemOf(text, 'text/plain')).toBe('none')
  },
)

test('what loops for ever is stopped', () => {
  const text = '{% for a in (1..total) %}{% for b in (1..total) %}{{ a }}{% endfor %}{% endfor %}'
  expect(() => render(text, toMessage({ total: 100_000 }), 'text/plain')).toThrow('limit')
})
