import { MonitorError } from '../../lib/errors.ts'

/** The address of an HTTP channel. What is wrong with it is said without repeating it: its path is a secret. */
export function parseChannelUrl(channel: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new MonitorError('config.invalid', `channel ${channel}: url is not an http or https address`)
  }
  return url
}

/** User name or password of an address, decoded where that is possible. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Credentials in the address go into the header, where they belong, and out of the address. */
export function basicAuthorization(url: URL): string | null {
  if (url.username === '' && url.password === '') return null
  const pair = `${decodePart(url.username)}:${decodePart(url.password)}`
  url.username = ''
  url.password = ''
  return `Basic ${Buffer.from(pair).toString('base64')}`
}
