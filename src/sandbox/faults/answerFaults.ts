import { z } from 'zod'
import { duration } from '../settings.ts'
import { injectTransfer } from '../worldTime.ts'
import { answerFault } from './fault.ts'
import { isObject } from '../../lib/isObject.ts'
import { mixUnit } from '../random.ts'

const html = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>'
const words: Readonly<Record<string, string>> = {
  '50001': 'Service temporarily unavailable, please try again later',
  '50004': 'Endpoint request timeout',
  '50011': 'Too Many Requests',
  '50013': 'System busy, please try again later',
  '50026': 'System error, please try again later',
  '50030': 'No permission to use this API',
  '50102': 'Timestamp request expired',
  '50111': 'Invalid access key',
  '50112': 'Invalid timestamp',
  '50113': 'Invalid signature',
}
const statuses: Readonly<Record<string, number>> = {
  '50001': 503,
  '50004': 400,
  '50011': 429,
  '50013': 200,
  '50026': 500,
  '50030': 403,
}

export const answerFaults = [
  answerFault(
    'api.throttle',
    'Requests are throttled: HTTP 429 with 50011, or HTTP 200 with 50013',
    { code: z.enum(['50011', '50013']).default('50011'), retryAfter: z.string().optional() },
    ({ code, retryAfter }) => ({
      refuse: { ...refusal(code), ...(retryAfter === undefined ? {} : { retryAfter }) },
    }),
  ),
  answerFault('api.disguised', 'Throttling in disguise: code "0" with empty data', {}, () => ({
    data: () => [],
  })),
  answerFault(
    'api.error',
    'The service fails with one of its own codes',
    { code: z.enum(['50001', '50004', '50026']).default('50026') },
    ({ code }) => ({ refuse: refusal(code) }),
  ),
  answerFault(
    'api.unauthorized',
    'Credentials are refused from now on, however right they are',
    { code: z.enum(['50102', '50111', '50112', '50113', '50030']).default('50111') },
    ({ code }) => ({ refuse: { ...refusal(code), status: code === '50030' ? 403 : 401 } }),
  ),
  answerFault(
    'api.html',
    'A gateway answers with a page instead of the service',
    { status: z.int().min(200).max(599).default(502) },
    ({ status }) => ({ raw: { status, type: 'text/html', body: html } }),
  ),
  answerFault(
    'api.body',
    'Every body is this text, whatever was asked',
    { body: z.string(), status: z.int().min(200).max(599).default(200) },
    ({ body, status }) => ({ raw: { status, type: 'application/json', body } }),
  ),
  answerFault(
    'api.truncated',
    'The JSON text ends in the middle',
    { keep: z.number().min(0).max(1).default(0.6) },
    ({ keep }) => ({ transport: { kind: 'truncate', share: keep } }),
  ),
  answerFault('api.slow', 'Answers take long', { delay: duration.default(5_000) }, ({ delay }) => ({
    transport: { kind: 'slow', delayMs: delay },
  })),
  answerFault(
    'api.hang',
    'No answer ever comes, or nothing after the headers',
    { after: z.enum(['nothing', 'headers']).default('nothing') },
    ({ after }) => ({ transport: { kind: 'hang', after } }),
  ),
  answerFault(
    'api.drip',
    'The body comes a few bytes at a time',
    { bytes: z.int().min(1).default(1), every: duration.default(1_000) },
    ({ bytes, every }) => ({ transport: { kind: 'drip', bytes, everyMs: every } }),
  ),
  answerFault(
    'api.reset',
    'The connection is reset, before or after the headers',
    { after: z.enum(['nothing', 'headers']).default('nothing') },
    ({ after }) => ({ transport: { kind: 'reset', after } }),
  ),
  answerFault(
    'api.huge',
    'The body is far larger than any answer can be',
    { bytes: z.int().min(1).max(1_000_000_000).default(80_000_000) },
    ({ bytes }) => ({ transport: { kind: 'huge', bytes } }),
  ),
  answerFault(
    'api.badRecord',
    'Some records break the contract: numbers where strings are promised, a field missing, null or nonsense, or fields nobody announced',
    {
      how: z.enum(['number', 'missing', 'null', 'nonsense', 'extra']).default('number'),
      field: z.string().default('valueRaw'),
      records: z.number().min(0).max(1).default(0.2).describe('The share of records in an answer'),
    },
    (params) => ({ data: (data, draw) => spoilRecords(data, params, draw) }),
  ),
  answerFault('page.repeat', 'Every page but the first is the page before it', {}, () => ({
    page: (page) => Math.max(1, page - 1),
  })),
  answerFault(
    'page.empty',
    'One page is empty although pages follow it',
    { page: z.int().min(1).default(2) },
    ({ page: hole }) => ({
      // Far beyond the end: the answer has the form of an empty page.
      page: (page) => (page === hole ? 9_999_999 : page),
    }),
  ),
  answerFault(
    'page.cap',
    'Pages are silently smaller than asked for',
    { limit: z.int().min(1).max(100).default(50) },
    ({ limit }) => ({ limitCap: limit }),
  ),
  answerFault(
    'page.drift',
    'New records arrive with every request',
    { records: z.int().min(1).max(100).default(5) },
    ({ records }) => ({
      before: (world) => {
        for (let count = 0; count < records; count += 1) injectTransfer(world, { listedAt: world.now })
      },
    }),
  ),
  answerFault(
    'clock.skew',
    "The service's clock is off, so that signatures seem to come from another time",
    { by: duration.default(60_000), ahead: z.boolean().default(true) },
    ({ by, ahead }) => ({ clockOffsetMs: ahead ? by : -by }),
  ),
]

function refusal(code: string) {
  return { status: statuses[code] ?? 401, code, msg: words[code] ?? '' }
}

interface SpoilParams {
  readonly how: 'number' | 'missing' | 'null' | 'nonsense' | 'extra'
  readonly field: string
  readonly records: number
}

/** Breaks one field of some records, wherever the answer's shape keeps them; the others stay as they are. */
function spoilRecords(data: unknown[], params: SpoilParams, draw: number): unknown[] {
  return data.map((item, place) => {
    if (!isObject(item)) return item
    const spoiled = Object.entries(item).flatMap(([name, list]) =>
      Array.isArray(list) && list.some(isObject)
        ? [[name, list.map((record, at) => (isObject(record) ? spoil(record, params, draw, at) : record))]]
        : [],
    )
    if (spoiled.length === 0) return spoil(item, params, draw, place)
    return { ...item, ...Object.fromEntries(spoiled) }
  })
}

function spoil(record: Record<string, unknown>, params: SpoilParams, draw: number, place: number) {
  // At least the first one, or a small answer would stay whole.
  if (place > 0 && mixUnit(Math.floor(draw * 1e9), place) >= params.records) return record
  const { [params.field]: value, ...others } = record
  switch (params.how) {
    case 'number':
      return { ...record, [params.field]: Number(value) }
    case 'missing':
      return others
    case 'null':
      return { ...record, [params.field]: null }
    case 'nonsense':
      return { ...record, [params.field]: '0x?not-a-value' }
    case 'extra':
      return { ...record, unannounced: 'yes', [`${params.field}V2`]: value }
    default:
      return params.how satisfies never
  }
}
