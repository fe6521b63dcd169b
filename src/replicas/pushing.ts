import { type Change, type Head, isSameHash } from '../store/changeLog.ts'
import { migrations } from '../store/migrate.ts'
import { pushChanges } from './changes.ts'
import {
  endHolder,
  type HolderState,
  noteHead,
  noteReached,
  readMoment,
  waitForProgress,
} from './holderState.ts'
import { readLease } from './lease.ts'
import { renewMs } from './leaseTime.ts'
import { readSnapshot } from './snapshots.ts'

/** So much in one statement, about. */
const batchBytes = 256 * 1024
/** More than this is in no statement: pg makes text of twice the length of it, and PostgreSQL takes a gigabyte. */
const mostBytes = 32 * 1024 * 1024
/** After so much a follower that begins anew would have to read more than a copy. */
const snapshotBytes = 64 * 1024 * 1024

/** Puts the next changes into PostgreSQL. @returns whether there may be more */
export async function pushBatch(state: HolderState): Promise<boolean> {
  const changes = state.db.changes.listPending(state.head.seq, batchBytes)
  const last = changes.at(-1)
  if (last === undefined) return false
  // What came between was let go of: it reaches others within a snapshot.
  const isGap = changes[0]?.seq !== state.head.seq + 1
  if (isGap || isTooLarge(changes)) {
    state.hasBasis = false
    return false
  }
  const from = readMoment(state)
  const { bridge, epoch, head: after } = state
  const ledgerVersion = migrations.length
  // A statement whose answer was lost may have done its work; and after a failover less may be there than was.
  state.hasBasis = await pushChanges(state.data.query, { bridge, epoch, after, changes, ledgerVersion })
  if (!state.hasBasis) return false
  state.pushedBytes += changes.reduce((sum, { body }) => sum + body.length, 0)
  noteReached(state, from)
  noteHead(state, last)
  return true
}

/**
 * Finds where PostgreSQL stands in what is pending here.
 * @returns false when it stands nowhere, and a snapshot has to come first
 */
export async function findBasis(state: HolderState): Promise<boolean> {
  const lease = await readLease(state.lease.query, state.bridge)
  if (lease.epoch !== state.epoch || lease.node !== state.node) {
    endHolder(state, 'lost')
    return false
  }
  const snapshot = await readSnapshot(state.data.query, state.bridge)
  if (snapshot?.ledgerVersion !== migrations.length || !isOnLine(state, lease.head)) return false
  state.hasBasis = true
  noteHead(state, lease.head)
  return true
}

/** Whether what follows a change is what is pending here. */
function isOnLine({ db }: HolderState, head: Head): boolean {
  const own = db.changes.state()
  if (own !== null && own.seq === head.seq) return isSameHash(own.hash, head.hash)
  const [next] = db.changes.listPending(head.seq, 1)
  if (next !== undefined && isTooLarge([next])) return false
  return next?.seq === head.seq + 1 && isSameHash(next.previous, head.hash)
}

/** Then it is alone in its batch, and reaches others within a snapshot. */
function isTooLarge([first]: readonly Change[]): boolean {
  return first !== undefined && first.body.length > mostBytes
}

export async function isSnapshotDue(state: HolderState): Promise<boolean> {
  if (state.hasBasis) return state.pushedBytes >= snapshotBytes
  // Looked at once more: the pushing may just be about to find it.
  return !(await findBasis(state)) && !state.ended.signal.aborted
}

/** What is there is of no use to somebody. */
export function wantSnapshot(state: HolderState): void {
  state.pushedBytes = Math.max(state.pushedBytes, snapshotBytes)
}

/** @returns whether it is there: PostgreSQL may be further, on another line, which a copy of less cannot take the place of */
export async function publish(state: HolderState): Promise<boolean> {
  const { pushedBytes, hasBasis } = state
  const head = await state.publish(state.ending.signal, async ({ seq }) => {
    // A head that moved past changes that are not there would be a gap for whoever is just behind.
    const isBehind = () => hasBasis && state.head.seq < seq && !state.ending.signal.aborted
    while (isBehind()) await waitForProgress(state, state.clock.monotonicMs() + renewMs)
  })
  if (head !== null) state.pushedBytes -= pushedBytes
  return head !== null
}
