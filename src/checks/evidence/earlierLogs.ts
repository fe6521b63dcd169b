import type { UnixMs } from '../../lib/clock.ts'
import type { BlockSpan } from '../../kernel/contractReads.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { maxSpanBlocks } from '../../kernel/readSpan.ts'
import type { ReadOptions } from '../../kernel/reads.ts'

type Past = Pick<Kernel, 'config' | 'contractReads' | 'reads'>

/** A transaction of the past in which a bridge contract named something. */
export interface NamingTransaction {
  readonly hash: string
  readonly height: number
  readonly time: UnixMs | null
}

/** Below a block, back to the one of a time. */
interface Span {
  readonly below: number
  readonly since: UnixMs
}

/** Pieces of the past that one search reads, at most. */
const maxPieces = 60
/** So much of what was read is kept: withdrawals that waited for the start ask for the same past. */
const maxKept = 50_000

interface Words extends NamingTransaction {
  /** Topics and data, hex without marks. */
  readonly text: string
}

/**
 * Finds, below a block and back to a time, the transactions in whose events of the bridge a hash stands, whatever those
 * events mean. Null when the past could not be read so far.
 */
export function createEarlierLogs(past: Past) {
  const contracts = past.config.bridge.contracts.map((address) => address.toLowerCase())
  const kept = new Map<string, readonly Words[]>()
  let count = 0

  async function readPiece(
    address: string,
    span: BlockSpan,
    options: ReadOptions,
  ): Promise<readonly Words[]> {
    const name = `${address} ${span.first} ${span.last}`
    const known = kept.get(name)
    if (known) return known
    const read = await past.contractReads.logs(address, span, options)
    const words = read.records.map(({ hash, height, time, topics, data }) => ({
      hash,
      height,
      time,
      text: [...topics, data].join(' ').toLowerCase().replaceAll('0x', ''),
    }))
    // What is empty or cut off may be more the next time.
    if (!read.complete || words.length === 0) return words
    count += words.length
    if (count > maxKept) {
      kept.clear()
      count = words.length
    }
    kept.set(name, words)
    return words
  }

  return async (wanted: string, span: Span, options: ReadOptions): Promise<NamingTransaction[] | null> => {
    const needle = wanted.toLowerCase().replace('0x', '')
    const found = new Map<string, NamingTransaction>()
    let last = span.below
    for (let piece = 0; piece < maxPieces && last >= 0; piece += 1) {
      // Whole thousands, so that the next search asks for the same pieces.
      const first = Math.max(0, Math.floor(last / maxSpanBlocks) * maxSpanBlocks)
      for (const address of contracts) {
        const words = await readPiece(address, { first, last }, options)
        for (const { hash, height, time, text } of words)
          if (text.includes(needle)) found.set(hash, { hash, height, time })
      }
      if (first === 0 || (await isBefore(past, first, span.since, options))) return [...found.values()]
      last = first - 1
    }
    return found.size > 0 ? [...found.values()] : null
  }
}

async function isBefore(
  { reads }: Past,
  height: number,
  time: UnixMs,
  options: ReadOptions,
): Promise<boolean> {
  const block = await reads.mainBlock(height, options)
  return typeof block !== 'string' && block.blockTime !== null && block.blockTime < time
}
