import { z } from 'zod'
import { parseRawAmount } from '../bridge/amount.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Interval } from './running/coverage.ts'
import type { Kernel } from './kernel.ts'
import { moment, type Resolved } from './moment.ts'

/**
 * What tests of rules may say of a check's part of the facts, and the part that follows: what a test leaves out is as in
 * a world where nothing is the matter.
 */
export interface Given<Part extends object> {
  /** Facts by name, as a test writes them. */
  readonly shape: z.ZodRawShape
  /** Once a test. @returns the part at any moment, by what the test has said until then */
  open(ground: Ground): (said: object, now: UnixMs) => Part
}

/** What a test has beside what it says: a ledger, and when the list is read in its world. */
export interface Ground extends Pick<Kernel, 'db' | 'settleMs'> {
  readonly observed: { since(): UnixMs | null; share(within: Interval): number }
  token(address: string): { readonly symbol: string | null; readonly decimals: number | null }
}

/** A part that is just what a test says of it. */
export function given<S extends z.ZodRawShape, Part extends object>(
  shape: S,
  toPart: (said: Partial<Resolved<z.output<z.ZodObject<S>>>>) => Part,
): Given<Part> {
  return { shape, open: () => (said) => toPart(said) }
}

// The words of such shapes: times are moments, amounts of base units quoted.
export const text = z.string({ error: 'expected a text' })
export const count = z.number({ error: 'expected a number' })
export const never = moment.nullable().default(null)
export const always = moment.prefault('0s')
export const now = moment.prefault('now')
export const units = text.transform((value, context) => {
  const amount = parseRawAmount(value)
  if (amount !== null) return amount
  context.addIssue({
    code: 'custom',
    message: 'expected an amount of base units in quotes such as "1500000"',
  })
  return z.NEVER
})
export const maybeUnits = units.nullable().default(null)

export const tracked = z
  .strictObject({ height: count, advancedAt: moment, seenAt: now, readAt: now })
  .transform((seen) => ({ ...seen, blockTime: null, below: null, ahead: null, other: null }))
