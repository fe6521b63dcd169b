import { type Absence, isAbsent, notYetAbsent, noteReading } from '../../clients/explorer/absence.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { StoredFlow } from './flowRow.ts'
import { isHiding } from '../../kernel/hiddenRows.ts'
import type { Commit, ExplorerReads } from '../../kernel/reads.ts'

export interface RereadDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly reads: Pick<ExplorerReads, 'feedByHash'>
  readonly commit: Commit
  /** When the newest complete reading of the list began; null before the first. */
  listReadAt(): UnixMs | null
  /** A main hash that the list had, newest first: to see that its filter works. */
  readControlHash(): string | null
}

/** How long after its block a movement may wait for its record. */
export const settleMs = 60_000

/** What asking the list for a movement's record came to. */
export interface Reread {
  readonly absence: Absence
  readonly isGone: boolean
  /** False where only the list as a whole could be asked. */
  readonly isAsked: boolean
}

/** Where the filter does not work, or gives no answer, a complete reading of the list has to do. */
export function toUnasked(
  deps: Pick<RereadDeps, 'listReadAt'>,
  flow: StoredFlow,
  absence = toAbsence(flow),
): Reread {
  return { absence, isGone: isListReadSince(deps, flow), isAsked: false }
}

function toAbsence({ absence }: StoredFlow): Absence {
  // Written by conclude from an Absence.
  return absence === null ? notYetAbsent : (JSON.parse(absence) as Absence)
}

/** A whole reading of the list is one of every movement before it, where they are too many to be asked for one by one. */
function toCrowdAbsence(deps: Pick<RereadDeps, 'listReadAt'>, flow: StoredFlow): Absence {
  const at = deps.listReadAt()
  if (flow.absence !== null || at === null || at < flow.at) return toAbsence(flow)
  return noteReading(notYetAbsent, { kind: 'absent', at })
}

/** What is known beside the answer for one movement. */
interface RereadContext {
  /** Whether the filter by hash was just seen to work. */
  readonly control: boolean
  /** More wait than can be asked for. */
  readonly isCrowd: boolean
}

/** Asks the list for a movement's record by its main hash. */
export async function rereadFlow(
  deps: RereadDeps,
  flow: StoredFlow,
  { control, isCrowd }: RereadContext,
  signal: AbortSignal,
): Promise<Reread> {
  const read = await deps.reads.feedByHash(flow.hash, { priority: 'open', signal })
  deps.commit({ answers: [read.records], bad: read.bad })
  // A row that does not say what it is of may be its record: that is no reading of its absence.
  if (isHiding(read)) return { absence: notYetAbsent, isGone: false, isAsked: true }
  const isThere = read.records.some((record) => record.mainHash === flow.hash)
  const kind = isThere ? 'absent-among-others' : 'absent'
  const before = isCrowd ? toCrowdAbsence(deps, flow) : toAbsence(flow)
  // By the clock: requests are numbered on from before it was set back.
  const at = Math.min(read.requestedAt, deps.clock.now())
  const noted = noteReading(before, { kind, at })
  const isControlled = control && !isThere
  const absence = isControlled ? noteReading(noted, { kind: 'control', at }) : noted
  const isGone = isAbsent(absence)
  return control || isGone ? { absence, isGone, isAsked: true } : toUnasked(deps, flow, absence)
}

/** Whether the list's filter by hash finds a record that is known to be there. */
export async function askControl(deps: RereadDeps, signal: AbortSignal): Promise<boolean> {
  const hash = deps.readControlHash()
  if (hash === null) return false
  const read = await deps.reads.feedByHash(hash, { priority: 'open', signal })
  deps.commit({ answers: [read.records], bad: read.bad })
  return read.records.some((record) => record.mainHash === hash)
}

/** Whether a reading of the list was complete that began after the settle time. */
function isListReadSince(deps: Pick<RereadDeps, 'listReadAt'>, flow: StoredFlow): boolean {
  const readAt = deps.listReadAt()
  return readAt !== null && readAt >= Math.max(flow.at, flow.seenAt) + settleMs
}
