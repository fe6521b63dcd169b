import { isObject } from '../../lib/isObject.ts'
/**
 * What a person would read of a Slack message: block after block, one line each, entities decoded. For the demo's
 * output and for tests; formatting marks stay.
 */
export function readSlackText(payload: unknown): string {
  const blocks = isObject(payload) ? payload['blocks'] : undefined
  const lines = Array.isArray(blocks) && blocks.length > 0 ? textsOf(blocks) : textsOf([payload])
  return lines
    .join('\n')
    .replace(/<([^|>]+)\|([^>]+)>/g, '$2: $1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (!isObject(value)) return []
  const own = typeof value['text'] === 'string' ? [value['text']] : textsOf(value['text'])
  return [...own, ...textsOf(value['fields']), ...textsOf(value['elements'])]
}
