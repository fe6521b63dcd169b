import type { ChallengeRow } from '../../kernel/reads/mainReads.ts'
import type { Blocks } from '../../kernel/reads/readRange.ts'
import { canNarrow } from '../../kernel/reads/readSpan.ts'
import { isSetAside } from '../../lib/errors.ts'
import { type Challenges, noteRows } from './noteRows.ts'

export interface NewestChallenges {
  /** The lowest block of what was read; what lies above was read whole, unless `isWhole` is false. */
  readonly from: number
  readonly isWhole: boolean
  readonly rows: ReadonlyMap<string, readonly ChallengeRow[]>
}

/** How many of the bridge's newest transactions are read at every tick, whatever their age: ten pages. */
const wanted = 500
/** How many have to be there before the oldest are left out, so that the stretch is not cut anew each time. */
const most = 600
const firstBlocks = 120
/** Blocks passed between two readings; after more the stretch is looked for anew. */
const maxGapBlocks = 1_800
/** A week: what happened before is final, or rare. */
const maxBlocks = 604_800

/** How far the newest stretch reaches, from one reading to the next. */
interface Stretch {
  last: { readonly from: number; readonly head: number } | null
  /** The widest that the service answers for. */
  widest: number
  /** The newest transaction that was ever seen of each contract. */
  readonly known: Map<string, number>
}

/** One reading of it. */
interface Reading {
  readonly of: Challenges
  readonly stretch: Stretch
  readonly signal: AbortSignal
  readonly rows: ReadonlyMap<string, ChallengeRow[]>
}

export function beginNewest(): Stretch {
  return { last: null, widest: maxBlocks, known: new Map() }
}

/**
 * Reads the newest transactions of all contracts together (E6 by a range of blocks), the stretch being as long as it
 * must be to hold enough of them. What is asked follows from how many they are, not from how long they took.
 */
export async function readNewest(
  of: Challenges,
  stretch: Stretch,
  { head, signal }: { readonly head: number; readonly signal: AbortSignal },
): Promise<NewestChallenges> {
  const { last } = stretch
  const isNear = last !== null && head >= last.head && head - last.head <= maxGapBlocks
  const rows = new Map<string, ChallengeRow[]>(of.contracts.map((contract) => [contract, []]))
  const reading: Reading = { of, stretch, signal, rows }
  let from = Math.max(0, isNear && last ? last.from : head - firstBlocks, head - stretch.widest + 1)
  let read = await tryBlocks(reading, { from, to: head })
  while (read === null && head - from > firstBlocks) {
    stretch.widest = Math.max(firstBlocks, Math.floor((head - from + 1) / 2))
    from = head - stretch.widest + 1
    read = await tryBlocks(reading, { from, to: head })
  }
  // Refused as small as it is: that is for the poll to say.
  let isWhole = read?.isWhole ?? (await readBlocks(reading, { from, to: head }))
  while (isWhole && countOf(rows) < wanted && from > Math.max(0, head - stretch.widest + 1)) {
    const next = Math.max(0, head - Math.min(stretch.widest, (head - from + 1) * 2) + 1)
    read = await tryBlocks(reading, { from: next, to: from - 1 })
    if (read === null) stretch.widest = head - from + 1
    else {
      isWhole = read.isWhole
      from = next
    }
  }
  stretch.last = { from: countOf(rows) > most ? heightOf(rows, wanted) : from, head }
  return { from, isWhole, rows }
}

/** Null when the service refuses or takes too long: the stretch is too wide for it, and older ones are read on their own. */
async function tryBlocks(reading: Reading, blocks: Blocks): Promise<{ readonly isWhole: boolean } | null> {
  try {
    return { isWhole: await readBlocks(reading, blocks) }
  } catch (error) {
    if (canNarrow(error)) return null
    throw error
  }
}

/** Each answer is saved as it comes. @returns whether all contracts were seen whole */
async function readBlocks(reading: Reading, blocks: Blocks): Promise<boolean> {
  const { of, stretch, rows } = reading
  let isWhole = true
  for (const contract of of.contracts) {
    const newest = stretch.known.get(contract) ?? -1
    const isKnown = newest >= blocks.from && newest <= blocks.to
    const read = await readOr(reading, contract, { ...blocks, isKnown })
    if (read === null) {
      isWhole = false
      continue
    }
    of.commit({
      bad: read.bad,
      mayWait: 'without-news',
      apply: (now) => noteRows(of, { ...read, contract }, now),
    })
    rows.get(contract)?.push(...read.rows)
    stretch.known.set(
      contract,
      read.rows.reduce((highest, { height }) => Math.max(highest, height), newest),
    )
    isWhole &&= read.isWhole
  }
  return isWhole
}

/** Null when the question is set aside: that one contract is not seen whole holds up no other. */
async function readOr(
  { of, signal }: Reading,
  contract: string,
  { isKnown, ...blocks }: Blocks & { readonly isKnown: boolean },
) {
  try {
    return await of.reads.challenges(contract, blocks, { priority: 'evidence', signal, isKnown })
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
