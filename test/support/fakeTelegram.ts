import { isObject } from '../../src/lib/isObject.ts'
import { type ChannelServer, startChannelServer } from './channelServer.ts'
import { json } from './fakeDiscord.ts'

export const botToken = '123456:averysecret_bot-token'
export const chatId = '-1001234567890'

/** The Bot API's sendMessage with its limits; its HTML is read as Telegram reads it. */
export async function startFakeTelegram(): Promise<ChannelServer> {
  let messages = 100
  return startChannelServer(({ path, body }) => {
    if (!path.endsWith(`/bot${botToken}/sendMessage`)) return telegramError(401, 'Unauthorized')
    const sent: unknown = JSON.parse(body)
    if (!isObject(sent) || sent['chat_id'] !== chatId)
      return telegramError(400, 'Bad Request: chat not found')
    const raw = typeof sent['text'] === 'string' ? sent['text'] : ''
    const read = sent['parse_mode'] === 'HTML' ? readHtml(raw) : { text: raw, tags: 0 }
    if (typeof read === 'string') return telegramError(400, `Bad Request: can't parse entities: ${read}`)
    if (read.text.trim() === '') return telegramError(400, 'Bad Request: message text is empty')
    if (read.text.length > 4_096 || read.tags > 100)
      return telegramError(400, 'Bad Request: message is too long')
    messages += 1
    return json(200, { ok: true, result: { message_id: messages, text: read.text } })
  })
}

export function telegramError(error_code: number, description: string, parameters?: object) {
  return json(error_code, { ok: false, error_code, description, ...(parameters && { parameters }) })
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }

/** The text of Telegram's HTML; what is wrong with it where it is none. */
export function readHtml(html: string): { readonly text: string; readonly tags: number } | string {
  const open: string[] = []
  let tags = 0
  let text = ''
  const pieces = /<(\/?)([a-z]+)(?: href="([^"<>]*)")?>|&(\w+);|([^<&]+)|([^])/g
  for (const [, slash, tag, , entity, plain, odd] of html.matchAll(pieces)) {
    if (odd !== undefined) return `unexpected ${odd}`
    if (plain !== undefined) text += plain
    if (entity !== undefined) {
      if (entities[entity] === undefined) return `unsupported entity ${entity}`
      text += entities[entity]
    }
    if (tag === undefined) continue
    if (!['b', 'a', 'code'].includes(tag)) return `unsupported start tag ${tag}`
    if (slash === '/' && open.pop() !== tag) return `unmatched end tag ${tag}`
    if (slash === '') tags += open.push(tag) > 0 ? 1 : 0
  }
  return open.length > 0 ? `can't find end tag of ${open.join()}` : { text, tags }
}
