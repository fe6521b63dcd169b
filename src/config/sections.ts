import { date, dayOfMonth, month, ranges } from './calendarFields.ts'
import { isIP } from 'node:net'
import { z } from 'zod'
import { formatDuration, parseDuration } from '../lib/duration.ts'
import { Secret } from '../lib/secret.ts'
import {
  address,
  amount,
  calendarCron,
  cronText,
  duration,
  httpUrl,
  pattern,
  refuse,
  secretHttpUrl,
  secretText,
  text,
  timeZone,
  urlList,
  wholeNumber,
} from './fields.ts'

const shortName = text('expected a chainShortName').regex(/^\S+$/, 'expected a chainShortName without spaces')
const pathSegment = pattern(/^[A-Za-z0-9_.~-]+$/, 'expected one path segment')
const fieldPrefix = pattern(/^[A-Za-z][A-Za-z0-9_]*$/, 'expected the beginning of a field name')
const directionWord = pattern(/^[A-Za-z0-9_]+$/, 'expected one word')
const headerPrefix = pattern(/^[A-Za-z0-9][A-Za-z0-9-]*$/, 'expected the beginning of a header name')

/** How a deployment spells the two chains; the default is the neutral spelling. */
const dialect = z.strictObject({
  path: z
    .strictObject({ main: pathSegment.default('chain'), zone: pathSegment.default('zone') })
    .prefault({}),
  field: z
    .strictObject({ main: fieldPrefix.default('main'), zone: fieldPrefix.default('zone') })
    .prefault({}),
  direction: z
    .strictObject({ main: directionWord.default('Main'), zone: directionWord.default('Zone') })
    .prefault({}),
  headerPrefix: headerPrefix.default('SVC'),
})

const auth = z.discriminatedUnion('signer', [
  z.strictObject({
    key: secretText,
    secret: secretText,
    passphrase: secretText,
    signer: z.literal('hmac-sha256').default('hmac-sha256'),
  }),
  z.strictObject({
    key: secretText,
    // Sent where they are given; this scheme signs nothing.
    secret: secretText.default(() => new Secret('')),
    passphrase: secretText.default(() => new Secret('')),
    signer: z.literal('none'),
  }),
])

const hashLink = httpUrl.refine(
  (value) => value.includes('{hash}'),
  'expected an address with {hash} in it, such as https://explorer.example.com/tx/{hash}',
)

/** How many sources of a seat have to say what an accusation rests on; a list holds eight. */
const quorum = wholeNumber(1, 8).default(1)

/** Whoever copies the address of a request copies what every path begins with: it would be asked for twice. */
const explorerUrl = httpUrl.transform((value, context) => {
  const [, base = '', path] = /^(.*?)\/*(\/api\/v\d+)(?:[/?#].*)?$/.exec(value) ?? []
  return path === undefined
    ? value
    : refuse(context, `expected the address without \`${path}\`, which paths begin with: write ${base}`)
})

export const explorer = z.strictObject({
  baseUrl: urlList(explorerUrl),
  quorum,
  chains: z.strictObject({ main: shortName, zone: shortName }),
  dialect: dialect.prefault({}),
  auth: auth.nullable().default(null),
  pace: z
    .strictObject({
      maxRequestsPerSecond: z
        .number({ error: 'expected a number of requests a second, 1 to 1000' })
        .min(1, 'expected at least 1 request a second')
        .max(1_000, 'expected at most 1000 requests a second')
        .default(4),
      concurrency: wholeNumber(1, 64).default(8),
    })
    .prefault({}),
  timeout: duration({ minMs: 100, maxMs: 300_000 }).prefault('10s'),
  links: z
    .strictObject({
      tx: z
        .strictObject({ main: hashLink.nullable().default(null), zone: hashLink.nullable().default(null) })
        .prefault({}),
    })
    .prefault({}),
})

export const preconf = z.strictObject({
  url: urlList(secretHttpUrl),
  quorum,
  interval: duration({ minMs: 50, maxMs: 60_000 }).prefault('200ms'),
})

/** A chain's own node, and which legs are asked of it. */
const node = z.strictObject({
  url: urlList(secretHttpUrl),
  quorum,
  verifyAbove: amount.default('0'),
  sample: z
    .number({ error: 'expected a share from 0 to 1' })
    .min(0, 'expected a share from 0 to 1')
    .max(1, 'expected a share from 0 to 1')
    .default(1),
  confirmations: wholeNumber(0, 10_000).default(3),
})

export const canonical = node

export const zoneRpc = node.extend({ contracts: z.array(address).default([]) })

export const poll = z.strictObject({
  transfers: cronText.prefault('*/5 * * * * *'),
  openTransfers: cronText.prefault('*/10 * * * * *'),
  evidence: cronText.prefault('*/15 * * * * *'),
  challenges: cronText.prefault('0 * * * * *'),
  heads: cronText.prefault('*/10 * * * * *'),
  contracts: cronText.prefault('*/15 * * * * *'),
  escrows: cronText.prefault('*/30 * * * * *'),
  audit: cronText.prefault('0 17 * * * *'),
  sweep: duration({ minMs: 60_000 }).prefault('24h'),
})

/** Where a first start begins. */
type StartFrom =
  | { readonly kind: 'now' }
  | { readonly kind: 'genesis' }
  | { readonly kind: 'ago'; readonly ms: number }
  | { readonly kind: 'height'; readonly chain: 'main' | 'zone'; readonly height: number }

const startFrom = z
  .string({ error: 'expected now, genesis, a duration such as 30d, main:N or zone:N' })
  .transform((value, context): StartFrom => {
    if (value === 'now' || value === 'genesis') return { kind: value }
    const [, chain, digits] = /^(main|zone):(\d{1,15})$/.exec(value) ?? []
    if (digits !== undefined) {
      return { kind: 'height', chain: chain === 'main' ? 'main' : 'zone', height: Number(digits) }
    }
    const ms = parseDuration(value)
    if (ms !== null) return { kind: 'ago', ms }
    return refuse(context, 'expected now, genesis, a duration such as 30d, main:N or zone:N')
  })

export const start = z.strictObject({ from: startFrom.prefault('now') })

const label = pattern(/^[A-Za-z_][A-Za-z0-9_.-]*$/, 'expected the name of a label')

export const route = z
  .strictObject({
    match: text('expected an expression such as \'severity == "critical"\'').nullable().default(null),
    channels: z.array(text('expected the name of a channel')).min(1, 'expected at least one channel'),
    groupBy: z.array(label).default(['case']),
    groupWait: duration({ maxMs: 86_400_000 }).nullable().default(null),
    groupInterval: duration({ minMs: 1_000, maxMs: 86_400_000 }).prefault('5m'),
    repeat: duration({ minMs: 1_000 }).prefault('4h'),
    repeatMax: duration({ minMs: 1_000 }).nullable().default(null),
    sendResolved: z.boolean({ error: 'expected true or false' }).default(true),
    mute: z.array(text('expected the name of a mute time')).default([]),
    activeTimes: z.array(text('expected the name of one of muteTimes')).default([]),
    muteCritical: z.boolean({ error: 'expected true or false' }).default(false),
    escalate: z
      .array(
        z.strictObject({
          after: duration({ minMs: 1_000, maxMs: 7 * 86_400_000 }),
          channels: z.array(text('expected the name of a channel')).min(1, 'expected at least one channel'),
        }),
      )
      .max(20, 'expected at most 20 steps')
      .default([]),
    continue: z.boolean({ error: 'expected true or false' }).default(false),
  })
  .superRefine(({ repeat, repeatMax }, context) => {
    if (repeatMax === null || repeatMax >= repeat) return
    const message = `expected at least \`repeat\`, ${formatDuration(repeat)}: reminders grow from that`
    context.addIssue({ code: 'custom', path: ['repeatMax'], message })
  })

const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const weekday = z.enum(weekdayNames, { error: 'expected sun, mon, tue, wed, thu, fri or sat' })
const clockTime = pattern(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'expected a time such as "22:00"').transform(
  (value) => Number(value.slice(0, 2)) * 60 + Number(value.slice(3)),
)

/** Days and times in which routes may be quiet; `to` at or before `from` ends on the next day. */
const muteInterval = z
  .strictObject({
    timezone: timeZone.default('UTC'),
    weekdays: z
      .array(weekday)
      .min(1, 'expected at least one weekday')
      .default([...weekdayNames]),
    daysOfMonth: ranges(dayOfMonth),
    months: ranges(month),
    dates: ranges(date),
    from: clockTime.prefault('00:00'),
    to: clockTime.prefault('24:00'),
  })
  .transform(({ weekdays, ...interval }) => ({
    ...interval,
    weekdays: weekdays.map((name) => weekdayNames.indexOf(name)),
  }))

export const muteTime = z.array(muteInterval).min(1, 'expected at least one interval')

export const inhibition = z.strictObject({
  source: text(),
  target: text(),
  equal: z.array(label).default([]),
})

export const report = (cron: string) =>
  z
    .strictObject({
      cron: calendarCron.prefault(cron),
      timezone: timeZone.default('UTC'),
      channel: text('expected the name of a channel'),
    })
    .nullable()
    .default(null)

export const reports = z.strictObject({
  daily: report('0 8 * * *'),
  weekly: report('0 8 * * 1'),
  monthly: report('0 8 1 * *'),
})

const listen = z
  .string({ error: 'expected host:port such as "127.0.0.1:9464"' })
  .transform((value, context) => {
    const [, bracketed, plain, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(value) ?? []
    const host = bracketed ?? plain
    const port = Number(digits)
    if (host === undefined || port > 65_535)
      return refuse(context, 'expected host:port such as "127.0.0.1:9464"')
    return { host, port }
  })

const rangeExpected = 'expected an IP address or a range such as "10.0.0.0/8", in quotes'

const addressRange = z.string({ error: rangeExpected }).refine((value) => {
  const [, ip = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(value) ?? []
  const family = isIP(ip)
  return family !== 0 && Number(bits ?? 0) <= (family === 4 ? 32 : 128)
}, rangeExpected)

export const http = z.strictObject({
  listen: listen.prefault('127.0.0.1:9464'),
  token: secretText.nullable().default(null),
  readToken: secretText.nullable().default(null),
  sessions: text().max(200).default('1'),
  trustProxy: z.array(addressRange).default([]),
  publicUrl: httpUrl.nullable().default(null),
})

export const canary = z.strictObject({
  cron: calendarCron.prefault('0 9 * * *'),
  timezone: timeZone.default('UTC'),
  channels: z.array(text('expected the name of a channel')).default([]),
})

export const heartbeat = z.strictObject({
  url: secretHttpUrl,
  every: duration({ minMs: 1_000, maxMs: 86_400_000 }).prefault('1m'),
})

export const retention = z.strictObject({
  transfers: duration({ minMs: 86_400_000 }).prefault('400d'),
  preconf: duration({ minMs: 3_600_000 }).prefault('7d'),
  audit: duration({ minMs: 86_400_000 }).prefault('1100d'),
})

const postgresExpected = 'expected an address such as postgres://user:password@host:5432/spanwatch'

export const postgresUrl = z
  .string({ error: postgresExpected })
  .trim()
  .transform((value, context) => {
    const url = URL.canParse(value) ? new URL(value) : null
    return url && /^postgres(ql)?:$/.test(url.protocol)
      ? new Secret(value)
      : refuse(context, postgresExpected)
  })

const nodeName = pattern(
  /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/,
  'expected a name of letters, digits, dots, dashes and underscores, at most 63',
)

export const replicas = z.strictObject({
  database: postgresUrl,
  bridge: nodeName,
  node: nodeName.optional(),
  ca: text('expected the path of a PEM file').optional(),
})

export const backups = z.strictObject({
  every: duration({ minMs: 60_000, maxMs: 30 * 86_400_000 }).prefault('1h'),
  keep: wholeNumber(1, 1_000).default(24),
  maxBytes: wholeNumber(1_000_000, Number.MAX_SAFE_INTEGER).default(5_000_000_000),
  recover: z.boolean().default(false),
})
