import { isObject } from '../../lib/isObject.ts'
import { z } from 'zod'
import type { UnixMs } from '../../lib/clock.ts'
import { duration, share, signedDuration } from '../settings.ts'
import type { World } from '../world.ts'

/** What happens to one answer, or to the connection that carries it. */
export interface Disruption {
  /** Runs before the answer is made. */
  readonly before?: (world: World) => void
  /** The service refuses or fails, in its own envelope. */
  readonly refuse?: {
    readonly status: number
    readonly code: string
    readonly msg: string
    readonly retryAfter?: string
  }
  /** Something that is not the service answers. */
  readonly raw?: { readonly status: number; readonly type: string; readonly body: string }
  readonly limitCap?: number
  readonly page?: (page: number) => number
  readonly data?: (data: unknown[], draw: number) => unknown[]
  readonly clockOffsetMs?: number
  readonly transport?: Transport
}

export type Transport =
  | { readonly kind: 'truncate'; readonly share: number }
  | { readonly kind: 'slow'; readonly delayMs: number }
  | { readonly kind: 'hang'; readonly after: 'nothing' | 'headers' }
  | { readonly kind: 'drip'; readonly bytes: number; readonly everyMs: number }
  | { readonly kind: 'reset'; readonly after: 'nothing' | 'headers' }
  | { readonly kind: 'huge'; readonly bytes: number }

export interface Window {
  readonly from: UnixMs
  readonly until: UnixMs
}

/** One entry of a timeline, understood: when, and what it does to the world or to answers. */
export interface PlannedFault {
  readonly fault: string
  /** Milliseconds after the world's start. */
  readonly at: number
  /** Infinity: to the end. */
  readonly lastsMs: number
  /** How much earlier it has to be prepared, because it is about something that happened before. */
  readonly leadMs?: number
  readonly world?: (world: World, window: Window) => void
  readonly answer?: AnswerFault
}

export interface AnswerFault {
  /** Empty: every endpoint. `rpc` names the preconfirmation RPC. */
  readonly endpoints: readonly string[]
  readonly share: number
  readonly disruption: Disruption
}

/** A row of the table of faults. */
export interface FaultRow {
  readonly name: string
  readonly summary: string
  readonly schema: z.ZodType<PlannedFault>
}

const at = signedDuration
  .default(0)
  .describe('When, counted from the start; a minus sign reaches into the history')

/** A fault that changes what happens on the chains or in the list. */
export function worldFault<S extends z.ZodRawShape>(
  name: string,
  summary: string,
  shape: S,
  apply: (world: World, params: z.output<z.ZodObject<S>>, window: Window) => void,
  lead: (params: z.output<z.ZodObject<S>>) => number = () => 0,
): FaultRow {
  const params = z.strictObject(shape)
  const schema = z
    .strictObject({ at, for: duration.optional(), fault: z.literal(name), ...shape })
    .describe(summary)
    .transform((entry): PlannedFault => {
      const own = pick(entry, Object.keys(shape)) as z.output<typeof params>
      return {
        ...timing(entry),
        leadMs: lead(own),
        fault: name,
        world: (world, window) => apply(world, own, window),
      }
    })
  return { name, summary, schema }
}

/** A fault that changes answers while it lasts. */
export function answerFault<S extends z.ZodRawShape>(
  name: string,
  summary: string,
  shape: S,
  disrupt: (params: z.output<z.ZodObject<S>>) => Disruption,
): FaultRow {
  const params = z.strictObject(shape)
  const schema = z
    .strictObject({
      at,
      for: duration.optional().describe('How long; to the end when left out'),
      fault: z.literal(name),
      endpoints: z
        .array(
          z
            .string()
            .regex(
              /^(E([1-9]|1\d|2[01])|rpc|canonical|zoneRpc)$/,
              'expected E1 to E21, rpc, canonical or zoneRpc',
            ),
        )
        .default([])
        .describe('Only these endpoints; all of E1 to E21 when left out'),
      share: share.default(1).describe('The share of answers it happens to'),
      ...shape,
    })
    .describe(summary)
    .transform((entry): PlannedFault => {
      const disruption = disrupt(pick(entry, Object.keys(shape)) as z.output<typeof params>)
      const answer = { ...targets.parse(entry), disruption }
      return { ...timing(entry), fault: name, answer }
    })
  return { name, summary, schema }
}

const times = z.object({ at: z.number(), for: z.number().optional() })
const targets = z.object({ endpoints: z.array(z.string()), share: z.number() })

// The compiler cannot follow a shape that is spread with a type parameter: both helpers read the parsed entry by name.
function timing(entry: unknown): { at: number; lastsMs: number } {
  const { at, for: lasts } = times.parse(entry)
  return { at, lastsMs: lasts ?? Number.POSITIVE_INFINITY }
}

function pick(entry: unknown, keys: readonly string[]): Record<string, unknown> {
  return isObject(entry) ? Object.fromEntries(keys.map((key) => [key, entry[key]])) : {}
}
