import { nth } from '../../lib/nth.ts'
import { z } from 'zod'
import type { Log, TokenMove } from '../chain/mainTransaction.ts'
import { type Moved, tokenMoves, transferLog } from '../chain/moves.ts'
import { addressOf } from '../hashes.ts'
import { recordOf } from '../record.ts'
import { duration } from '../settings.ts'
import { tokenBySymbol, type TokenSymbol, tokenSymbols } from '../tokens.ts'
import type { TransferSpec } from '../transferSpec.ts'
import { toRaw } from '../units.ts'
import type { World } from '../world.ts'
import { injectTransfer } from '../worldTime.ts'

/** What any put-in transfer can be set to be; what is left out is drawn by lot. */
export const transferShape = {
  count: z.int().min(1).max(100_000).default(1).describe('How many'),
  spacing: duration.default(0).describe('How far apart they begin'),
  direction: z.enum(['MainToZone', 'ZoneToMain']).optional(),
  token: z.enum(tokenSymbols).optional(),
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

/** The newest completed records that began before an instant. */
export function completedBefore(
  world: World,
  before: number,
  count: number,
  also: (number: number) => boolean = () => true,
): number[] {
  const found: number[] = []
  for (let at = world.listed.values.length - 1; at >= 0 && found.length < count; at -= 1) {
    if (nth(world.listed.keys, at) > before) continue
    const number = nth(world.listed.values, at)
    const record = recordOf(world, number)
    const complete = record.mainTxHash !== '' && record.zoneTxHash !== '' && record.status === '0x1'
    if (complete && !world.specials.get(number)?.patches && also(number)) found.push(number)
  }
  return found
}

/** A movement of tokens outside the bridge's own doing, with the log that the token writes for it. */
export function mainMove(
  world: World,
  given: { token: TokenSymbol; amount: string; from: string; to: string; operator: string },
): { moves: TokenMove[]; logs: Log[] } {
  const token = tokenBySymbol(world.tokens, given.token)
  const amountRaw = toRaw(given.amount, token.decimals)
  const moved: Moved = { from: given.from, to: given.to, amountRaw, tokenId: '', items: [] }
  return { moves: tokenMoves(token, moved), logs: [transferLog(token, given.operator, moved)] }
}

/** An address that nobody has seen before. */
export function userLike(world: World, place: number): string {
  return addressOf(world.seed, 'stranger', world.extras.length + place)
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
  const token = tokenBySymbol(world.tokens, params.token ?? 'USDC')
  return toRaw(params.amount, token.decimals)
}
