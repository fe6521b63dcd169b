import { z } from 'zod'
import { addExtra } from '../chain/mainChain.ts'
import type { PreconfStory } from '../chain/mainTransaction.ts'
import { duration } from '../settings.ts'
import { userAddress, type World } from '../world.ts'
import { worldFault } from './fault.ts'
import { mainMove } from './putIn.ts'

const shape = {
  count: z.int().min(1).max(10_000).default(1),
  spacing: duration.default(50).describe('How far apart they arrive'),
}

/** Transactions whose preconfirmation is not what becomes of them. */
export const preconfFaults = [
  worldFault(
    'preconf.dropped',
    'Transactions preconfirmed that no block ever holds',
    shape,
    (world, params) => {
      send(world, params, { dropped: true })
    },
  ),
  worldFault(
    'preconf.flipped',
    'Transactions preconfirmed with the other outcome',
    shape,
    (world, params) => {
      send(world, params, { flipped: true })
    },
  ),
  worldFault(
    'preconf.moved',
    'Transactions held by a later block than the one they were preconfirmed in',
    { ...shape, by: z.int().min(1).max(3_600).default(1).describe('How many blocks later') },
    (world, params) => {
      send(world, params, { movedBy: params.by })
    },
  ),
  worldFault(
    'preconf.late',
    'Transactions first seen in their block, never preconfirmed',
    shape,
    (world, params) => {
      send(world, params, { unseen: true })
    },
  ),
]

function send(world: World, params: { count: number; spacing: number }, preconf: PreconfStory): void {
  for (let place = 0; place < params.count; place += 1) {
    const [from, to] = [userAddress(world, place * 2), userAddress(world, place * 2 + 1)]
    const moved = mainMove(world, { token: 'USDC', amount: '250', from, to, operator: from })
    // The instant given is that of the block that holds it; seen earlier is seen so many blocks before.
    const at = world.now + place * params.spacing + (preconf.movedBy ?? 0) * 1_000
    addExtra(world, { at, from, to: moved.logs[0]?.address ?? to, methodId: '0xa9059cbb', ...moved, preconf })
  }
}
