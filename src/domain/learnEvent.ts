import { type ContentField, contentFields, type EventSample } from './bridgeLog.ts'
import { type EventPlace, findPlaces, toNeedle } from './eventPlaces.ts'
import type { Direction } from './observation.ts'

/** What one contract's events with one first topic mean, learned from events whose transfers are known. */
export interface EventTemplate {
  readonly direction: Direction
  /** How many topics such an event has. */
  readonly topics: number
  /** Of each field every place that held its value each time; none when it is not in the event. */
  readonly places: Readonly<Record<ContentField, readonly EventPlace[]>>
}

/** Fewer transactions teach nothing. */
const neededSamples = 3
/** Fields whose value could stand at a place by chance: different values must have been there. */
const varying: readonly ContentField[] = ['amount', 'tokenId', 'recipient', 'sender', 'zoneHash']
/** More places than this say no more. */
const maxPlaces = 16

/**
 * Learns which events mean a transfer, and where in them its parts stand. A place counts when it held the value in
 * every sample that knows it, over at least three transactions and different values. Null while the samples do not
 * agree, or do not show enough to tell a transfer's event from any other that merely goes with it: they must show the
 * amount beside a party, the token or the origin; or, where fees hide the amount, the recipient beside one of these.
 */
export function learnEvent(samples: readonly EventSample[]): EventTemplate | null {
  const [first] = samples
  if (!first || new Set(samples.map(({ hash }) => hash)).size < neededSamples) return null
  const isAlike = samples.every(
    ({ direction, topics }) => direction === first.direction && topics.length === first.topics.length,
  )
  if (!isAlike) return null
  const entries = contentFields.map((field) => [field, learnPlaces(samples, field)] as const)
  // One entry for each field.
  const places = Object.fromEntries(entries) as Record<ContentField, EventPlace[]>
  if (!isEnough(places)) return null
  return { direction: first.direction, topics: first.topics.length, places }
}

/** How many parts of a transfer the event shows: of two events that tell of one transfer the fuller one counts. */
export function countKnown(template: EventTemplate): number {
  return contentFields.filter((field) => template.places[field].length > 0).length
}

function learnPlaces(samples: readonly EventSample[], field: ContentField): EventPlace[] {
  const known = samples.flatMap((sample) => {
    const needle = toNeedle(field, sample.content[field])
    return needle === null ? [] : [{ sample, needle }]
  })
  const values = new Set(known.map(({ needle }) => needle))
  if (known.length < neededSamples || (varying.includes(field) && values.size < 2)) return []
  let common: Set<EventPlace> | null = null
  for (const { sample, needle } of known) {
    const found = findPlaces(sample, needle)
    common = common === null ? found : common.intersection(found)
    if (common.size === 0) return []
  }
  return [...(common ?? [])].sort().slice(0, maxPlaces)
}

function isEnough(places: Readonly<Record<ContentField, readonly EventPlace[]>>): boolean {
  const has = (field: ContentField) => places[field].length > 0
  if (has('amount')) return has('recipient') || has('sender') || has('token') || has('zoneHash')
  return has('recipient') && (has('token') || has('zoneHash'))
}
