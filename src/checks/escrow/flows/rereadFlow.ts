import { type Absence, isAbsent, notYetAbsent, noteReading } from '../../../clients/explorer/absence.ts'
import type { StoredFlow } from './flowRow.ts'
import { isHiding } from '../../../kernel/reads/hiddenRows.ts'
import type { ListReadings } from '../../../kernel/heads/horizons.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { readRecentMainHash } from '../../../ledger/deriving/newestOrigin.ts'

type Rereading = Pick<Kernel, 'clock' | 'commit' | 'db' | 'list' | 'reads' | 'settleMs'>

/** How long after its block a movement waits for its record at least. */
export const settleMs = 60_000

/** How long it does, ms: as long as records were seen to take where that is longer. */
export function recordMs(of: Pick<Kernel, 'settleMs'>): number {
  return Math.max(settleMs, of.settleMs())
}

/** No sooner than the heads and what they let be read: many small movements must not keep a large one from being seen. */
const priority = 'evidence'

/** What asking the list for a movement's record came to. */
export interface Reread {
  readonly absence: Absence
  readonly isGone: boolean
  /** False where only the list as a whole could be asked. */
  readonly isAsked: boolean
  /** How many records of the transaction it showed, none of which explains the movement. */
  readonly count: number
}

/** Where the filter does not work, or gives no answer, a complete reading of the list has to do. */
export function toUnasked(
  of: Pick<Kernel, 'list' | 'settleMs'>,
  flow: StoredFlow,
  { reachesBack }: Pick<Round, 'reachesBack'>,
  absence = toAbsence(flow),
): Reread {
  return { absence, isGone: reachesBack && isListReadSince(of, flow), isAsked: false, count: 0 }
}

function toAbsence({ absence }: StoredFlow): Absence {
  // Written by conclude from an Absence.
  return absence === null ? notYetAbsent : (JSON.parse(absence) as Absence)
}

/** A whole reading of the list is one of every movement before it, where they are too many to be asked for one by one. */
function toCrowdAbsence({ readAt: at }: ListReadings, flow: StoredFlow): Absence {
  if (flow.absence !== null || at === null || at < flow.at) return toAbsence(flow)
  return noteReading(notYetAbsent, { kind: 'absent', at })
}

/** What is known beside the answer for one movement. */
interface Round {
  /** Whether the filter by hash was just seen to work. */
  readonly control: boolean
  /** More wait than can be asked for. */
  readonly isCrowd: boolean
  /** Whether the list does, to when it moved: else it says nothing of it. */
  readonly reachesBack: boolean
}

/** Asks the list for a movement's record by its main hash. */
export async function rereadFlow(
  of: Rereading,
  flow: StoredFlow,
  { control, isCrowd, reachesBack }: Round,
  signal: AbortSignal,
): Promise<Reread> {
  const read = await of.reads.feedByHash(flow.hash, { priority, signal })
  of.commit({ answers: [read.records], bad: read.bad })
  // A row that does not say what it is of may be its record: that is no reading of its absence.
  if (isHiding(read)) return { absence: notYetAbsent, isGone: false, isAsked: true, count: 0 }
  const count = read.records.filter((record) => record.mainHash === flow.hash).length
  const isThere = count > 0
  const kind = isThere ? 'absent-among-others' : 'absent'
  const before = isCrowd && reachesBack ? toCrowdAbsence(of.list, flow) : toAbsence(flow)
  // By the clock: requests are numbered on from before it was set back.
  const at = Math.min(read.requestedAt, of.clock.now())
  const noted = noteReading(before, { kind, at })
  const isControlled = control && !isThere
  const absence = isControlled ? noteReading(noted, { kind: 'control', at }) : noted
  const isGone = isAbsent(absence)
  return control || isGone
    ? { absence, isGone, isAsked: true, count }
    : toUnasked(of, flow, { reachesBack }, absence)
}

/** Whether the list's filter by hash finds a record that is known to be there. */
export async function askControl({ commit, db, reads }: Rereading, signal: AbortSignal): Promise<boolean> {
  const hash = readRecentMainHash(db)
  if (hash === null) return false
  const read = await reads.feedByHash(hash, { priority, signal })
  commit({ answers: [read.records], bad: read.bad })
  return read.records.some((record) => record.mainHash === hash)
}

/** Whether a reading of the list was complete that began after the settle time. */
function isListReadSince(of: Pick<Kernel, 'list' | 'settleMs'>, flow: StoredFlow): boolean {
  const { readAt } = of.list
  return readAt !== null && readAt >= Math.max(flow.at, flow.seenAt) + recordMs(of)
}
