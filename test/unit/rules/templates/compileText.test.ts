import { expect, test } from 'vitest'
import { compileText } from '../../../../src/rules/templates/compileText.ts'
import { createTemplateEngine } from '../../../../src/rules/templates/compileTemplate.ts'

/** An engine for which a machine that is away for a moment is away for the first `times` renderings. */
function createInterrupted(times: number) {
  const engine = createTemplateEngine()
  let left = times
  engine.registerFilter('interrupted', (value: unknown) => {
    left -= 1
    if (left >= 0) throw new Error('template render limit exceeded')
    return value
  })
  return engine
}

const names = { known: ['kind'], samples: [{ kind: 'x' }], maxLength: 100 }
const text = '{{ kind | interrupted }}'

test('a text is not refused because the machine was busy with something else for a moment', () => {
  const compiled = compileText(createInterrupted(1), names, text)
  expect(compiled).toMatchObject({ ok: true })
  expect(compiled.ok && compiled.run({ kind: 'y' })).toBe('y')
})

test('one that takes too long each time is', () => {
  const compiled = compileText(createInterrupted(99), names, text)
  expect(compiled).toMatchObject({ ok: false, problem: { message: expect.stringContaining('render limit') } })
})

test.each([
  [`of \${facts.amount}`, '`${facts.amount}` is not filled in; write `{{ facts.amount }}`'],
  [
    'of {facts.amount | amount}',
    '`{facts.amount | amount}` is not filled in; write `{{ facts.amount | amount }}`',
  ],
])('a place that another language would fill in is refused: %s', (written, message) => {
  const of = { known: ['facts.amount'], samples: [{ facts: { amount: '1' } }], maxLength: 100 }
  expect(compileText(createTemplateEngine(), of, written)).toEqual({
    ok: false,
    problem: { message, offset: 3 },
  })
})

test('braces around anything else are text', () => {
  const of = { known: ['facts.amount'], samples: [{ facts: { amount: '1' } }], maxLength: 100 }
  const compiled = compileText(createTemplateEngine(), of, `{a} {{ facts.amount }} \${b}`)
  expect(compiled.ok && compiled.run({ facts: { amount: '1' } })).toBe(`{a} 1 \${b}`)
})
