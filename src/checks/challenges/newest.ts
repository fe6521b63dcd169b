import type { Clock, UnixMs } from '../../lib/clock.ts'
import { isSetAside, MonitorError } from '../../lib/errors.ts'
import type { Blocks, ChallengeRow, MainReads } from '../../kernel/mainReads.ts'
import type { BadRecord } from '../../kernel/reads.ts'

export interface NewestChallengesDeps {
  readonly clock: Clock
  readonly reads: Pick<MainReads, 'challenges'>
  readonly contracts: readonly string[]
  /** Takes each answer as it comes. */
  note(contract: string, read: ChallengeRead): void
}

interface ChallengeRead {
  readonly requestedAt: UnixMs
  readonly rows: readonly ChallengeRow[]
  readonly bad: readonly BadRecord[]
}

export interface NewestChallenges {
  /** The lowest block of what was read; what lies above was read whole, unless `isWhole` is false. */
  readonly from: number
  readonly isWhole: boolean
  readonly rows: ReadonlyMap<string, readonly ChallengeRow[]>
}

/** So many of the bridge's newest transactions are read at every tick, whatever their age: ten pages. */
const wanted = 500
/** Only beyond so many the oldest are left out, so that the stretch is not cut anew each time. */
const most = 600
const firstBlocks = 120
/** Blocks passed between two readings; after more the stretch is looked for anew. */
const maxGapBlocks = 1_800
/** A week: what happened before is final, or rare. */
const maxBlocks = 604_800

/**
 * Reads the newest transactions of all contracts together (E6 by a range of blocks), the stretch being as long as it
 * must be to hold enough of them. What is asked follows from how many they are, not from how long they took.
 */
export function createNewestChallenges(
  deps: NewestChallengesDeps,
): (head: number, signal: AbortSignal) => Promise<NewestChallenges> {
  let last: { readonly from: number; readonly head: number } | null = null
  /** The widest stretch that the service answers for. */
  let widest = maxBlocks
  /** The newest transaction that was ever seen of each contract. */
  const known = new Map<string, number>()
  const readStretch = async (
    blocks: Blocks,
    rows: ReadonlyMap<string, ChallengeRow[]>,
    signal: AbortSignal,
  ) => {
    let isWhole = true
    for (const contract of deps.contracts) {
      const newest = known.get(contract) ?? -1
      const isKnown = newest >= blocks.from && newest <= blocks.to
      const read = await readOr(deps, contract, blocks, { signal, isKnown })
      if (read === null) {
        isWhole = false
        continue
      }
      deps.note(contract, read)
      rows.get(contract)?.push(...read.rows)
      known.set(
        contract,
        read.rows.reduce((highest, { height }) => Math.max(highest, height), newest),
      )
      isWhole &&= read.isWhole
    }
    return isWhole
  }
  /** False when the service refuses: the stretch is too wide for it, and older ones are read on their own. */
  const tryStretch = async (...given: Parameters<typeof readStretch>) => {
    try {
      return { isWhole: await readStretch(...given) }
    } catch (error) {
      if (error instanceof MonitorError && error.code === 'source.refused') return null
      throw error
    }
  }
  return async (head, signal) => {
    const isNear = last !== null && head >= last.head && head - last.head <= maxGapBlocks
    const rows = new Map<string, ChallengeRow[]>(deps.contracts.map((contract) => [contract, []]))
    let from = Math.max(0, isNear && last ? last.from : head - firstBlocks, head - widest + 1)
    let read = await tryStretch({ from, to: head }, rows, signal)
    while (read === null && head - from > firstBlocks) {
      widest = Math.max(firstBlocks, Math.floor((head - from + 1) / 2))
      from = head - widest + 1
      read = await tryStretch({ from, to: head }, rows, signal)
    }
    // Refused as small as it is: that is for the poll to say.
    let isWhole = read?.isWhole ?? (await readStretch({ from, to: head }, rows, signal))
    while (isWhole && countOf(rows) < wanted && from > Math.max(0, head - widest + 1)) {
      const next = Math.max(0, head - Math.min(widest, (head - from + 1) * 2) + 1)
      read = await tryStretch({ from: next, to: from - 1 }, rows, signal)
      if (read === null) widest = head - from + 1
      else {
        isWhole = read.isWhole
        from = next
      }
    }
    last = { from: countOf(rows) > most ? heightOf(rows, wanted) : from, head }
    return { from, isWhole, rows }
  }
}

/** Null when the question is set aside: that one contract is not seen whole holds up no other. */
async function readOr(
  { reads }: Pick<NewestChallengesDeps, 'reads'>,
  contract: string,
  blocks: Blocks,
  how: { readonly signal: AbortSignal; readonly isKnown: boolean },
) {
  try {
    return await reads.challenges(contract, blocks, { priority: 'evidence', ...how })
  } catch (error) {
    if (isSetAside(error)) return null
    throw error
  }
}

function countOf(rows: ReadonlyMap<string, readonly ChallengeRow[]>): number {
  return [...rows.values()].reduce((sum, list) => sum + list.length, 0)
}

/** The height of the `nth` newest. */
function heightOf(rows: ReadonlyMap<string, readonly ChallengeRow[]>, nth: number): number {
  const heights = [...rows.values()].flatMap((list) => list.map(({ height }) => height))
  return heights.sort((a, b) => b - a)[nth - 1] ?? 0
}
