import type { UnixMs } from '../../lib/clock.ts'
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
  /** Answers that can be judged, and the contradicted empties among them, since `since`, at most some five minutes back. */
  count(since: UnixMs): { readonly answers: number; readonly contradicted: number }
  /** Until when a question that should have an answer is set aside; null when it is not. */
  asideUntil(question: Question, how: { isKnown: boolean; at: UnixMs }): UnixMs | null
  /** Whether several endpoints contradicted what is known lately: then it is not one of them. */
  isSpread(at: UnixMs): boolean
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

export interface Question extends ControlQuestion {
  readonly family: Family
}

/** How many questions are remembered as answerable. */
const maxKnown = 5_000
const windowMs = 300_000
const maxCounted = 20_000
const leastCounted = 500
/** Attempts so close together are one reading: under load they all come back empty. */
const oneReadingMs = 10_000
/** After so many contradicted readings a question is set aside for so long. */
const maxContradicted = 5
const asideMs = 600_000
const maxAside = 1_000
/** Contradictions of several endpoints within so long are one trouble. */
const spreadMs = 30_000

interface Contradicted {
  readonly endpoint: EndpointId
  readonly since: UnixMs
  readonly lastAt: UnixMs
  readonly readings: number
  readonly until: UnixMs
}

/**
 * Remembers what had an answer, because the service under load answers as if there were none. What one transaction or
 * address is asked for may be gone for good all the same: once it was empty by the rules of absence it is remembered no
 * more. Whoever knows that there is an answer says so himself.
 */
export function createEmptyGuard(): EmptyGuard {
  const answered = new Set<EndpointId>()
  /** With the empty readings since the last answer; null without one. */
  const known = new Map<string, Absence | null>()
  const controlAt = new Map<Family, UnixMs>()
  const controls = new Map<Family, ControlQuestion>()
  const contradicted = new Map<string, Contradicted>()
  let counted: { at: UnixMs; endpoint: EndpointId; isContradicted: boolean }[] = []
  let tidyAt = leastCounted

  function noteContradicted({ endpoint, params }: Question, at: UnixMs): void {
    const key = asideKey({ endpoint, params })
    const before = contradicted.get(key) ?? { endpoint, since: at, lastAt: -Infinity, readings: 0, until: 0 }
    // Attempts that follow each other at once are one reading.
    if (at - before.lastAt < oneReadingMs) return
    const readings = before.readings + 1
    const until = readings >= maxContradicted ? at + asideMs : 0
    contradicted.delete(key)
    contradicted.set(key, { ...before, lastAt: at, readings, until })
    const [oldest] = contradicted.keys()
    if (contradicted.size > maxAside && oldest !== undefined) contradicted.delete(oldest)
  }

  function note(endpoint: EndpointId, at: UnixMs, isContradicted: boolean): void {
    counted.push({ at, endpoint, isContradicted })
    if (counted.length <= tidyAt) return
    // They are gone through once a second: what is too old must not be among them for long.
    counted = counted.filter((entry) => entry.at > at - windowMs).slice(-maxCounted / 2)
    tidyAt = Math.max(leastCounted, counted.length * 2)
  }

  /** Whether an empty answer is against what is remembered. */
  function isRemembered(question: Question, key: string, at: UnixMs): boolean {
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

  return {
    judge(question, { isEmpty, isKnown, at }) {
      const key = keyOf(question)
      const isContradicted = isEmpty && (isKnown || (key !== null && isRemembered(question, key, at)))
      // An empty answer that nothing contradicts speaks neither for the service nor against it.
      if (!isEmpty || isContradicted) note(question.endpoint, at, isContradicted)
      if (isContradicted) noteContradicted(question, at)
      if (isEmpty) return isContradicted
      contradicted.delete(asideKey(question))
      answered.add(question.endpoint)
      if (key === null) return false
      if (known.has(key)) controlAt.set(question.family, at)
      remember(known, key)
      controls.set(question.family, { endpoint: question.endpoint, params: question.params })
      return false
    },
    asideUntil(question, { isKnown, at }) {
      const { until = 0 } = contradicted.get(asideKey(question)) ?? {}
      if (until <= at) return null
      const key = keyOf(question)
      return isKnown || (key !== null && known.has(key)) ? until : null
    },
    isSpread: (at) =>
      new Set(counted.flatMap((one) => (one.isContradicted && one.at > at - spreadMs ? [one.endpoint] : [])))
        .size > 1,
    listAside: (at) =>
      [...contradicted].flatMap(([key, { endpoint, since, until }]) =>
        until > at ? [{ endpoint, question: key.slice(key.indexOf('?') + 1), since, until }] : [],
      ),
    hasAnswered: (endpoint) => answered.has(endpoint),
    control: (family) => controls.get(family) ?? null,
    count(since) {
      const recent = counted.filter((entry) => entry.at >= since)
      return {
        answers: recent.length,
        contradicted: recent.filter((entry) => entry.isContradicted).length,
      }
    },
    rebaseClock(jump) {
      counted = counted.map((entry) => ({ ...entry, at: rebaseInstant(entry.at, jump) }))
      for (const [family, at] of controlAt) controlAt.set(family, rebaseInstant(at, jump))
      contradicted.clear()
      // What was empty since begins anew: that takes half a minute at most.
      for (const [key, absence] of known) if (absence !== null) known.set(key, null)
    },
  }
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

/** Drops the oldest beyond the bound; a key asked again counts as new. */
function remember(known: Map<string, Absence | null>, key: string): void {
  known.delete(key)
  known.set(key, null)
  if (known.size <= maxKnown) return
  const [oldest] = known.keys()
  if (oldest !== undefined) known.delete(oldest)
}
