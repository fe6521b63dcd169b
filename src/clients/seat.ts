import type { Clock, UnixMs } from '../lib/clock.ts'
import { type ErrorCode, MonitorError } from '../lib/errors.ts'

/** One of several sources that answer the same questions. */
export interface Member<T> {
  readonly name: string
  readonly client: T
}

/**
 * Several sources in one seat. One of them is asked; the others take its place when it fails, within the same question.
 * Whoever took it keeps it: a source that failed rests, ever longer, and is asked before then only if no other answers.
 */
export interface Seat<T> {
  readonly members: readonly Member<T>[]
  /** How many of them have to say what an accusation rests on. */
  readonly quorum: number
  /** Whoever is asked at present. */
  current(): Member<T>
  /**
   * Asks the current member, then the others.
   * @throws what the first of them said, when none answers
   */
  ask<R>(question: (client: T) => Promise<R>, signal?: AbortSignal): Promise<R>
  /** What became of a question that was put to one of them past `ask`: true when it failed. */
  note(member: Member<T>, failed: boolean): void
  /** Others that may be asked in place of one, those that rest last. */
  othersOf(member: Member<T>): readonly Member<T>[]
}

const firstRestMs = 30_000
const maxRestMs = 600_000

interface Resting {
  readonly until: UnixMs
  readonly ms: number
}

export function createSeat<T>(
  members: readonly [Member<T>, ...Member<T>[]],
  clock: Pick<Clock, 'monotonicMs'>,
  quorum = 1,
): Seat<T> {
  let current: Member<T> = members[0]
  const resting = new Map<Member<T>, Resting>()
  const isResting = (member: Member<T>) => (resting.get(member)?.until ?? 0) > clock.monotonicMs()
  const othersOf = (member: Member<T>) => {
    const others = members.filter((one) => one !== member)
    return [...others.filter((one) => !isResting(one)), ...others.filter(isResting)]
  }
  const note = (member: Member<T>, failed: boolean) => {
    const before = resting.get(member)
    if (failed) {
      if (isResting(member)) return
      const ms = before === undefined ? firstRestMs : Math.min(before.ms * 2, maxRestMs)
      resting.set(member, { until: clock.monotonicMs() + ms, ms })
      if (member === current) current = othersOf(member).find((one) => !isResting(one)) ?? current
      return
    }
    // All had failed, and this one is the first that answers again.
    if (isResting(current)) current = member
    // What answers for as long as it rested is well again.
    if (before !== undefined && clock.monotonicMs() - before.until > before.ms) resting.delete(member)
  }
  return {
    members,
    quorum,
    current: () => current,
    othersOf,
    note,
    async ask(question, signal) {
      let first: unknown
      const asked = current
      for (const member of [asked, ...othersOf(asked)]) {
        try {
          const answer = await question(member.client)
          note(member, false)
          return answer
        } catch (error) {
          signal?.throwIfAborted()
          if (!mayOtherAnswer(error)) throw error
          if (isOfSource(error)) note(member, true)
          first ??= error
        }
      }
      throw first
    },
  }
}

const ofSource: ReadonlySet<ErrorCode> = new Set([
  'source.unreachable',
  'source.throttled',
  'source.rejected',
  'source.invalid',
  'source.empty',
])

/** Whether the source failed, and not this question alone. */
export function isOfSource(error: unknown): boolean {
  return error instanceof MonitorError && ofSource.has(error.code)
}

/** Whether another source may answer what this one did not. */
export function mayOtherAnswer(error: unknown): boolean {
  if (!(error instanceof MonitorError)) return false
  return isOfSource(error) || error.code === 'source.mismatched' || isLacking(error)
}

/** -32601 and -32004: it does not have the method; HTTP 404, 405 and 410: nor the path. */
function isLacking({ details: { rpcCode, status } }: MonitorError): boolean {
  return [-32601, -32004].includes(Number(rpcCode)) || [404, 405, 410].includes(Number(status))
}
