import { z } from 'zod'
import { parseRawAmount } from '../../bridge/amount.ts'
import { durationText } from '../../rules/durationText.ts'
import { moment } from './moment.ts'

/**
 * The facts that a test may set, as the checks' parts have them: createTestWorld.ts makes a part that is missing here, or is
 * another, a type error. Times are moments, amounts of base units quoted.
 */

const text = z.string({ error: 'expected a text' })
const count = z.number({ error: 'expected a number' })
const never = moment.nullable().default(null)
const always = moment.prefault('0s')
const now = moment.prefault('now')
const units = text.transform((value, context) => {
  const amount = parseRawAmount(value)
  if (amount !== null) return amount
  context.addIssue({
    code: 'custom',
    message: 'expected an amount of base units in quotes such as "1500000"',
  })
  return z.NEVER
})
const maybeUnits = units.nullable().default(null)

const tracked = z.strictObject({
  height: count,
  advancedAt: moment,
  seenAt: now,
  below: z.strictObject({ height: count, at: moment }).nullable().default(null),
})

const preconf = z.strictObject({
  intervalMs: durationText.prefault('200ms'),
  unansweredSince: never,
  view: z.strictObject({
    startedAt: always,
    readAt: now.nullable(),
    readSince: always.nullable(),
    pending: tracked.nullable().default(null),
    nullSince: never,
    latest: tracked.nullable().default(null),
  }),
})

const poller = z.strictObject({
  poller: text,
  intervalMs: durationText.prefault('10s'),
  isBackground: z.boolean().default(false),
  startedAt: always,
  lastSuccessAt: never,
  lastError: text.nullable().default(null),
})

const drift = z.strictObject({
  endpoint: text,
  count: count.default(1),
  firstAt: moment,
  lastAt: now,
  problem: text,
  isOfList: z.boolean().default(true),
})

const lack = z.strictObject({
  endpoint: text,
  key: text,
  use: z.enum(['judged', 'shown']).default('judged'),
  rows: count.default(1),
  of: count.default(1),
  problem: text,
  firstAt: moment,
  lastAt: now,
  isStill: z.boolean().default(true),
  isWhole: z.boolean().default(false),
})

const heightSpan = z.tuple([count, count]).nullable().default(null)
const incomplete = z.strictObject({
  source: z.enum(['list', 'zone', 'event']),
  count,
  oldestAt: now,
  toldAt: now,
  mainHeights: heightSpan,
  zoneHeights: heightSpan,
  hashes: z.array(text).default([]),
  method: text.default(''),
})
const move = z.strictObject({
  escrow: text,
  token: text.default(''),
  symbol: text,
  hash: text.nullable().default(null),
  fromHeight: count.nullable().default(null),
  height: count.default(1),
  at: moment,
  direction: z.enum(['out', 'in']),
  amount: text,
  moved: text,
  party: text.default(''),
  reason: text.default('no transfer names it'),
  checkedAt: now,
  open: z.strictObject({ share: z.number().nullable() }).optional(),
})

const sum = z.strictObject({
  token: text.default(''),
  symbol: text,
  escrows: z.array(text).default([]),
  count,
  amount: text,
  share: z.number().nullable().default(null),
  since: moment,
  hashes: z.array(text).default([]),
  waitsFor: z
    .strictObject({ source: z.enum(['main', 'zone', 'list']), shownUntil: moment.nullable() })
    .nullable()
    .default(null),
})

const unjudged = z.strictObject({
  token: text.default(''),
  symbol: text,
  escrows: z.array(text).default([]),
  count,
  amount: text,
  lacks: text,
  since: moment,
  hashes: z.array(text).default([]),
})

const holding = z.strictObject({
  token: text,
  symbol: text,
  escrows: z.array(text).default([]),
  decimals: count.nullable().default(null),
  holdings: maybeUnits,
  holdingsAt: never,
  baseline: maybeUnits,
  startedAt: never,
  judged: z
    .strictObject({ owed: units, holdings: units, openOut: units.prefault('0'), height: count, at: now })
    .nullable()
    .default(null),
})

const operator = z.strictObject({
  address: text,
  minBalance: maybeUnits,
  balance: maybeUnits,
  balanceAt: now.nullable(),
  last: z.strictObject({ hash: text, height: count, at: moment }).nullable().default(null),
  readAt: now.nullable(),
  isSilent: z.boolean().default(false),
})

const challenge = z.strictObject({
  hash: text,
  contract: text.default(''),
  height: count.default(1),
  status: text,
  l1: text.default(''),
  since: moment,
  readAt: now,
  changes: count.default(0),
  past: z.array(text).default([]),
  candidate: z.strictObject({ status: text, at: moment }).nullable().default(null),
})

/** Each replaces what was there before it; what is left out stays as it is. */
export const factsSchema = z
  .strictObject({
    canonicalHead: tracked.nullable(),
    preconf: preconf.nullable(),
    pollers: z.array(poller),
    drift: z.array(drift),
    lacks: z.array(lack),
    unreadKeys: z.array(text),
    rulesRejected: z.strictObject({ at: now, problems: z.array(text) }).nullable(),
    empties: z.strictObject({
      source: text.default('explorer'),
      since: always,
      answers: count,
      contradicted: count,
    }),
    listLag: z.strictObject({ at: now, lagMs: durationText, says: text.default('') }).nullable(),
    incomplete: z.array(incomplete).default([]),
    escrow: z.strictObject({
      moves: z.array(move).default([]),
      sums: z.array(sum).default([]),
      unjudged: z.array(unjudged).default([]),
      holdings: z.array(holding).default([]),
    }),
    operators: z.array(operator),
    newestOriginAt: moment.nullable(),
    challenges: z.strictObject({
      terminal: z.array(text).default([]),
      unsettled: z.array(challenge).default([]),
    }),
  })
  .partial()
  .describe('Facts by name, as they are from then on; `now` is whenever they are looked at.')

export type FactTexts = z.output<typeof factsSchema>
