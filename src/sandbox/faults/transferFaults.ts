import { nth } from '../../lib/nth.ts'
import { z } from 'zod'
import { duration } from '../settings.ts'
import type { TransferSpec } from '../transferSpec.ts'
import { amendTransfer } from '../worldTime.ts'
import { worldFault } from './fault.ts'
import { completedBefore, injectMany, transferShape } from './putIn.ts'

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
