import { isObject } from '../../lib/isObject.ts'
/** What Slack answers when it does not like a message. */
export interface SlackRefusal {
  readonly status: number
  readonly body: string
}

interface TextRule {
  readonly max: number
  readonly types: readonly string[]
}

type Json = Readonly<Record<string, unknown>>

const anyText = ['plain_text', 'mrkdwn']
const maxBlocks = 50
const maxTotal = 13_200
const maxFallback = 40_000

/** Checks a request's body as Slack's incoming webhooks do, with the error words they answer; null when it is fine. */
export function checkSlackPayload(text: string): SlackRefusal | null {
  const payload = parseObject(text)
  if (payload === null) return refuse('invalid_payload')
  const blocks = payload['blocks'] ?? []
  const fallback = payload['text'] ?? ''
  if (typeof fallback !== 'string') return refuse('invalid_payload')
  if (!Array.isArray(blocks)) return refuse('invalid_blocks')
  if (blocks.length === 0 && fallback.trim() === '' && payload['attachments'] === undefined)
    return refuse('no_text')
  if (fallback.length > maxFallback) return refuse('msg_too_long')
  if (blocks.length > maxBlocks || !blocks.every(isValidBlock)) return refuse('invalid_blocks')
  if (textLength(blocks) > maxTotal) return refuse('msg_blocks_too_long')
  return null
}

function refuse(body: string): SlackRefusal {
  return { status: 400, body }
}

function parseObject(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function isValidBlock(block: unknown): boolean {
  if (!isObject(block)) return false
  switch (block['type']) {
    case 'header':
      return isText(block['text'], { max: 150, types: ['plain_text'] })
    case 'section':
      return isValidSection(block)
    case 'context':
      return isList(block['elements'], 10, { max: 2_000, types: anyText })
    case 'divider':
      return true
    default:
      return false
  }
}

function isValidSection(block: Json): boolean {
  const { text, fields } = block
  if (text === undefined && fields === undefined) return false
  if (text !== undefined && !isText(text, { max: 3_000, types: anyText })) return false
  return fields === undefined || isList(fields, 10, { max: 2_000, types: anyText })
}

function isList(list: unknown, max: number, rule: TextRule): boolean {
  return (
    Array.isArray(list) && list.length >= 1 && list.length <= max && list.every((text) => isText(text, rule))
  )
}

function isText(value: unknown, rule: TextRule): boolean {
  if (!isObject(value) || typeof value['text'] !== 'string' || !rule.types.includes(String(value['type'])))
    return false
  const allowed = value['type'] === 'mrkdwn' ? ['type', 'text', 'verbatim'] : ['type', 'text', 'emoji']
  const length = value['text'].length
  return length >= 1 && length <= rule.max && Object.keys(value).every((key) => allowed.includes(key))
}

function textLength(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + textLength(one), 0)
  if (!isObject(value)) return 0
  const own = typeof value['text'] === 'string' ? value['text'].length : textLength(value['text'])
  return own + textLength(value['fields']) + textLength(value['elements'])
}
