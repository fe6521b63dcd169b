import type { Blocks } from '../../../kernel/reads/readRange.ts'
import { type MainStream, noteDeepRead, readStream, saveStream } from '../../../kernel/reads/mainStreams.ts'
import { listHeads } from '../../../kernel/heads/heads.ts'
import { waitForHead } from '../../../kernel/heads/waitForHead.ts'
import { mostOfTransaction } from '../../../ledger/transfers/transferRows.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { MonitorError } from '../../../lib/errors.ts'
import type { Database } from '../../../store/database.ts'
import { accountFlows } from '../explaining/keepAccounts.ts'
import { type EscrowFlow, sumFlows } from '../flows/flow.ts'
import { deepBlocks, nextBlocks, overlapBlocks, readLate } from './flowReach.ts'
import { type FlowReader, isResting, listStreams, rowsOf } from './flowReader.ts'
import { forgetFlow, saveFlows, wakeFlows, wakeSentTo } from '../flows/flowStore.ts'
import { gasOf } from '../flows/gas.ts'
import { toForeignToken } from '../flows/foreignToken.ts'
import type { FlowStream } from '../watched/places.ts'
import { noteListRead } from './provenMoves.ts'
import { dropRepeats } from './repeats.ts'
import { findForeign, isWatched, lookUpTokens, noteFirstHeight } from './tokens.ts'
import { fillUnread } from './unreadRows.ts'
import { type FlowsRead, readStreamRows } from './readStreamRows.ts'

const deepEveryMs = 600_000

/** A head that was not shown to come further for so long is old: a chain makes blocks in seconds, and sources show them within a minute. */
const oldHeadMs = 60_000

const maxChunks = 10

/**
 * Reads what is new at the bridge's escrows, by ranges of blocks below the main head. The cursor moves with the commit of
 * what was found, and only over ranges that were read whole; an answer that lacks a row that is known to be in its range
 * is no answer: throws when a list could not be read whole.
 */
export async function readNewFlows(reader: FlowReader, signal: AbortSignal): Promise<void> {
  const head = await waitForHead(reader, signal)
  if (head === null) return
  noteFirstHeight(reader.db, head)
  const streams = listStreams(reader).filter((stream) => !isResting(reader, stream))
  const extent = { head, to: farthest(reader, head) }
  await readEveryStream(streams, signal, (stream) => readUpTo(reader, stream, extent, signal))
}

interface Extent {
  /** As the source of the lists shows it: below it they are read once. */
  readonly head: number
  readonly to: number
}

/** While the head is old the chain goes on: how far, a node of it says, and records do. What they name the lists may show. */
function farthest({ clock, db, ledger, nodeHeads }: FlowReader, head: number): number {
  const { blockTime, readAt } = listHeads(db).find(({ chain }) => chain === 'main') ?? {}
  const shownAt = Math.min(blockTime ?? Infinity, readAt ?? Infinity)
  if (clock.now() - shownAt < oldHeadMs) return head
  return Math.max(head, nodeHeads.main?.height ?? 0, ledger.highestHeight('main') ?? 0)
}

/** Reads the recent past once more, where that is due: beside what is new, which must not wait for it. */
export async function readPastFlows(reader: FlowReader, signal: AbortSignal): Promise<void> {
  const { clock, db } = reader
  const due = listStreams(reader).filter(({ id }) => {
    const state = readStream(db, id)
    return state !== null && clock.now() - state.deepAt >= deepEveryMs
  })
  await readEveryStream(due, signal, (stream) => readAgain(reader, stream, signal))
}

/** Reads the one after the other, the past even where something new could not be read. */
export async function readFlows(reader: FlowReader, signal: AbortSignal): Promise<void> {
  try {
    await readNewFlows(reader, signal)
  } finally {
    await readPastFlows(reader, signal)
  }
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

async function readUpTo(
  reader: FlowReader,
  stream: FlowStream,
  { head, to }: Extent,
  signal: AbortSignal,
): Promise<void> {
  // What cannot be read whole hides nothing behind it: that is read as well, and the cursor waits.
  const problems: unknown[] = []
  let readTo: number | null = null
  for (let chunk = 0; chunk < maxChunks; chunk++) {
    const state = readStream(reader.db, stream.id) ?? begin(reader, stream, head)
    // What was read just now is not read once more.
    const blocks = nextBlocks(readTo === null ? state : { ...state, cursor: readTo, deepAt: 0 }, to)
    try {
      await readBlocks(reader, { stream, state, blocks, head, mayPass: readTo === null }, signal)
    } catch (error) {
      if (!isPart(error)) throw error
      problems.push(error)
    }
    if (problems.length > 0) readTo = blocks.to
    if (blocks.to >= head) break
  }
  if (problems.length > 0) throw problems[0]
}

/** A list is read from here on, also where its first reading comes to nothing. */
function begin({ commit, db }: FlowReader, { id }: FlowStream, head: number): MainStream {
  const state = { id, cursor: Math.max(0, head - overlapBlocks), known: null, deepAt: 0 }
  commit({ mayWait: 'without-news', apply: () => (saveStream(db, state), []) })
  return state
}

/** Of a list some was read, and not all. */
function isPart(error: unknown): boolean {
  return error instanceof MonitorError && error.code === 'source.empty'
}

async function readAgain(reader: FlowReader, stream: FlowStream, signal: AbortSignal): Promise<void> {
  const { clock, commit, db } = reader
  const state = readStream(db, stream.id)
  if (state === null) return
  const startedAt = clock.now()
  const blocks = { from: Math.max(0, state.cursor - deepBlocks), to: state.cursor }
  await readBlocks(reader, { stream, state, blocks, head: state.cursor, mayPass: true }, signal)
  commit({ apply: () => (noteDeepRead(db, stream.id, startedAt), []) })
}

interface StreamRange {
  readonly stream: FlowStream
  readonly state: MainStream
  readonly blocks: Blocks
  /** Beyond it nothing is read for good. */
  readonly head: number
  /** Whether the cursor may move: all before is read. */
  readonly mayPass: boolean
}

async function readBlocks(
  reader: FlowReader,
  { stream, state, blocks, head, mayPass }: StreamRange,
  signal: AbortSignal,
): Promise<void> {
  const { commit, db, tellSince, trigger, watch } = reader
  const { place } = stream
  const isIn = state.known !== null && state.known.height >= blocks.from && state.known.height <= blocks.to
  const known = isIn ? state.known : null
  const seen = rowsOf(reader, stream)
  const listed = await readLate({
    stream: state,
    blocks,
    seen,
    read: (reach) => readStreamRows(reader, stream, { known, ...reach }, signal),
  })
  // What others crowd is read a part at a time.
  if (!reader.isOfCrowds)
    noteListRead(reader, stream, { rows: listed.rows, to: Math.min(blocks.to, head), at: listed.requestedAt })
  const read = await fillUnread(reader, { stream, read: listed }, signal)
  await lookUpTokens(reader, { stream, rows: read.rows }, signal)
  // What does not count may not be asked for the next time, so that it is no control for others.
  const counted = read.rows.filter((row) => isWatched(watch, place, row.token))
  const rows = await dropRepeats(reader, { escrow: place.address, rows: counted }, signal)
  const reading = { blocks, at: read.requestedAt, keptBlocks: deepBlocks, known }
  const gone = read.isWhole ? seen.note(rows, reading) : []
  const isGone = known !== null && gone.includes(known.hash)
  const isWhole = read.isWhole && (known === null || isGone || rows.some(({ hash }) => hash === known.hash))
  const newest = newestOf(rows, blocks.to, isGone ? seen.newest(blocks.to) : state.known)
  const own = new Set(watch.places.map(({ address }) => address))
  const wrapper = watch.bridge.wrappedNative ?? null
  const flows = sumFlows(rows, { escrow: place.address, own, wrapper }, read.requestedAt)
  const foreign = findForeign(reader, { place, rows: read.rows, blocks })
  commit({
    bad: read.bad,
    ...(flows.length === 0 && gone.length === 0 && { mayWait: 'without-news' as const }),
    apply: (now) => {
      // What is there is there, even where the rest of the answer cannot be trusted.
      const changed = saveFlows(db, flows, now, tellSince)
      wakeSentTo(db, listPayers(reader, changed), now)
      // What the native currency and its wrapper moved is judged together, and listed apart.
      const wrapping =
        wrapper === null ? [] : changed.filter(({ token }) => token === '' || token === wrapper)
      wakeFlows(
        db,
        wrapping.map(({ hash }) => hash),
        now,
      )
      const left = gone
        .flatMap((hash) => [hash, gasOf(hash)])
        .flatMap((hash) => forgetFlow(db, place.address, hash, now))
      const others = changed.filter(({ isOther }) => isOther)
      askAgain(reader, [...left, ...others], now)
      accountFlows(reader, [...changed, ...left], now)
      if (isWhole && mayPass)
        moveCursor(db, state, { to: Math.max(state.cursor, Math.min(blocks.to, head)), newest, gone })
      return foreign.map((one) => toForeignToken(one, read.requestedAt))
    },
  })
  if (flows.length > 0) trigger('escrowChecks')
  if (isWhole) return
  const why = read.isWhole ? 'a movement that is known is not in the answer' : read.problem
  throw new MonitorError(
    'source.empty',
    `movements at ${place.address}, blocks ${blocks.from} to ${blocks.to}: ${why}`,
  )
}

/** The highest row up to a height, if it is higher than the one that is known, which is where the rows have it. */
function newestOf(rows: FlowsRead['rows'], to: number, known: MainStream['known']): MainStream['known'] {
  const isListed = rows.some(({ hash, height }) => hash === known?.hash && height !== null)
  return rows.reduce<MainStream['known']>(
    (best, { hash, height }) =>
      height !== null && height <= to && (best === null || height > best.height) ? { hash, height } : best,
    isListed ? null : known,
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
  const isNewer =
    known === null ||
    (read.newest !== null && (read.newest.height > known.height || read.newest.hash === known.hash))
  saveStream(db, { ...now, cursor: read.to, known: isNewer ? read.newest : known })
}

/** Who made the deposits that came in by a contract of the bridge. */
function listPayers({ ledger, watch }: FlowReader, flows: readonly EscrowFlow[]): string[] {
  const { contracts } = watch.bridge
  const routed = flows.filter(({ outward, party }) => outward.digits < 0n && contracts.includes(party))
  const deposits = routed.flatMap(({ hash }) => ledger.listSharing('main', hash, mostOfTransaction))
  return [...new Set(deposits.map(({ sourceAddress }) => sourceAddress))]
}

/**
 * A reorganisation may leave a transaction out, or have it move something else: what its transfers were proven by is asked again,
 * since nothing else would tell.
 */
function askAgain(
  { ledger, trigger }: FlowReader,
  flows: readonly Pick<EscrowFlow, 'hash'>[],
  now: UnixMs,
): void {
  const transfers = [...new Set(flows.map(({ hash }) => hash))].flatMap((hash) =>
    ledger.listSharing('main', hash, mostOfTransaction),
  )
  for (const transfer of transfers) ledger.askAgain(transfer, now)
  if (transfers.length > 0) trigger('evidence')
}
