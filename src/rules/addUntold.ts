import type { Unwatched } from '../config/listUnwatched.ts'
import type { Kinds } from './kinds.ts'
import type { Rule } from './types.ts'

/**
 * What is not watched, and the kinds that could be found and that no rule reports: with rules of one's own those that are
 * shipped are not read.
 */
export function addUntold(
  rules: readonly Pick<Rule, 'kind'>[],
  unwatched: readonly Unwatched[],
  { names }: Kinds,
): readonly Unwatched[] {
  const settled = new Set([...rules.map(({ kind }) => kind), ...unwatched.flatMap(({ kinds }) => kinds)])
  const untold = names.filter((kind) => !settled.has(kind))
  const [first] = untold
  if (first === undefined) return unwatched
  return [
    ...unwatched,
    {
      setting: 'rules',
      what: `no rule reports ${untold.join(', ')}`,
      write: `rules: [ { name: ${first.replaceAll(/[._]/g, '-')}, on: ${first}, severity: warning } ] # in a file of the rules folder`,
      kinds: untold,
    },
  ]
}
