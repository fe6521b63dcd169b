import type { Row } from './plainRow.ts'
import type { KeyFlaw } from './recordReader.ts'

/** What rows of one answer have wrong at one key. */
export interface KeyLack extends KeyFlaw {
  /** How many of the answer's rows, `of` how many. */
  readonly rows: number
  readonly of: number
  /** The keys of the first of them. */
  readonly keys: readonly string[]
}

const maxKeys = 100

/** Counts what the rows of one answer have wrong. */
export function noteFlaws(of: number) {
  const lacks = new Map<string, KeyLack>()
  return {
    note(flaws: readonly KeyFlaw[], row: unknown): void {
      for (const flaw of flaws) {
        const before = lacks.get(flaw.field)
        if (before) lacks.set(flaw.field, { ...before, rows: before.rows + 1 })
        else lacks.set(flaw.field, { ...flaw, rows: 1, of, keys: Object.keys(row as Row).slice(0, maxKeys) })
      }
    },
    list: (): readonly KeyLack[] => [...lacks.values()],
  }
}
