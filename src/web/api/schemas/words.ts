import { z } from 'zod'
import { chains, directions } from '../../../bridge/observation.ts'

/** An instant. */
export const time = z.int().meta({ format: 'int64', description: 'Milliseconds since 1970' })

/** A span. */
export const span = z.number().describe('Milliseconds')

export const count = z.int().nonnegative()

/** Of tokens, exact. */
export const amount = z.string().describe('Decimal, in token units')

export const baseUnits = z.string().describe('Whole number, in base units')

export const direction = z.enum(directions)
export const chain = z.enum(chains)
export const severity = z.enum(['critical', 'warning', 'info'])
export const nature = z.enum(['event', 'condition'])

/** A value each way. */
export function byDirection<T extends z.ZodType>(value: T) {
  return z.object({ MainToZone: value, ZoneToMain: value })
}
