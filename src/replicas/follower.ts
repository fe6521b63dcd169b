import type { Clock, UnixMs } from '../lib/clock.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import { type Change, isSameHash, type ReplicaState } from '../store/changeLog.ts'
import { isDiskFull } from '../store/ballast.ts'
import { migrations } from '../store/migrate.ts'
import { fetchChanges } from './changes.ts'
import type { Connections } from './connect.ts'
import { type Identity, type Lease, readLease, takeLease } from './lease.ts'
import { leaseMs } from './leaseTime.ts'
import { noteNode } from './nodes.ts'

export interface FollowerDeps extends Identity {
  readonly clock: Pick<Clock, 'now' | 'monotonicMs' | 'sleep'>
  readonly log: Logger
  readonly lease: Connections
  readonly data: Connections
  readonly program: string
  readonly pageUrl: string | null
}

/** The ledger that a follower keeps. */
export interface Copy {
  state(): ReplicaState
  /** Of its tables; changes of another one do not fit. */
  readonly ledgerVersion: number
  /** @throws MonitorError `replica.diverged` */
  apply(changes: readonly Change[]): void
}

/** How following ended: this node has the lease now, its copy is of no use, or it was told to stop. */
export type FollowerEnd =
  | { readonly how: 'taken'; readonly lease: Lease }
  | {
      readonly how: 'rebuild'
      readonly why: string
      /** Whether what PostgreSQL has does not fit, which the same snapshot may not mend. */
      readonly isDiverged?: true
    }
  | { readonly how: 'stopped' }

export interface Following {
  /** Who holds the lease, as it was last read; null before. */
  lease: Lease | null
  /** Since when PostgreSQL does not answer, or takes nothing; null while it does. */
  unreachableSince: UnixMs | null
  problem: string | null
  /** When the copy last had all that was committed; null before. */
  inStepAt: UnixMs | null
  /** Since when PostgreSQL answers again after it did not, ms by the clock that nobody sets; null without an outage. */
  backSinceMs: number | null
  /** Since when the lease is held by this node's own name, by the same clock; null while it is not. */
  namesakeSinceMs: number | null
  /** Changes that it lacked when it was last looked at; null before. */
  behind: number | null
}

export function createFollowing(): Following {
  return {
    lease: null,
    unreachableSince: null,
    problem: null,
    inStepAt: null,
    backSinceMs: null,
    namesakeSinceMs: null,
    behind: null,
  }
}

const lookMs = 250
const noteMs = 2_000

/**
 * Copies what the holder commits, until the lease is over and this node has it.
 * @throws MonitorError `replica.newer` where the holder is, `replica.refused` where PostgreSQL never did what is asked,
 * `config.invalid` where another process has this node's name
 */
export async function follow(
  deps: FollowerDeps,
  copy: Copy,
  following: Following,
  signal: AbortSignal,
): Promise<FollowerEnd> {
  let notedMs = -Infinity
  let isFull = false
  while (!signal.aborted) {
    try {
      const end = await look(deps, copy, following)
      if (end !== null) return end
      isFull = false
      if (following.unreachableSince !== null || deps.clock.monotonicMs() - notedMs >= noteMs) {
        const { program, pageUrl } = deps
        const asked = await noteNode(deps.lease.query, deps, {
          role: 'follower',
          seq: copy.state().seq,
          program,
          pageUrl,
        })
        notedMs = deps.clock.monotonicMs()
        noteBack(deps, following)
        if (asked === 'rebuild') return { how: 'rebuild', why: 'somebody asked for it' }
      }
    } catch (error) {
      if (error instanceof MonitorError && error.code === 'replica.diverged')
        return { how: 'rebuild', why: error.message, isDiverged: true }
      if (isDiskFull(error)) {
        // It does not say that it is there meanwhile, which the holder tells.
        if (!isFull)
          deps.log.error({ err: error }, `what the holder commits has no room here: ${errorText(error)}`)
        isFull = true
      } else if (isTrouble(error, following)) noteTrouble(deps, following, error)
      else throw error
    }
    await deps.clock.sleep(lookMs, signal)
  }
  return { how: 'stopped' }
}

/** Rights, names and passwords that were right before will be so again, as where a backup is put back. */
function isTrouble(error: unknown, { lease }: Following): error is MonitorError {
  if (!(error instanceof MonitorError)) return false
  return error.code === 'replica.unreachable' || (error.code === 'replica.refused' && lease !== null)
}

function noteTrouble({ log, clock }: FollowerDeps, following: Following, error: MonitorError): void {
  if (following.unreachableSince === null)
    log.error({ err: error }, `what the holder commits cannot be followed: ${errorText(error)}`)
  following.unreachableSince ??= clock.now()
  following.problem = error.message
}

/** What only reads, such as a standby, takes no lease and no change either: an outage is over once a note was written. */
function noteBack({ log, clock }: FollowerDeps, following: Following): void {
  if (following.unreachableSince === null) return
  log.info('PostgreSQL answers again')
  following.backSinceMs = clock.monotonicMs()
  following.unreachableSince = following.problem = null
}

async function look(deps: FollowerDeps, copy: Copy, following: Following): Promise<FollowerEnd | null> {
  const lease = await readLease(deps.lease.query, deps.bridge)
  following.lease = lease
  assertVersion(lease)
  assertOwnName(deps, lease, following)
  const own = copy.state()
  const { head } = lease
  following.behind = Math.max(head.seq - own.seq, 0)
  if (lease.ledgerVersion !== copy.ledgerVersion && head.seq > 0 && own.seq < head.seq)
    return { how: 'rebuild', why: `the holder's ledger is of version ${lease.ledgerVersion} now` }
  if (own.seq === head.seq && !isSameHash(own.hash, head.hash))
    return { how: 'rebuild', why: `change ${own.seq} is another one here` }
  if (own.seq > head.seq && lease.epoch > own.epoch && head.seq > 0)
    return {
      how: 'rebuild',
      why: `this node holds changes that the one of epoch ${lease.epoch} does not know`,
    }
  if (own.seq < head.seq) return await catchUp(deps, copy, own.seq)
  if (following.unreachableSince !== null) return null
  following.inStepAt = deps.clock.now()
  if (!lease.isOver || isJustBack(deps, following)) return null
  const taken = await takeLease(deps.lease.query, deps, {
    seq: own.seq,
    ledgerVersion: migrations.length,
    epoch: own.epoch,
  })
  return taken && { how: 'taken', lease: taken }
}

/**
 * After an outage of PostgreSQL every lease is over, and the holder, which went on watching, knows more than anybody: it
 * has the time to renew it.
 */
const graceMs = 5_000

function isJustBack(
  { clock }: Pick<FollowerDeps, 'clock'>,
  { backSinceMs }: Pick<Following, 'backSinceMs'>,
): boolean {
  return backSinceMs !== null && clock.monotonicMs() - backSinceMs < graceMs
}

async function catchUp({ data, bridge }: FollowerDeps, copy: Copy, seq: number): Promise<FollowerEnd | null> {
  const changes = await fetchChanges(data.query, bridge, seq)
  const [first] = changes
  if (first === undefined || first.seq !== seq + 1)
    return { how: 'rebuild', why: `what follows change ${seq} is not kept any more` }
  copy.apply(changes)
  return null
}

/** A lease of an earlier run of this node is over by then: nobody renews it. */
const namesakeMs = 1.5 * leaseMs

/** Two processes of one name would take each other's wishes, and neither the lease of the other in time. */
function assertOwnName({ clock, node }: FollowerDeps, lease: Lease, following: Following): void {
  if (lease.node !== node || lease.isOver) {
    following.namesakeSinceMs = null
    return
  }
  following.namesakeSinceMs ??= clock.monotonicMs()
  if (clock.monotonicMs() - following.namesakeSinceMs < namesakeMs) return
  throw new MonitorError(
    'config.invalid',
    `another process holds the lease as node ${node}: each needs a name of its own, replicas.node`,
  )
}

function assertVersion({ ledgerVersion, node }: Lease): void {
  if (ledgerVersion <= migrations.length) return
  throw new MonitorError(
    'replica.newer',
    `${node ?? 'The holder'} keeps a ledger of version ${ledgerVersion}, this spanwatch knows ${migrations.length}: use the newer one here as well.`,
  )
}
