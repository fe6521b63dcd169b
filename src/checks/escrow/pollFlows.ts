import { errorText, isSetAside, MonitorError } from '../../lib/errors.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import { sumFlows } from './flow.ts'
import { toForeignToken } from './foreignToken.ts'
import type { Database } from '../../store/database.ts'
import { forgetFlow, saveFlows } from './flowStore.ts'
import { readMeta, saveMeta } from '../../store/meta.ts'
import { type MainStream, noteDeepRead, readStream, saveStream } from '../../kernel/mainStreams.ts'
import type { EscrowPlace, FlowStream } from './places.ts'
import { createSeenRows, type SeenRows } from '../../kernel/goneRows.ts'
import { findForeign, isWatched, lookUpTokens, type TokenLookUpDeps } from './tokens.ts'
import type { Blocks, FlowKind, MainReads } from '../../kernel/mainReads.ts'
import { waitForHead } from '../../kernel/waitForHead.ts'
import type { Commit } from '../../kernel/reads.ts'
import type { Crowds } from './crowds.ts'

export interface EscrowFlowsDeps {
  readonly clock: Clock
  readonly db: Database
  readonly reads: Pick<MainReads, 'flows' | 'hasCome'>
  readonly commit: Commit
  readonly places: readonly EscrowPlace[]
  readonly tellSince: UnixMs
  listStreams(): readonly FlowStream[]
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

/** Reads the lists of movements at the bridge's escrows. Each throws when one of them could not be read whole. */
export interface EscrowFlowsPolls {
  /**
   * What is new, by ranges of blocks below the main head. The cursor moves with the commit of what was found, and only
   * over ranges that were read whole; an answer that lacks a row that is known to be in its range is no answer.
   */
  readonly newest: (signal: AbortSignal) => Promise<void>
  /** The recent past once more, where that is due: beside what is new, which must not wait for it. */
  readonly again: (signal: AbortSignal) => Promise<void>
  /** The one after the other, the past even where something new could not be read. */
  readonly both: (signal: AbortSignal) => Promise<void>
}

export function createEscrowFlowsPolls(deps: EscrowFlowsDeps): EscrowFlowsPolls {
  const seenOf = new Map<string, SeenRows>()
  const readAt = new Map<string, number>()
  const lookedUp = new Map<string, number>()
  const seen = (id: string) => {
    const rows = seenOf.get(id) ?? createSeenRows()
    seenOf.set(id, rows)
    return rows
  }
  const isResting = ({ id, isRare }: FlowStream) => {
    const now = deps.clock.monotonicMs()
    if (isRare && now - (readAt.get(id) ?? -Infinity) < rareMs) return true
    readAt.set(id, now)
    return false
  }
  const isDue = ({ id }: FlowStream) => {
    const state = readStream(deps.db, id)
    return state !== null && deps.clock.now() - state.deepAt >= deepEveryMs
  }
  const polls: EscrowFlowsPolls = {
    newest: async (signal) => {
      const head = await waitForHead(deps, signal)
      if (head === null) return
      const firstHeight = readFirstHeight(deps.db, head)
      const streams = deps.listStreams().filter((stream) => !isResting(stream))
      await readEveryStream(streams, signal, (stream) =>
        readUpTo({ ...deps, seen: seen(stream.id), lookedUp, firstHeight }, stream, head, signal),
      )
    },
    again: async (signal) => {
      const firstHeight = Number(readMeta(deps.db, firstHeightName))
      await readEveryStream(deps.listStreams().filter(isDue), signal, (stream) =>
        readAgain({ ...deps, seen: seen(stream.id), lookedUp, firstHeight }, stream, signal),
      )
    },
    both: async (signal) => {
      try {
        await polls.newest(signal)
      } finally {
        await polls.again(signal)
      }
    },
  }
  return polls
}

/** One that cannot be read holds up none of the others. */
async function readEveryStream(
  streams: readonly FlowStream[],
  signal: AbortSignal,
  read: (stream: FlowStream) => Promise<void>,
): Promise<void> {
  const problems: unknown[] = []
  for (const stream of streams) {
    try {
      await read(stream)
    } catch (error) {
      if (signal.aborted) throw error
      problems.push(error)
    }
  }
  if (problems.length > 0) throw problems[0]
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

async function readUpTo(
  deps: StreamDeps,
  stream: FlowStream,
  head: number,
  signal: AbortSignal,
): Promise<void> {
  for (let chunk = 0; chunk < maxChunks; chunk++) {
    const state = readStream(deps.db, stream.id) ?? {
      id: stream.id,
      cursor: Math.max(0, head - overlapBlocks),
      known: null,
      deepAt: 0,
    }
    const blocks = nextBlocks(state, head)
    await readBlocks(deps, stream, state, blocks, signal)
    if (blocks.to >= head) return
  }
}

/** The next range: behind the cursor, so that what was listed late is found, and over the newest row that is known. */
function nextBlocks({ cursor, known }: Pick<MainStream, 'cursor' | 'known'>, head: number): Blocks {
  const to = Math.max(Math.min(head, cursor + chunkBlocks), cursor)
  const back = Math.max(0, cursor - overlapBlocks)
  const isNear = known !== null && known.height >= cursor - knownWithinBlocks && known.height <= to
  return { from: isNear ? Math.min(back, known.height) : back, to }
}

async function readAgain(deps: StreamDeps, stream: FlowStream, signal: AbortSignal): Promise<void> {
  const state = readStream(deps.db, stream.id)
  if (state === null) return
  const startedAt = deps.clock.now()
  const blocks = { from: Math.max(0, state.cursor - deepBlocks), to: state.cursor }
  await readBlocks(deps, stream, state, blocks, signal)
  deps.commit({ apply: () => (noteDeepRead(deps.db, stream.id, startedAt), []) })
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
      if (isWhole) moveCursor(deps.db, state, { to: blocks.to, newest, gone })
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

/** Another reading of the same list may have gone further meanwhile. */
function moveCursor(
  db: Database,
  state: MainStream,
  read: { readonly to: number; readonly newest: MainStream['known']; readonly gone: readonly string[] },
): void {
  const now = readStream(db, state.id) ?? state
  const known = now.known !== null && read.gone.includes(now.known.hash) ? null : now.known
  const isNewer = known === null || (read.newest !== null && read.newest.height > known.height)
  saveStream(db, { ...now, cursor: read.to, known: isNewer ? read.newest : known })
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
