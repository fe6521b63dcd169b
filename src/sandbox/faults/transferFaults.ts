import { z } from 'zod'
import { nth } from '../../lib/nth.ts'
import { addExtra } from '../chain/mainChain.ts'
import { duration } from '../settings.ts'
import { tokenSymbols } from '../tokens.ts'
import type { TransferSpec } from '../transferSpec.ts'
import { getTransfer } from '../transfers.ts'
import { amendTransfer, injectTransfer } from '../worldTime.ts'
import { worldFault } from './fault.ts'
import { completedBefore, injectMany, mainMove, transferShape, userLike } from './putIn.ts'

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
    'transfer.unlisted',
    'Transfers that the chains hold and the list does not show: for a while, or ever',
    {
      ...transferShape,
      arrives: z.boolean().default(true).describe('Whether the far side comes'),
    },
    (world, params, window) => {
      injectMany(world, params, () => ({
        listedAt: window.until,
        ...(params.arrives ? {} : { destinationAt: Number.POSITIVE_INFINITY }),
      }))
    },
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
        tokenName: nth(params.names, place % params.names.length).repeat(params.repeat),
      }))
    },
  ),
]

const oneSecond = 1_000

/** Value that arrives without having left, or not as much of it as is said. */
export const theftFaults = [
  worldFault(
    'transfer.unbacked',
    'Payouts with no origin: the record names an invented hash, an empty one, or there is no record at all',
    { ...transferShape, record: z.enum(['invented', 'empty', 'none']).default('invented') },
    (world, params) => {
      injectMany(world, params, (at) => ({
        direction: params.direction ?? 'ZoneToMain',
        originAbsent: params.record === 'invented' ? 'invented' : 'empty',
        originAt: at - 5 * oneSecond,
        destinationAt: at,
        ...(params.record === 'none' ? { listedAt: Number.POSITIVE_INFINITY } : {}),
      }))
    },
  ),
  worldFault(
    'transfer.duplicate',
    'Withdrawals that were paid already are paid once more',
    { count: z.int().min(1).max(1_000).default(1), age: duration.default(20_000) },
    (world, params) => {
      const isWithdrawal = (number: number) => getTransfer(world, number).direction === 'ZoneToMain'
      for (const number of completedBefore(world, world.now - params.age, params.count, isWithdrawal)) {
        const { crossType, token, tokenId, amountRaw, sourceAddress, targetAddress } = getTransfer(
          world,
          number,
        )
        const same = { crossType, token: token.symbol, tokenId, amountRaw, sourceAddress, targetAddress }
        const times = { originAt: nth(world.originAt, number), destinationAt: world.now + oneSecond }
        const listedAt = world.now + 2 * oneSecond
        injectTransfer(world, { ...same, ...times, listedAt, direction: 'ZoneToMain', sameOriginAs: number })
      }
    },
  ),
  worldFault(
    'transfer.mismatch',
    "The main leg moves another amount than the record and the bridge's event say, 0 moves nothing at all; or it failed",
    {
      ...transferShape,
      moved: z
        .string()
        .regex(/^\d{1,78}$/, 'expected base units, in quotes')
        .default('0'),
      failed: z
        .enum(['main', 'zone'])
        .optional()
        .describe("Instead: that chain's transaction failed, and the record says success"),
    },
    (world, params) => {
      injectMany(world, params, (at) =>
        params.failed === undefined
          ? { direction: params.direction ?? 'MainToZone', mainMovedRaw: BigInt(params.moved) }
          : {
              direction: params.failed === 'main' ? 'ZoneToMain' : 'MainToZone',
              ...(params.failed === 'main' ? { mainFailed: true } : { zoneError: 'execution reverted' }),
              patches: [{ at, fields: { status: '0x1' } }],
            },
      )
    },
  ),
  worldFault(
    'transfer.out_of_order',
    'The destination leg is older than the origin leg: it is in a block at once, its origin only after `by`',
    {
      ...transferShape,
      by: duration.default(30_000).describe('How much older; the record is listed once both legs are there'),
    },
    (world, params) => {
      // Never the other way round: what was read of a block that is past would be no longer so.
      injectMany(world, params, (at) => ({
        originAt: at + params.by,
        destinationAt: at,
        listedAt: at + params.by + 2 * oneSecond,
      }))
    },
  ),
  worldFault(
    'transfer.forged',
    'Transfers that the explorer shows in full and the nodes of one chain do not know, for a while or ever: deposits, on the zone withdrawals',
    { ...transferShape, chain: z.enum(['main', 'zone']).default('main') },
    (world, params, window) => {
      const isMain = params.chain === 'main'
      injectMany(world, params, () => ({
        direction: params.direction ?? (isMain ? 'MainToZone' : 'ZoneToMain'),
        ...(isMain ? { unknownUntil: window.until } : { zoneUnknownUntil: window.until }),
      }))
    },
  ),
  worldFault(
    'transfer.inflated',
    "Withdrawals of which record, explorer and payout say more than left the zone: only the zone's own nodes show it",
    {
      ...transferShape,
      burned: z
        .string()
        .regex(/^\d{1,78}$/, 'expected base units, in quotes')
        .default('1'),
    },
    (world, params) => {
      injectMany(world, params, () => ({
        direction: params.direction ?? 'ZoneToMain',
        zoneMovedRaw: BigInt(params.burned),
      }))
    },
  ),
  worldFault(
    'batch.bad',
    'Batch withdrawals whose detail is not understood, does not add up, or is not what was paid',
    { ...transferShape, how: z.enum(['unreadable', 'sum', 'unpaid']).default('unreadable') },
    (world, params) => {
      const batch: TransferSpec = { direction: 'ZoneToMain', crossType: 'BatchWithdraw', token: 'SHARES' }
      injectMany(world, params, (at) => {
        if (params.how === 'unpaid') return { ...batch, mainMovedRaw: 1n }
        const batchDetail = params.how === 'sum' ? '[{"tokenId":"7","amount":"1"}]' : '<batch of items>'
        return { ...batch, patches: [{ at, fields: { batchDetail } }] }
      })
    },
  ),
  worldFault(
    'escrow.drained',
    'Tokens leave the escrow for an unknown address, with no bridge event',
    {
      token: z.enum(tokenSymbols).default('USDC'),
      amount: z.string().default('1000000'),
      count: z.int().min(1).max(100).default(1),
    },
    (world, params) => {
      const { escrow } = world.contracts
      for (let place = 0; place < params.count; place += 1) {
        const thief = userLike(world, place)
        const moved = mainMove(world, { ...params, from: escrow, to: thief, operator: thief })
        addExtra(world, {
          at: world.now + place * oneSecond,
          from: thief,
          to: escrow,
          methodId: '0x51cff8d9',
          ...moved,
        })
      }
    },
  ),
]

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
