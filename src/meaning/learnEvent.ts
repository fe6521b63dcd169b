import { type ContentField, contentFields, type EventSample } from '../bridge/bridgeLog.ts'
import { type EventPlace, findPlaces, readPlace, toNeedle, widthOf } from './eventPlaces.ts'
import type { Direction } from '../bridge/observation.ts'

/** What one contract's events with one first topic mean, learned from events whose transfers are known. */
export interface EventTemplate {
  readonly direction: Direction
  /** How many topics such an event has. */
  readonly topics: number
  /** Of each field every place that held its value each time; none when it is not in the event. */
  readonly places: Readonly<Record<ContentField, readonly EventPlace[]>>
}

/** Fewer parties teach nothing. */
const neededParties = 3
/** Samples of one party that count, the newest; together they are one voice. */
export const mostOfParty = 5
/** Fields whose value could stand at a place by chance: different values must have been there. */
const varying: readonly ContentField[] = ['amount', 'tokenId', 'recipient', 'sender', 'zoneHash']
/** More places than this say no more. */
const maxPlaces = 16
/** How many in a row, of different parties, have to say otherwise before the event means something else. */
const enoughDissent = 5

/**
 * Learns which events mean a transfer, and where in them its parts stand. A place counts when it held the value in all
 * samples that know it but a few, over at least three parties and different values. Null while the samples do not
 * agree, or do not show enough to distinguish a transfer's event from any other that merely goes with it: they must show the
 * amount beside a party, the token or the origin; or, where fees hide the amount, the recipient beside one of these.
 *
 * What was learned `before` is not unlearned by a few that say otherwise: see `isOutdated`.
 * @param samples the oldest first
 */
export function learnEvent(
  samples: readonly EventSample[],
  before: EventTemplate | null = null,
): EventTemplate | null {
  const counted = capParties(samples)
  const shapes = [
    ...Map.groupBy(counted, ({ direction, topics }) => `${direction} ${topics.length}`).values(),
  ]
  const usual = shapes.toSorted((a, b) => countParties(b) - countParties(a))[0] ?? []
  const [first] = usual
  const needed = Math.max(neededParties, neededOf(countParties(counted)))
  if (!first || countParties(usual) < needed) return before
  const places = toPlaces((field) => learnPlaces(usual, field))
  const learned = { direction: first.direction, topics: first.topics.length, places }
  if (before?.direction !== learned.direction || before.topics !== learned.topics)
    return isEnough(places) ? (before ?? learned) : before
  const kept = toPlaces((field) => (places[field].length > 0 ? places : before.places)[field])
  return { ...learned, places: kept }
}

/** Whether the newest events, each of another party, all say otherwise than what was learned. */
export function isOutdated(samples: readonly EventSample[], template: EventTemplate): boolean {
  const parties = new Set<string>()
  for (const sample of samples.toReversed()) {
    if (!contradicts(sample, template)) return false
    parties.add(partyOfSample(sample))
    if (parties.size >= enoughDissent) return true
  }
  return false
}

/** The newest samples that an event which means something else by now is learned anew from. */
export function newestDissent(samples: readonly EventSample[], template: EventTemplate): EventSample[] {
  const last = samples.findLastIndex((sample) => !contradicts(sample, template))
  return samples.slice(last + 1)
}

/** An event of which only the direction is known any more: what moved beside it shows the rest. */
export function toBareTemplate({ direction, topics }: EventSample): EventTemplate {
  return { direction, topics: topics.length, places: toPlaces(() => []) }
}

function toPlaces(of: (field: ContentField) => readonly EventPlace[]): EventTemplate['places'] {
  const entries = contentFields.map((field) => [field, of(field)] as const)
  // One entry for each field.
  return Object.fromEntries(entries) as Record<ContentField, readonly EventPlace[]>
}

/** How many parts of a transfer the event shows: of two events that stand for one transfer the fuller one counts. */
export function countKnown(template: EventTemplate): number {
  return contentFields.filter((field) => template.places[field].length > 0).length
}

/** Whether a sample says otherwise than what was learned. A place that was of two fields alike may be of one of them. */
export function contradicts(sample: EventSample, template: EventTemplate): boolean {
  if (sample.direction !== template.direction || sample.topics.length !== template.topics) return true
  const holds = (field: ContentField, place: EventPlace) =>
    readPlace(sample, place, widthOf(field)) === toNeedle(field, sample.content[field])
  const isOfOther = (field: ContentField, place: EventPlace) =>
    contentFields.some(
      (other) => other !== field && template.places[other].includes(place) && holds(other, place),
    )
  return contentFields.some((field) => {
    const places = template.places[field]
    if (toNeedle(field, sample.content[field]) === null || places.length === 0) return false
    return places.every((place) => !holds(field, place) && !isOfOther(field, place))
  })
}

/** Of so many parties all have to agree, but one of at least six, and one in twenty of more. */
function neededOf(count: number): number {
  return count - (count < 6 ? 0 : Math.max(1, Math.floor(count / 20)))
}

/** On whose behalf the transfer of a sample was made. */
export function partyOfSample({ direction, content, hash }: EventSample): string {
  const { recipient, sender } = content
  return (direction === 'ZoneToMain' ? recipient || sender : sender || recipient) || hash
}

/** Whether a deposit was for another than who made it. */
export function isForOther({ content: { sender, recipient } }: EventSample): boolean {
  return sender !== '' && sender !== recipient
}

export function countParties(samples: readonly EventSample[]): number {
  return new Set(samples.map(partyOfSample)).size
}

/** Of each party so many as count, the newest. */
export function capParties(samples: readonly EventSample[]): EventSample[] {
  return [...Map.groupBy(samples, partyOfSample).values()].flatMap((own) => own.slice(-mostOfParty))
}

function learnPlaces(samples: readonly EventSample[], field: ContentField): EventPlace[] {
  const known = samples.flatMap((sample) => {
    const needle = toNeedle(field, sample.content[field])
    return needle === null ? [] : [{ sample, needle }]
  })
  const values = new Set(known.map(({ needle }) => needle))
  const parties = [...Map.groupBy(known, ({ sample }) => partyOfSample(sample)).values()]
  if (parties.length < neededParties || (varying.includes(field) && values.size < 2)) return []
  const counts = new Map<EventPlace, number>()
  for (const own of parties) {
    const held = own.flatMap(({ sample, needle }) => [...findPlaces(sample, needle)])
    for (const [place, times] of Map.groupBy(held, (one) => one))
      if (times.length > own.length / 2) counts.set(place, (counts.get(place) ?? 0) + 1)
  }
  const needed = neededOf(parties.length)
  const found = [...counts].filter(([, count]) => count >= needed)
  // What held the value each time goes before what did so but a few times.
  const most = Math.max(0, ...found.map(([, count]) => count))
  return found
    .filter(([, count]) => count === most)
    .map(([place]) => place)
    .sort()
    .slice(0, maxPlaces)
}

function isEnough(places: Readonly<Record<ContentField, readonly EventPlace[]>>): boolean {
  const has = (field: ContentField) => places[field].length > 0
  if (has('amount')) return has('recipient') || has('sender') || has('token') || has('zoneHash')
  return has('recipient') && (has('token') || has('zoneHash'))
}
