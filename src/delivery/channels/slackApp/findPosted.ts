import type { UnixMs } from '../../../lib/clock.ts'
import { isObject } from '../../../lib/isObject.ts'
import type { Failure, SlackAnswer } from './answers.ts'
import type { SlackApi } from './api.ts'
import { isTimeStamp, type Thread } from './threads.ts'

/** What is looked for: this message, or the first message of its case. */
export interface Wanted {
  readonly messageId: string
  readonly caseId: string | null
  /** The channel's id, and the thread where the message would be. */
  readonly channel: string
  readonly thread: Thread | null
  /** No message was posted before. */
  readonly since: UnixMs
  /** How far back at most, in pages. */
  readonly pages: number
}

export type Looked =
  | { readonly found: 'message'; readonly ts: string; readonly isPlain: boolean }
  | { readonly found: 'root'; readonly ts: string; readonly isPlain: boolean }
  | { readonly found: 'nothing' }
  /** Reading is not permitted: nobody can know. */
  | { readonly found: 'unreadable' }
  /** It could not be looked up now. */
  | { readonly found: 'unknown'; readonly failure: Failure }

type Json = Readonly<Record<string, unknown>>

/** What every message of ours carries, invisible to people. */
const eventType = 'spanwatch_message'

export function metadataOf(messageId: string, caseId: string | null) {
  return {
    event_type: eventType,
    event_payload: { message_id: messageId, ...(caseId && { case_id: caseId }) },
  }
}

const pageSize = 50
/** Slack's clock and ours may differ. */
const clockDifferenceMs = 120_000

/**
 * Looks for a message that may have been posted by an earlier attempt, or a process that ended: in its thread, or in
 * the channel. Only what this app posted itself counts.
 */
export function createFinder(api: SlackApi): (wanted: Wanted, signal: AbortSignal) => Promise<Looked> {
  let botId: unknown = null
  return async (wanted, signal) => {
    if (botId === null) {
      const self = await api.call({ method: 'auth.test', args: {}, signal })
      if (!self.ok) return unknown(self)
      botId = self.body['bot_id']
    }
    return find(api, { ...wanted, botId }, signal)
  }
}

async function find(
  api: SlackApi,
  { botId, ...wanted }: Wanted & { readonly botId: unknown },
  signal: AbortSignal,
): Promise<Looked> {
  let cursor = ''
  for (let page = 0; page < wanted.pages; page += 1) {
    const answer = await api.call({ ...toCall(wanted, cursor), signal })
    if (!answer.ok) return unknown(answer)
    const messages = readMessages(answer.body).filter((message) => message['bot_id'] === botId)
    const looked = judge(messages, wanted)
    if (looked) return looked
    cursor = nextCursor(answer.body)
    if (cursor === '') break
  }
  return { found: 'nothing' }
}

function toCall({ channel, thread, since }: Wanted, cursor: string) {
  const oldest = ((since - clockDifferenceMs) / 1_000).toFixed(6)
  const args = { channel, oldest, include_all_metadata: true, limit: pageSize, ...(cursor && { cursor }) }
  return thread === null
    ? { method: 'conversations.history', args }
    : { method: 'conversations.replies', args: { ...args, ts: thread.ts } }
}

function judge(messages: readonly Json[], wanted: Wanted): Looked | null {
  const message = messages.find((one) => isMessage(one, wanted.messageId))
  if (message && isTimeStamp(message['ts']))
    return { found: 'message', ts: message['ts'], isPlain: isPlain(message) }
  if (wanted.thread !== null || wanted.caseId === null) return null
  const root = messages.find((one) => isRootOf(one, wanted.caseId))
  if (root && isTimeStamp(root['ts'])) return { found: 'root', ts: root['ts'], isPlain: isPlain(root) }
  return null
}

/** By what it carries, else by the name in its last line: metadata may be withheld. */
function isMessage(message: Json, id: string): boolean {
  const payload = payloadOf(message)
  if (payload !== null) return payload['message_id'] === id
  const text = JSON.stringify([message['text'], message['blocks']])
  return new RegExp(`message #${id.replace(/\W/g, '')}\\b`).test(text)
}

/** A reply that is shown in the channel as well belongs to a thread: it is none. */
function isRootOf(message: Json, caseId: string | null): boolean {
  const threadTs = message['thread_ts']
  if (threadTs !== undefined && threadTs !== message['ts']) return false
  return payloadOf(message)?.['case_id'] === caseId
}

function payloadOf({ metadata }: Json): Json | null {
  if (!isObject(metadata) || metadata['event_type'] !== eventType) return null
  return isObject(metadata['event_payload']) ? metadata['event_payload'] : null
}

function isPlain({ blocks }: Json): boolean {
  return (
    !Array.isArray(blocks) || !blocks.some((block) => isObject(block) && block['block_id'] === 'case-title')
  )
}

export function readMessages({ messages }: Json): Json[] {
  return Array.isArray(messages) ? messages.filter(isObject) : []
}

function nextCursor({ response_metadata }: Json): string {
  const next = isObject(response_metadata) ? response_metadata['next_cursor'] : ''
  return typeof next === 'string' ? next : ''
}

const unreadableWords = new Set([
  'channel_not_found',
  'method_not_supported_for_channel_type',
  'missing_scope',
  'no_permission',
  'not_in_channel',
  'thread_not_found',
])

function unknown(answer: SlackAnswer & { ok: false }): Looked {
  if (unreadableWords.has(answer.error ?? '')) return { found: 'unreadable' }
  return { found: 'unknown', failure: answer.failure }
}
