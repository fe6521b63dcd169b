import { formatDuration } from '../../lib/duration.ts'
import { groupDigits } from '../../lib/groupDigits.ts'

/** What texts can do to a value beside Liquid's own filters. Each takes anything and says so when it cannot use it. */
export const templateFilters = { duration, amount, time, short } as const

/** `{{ age | duration }}`: milliseconds as `1h 30m`. */
function duration(value: unknown): string {
  if (isNothing(value)) return 'unknown'
  return formatDuration(toNumber(value, 'duration'))
}

/** `{{ transfer.amount | amount }}`: with thousands separators, every digit kept. */
function amount(value: unknown): string {
  if (isNothing(value)) return 'an unknown amount of'
  const [, number = '', unit = ''] = /^(-?\d+(?:\.\d+)?)( base units)?$/.exec(String(value)) ?? []
  if (number === '') throw new Error('the filter amount takes an amount')
  return `${groupDigits(number)}${unit}`
}

/** `{{ transfer.originAt | time: "Europe/Berlin" }}`: an instant, in UTC unless a zone is given. */
function time(value: unknown, zone: unknown = 'UTC'): string {
  if (isNothing(value)) return 'unknown'
  const at = new Date(toNumber(value, 'time'))
  if (Number.isNaN(at.getTime())) return 'unknown'
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: String(zone),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  }).formatToParts(at)
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? ''
  const date = `${of('year')}-${of('month')}-${of('day')}`
  return `${date} ${of('hour')}:${of('minute')}:${of('second')} ${of('timeZoneName')}`
}

/** `{{ transfer.zoneTxHash | short }}`: the ends of a hash, for texts; messages carry it in full beside. */
function short(value: unknown): string {
  const text = isNothing(value) ? '' : String(value)
  return text.length > 14 ? `${text.slice(0, 8)}…${text.slice(-4)}` : text
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === ''
}

function toNumber(value: unknown, filter: string): number {
  const number = typeof value === 'number' ? value : Number.NaN
  if (!Number.isFinite(number)) throw new Error(`the filter ${filter} takes a number of milliseconds`)
  return number
}
