import { usage } from '../readOptions.ts'

/** What an address tells: the explorer, and where it was copied from a request, how it spells the chains. */
export interface ExplorerAddress {
  readonly baseUrl: string
  readonly path: { readonly main: string | null; readonly zone: string | null }
}

/**
 * Reads the address of an explorer API, also one of a request to it.
 * @example readAddress('https://x.example/api/v5/acme/az/block/block-list').path // { main: 'acme', zone: 'az' }
 * @throws MonitorError `usage`
 */
export function readAddress(text: string): ExplorerAddress {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw usage('the explorer: expected an http or https address, such as https://explorer.example.com')
  if (url.username !== '' || url.password !== '')
    throw usage('the explorer: expected an address without user name and password: they would show in texts')
  const [, base = url.pathname, words] = /^(.*?)\/api\/v\d+(?:\/(.*))?$/.exec(url.pathname) ?? []
  return { baseUrl: `${url.origin}${base.replace(/\/+$/, '')}`, path: readWords(words ?? '') }
}

/** Requests to the main chain have one word before what is asked for, such as `block/block-fills`, those to the zone two. */
function readWords(text: string): ExplorerAddress['path'] {
  const words = text.split('/').filter((word) => /^[A-Za-z0-9_.~-]+$/.test(word))
  const hasZone = words.length === 2 || words.length >= 4
  return { main: words[0] ?? null, zone: hasZone ? (words[1] ?? null) : null }
}
