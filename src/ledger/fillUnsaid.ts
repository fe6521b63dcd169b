import type { Observation, UnsaidField } from '../bridge/observation.ts'
import { isCompatible, isUnsaid, type Sighting } from './sighting.ts'

/** Of what a weak name consists beside hashes and the direction. */
const fields = ['token', 'tokenId', 'amountRaw', 'targetAddress'] as const satisfies readonly UnsaidField[]

type Record = Pick<
  Observation,
  'direction' | 'mainHash' | 'zoneHash' | (typeof fields)[number] | 'value' | 'unsaid'
>

/** Whether a record does not say something of its content, so that it may be equal to another one that does. */
export function isVague(sighting: Pick<Sighting, 'unsaid'>): boolean {
  return sighting.unsaid !== undefined && fields.some((field) => isUnsaid(sighting, field))
}

/** Whether two records may be of the same transfer: they share a hash, and differ in nothing that both say. */
export function mayBeSame(a: Record, b: Record): boolean {
  if (a.direction !== b.direction) return false
  if (!isCompatible(a.mainHash, b.mainHash) || !isCompatible(a.zoneHash, b.zoneHash)) return false
  const isShared =
    (a.mainHash !== null && a.mainHash === b.mainHash) || (a.zoneHash !== null && a.zoneHash === b.zoneHash)
  return isShared && agrees(a, b)
}

function agrees(a: Record, b: Record): boolean {
  const isSame = fields.every((field) => a[field] === b[field] || isUnsaid(a, field) || isUnsaid(b, field))
  const isRaw = a.amountRaw !== null && b.amountRaw !== null
  return isSame && (isRaw || isCompatible(a.value, b.value))
}

/**
 * The same records, in which what one does not say is taken from the others that it may be the same as, where all of
 * those agree: a key that a service leaves out for a while makes no other transfer of a record. A pure function of the
 * set; where nothing is unsaid, the very same.
 */
export function fillUnsaid(sightings: readonly Sighting[]): readonly Sighting[] {
  if (!sightings.some(isVague)) return sightings
  return sightings.map((sighting) => (isVague(sighting) ? fill(sighting, sightings) : sighting))
}

function fill(sighting: Sighting, all: readonly Sighting[]): Sighting {
  const others = all.filter((other) => mayBeSame(sighting, other))
  const filled = fields
    .filter((field) => isUnsaid(sighting, field))
    .flatMap((field) => {
      const said = others.filter((other) => !isUnsaid(other, field)).map((other) => other[field])
      const [value, ...more] = new Set(said)
      return value === undefined || more.length > 0 ? [] : [{ field, value }]
    })
  const { unsaid, ...content } = sighting
  const left = unsaid?.split(',').filter((name) => !filled.some(({ field }) => field === name)) ?? []
  return {
    ...content,
    ...Object.fromEntries(filled.map(({ field, value }) => [field, value])),
    ...(left.length > 0 && { unsaid: left.join() }),
  }
}
