import type { UnixMs } from '../../lib/clock.ts'
import { mainBlockMs, mainBlockTime, mainHeadAt, mainHeightAt } from '../heights.ts'
import { mix } from '../random.ts'
import { reachedAt, type World } from '../world.ts'
import { callsOf, mainTransactions, place } from './mainChain.ts'
import type { MainCall, MainTransaction } from './mainTransaction.ts'

/** The block being made as it was last preconfirmed: so many of its steps have been seen. */
export interface Preconfirmed {
  readonly height: number
  readonly step: number
  readonly transactions: readonly MainTransaction[]
}

/** A block is made in three to five steps. */
function stepsOf(world: World, height: number): number {
  return 3 + (mix(world.seed, height, 0x57e) % 3)
}

/**
 * The last preconfirmed state. Until the first step of a new block has come it is still the block before, complete;
 * while preconfirmations stand still it stays what it was, and the chain goes on without it.
 */
export function preconfirmed(world: World): Preconfirmed {
  const reached = Math.min(reachedAt(world, 'preconf'), reachedAt(world, 'rpc'))
  const next = mainHeadAt(world, reached) + 1
  const start = mainBlockTime(world, next) - mainBlockMs
  const steps = stepsOf(world, next)
  const step = Math.floor(((reached - start) * steps) / mainBlockMs)
  if (step > 0) return viewOf(world, next, step, start + Math.ceil((step * mainBlockMs) / steps))
  return viewOf(world, next - 1, stepsOf(world, next - 1), start)
}

function viewOf(world: World, height: number, step: number, until: UnixMs): Preconfirmed {
  const arrived = callsOf(world, height).filter(
    (call) => call.arrivedAt <= until && call.preconf?.unseen !== true,
  )
  const staying = arrived.filter((call) => !call.preconf?.dropped && !call.preconf?.movedBy)
  const passing = arrived.filter((call) => call.preconf?.dropped)
  // What will not stay comes last, so that it takes no other transaction's place.
  const shown = [...staying, ...passing, ...movedAway(world, height, until)]
  return { height, step, transactions: place(shown.map(asPreconfirmed), height) }
}

/** Transactions preconfirmed here that a later block will hold. */
function movedAway(world: World, height: number, until: UnixMs): MainCall[] {
  const moving = world.extras.filter((extra) => {
    const by = extra.preconf?.movedBy ?? 0
    return by > 0 && mainHeightAt(world, extra.at) - by === height && extra.at - by * mainBlockMs <= until
  })
  const heights = new Set(moving.map((extra) => mainHeightAt(world, extra.at)))
  return [...heights]
    .flatMap((later) => mainTransactions(world, later))
    .filter((call) => call.preconf?.movedBy !== undefined && call.height - call.preconf.movedBy === height)
}

function asPreconfirmed(call: MainCall): MainCall {
  return call.preconf?.flipped ? { ...call, failed: !call.failed } : call
}
