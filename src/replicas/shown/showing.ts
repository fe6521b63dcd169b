import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import { errorText } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { Change } from '../../store/changeLog.ts'
import type { Database } from '../../store/database.ts'
import { fetchChanges } from '../changes.ts'
import type { Connections } from '../connect.ts'
import { moveTo, type Place, readPlace, type Writer } from './place.ts'
import { type RowsOf, type ShownKeys, type ShownReader, type ShownRows, walked } from './rows.ts'
import { isDay, listShownKeys } from './shownKeys.ts'
import { writeBridge } from './writeBridge.ts'
import { dropOthers, writeRows } from './writeRows.ts'

export interface ShowingDeps extends Writer {
  readonly clock: Pick<Clock, 'sleep' | 'monotonicMs'>
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Its own: what is slow here holds up nothing else. */
  readonly connections: Connections
  readonly db: Pick<Database, 'changes' | 'held' | 'generation'>
  readonly reader: ShownReader
  /** The last change that PostgreSQL has. */
  readonly pushedSeq: () => number
}

interface State extends ShowingDeps {
  /** Null while it is not known, as after an answer that never came. */
  place: Place | null
  refreshedMs: number
}

const idleMs = 250
const retryMs = 2_000
const bridgeMs = 5_000
/** Prices and what a title says of time change by themselves. */
const refreshMs = 60_000
const mostRefreshed = 100
const changesAtOnce = 256 * 1024
const walkedAtOnce = 200
/** Rows that are read in one go: a millisecond or two. */
const slice = 20

/**
 * Keeps the tables that people query as the ledger is, from its changes, until `signal`. What is in the way here is said
 * and tried again, and holds up nobody.
 */
export async function keepShown(deps: ShowingDeps, signal: AbortSignal): Promise<void> {
  const state: State = { ...deps, place: null, refreshedMs: -Infinity }
  const rows = repeat(deps, signal, 'rows of the tables that people query', async () => {
    try {
      return (await step(state, signal)) ? 0 : idleMs
    } catch (error) {
      state.place = null
      throw error
    }
  })
  const bridge = repeat(deps, signal, 'the state of the bridge that people query', async () => {
    await writeBridge(deps.connections.query, deps, deps.reader.bridge())
    return bridgeMs
  })
  await Promise.all([rows, bridge])
}

/** `work` says how long to wait. */
async function repeat(
  { clock, log }: ShowingDeps,
  signal: AbortSignal,
  what: string,
  work: () => Promise<number>,
): Promise<void> {
  let isFailing = false
  while (!signal.aborted) {
    let waitMs = retryMs
    try {
      waitMs = await work()
      if (isFailing) log.info(`written again: ${what}`)
      isFailing = false
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, `not written: ${what}: ${errorText(error)}`)
      isFailing = true
    }
    if (waitMs > 0) await clock.sleep(waitMs, signal)
  }
}

/** @returns whether there is more to do at once */
async function step(state: State, signal: AbortSignal): Promise<boolean> {
  state.place ??= await readPlace(state.connections.query, state.bridge)
  const { place } = state
  const changes = place?.ledger === state.db.generation ? await findChanges(state, place.seq) : null
  if (place === null || changes === null) return await beginWalk(state, signal)
  if (changes.length > 0) {
    const touched = readTouched(state, changes)
    if (touched === null) return await beginWalk(state, signal)
    return await show(state, signal, touched.keys, { ...place, seq: touched.until })
  }
  if (place.walk !== null) return await walkOn(state, signal, { ...place, walk: place.walk })
  if (state.clock.monotonicMs() - state.refreshedMs < refreshMs) return false
  state.refreshedMs = state.clock.monotonicMs()
  await show(state, signal, { ...nothing, cases: new Set(state.reader.listOpenCases(mostRefreshed)) }, place)
  return false
}

/** Null where a change cannot be read, as one that was damaged in PostgreSQL: what it touched is anybody's guess. */
function readTouched(
  { reader, log }: State,
  changes: readonly Change[],
): ReturnType<typeof listShownKeys> | null {
  try {
    return listShownKeys(changes, reader)
  } catch (error) {
    log.warn({ err: error }, `a change cannot be read: ${errorText(error)}`)
    return null
  }
}

const nothing: ShownKeys = { transfers: new Set(), cases: new Set(), alerts: new Set(), days: new Set() }

/** What follows a change, here or, where it was forgotten here, in PostgreSQL; null when it is nowhere. */
async function findChanges(
  { db, connections, bridge }: State,
  after: number,
): Promise<readonly Change[] | null> {
  const own = db.changes.state()
  if (own === null || own.seq < after) return null
  if (own.seq === after) return []
  const local = db.changes.listPending(after, changesAtOnce)
  if (local[0]?.seq === after + 1) return local
  const far = await fetchChanges(connections.query, bridge, after)
  return far[0]?.seq === after + 1 ? far : null
}

/** From here on what changes is followed, and beside that everything is written once. */
async function beginWalk(state: State, signal: AbortSignal): Promise<boolean> {
  const seq = state.db.changes.state()?.seq ?? 0
  state.log.info('everything is written into the tables that people query')
  return await show(
    state,
    signal,
    { ...nothing, days: new Set(state.reader.listDays().filter(isDay)) },
    {
      ledger: state.db.generation,
      seq,
      walk: { table: walked[0], after: 0 },
    },
  )
}

async function walkOn(
  state: State,
  signal: AbortSignal,
  place: Place & { readonly walk: NonNullable<Place['walk']> },
): Promise<boolean> {
  const { table, after } = place.walk
  const keys = state.reader.list(table, after, walkedAtOnce)
  const isLast = keys.length < walkedAtOnce
  const until = isLast ? null : (keys.at(-1) ?? null)
  const next = walked[walked.indexOf(table) + 1]
  const walk =
    until !== null ? { table, after: until } : next === undefined ? null : { table: next, after: 0 }
  const dropped = { table, after, until, kept: keys }
  return await show(state, signal, { ...nothing, [table]: new Set(keys) }, { ...place, walk }, dropped)
}

/** Reads rows and writes them, once PostgreSQL has every change that they were read after. */
async function show(
  state: State,
  signal: AbortSignal,
  keys: ShownKeys,
  to: Place,
  dropped: Parameters<typeof dropOthers>[2] | null = null,
): Promise<boolean> {
  const rows = await readRows(state.reader, keys)
  const { db, bridge, connections } = state
  // What is not on the disk yet becomes part of the next change.
  const from = (db.changes.state()?.seq ?? 0) + (db.held.isUnsaved() ? 1 : 0)
  while (state.pushedSeq() < from && !signal.aborted) await state.clock.sleep(idleMs / 10, signal)
  if (signal.aborted) return false
  const isWritten = await moveTo(connections, state, { place: to, from }, async (query) => {
    await writeRows(query, bridge, rows)
    if (dropped !== null) await dropOthers(query, bridge, dropped)
  })
  // Else the lease is another's, which ends this as well.
  state.place = isWritten ? to : null
  return isWritten
}

async function readRows(reader: ShownReader, keys: ShownKeys): Promise<ShownRows> {
  const keyOf = ({ key }: { readonly key: number }) => key
  return {
    transfers: await readSlices([...keys.transfers], (some) => reader.transfers(some), keyOf),
    cases: await readSlices([...keys.cases], (some) => reader.cases(some), keyOf),
    alerts: await readSlices([...keys.alerts], (some) => reader.alerts(some), keyOf),
    days: await readSlices(
      [...keys.days],
      (some) => reader.days(some),
      ({ day }) => day,
    ),
  }
}

/** Between slices others have their turn. */
async function readSlices<Row, Key>(
  keys: readonly Key[],
  read: (some: readonly Key[]) => Row[],
  keyOf: (row: Row) => Key,
): Promise<RowsOf<Row, Key>> {
  const rows: Row[] = []
  for (let at = 0; at < keys.length; at += slice) {
    if (at > 0) await setImmediate()
    rows.push(...read(keys.slice(at, at + slice)))
  }
  const found = new Set(rows.map(keyOf))
  return { rows, gone: keys.filter((key) => !found.has(key)) }
}
