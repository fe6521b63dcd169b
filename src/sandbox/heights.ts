import type { UnixMs } from '../lib/clock.ts'
import type { World } from './world.ts'

export const mainBlockMs = 1_000
const zoneBlockMs = 100
// Where the chains stood at genesis: heights that nobody mistakes for a count or for each other.
const mainBase = 5_000_000
const zoneBase = 21_300_000
/** The explorer counts fewer zone blocks than the head's height says, as the real one does. */
export const uncountedZoneBlocks = 8_200_000

/** The block that takes in what happens at an instant: the next one, so that no block changes once it is shown. */
export function mainHeightAt(world: World, at: UnixMs): number {
  return mainHeadAt(world, at) + 1
}

export function zoneHeightAt(world: World, at: UnixMs): number {
  return zoneHeadAt(world, at) + 1
}

export function mainBlockTime(world: World, height: number): UnixMs {
  return world.genesisAt + (height - mainBase) * mainBlockMs
}

export function zoneBlockTime(world: World, height: number): UnixMs {
  return world.genesisAt + (height - zoneBase) * zoneBlockMs
}

/** The newest block at an instant. */
export function mainHeadAt(world: World, at: UnixMs): number {
  return mainBase + Math.floor((at - world.genesisAt) / mainBlockMs)
}

export function zoneHeadAt(world: World, at: UnixMs): number {
  return zoneBase + Math.floor((at - world.genesisAt) / zoneBlockMs)
}
