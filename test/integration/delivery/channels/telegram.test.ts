import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTelegramChannel, type TelegramConfig } from '../../../../src/delivery/channels/telegram.ts'
import type { Channel } from '../../../../src/delivery/channels/message.ts'
import { Secret } from '../../../../src/lib/secret.ts'
import type { ChannelServer } from '../../../support/channelServer.ts'
import { botToken, chatId, startFakeTelegram, telegramError } from '../../../support/fakeTelegram.ts'
import { toCase, toItem, toMessage } from '../../../unit/delivery/messages.ts'

const plain = { signal: new AbortController().signal, degraded: false, recipients: null }

let telegram: ChannelServer
let channel: Channel
const create = (overrides: Partial<TelegramConfig> = {}) =>
  createTelegramChannel(
    { clock: { now: () => 0 } },
    {
      name: 'ops',
      type: 'telegram',
      botToken: new Secret(botToken),
      chatId,
      url: new Secret(telegram.url),
      ...overrides,
    },
  )
beforeEach(async () => {
  telegram = await startFakeTelegram()
  channel = create()
})
afterEach(async () => {
  await channel.close()
  await telegram.close()
})

const bodies = () => telegram.posted.map(({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>)

test('what follows of a case replies to its first message', async () => {
  expect(await channel.deliver(toMessage({ case: toCase() }), plain)).toEqual({
    result: 'ack',
    thread: `101 ${chatId}`,
  })
  const later = toMessage({ items: [toItem({ status: 'resolved' })], case: toCase() })
  expect(await channel.deliver(later, { ...plain, thread: `101 ${chatId}` })).toEqual({ result: 'ack' })
  expect(bodies().map((body) => body['reply_parameters'])).toEqual([
    undefined,
    { message_id: 101, allow_sending_without_reply: true },
  ])
})

test('a case that was told in another chat begins anew, as a message of that number is another one here', async () => {
  const message = toMessage({ case: toCase() })
  const answer = await channel.deliver(message, { ...plain, thread: '17 -1009876543210' })
  expect(answer).toEqual({ result: 'ack', thread: `101 ${chatId}` })
  await channel.deliver(message, { ...plain, thread: '17 -1009876543210' })
  expect(bodies().map((body) => body['reply_parameters'])).toEqual([
    undefined,
    { message_id: 101, allow_sending_without_reply: true },
  ])
})

test('two messages of one case at the same time are one thread', async () => {
  const message = toMessage({ case: toCase() })
  await Promise.all([channel.deliver(message, plain), channel.deliver(message, plain)])
  expect(bodies().map((body) => body['reply_parameters'])).toEqual([
    undefined,
    { message_id: 101, allow_sending_without_reply: true },
  ])
})

test('no address is looked at, and a topic is named', async () => {
  await channel.close()
  channel = create({ messageThreadId: 7 })
  await channel.deliver(toMessage(), plain)
  expect(bodies()[0]).toMatchObject({
    chat_id: chatId,
    message_thread_id: 7,
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
  })
})

test('the plain form is neither read as HTML nor a reply', async () => {
  await channel.deliver(toMessage({ case: toCase() }), { ...plain, degraded: true, thread: '101' })
  expect(Object.keys(bodies()[0] ?? {})).toEqual(['chat_id', 'link_preview_options', 'text'])
})

test.each([
  [5, 5_000],
  [3_600, 900_000],
  [0, 1_000],
])('a wait of %i seconds is %i ms', async (retry_after, retryAfterMs) => {
  telegram.respond(telegramError(429, `Too Many Requests: retry after ${retry_after}`, { retry_after }))
  expect(await channel.deliver(toMessage(), plain)).toMatchObject({ result: 'throttled', retryAfterMs })
})

test.each([
  [400, 'Bad Request: chat not found', 'dead', 'it does not know this chat'],
  [400, 'Bad Request: group is deactivated', 'dead', 'the chat is gone'],
  [400, 'Bad Request: not enough rights to send text messages to the chat', 'dead', 'may not write there'],
  [400, 'Bad Request: need administrator rights in the channel chat', 'dead', 'may not write there'],
  [400, 'Bad Request: message thread not found', 'dead', 'the topic is gone or closed'],
  [400, 'Bad Request: TOPIC_CLOSED', 'dead', 'the topic is gone or closed'],
  [400, "Bad Request: can't parse entities: unsupported start tag", 'bad_message', 'answered 400'],
  [400, 'Bad Request: message is too long', 'bad_message', 'answered 400'],
  [400, 'Bad Request: message text is empty', 'bad_message', 'answered 400'],
  [401, 'Unauthorized', 'dead', 'answered 401'],
  [403, 'Forbidden: bot was blocked by the user', 'dead', 'answered 403'],
  [403, 'Forbidden: bot was kicked from the supergroup chat', 'dead', 'answered 403'],
  [404, 'Not Found', 'dead', 'answered 404'],
  [500, 'Internal Server Error', 'transient', 'answered 500'],
])('HTTP %i with "%s" means %s', async (status, description, result, reason) => {
  telegram.respond(telegramError(status, description))
  const answer = await channel.deliver(toMessage(), plain)
  expect(answer).toMatchObject({ result, reason: expect.stringContaining(reason) })
})

test('a group that became another one is named', async () => {
  const moved = { migrate_to_chat_id: -1_009_876_543_210 }
  telegram.respond(telegramError(400, 'Bad Request: group chat was upgraded to a supergroup chat', moved))
  expect(await channel.deliver(toMessage(), plain)).toMatchObject({
    result: 'dead',
    reason: expect.stringContaining('chatId is -1009876543210 now'),
  })
})

test('an answer that is no success is none, whatever its status', async () => {
  telegram.respond({ status: 200, body: '{"ok":false,"description":"x"}' })
  expect((await channel.deliver(toMessage(), plain)).result).toBe('suspicious')
})

test.each([
  [{ botToken: new Secret('averysecret/../path') }, 'botToken is not one as @BotFather gives it'],
  [{ chatId: 'ops room' }, 'chatId is neither a number'],
])('a setting that cannot be right is refused, and no token is said', (overrides, says) => {
  const refused = () => create(overrides)
  expect(refused).toThrow(says)
  expect(refused).not.toThrow('averysecret')
})
