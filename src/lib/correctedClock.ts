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
/** A Date header gives whole seconds, and travels. */
const toleratedMs = 2_500
/** Blocks may be so far ahead of honest clocks. */
const blockLeadMs = 15_000
const waitedMs = 5_000
const lookEveryMs = 50
/** Of each source so many Date headers are kept, and compared by their median: a few of them may be wrong. */
const keptDates = 9
const mostSources = 50

/** The machine's clocks, and how the present stands to them. */
interface ClockState {
  readonly machine: Clock
  /** The wall clock less the monotonic one. */
  parting: number
  /** How far the wall clock stands aside of the present. */
  asideMs: number
  step: Step | null
  movedMs: number
  sleptMs: number
  /** What the last look gave. */
  seen: { readonly movedMs: number; readonly sleptMs: number }
  /** How far each source is usually ahead. */
  readonly usual: Map<string, readonly number[]>
}

/** One that is corrected already stays as it is: through a second one no sleep would be seen. */
export function toCorrectedClock(clock: Clock | CorrectedClock): CorrectedClock {
  return 'noteDate' in clock ? clock : createCorrectedClock(clock)
}

export function createCorrectedClock(machine: Clock): CorrectedClock {
  const state: ClockState = {
    machine,
    parting: machine.now() - machine.monotonicMs(),
    asideMs: 0,
    step: null,
    movedMs: 0,
    sleptMs: 0,
    seen: { movedMs: 0, sleptMs: 0 },
    usual: new Map(),
  }
  return {
    now: () => readNow(state),
    monotonicMs: () => machine.monotonicMs(),
    sleep: (ms, signal) => machine.sleep(ms, signal),
    noteDate: (source, answer) => noteDate(state, source, answer),
    noteBlock(time) {
      const leadMs = time - readNow(state)
      const isEarly =
        leadMs > Math.max(blockLeadMs, state.asideMs / 2) && leadMs < state.asideMs + blockLeadMs
      if (isEarly) noteSleep(state, state.asideMs)
    },
    sleptMs: () => state.sleptMs,
    doubtMs: () => (readNow(state), state.step?.byMs ?? 0),
    async decided(signal) {
      readNow(state)
      const isOpen = () => state.step !== null && machine.monotonicMs() - state.step.sinceMs < waitedMs
      const isWanted = () => signal?.aborted !== true
      while (isOpen() && isWanted()) await machine.sleep(lookEveryMs, signal)
    },
    look: () => look(state),
  }
}

function readNow(state: ClockState): UnixMs {
  const wall = state.machine.now()
  const next = wall - state.machine.monotonicMs()
  const byMs = Math.round(next - state.parting)
  state.parting = next
  if (Math.abs(byMs) > followedMs) noteStep(state, byMs)
  return wall - state.asideMs
}

function noteStep(state: ClockState, byMs: number): void {
  state.asideMs += byMs
  state.movedMs += byMs
  const totalMs = byMs + (state.step?.byMs ?? 0)
  // No machine sleeps backwards, and a clock that is back where it was before was set.
  const isOpen = totalMs > followedMs && Math.abs(state.asideMs) > followedMs
  state.step = isOpen ? { byMs: totalMs, sinceMs: state.machine.monotonicMs(), dates: [] } : null
}

function noteSleep(state: ClockState, byMs: number): void {
  state.asideMs -= byMs
  state.sleptMs += byMs
  state.step = null
}

function noteDate(state: ClockState, source: string, { date, sentMs }: DatedAnswer): void {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return
  const { usual } = state
  // Half a second is the likeliest remainder of whole ones.
  const aheadMs = theirs + 500 - readNow(state)
  if (state.step === null) {
    if (usual.size < mostSources || usual.has(source))
      usual.set(source, [...(usual.get(source) ?? []), aheadMs].slice(-keptDates))
    return
  }
  if (sentMs < state.step.sinceMs) return
  state.step = { ...state.step, dates: [...state.step.dates, { source, aheadMs }].slice(-keptDates) }
  weigh(state, state.step)
}

/** Decides what a step was, once two sources that agree outnumber those that do not. */
function weigh(state: ClockState, { byMs, dates }: Step): void {
  const moves = dates.map(({ source, aheadMs }) => aheadMs - median(state.usual.get(source) ?? [0]))
  const boundMs = Math.min(toleratedMs, byMs / 2)
  const followed = moves.filter((ms) => Math.abs(ms - byMs) < boundMs).length
  const stayed = moves.filter((ms) => Math.abs(ms) < boundMs).length
  if (followed >= 2 && followed > stayed) noteSleep(state, byMs)
  else if (stayed >= 2 && stayed > followed) state.step = null
}

function look(state: ClockState): ClockNews {
  const now = readNow(state)
  const { movedMs, sleptMs, seen } = state
  const toJump = (byMs: number) => (byMs === 0 ? null : { byMs, now })
  state.seen = { movedMs, sleptMs }
  return { moved: toJump(movedMs - seen.movedMs), slept: toJump(sleptMs - seen.sleptMs) }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
