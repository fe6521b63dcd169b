import type { UnixMs } from '../lib/clock.ts'

/** The life of a condition alert, without its content. */
export interface Phase {
  readonly state: 'inactive' | 'pending' | 'firing' | 'recovering' | 'resolved'
  readonly activeAt: UnixMs
  /** Of this episode; null while it has not fired. */
  readonly firedAt: UnixMs | null
  readonly keepSince: UnixMs | null
  readonly resolvedAt: UnixMs | null
  readonly episode: number
}

export interface PhaseTimes {
  readonly forMs: number
  readonly keepFiringForMs: number
}

/** `demoted`: `for` was raised above the age of a firing alert. `forgotten`: it was pending, and nothing was sent of it. */
type Transition = 'pending' | 'fired' | 'recovering' | 'continued' | 'resolved' | 'forgotten' | 'demoted'

export interface Step {
  readonly phase: Phase
  readonly transition: Transition | null
}

/** The phase of an alert that was never true. */
export const untouched: Phase = {
  state: 'inactive',
  activeAt: 0,
  firedAt: null,
  keepSince: null,
  resolvedAt: null,
  episode: 0,
}

/**
 * One evaluation that gave an answer. `for` is over when it is reached (>=), keep-firing lasts while it is not (<):
 * with both, an alert behaves as in Prometheus.
 * @example stepCondition(untouched, true, { forMs: 0, keepFiringForMs: 0 }, now).transition // 'fired'
 */
export function stepCondition(previous: Phase, isTrue: boolean, times: PhaseTimes, now: UnixMs): Step {
  const phase = clampToNow(previous, now)
  switch (phase.state) {
    case 'inactive':
    case 'resolved':
      return isTrue ? activate(phase, times, now) : { phase, transition: null }
    case 'pending':
      return isTrue ? ripen(phase, times, now) : end(phase, now)
    case 'firing':
      if (isTrue) return holdOrDemote(phase, times, now)
      if (times.keepFiringForMs > 0) return to(phase, 'recovering', { keepSince: now })
      return end(phase, now)
    case 'recovering':
      if (isTrue) return { phase: { ...phase, state: 'firing', keepSince: null }, transition: 'continued' }
      return now - (phase.keepSince ?? now) >= times.keepFiringForMs
        ? end(phase, now)
        : { phase, transition: null }
  }
}

function to(phase: Phase, state: 'recovering', change: Partial<Phase>): Step {
  return { phase: { ...phase, ...change, state }, transition: state }
}

function activate(phase: Phase, times: PhaseTimes, now: UnixMs): Step {
  const pending: Phase = {
    state: 'pending',
    activeAt: now,
    firedAt: null,
    keepSince: null,
    resolvedAt: null,
    episode: phase.episode + 1,
  }
  return times.forMs <= 0 ? fire(pending, now) : { phase: pending, transition: 'pending' }
}

function ripen(phase: Phase, times: PhaseTimes, now: UnixMs): Step {
  return now - phase.activeAt >= times.forMs ? fire(phase, now) : { phase, transition: null }
}

function fire(phase: Phase, now: UnixMs): Step {
  return { phase: { ...phase, state: 'firing', firedAt: phase.firedAt ?? now }, transition: 'fired' }
}

function holdOrDemote(phase: Phase, times: PhaseTimes, now: UnixMs): Step {
  if (now - phase.activeAt >= times.forMs) return { phase, transition: null }
  return { phase: { ...phase, state: 'pending' }, transition: 'demoted' }
}

/** What fired is resolved, even when a raised `for` made it pending again: a message of it may have been sent. */
function end(phase: Phase, now: UnixMs): Step {
  if (phase.firedAt === null) {
    return { phase: { ...phase, state: 'inactive', keepSince: null }, transition: 'forgotten' }
  }
  return { phase: { ...phase, state: 'resolved', keepSince: null, resolvedAt: now }, transition: 'resolved' }
}

/** A wall clock that went back: no interval is negative, none is longer than it was, and what fired was true for long enough. */
function clampToNow(phase: Phase, now: UnixMs): Phase {
  const { activeAt, firedAt, keepSince } = phase
  const latest = firedAt ?? activeAt
  if (latest <= now && (keepSince ?? now) <= now) return phase
  return {
    ...phase,
    activeAt: activeAt - Math.max(latest - now, 0),
    firedAt: firedAt === null ? null : Math.min(firedAt, now),
    keepSince: keepSince === null ? null : Math.min(keepSince, now),
  }
}

const longestDownMs = 3_600_000
const longestGraceMs = 600_000

/**
 * The first evaluation after a restart. Time spent down counts neither for `for` nor for keep-firing; what is left of
 * `for` is at least a grace, so that a condition is seen true more than once before it fires. The grace is a tenth of
 * `for`, at most 10 minutes: all of `for` would begin from zero at each restart. After more than an hour down what was
 * pending is forgotten; what fired goes on firing until an evaluation says otherwise.
 */
export function resumeCondition(phase: Phase, times: PhaseTimes, lastEvalAt: UnixMs, now: UnixMs): Step {
  const down = now - lastEvalAt
  if (down <= 0) return { phase, transition: null }
  if (phase.state === 'recovering') {
    return { phase: { ...phase, keepSince: (phase.keepSince ?? lastEvalAt) + down }, transition: null }
  }
  if (phase.state !== 'pending') return { phase, transition: null }
  if (down > longestDownMs) return phase.firedAt === null ? end(phase, now) : { phase, transition: null }
  const grace = Math.min(longestGraceMs, Math.floor(times.forMs / 10))
  const latest = now - times.forMs + grace
  // Never later than the last time it was seen true: a grace may lengthen the wait, not forget all of it.
  return { phase: { ...phase, activeAt: Math.max(phase.activeAt + down, latest) }, transition: null }
}
