import { codec, type Codec } from './table.ts'

/** One of some words, as its place among them: of which rows hold many. */
export function placeIn<const Word extends string>(words: readonly Word[]): Codec<Word> {
  return codec({
    type: 'INTEGER',
    expected: `the place of one of ${words.join(', ')}`,
    read: (cell) => (typeof cell === 'number' ? words[cell] : undefined),
    write: (value: Word) => words.indexOf(value),
  })
}

const mostExact = BigInt(Number.MAX_SAFE_INTEGER)

/** An integer of any size: as a number where that is exact, which takes half the bytes, else as text. */
export const wholeNumber = codec({
  type: 'ANY',
  expected: 'an integer, or one as text',
  read(cell) {
    if (Number.isSafeInteger(cell)) return BigInt(Number(cell))
    return typeof cell === 'string' && /^-?\d+$/.test(cell) ? BigInt(cell) : undefined
  },
  write: toNumberCell,
})

/** A JavaScript number would be stored as a floating one: eight bytes for the smallest. */
export function toNumberCell(value: bigint): bigint | string {
  return value <= mostExact && value >= -mostExact ? value : String(value)
}
