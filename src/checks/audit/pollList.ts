import type { Chain, Observation } from '../../bridge/observation.ts'
import { type HeightFilter, type HeightSample, judgeHeightFilter } from './heightFilter.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { AuditReads, WholeRead } from './reads.ts'
import { newestTime } from './reads.ts'
import type { BlockSpan } from '../../kernel/contractReads.ts'
import type { Commit, ReadOptions } from '../../kernel/reads.ts'

/** What an audit remembers between runs. */
export interface AuditProgress {
  /** What the height filters mean, when that was found out, and how often nothing could be said. */
  readonly filter: HeightFilter | null
  readonly filterAt: UnixMs
  readonly tries: number
  /** How far the newest audits read, the newest last. */
  readonly marks: readonly { readonly at: UnixMs; readonly height: number }[]
  /** Where the pass over older history goes on; null before its first step. */
  readonly older: number | null
}

export const noProgress: AuditProgress = { filter: null, filterAt: 0, tries: 0, marks: [], older: null }

/** Something read whole: by heights of one chain, or all records of a time. */
type AuditedSpan =
  | (BlockSpan & { readonly by: Chain })
  | { readonly by: 'time'; readonly first: UnixMs; readonly last: UnixMs }

export interface AuditDeps {
  readonly clock: Clock
  readonly reads: Pick<AuditReads, 'recordsAt' | 'recordsIn' | 'recordsSince'>
  readonly commit: Commit
  readProgress(): AuditProgress
  saveProgress(progress: AuditProgress): void
  /** Whether the walk through the past has ended: before that the ledger lacks what nobody has read. */
  isHistoryRead(): boolean
  headHeight(chain: Chain): number | null
  /** Listed transfers that show both heights, the newest ones first. */
  listSamples(): readonly HeightSample[]
  /** The lowest height that the ledger knows of since it is filled; null without any. */
  lowestHeight(chain: Chain): number | null
  lacks(record: Observation): boolean
  /** Puts a record down to be looked at again, inside a commit. @returns whether it is new */
  suspect(record: Observation): boolean
  /** Spans of what is told to lack: read again first, so that it can end. */
  listOpenSpans(by: AuditedSpan['by']): readonly BlockSpan[]
  /** A span was read whole by a reading that began at this time, and nothing in it lacked: inside a commit. */
  resolve(span: AuditedSpan, startedAt: UnixMs): void
  /** Records before this are not meant to be in the ledger. */
  readonly since: () => UnixMs
  readonly settleMs: () => number
  /** Runs the poller again after so long. */
  wakeIn(ms: number, stop: AbortSignal): void
}

/** Ranges that services take; ten times as many as they refuse elsewhere. */
const maxSpanBlocks = 10_000
/** Each audit reads again what the ones of so long before it read: what was filled in late since then is in it. */
const overlapMs = 3_600_000
const keptMarks = 48
/** Of older history so many requests are spent in one run. */
const olderRequests = 100
const maxOpenSpans = 20
const filterKeptMs = 86_400_000
const maxTries = 5
const notReadyMs = 30_000

/**
 * Reads the list by ranges of heights and compares it with the ledger: the recent past at every run, and a piece of
 * older history in turn. What the list holds and the ledger lacks was never shown to the tail or the sweep; it is put
 * down, looked at again, and only then said.
 */
export function createAuditPoll(deps: AuditDeps): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    const options = { priority: 'bulk', signal } as const
    const filter = deps.isHistoryRead() ? await learnFilter(deps, options) : null
    if (filter === null) return deps.wakeIn(notReadyMs, signal)
    if (filter === 'none') return auditByTime(deps, options)
    const head = deps.headHeight(filter)
    if (head === null) return deps.wakeIn(notReadyMs, signal)
    const from = startOfRecent(deps, head)
    const isWhole = await auditSpans(deps, filter, splitSpan({ first: from, last: head }), options)
    if (isWhole) addMark(deps, head)
    const open = deps.listOpenSpans(filter).slice(0, maxOpenSpans)
    await auditSpans(deps, filter, open.flatMap(splitSpan), options)
    await auditOlder(deps, filter, from, options)
  }
}

/** Null while it cannot be told: without a known record to ask for, or when the answers are empty. */
async function learnFilter(deps: AuditDeps, options: ReadOptions): Promise<HeightFilter | null> {
  const progress = deps.readProgress()
  const now = deps.clock.now()
  if (progress.filter !== null && now - progress.filterAt < filterKeptMs) return progress.filter
  const samples = deps.listSamples()
  if (samples.length === 0) return progress.filter
  let learned: HeightFilter | null = null
  // One record may have been written again since: what several do not show is not there.
  for (const sample of samples) {
    const main = await deps.reads.recordsAt(sample.mainHeight, options)
    const zone = await deps.reads.recordsAt(sample.zoneHeight, options)
    learned = judgeHeightFilter(sample, { main, zone }) ?? learned
    if (learned === 'main' || learned === 'zone') break
  }
  const tries = progress.tries + 1
  // Always empty: a filter by another height, or by none.
  const filter = learned ?? (tries >= maxTries ? 'none' : progress.filter)
  const isOther = filter !== progress.filter
  deps.saveProgress({
    ...(isOther ? { ...noProgress, filter } : progress),
    tries: filter === null ? tries : 0,
    filterAt: filter === null ? 0 : now,
  })
  return filter
}

function startOfRecent(deps: AuditDeps, head: number): number {
  const { marks } = deps.readProgress()
  const before = deps.clock.now() - overlapMs
  const mark = marks.findLast(({ at }) => at <= before) ?? marks[0]
  return Math.max(0, Math.min(mark?.height ?? head - maxSpanBlocks + 1, head))
}

function addMark(deps: AuditDeps, height: number): void {
  const progress = deps.readProgress()
  const marks = [...progress.marks, { at: deps.clock.now(), height }].slice(-keptMarks)
  deps.saveProgress({ ...progress, marks })
}

/** The oldest first. @returns whether all of them were read whole */
async function auditSpans(
  deps: AuditDeps,
  by: Chain,
  spans: readonly BlockSpan[],
  options: ReadOptions,
): Promise<boolean> {
  let isWhole = true
  for (const span of spans) {
    options.signal.throwIfAborted()
    const { complete } = await auditSpan(deps, by, span, options)
    isWhole &&= complete
  }
  return isWhole
}

async function auditSpan(
  deps: AuditDeps,
  by: Chain,
  span: BlockSpan,
  options: ReadOptions,
): Promise<WholeRead<Observation>> {
  const startedAt = deps.clock.now()
  const read = await deps.reads.recordsIn(span, options)
  const isBelieved = read.records.length > 0 || (await isAnswering(deps, by, options))
  take(deps, read, isBelieved && read.complete ? { ...span, by } : null, startedAt)
  // What the filters mean has changed.
  if (read.isUnfiltered) deps.saveProgress({ ...deps.readProgress(), filterAt: 0 })
  return { ...read, complete: read.complete && isBelieved }
}

/** An empty range means something only while a range that holds a known record does not come empty. */
async function isAnswering(deps: AuditDeps, by: Chain, options: ReadOptions): Promise<boolean> {
  const [sample] = deps.listSamples()
  if (!sample) return false
  const { records } = await deps.reads.recordsAt(
    by === 'main' ? sample.mainHeight : sample.zoneHeight,
    options,
  )
  return records.length > 0
}

async function auditByTime(deps: AuditDeps, options: ReadOptions): Promise<void> {
  const startedAt = deps.clock.now()
  const { marks } = deps.readProgress()
  const mark = marks.findLast(({ at }) => at <= startedAt - overlapMs) ?? marks[0]
  const open = deps.listOpenSpans('time').map(({ first }) => first)
  const until = Math.max(deps.since(), Math.min(mark?.at ?? startedAt, ...open) - overlapMs)
  const read = await deps.reads.recordsSince(until, options)
  const isWhole = read.complete && read.records.length > 0
  take(deps, read, isWhole ? { by: 'time', first: until, last: startedAt } : null, startedAt)
  if (isWhole) addMark(deps, 0)
}

/** Round and round through what lies before the recent past, a piece at every run. */
async function auditOlder(deps: AuditDeps, by: Chain, before: number, options: ReadOptions): Promise<void> {
  const lowest = deps.lowestHeight(by)
  if (lowest === null || lowest >= before) return
  let next = deps.readProgress().older ?? lowest
  for (let requests = 0; requests < olderRequests && !options.signal.aborted; ) {
    if (next < lowest || next >= before) next = lowest
    const span = { first: next, last: Math.min(next + maxSpanBlocks - 1, before) }
    const read = await auditSpan(deps, by, span, options)
    // What could not be read whole is read again by the next pass: one bad range must not hide the others.
    requests += Math.max(1, read.requests)
    next = span.last + 1
    deps.saveProgress({ ...deps.readProgress(), older: next })
    if (next >= before) return
  }
}

/** Known records are read anew; those that lack are put down. */
function take(
  deps: AuditDeps,
  read: WholeRead<Observation>,
  span: AuditedSpan | null,
  startedAt: UnixMs,
): void {
  const lacking = read.records.filter((record) => deps.lacks(record))
  const gone = new Set(lacking)
  const known = read.records.filter((record) => !gone.has(record))
  const isDue = (record: Observation) => {
    const time = newestTime(record)
    return time >= deps.since() && originTime(record) >= deps.since() && time <= startedAt - deps.settleMs()
  }
  const due = lacking.filter(isDue)
  deps.commit({
    // Each by itself: rows of several pages do not stand side by side.
    answers: known.map((record) => [record]),
    bad: read.bad,
    apply: () => {
      for (const record of due) deps.suspect(record)
      if (span !== null && due.length === 0) deps.resolve(span, startedAt)
      return []
    },
  })
}

function originTime({ direction, mainTime, zoneTime }: Observation): UnixMs {
  const [origin, destination] = direction === 'MainToZone' ? [mainTime, zoneTime] : [zoneTime, mainTime]
  return origin ?? destination ?? 0
}

function splitSpan({ first, last }: BlockSpan): BlockSpan[] {
  const count = Math.max(0, Math.ceil((last - first + 1) / maxSpanBlocks))
  return Array.from({ length: count }, (_, n) => ({
    first: first + n * maxSpanBlocks,
    last: Math.min(first + (n + 1) * maxSpanBlocks - 1, last),
  }))
}
