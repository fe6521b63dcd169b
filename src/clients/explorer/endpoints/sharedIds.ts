import { type Dialect, spellField } from '../dialect.ts'
import { describe } from '../fields.ts'
import type { Row } from '../plainRow.ts'
import { isFilled, type RecordReader } from '../recordReader.ts'

/** How many ids that name nobody are remembered. */
const mostRemembered = 1_000

/**
 * Reads records without an id that names strangers: rows of one answer bear it that have no transaction in common, as a
 * word does that stands for none. It names nothing from then on, and is a flaw. Payouts of one origin, and what a list
 * repeats, share a transaction.
 */
export function withoutSharedIds<R>(dialect: Dialect, read: RecordReader<R>): RecordReader<R> {
  const [idKey, ...hashKeys] = ['id', 'mainTxHash', 'zoneTxHash'].map((name) => spellField(dialect, name))
  const key = idKey ?? ''
  const shared = new Set<unknown>()
  let surveyed: readonly unknown[] | null = null

  const isStranger = (a: Row, b: Row) => hashKeys.every((name) => !isSame(a[name], b[name]))
  function survey(rows: readonly unknown[]): void {
    if (rows === surveyed) return
    surveyed = rows
    const first = new Map<unknown, Row>()
    for (const row of rows as readonly Row[]) {
      const id = row?.[key]
      if (!isFilled(id)) continue
      const before = first.get(id)
      if (before === undefined) first.set(id, row)
      else if (isStranger(before, row)) {
        if (shared.size >= mostRemembered) shared.clear()
        shared.add(id)
      }
    }
  }

  return (raw, at) => {
    survey(at.rows)
    const id = (raw as Row | null)?.[key]
    if (!shared.has(id)) return read(raw, at)
    const result = read({ ...(raw as Row), [key]: '' }, at)
    const problem = `is that of another transfer as well: ${describe(id)}`
    return { ...result, flaws: [...result.flaws, { field: 'id', key, use: 'judged', problem }] }
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' && isFilled(a) && a.toLowerCase() === b.toLowerCase()
}
