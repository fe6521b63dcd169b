import { type Absence, isAbsent, noteReading, notYetAbsent } from '../clients/explorer/absence.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Blocks } from './mainReads.ts'

interface SeenRow {
  height: number
  absence: Absence
}

/** Rows of one list of the main chain that were read, so far back as it is read again. */
export interface SeenRows {
  /**
   * Takes one whole reading of a range into account.
   * @returns the transactions that were in it and are proven to be there no more: a reorganisation left them out
   */
  note(
    rows: readonly { readonly hash: string; readonly height: number | null }[],
    reading: RangeReading,
  ): string[]
  /** The newest row that is not in doubt, up to a height; null without one. */
  newest(to: number): { readonly height: number; readonly hash: string } | null
}

interface RangeReading {
  readonly blocks: Blocks
  readonly at: UnixMs
  /** How far below the end of a range rows are not read again, blocks. */
  readonly keptBlocks: number
  /** A row that was known before this process saw any. */
  readonly known: { readonly height: number; readonly hash: string } | null
}

export function createSeenRows(): SeenRows {
  const seen = new Map<string, SeenRow>()
  return {
    note(rows, { blocks, at, keptBlocks, known }) {
      if (known !== null && !seen.has(known.hash))
        seen.set(known.hash, { height: known.height, absence: notYetAbsent })
      for (const { hash, height } of rows)
        if (height !== null) seen.set(hash, { height, absence: notYetAbsent })
      const given = new Set(rows.map(({ hash }) => hash))
      const gone: string[] = []
      for (const [hash, row] of seen) {
        if (row.height < blocks.to - keptBlocks) seen.delete(hash)
        if (given.has(hash) || row.height < blocks.from || row.height > blocks.to) continue
        // Others of the same answer are the control question.
        const kind = given.size > 0 ? 'absent-among-others' : 'absent'
        row.absence = noteReading(row.absence, { kind, at })
        if (!isAbsent(row.absence)) continue
        gone.push(hash)
        seen.delete(hash)
      }
      return gone
    },
    newest(to) {
      let best: { height: number; hash: string } | null = null
      for (const [hash, { height, absence }] of seen) {
        if (absence.reads > 0 || height > to || (best !== null && best.height >= height)) continue
        best = { height, hash }
      }
      return best
    },
  }
}
