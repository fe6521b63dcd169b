import type { Clock, UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'

/** How one endpoint has been answering; null means never. */
export interface EndpointRecord {
  readonly endpoint: string
  readonly firstAskedAt: UnixMs
  readonly lastGoodAt: UnixMs | null
  readonly lastFailureAt: UnixMs | null
  readonly lastFailure: string | null
  /** When the first question was sent that failed since its last good answer; null while its newest answer is good. */
  readonly failingSince: UnixMs | null
  /** How often it failed again since then although another endpoint had answered in between: that is its own trouble. */
  readonly ownFailures: number
  /** All that failed since then was throttling, declared or in disguise, which picks single questions. */
  readonly isThrottling: boolean
  /** When it answered well again after it had failed; null while it fails, or never did. */
  readonly backAt: UnixMs | null
}

/** How a node's settled blocks differ from the explorer's. */
export interface ForeignChain {
  readonly at: UnixMs
  readonly height: number
  readonly says: string
}

export interface ExplorerHealth {
  readonly source: string
  readonly host: string
  readonly startedAt: UnixMs
  readonly endpoints: readonly EndpointRecord[]
  /** When the source as a whole answered well again after nothing of it had; null when that never happened. */
  readonly backAt: UnixMs | null
  /** Credentials refused by the newest answer, and not to one endpoint alone: what it said. */
  readonly rejected: { readonly at: UnixMs; readonly reason: string } | null
  /** Of a node: that it is of another chain than the explorer; null or left out while it is not known to be. */
  readonly foreign?: ForeignChain | null
  /** By how much the service's clock was ahead of ours lately, to about a second; null when unknown. */
  readonly clockAheadMs: number | null
}

/** A question that was sent; what came of it is noted by the recorder that gave it. */
export interface Asked {
  readonly endpoint: string
  readonly sentAt: number
  /** When another endpoint had answered well last, by then. */
  readonly othersGoodAt: number
}

/** `throttled`: a sign that the service wants fewer questions, also an empty answer that something known contradicts. */
export type FailureKind = 'broken' | 'throttled' | 'rejected'

export function failureKind(error: unknown): FailureKind {
  if (!(error instanceof MonitorError)) return 'broken'
  if (error.code === 'source.rejected') return 'rejected'
  return error.code === 'source.throttled' ? 'throttled' : 'broken'
}

export interface HealthRecorder {
  asked(endpoint: string): Asked
  /** A decoded answer that nothing known contradicts. */
  good(asked: Asked): void
  /** @returns whether the endpoint goes on failing while others answer: being down is its own trouble, and no sign of load */
  failed(asked: Asked, reason: string, kind: FailureKind): boolean
  /** Any answer came, with its Date header, received at `at`. */
  answered(date: string | null, at: UnixMs): void
  read(): ExplorerHealth
}

/** How often an endpoint has to fail by itself, each time after another answered. */
export const leastOwnFailures = 2

/** How long nothing of a source answers, while several of its endpoints are asked, before it was away as a whole. */
const awayMs = 5_000

/** A few Date headers may be wrong, or come from a cache. */
const keptDates = 5

/** What is known of a source, all of it by the monotonic clock: the wall clock may step. */
interface State {
  readonly endpoints: ReadonlyMap<string, EndpointRecord & { readonly countedAt: number }>
  /** When the first question was sent that failed since anything answered well; null while the newest answer is good. */
  readonly wentAt: number | null
  /** The endpoints that failed since then. */
  readonly failed: ReadonlySet<string>
  readonly backAt: number | null
  readonly rejected: ExplorerHealth['rejected']
}

export function createHealth(options: {
  readonly source: string
  readonly host: string
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>
}): HealthRecorder {
  const { clock, source, host } = options
  const startedAt = clock.monotonicMs()
  let state: State = {
    endpoints: new Map(),
    wentAt: null,
    failed: new Set(),
    backAt: null,
    rejected: null,
  }
  let ahead: readonly number[] = []
  return {
    asked(endpoint) {
      const sentAt = clock.monotonicMs()
      state = noteAsked(state, endpoint, sentAt)
      return { endpoint, sentAt, othersGoodAt: othersGoodAt(state, endpoint) }
    },
    good(asked) {
      state = noteGood(state, asked, clock.monotonicMs())
    },
    failed(asked, reason, kind) {
      state = noteFailure(state, asked, { at: clock.monotonicMs(), reason, kind })
      return (state.endpoints.get(asked.endpoint)?.ownFailures ?? 0) >= leastOwnFailures
    },
    answered(date, at) {
      const theirs = Date.parse(date ?? '')
      // The header gives whole seconds, so half a second is its likeliest remainder.
      // Times that are saved are made of it, and they are whole.
      if (!Number.isNaN(theirs)) ahead = [...ahead, Math.round(theirs + 500 - at)].slice(-keptDates)
    },
    read() {
      const offset = clock.now() - clock.monotonicMs()
      return {
        source,
        host,
        startedAt: toWall(startedAt, offset),
        ...readState(state, offset),
        clockAheadMs: median(ahead),
      }
    },
  }
}

function noteAsked(state: State, endpoint: string, at: number): State {
  if (state.endpoints.has(endpoint)) return state
  return withRecord(state, {
    endpoint,
    firstAskedAt: at,
    lastGoodAt: null,
    lastFailureAt: null,
    lastFailure: null,
    failingSince: null,
    ownFailures: 0,
    isThrottling: false,
    backAt: null,
    countedAt: at,
  })
}

function noteGood(state: State, { endpoint }: Asked, at: number): State {
  const before = state.endpoints.get(endpoint)
  if (!before) return state
  // One endpoint that fails while nobody asks another is not the source.
  const hasSpread = state.failed.size >= Math.min(2, state.endpoints.size)
  const wasAway = state.wentAt !== null && at - state.wentAt >= awayMs && hasSpread
  const { failingSince, backAt } = before
  return {
    ...withRecord(wasAway ? restartCounts(state, at) : state, {
      ...before,
      lastGoodAt: at,
      failingSince: null,
      ownFailures: 0,
      isThrottling: false,
      backAt: failingSince === null ? backAt : at,
    }),
    wentAt: null,
    failed: new Set(),
    backAt: wasAway ? at : state.backAt,
    rejected: null,
  }
}

/** What failed with all the others has to fail anew, now that they are back. */
function restartCounts(state: State, at: number): State {
  const restarted = [...state.endpoints.values()].map((one) => ({ ...one, ownFailures: 0, countedAt: at }))
  return { ...state, endpoints: new Map(restarted.map((one) => [one.endpoint, one])) }
}

function noteFailure(
  state: State,
  { endpoint, sentAt, othersGoodAt }: Asked,
  { at, reason, kind }: { readonly at: number; readonly reason: string; readonly kind: FailureKind },
): State {
  const before = state.endpoints.get(endpoint)
  // A good answer to a later question says more.
  if (!before || (before.lastGoodAt ?? -Infinity) > sentAt) return state
  const isFirst = before.failingSince === null
  const isOwn = !isFirst && othersGoodAt > before.countedAt && !isOfWhole(state, before)
  return {
    ...withRecord(state, {
      ...before,
      lastFailureAt: at,
      lastFailure: reason,
      failingSince: before.failingSince ?? sentAt,
      ownFailures: before.ownFailures + (isOwn ? 1 : 0),
      isThrottling: kind === 'throttled' && (isFirst || before.isThrottling),
      backAt: null,
      countedAt: isFirst || isOwn ? at : before.countedAt,
    }),
    wentAt: state.wentAt ?? sentAt,
    failed: new Set([...state.failed, endpoint]),
    // A timeout in between does not say that the credentials are accepted again.
    rejected: kind === 'rejected' && !isRefusedAlone(state, before) ? { at, reason } : state.rejected,
  }
}

/**
 * Whether others have answered well since the endpoint began to fail, or ever where it never answered: then it is not the
 * credentials that are refused, they do not permit this endpoint. Of endpoints that answered before each says so once.
 */
function isRefusedAlone(state: State, { endpoint, failingSince, lastGoodAt }: EndpointRecord): boolean {
  const since = lastGoodAt === null ? -Infinity : (failingSince ?? Infinity)
  return othersGoodAt(state, endpoint) > since
}

/**
 * Whether the endpoint fails whatever it is asked, and has not answered since this filter of it, such as `E3 by hash`,
 * failed before: then that has no trouble of its own.
 */
function isOfWhole(
  { endpoints }: State,
  filter: Pick<EndpointRecord, 'endpoint'> & { readonly countedAt: number },
): boolean {
  const [name = ''] = filter.endpoint.split(' by ')
  const whole = name === filter.endpoint ? undefined : endpoints.get(name)
  if (whole === undefined || whole.failingSince === null) return false
  return (whole.lastGoodAt ?? -Infinity) <= filter.countedAt
}

function withRecord(state: State, record: EndpointRecord & { readonly countedAt: number }): State {
  return { ...state, endpoints: new Map(state.endpoints).set(record.endpoint, record) }
}

function othersGoodAt({ endpoints }: State, endpoint: string): number {
  const others = [...endpoints.values()].filter((one) => one.endpoint !== endpoint)
  return Math.max(-Infinity, ...others.map(({ lastGoodAt }) => lastGoodAt ?? -Infinity))
}

/** The same by the wall clock as it is now: how long ago something was does not change when that is set. */
function readState(
  { endpoints, backAt, rejected }: State,
  offset: number,
): Pick<ExplorerHealth, 'endpoints' | 'backAt' | 'rejected'> {
  const move = (at: number | null) => (at === null ? null : toWall(at, offset))
  return {
    endpoints: [...endpoints.values()].map((one) => ({
      endpoint: one.endpoint,
      firstAskedAt: toWall(one.firstAskedAt, offset),
      lastGoodAt: move(one.lastGoodAt),
      lastFailureAt: move(one.lastFailureAt),
      lastFailure: one.lastFailure,
      failingSince: move(one.failingSince),
      ownFailures: one.ownFailures,
      isThrottling: one.isThrottling,
      backAt: move(one.backAt),
    })),
    backAt: move(backAt),
    rejected: rejected && { ...rejected, at: toWall(rejected.at, offset) },
  }
}

function toWall(at: number, offset: number): UnixMs {
  return Math.floor(at + offset)
}

function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null
}
