import type { Clock, UnixMs } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { Head } from '../store/changeLog.ts'
import type { Database } from '../store/database.ts'
import type { Connections } from './connect.ts'
import type { Identity } from './lease.ts'
import type { Moment } from './leaseTime.ts'
import type { Asked } from './nodes.ts'

export interface HolderDeps extends Identity {
  readonly clock: Pick<Clock, 'now' | 'monotonicMs' | 'sleep'>
  /** How long the machine is up, suspended time included, ms; null where that is not known. */
  readonly bootMs: () => number | null
  readonly log: Logger
  /** Small statements: the lease must not wait behind a snapshot. */
  readonly lease: Pick<Connections, 'query'>
  readonly data: Pick<Connections, 'query'>
  readonly db: Pick<Database, 'changes' | 'held'>
  readonly program: string
  readonly pageUrl: string | null
  /**
   * Puts a copy of the ledger into PostgreSQL.
   * @param mayFinish is waited for once it is known which change the copy is of
   * @returns that change; null when the lease is gone
   */
  readonly publish: (signal: AbortSignal, mayFinish: (head: Head) => Promise<void>) => Promise<Head | null>
}

/** Why a holder ends: somebody wants another one, or another one is it. */
export type HolderEnd = 'asked' | 'lost'

/** Since when something fails, and what was said last. */
export interface Trouble {
  readonly since: UnixMs
  /** The same by the clock that nobody sets. */
  readonly sinceMs: number
  readonly problem: string
}

export interface HolderState extends HolderDeps {
  readonly epoch: number
  /** The last change that PostgreSQL acknowledged. */
  head: Head
  /** When the last renewal that succeeded was sent; null before. */
  renewedFrom: Moment | null
  /** Whether what is there joins what is here, so that a follower can go on with it. */
  hasBasis: boolean
  /** Since the last snapshot. */
  pushedBytes: number
  /** What each of its loops cannot do, and since when; each clears its own. */
  readonly troubles: Map<string, Trouble>
  /** Whether another node holds the lease. */
  isLost: boolean
  asked: Asked | null
  readonly ending: AbortController
  readonly ended: AbortController
  /** Aborted when there is something to push; then there is another one. */
  work: AbortController
  /** The same of what PostgreSQL acknowledged. */
  progress: AbortController
}

export async function waitForProgress(state: HolderState, deadline: number): Promise<void> {
  const leftMs = Math.max(deadline - state.clock.monotonicMs(), 1)
  await state.clock.sleep(leftMs, state.progress.signal)
}

function noteProgress(state: HolderState): void {
  const { progress } = state
  state.progress = new AbortController()
  progress.abort()
}

export function readMoment({ clock, bootMs }: Pick<HolderDeps, 'clock' | 'bootMs'>): Moment {
  return { monotonicMs: clock.monotonicMs(), bootMs: bootMs() }
}

/** @param renewedFrom when the statement that renewed the lease was sent */
export function noteReached(state: HolderState, renewedFrom: Moment): void {
  state.renewedFrom = renewedFrom
  noteProgress(state)
}

export function noteHead(state: HolderState, head: Head): void {
  state.head = head
  state.db.changes.acknowledge(head.seq)
  noteProgress(state)
}

export function endHolder(state: HolderState, why: HolderEnd): void {
  state.isLost ||= why === 'lost'
  state.ended.abort(why)
  noteProgress(state)
}
