import { stripVTControlCharacters } from 'node:util'
import { fc } from '../../support/fastCheck.ts'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { type Column, formatTable } from '../../../src/cli/formatTable.ts'
import type { Screen } from '../../../src/cli/screen.ts'
import { escapeInvisible } from '../../../src/lib/text.ts'

const screenOf = (width: number, hasColor = false): Screen => ({
  isTerminal: true,
  hasColor,
  width: () => width,
})

interface Row {
  readonly id: string
  readonly amount: string
  readonly what: string
}
const columns: readonly Column<Row>[] = [
  { name: 'ID', read: ({ id }) => id },
  { name: 'AMOUNT', read: ({ amount }) => amount, isNumber: true },
  { name: 'WHAT', read: ({ what }) => what, least: 8, style: () => 'red' },
]
const rows = [
  { id: 't1', amount: '1.5', what: 'a withdrawal that failed' },
  { id: 't1000', amount: '12,000', what: 'short' },
]

test('columns stand below their names, numbers end below each other', () => {
  expect(formatTable(screenOf(80), columns, rows)).toMatchInlineSnapshot(`
    "ID     AMOUNT  WHAT
    t1        1.5  a withdrawal that failed
    t1000  12,000  short
    "
  `)
})

test('a long text is cut to the width of the screen, what names a thing is not', () => {
  expect(formatTable(screenOf(26), columns, rows)).toMatchInlineSnapshot(`
    "ID     AMOUNT  WHAT
    t1        1.5  a withdraw…
    t1000  12,000  short
    "
  `)
})

test('a column that is empty everywhere is left out', () => {
  expect(formatTable(screenOf(80), columns, [{ id: 't1', amount: '', what: 'x' }])).toBe('ID  WHAT\nt1  x\n')
})

test('colours change no width, and are those of the column alone', () => {
  const plain = formatTable(screenOf(26), columns, rows)
  const painted = formatTable(screenOf(26, true), columns, rows)
  expect(stripVTControlCharacters(painted).replaceAll(/ +$/gm, '')).toBe(plain)
  expect(painted).toContain('\u001b[31mshort\u001b[39m')
})

test('whatever stands in it, no line is wider than the screen and none brings its own colour', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 })
  const hostile = fc.oneof(text, fc.constantFrom('\u001b[31mred', '你好世界', '👩‍👩‍👧', 'a\nb', '\u202eevil'))
  fc.assert(
    fc.property(
      fc.array(fc.record({ id: fc.constantFrom('t1', 't10000'), amount: hostile, what: hostile }), {
        maxLength: 5,
      }),
      fc.integer({ min: 10, max: 120 }),
      (of, width) => {
        const shown = formatTable(screenOf(width), columns, of)
        for (const line of shown.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width)
        expect(shown.trimEnd().split('\n')).toHaveLength(of.length + 1)
        expect(shown).not.toContain('\u001b')
        expect(escapeInvisible(shown)).toBe(shown)
      },
    ),
  )
})
