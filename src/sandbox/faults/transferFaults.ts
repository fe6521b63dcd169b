import { z } from 'zod'
import { recordOf } from '../record.ts'
import { duration } from '../settings.ts'
import type { TransferSpec } from '../transferSpec.ts'
import { toRaw } from '../units.ts'
import type { World } from '../world.ts'
import { amendTransfer, injectTransfer } from '../worldTime.ts'
import { worldFault } from './fault.ts'

/** What any put-in transfer can be told to be; what is left out is drawn by lot. */
export const transferShape = {
  count: z.int().min(1).max(100_000).default(1).describe('How many'),
  spacing: duration.default(0).describe('How far apart they begin'),
  direction: z.enum(['MainToZone', 'ZoneToMain']).optional(),
  token: z.string().optional().describe('A symbol: USDC, USDT, WETH, WBTC, ACME, SHARES'),
  amount: z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'expected an amount in token units, in quotes')
    .optional()
    .describe('In token units, as text'),
  amountRaw: z
    .string()
    .regex(/^\d{1,78}$/, 'expected a whole number, in quotes')
    .optional()
    .describe('In base units'),
  sourceAddress: z.string().optional(),
  targetAddress: z.string().optional(),
  emptyId: z.boolean().default(false),
}

export type TransferParams = z.output<z.ZodObject<typeof transferShape>>

/** Puts `count` transfers into the world; `spec` adds what is wrong with each. */
export function injectMany(
  world: World,
  params: TransferParams,
  spec: (at: number, place: number) => TransferSpec,
): number[] {
  return Array.from({ length: params.count }, (_, place) => {
    const at = world.now + place * params.spacing
    return injectTransfer(world, { originAt: at, ...common(world, params), ...spec(at, place) })
  })
}

export const transferFaults = [
  worldFault(
    'transfer.normal',
    'Transfers with nothing wrong about them, of a given kind',
    transferShape,
    (world, params) => {
      injectMany(world, params, () => ({}))
    },
  ),
  worldFault(
    'transfer.failed',
    'Transfers that fail: one side only (a withdrawal refused on the zone chain), or on arrival with both sides shown',
    {
      ...transferShape,
      legs: z.enum(['one', 'both']).default('one'),
      errorMessage: z.string().default('execution reverted: withdrawal limit exceeded'),
    },
    (world, params) => {
      injectMany(world, params, () => failure(params))
    },
  ),
  worldFault(
    'transfer.stalled',
    'Transfers whose far side does not come: after `for`, or never when that is left out',
    transferShape,
    (world, params, window) => {
      const lasts = window.until - window.from
      injectMany(world, params, (originAt) => ({
        direction: params.direction ?? 'ZoneToMain',
        destinationAt: originAt + lasts,
      }))
    },
  ),
  worldFault(
    'transfer.late',
    'Transfers that happened a while ago and are filled into the list only now, far behind its newest page',
    {
      ...transferShape,
      behind: duration.default(1_800_000).describe('How long ago they began'),
      failed: z.boolean().default(false),
    },
    (world, params, window) => {
      injectMany(world, params, (at) => ({
        ...(params.failed
          ? failure({ direction: params.direction, legs: 'one', errorMessage: 'late failure' })
          : {}),
        originAt: window.from - params.behind + (at - world.now),
        listedAt: window.from + (at - world.now),
      }))
    },
    (params) => params.behind,
  ),
  worldFault(
    'record.rewritten',
    'Completed records are written again: with another status, or with a newer updateTime alone',
    {
      count: z.int().min(1).max(10_000).default(1),
      status: z.enum(['0x0', '0x1', '']).default('0x0'),
      updateTimeOnly: z.boolean().default(false),
      age: duration.default(20_000).describe('Only records that began at least so long ago'),
    },
    (world, params) => {
      for (const number of completedBefore(world, world.now - params.age, params.count)) {
        const fields = params.updateTimeOnly ? {} : { status: params.status }
        const patches = [...(world.specials.get(number)?.patches ?? []), { at: world.now, fields }]
        amendTransfer(world, number, { patches })
      }
    },
  ),
  worldFault(
    'transfer.vanished',
    'Listed records that are gone from the list, for a while or for good',
    { count: z.int().min(1).max(10_000).default(1), age: duration.default(20_000) },
    (world, params, window) => {
      for (const number of completedBefore(world, world.now - params.age, params.count)) {
        amendTransfer(world, number, { unlistedAt: window.from, listedAt: window.until })
      }
    },
  ),
  worldFault(
    'token.name',
    'Transfers whose token carries a hostile name',
    {
      ...transferShape,
      names: z.array(z.string()).min(1),
      repeat: z.int().min(1).max(400_000).default(1),
      failed: z.boolean().default(false),
    },
    (world, params) => {
      injectMany(world, { ...params, count: params.names.length * params.count }, (_, place) => ({
        ...(params.failed
          ? failure({ direction: params.direction, legs: 'one', errorMessage: 'execution reverted' })
          : {}),
        tokenName: (params.names[place % params.names.length] as string).repeat(params.repeat),
      }))
    },
  ),
]

/** The newest completed records that began before an instant. */
export function completedBefore(world: World, before: number, count: number): number[] {
  const found: number[] = []
  for (let at = world.listed.values.length - 1; at >= 0 && found.length < count; at -= 1) {
    if ((world.listed.keys[at] as number) > before) continue
    const number = world.listed.values[at] as number
    const record = recordOf(world, number)
    const complete = record.mainTxHash !== '' && record.zoneTxHash !== '' && record.status === '0x1'
    if (complete && !world.specials.get(number)?.patches) found.push(number)
  }
  return found
}

/** A withdrawal fails on the zone chain where it begins; with both sides, the chain of arrival is the one that fails. */
function failure(params: {
  direction?: TransferSpec['direction'] | undefined
  legs: 'one' | 'both'
  errorMessage: string
}): TransferSpec {
  const direction = params.direction ?? 'ZoneToMain'
  const arrives = params.legs === 'both' ? {} : { destinationAt: Number.POSITIVE_INFINITY }
  const onMain = direction === 'ZoneToMain' && params.legs === 'both'
  return { direction, ...arrives, ...(onMain ? { mainFailed: true } : { zoneError: params.errorMessage }) }
}

function common(world: World, params: TransferParams): TransferSpec {
  const amountRaw = rawAmount(world, params)
  const token = params.token ?? (amountRaw === undefined ? undefined : 'USDC')
  return {
    ...(params.direction ? { direction: params.direction } : {}),
    ...(token === undefined ? {} : { token }),
    ...(amountRaw === undefined ? {} : { amountRaw }),
    ...(params.sourceAddress ? { sourceAddress: params.sourceAddress.toLowerCase() } : {}),
    ...(params.targetAddress ? { targetAddress: params.targetAddress.toLowerCase() } : {}),
    ...(params.emptyId ? { id: '' } : {}),
  }
}

function rawAmount(world: World, params: TransferParams): bigint | undefined {
  if (params.amountRaw !== undefined) return BigInt(params.amountRaw)
  if (params.amount === undefined) return undefined
  const token = world.tokens.find((token) => token.symbol === (params.token ?? 'USDC'))
  return toRaw(params.amount, token?.decimals ?? 18)
}
