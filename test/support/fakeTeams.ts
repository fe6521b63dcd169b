import { isObject } from '../../src/lib/isObject.ts'
import { type ChannelServer, startChannelServer } from './channelServer.ts'

export const workflowPath =
  '/workflows/0a0a/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=averysecretsignature'

/** A workflow's webhook, and behind it what Teams refuses of a card. */
export function startFakeTeams(): Promise<ChannelServer> {
  return startChannelServer(({ path, body }) => {
    if (!path.includes('sig=averysecretsignature')) {
      return { status: 401, body: '{"error":{"code":"DirectApiAuthorizationRequired","message":"…"}}' }
    }
    // Whichever way it counts.
    if (Buffer.byteLength(body) > 28 * 1_024 || body.length * 2 > 28 * 1_024) return { status: 413 }
    return isCard(JSON.parse(body)) ? { status: 202 } : { status: 400 }
  })
}

function isCard(message: unknown): boolean {
  const [attachment] =
    isObject(message) && Array.isArray(message['attachments']) ? message['attachments'] : []
  const card: unknown = isObject(attachment) ? attachment['content'] : null
  if (!isObject(card) || card['type'] !== 'AdaptiveCard' || !Array.isArray(card['body'])) return false
  const texts = card['body'].flatMap((block: unknown) =>
    isObject(block) && block['type'] === 'RichTextBlock' && Array.isArray(block['inlines'])
      ? block['inlines']
      : [null],
  )
  const isRun = (run: unknown) =>
    isObject(run) && run['type'] === 'TextRun' && typeof run['text'] === 'string'
  return texts.length > 0 && texts.every(isRun)
}
