import { nth } from '../../lib/nth.ts'
import { firstAbove } from '../sortedIndex.ts'
import type { Token } from '../tokens.ts'
import { getTransfer } from '../transfers.ts'
import { mainHeightAt } from '../heights.ts'
import type { World } from '../world.ts'
import { movedRaw } from './bridgeCalls.ts'

/** What the bridge's escrow holds of a token at the end of a block. */
export function escrowBalance(world: World, token: Token, height: number): bigint {
  moveSums(world, firstAbove(world.mainLegs, height))
  const baseline = BigInt(Math.ceil(token.usual * 100_000)) * 10n ** BigInt(token.decimals)
  const balance =
    baseline + (world.escrowSums.byToken.get(token.address) ?? 0n) + extraFlow(world, token, height)
  return balance < 0n ? 0n : balance
}

/** Brings the running sums to a place in the list of legs, forwards or back. */
function moveSums(world: World, target: number): void {
  const sums = world.escrowSums
  while (sums.legs < target) add(world, nth(world.mainLegs.values, sums.legs++), 1n)
  while (sums.legs > target) add(world, nth(world.mainLegs.values, --sums.legs), -1n)
}

function add(world: World, number: number, sign: bigint): void {
  const transfer = getTransfer(world, number)
  const { direction, token } = transfer
  if (transfer.special.mainFailed) return
  const moved = movedRaw(world, transfer)
  const { byToken } = world.escrowSums
  const change = direction === 'MainToZone' ? moved : -moved
  byToken.set(token.address, (byToken.get(token.address) ?? 0n) + sign * change)
}

/** What other transactions took out of the escrow, or put in. */
function extraFlow(world: World, token: Token, height: number): bigint {
  const { escrow } = world.contracts
  return world.extras
    .filter((extra) => !extra.failed && !extra.preconf?.dropped && mainHeightAt(world, extra.at) <= height)
    .flatMap((extra) => extra.moves)
    .filter((move) => move.token === token.address)
    .reduce(
      (sum, { from, to, amountRaw }) =>
        sum + (to === escrow ? amountRaw : 0n) - (from === escrow ? amountRaw : 0n),
      0n,
    )
}
