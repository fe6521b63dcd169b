import { MonitorError } from '../../lib/errors.ts'
import { isObject } from '../../lib/isObject.ts'
import type { Secret } from '../../lib/secret.ts'
import { boundWait, describeBody, readJsonObject, type Refusal } from './classifyHttp.ts'
import { createThreads } from './createThreads.ts'
import type { Channel, DeliveryResult } from './message.ts'
import { parseChannelUrl } from './parseChannelUrl.ts'
import { type HttpChannelDeps, postJson } from './postJson.ts'
import { createPostDeps } from './postOnce.ts'
import { renderTelegram, renderTelegramPlain } from './renderTelegram.ts'

export interface TelegramConfig {
  readonly name: string
  readonly type: 'telegram'
  readonly botToken: Secret
  /** A number, negative for groups, or the `@name` of a public channel. */
  readonly chatId: string
  /** A topic of a group that has some. */
  readonly messageThreadId?: number
  /** Of another Bot API server. */
  readonly url: Secret
}

/** A Telegram bot: what follows of a case replies to its first message. */
export function createTelegramChannel(deps: HttpChannelDeps, config: TelegramConfig): Channel {
  const url = addressOf(config)
  const http = createPostDeps(deps)
  const { inThread } = createThreads()
  const chat = {
    chat_id: config.chatId,
    ...(config.messageThreadId !== undefined && { message_thread_id: config.messageThreadId }),
    link_preview_options: { is_disabled: true },
  }
  return {
    name: config.name,
    type: 'telegram',
    deliver: (message, options) =>
      inThread(message, options, async (before) => {
        const first = readThread(before, config.chatId)
        const text = options.degraded
          ? { text: renderTelegramPlain(message) }
          : {
              text: renderTelegram(message),
              parse_mode: 'HTML',
              // One that was deleted must not hold up what follows it.
              ...(first !== null && {
                reply_parameters: { message_id: first, allow_sending_without_reply: true },
              }),
            }
        const receiver = { ...deps, http, url, judgeSuccess, judgeRefusal }
        const result = await postJson(receiver, { ...chat, ...text }, options.signal)
        if (result.result !== 'ack' || result.thread === undefined) return result
        const isFirst = message.case !== null && first === null
        return isFirst ? { result: 'ack', thread: `${result.thread} ${config.chatId}` } : { result: 'ack' }
      }),
    close: () => http.close(),
  }
}

/** The first message of a case; null where it stands in another chat, whose numbers mean other messages here. */
function readThread(thread: string | null, chatId: string): number | null {
  // Before, the number alone was kept.
  const [number = '', chat = chatId] = thread?.split(' ') ?? []
  return chat === chatId && Number(number) > 0 ? Number(number) : null
}

/** @throws MonitorError `config.invalid`, without repeating the token */
function addressOf({ name, botToken, chatId, url }: TelegramConfig): URL {
  const token = botToken.reveal()
  if (!/^\d+:[\w-]+$/.test(token)) {
    throw new MonitorError(
      'config.invalid',
      `channel ${name}: botToken is not one as @BotFather gives it: a number, a colon, letters`,
    )
  }
  if (!/^(-?\d+|@\w+)$/.test(chatId)) {
    throw new MonitorError(
      'config.invalid',
      `channel ${name}: chatId is neither a number such as "-1001234567890" nor the "@name" of a channel`,
    )
  }
  const address = parseChannelUrl(name, url.reveal())
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/bot${token}/sendMessage`
  return address
}

function judgeSuccess(body: string, where: string): DeliveryResult {
  const said = readJsonObject(body)
  const sent = said?.['ok'] === true ? said['result'] : null
  const id = isObject(sent) ? sent['message_id'] : null
  if (typeof id !== 'number')
    return { result: 'suspicious', reason: `${where}${describeBody(body)}, not the message` }
  return { result: 'ack', thread: String(id) }
}

/** What it says with 400 that no message to this chat can help, in its words and in ours. */
const deadWords: readonly (readonly [RegExp, string])[] = [
  [/chat not found|PEER_ID_INVALID|CHAT_ID_INVALID/i, 'it does not know this chat, or the bot is not in it'],
  [/group is deactivated|CHANNEL_PRIVATE/i, 'the chat is gone'],
  [/rights|CHAT_WRITE_FORBIDDEN|CHAT_RESTRICTED|CHAT_ADMIN_REQUIRED/i, 'the bot may not write there'],
  [/thread not found|TOPIC_(CLOSED|DELETED)/i, 'the topic is gone or closed'],
]

function judgeRefusal({ status, body, reason }: Refusal): DeliveryResult | null {
  const said = readJsonObject(body)
  const parameters = isObject(said?.['parameters']) ? said['parameters'] : {}
  const seconds = parameters['retry_after']
  if (status === 429 && typeof seconds === 'number' && Number.isFinite(seconds)) {
    return { result: 'throttled', retryAfterMs: boundWait(Math.ceil(seconds * 1_000)), reason }
  }
  const moved = parameters['migrate_to_chat_id']
  if (typeof moved === 'number') {
    return { result: 'dead', reason: `${reason}: the group has become another one, chatId is ${moved} now` }
  }
  const description = typeof said?.['description'] === 'string' ? said['description'] : ''
  const dead = status === 400 ? deadWords.find(([words]) => words.test(description)) : undefined
  return dead === undefined ? null : { result: 'dead', reason: `${reason}: ${dead[1]}` }
}
