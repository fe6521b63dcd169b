import { isVague, mayBeSame } from './fillUnsaid.ts'
import {
  type Group,
  hashCount,
  isBesideUnread,
  isCompatible,
  isFullerForm,
  type Sighting,
  strongName,
  weakContent,
} from '../sightings/sighting.ts'
import {
  type Draft,
  groupBy,
  hasCompatibleMain,
  head,
  mainOf,
  type Matched,
  mayShareName,
  toDraft,
  zoneOf,
} from './draft.ts'

export function joinLoose(named: Draft[], loose: readonly Sighting[]): Group[] {
  const groups = groupBy(
    loose.filter((sighting) => !isVague(sighting)),
    (sighting) => `${weakContent(sighting)}|${sighting.zoneHash ?? ''}|${sighting.mainHash ?? ''}`,
  )
    .flatMap(splitByWord)
    .map(toDraft)
  const left = attach(named, groups)
  // Beside those with a name only an emptier record can be an earlier form of a fuller one.
  const full = left.filter((draft) => hashCount(head(draft)) === 2)
  const partial = left.filter((draft) => hashCount(head(draft)) < 2)
  const hosts = [...named, ...full]
  const found = [...hosts, ...attach(hosts, partial)]
  return [...found, ...joinVague(found, loose.filter(isVague))]
}

/** Equal records that bear different words in place of an id are several; those that bear none are of the first of them. */
export function splitByWord(group: readonly Sighting[]): Sighting[][] {
  const wordOf = ({ word }: Matched) => word ?? null
  const [first, ...others] = [...new Set(group.map(wordOf))].filter((word) => word !== null).sort()
  if (first === undefined || others.length === 0) return [[...group]]
  const ofWord = Map.groupBy(group, (sighting) => wordOf(sighting) ?? first)
  return [...ofWord.values()]
}

/** What fits several for want of what it does not say is another form of one of them; what fits none stands for itself. */
function joinVague(hosts: readonly Draft[], vague: readonly Sighting[]): Draft[] {
  const own: Draft[] = []
  for (const sighting of vague) {
    const joiner = toDraft([sighting])
    const host = [...hosts, ...own].find(
      (draft) => draft.members.some((one) => mayBeSame(one, sighting)) && mayShareName(draft, joiner),
    )
    if (!host) own.push(joiner)
    else if (own.includes(host)) host.members.push(sighting)
    else host.ambiguous.push(sighting)
  }
  return own
}

/** Adds each joiner to the one host it fits, and returns the joiners that fit none. */
function attach(hosts: Draft[], joiners: readonly Draft[]): Draft[] {
  if (joiners.length === 0) return []
  const byHash = indexHashes(hosts)
  const left: Draft[] = []
  const wanted = new Map<Draft, Draft[]>()
  for (const joiner of joiners) {
    const fitting = findHosts(byHash, joiner)
    const [first] = fitting
    const besides =
      first !== undefined && fitting.length === 1 && isShownAlone(first, joiner)
        ? 0
        : countBesides(byHash, joiner, fitting)
    // Records that stood beside it in one answer were not it: only a further one can be.
    if (!first || fitting.length <= besides) left.push(joiner)
    else if (fitting.length === 1) wanted.set(first, [...(wanted.get(first) ?? []), joiner])
    else first.ambiguous.push(...joiner.members)
  }
  for (const [host, group] of wanted) {
    if (isOneTransfer(group)) host.members.push(...group.flatMap((joiner) => joiner.members))
    else left.push(...group)
  }
  return left
}

/** How many of those that it may be another form of stood beside it; some that did say by now that they are others. */
function countBesides(
  byHash: ReadonlyMap<string, Draft[]>,
  joiner: Draft,
  fitting: readonly Draft[],
): number {
  const besides = Math.max(...joiner.members.map((sighting) => sighting.besides))
  if (besides === 0) return 0
  const isOther = (draft: Draft) =>
    !fitting.includes(draft) && draft.members.some((one) => isFullerForm(one, head(joiner)))
  return Math.max(0, besides - findAlike(byHash, joiner).filter(isOther).length)
}

/** So long E12 has to show one record of a zone transaction alone, ms: as long as a record has to be gone (semantics 15). */
const aloneForMs = 600_000

/**
 * The list may keep the row of a withdrawal that was not paid yet beside the one of its payout. How many equal ones a zone
 * transaction holds E12 says, and never the rows of the list (semantics 1): it gives equal ones a place each, so that one
 * without is the only one there.
 */
function isShownAlone(host: Draft, joiner: Draft): boolean {
  const { direction, zoneHash, mainHash } = head(joiner)
  if (direction !== 'ZoneToMain' || zoneHash === null || mainHash !== null) return false
  // Before the payout E12 shows the open one alone; a replica that lags may do so after it.
  const since = joiner.members.map(({ source, firstAt, lastAt }) => (source === 'E12' ? lastAt : firstAt))
  return host.members.some(
    (one) =>
      one.source === 'E12' &&
      strongName(one) === null &&
      one.zoneHash === zoneHash &&
      one.mainHash !== null &&
      !isBesideUnread(one) &&
      one.lastAt - Math.max(one.firstAt, ...since) >= aloneForMs,
  )
}

/** Drafts by every hash of either chain that they bear. */
export function indexHashes(drafts: readonly Draft[]): Map<string, Draft[]> {
  const byHash = indexDrafts(drafts, (member) => member.zoneHash)
  for (const [hash, found] of indexDrafts(drafts, (member) => member.mainHash)) {
    byHash.set(hash, [...new Set([...(byHash.get(hash) ?? []), ...found])])
  }
  return byHash
}

export function findHosts(byHash: ReadonlyMap<string, Draft[]>, joiner: Draft): Draft[] {
  return findAlike(byHash, joiner).filter(
    (host) =>
      hasCompatibleMain(host, joiner) &&
      mayShareName(host, joiner) &&
      isCompatible(zoneOf(host) || null, head(joiner).zoneHash),
  )
}

/** Those of equal content that bear one of its hashes. */
function findAlike(byHash: ReadonlyMap<string, Draft[]>, joiner: Draft): Draft[] {
  const sighting = head(joiner)
  const sharing = new Set([
    ...(byHash.get(sighting.zoneHash ?? '') ?? []),
    ...(byHash.get(sighting.mainHash ?? '') ?? []),
  ])
  const content = weakContent(sighting)
  return [...sharing].filter((host) => host.members.some((member) => weakContent(member) === content))
}

function isOneTransfer(joiners: readonly Draft[]): boolean {
  const mains = new Set(joiners.map(mainOf).filter((hash) => hash !== ''))
  const zones = new Set(joiners.map(zoneOf).filter((hash) => hash !== ''))
  const [first, ...others] = joiners
  const mayBeOne = first === undefined || others.every((other) => mayShareName(first, other))
  return mains.size <= 1 && zones.size <= 1 && mayBeOne
}

export function indexDrafts(
  drafts: readonly Draft[],
  nameOf: (member: Sighting) => string | null,
): Map<string, Draft[]> {
  const index = new Map<string, Draft[]>()
  for (const draft of drafts) {
    for (const name of new Set(draft.members.map(nameOf))) {
      if (name !== null) index.set(name, [...(index.get(name) ?? []), draft])
    }
  }
  return index
}
