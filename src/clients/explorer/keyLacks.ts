import type { Row } from './plainRow.ts'
import type { KeyFlaw } from './recordReader.ts'

/** What rows of one answer have wrong at one key. */
export interface KeyLack extends KeyFlaw {
  /** How many of the answer's rows, `of` how many. */
  readonly rows: number
  readonly of: number
  /** The keys of the first of them. */
  readonly keys: readonly string[]
  /** Transactions that they name, a few of them. */
  readonly hashes: readonly string[]
}

const maxKeys = 100
const maxHashes = 10

/** Counts what the rows of one answer have wrong. */
export function noteFlaws(of: number) {
  const lacks = new Map<string, KeyLack>()
  return {
    note(flaws: readonly KeyFlaw[], row: unknown): void {
      for (const flaw of flaws) {
        const before = lacks.get(flaw.field)
        const keys = before?.keys ?? Object.keys(row as Row).slice(0, maxKeys)
        const hashes = [...new Set([...(before?.hashes ?? []), ...listHashes(row as Row)])].slice(
          0,
          maxHashes,
        )
        lacks.set(flaw.field, { ...flaw, ...before, rows: (before?.rows ?? 0) + 1, of, keys, hashes })
      }
    },
    list: (): readonly KeyLack[] => [...lacks.values()],
  }
}

/** The transactions of either chain that a row is about, by whatever word a deployment has for a chain. */
function listHashes(row: Row): string[] {
  return Object.entries(row).flatMap(([key, value]) =>
    /tx(id|hash)$/i.test(key) && typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)
      ? value.toLowerCase()
      : [],
  )
}
