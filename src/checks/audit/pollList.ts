import { z } from 'zod'
import type { Chain, Observation } from '../../bridge/observation.ts'
import type { BlockSpan } from '../../kernel/reads/contractReads.ts'
import { readHeight } from '../../kernel/heads/heads.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ReadOptions } from '../../kernel/reads/reads.ts'
import { createWaker } from '../../kernel/running/waker.ts'
import { lacksRecord } from '../../ledger/transfers/lacksRecord.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import {
  type AuditReads,
  type HeightFilter,
  type HeightSample,
  judgeHeightFilter,
  newestTime,
  type WholeRead,
} from './reads.ts'
import {
  addLack,
  lowestHeightSince,
  readAuditState,
  resolveTold,
  saveAuditState,
  spansOfTold,
  toLack,
} from './store.ts'

/** What an audit remembers between runs. */
const progressSchema = z.object({
  /** What the height filters mean, when that was found out, and how often nothing could be said. */
  filter: z.enum(['main', 'zone', 'none']).nullable().default(null),
  filterAt: z.number().default(0),
  tries: z.number().default(0),
  /** How far the newest audits read, the newest last. */
  marks: z
    .array(z.object({ at: z.number(), height: z.number() }))
    .readonly()
    .default([]),
  /** Where the pass over older history goes on; null before its first step. */
  older: z.number().nullable().default(null),
})
type AuditProgress = Readonly<z.output<typeof progressSchema>>

const noProgress: AuditProgress = progressSchema.parse({})

/** Something read whole: by heights of one chain, or all records of a time. */
type AuditedSpan =
  | (BlockSpan & { readonly by: Chain })
  | { readonly by: 'time'; readonly first: UnixMs; readonly last: UnixMs }

interface ListAudit
  extends Pick<
    Kernel,
    'clock' | 'commit' | 'config' | 'cursors' | 'db' | 'ledger' | 'settleMs' | 'tellSince' | 'trigger'
  > {
  readonly reads: Pick<AuditReads, 'recordsAt' | 'recordsIn' | 'recordsSince'>
}

/** One run of it. */
interface Run extends ListAudit {
  readonly options: ReadOptions
}

const sampleCount = 3
const dayMs = 86_400_000
/** Ranges that services take; ten times as many as they refuse elsewhere. */
const maxSpanBlocks = 10_000
/** How far back an audit reads again what earlier ones read, ms: what was filled in late since then is in it. */
const overlapMs = 3_600_000
const keptMarks = 48
/** How many requests one run spends on older history. */
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
export function createAuditPoll(audit: ListAudit): (signal: AbortSignal) => Promise<void> {
  const wakeIn = createWaker(audit, 'audit')
  return async (signal) => {
    const run: Run = { ...audit, options: { priority: 'bulk', signal } }
    const filter = audit.cursors.read().history.done ? await learnFilter(run) : null
    if (filter === null) return wakeIn(notReadyMs, signal)
    if (filter === 'none') return auditByTime(run)
    const head = readHeight(audit.db, filter)
    if (head === null) return wakeIn(notReadyMs, signal)
    const from = startOfRecent(audit, head)
    const isWhole = await auditSpans(run, filter, splitSpan({ first: from, last: head }))
    if (isWhole) addMark(audit, head)
    const open = spansOfTold(audit.db, filter).slice(0, maxOpenSpans)
    await auditSpans(run, filter, open.flatMap(splitSpan))
    await auditOlder(run, filter, from)
  }
}

export function readProgress(db: Database): AuditProgress {
  const found = progressSchema.safeParse(readAuditState(db, 'list') ?? {})
  return found.success ? found.data : noProgress
}

function saveProgress(db: Database, progress: AuditProgress): void {
  saveAuditState(db, 'list', progress)
}

/** Records before this are not meant to be in the ledger. */
function sinceOf({ clock, config, tellSince }: ListAudit): UnixMs {
  return Math.max(tellSince, clock.now() - config.retention.transfersMs + dayMs)
}

/** Listed transfers that show both heights, of different blocks, the newest first. */
function listSamples({ ledger }: ListAudit): HeightSample[] {
  const seen = new Set<number>()
  return ledger
    .listArrived({ limit: 50 })
    .filter(({ isListed }) => isListed)
    .flatMap(({ main, zone }) => {
      if (main === null || zone === null || main.height === null || zone.height === null) return []
      if (seen.has(zone.height)) return []
      seen.add(zone.height)
      return [{ mainHash: main.hash, zoneHash: zone.hash, mainHeight: main.height, zoneHeight: zone.height }]
    })
    .slice(0, sampleCount)
}

/** Null while it is not known: without a known record to ask for, or when the answers are empty. */
async function learnFilter(run: Run): Promise<HeightFilter | null> {
  const progress = readProgress(run.db)
  const now = run.clock.now()
  if (progress.filter !== null && now - progress.filterAt < filterKeptMs) return progress.filter
  const samples = listSamples(run)
  if (samples.length === 0) return progress.filter
  let learned: HeightFilter | null = null
  // One record may have been written again since: what several do not show is not there.
  for (const sample of samples) {
    const main = await run.reads.recordsAt(sample.mainHeight, run.options)
    const zone = await run.reads.recordsAt(sample.zoneHeight, run.options)
    learned = judgeHeightFilter(sample, { main, zone }) ?? learned
    if (learned === 'main' || learned === 'zone') break
  }
  const tries = progress.tries + 1
  // Always empty: a filter by another height, or by none.
  const filter = learned ?? (tries >= maxTries ? 'none' : progress.filter)
  const isOther = filter !== progress.filter
  saveProgress(run.db, {
    ...(isOther ? { ...noProgress, filter } : progress),
    tries: filter === null ? tries : 0,
    filterAt: filter === null ? 0 : now,
  })
  return filter
}

function startOfRecent(audit: ListAudit, head: number): number {
  const { marks } = readProgress(audit.db)
  const before = audit.clock.now() - overlapMs
  const mark = marks.findLast(({ at }) => at <= before) ?? marks[0]
  return Math.max(0, Math.min(mark?.height ?? head - maxSpanBlocks + 1, head))
}

function addMark(audit: ListAudit, height: number): void {
  const progress = readProgress(audit.db)
  const marks = [...progress.marks, { at: audit.clock.now(), height }].slice(-keptMarks)
  saveProgress(audit.db, { ...progress, marks })
}

/** The oldest first. @returns whether all of them were read whole */
async function auditSpans(run: Run, by: Chain, spans: readonly BlockSpan[]): Promise<boolean> {
  let isWhole = true
  for (const span of spans) {
    run.options.signal.throwIfAborted()
    const { complete } = await auditSpan(run, by, span)
    isWhole &&= complete
  }
  return isWhole
}

async function auditSpan(run: Run, by: Chain, span: BlockSpan): Promise<WholeRead<Observation>> {
  const startedAt = run.clock.now()
  const read = await run.reads.recordsIn(span, run.options)
  const isBelieved = read.records.length > 0 || (await isAnswering(run, by))
  take(run, read, { span: isBelieved && read.complete ? { ...span, by } : null, startedAt })
  // What the filters mean has changed.
  if (read.isUnfiltered) saveProgress(run.db, { ...readProgress(run.db), filterAt: 0 })
  return { ...read, complete: read.complete && isBelieved }
}

/** An empty range means something only while a range that holds a known record does not come empty. */
async function isAnswering(run: Run, by: Chain): Promise<boolean> {
  const [sample] = listSamples(run)
  if (!sample) return false
  const height = by === 'main' ? sample.mainHeight : sample.zoneHeight
  const { records } = await run.reads.recordsAt(height, run.options)
  return records.length > 0
}

async function auditByTime(run: Run): Promise<void> {
  const startedAt = run.clock.now()
  const { marks } = readProgress(run.db)
  const mark = marks.findLast(({ at }) => at <= startedAt - overlapMs) ?? marks[0]
  const open = spansOfTold(run.db, 'time').map(({ first }) => first)
  const until = Math.max(sinceOf(run), Math.min(mark?.at ?? startedAt, ...open) - overlapMs)
  const read = await run.reads.recordsSince(until, run.options)
  const isWhole = read.complete && read.records.length > 0
  take(run, read, { span: isWhole ? { by: 'time', first: until, last: startedAt } : null, startedAt })
  if (isWhole) addMark(run, 0)
}

/** Round and round through what lies before the recent past, a piece at every run. */
async function auditOlder(run: Run, by: Chain, before: number): Promise<void> {
  const lowest = lowestHeightSince(run.db, by, sinceOf(run))
  if (lowest === null || lowest >= before) return
  let next = readProgress(run.db).older ?? lowest
  for (let requests = 0; requests < olderRequests && !run.options.signal.aborted; ) {
    if (next < lowest || next >= before) next = lowest
    const span = { first: next, last: Math.min(next + maxSpanBlocks - 1, before) }
    const read = await auditSpan(run, by, span)
    // What could not be read whole is read again by the next pass: one bad range must not hide the others.
    requests += Math.max(1, read.requests)
    next = span.last + 1
    saveProgress(run.db, { ...readProgress(run.db), older: next })
    if (next >= before) return
  }
}

/** Known records are read anew; those that lack are put down. */
function take(
  audit: ListAudit,
  read: WholeRead<Observation>,
  of: { readonly span: AuditedSpan | null; readonly startedAt: UnixMs },
): void {
  const lacking = read.records.filter((record) => lacksRecord(audit.db, record))
  const gone = new Set(lacking)
  const known = read.records.filter((record) => !gone.has(record))
  const since = sinceOf(audit)
  const isDue = (record: Observation) => {
    const time = newestTime(record)
    return time >= since && originTime(record) >= since && time <= of.startedAt - audit.settleMs()
  }
  const due = lacking.filter(isDue)
  audit.commit({
    // Each by itself: rows of several pages do not stand side by side.
    answers: known.map((record) => [record]),
    bad: read.bad,
    apply: () => {
      for (const record of due) addLack(audit.db, toLack(record, 'list', audit.clock.now()))
      if (of.span !== null && due.length === 0) resolveTold(audit.db, of.span, of.startedAt)
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
