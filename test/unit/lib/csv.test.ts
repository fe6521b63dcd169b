import { expect, test } from 'vitest'
import { toCsvLine } from '../../../src/lib/csv.ts'
import { fc, timesOf } from '../../support/fastCheck.ts'

/** What a spreadsheet takes for the start of a formula, in any width. */
const isFormula = (text: string) => /^[=+\-@]/.test(text.normalize('NFKC').trimStart())

test.each([
  ['=1+1', `'=1+1`],
  ['＝HYPERLINK(1)', `'＝HYPERLINK(1)`],
  [' \u00a0=1', `' \u00a0=1`],
  ['\u200b@SUM', `'\u200b@SUM`],
  ['a;=1', `"a;'=1"`],
  ['a|＋1', `"a|'＋1"`],
  ['a\t-1', `"a\t'-1"`],
  ['a\n@x', `"a\n'@x"`],
  ['";=1', `""";'=1"`],
  ['a;b', '"a;b"'],
  ['a|b', '"a|b"'],
  ['-5', '-5'],
  ['1,-2', '"1,-2"'],
  ['a - b', 'a - b'],
])('F74: %j becomes %j', (text, cell) => {
  expect(toCsvLine([text])).toBe(`${cell}\r\n`)
})

test('issue 12.5: no code point that stands for a sign of a formula begins a cell', () => {
  for (let point = 0; point < 0x110000; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue
    const char = String.fromCodePoint(point)
    if (isFormula(`${char}x`)) expect(toCsvLine([`${char}x`]).startsWith("'")).toBe(true)
  }
})

test('F74: whatever separates the cells, none begins a formula', () => {
  const text = fc.string({
    unit: fc.constantFrom('=', '+', '-', '@', '＝', ';', '|', '\t', '\n', '"', ',', ' ', 'a', '1'),
  })
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (cells) => {
      const line = toCsvLine(cells).slice(0, -2)
      for (const separator of [';', '|', '\t', '\n']) {
        const found = line.split(separator).flatMap((cell) => [cell, cell.replace(/^"/, '')])
        const numbers = cells.filter((cell) => /^-?\d+$/.test(cell))
        expect(
          found.filter((cell) => isFormula(cell) && !numbers.some((one) => cell.startsWith(one))),
        ).toEqual([])
      }
    }),
    { numRuns: timesOf(2_000) },
  )
})
