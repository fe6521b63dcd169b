import { directions } from '../../bridge/observation.ts'
import { kinds } from '../../checks/index.ts'
import { z } from 'zod'
import { amount } from '../../config/fields.ts'
import { bridge } from '../../config/bridgeSection.ts'
import { inhibition, muteTime, route } from '../../config/sections.ts'
import { parseRawAmount } from '../../bridge/amount.ts'
import { boundText, durationText } from '../../rules/durationText.ts'
import { factsSchema } from './factSchemas.ts'
import { moment } from '../../kernel/moment.ts'

const text = z.string({ error: 'expected a text' })
const name = text.regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'expected a name of letters, digits, . _ and -')
const units = text.refine(
  (value) => parseRawAmount(value) !== null,
  'expected base units in quotes such as "1500000"',
)
const at = durationText.describe('Since the beginning of the test.')
const status = z.enum(['success', 'failed', 'unknown'])
const chain = z.enum(['main', 'zone'])

/** What one reading of a transfer's record says; what is left out is as the reading before it said. */
const record = z.strictObject({
  direction: z.enum(directions),
  crossType: text,
  status,
  originAt: moment.nullable().describe('When value left: null for a record that names no origin.'),
  destinationAt: moment.nullable().describe('When it arrived: names the destination leg.'),
  mainTxHash: text,
  zoneTxHash: text,
  amount,
  amountRaw: units,
  token: text.describe('A symbol of `bridge.tokens`, or an address.'),
  tokenName: text,
  tokenType: text,
  tokenId: text,
  source: text,
  target: text,
  id: text.nullable(),
  batchDetail: text.nullable(),
  updatedAt: moment.nullable(),
  readBy: z
    .enum(['E3', 'E12', 'chain'])
    .describe('Which answer it stands in; E12 where a zone hash is known.'),
})

const tokenMove = z.strictObject({
  token: text,
  from: text.default(''),
  to: text.default(''),
  amountRaw: units.nullable().default(null),
  amount: amount.nullable().default(null),
  tokenId: text.default(''),
})

const evidence = z.strictObject({
  transfer: name,
  leg: chain,
  source: z.enum(['E2', 'E3', 'E9', 'E13', 'E14', 'E15', 'E16', 'E19', 'E21', 'canonical', 'zoneRpc']),
  status: z.enum(['success', 'failed', 'unknown', 'absent']),
  errorMessage: text.default(''),
  amountRaw: units.nullable().default(null),
  amount: amount.nullable().default(null),
  moves: z.array(tokenMove).nullable().default(null),
  reads: z.number().int().min(1).optional(),
})

const factValue = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: 'expected a text, a number, true or false',
})

const finding = z.strictObject({
  kind: z.enum(kinds.names as [string, ...string[]]),
  subject: text.default('subject'),
  title: text.optional(),
  transfer: name.optional(),
  facts: z.record(z.string(), factValue).default({}),
  labels: z.record(z.string(), text).default({}),
  since: moment.prefault('now'),
})

const input = z
  .strictObject({
    at,
    transfer: name.describe(
      'The name that the test gives a transfer; `record` is what a reading says of it.',
    ),
    record: record.partial(),
    count: z.int().min(1).max(5_000).describe('So many transfers alike: NAME.1, NAME.2 and so on.'),
    apart: boundText.describe('How long after one another they are read.'),
    evidence,
    head: z
      .strictObject({ chain, height: z.number().int().min(0), every: boundText.nullable().default(null) })
      .describe('A chain head from then on: it advances `every` so often, or stands still.'),
    source: z
      .strictObject({
        name: text.default('explorer'),
        state: z.enum(['good', 'out', 'rejected']),
        reason: text.default('HTTP 502'),
      })
      .describe('How a source answers from then on.'),
    balances: z.record(z.string(), amount).describe('What the escrows hold, by symbol or address.'),
    facts: factsSchema,
    raise: finding.describe('A finding that another part of the monitor hands over ready-made.'),
    clear: text.describe('The subject of a raised condition that is over.'),
  })
  .partial()
  .required({ at: true })

const told = z.union(
  [
    text,
    z.strictObject({
      rule: text,
      subject: text.optional(),
      what: z.enum(['event', 'firing', 'update', 'resolved', 'ended', 'correction', 'repeat']).optional(),
      severity: z.enum(['critical', 'warning', 'info']).optional(),
      summary: text.optional(),
      headline: text.optional(),
      channel: text.optional(),
      at: durationText.optional(),
    }),
  ],
  { error: "expected a rule's name, or what is sent of it" },
)

const alerts = z.array(text.describe("A rule's name, or the rule and the subject: `stalled w1`."))

const expectation = z
  .strictObject({
    at,
    pending: alerts.describe('All that are pending then, in any order.'),
    firing: alerts.describe('All that fire then.'),
    resolved: alerts.describe('All that have ended by then and have not begun anew.'),
    told: z
      .array(told)
      .describe('All that was sent since the last expectation with `told` or `silent`, in order.'),
    silent: z
      .literal(true, { error: 'expected true' })
      .describe('Nothing was sent since the last expectation with `told` or `silent`.'),
  })
  .partial()
  .required({ at: true })

const ruleTest = z.strictObject({
  name: text.min(1, 'expected a name'),
  start: moment.prefault('2026-01-01T00:00:00Z').describe('The date and time at which the test begins.'),
  observedSince: moment
    .prefault('0s')
    .describe('Since when the list is read: nothing is compared with less than a day of its past.'),
  every: boundText.optional().describe('How often conditions are judged; the daemon does each second.'),
  inputs: z.array(input).default([]),
  expect: z.array(expectation).min(1, 'expected at least one expectation'),
})

/** A file of tests of rules. */
export const testFileSchema = z.strictObject({
  rules: z
    .array(text)
    .min(1, 'expected at least one file')
    .optional()
    .describe("Rule files or folders, from the test's folder; without it all rules of that folder."),
  bridge: bridge.optional().describe('As in spanwatch.yaml; without it one token, USDC with 6 decimals.'),
  channels: z.array(name).min(1, 'expected at least one channel').default(['test']),
  routes: z
    .array(route)
    .default([])
    .describe('As in spanwatch.yaml; without it everything to every channel.'),
  muteTimes: z.record(name, muteTime).default({}),
  inhibit: z.array(inhibition).default([]),
  every: boundText.prefault('1s'),
  tests: z.array(ruleTest).min(1, 'expected at least one test'),
})

export type TestFile = z.output<typeof testFileSchema>
export type RuleTest = z.output<typeof ruleTest>
export type TestInput = z.output<typeof input>
export type TestExpectation = z.output<typeof expectation>
export type RecordText = NonNullable<TestInput['record']>
export type FindingText = NonNullable<TestInput['raise']>

/** The JSON Schema of a file of tests, for editors. */
export function toTestJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(testFileSchema, { io: 'input', unrepresentable: 'any' })
}
