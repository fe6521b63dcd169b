import { type Absence, isAbsent, noteReading, notYetAbsent } from '../../../clients/explorer/absence.ts'
import type { TokenMove } from '../../../bridge/transfer.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { MainReads } from '../../../kernel/reads/mainReads.ts'
import type { FlowRow, NativeList } from '../../../kernel/reads/flowReads.ts'
import type { Blocks } from '../../../kernel/reads/readRange.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { type FlowStream, toStreams } from '../watched/places.ts'
import type { EscrowWatch } from '../watched/watch.ts'

/** Reads the lists of movements at the escrows, all of them or those that others crowd: anybody can fill a list. */
export interface FlowReader extends FlowSources {
  /** Reads the crowded lists alone, on to their end; else they are left, and each of the bridge's tokens asked for alone. */
  readonly isOfCrowds: boolean
  readonly rows: Map<string, SeenRows>
  /** When a list was last begun to be read, by the monotonic clock. */
  readonly readAt: Map<string, number>
  /** By address and token, that it was asked whether it was there from the first; it was not. */
  readonly lookedUp: Map<string, LookedUp>
  /** How often movements that a list shows several times were made, by what they are. */
  readonly repeats: Map<string, number>
  readonly unread: UnreadMemory
}

/** What is remembered of rows that could not be read. */
interface UnreadMemory {
  /** What their transactions moved, by hash. */
  readonly moves: Map<string, readonly TokenMove[]>
  /** When a row was first seen, by the monotonic clock. */
  readonly since: Map<string, number>
}

interface LookedUp {
  /** The last time, by the monotonic clock. */
  readonly at: number
  readonly times: number
}

interface FlowSources
  extends Pick<
    Kernel,
    'clock' | 'commit' | 'db' | 'endpointLags' | 'horizons' | 'ledger' | 'nodeHeads' | 'tellSince' | 'trigger'
  > {
  readonly watch: EscrowWatch
  readonly main: Pick<MainReads, 'flows' | 'hasCome' | 'moves'>
  /** When a list was last seen to be crowded, by the monotonic clock: shared by the two readers. */
  readonly crowds: Map<string, number>
}

/** How often what nobody named is read. */
const rareMs = 55_000

/** How long after it was seen to be crowded a list is taken for that, ms: looking costs some pages. */
const crowdedMs = 600_000

interface SeenRow {
  height: number
  absence: Absence
  /** How many rows of it each of the two lists of native currency showed. */
  readonly shown: Record<NativeList, number>
}

type ListedRow = Pick<FlowRow, 'hash' | 'height' | 'isCall'>

/** Rows of one list of the main chain that were read, so far back as it is read again. */
export interface SeenRows {
  /**
   * Takes one whole reading of a range into account.
   * @returns the transactions that were in it and are proven to be there no more: a reorganisation left them out
   */
  note(rows: readonly ListedRow[], reading: RangeReading): string[]
  /** The newest row that is not in doubt, up to a height; null without one. */
  newest(to: number): { readonly height: number; readonly hash: string } | null
  /** How far each of the two lists of native currency has shown rows; null where it has shown none. */
  readonly shownTo: Record<NativeList, number | null>
  /** From which height on a list shows more of a transaction than it did; null where it does not. */
  showsMore(rows: readonly ListedRow[]): number | null
}

interface RangeReading {
  readonly blocks: Blocks
  readonly at: UnixMs
  /** How far below the end of a range rows are not read again, blocks. */
  readonly keptBlocks: number
  /** A row that was known before this process saw any. */
  readonly known: { readonly height: number; readonly hash: string } | null
}

export function createFlowReader(sources: FlowSources, isOfCrowds = false): FlowReader {
  return {
    ...sources,
    isOfCrowds,
    rows: new Map(),
    readAt: new Map(),
    lookedUp: new Map(),
    repeats: new Map(),
    unread: { moves: new Map(), since: new Map() },
  }
}

export function listStreams(reader: FlowReader): FlowStream[] {
  const streams = toStreams(reader.watch)
  if (!reader.isOfCrowds) return streams
  return streams
    .filter(({ id }) => isCrowded(reader, id))
    .map((stream) => ({ ...stream, id: `${stream.id}:crowd`, isRare: false }))
}

/** In a list tokens that do not count move more than is worth reading on for. */
export function noteCrowd({ clock, crowds }: FlowReader, stream: string): void {
  crowds.set(stream, clock.monotonicMs())
}

function isCrowded({ clock, crowds }: FlowReader, stream: string): boolean {
  return clock.monotonicMs() - (crowds.get(stream) ?? -Infinity) < crowdedMs
}

/** Whether a list is not to be read yet; else it is noted to be read now. */
export function isResting({ clock, readAt }: FlowReader, { id, isRare }: FlowStream): boolean {
  const now = clock.monotonicMs()
  if (isRare && now - (readAt.get(id) ?? -Infinity) < rareMs) return true
  readAt.set(id, now)
  return false
}

export function rowsOf({ rows }: FlowReader, { id }: FlowStream): SeenRows {
  const seen = rows.get(id) ?? createSeenRows()
  rows.set(id, seen)
  return seen
}

function countShown(rows: readonly ListedRow[]): SeenRow['shown'] {
  const calls = rows.filter(({ isCall }) => isCall).length
  return { outer: rows.length - calls, calls }
}

function createSeenRows(): SeenRows {
  const seen = new Map<string, SeenRow>()
  const shownTo: SeenRows['shownTo'] = { outer: null, calls: null }
  return {
    shownTo,
    showsMore(rows) {
      const more = [...Map.groupBy(rows, ({ hash }) => hash)].flatMap(([hash, own]) => {
        const { outer, calls } = countShown(own)
        const before = seen.get(hash)?.shown ?? { outer: 0, calls: 0 }
        return outer > before.outer || calls > before.calls ? own.flatMap(({ height }) => height ?? []) : []
      })
      return more.length === 0 ? null : Math.min(...more)
    },
    note(rows, { blocks, at, keptBlocks, known }) {
      if (known !== null && !seen.has(known.hash))
        seen.set(known.hash, { height: known.height, absence: notYetAbsent, shown: { outer: 0, calls: 0 } })
      const given = Map.groupBy(rows, ({ hash }) => hash)
      for (const [hash, own] of given) {
        const shown = countShown(own)
        for (const { height, isCall } of own) {
          if (height === null) continue
          seen.set(hash, { height, absence: notYetAbsent, shown })
          const list = isCall ? 'calls' : 'outer'
          shownTo[list] = Math.max(shownTo[list] ?? height, height)
        }
      }
      // One of the lists may have been read from before the range: that it shows older ones says nothing of these.
      const hasControl = rows.some(({ height }) => height === null || height >= blocks.from)
      const gone: string[] = []
      for (const [hash, row] of seen) {
        if (row.height < blocks.to - keptBlocks) seen.delete(hash)
        if (given.has(hash) || row.height < blocks.from || row.height > blocks.to) continue
        // Others of the same answer are the control question.
        const kind = hasControl ? 'absent-among-others' : 'absent'
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
