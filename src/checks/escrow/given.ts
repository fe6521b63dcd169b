import { z } from 'zod'
import { count, given, maybeUnits, never, now, text, units } from '../../kernel/given.ts'
import { moment } from '../../kernel/moment.ts'
import type { EscrowPart } from './holding.ts'

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

const nothing: EscrowPart['escrow'] = { moves: [], sums: [], unjudged: [], holdings: [] }

/** What a test of rules may say of the escrows. */
export const givenEscrow = given(
  {
    escrow: z.strictObject({
      moves: z.array(move).default([]),
      sums: z.array(sum).default([]),
      unjudged: z.array(unjudged).default([]),
      holdings: z.array(holding).default([]),
    }),
  },
  ({ escrow = nothing }): EscrowPart => ({ escrow }),
)
