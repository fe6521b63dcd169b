import { fillUnsaid } from './fillUnsaid.ts'
import { forgetSharedIds } from './forgetSharedIds.ts'
import { joinEventsOfChain } from './joinEventsOfChain.ts'
import {
  compareText,
  eventName,
  type Group,
  isRecord,
  type Sighting,
  strongName,
  weakContent,
} from '../sightings/sighting.ts'
import { sightingDigest } from '../sightings/sightingCells.ts'
import { isNumbered, splitEquals } from '../sightings/splitEquals.ts'
import { type Draft, firstAt, groupBy, hasCompatibleMain, mainOf, mayShareName, toDraft } from './draft.ts'
import { findHosts, indexDrafts, indexHashes, joinLoose, splitByWord } from './joinLoose.ts'

/**
 * Tells which sightings are of the same transfer. A pure function of the set, so that the result does not depend on
 * the order in which the records were read.
 *
 * Strong names (id; zone hash with event index) join by themselves. Without one, a record joins by a shared hash
 * together with direction, token, token id, raw amount and recipient, and only where exactly one partner fits on
 * either side. Whatever fits several is kept apart and not guessed.
 * @param digestOf `sightingDigest`, or where its results are known already
 */
export function matchSightings(
  sightings: readonly Sighting[],
  digestOf: (sighting: Sighting) => string = sightingDigest,
): Group[] {
  const sorted = sightings
    .map((sighting) => ({ sighting, digest: digestOf(sighting) }))
    .sort((a, b) => compareText(a.digest, b.digest))
    .map(({ sighting }) => sighting)
  const filled = forgetSharedIds(fillUnsaid(sorted))
  if (filled === sorted) return matchOrdered(sorted)
  const given = new Map(filled.map((sighting, at) => [sighting, sorted[at] as Sighting]))
  const restore = (some: readonly Sighting[]) => some.map((one) => given.get(one) ?? one)
  return matchOrdered(filled).map(({ members, ambiguous }) => ({
    members: restore(members),
    ambiguous: restore(ambiguous),
  }))
}

function matchOrdered(sorted: readonly Sighting[]): Group[] {
  const ordered = sorted.filter(isRecord)
  if (ordered.length < sorted.length) {
    return joinEventsOfChain(
      matchOrdered(ordered),
      sorted.filter((sighting) => !isRecord(sighting)),
    )
  }
  const named = ordered.filter((sighting) => strongName(sighting) !== null)
  const drafts = joinEvents(groupById(named), groupByEvent(named))
  return joinLoose(
    drafts,
    ordered.filter((sighting) => strongName(sighting) === null),
  )
}

function groupById(named: readonly Sighting[]): Draft[] {
  const groups = groupBy(
    named.filter((sighting) => sighting.id !== null),
    (sighting) => sighting.id ?? '',
  )
  return groups.flatMap((group) =>
    needsContent(group)
      ? groupByContent(group).flatMap((items) => (group.some(isTwin) ? splitByMain(items) : [toDraft(items)]))
      : [toDraft(group)],
  )
}

function groupByEvent(named: readonly Sighting[]): Draft[] {
  const unnamed = named.filter((sighting) => sighting.id === null)
  const groups = groupBy(
    unnamed.filter((sighting) => !isNumbered(sighting)),
    (sighting) => eventName(sighting) ?? '',
  ).flatMap(splitByWord)
  const equals = groupBy(
    unnamed.filter(isNumbered),
    (sighting) => `${sighting.zoneHash}|${weakContent(sighting)}`,
  ).flatMap(splitByWord)
  return [
    ...groups.flatMap((group) =>
      (needsContent(group) ? groupByContent(group) : [group]).flatMap(splitByMain),
    ),
    ...equals.flatMap(splitEquals).map(toDraft),
  ]
}

/** By content: what says no amount yet is of the one that is equal but for that, where that is one and did not stand beside it. */
function groupByContent(group: readonly Sighting[]): Sighting[][] {
  const groups = groupBy(group, weakContent)
  const earlier = groups.filter(isEarlier)
  if (earlier.length === 0 || groups.length === 1) return groups
  const later = groups.filter((items) => !isEarlier(items))
  const byRest = Map.groupBy(later, ([one]) => one && weakContent({ ...one, amountRaw: null, value: null }))
  const alone = earlier.filter((items) => {
    const [first] = items
    const fitting = byRest.get(first && weakContent(first)) ?? []
    const [host, ...more] = fitting.filter((others) =>
      items.every((one) => hasCompatibleMain(toDraft(others), toDraft([one]))),
    )
    if (host === undefined || more.length > 0) return true
    host.push(...items)
    return false
  })
  return [...later, ...alone]
}

/** Whether it says no amount, and may say one later. */
function isEarlier(items: readonly Sighting[]): boolean {
  return items.every((one) => one.amountRaw === null && one.value === null && !one.twin)
}

/** Of a batch shown as one row an item, and of records seen side by side, the name says the origin, the content which one. */
function needsContent(group: readonly Sighting[]): boolean {
  return group.some((sighting) => sighting.twin || sighting.crossType === 'BatchWithdraw')
}

function isTwin(sighting: Sighting): boolean {
  return sighting.twin
}

/**
 * One origin with several main hashes has several payouts. What was seen before any payout belongs to the first one:
 * it is the later ones that need explaining.
 */
function splitByMain(group: readonly Sighting[]): Draft[] {
  const paid = groupBy(
    group.filter((sighting) => sighting.mainHash !== null),
    (sighting) => sighting.mainHash ?? '',
  )
  if (paid.length <= 1) return [toDraft(group)]
  const drafts = paid
    .map(toDraft)
    .sort((a, b) => firstAt(a) - firstAt(b) || compareText(mainOf(a), mainOf(b)))
  drafts[0]?.members.push(...group.filter((sighting) => sighting.mainHash === null))
  return drafts
}

/** Joins records known by zone hash and event index alone with those that bear an id beside the same index. */
function joinEvents(byId: Draft[], byEvent: Draft[]): Draft[] {
  if (byEvent.length === 0) return byId
  const ids = indexDrafts(byId, (member) => eventName(member))
  const taken = new Map<Draft, Draft[]>()
  const apart: Draft[] = []
  for (const draft of byEvent) {
    const name = eventName(draft.members[0] as Sighting) ?? ''
    const fitting = (ids.get(name) ?? []).filter(
      (candidate) =>
        hasCompatibleMain(candidate, draft) &&
        mayShareName(candidate, draft) &&
        sharesContentIfNeeded(candidate, draft),
    )
    const [first] = fitting
    if (first && (fitting.length === 1 || mainOf(draft) === ''))
      taken.set(first, [...(taken.get(first) ?? []), draft])
    else apart.push(draft)
  }
  for (const [draft, joining] of taken) {
    if (joining.length === 1 || new Set(joining.map(mainOf)).size === 1) {
      for (const other of joining) draft.members.push(...other.members)
    } else apart.push(...joining)
  }
  return [...byId, ...joinUnindexed(byId, apart)]
}

/**
 * The list may give an id where the detail gives an event index. Two names of different kinds do not differ, so that
 * content and a shared hash join them; events that fit several ids alike are counted and assigned to none.
 */
function joinUnindexed(byId: Draft[], byEvent: readonly Draft[]): Draft[] {
  const hosts = byId.filter((draft) => draft.members.every((member) => eventName(member) === null))
  if (hosts.length === 0) return [...byEvent]
  const byHash = indexHashes(hosts)
  const explained = new Map<Draft, number>()
  return byEvent.filter((draft) => {
    const fitting = findHosts(byHash, draft)
    const [first] = fitting
    const count = first ? (explained.get(first) ?? 0) : 0
    // The detail says how many there are: what goes beyond the ids is a further transfer.
    if (!first || count >= fitting.length) return true
    explained.set(first, count + 1)
    if (fitting.length === 1) first.members.push(...draft.members)
    else first.ambiguous.push(...draft.members)
    return false
  })
}

function sharesContentIfNeeded(a: Draft, b: Draft): boolean {
  if (!needsContent([...a.members, ...b.members])) return true
  return a.members.some((left) => b.members.some((right) => weakContent(left) === weakContent(right)))
}
