import {
  type Channel,
  type DeliveryOptions,
  type DeliveryResult,
  type Message,
  type MessageCase,
  moot,
} from '../message.ts'
import { renderSlack, renderSlackPlain, type SlackPayload } from '../renderSlack.ts'
import { isLostThread, type Failure, type SlackAnswer } from './answers.ts'
import { type Looked, metadataOf } from './findPosted.ts'
import { type App, closeApp, openApp, type SlackAppConfig, type SlackAppDeps } from './openApp.ts'
import { renderCasePlain, renderReply, renderRoot } from './renderCase.ts'
import { hears } from './roots.ts'
import { formatThread, isChannelId, isTimeStamp, type Thread } from './threads.ts'

/** After so many attempts a message is posted although nobody knows whether it is there. */
const mostLookups = 4
const mostPages = 6

/**
 * A Slack app: each case has one thread, whose first message always shows how the case stands. What is acknowledged is
 * a message that was posted; edits of the first one follow, and may fail.
 */
export function createSlackAppChannel(deps: SlackAppDeps, config: SlackAppConfig): Channel {
  const app = openApp(deps, config)
  let closing: Promise<void> | null = null
  return {
    name: config.name,
    type: 'slack-app',
    followsCases: true,
    deliver: (message, options) => deliver(app, message, options),
    ...(app.ear && {
      listen: (actions) => app.ear?.listen(actions),
      listening: () => app.ear?.status() ?? null,
    }),
    close: () => (closing ??= closeApp(app)),
  }
}

async function deliver(app: App, message: Message, options: DeliveryOptions): Promise<DeliveryResult> {
  const of = message.case
  if (of === null) return deliverPlain(app, message, options)
  const replyTo = async (thread: Thread | null) =>
    thread === null ? null : reply(app, { message, of, thread }, options)
  const find = () => app.threads.find(of.id, options.thread)
  const replied = await replyTo(find())
  if (replied !== null) return replied
  if (isMereEnd(message)) return moot
  // Another message of the same case may make the thread meanwhile.
  return app.threads.alone(
    of.id,
    async () => (await replyTo(find())) ?? (await openThread(app, { message, of }, options)),
  )
}

/** That is told in the thread of a case alone: what was told among many others has none. */
function isMereEnd({ total, changes }: Message): boolean {
  const isOver = changes.length > 0 && changes.every((change) => change === 'closed' || change === 'merged')
  return total === 0 && isOver
}

/** A message of no case, or of many: a post of its own. */
async function deliverPlain(app: App, message: Message, options: DeliveryOptions): Promise<DeliveryResult> {
  if (message.attempt > 1) {
    const looked = await look(app, { message, of: null, thread: null }, options.signal)
    if (looked.found === 'message') return { result: 'ack' }
    if (isLater(looked, message)) return laterThan(looked.failure)
  }
  const payload = options.degraded ? renderSlackPlain(message) : renderSlack(message)
  const answer = await post(app, { message, payload, thread: null, isBroadcast: false }, options)
  return readPosted(app, answer).result
}

interface OfCase {
  readonly message: Message
  readonly of: MessageCase
}

/** The first message of a case, unless it is there already: only an earlier attempt or process can have posted it. */
async function openThread(app: App, told: OfCase, options: DeliveryOptions): Promise<DeliveryResult> {
  const { message, of } = told
  if (message.attempt > 1 || of.openedAt <= app.startedAt) {
    const looked = await look(app, { ...told, thread: null }, options.signal)
    if (looked.found === 'message') return taken(app, { of, thread: looked.thread })
    const replied =
      looked.found === 'root' ? await reply(app, { ...told, thread: looked.thread }, options) : null
    if (replied !== null) return replied
    if (message.attempt > 1 && isLater(looked, message)) return laterThan(looked.failure)
  }
  return postRoot(app, told, options)
}

async function postRoot(
  app: App,
  { message, of }: OfCase,
  options: DeliveryOptions,
): Promise<DeliveryResult> {
  const { payload, parts } = renderRoot(message, of, { hasButtons: hears(app.ear) })
  const sent = options.degraded ? renderCasePlain(message, of) : payload
  const answer = await post(app, { message, payload: sent, thread: null, isBroadcast: false }, options)
  const { result, posted } = readPosted(app, answer)
  if (posted === null) return result
  const thread: Thread = { ...posted, isPlain: options.degraded }
  app.threads.remember(of.id, thread)
  app.roots.remember(thread, parts)
  return { result: 'ack', thread: formatThread(thread, app.channel) }
}

interface Reply extends OfCase {
  readonly thread: Thread
}

/** What follows the first message of a case; null where that is gone, or nobody may reply to it. */
async function reply(
  app: App,
  { message, of, thread }: Reply,
  options: DeliveryOptions,
): Promise<DeliveryResult | null> {
  if (message.attempt > 1) {
    const looked = await look(app, { message, of, thread }, options.signal)
    if (looked.found === 'message') return taken(app, { of, thread })
    if (isLater(looked, message)) return laterThan(looked.failure)
  }
  const payload = options.degraded ? renderCasePlain(message, of) : renderReply(message, of)
  const answer = await post(
    app,
    { message, payload, thread, isBroadcast: isForAll({ message, of }) },
    options,
  )
  if (isLostThread(answer)) {
    app.threads.forget(of.id, thread)
    return null
  }
  const { result } = readPosted(app, answer)
  return result.result === 'ack' ? taken(app, { of, thread }) : result
}

/** The message is there: now the first one may be edited. */
function taken(app: App, { of, thread }: Omit<Reply, 'message'>): DeliveryResult {
  app.threads.remember(of.id, thread)
  app.roots.refresh(thread, of)
  return { result: 'ack', thread: formatThread(thread, app.channel) }
}

/** What those who do not follow the thread have to see. */
function isForAll({ message, of }: OfCase): boolean {
  if (message.changes.includes('opened again')) return true
  return message.items.some(({ severity, status }) => {
    if (severity !== 'critical') return false
    // A reminder is for somebody only while nobody has taken the case.
    if (status === 'repeat') return of.state === 'open'
    return status === 'event' || status === 'firing' || status === 'ended' || status === 'correction'
  })
}

type LookedAt =
  | { readonly found: 'message' | 'root'; readonly thread: Thread }
  | Exclude<Looked, { found: 'message' | 'root' }>

/** Whether a message is there already. By its name a channel cannot be read: its id is known once something was posted. */
async function look(
  app: App,
  {
    message,
    of,
    thread,
  }: { readonly message: Message; readonly of: MessageCase | null; readonly thread: Thread | null },
  signal: AbortSignal,
): Promise<LookedAt> {
  const channel = thread?.channel ?? app.channelId
  if (channel === null) return { found: 'unreadable' }
  const since = Math.min(message.createdAt, of?.openedAt ?? message.createdAt)
  // Without an attempt before, only a process that ended just now can have posted it: among the newest.
  const pages = message.attempt > 1 ? mostPages : 1
  const wanted = { messageId: message.id, caseId: of?.id ?? null, channel, thread, since, pages }
  const looked = await app.find(wanted, signal)
  if (looked.found !== 'message' && looked.found !== 'root') return looked
  return { found: looked.found, thread: { channel, ts: looked.ts, isPlain: looked.isPlain } }
}

/** After some attempts it is posted all the same: a message twice is better than none. */
function isLater(looked: LookedAt, { attempt }: Message): looked is LookedAt & { found: 'unknown' } {
  return looked.found === 'unknown' && (attempt <= mostLookups || looked.failure.result === 'dead')
}

function laterThan(failure: Failure): DeliveryResult {
  if (failure.result === 'dead') return failure
  return {
    result: 'transient',
    reason: `whether it arrived before could not be looked up: ${failure.reason}`,
  }
}

interface Post {
  readonly message: Message
  readonly payload: SlackPayload
  readonly thread: Thread | null
  readonly isBroadcast: boolean
}

function post(
  app: App,
  { message, payload, thread, isBroadcast }: Post,
  { degraded, signal }: DeliveryOptions,
): Promise<SlackAnswer> {
  const args = {
    channel: thread?.channel ?? app.channel,
    ...payload,
    ...(thread && { thread_ts: thread.ts, ...(isBroadcast && { reply_broadcast: true }) }),
    // What Slack refused may have been the metadata.
    ...(!degraded && { metadata: metadataOf(message.id, message.case?.id ?? null) }),
  }
  return app.api.call({ method: 'chat.postMessage', args, signal })
}

function readPosted(
  app: App,
  answer: SlackAnswer,
): {
  readonly result: DeliveryResult
  readonly posted: { readonly channel: string; readonly ts: string } | null
} {
  if (!answer.ok) return { result: answer.failure, posted: null }
  const { channel, ts } = answer.body
  if (typeof channel !== 'string' || !isChannelId(channel) || !isTimeStamp(ts)) {
    const reason = 'Slack took the message, but did not say where it is'
    return { result: { result: 'suspicious', reason }, posted: null }
  }
  app.channelId ??= channel
  return { result: { result: 'ack' }, posted: { channel, ts } }
}
