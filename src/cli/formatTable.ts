import stringWidth from 'string-width'
import { cleanText } from '../lib/text.ts'
import { paint, type Screen, type Style } from './screen.ts'

export interface Column<T> {
  readonly name: string
  readonly read: (row: T) => string
  readonly style?: (row: T) => Style | null
  /** Numbers end below each other. */
  readonly isNumber?: boolean
  /** May be cut where the line is too long, down to this width; left out, never. */
  readonly least?: number
}

const gap = '  '
/** What is longer is cut in any case: a hostile name must not push everything else off the screen. */
const mostCharacters = 400

/** Rows below each other under their columns' names, no line longer than the screen is wide. */
export function formatTable<T>(screen: Screen, columns: readonly Column<T>[], rows: readonly T[]): string {
  const cells = rows.map((row) => columns.map(({ read }) => cleanText(read(row), mostCharacters)))
  // What is empty everywhere says nothing.
  const kept = columns
    .map((column, index) => ({ column, index }))
    .filter(({ index }) => cells.some((row) => row[index] !== ''))
  const widths = fit(
    kept.map(({ column, index }) => ({
      width: Math.max(stringWidth(column.name), ...cells.map((row) => stringWidth(row[index] ?? ''))),
      least: column.least ?? Infinity,
    })),
    screen.width(),
  )
  const line = (texts: readonly string[], styles: readonly (Style | null)[]) => {
    const parts = kept.flatMap(({ column }, place) => {
      const width = widths[place] ?? 0
      if (width === 0) return []
      const text = cut(texts[place] ?? '', width)
      const space = ' '.repeat(width - stringWidth(text))
      const shown = paint(screen, styles[place] ?? null, text)
      return [column.isNumber ? space + shown : shown + space]
    })
    return `${parts.join(gap).trimEnd()}\n`
  }
  const head = line(
    kept.map(({ column }) => column.name),
    kept.map(() => 'dim'),
  )
  const body = rows.map((row, index) =>
    line(
      kept.map(({ index: place }) => cells[index]?.[place] ?? ''),
      kept.map(({ column }) => column.style?.(row) ?? null),
    ),
  )
  return head + body.join('')
}

interface Wanted {
  readonly width: number
  readonly least: number
}

/** The widest gives first, down to its least. Where that is not enough, the last columns go. */
function fit(wanted: readonly Wanted[], total: number): number[] {
  const widths = wanted.map(({ width }) => width)
  const sum = () => {
    const shown = widths.filter((width) => width > 0)
    return shown.reduce((all, width) => all + width, 0) + gap.length * Math.max(0, shown.length - 1)
  }
  for (let over = sum() - total; over > 0; over = sum() - total) {
    const widest = widths.reduce((best, width, index) => {
      const least = wanted[index]?.least ?? Infinity
      return width > least && width > (widths[best] ?? 0) ? index : best
    }, -1)
    if (widest === -1) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  for (let last = widths.length - 1; last > 0 && sum() > total; last -= 1) widths[last] = 0
  if (sum() > total) widths[0] = total
  return widths
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The beginning of a text that is at most so wide, with `…` for what is left out. */
function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break
    kept += segment
  }
  return `${kept}…`
}
