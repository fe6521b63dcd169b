import { isIPv4 } from 'node:net'
import { Secret } from '../lib/secret.ts'
import type { YamlPath } from '../lib/yamlProblems.ts'

type Url = string | Secret

/** Every address of a seat, with its place. */
export function listUrls(
  path: YamlPath,
  listed: Url | readonly (Url | { readonly url: Url })[] | undefined,
): [YamlPath, Url][] {
  if (listed === undefined) return []
  if (typeof listed === 'string' || listed instanceof Secret) return [[path, listed]]
  return listed.map((entry, at) =>
    typeof entry === 'string' || entry instanceof Secret
      ? [[...path, at], entry]
      : [[...path, at, 'url'], entry.url],
  )
}

export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  return bare === 'localhost' || bare === '::1' || (isIPv4(bare) && bare.startsWith('127.'))
}
