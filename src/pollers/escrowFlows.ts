import { errorText, isSetAside, MonitorError } from '../lib/errors.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import { sumFlows } from '../domain/escrowFlow.ts'
import { toForeignToken } from '../rules/detectors/escrowForeignToken.ts'
import type { Database } from '../store/database.ts'
import { forgetFlow, saveFlows } from '../store/escrowFlows.ts'
import { readMeta, saveMeta } from '../store/meta.ts'
import { type MainStream, readStream, saveStream } from '../store/mainStreams.ts'
import type { EscrowPlace, FlowStream } from './escrowPlaces.ts'
import { createSeenRows, type SeenRows } from './goneRows.ts'
import { findForeign, isWatched, lookUpTokens, type TokenLookUpDeps } from './escrowTokens.ts'
import type { Blocks, FlowKind, MainReads } from './mainReads.ts'
import { waitForHead } from './waitForHead.ts'
import type { Commit } from './reads.ts'
import type { Crowds } from './crowds.ts'

export interface EscrowFlowsDeps {
  readonly clock: Clock
  readonly db: Database
  readonly reads: Pick<MainReads, 'flows' | 'hasCome'>
  readonly commit: Commit
  readonly places: readonly EscrowPlace[]
  readonly tellSince: UnixMs
  listStreams(): readonly FlowStream[]
  /** The main head as last read; null before. */
  readMainHeight(): number | null
  isBridgeToken(token: string): boolean
  /** The bridge's tokens of a kind, those that the configuration names first. */
  listTokens(kind: FlowKind): readonly string[]
  /** Lists in which others move so much that each token is asked for alone; null reads such a list on to its end. */
  readonly crowds: Crowds | null
  /** The escrow held it when it was first read: from now on it is one of the bridge's. */
  noteHeld(token: string, type: string): void
  /** Something was found that wants to be judged. */
  requestChecks(): void
}

/** Blocks read again at every tick, and every so often a longer stretch: lists fill in late what they missed. */
const overlapBlocks = 60
const deepBlocks = 3_600
const deepEveryMs = 600_000
/** A known row so far behind still serves to tell a whole answer from an empty one. */
const knownWithinBlocks = 1_800
/** What nobody named is read so often. */
const rareMs = 55_000
const chunkBlocks = 5_000
const maxChunks = 10

/**
 * Reads what moved at the bridge's escrows, by ranges of blocks below the main head. The cursor moves with the commit
 * of what was found, and only over ranges that were read whole; an answer that lacks a row that is known to be in its
 * range is no answer.
 */
export function createEscrowFlowsPoll(deps: EscrowFlowsDeps): (signal: AbortSignal) => Promise<void> {
  const seenOf = new Map<string, SeenRows>()
  const readAt = new Map<string, number>()
  const lookedUp = new Map<string, number>()
  return async (signal) => {
    const head = await waitForHead(deps, signal)
    if (head === null) return
    const firstHeight = readFirstHeight(deps.db, head)
    const problems: unknown[] = []
    for (const stream of deps.listStreams()) {
      const startedAt = deps.clock.monotonicMs()
      if (stream.isRare && startedAt - (readAt.get(stream.id) ?? -Infinity) < rareMs) continue
      readAt.set(stream.id, startedAt)
      try {
        const seen = seenOf.get(stream.id) ?? createSeenRows()
        seenOf.set(stream.id, seen)
        await readStreamUpTo({ ...deps, seen, lookedUp, firstHeight }, stream, head, signal)
      } catch (error) {
        if (signal.aborted) throw error
        problems.push(error)
      }
    }
    if (problems.length > 0) throw problems[0]
  }
}

const firstHeightName = 'escrow_first_height'

/** The main head when the escrows were first read: what came before is theirs. */
function readFirstHeight(db: Database, head: number): number {
  const known = readMeta(db, firstHeightName)
  if (known !== null) return Number(known)
  saveMeta(db, firstHeightName, String(head))
  return head
}

interface StreamDeps extends EscrowFlowsDeps, TokenLookUpDeps {
  readonly reads: EscrowFlowsDeps['reads']
  readonly seen: SeenRows
}

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
  const { place } = stream
  const { known } = state
  const isKnown = known !== null && known.height >= blocks.from && known.height <= blocks.to
  const read = await readFlows(deps, stream, { blocks, known: isKnown ? known : null }, signal)
  await lookUpTokens(deps, stream, read.rows, signal)
  // What does not count may not be asked for the next time, so that it is no control for others.
  const rows = read.rows.filter((row) => isWatched(deps, place, row.token))
  const reading = { blocks, at: read.requestedAt, keptBlocks: deepBlocks, known: isKnown ? known : null }
  const gone = read.isWhole ? deps.seen.note(rows, reading) : []
  const isGone = isKnown && gone.includes(known.hash)
  const isWhole = read.isWhole && (!isKnown || isGone || rows.some(({ hash }) => hash === known.hash))
  const newest = rows.reduce<MainStream['known']>(
    (best, { hash, height }) =>
      height !== null && height <= blocks.to && (best === null || height > best.height)
        ? { hash, height }
        : best,
    isGone ? deps.seen.newest(blocks.to) : known,
  )
  const own = new Set(deps.places.map(({ address }) => address))
  const flows = sumFlows(rows, place.address, own, read.requestedAt)
  const foreign = findForeign(deps, place, read.rows, blocks)
  deps.commit({
    bad: read.bad,
    apply: (now) => {
      // What is there is there, even where the rest of the answer cannot be trusted.
      saveFlows(deps.db, flows, now, deps.tellSince)
      for (const hash of gone) forgetFlow(deps.db, place.address, hash, now)
      if (isWhole) saveStream(deps.db, { ...state, cursor: blocks.to, known: newest })
      return foreign.map((one) => toForeignToken(one, read.requestedAt))
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

type FlowsRead = Awaited<ReturnType<MainReads['flows']>>

interface Reach {
  readonly blocks: Blocks
  readonly known: MainStream['known']
}

/** A list that others crowd is left, and each of the bridge's tokens asked for alone: anybody can fill a list. */
async function readFlows(
  deps: StreamDeps,
  stream: FlowStream,
  reach: Reach,
  signal: AbortSignal,
): Promise<FlowsRead> {
  const { place, kind, token } = stream
  const of = { address: place.address, kind, token }
  if (deps.crowds === null || token !== undefined) return readList(deps, of, reach, signal)
  if (deps.crowds.has(stream.id)) return readEach(deps, stream, reach, signal)
  const counts = (other: string) => isWatched(deps, place, other)
  const read = await readList(deps, of, { ...reach, counts }, signal)
  if (!read.isCrowded) return read
  deps.crowds.note(stream.id)
  const each = await readEach(deps, stream, reach, signal)
  return { ...each, rows: [...each.rows, ...read.rows.filter((row) => !counts(row.token))] }
}

async function readEach(
  deps: StreamDeps,
  { place, kind }: FlowStream,
  { blocks }: Reach,
  signal: AbortSignal,
): Promise<FlowsRead> {
  const requestedAt = deps.clock.now()
  const reads: FlowsRead[] = []
  for (const token of deps.listTokens(kind))
    reads.push(await readList(deps, { address: place.address, kind, token }, { blocks, known: null }, signal))
  return {
    requestedAt,
    rows: reads.flatMap(({ rows }) => rows),
    isWhole: reads.every(({ isWhole }) => isWhole),
    problem: reads.find(({ isWhole }) => !isWhole)?.problem ?? '',
    bad: reads.flatMap(({ bad }) => bad),
    isCrowded: true,
  }
}

/** Where a known row stays hidden, what lies above it is looked at all the same: it proves nothing, and may be a theft. */
async function readList(
  deps: Pick<StreamDeps, 'reads' | 'crowds'>,
  of: Parameters<MainReads['flows']>[0],
  { blocks, known, counts }: Reach & { readonly counts?: (token: string) => boolean },
  signal: AbortSignal,
): Promise<FlowsRead> {
  const priority = deps.crowds === null ? 'sweep' : 'evidence'
  const options = { priority, signal, isKnown: known !== null, ...(counts && { counts }) } as const
  try {
    return await deps.reads.flows(of, blocks, options)
  } catch (error) {
    if (known === null || !isSetAside(error)) throw error
    const above = { from: Math.min(known.height + 1, blocks.to), to: blocks.to }
    const read = await deps.reads.flows(of, above, { ...options, isKnown: false })
    return { ...read, isWhole: false, problem: errorText(error) }
  }
}
