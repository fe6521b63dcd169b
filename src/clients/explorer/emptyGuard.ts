import type { UnixMs } from '../../lib/clock.ts'
import { putNewest } from '../../lib/putNewest.ts'
import { type ClockJump, rebaseInstant } from '../../lib/rebaseInstant.ts'
import { type Absence, isAbsent, notYetAbsent, noteReading } from './absence.ts'
import type { EndpointId, Family } from './endpoint.ts'

/** A question that is known to have an answer. */
interface ControlQuestion {
  readonly endpoint: EndpointId
  readonly params: Readonly<Record<string, string>>
}

export interface EmptyGuard {
  /** Notes an answer and says whether it is empty against better knowledge, the caller's or its own. */
  judge(question: Question, answer: { isEmpty: boolean; isKnown: boolean; at: UnixMs }): boolean
  /** Whether the endpoint ever gave anything: before that an empty answer means "no data", never absence. */
  hasAnswered(endpoint: EndpointId): boolean
  /** The newest question of the family that had an answer; null before the first. */
  control(family: Family): ControlQuestion | null
  /**
   * Answers that can be judged, and the contradicted empties among them, from a time on, at most some five minutes back;
   * and since when there are such empties, that time where there is none.
   */
  count(from: UnixMs): { readonly answers: number; readonly contradicted: number; readonly since: UnixMs }
  /** Until when a question that should have an answer is set aside; null when it is not. */
  asideUntil(question: Question, how: { isKnown: boolean; at: UnixMs }): UnixMs | null
  /** Whether several endpoints contradicted what is known lately, and show something all the same: then it is not one of them. */
  isSpread(at: UnixMs): boolean
  /** Whether the endpoint shows nothing at all: asking again at once would only take the turns of others. */
  isSilent(endpoint: EndpointId): boolean
  listAside(at: UnixMs): AsideQuestion[]
  /** The machine slept: how long ago something was stays as it is. */
  rebaseClock(jump: ClockJump): void
}

/** A question that is not asked for a while, because it was contradicted again and again. */
interface AsideQuestion {
  readonly endpoint: EndpointId
  /** What was asked, e.g. `address=0xb1`. */
  readonly question: string
  readonly since: UnixMs
  readonly until: UnixMs
}

interface Question extends ControlQuestion {
  readonly family: Family
}

/** How many questions are remembered as answerable. */
const maxKnown = 5_000
const windowMs = 300_000
const maxCounted = 20_000
const leastCounted = 500
/** Attempts so close together are one reading: under load they all come back empty. */
const oneReadingMs = 10_000
/** After how many contradicted readings a question is set aside, and for how long. */
const maxContradicted = 5
const asideMs = 600_000
const maxAside = 1_000
/** So many contradictions in a row are no throttling, which lets a question through now and then. */
const silentAfter = 10
/** Within how long contradictions of several endpoints are one trouble. */
const spreadMs = 30_000

interface Contradicted {
  readonly endpoint: EndpointId
  readonly since: UnixMs
  readonly lastAt: UnixMs
  readonly readings: number
  readonly until: UnixMs
}

interface Counted {
  readonly at: UnixMs
  readonly endpoint: EndpointId
  readonly isContradicted: boolean
}

/** What an answer is judged by: questions that had an answer, and what was contradicted lately. */
interface GuardState {
  readonly answered: Set<EndpointId>
  /** With the empty readings since the last answer; null without one. */
  readonly known: Map<string, Absence | null>
  readonly controlAt: Map<Family, UnixMs>
  readonly controls: Map<Family, ControlQuestion>
  readonly contradicted: Map<string, Contradicted>
  /** How often each endpoint was contradicted since it last showed anything. */
  readonly silence: Map<EndpointId, number>
  counted: Counted[]
  tidyAt: number
}

/**
 * Remembers what had an answer, because the service under load answers as if there were none. What one transaction or
 * address is asked for may be gone for good all the same: once it was empty by the rules of absence it is remembered no
 * more. Whoever knows that there is an answer says so himself.
 */
export function createEmptyGuard(): EmptyGuard {
  const state: GuardState = {
    answered: new Set(),
    known: new Map(),
    controlAt: new Map(),
    controls: new Map(),
    contradicted: new Map(),
    silence: new Map(),
    counted: [],
    tidyAt: leastCounted,
  }
  return {
    judge: (question, answer) => judge(state, question, answer),
    asideUntil: (question, how) => asideUntil(state, question, how),
    isSpread: (at) => isSpread(state, at),
    isSilent: (endpoint) => isSilent(state, endpoint),
    listAside: (at) =>
      [...state.contradicted].flatMap(([key, { endpoint, since, until }]) =>
        until > at ? [{ endpoint, question: key.slice(key.indexOf('?') + 1), since, until }] : [],
      ),
    hasAnswered: (endpoint) => state.answered.has(endpoint),
    control: (family) => state.controls.get(family) ?? null,
    count: (from) => {
      const recent = state.counted.filter(({ at }) => at >= from)
      const contradicted = recent.filter((one) => one.isContradicted)
      return { answers: recent.length, contradicted: contradicted.length, since: contradicted[0]?.at ?? from }
    },
    rebaseClock: (jump) => rebaseClock(state, jump),
  }
}

function judge(
  state: GuardState,
  question: Question,
  { isEmpty, isKnown, at }: { isEmpty: boolean; isKnown: boolean; at: UnixMs },
): boolean {
  const { endpoint, family, params } = question
  const key = keyOf(question)
  const isContradicted = isEmpty && (isKnown || (key !== null && isRemembered(state, question, at)))
  // An empty answer that nothing contradicts says nothing for the service nor against it.
  if (!isEmpty || isContradicted) count(state, { endpoint, at, isContradicted })
  if (isContradicted) {
    noteContradicted(state.contradicted, question, at)
    state.silence.set(endpoint, (state.silence.get(endpoint) ?? 0) + 1)
  }
  if (isEmpty) return isContradicted
  state.contradicted.delete(asideKey(question))
  state.silence.delete(endpoint)
  state.answered.add(endpoint)
  if (key === null) return false
  if (state.known.has(key)) state.controlAt.set(family, at)
  putNewest(state.known, key, null, maxKnown)
  state.controls.set(family, { endpoint, params })
  return false
}

/** What shows nothing at all, while others show what they have, is no sign of load. */
function isSpread(state: GuardState, at: UnixMs): boolean {
  const lately = state.counted.filter((one) => one.at > at - spreadMs)
  const isAllEmpty = lately.every(({ isContradicted }) => isContradicted)
  const contradicted = lately.filter(
    ({ endpoint, isContradicted }) => isContradicted && (isAllEmpty || !isSilent(state, endpoint)),
  )
  return new Set(contradicted.map(({ endpoint }) => endpoint)).size > 1
}

function isSilent({ silence }: GuardState, endpoint: EndpointId): boolean {
  return (silence.get(endpoint) ?? 0) >= silentAfter
}

function count(state: GuardState, one: Counted): void {
  state.counted.push(one)
  if (state.counted.length <= state.tidyAt) return
  // They are gone through once a second: what is too old must not be among them for long.
  state.counted = state.counted.filter(({ at }) => at > one.at - windowMs).slice(-maxCounted / 2)
  state.tidyAt = Math.max(leastCounted, state.counted.length * 2)
}

function noteContradicted(contradicted: GuardState['contradicted'], question: ControlQuestion, at: UnixMs) {
  const { endpoint } = question
  const key = asideKey(question)
  const before = contradicted.get(key) ?? { endpoint, since: at, lastAt: -Infinity, readings: 0, until: 0 }
  // Attempts that follow each other at once are one reading.
  if (at - before.lastAt < oneReadingMs) return
  const readings = before.readings + 1
  const until = readings >= maxContradicted ? at + asideMs : 0
  putNewest(contradicted, key, { ...before, lastAt: at, readings, until }, maxAside)
}

/** Whether an empty answer is against what is remembered. */
function isRemembered({ known, controlAt }: GuardState, question: Question, at: UnixMs): boolean {
  const key = keyOf(question) ?? ''
  const before = known.get(key)
  if (before === undefined) return false
  if (!namesOne(question)) return true
  if (before?.lastAt != null && at - before.lastAt < oneReadingMs) return true
  const control = controlAt.get(question.family) ?? -Infinity
  const asked = before ?? notYetAbsent
  const controlled =
    control > (asked.firstAt ?? Infinity) ? noteReading(asked, { kind: 'control', at: control }) : asked
  const now = noteReading(controlled, { kind: 'absent', at })
  if (isAbsent(now)) known.delete(key)
  else known.set(key, now)
  return !isAbsent(now)
}

function asideUntil(
  { contradicted, known }: GuardState,
  question: Question,
  { isKnown, at }: { isKnown: boolean; at: UnixMs },
): UnixMs | null {
  const { until = 0 } = contradicted.get(asideKey(question)) ?? {}
  if (until <= at) return null
  const key = keyOf(question)
  return isKnown || (key !== null && known.has(key)) ? until : null
}

function rebaseClock(state: GuardState, jump: ClockJump): void {
  state.counted = state.counted.map((one) => ({ ...one, at: rebaseInstant(one.at, jump) }))
  for (const [family, at] of state.controlAt) state.controlAt.set(family, rebaseInstant(at, jump))
  state.contradicted.clear()
  // What was empty since begins anew: that takes half a minute at most.
  for (const [key, absence] of state.known) if (absence !== null) state.known.set(key, null)
}

/** Later pages cease to exist when a list is re-pushed, so only first pages are known to have an answer. */
function keyOf(question: ControlQuestion): string | null {
  const { page, limit: _, ...params } = question.params
  if (page !== undefined && page !== '1') return null
  return `${question.endpoint}?${new URLSearchParams(params).toString()}`
}

/** The same question over another range of blocks, or another page of it, is one question. */
function asideKey({ endpoint, params }: ControlQuestion): string {
  const { page: _, limit: __, startBlockHeight: ___, endBlockHeight: ____, ...rest } = params
  return `${endpoint}?${new URLSearchParams(rest).toString()}`
}

/** Whether something is asked of one transaction or participant: a list of blocks or records never ceases to exist. */
function namesOne({ family, params }: Question): boolean {
  return 'txId' in params || 'txid' in params || (family === 'cross' && 'address' in params)
}
