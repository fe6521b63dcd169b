import type { Sighting } from '../sightings/sighting.ts'

/** The sightings of one transfer, as far as they were put together. */
export interface Draft {
  members: Sighting[]
  ambiguous: Sighting[]
}

export function hasCompatibleMain(a: Draft, b: Draft): boolean {
  const hashes = new Set(a.members.map((member) => member.mainHash).filter((hash) => hash !== null))
  const other = mainOf(b)
  return hashes.size === 0 || other === '' || hashes.has(other)
}

/** A record as it is matched: `word` is an id that it bears and that names nobody. */
export type Matched = Sighting & { readonly word?: string | null }

/** Where one bears a word in place of an id: whether no member of the other bears another one, or an id. */
export function mayShareName(a: Draft, b: Draft): boolean {
  const words = new Set([...a.members, ...b.members].flatMap((one: Matched) => one.word ?? []))
  if (words.size === 0) return true
  return words.size === 1 && [...a.members, ...b.members].every(({ id }) => id === null)
}

export function groupBy(
  sightings: readonly Sighting[],
  nameOf: (sighting: Sighting) => string,
): Sighting[][] {
  return [...Map.groupBy(sightings, nameOf).values()]
}

export function toDraft(members: readonly Sighting[]): Draft {
  return { members: [...members], ambiguous: [] }
}

export function head(draft: Draft): Sighting {
  // A draft is only ever made of a non-empty group.
  return draft.members[0] as Sighting
}

export function firstAt(draft: Draft): number {
  return Math.min(...draft.members.map((member) => member.firstAt))
}

/** The first main transaction that one of them names; '' for none. */
export function mainOf(draft: Draft): string {
  return draft.members.find((member) => member.mainHash !== null)?.mainHash ?? ''
}

export function zoneOf(draft: Draft): string {
  return draft.members.find((member) => member.zoneHash !== null)?.zoneHash ?? ''
}
