import type { UnixMs } from './clock.ts'

const iso = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|UTC|[-+]\d\d:?\d\d)?)?$/i

/**
 * An ISO time, as people type it or copy it from a message. Without an offset it is UTC, as everything that is shown,
 * whatever zone the machine is in. Null for what is none.
 * @example parseInstant('2026-03-08 06:00') // 1_772_949_600_000
 */
export function parseInstant(text: string): UnixMs | null {
  const [, date, time = '00:00', offset = 'Z'] = iso.exec(text.trim()) ?? []
  if (date === undefined) return null
  const at = Date.parse(`${date}T${time}${offset.replace(/^utc$/i, 'Z').toUpperCase()}`)
  return Number.isNaN(at) || !isSameDay(date) ? null : at
}

/** A 30th of February would be read as one of March. */
function isSameDay(date: string): boolean {
  const at = Date.parse(`${date}T00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date)
}
