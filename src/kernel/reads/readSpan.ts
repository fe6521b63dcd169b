import type { BridgeLog } from '../../bridge/bridgeLog.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { BlockSpan, ContractReads, LogsOptions } from './contractReads.ts'

/** How many blocks a range may have that the service takes. */
export const maxSpanBlocks = 10_000
/** How often a range that is refused or times out is halved at one go; what is left is kept for later. */
const maxHalvings = 4

export interface SpanRead {
  readonly requestedAt: number
  readonly logs: readonly BridgeLog[]
  readonly bad: Awaited<ReturnType<ContractReads['logs']>>['bad']
  /** What could not be read, or not whole. */
  readonly missed: readonly BlockSpan[]
  /** Why the newest of these could not. */
  readonly error: unknown
}

/**
 * Reads a range of blocks as far as it can be: pieces that are refused or time out are halved, and what still cannot
 * be read is returned as missed rather than thrown, so that one bad block does not hide all others.
 */
export async function readSpan(
  reads: Pick<ContractReads, 'logs'>,
  address: string,
  span: BlockSpan,
  options: LogsOptions,
  halvings = maxHalvings,
): Promise<SpanRead> {
  try {
    const read = await reads.logs(address, span, options)
    const { requestedAt, records, bad, complete } = read
    return { requestedAt, logs: records, bad, missed: complete ? [] : [span], error: null }
  } catch (error) {
    options.signal.throwIfAborted()
    if (halvings === 0 || span.first === span.last || !canNarrow(error)) {
      return { requestedAt: 0, logs: [], bad: [], missed: [span], error }
    }
    const middle = span.first + Math.floor((span.last - span.first) / 2)
    const halves = [
      { first: middle + 1, last: span.last },
      { first: span.first, last: middle },
    ]
    const found: SpanRead[] = []
    // What does not answer at all is asked once for each size, not for each piece of it.
    const { isKnown: _, ...ofPieces } = options
    const how = isTimeout(error) ? { ...ofPieces, attempts: 1 } : ofPieces
    for (const half of halves) {
      const isSilent = isTimeout(found[0]?.error) && found[0]?.requestedAt === 0
      const unasked = { requestedAt: 0, logs: [], bad: [], missed: [half], error: null }
      found.push(isSilent ? unasked : await readSpan(reads, address, half, how, halvings - 1))
    }
    return {
      requestedAt: Math.max(...found.map((read) => read.requestedAt)),
      logs: found.flatMap(({ logs }) => logs),
      bad: found.flatMap((read) => read.bad),
      missed: found.flatMap(({ missed }) => missed),
      error: found.find((read) => read.error !== null)?.error ?? null,
    }
  }
}

/** A smaller question can help against a refusal and a timeout; against an outage it only asks more. */
export function canNarrow(error: unknown): boolean {
  if (!(error instanceof MonitorError)) return false
  if (error.code === 'source.refused') return true
  // A code that nobody documented, or more than can be read: its words decide.
  if (error.code === 'source.invalid')
    return /range|exceed|limit|large|too (many|wide|long|big)/i.test(error.message)
  return isTimeout(error)
}

function isTimeout(error: unknown): boolean {
  if (!(error instanceof MonitorError) || error.code !== 'source.unreachable') return false
  return 'timeoutMs' in error.details || /timed out|HTTP 504/i.test(error.message)
}

/** A range in pieces that the service takes, oldest first. */
export function splitSpan(span: BlockSpan): BlockSpan[] {
  const pieces: BlockSpan[] = []
  for (let first = span.first; first <= span.last; first += maxSpanBlocks) {
    pieces.push({ first, last: Math.min(first + maxSpanBlocks - 1, span.last) })
  }
  return pieces
}
