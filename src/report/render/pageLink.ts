import { safeLink } from '../../delivery/channels/textParts.ts'
import type { Linker } from './reportTables.ts'

/** Addresses on the page at `pageUrl`. */
export function pageLink(pageUrl: string | null): Linker {
  const base = safeLink(pageUrl)?.replace(/\/$/, '') ?? null
  return (path) => (base === null ? null : `${base}${path}`)
}
