import { z } from 'zod'
import { given, now, text } from '../../kernel/given.ts'
import type { Standing } from '../../kernel/sources/compareWords.ts'
import type { Compared } from './pollCompare.ts'

export interface SourcesPart {
  /** What several sources of one chain say otherwise. */
  readonly differences: Compared & {
    /** What they contradict each other about that would accuse. */
    readonly contradictions: readonly Standing[]
  }
}

const difference = z.strictObject({
  chain: z.enum(['main', 'zone']),
  what: text,
  about: text.default(''),
  names: z.array(text),
  isTie: z.boolean().default(false),
  says: text,
  since: now,
  at: now,
  times: z.number().default(2),
})

export const givenSources = given(
  { differences: z.array(difference) },
  ({ differences = [] }): SourcesPart => ({ differences: { differences, possible: [], contradictions: [] } }),
)
