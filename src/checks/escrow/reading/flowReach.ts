import type { MainReads } from '../../../kernel/reads/mainReads.ts'
import type { FlowOptions, FlowRow } from '../../../kernel/reads/flowReads.ts'
import type { Blocks } from '../../../kernel/reads/readRange.ts'
import type { MainStream } from '../../../kernel/reads/mainStreams.ts'
import type { SeenRows } from './flowReader.ts'

/** Blocks read again at every tick: lists fill in late what they missed. */
export const overlapBlocks = 60
/** Every so often a longer stretch is read again, at the first time as well: lists fill in late what they missed. */
export const deepBlocks = 3_600
/**
 * How far behind a known row still distinguishes a whole answer from an empty one; and how long a list may stand still, in
 * blocks, for all that left meanwhile to be found once it goes on. Ranges beyond 10,000 other lists of the service refuse.
 */
const knownWithinBlocks = 9_000
const chunkBlocks = 5_000

/** The next range: behind the cursor, so that what was listed late is found, and over the newest row that is known. */
export function nextBlocks(stream: Pick<MainStream, 'cursor' | 'deepAt' | 'known'>, head: number): Blocks {
  const { cursor, known } = stream
  const to = Math.max(Math.min(head, cursor + chunkBlocks), cursor)
  return { from: fromKnown(stream, known === null || known.height > to ? null : known.height, to), to }
}

/**
 * From where a list is read whose newest row that is known has a height. Where there is none for long a longer stretch
 * holds no more rows, once it was read at all, and shows what a list that lags by minutes fills in.
 */
function fromKnown(
  { cursor, deepAt }: Pick<MainStream, 'cursor' | 'deepAt'>,
  known: number | null,
  to: number,
): number {
  const [back, reach] = [Math.max(0, cursor - overlapBlocks), Math.max(0, to - knownWithinBlocks)]
  if (known !== null && known >= reach) return Math.min(back, known)
  return deepAt === 0 ? back : reach
}

type FlowsRead = Awaited<ReturnType<MainReads['flows']>>

interface LateReading {
  readonly stream: MainStream
  readonly blocks: Blocks
  readonly seen: Pick<SeenRows, 'shownTo' | 'showsMore'>
  readonly read: (reach: {
    readonly blocks: Blocks
    readonly nativeFrom?: FlowOptions['nativeFrom']
  }) => Promise<FlowsRead>
}

/**
 * Reads each of the two lists of native currency on from where it came last: what one shows late may be older than the
 * newest row of the other. What a transaction moved is summed over both, so that beyond the range, where one of them alone
 * was asked, nothing counts; where that one shows more than before both are asked from there on.
 */
export async function readLate({ stream, blocks, seen, read }: LateReading): Promise<FlowsRead> {
  const { outer, calls } = seen.shownTo
  if (outer === null && calls === null) return read({ blocks })
  const nativeFrom = {
    outer: fromKnown(stream, outer, blocks.to),
    calls: fromKnown(stream, calls, blocks.to),
  }
  const found = await read({ blocks, nativeFrom })
  const both = Math.min(blocks.from, Math.max(nativeFrom.outer, nativeFrom.calls))
  const isHalf = ({ height }: FlowRow) => height !== null && height < both
  const late = seen.showsMore(found.rows.filter(isHalf))
  if (late === null) return { ...found, rows: found.rows.filter((row) => !isHalf(row)) }
  return read({ blocks: { ...blocks, from: late } })
}
