import type { Clock, UnixMs } from './clock.ts'
import type { ClockJump } from './rebaseInstant.ts'

/**
 * The present as the monitor counts it. It follows the wall clock through what a time service slews, and not through a
 * step: it goes on as the monotonic clock does, and only where the clocks of those who answer moved by as much was the
 * machine asleep, and time really passed.
 */
export interface CorrectedClock extends Clock {
  /** An answer of this source came just now. */
  noteDate(source: string, answer: DatedAnswer): void
  /** A block of this time was read just now. A late one says nothing: an index may stand still. */
  noteBlock(time: UnixMs): void
  /** For how long the machine slept so far, ms. */
  sleptMs(): number
  /** By how much the present may be later than it is counted to be, ms; 0 unless that is not decided yet. */
  doubtMs(): number
  /** Returns once it is decided whether the machine slept, or after a few seconds without a word on it. */
  decided(signal?: AbortSignal): Promise<void>
  /** What happened since the last look: by how much the wall clock was moved, and for how long the machine slept. */
  look(): ClockNews
}

export interface ClockNews {
  readonly moved: ClockJump | null
  readonly slept: ClockJump | null
}

/** An answer's Date header, with when its request was sent by the monotonic clock: before a step it says nothing of it. */
interface DatedAnswer {
  readonly date: string | null
  readonly sentMs: number
}

/** A step of the wall clock that nothing has explained yet. */
interface Step {
  readonly byMs: number
  /** By the monotonic clock. */
  readonly sinceMs: number
  readonly dates: readonly { readonly source: string; readonly aheadMs: number }[]
}

/** Less is slewing, or the scheduler between two readings. */
const followedMs = 1_000
/** A Date header tells whole seconds, and travels. */
const toleratedMs = 2_500
/** Blocks may be so far ahead of honest clocks. */
const blockLeadMs = 15_000
const waitedMs = 5_000
const lookEveryMs = 50
/** Of each source so many Date headers are kept, and compared by their median: a few of them may be wrong. */
const keptDates = 9
const mostSources = 50

export function createCorrectedClock(machine: Clock): CorrectedClock {
  let parting = machine.now() - machine.monotonicMs()
  /** How far the wall clock stands aside of the present. */
  let asideMs = 0
  let step: Step | null = null
  let sleptMs = 0
  let seen = { movedMs: 0, sleptMs: 0 }
  let movedMs = 0
  const usual = new Map<string, readonly number[]>()

  function now(): UnixMs {
    const wall = machine.now()
    const next = wall - machine.monotonicMs()
    const byMs = Math.round(next - parting)
    parting = next
    if (Math.abs(byMs) > followedMs) part(byMs)
    return wall - asideMs
  }

  function part(byMs: number): void {
    asideMs += byMs
    movedMs += byMs
    const totalMs = byMs + (step?.byMs ?? 0)
    // No machine sleeps backwards, and a clock that is back where it was before was set.
    const isOpen = totalMs > followedMs && Math.abs(asideMs) > followedMs
    step = isOpen ? { byMs: totalMs, sinceMs: machine.monotonicMs(), dates: [] } : null
  }

  function sleep(byMs: number): void {
    asideMs -= byMs
    sleptMs += byMs
    step = null
  }

  function weigh({ byMs, dates }: Step): void {
    const moves = dates.map(({ source, aheadMs }) => aheadMs - median(usual.get(source) ?? [0]))
    const boundMs = Math.min(toleratedMs, byMs / 2)
    const followed = moves.filter((ms) => Math.abs(ms - byMs) < boundMs).length
    const stayed = moves.filter((ms) => Math.abs(ms) < boundMs).length
    if (followed >= 2 && followed > stayed) sleep(byMs)
    else if (stayed >= 2 && stayed > followed) step = null
  }

  return {
    now,
    monotonicMs: () => machine.monotonicMs(),
    sleep: (ms, signal) => machine.sleep(ms, signal),
    noteDate(source, { date, sentMs }) {
      const theirs = Date.parse(date ?? '')
      if (Number.isNaN(theirs)) return
      // Half a second is the likeliest remainder of whole ones.
      const aheadMs = theirs + 500 - now()
      if (step === null) {
        if (usual.size < mostSources || usual.has(source))
          usual.set(source, [...(usual.get(source) ?? []), aheadMs].slice(-keptDates))
        return
      }
      if (sentMs < step.sinceMs) return
      step = { ...step, dates: [...step.dates, { source, aheadMs }].slice(-keptDates) }
      weigh(step)
    },
    noteBlock(time) {
      const leadMs = time - now()
      const isEarly = leadMs > Math.max(blockLeadMs, asideMs / 2) && leadMs < asideMs + blockLeadMs
      if (isEarly) sleep(asideMs)
    },
    sleptMs: () => sleptMs,
    doubtMs: () => (now(), step?.byMs ?? 0),
    async decided(signal) {
      now()
      const isOpen = () => step !== null && machine.monotonicMs() - step.sinceMs < waitedMs
      const isWanted = () => signal?.aborted !== true
      while (isOpen() && isWanted()) await machine.sleep(lookEveryMs, signal)
    },
    look() {
      const at = now()
      const toJump = (byMs: number) => (byMs === 0 ? null : { byMs, now: at })
      const news = { moved: toJump(movedMs - seen.movedMs), slept: toJump(sleptMs - seen.sleptMs) }
      seen = { movedMs, sleptMs }
      return news
    },
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
