/** What one of several sources said to a question that all were asked; null where it could not be asked. */
export interface Word {
  readonly name: string
  readonly says: string | null
}

/** Whose word differs from the others'. */
export interface Odd {
  /** Those who differ; where as many say the one as the other, all of them. */
  readonly names: readonly string[]
  /** Nobody is the odd one: so many say the one as the other. */
  readonly isTie: boolean
  /** What each said, for people. */
  readonly says: string
}

/**
 * Who differs from what most say; null where all that answered say the same, or one alone did.
 * @example findOdd([{ name: 'a', says: '1' }, { name: 'b', says: '2' }, { name: 'c', says: '1' }]) // names: ['b']
 */
export function findOdd(words: readonly Word[]): Odd | null {
  const answered = words.filter(({ says }) => says !== null)
  const groups = [...Map.groupBy(answered, ({ says }) => says).values()].sort((a, b) => b.length - a.length)
  const [most, second] = groups
  if (most === undefined || second === undefined) return null
  const isTie = second.length === most.length
  const odd = isTie ? answered : groups.slice(1).flat()
  return {
    names: odd.map(({ name }) => name).sort(),
    isTie,
    says: groups.map((group) => `${group.map(({ name }) => name).join(', ')}: ${group[0]?.says}`).join('; '),
  }
}

/** Something that sources of one chain say otherwise. */
export interface Difference extends Odd {
  readonly chain: 'main' | 'zone'
  /** `silent`, `head`, `block`, `receipt`, `balance` or `record`. */
  readonly what: string
  /** What was asked: a height, a hash, an address; one of them where several differ. */
  readonly about: string
}

export function subjectOf({ chain, what, names }: Difference): string {
  return `${chain} ${what} ${names.join(', ')}`
}

/** A difference with when it was found first, and in how many comparisons in a row. */
export interface Standing extends Difference {
  readonly since: number
  readonly at: number
  readonly times: number
}

/** A block may be replaced, and a node be behind, between two questions: what differs twice in a row differs. */
export const neededTimes = 2

/** What stands after one more comparison of a chain: what it did not find again is over. */
export function noteDifferences(
  before: readonly Standing[],
  chain: Difference['chain'],
  found: readonly Difference[],
  at: number,
): Standing[] {
  const own = new Map(found.map((one) => [subjectOf(one), one]))
  const known = new Map(before.map((one) => [subjectOf(one), one]))
  return [
    ...before.filter((one) => one.chain !== chain),
    ...[...own].map(([subject, one]) => ({
      ...one,
      since: known.get(subject)?.since ?? at,
      at,
      times: (known.get(subject)?.times ?? 0) + 1,
    })),
  ]
}
