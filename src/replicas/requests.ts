import type { Clock } from '../lib/clock.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import { z } from 'zod'
import type { Actor } from '../store/actor.ts'
import type { Database } from '../store/database.ts'
import { readMeta, saveMeta } from '../store/meta.ts'
import { parseJson } from '../store/table.ts'
import type { Query } from './connect.ts'

/** Something that is asked of the holder. Whoever can write to the table wrote it. */
export interface Request {
  readonly id: number
  readonly what: string
  readonly body: unknown
  readonly actor: Actor
  /** The node that hands it over; null for what a person asks. */
  readonly from: string | null
}

/** What came of it, as JSON. */
type Answer =
  | { readonly ok: true; readonly [more: string]: unknown }
  | { readonly ok: false; readonly code?: string; readonly error: string }

/** It is done, or cannot be; or it may be possible later. */
export type Outcome = { readonly answer: Answer } | { readonly wait: string; readonly topic: string | null }

export interface RequestsDeps {
  readonly bridge: string
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly query: Query
  readonly db: Database
  /** Whether all that was committed so far is in PostgreSQL, and nobody else can hold the lease. */
  isShared(): Promise<boolean>
  /**
   * Does it, in the transaction that it is called in.
   * @param isHeldUp whether something before it that is about the same waits
   * @throws MonitorError for what cannot be done
   */
  carryOut(request: Request, isHeldUp: (topic: string) => boolean): Outcome
  /** Writes down what could not be done within its time, in the transaction that it is called in. @returns its answer */
  giveUp(request: Request, why: string): Answer
  /** After each commit that did something. */
  onDone(): void
  /** From then on the ledger may be closed. */
  readonly signal: AbortSignal
}

export interface Requests {
  /** One look: reads what is open, carries it out, and answers what is in PostgreSQL. @returns how long to wait, ms */
  look(): Promise<number>
  /** Done by other means, in the transaction that it is called in: `saved` once that is committed. */
  noteDone(id: number, answer: Answer): { saved(): void }
}

const lookMs = 1_000
/** What cannot be done yet is tried again so often, and for so long. */
const retryMs = 5_000
/** What nothing else waits for is found by other means as well. */
const slowRetryMs = 60_000
const longestWaitMs = 3_600_000
const mostAtOnce = 100

/** A name in `meta`: what was done and is not answered, so that nobody does it twice. */
const metaName = 'requests'

interface Waiting {
  readonly topic: string | null
  readonly untilMs: number
}

interface State extends RequestsDeps {
  /** As in the ledger: by id, what was done and not answered yet. */
  readonly done: Map<number, Answer>
  readonly waiting: Map<number, Waiting>
}

export function createRequests(deps: RequestsDeps): Requests {
  const state: State = { ...deps, done: readDone(deps.db), waiting: new Map() }
  return {
    look: () => look(state),
    noteDone: (id, answer) => noteDone(state, id, answer),
  }
}

/** Looks about each second until it is stopped. */
export async function runRequests(
  { clock, log }: Pick<RequestsDeps, 'clock' | 'log'>,
  look: () => Promise<number>,
  signal: AbortSignal,
): Promise<void> {
  let hasFailed = false
  while (!signal.aborted) {
    let waitMs = lookMs
    try {
      waitMs = await look()
      hasFailed = false
    } catch (error) {
      if (!hasFailed) log.warn({ err: error }, `what is asked of this node is left: ${errorText(error)}`)
      hasFailed = true
    }
    await clock.sleep(waitMs, signal)
  }
}

async function look(state: State): Promise<number> {
  if (state.done.size > 0 && (await state.isShared())) await answer(state)
  const open = await listOpen(state)
  if (open.length === 0 || !(await state.isShared()) || state.signal.aborted) return lookMs
  for (const one of open) carryOutOne(state, one)
  if (state.done.size > 0 && (await state.isShared())) await answer(state)
  return open.length === mostAtOnce ? 0 : lookMs
}

interface OpenRow {
  readonly id: string
  readonly what: string
  readonly body: unknown
  readonly actor: unknown
  readonly from_node: string | null
  readonly age_ms: number
}

interface Open extends Request {
  readonly ageMs: number
}

const readActor = z
  .object({
    by: z.string(),
    from: z.object({
      via: z.enum(['cli', 'page', 'api', 'slack']),
      address: z.string().nullable(),
      role: z.string().nullable(),
      session: z.string().nullable(),
    }),
  })
  .catch({ by: '', from: { via: 'api', address: null, role: null, session: null } })

async function listOpen({ query, bridge, done, waiting, clock }: State): Promise<Open[]> {
  const now = clock.monotonicMs()
  const later = [...waiting].filter(([, { untilMs }]) => untilMs > now).map(([id]) => id)
  const rows = await query<OpenRow>(
    `SELECT id, what, body, actor, from_node,
       (extract(epoch FROM clock_timestamp() - at) * 1000)::float8 AS age_ms
     FROM spanwatch.requests WHERE bridge = $1 AND answered_at IS NULL AND id <> ALL ($2::bigint[])
     ORDER BY id LIMIT ${mostAtOnce}`,
    [bridge, [...done.keys(), ...later]],
  )
  return rows.map(({ id, actor, from_node: from, age_ms: ageMs, what, body }) => ({
    id: Number(id),
    what,
    body,
    actor: readActor.parse(actor),
    from,
    ageMs,
  }))
}

/** One that fails holds nothing else up. */
function carryOutOne(state: State, request: Open): void {
  try {
    carryOut(state, request)
  } catch (error) {
    state.log.error({ err: error, request: request.id }, `what was asked failed: ${errorText(error)}`)
    if (request.ageMs >= longestWaitMs && giveUpFailed(state, request, errorText(error))) return
    state.waiting.set(request.id, { topic: null, untilMs: state.clock.monotonicMs() + retryMs })
  }
}

/**
 * What still fails after all that time is asked no more: its answer says why, and what another node did is written down as
 * far as that does not fail as well. @returns whether that is noted
 */
function giveUpFailed(state: State, request: Open, why: string): boolean {
  const plain = () => ({ ok: false as const, code: 'internal', error: why })
  const ways = request.from === null ? [plain] : [() => state.giveUp(request, why), plain]
  return ways.some((toAnswer) => {
    try {
      state.db.transaction(() => noteDone(state, request.id, toAnswer())).saved()
      return true
    } catch (error) {
      state.log.error({ err: error, request: request.id }, `it could not be given up: ${errorText(error)}`)
      return false
    }
  })
}

function carryOut(state: State, request: Open): void {
  const { db, log, waiting } = state
  const { id, ageMs } = request
  const isHeldUp = (topic: string) => [...waiting].some(([other, one]) => other < id && one.topic === topic)
  // What was done meanwhile by other means.
  if (state.done.has(id)) return
  const saved = db.transaction(() => {
    const outcome = tryIt(() => state.carryOut(request, isHeldUp))
    if ('answer' in outcome) return noteDone(state, id, outcome.answer)
    if (ageMs >= longestWaitMs) return noteDone(state, id, state.giveUp(request, outcome.wait))
    const waitMs = outcome.topic === null ? slowRetryMs : retryMs
    waiting.set(id, { topic: outcome.topic, untilMs: state.clock.monotonicMs() + waitMs })
    return null
  })
  if (saved === null) return
  saved.saved()
  const { what, from } = request
  log.info({ request: id, what, from, answer: state.done.get(id) }, 'what was asked of this node')
  state.onDone()
}

/** What operations refuse, they refuse before they write. */
function tryIt(work: () => Outcome): Outcome {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof MonitorError) || (error.code !== 'usage' && error.code !== 'not_found'))
      throw error
    return { answer: { ok: false, code: error.code, error: error.message } }
  }
}

/** In the same commit as what was done, so that neither a crash nor whoever takes over does it again. */
function noteDone(state: State, id: number, given: Answer): { saved(): void } {
  saveMeta(state.db, metaName, JSON.stringify([...state.done, [id, given]]))
  return {
    saved() {
      state.done.set(id, given)
      state.waiting.delete(id)
    },
  }
}

const doneList = z.array(
  z.tuple([
    z.int(),
    z.union([
      z.looseObject({ ok: z.literal(true) }),
      z.looseObject({ ok: z.literal(false), error: z.string() }),
    ]),
  ]),
)

function readDone(db: Database): Map<number, Answer> {
  const text = readMeta(db, metaName)
  return new Map(text === null ? [] : doneList.parse(parseJson(text)))
}

async function answer({ query, bridge, done }: State): Promise<void> {
  const answers = [...done]
  await query(
    `UPDATE spanwatch.requests r SET answered_at = clock_timestamp(), answer = a.answer::jsonb
     FROM unnest($2::bigint[], $3::text[]) AS a (id, answer)
     WHERE r.id = a.id AND r.bridge = $1 AND r.answered_at IS NULL`,
    [bridge, answers.map(([id]) => id), answers.map(([, given]) => JSON.stringify(given))],
  )
  await query(
    "DELETE FROM spanwatch.requests WHERE bridge = $1 AND answered_at < clock_timestamp() - interval '30 days'",
    [bridge],
  )
  // In the ledger they stand until the next one is done: answered twice is answered once.
  for (const [id] of answers) done.delete(id)
}
