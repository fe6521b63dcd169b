import { isObject } from '../../src/lib/isObject.ts'
import { type ChannelAnswer, type ChannelServer, startChannelServer } from './channelServer.ts'

export const discordPath = '/api/webhooks/1234567890/averysecrettoken'

/** A Discord webhook with the limits that it documents, counted in code points. */
export function startFakeDiscord(): Promise<ChannelServer> {
  return startChannelServer(({ path, body }) => {
    const url = new URL(path, 'http://localhost')
    if (url.pathname !== discordPath) return json(404, { message: 'Unknown Webhook', code: 10_015 })
    const message: unknown = JSON.parse(body)
    const problem = isObject(message) ? findProblem(message) : 'not an object'
    if (problem !== null) return json(400, { code: 50_035, message: 'Invalid Form Body', errors: problem })
    return url.searchParams.get('wait') === 'true' ? json(200, { id: '111', type: 0 }) : { status: 204 }
  })
}

export function json(status: number, body: object): ChannelAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function findProblem(message: Readonly<Record<string, unknown>>): string | null {
  const embeds = Array.isArray(message['embeds']) ? message['embeds'].filter(isObject) : []
  const mentions = message['allowed_mentions']
  if (!isObject(mentions) || JSON.stringify(mentions['parse']) !== '[]') return 'mentions'
  if (!isWithin(message['content'], 0, 2_000)) return 'content'
  if (message['content'] === '' && embeds.length === 0) return 'empty'
  if (embeds.length > 10) return 'embeds'
  let total = 0
  for (const embed of embeds) {
    const footer = isObject(embed['footer']) ? embed['footer']['text'] : ''
    const fields = Array.isArray(embed['fields']) ? embed['fields'].filter(isObject) : []
    if (!isWithin(embed['description'] ?? '', 0, 4_096)) return 'description'
    if (!isWithin(footer, 0, 2_048)) return 'footer'
    if (fields.length > 25) return 'fields'
    for (const { name, value } of fields) {
      if (!isWithin(name, 1, 256) || !isWithin(value, 1, 1_024)) return 'field'
    }
    total += [embed['description'] ?? '', footer, ...fields.flatMap(({ name, value }) => [name, value])]
      .map(lengthOf)
      .reduce((sum, length) => sum + length, 0)
  }
  return total > 6_000 ? 'total' : null
}

function isWithin(value: unknown, least: number, most: number): boolean {
  if (typeof value !== 'string') return false
  return lengthOf(value.trim()) >= least && lengthOf(value) <= most
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? Array.from(value).length : 0
}
