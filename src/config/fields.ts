import { CronTime } from 'cron'
import { z } from 'zod'
import { parseDecimal } from '../bridge/amount.ts'
import { durationForm, formatDuration, parseDuration } from '../lib/duration.ts'
import { errorText } from '../lib/errors.ts'
import { Secret } from '../lib/secret.ts'

const expected = {
  duration: 'expected a duration such as 30s, 5m or 1h30m',
  cron: 'expected a cron expression such as "*/5 * * * * *" (seconds first)',
  calendar: 'expected a cron expression such as "0 8 * * *" (minutes first)',
  url: 'expected an http or https address',
  address: 'expected an address in quotes: 0x and 40 hex digits',
  amount: 'expected an amount in quotes such as "1.5"',
  zone: 'expected an IANA time zone such as Europe/Berlin',
  text: 'expected a text',
} as const

/** A non-empty text. */
export const text = (message: string = expected.text) => z.string({ error: message }).trim().min(1, message)

/** A text that has to have a form. */
export const pattern = (form: RegExp, message: string) => z.string({ error: message }).regex(form, message)

/** Read into milliseconds; `minMs` and `maxMs` are inclusive. */
export function duration(bounds: { readonly minMs?: number; readonly maxMs?: number } = {}) {
  return z
    .string({ error: expected.duration })
    .transform((value, context) => {
      const ms = parseDuration(value)
      const problem = ms === null ? expected.duration : checkBounds(ms, bounds)
      if (problem === null && ms !== null) return ms
      return refuse(context, problem ?? expected.duration)
    })
    .meta({
      description: 'a duration such as 250ms, 10s, 5m, 1h30m, 30d',
      pattern: `^\\s*${durationForm}\\s*$`,
    })
}

function checkBounds(
  ms: number,
  bounds: { readonly minMs?: number; readonly maxMs?: number },
): string | null {
  const { minMs = 0, maxMs = Infinity } = bounds
  if (ms < minMs) return `expected a duration of at least ${formatDuration(minMs)}`
  if (ms > maxMs) return `expected a duration of at most ${formatDuration(maxMs)}`
  return null
}

/** When something is asked: seconds count. */
export const cronText = cron(expected.cron, {
  description: 'a cron expression, seconds first',
  examples: ['*/5 * * * * *'],
})

/** When something is sent, by the time zone beside it: minutes do. */
export const calendarCron = cron(expected.calendar, {
  description: 'a cron expression, minutes first; of six fields the first is seconds',
  examples: ['0 8 * * *'],
})

/** A cron expression of five or, with seconds first, six fields; one that never comes due is refused. */
function cron(form: string, meta: { readonly description: string; readonly examples: readonly string[] }) {
  return z
    .string({ error: form })
    .trim()
    .transform((value, context) => {
      const { valid, error } = CronTime.validateCronExpression(value)
      if (!valid) return refuse(context, `${form}: ${errorText(error).trim()}`)
      return comesDue(value)
        ? value
        : refuse(context, 'expected a cron expression that comes due: this one never does')
    })
    .meta({ ...meta, examples: [...meta.examples] })
}

function comesDue(value: string): boolean {
  try {
    new CronTime(value).getNextDateFrom(new Date(0), 'UTC')
    return true
  } catch {
    return false
  }
}

/** The address without trailing slashes. Credentials have a place of their own and none in here. */
export const httpUrl = z
  .string({ error: expected.url })
  .trim()
  .transform((value, context) => {
    const url = parseHttpUrl(value)
    if (url === null) return refuse(context, expected.url)
    if (url.username !== '' || url.password !== '') {
      return refuse(context, 'expected an address without user name and password: they would show in texts')
    }
    return value.replace(/\/+$/, '')
  })

export const secretHttpUrl = z
  .string({ error: expected.url })
  .trim()
  .transform((value, context) =>
    parseHttpUrl(value) === null ? refuse(context, expected.url) : new Secret(value),
  )

/** One address, or a list of several sources that answer the same questions, each with a name where its host is none. */
export function urlList<T extends z.ZodType>(url: T) {
  const entry = z.union([url, z.strictObject({ name: text().max(32).optional(), url })], {
    error: expected.url,
  })
  const list = z.array(entry).min(1, 'expected at least one address').max(8, 'expected at most 8 addresses')
  return z.union([url, list], { error: expected.url })
}

function parseHttpUrl(value: string): URL | null {
  const url = URL.canParse(value) ? new URL(value) : null
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.hostname !== ''
    ? url
    : null
}

/** A text that is never shown. */
export const secretText = text('expected a text in quotes').transform((value) => new Secret(value))

// Addresses in mixed case are not held against their checksum: that needs keccak-256.
/** An address, in lower case as the ledger keeps it. */
export const address = pattern(/^0x[0-9a-fA-F]{40}$/, expected.address).transform((value) =>
  value.toLowerCase(),
)

/** An exact amount in token units, kept as it was written. */
export const amount = z
  .string({ error: expected.amount })
  .refine((value) => parseDecimal(value) !== null, expected.amount)
  .meta({ description: 'a decimal amount in token units, in quotes' })

export const timeZone = z.string({ error: expected.zone }).refine(isTimeZone, expected.zone)

function isTimeZone(value: string): boolean {
  try {
    // Offsets such as +02:00 pass Intl but know no daylight saving time.
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions()
    return /^[A-Za-z]/.test(timeZone)
  } catch {
    return false
  }
}

/** Takes back a value inside a transform, saying why. */
export function refuse(context: z.core.$RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}

/** A number from `min` to `max`, both included. */
export const wholeNumber = (min: number, max: number) => {
  const message = `expected a whole number from ${min} to ${max}`
  return z.number({ error: message }).int(message).min(min, message).max(max, message)
}
