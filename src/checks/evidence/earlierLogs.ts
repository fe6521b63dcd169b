import type { BlockSpan } from '../../kernel/reads/contractReads.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { maxSpanBlocks, readSpan } from '../../kernel/reads/readSpan.ts'
import type { ReadOptions } from '../../kernel/reads/reads.ts'
import type { UnixMs } from '../../lib/clock.ts'

type Past = Pick<Kernel, 'config' | 'contractReads' | 'reads'>

/** A transaction of the past in which a bridge contract named something. */
export interface NamingTransaction {
  readonly hash: string
  readonly height: number
  readonly time: UnixMs | null
}

/** How far the past was looked through for one hash: it goes on in the next run. */
export interface LogPass {
  /** The block that is read next, down to the time that is asked for; null: from the first on. */
  next: number | null
  isRead: boolean
  /** Something of it was cut off. */
  isCut: boolean
  readonly found: Map<string, NamingTransaction>
}

/** Below a block, back to the one of a time. */
interface Span {
  readonly below: number
  readonly since: UnixMs
}

/** Pieces of the past that one search reads in one run, at most. */
const maxPieces = 60

/** How often a piece that is refused is halved: what one block spoils hides no more than a quarter of it. */
const halvings = 2

/** So much of what was read is kept: withdrawals that waited for the start ask for the same past. */
const maxKept = 50_000

interface Words extends NamingTransaction {
  /** Topics and data, hex without marks. */
  readonly text: string
}

/**
 * Finds, below a block and back to a time, the transactions in whose events of the bridge a hash stands, whatever those
 * events mean: as far as one run reads, from where the one before ended.
 */
export function createEarlierLogs(past: Past) {
  const contracts = past.config.bridge.contracts.map((address) => address.toLowerCase())
  const kept = new Map<string, readonly Words[]>()
  let count = 0

  async function readPiece(address: string, span: BlockSpan, options: ReadOptions) {
    const name = `${address} ${span.first} ${span.last}`
    const known = kept.get(name)
    if (known) return { words: known, isWhole: true }
    const read = await readSpan(past.contractReads, address, span, options, halvings)
    // Where nothing of it is answered it is not about single blocks.
    if (read.requestedAt === 0) throw read.error
    const isWhole = read.missed.length === 0
    const words = read.logs.map(({ hash, height, time, topics, data }) => ({
      hash,
      height,
      time,
      text: [...topics, data].join(' ').toLowerCase().replaceAll('0x', ''),
    }))
    // What is empty or cut off may be more the next time.
    if (!isWhole || words.length === 0) return { words, isWhole }
    count += words.length
    if (count > maxKept) {
      kept.clear()
      count = words.length
    }
    kept.set(name, words)
    return { words, isWhole: true }
  }

  return async (
    wanted: string,
    { below, since, pass }: Span & { readonly pass: LogPass },
    options: ReadOptions,
  ): Promise<void> => {
    const needle = wanted.toLowerCase().replace('0x', '')
    for (let piece = 0; piece < maxPieces && !pass.isRead; piece += 1) {
      const last = pass.next ?? below
      // Whole thousands, so that the next search asks for the same pieces.
      const first = Math.max(0, Math.floor(last / maxSpanBlocks) * maxSpanBlocks)
      for (const address of contracts) {
        const { words, isWhole } = await readPiece(address, { first, last }, options)
        pass.isCut ||= !isWhole
        for (const { hash, height, time, text } of words)
          if (text.includes(needle)) pass.found.set(hash, { hash, height, time })
      }
      pass.isRead = first === 0 || (await isBefore(past, first, since, options))
      pass.next = first - 1
    }
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
