import { z } from 'zod'
import type { Clock } from '../lib/clock.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import { sayIssues } from '../lib/schemaProblems.ts'
import type { App } from '../monitor/createMonitor.ts'
import type { Query } from '../replicas/connect.ts'
import { handed, topicOf } from '../replicas/handOver/handed.ts'
import { keepUntaken, takeOver } from '../replicas/handOver/takeOver.ts'
import { createWaiting, markTold, type Waiting } from '../replicas/handOver/told.ts'
import {
  createRequests,
  type Outcome,
  type Request,
  type Requests,
  runRequests,
} from '../replicas/requests.ts'
import { ackBody, caseBody, silenceBody } from '../web/actionBodies.ts'

interface Parts extends Pick<App['parts'], 'after' | 'alerts' | 'db'> {
  readonly operations: Omit<App['parts']['operations'], 'rewindCursors'>
}

export interface AnswerDeps {
  readonly bridge: string
  readonly clock: Pick<Clock, 'now' | 'monotonicMs' | 'sleep'>
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly query: Query
  readonly parts: Parts
  /** As `RequestsDeps.isShared`. */
  readonly isShared: () => Promise<boolean>
}

/** Does what people and other nodes ask of the holder through PostgreSQL, until it is stopped. */
export async function answerRequests(deps: AnswerDeps, signal: AbortSignal): Promise<void> {
  const { look, close } = openRequests(deps, signal)
  try {
    await runRequests(deps, look, signal)
  } finally {
    close()
  }
}

/** The same without its loop. */
export function openRequests(
  deps: AnswerDeps,
  signal: AbortSignal,
): {
  readonly look: () => Promise<number>
  readonly close: () => void
} {
  const { parts, clock, log } = deps
  const { after, alerts, db } = parts
  const waiting = createWaiting(alerts)
  const onDone = () => {
    for (const run of after) run()
  }
  const requests = createRequests({
    ...deps,
    db,
    signal,
    onDone,
    carryOut: (request, isHeldUp) =>
      request.what === 'handover'
        ? takeHanded(deps, waiting, { request, isHeldUp })
        : { answer: answerPerson(parts, request) },
    giveUp(request, why) {
      const { actor, from } = request
      const of = parse(handed, request.body)
      waiting.drop(request.id)
      // What was told there and never found here is no loss: nobody has to hear of it again.
      if (of.kind === 'told') return { ok: true, done: 'nothing like it was found here' }
      keepUntaken({ store: alerts }, { of, actor, from: from ?? '', now: clock.now(), why })
      log.warn(
        { request: request.id, from, kind: of.kind, why },
        'what another node did could not be taken over',
      )
      return { ok: false, error: why }
    },
  })
  const mark = () => {
    try {
      markWaiting(parts, { waiting, requests })
    } catch (error) {
      // It is tried again with the others.
      log.warn({ err: error }, `what another node told could not be marked: ${errorText(error)}`)
    }
  }
  after.add(mark)
  return { look: () => requests.look(), close: () => void after.delete(mark) }
}

/** What is queued by now and was told by another node, before it can leave. */
function markWaiting(
  { db, alerts }: Parts,
  { waiting, requests }: { readonly waiting: Waiting; readonly requests: Requests },
): void {
  for (const { id, told } of waiting.find()) {
    const saved = db.transaction(() => {
      const outcome = markTold(db, alerts, told)
      return outcome === 'not yet' ? null : requests.noteDone(id, { ok: true, done: outcome })
    })
    if (saved === null) continue
    saved.saved()
    waiting.drop(id)
  }
}

function takeHanded(
  { parts, clock }: AnswerDeps,
  waiting: Waiting,
  { request, isHeldUp }: { readonly request: Request; readonly isHeldUp: (topic: string) => boolean },
): Outcome {
  const of = parse(handed, request.body)
  const topic = topicOf(of)
  if (topic !== null && isHeldUp(topic)) return { wait: 'what was done before it waits', topic }
  const { db, alerts: store, operations } = parts
  const { actor, from } = request
  const taken = takeOver({ db, store, operations }, { of, actor, from: from ?? '', now: clock.now() })
  if ('done' in taken) {
    waiting.drop(request.id)
    return { answer: { ok: true, done: taken.done } }
  }
  if (of.kind === 'told') waiting.add(request.id, of)
  return { wait: taken.wait, topic }
}

/** As the API takes it, with what it is about; who asks is the actor. */
const ackRequest = caseBody.partial({ by: true }).extend({ id: z.string().max(200) })

/** By the same schemas and operations as page and command line. @throws MonitorError `usage`, `not_found` */
function answerPerson({ operations }: Parts, { what, body, actor }: Request): Answered {
  switch (what) {
    case 'ack': {
      const { id, text, turn } = parse(ackRequest, body)
      const { by } = parse(ackBody, { by: actor.by })
      if (!/^#?c\d/i.test(id) || isAlertId(id))
        return { ok: true, acked: operations.ackAlert(id, { ...actor, by }) }
      const done = operations.changeCase({ id, do: 'ack', text, turn }, { ...actor, by })
      return { ok: true, case: { id: `c${done.id}`, state: done.state } }
    }
    case 'silence': {
      const silence = operations.addSilence(parse(silenceBody, body), actor)
      return { ok: true, silence: { id: silence.id, endsAt: silence.endsAt } }
    }
    default:
      throw new MonitorError('usage', `This version knows no request ${JSON.stringify(what)}.`)
  }
}

type Answered = Extract<Outcome, { readonly answer: object }>['answer']

/** Their digits are hexadecimal and may begin with c: they are of eight at least where a program gives them. */
function isAlertId(id: string): boolean {
  return /^#?[0-9a-f]{8,64}$/.test(id)
}

function parse<T>(schema: z.ZodType<T>, given: unknown): T {
  const parsed = schema.safeParse(given)
  if (!parsed.success) throw new MonitorError('usage', sayIssues(schema, parsed.error.issues))
  return parsed.data
}
