import type { ZoneTransaction } from '../../bridge/observation.ts'
import { askEach, askInParts } from '../../kernel/reads/askInParts.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { RecordLookup } from '../../kernel/reads/recordLookup.ts'
import { mayBeUnread } from '../../kernel/reads/unreadRows.ts'
import type { DueCheck } from '../../ledger/transfers/dueChecks.ts'
import type { FailurePlace } from '../../ledger/transfers/listWithoutEvidence.ts'
import type { MissingRecords } from '../../ledger/transfers/missingRecords.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { runInSlices } from '../../lib/steps.ts'

interface OpenTransfers extends Pick<Kernel, 'clock' | 'reads' | 'commit' | 'ledger'> {
  /** The records of a main transaction. */
  readonly lookUp: RecordLookup
  readonly missing: Pick<MissingRecords, 'findControl'>
}

/** E12 and E9 take this many hashes. */
const batchSize = 20
/** Open transfers read in one tick; the rest comes first in the next one. */
const maxPerTick = 400
/**
 * Transfers known by their main hash alone cost one request each: so many in so long, however often the poll is
 * triggered. There may be hundreds on their way, and the sweep of the list shows them too.
 */
const maxSingles = 5
const singlesMs = 10_000
const checkMs = 600_000
/** Failures older than this are no longer asked of E9. */
const evidenceMs = 86_400_000

/**
 * Reads again, by hash, what is open or disputed. What an answer does not hold is asked again, ever more rarely: a
 * missing hash is never taken for an ended transfer.
 */
export function createOpenTransfersPoll(open: OpenTransfers): (signal: AbortSignal) => Promise<void> {
  let singles = { since: -Infinity, left: 0, taken: 0 }
  const looked: Looked = { after: null }
  return async (signal) => {
    const now = open.clock.monotonicMs()
    if (now - singles.since >= singlesMs) singles = { ...singles, since: now, left: maxSingles }
    const due = open.ledger.listDueChecks(open.clock.now(), {
      byZone: maxPerTick,
      alone: singles.left,
      aloneBefore: singles.taken,
    })
    const isByMain = (check: DueCheck) => check.mainHash !== null && (check.byMain || check.zoneHash === null)
    const byZone = due.filter((check) => check.zoneHash !== null && !isByMain(check))
    const byMain = due.filter(isByMain).slice(0, singles.left)
    singles.left -= byMain.length
    singles.taken += byMain.length
    // Of one without any hash nobody can be asked.
    const nameless = due.filter((check) => check.zoneHash === null && check.mainHash === null)
    postpone(open, nameless, null)
    await askEach([
      () => readFailures(open, looked, signal),
      () => readDetails(open, byZone, signal),
      ...byMain.map((check) => () => readByMain(open, check, signal)),
    ])
  }
}

/** @returns why some could not be read, though others were */
async function readDetails(
  open: OpenTransfers,
  checks: readonly DueCheck[],
  signal: AbortSignal,
): Promise<unknown> {
  // Who was asked for in vain before is asked for beside one that is known to be there.
  const wasMissed = checks.some(({ misses }) => misses > 0)
  const control = (wasMissed && open.missing.findControl()?.zoneHash) || null
  const ask = async (some: readonly DueCheck[]) => {
    const own = [...new Set(some.flatMap((check) => check.zoneHash ?? []))]
    const beside = control === null || own.length === batchSize || own.includes(control) ? [] : [control]
    const hashes = [...own, ...beside]
    const priority = some.some((check) => check.isUrgent) ? 'urgent' : 'open'
    const read = await open.reads.details(hashes, { priority, signal })
    // What is to be told of it is on the disk before it leaves all the same.
    const records = read.records.filter(({ zoneHash }) => !beside.some((hash) => hash === zoneHash))
    open.commit({ answers: [records], bad: read.bad, mayWait: true })
    const answered = new Set(read.records.map((record) => record.zoneHash))
    const missed = some.filter((check) => !answered.has(check.zoneHash))
    // A row that could not be read may be what was asked for.
    const isUnread = mayBeUnread(read.bad, hashes)
    const { unread = [], absent = [] } = Object.groupBy(missed, ({ zoneHash }) =>
      isUnread(zoneHash ?? '') ? 'unread' : 'absent',
    )
    // Where nothing at all came, not even what is known to be there, it may be throttling.
    const isAnswer = read.records.length + read.bad.length > 0 || (wasMissed && control === null)
    postpone(open, absent, isAnswer ? read.requestedAt : null)
    postpone(open, unread, null)
  }
  let failure: unknown
  for (const batch of toBatches(checks))
    failure = (await askInParts(batch, ask, (some) => postpone(open, some, null))) ?? failure
  return failure
}

async function readByMain(open: OpenTransfers, check: DueCheck, signal: AbortSignal): Promise<void> {
  const wanted = { hash: check.mainHash ?? '', addresses: check.addresses }
  const read = await postponing(open, [check], () =>
    open.lookUp(wanted, { priority: 'open', signal, checkedWithinMs: checkMs }),
  )
  // What else a filter gives that does not work is true as well.
  open.commit({ answers: [read.records], bad: read.bad })
  if (!read.records.some((record) => record.mainHash === check.mainHash))
    postpone(open, [check], read.isAnswer ? read.requestedAt : null)
}

/** How far the failed transfers were looked through. */
interface Looked {
  after: FailurePlace | null
}

/** @returns why some could not be read, though others were */
async function readFailures(open: OpenTransfers, looked: Looked, signal: AbortSignal): Promise<unknown> {
  const now = open.clock.now()
  const { hashes, next } = await runInSlices(
    open.ledger.listWithoutEvidence({ since: now - evidenceMs, after: looked.after, limit: batchSize }, now),
    open.clock,
  )
  looked.after = next
  if (hashes.length === 0) return undefined
  const ask = async (some: readonly string[]) => {
    const read = await open.reads.zoneTransactions(some, { priority: 'evidence', signal })
    const known = new Set(read.records.map((record) => record.hash))
    // That E9 did not know it is kept too, or it would be asked at every tick.
    const unknown = some.filter((hash) => !known.has(hash)).map((hash) => toUnknown(hash, read.requestedAt))
    open.commit({ zoneTransactions: [...read.records, ...unknown], bad: read.bad })
  }
  let left: readonly string[] = []
  const failure = await askInParts(hashes, ask, (some) => void (left = some))
  open.commit({ zoneTransactions: left.map((hash) => toUnknown(hash, now)) })
  return failure
}

function toUnknown(hash: string, requestedAt: UnixMs): ZoneTransaction {
  return {
    source: 'E9',
    requestedAt,
    hash,
    height: null,
    time: null,
    status: 'unknown',
    actionType: '',
    errorMessage: '',
  }
}

/** What could not be asked waits its turn behind the others, so that one bad batch does not hold up all. */
async function postponing<T>(
  open: OpenTransfers,
  batch: readonly DueCheck[],
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read()
  } catch (error) {
    postpone(open, batch, null)
    throw error
  }
}

/** @param soughtAt when an answer was asked for that would have held them; null where none could be had */
function postpone(
  { clock, ledger }: OpenTransfers,
  checks: readonly DueCheck[],
  soughtAt: UnixMs | null,
): void {
  ledger.postponeChecks(
    checks.map(({ key }) => key),
    clock.now(),
    soughtAt,
  )
}

function toBatches(checks: readonly DueCheck[]): DueCheck[][] {
  // Transfers of one zone transaction share one hash: a batch counts hashes, not transfers.
  const byHash = [...Map.groupBy(checks, (check) => check.zoneHash).values()]
  const batches: DueCheck[][] = []
  for (let index = 0; index < byHash.length; index += batchSize) {
    batches.push(byHash.slice(index, index + batchSize).flat())
  }
  return batches
}
