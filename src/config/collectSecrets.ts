import { Secret } from '../lib/secret.ts'

/**
 * Every secret of a configuration, for the scrubber of logs: the values themselves and the parts of them that travel
 * alone in other people's texts, such as the path of a webhook or the password of a mail server.
 */
export function collectSecrets(config: unknown): Secret[] {
  if (config instanceof Secret) return partsOf(config.reveal()).map((part) => new Secret(part))
  if (typeof config !== 'object' || config === null) return []
  return Object.values(config).flatMap(collectSecrets)
}

function partsOf(value: string): string[] {
  if (!URL.canParse(value) || !/^(https?|smtps?):/.test(value)) return [value]
  const url = new URL(value)
  const isMail = url.protocol.startsWith('smtp')
  const isBare = url.pathname.length <= 1 && url.search === '' && url.username === '' && url.password === ''
  // A host alone is no secret, and people have to be told which one does not answer.
  if (isBare) return []
  const path = isMail ? [] : [url.pathname, `${url.pathname}${url.search}`]
  const parts = [value, url.href, url.password, decode(url.password), ...path]
  return [...new Set(parts)].filter((part) => part.length > 1)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
