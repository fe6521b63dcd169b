import type { Observation, UnsaidField } from '../../bridge/observation.ts'
import { isCompatible, isUnsaid, type Sighting } from '../sightings/sighting.ts'

/** Of what a weak name consists beside hashes and the direction. */
const fields = ['token', 'tokenId', 'amountRaw', 'targetAddress'] as const satisfies readonly UnsaidField[]

type Field = (typeof fields)[number]

type Record = Pick<
  Observation,
  'direction' | 'mainHash' | 'zoneHash' | Field | 'value' | 'unsaid' | 'id' | 'crossType'
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
  const isSame = fields.every((field) => a[field] === b[field] || isSilent(a, field) || isSilent(b, field))
  const isRaw = a.amountRaw !== null && b.amountRaw !== null
  return isSame && (isRaw || isCompatible(a.value, b.value))
}

/**
 * Whether a record says nothing of a field: it lacks the key, or is empty there and bears no id by which what is filled in
 * later would be known for the same: rows of the list have no event index. Of a batch amounts stay empty.
 */
function isSilent(record: Record, field: Field): boolean {
  if (isUnsaid(record, field)) return true
  const isEmpty =
    field === 'amountRaw'
      ? record.amountRaw === null && record.value === null
      : field === 'targetAddress' && record.targetAddress === ''
  return isEmpty && record.crossType !== 'BatchWithdraw' && record.id === null
}

function lacksSomething(sighting: Sighting): boolean {
  return fields.some((field) => isSilent(sighting, field))
}

/**
 * The same records, in which what one does not say is taken from the others that it may be the same as, where all of
 * those agree: a key that a service leaves out for a while makes no other transfer of a record. A pure function of the
 * set; where nothing is unsaid, the very same.
 */
export function fillUnsaid(sightings: readonly Sighting[]): readonly Sighting[] {
  if (!sightings.some(lacksSomething)) return sightings
  return sightings.map((sighting) => (lacksSomething(sighting) ? fill(sighting, sightings) : sighting))
}

function fill(sighting: Sighting, all: readonly Sighting[]): Sighting {
  const others = all.filter((other) => mayBeSame(sighting, other))
  const filled = fields
    .filter((field) => isSilent(sighting, field))
    .flatMap((field) => {
      const said = others.filter((other) => !isSilent(other, field)).map((other) => other[field])
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
