import { MonitorError } from '../lib/errors.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import { sumFlows } from '../domain/escrowFlow.ts'
import type { Database } from '../store/database.ts'
import { forgetFlow, saveFlows } from '../store/escrowFlows.ts'
import { type MainStream, readStream, saveStream } from '../store/mainStreams.ts'
import type { EscrowPlace, FlowStream } from './escrowPlaces.ts'
import { createSeenRows, type SeenRows } from './goneRows.ts'
import type { Blocks, MainReads } from './mainReads.ts'
import { waitForHead } from './waitForHead.ts'
import type { Commit } from './reads.ts'

export interface EscrowFlowsDeps {
  readonly clock: Clock
  readonly db: Database
  readonly reads: Pick<MainReads, 'flows'>
  readonly commit: Commit
  readonly places: readonly EscrowPlace[]
  readonly tellSince: UnixMs
  listStreams(): readonly FlowStream[]
  /** The main head as last read; null before. */
  readMainHeight(): number | null
  isBridgeToken(token: string): boolean
  /** Something was found that wants to be judged. */
  requestChecks(): void
}

/** Blocks read again at every tick, and every so often a longer stretch: lists fill in late what they missed. */
const overlapBlocks = 60
const deepBlocks = 3_600
const deepEveryMs = 600_000
/** A known row so far behind still serves to tell a whole answer from an empty one. */
const knownWithinBlocks = 1_800
const chunkBlocks = 5_000
const maxChunks = 10

/**
 * Reads what moved at the bridge's escrows, by ranges of blocks below the main head. The cursor moves with the commit
 * of what was found, and only over ranges that were read whole; an answer that lacks a row that is known to be in its
 * range is no answer.
 */
export function createEscrowFlowsPoll(deps: EscrowFlowsDeps): (signal: AbortSignal) => Promise<void> {
  const seenOf = new Map<string, SeenRows>()
  return async (signal) => {
    const head = await waitForHead(deps, signal)
    if (head === null) return
    const problems: unknown[] = []
    for (const stream of deps.listStreams()) {
      try {
        const seen = seenOf.get(stream.id) ?? createSeenRows()
        seenOf.set(stream.id, seen)
        await readStreamUpTo({ ...deps, seen }, stream, head, signal)
      } catch (error) {
        if (signal.aborted) throw error
        problems.push(error)
      }
    }
    if (problems.length > 0) throw problems[0]
  }
}

type StreamDeps = EscrowFlowsDeps & { readonly seen: SeenRows }

async function readStreamUpTo(
  deps: StreamDeps,
  stream: FlowStream,
  head: number,
  signal: AbortSignal,
): Promise<void> {
  for (let chunk = 0; chunk < maxChunks; chunk++) {
    const state = readStream(deps.db, stream.id) ?? {
      id: stream.id,
      cursor: Math.max(0, head - deepBlocks),
      known: null,
      deepAt: deps.clock.now(),
    }
    const isDeep = deps.clock.now() - state.deepAt >= deepEveryMs
    const blocks = nextBlocks(state, head, isDeep)
    await readBlocks(deps, stream, isDeep ? { ...state, deepAt: deps.clock.now() } : state, blocks, signal)
    if (blocks.to >= head) return
  }
}

/** The next range: behind the cursor, so that what was listed late is found, and over the newest row that is known. */
function nextBlocks(state: Pick<MainStream, 'cursor' | 'known'>, head: number, isDeep: boolean): Blocks {
  const { cursor, known } = state
  const to = Math.max(Math.min(head, cursor + chunkBlocks), cursor)
  const back = Math.max(0, cursor - (isDeep ? deepBlocks : overlapBlocks))
  const isNear = known !== null && known.height >= cursor - knownWithinBlocks && known.height <= to
  return { from: isNear ? Math.min(back, known.height) : back, to }
}

async function readBlocks(
  deps: StreamDeps,
  stream: FlowStream,
  state: MainStream,
  blocks: Blocks,
  signal: AbortSignal,
): Promise<void> {
  const { place, kind, token } = stream
  const { known } = state
  const isKnown = known !== null && known.height >= blocks.from && known.height <= blocks.to
  const of = { address: place.address, kind, token }
  const read = await deps.reads.flows(of, blocks, { priority: 'evidence', signal, isKnown })
  const reading = { blocks, at: read.requestedAt, keptBlocks: deepBlocks, known: isKnown ? known : null }
  const gone = read.isWhole ? deps.seen.note(read.rows, reading) : []
  const isGone = isKnown && gone.includes(known.hash)
  const isWhole = read.isWhole && (!isKnown || isGone || read.rows.some(({ hash }) => hash === known.hash))
  const newest = read.rows.reduce<MainStream['known']>(
    (best, { hash, height }) =>
      height !== null && height <= blocks.to && (best === null || height > best.height)
        ? { hash, height }
        : best,
    isGone ? deps.seen.newest(blocks.to) : known,
  )
  const own = new Set(deps.places.map(({ address }) => address))
  const rows = read.rows.filter((row) =>
    place.tokens ? place.tokens.has(row.token) : deps.isBridgeToken(row.token),
  )
  const flows = sumFlows(rows, place.address, own, read.requestedAt)
  deps.commit({
    bad: read.bad,
    apply: (now) => {
      // What is there is there, even where the rest of the answer cannot be trusted.
      saveFlows(deps.db, flows, now, deps.tellSince)
      for (const hash of gone) forgetFlow(deps.db, place.address, hash, now)
      if (isWhole) saveStream(deps.db, { ...state, cursor: blocks.to, known: newest })
      return []
    },
  })
  if (flows.length > 0) deps.requestChecks()
  if (isWhole) return
  const why = read.isWhole ? 'a movement that is known is not in the answer' : read.problem
  throw new MonitorError(
    'source.empty',
    `movements at ${place.address}, blocks ${blocks.from} to ${blocks.to}: ${why}`,
  )
}
