import { z } from 'zod'
import { type Chain, chains, type Observation } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { oldTimeMark } from '../sightings/sighting.ts'
import { saveMeta } from '../../store/meta.ts'
import { json } from '../../store/table.ts'

/** A block of each chain and when it was made: what stands higher was made later. */
type FirstHeads = Partial<Readonly<Record<Chain, { readonly height: number; readonly time: UnixMs }>>>

const name = 'first_heads'
const block = z.object({ height: z.number(), time: z.number() }).exactOptional()
// What is damaged is remembered anew.
const firstHeads = json(z.object({ main: block, zone: block })).orElse({})

/** How far two sources may differ in when a block was made, ms. */
const slackMs = 3_600_000

/** Remembers the first head that was read of a chain; one that a later and higher one shows to have been dated wrong is not it. */
export function noteFirstHead(db: Database, chain: Chain, height: number, time: UnixMs | null): void {
  if (time === null) return
  const known = readFirstHeads(db)
  const first = known[chain]
  if (first === undefined || (height > first.height && time < first.time))
    saveMeta(db, name, JSON.stringify({ ...known, [chain]: { height, time } }))
}

/**
 * The records of an answer without the times that their own heights contradict: a block above the first head that was seen
 * is no older than that one. What is said to be of long ago would be taken for history, and judged by nobody; what has no
 * time happened when its record was first seen.
 */
export function withoutOldTimes(db: Database, answer: readonly Observation[]): readonly Observation[] {
  const known = readFirstHeads(db)
  const isOld = (chain: Chain, height: number | null, time: UnixMs | null) => {
    const first = known[chain]
    return (
      first !== undefined &&
      height !== null &&
      time !== null &&
      height > first.height &&
      time < first.time - slackMs
    )
  }
  return chains.every((chain) => known[chain] === undefined)
    ? answer
    : answer.map((one) => {
        const isMainOld = isOld('main', one.mainHeight, one.mainTime)
        const isZoneOld = isOld('zone', one.zoneHeight, one.zoneTime)
        if (!isMainOld && !isZoneOld) return one
        const marks = [
          ...(isMainOld ? [oldTimeMark('main')] : []),
          ...(isZoneOld ? [oldTimeMark('zone')] : []),
        ]
        return {
          ...one,
          ...(isMainOld && { mainTime: null }),
          ...(isZoneOld && { zoneTime: null }),
          unsaid: [...(one.unsaid === undefined ? [] : [one.unsaid]), ...marks].join(),
        }
      })
}

function readFirstHeads(db: Database): FirstHeads {
  return firstHeads.get(db, 'SELECT value FROM meta WHERE name = ?', name) ?? {}
}
