import { originLeg, type Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Sighting } from './sighting.ts'

/** The earliest block time that records gave the origin transaction: a reorganisation may have moved it since. */
export function firstOriginTime(transfer: Transfer, sightings: readonly Sighting[]): UnixMs | null {
  const origin = originLeg(transfer)
  const times = sightings.flatMap(({ mainHash, mainTime, zoneHash, zoneTime }) => {
    const [hash, time] = origin?.chain === 'main' ? [mainHash, mainTime] : [zoneHash, zoneTime]
    return hash === origin?.hash && time !== null ? [time] : []
  })
  return times.length === 0 ? null : Math.min(...times)
}
