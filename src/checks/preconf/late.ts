import { z } from 'zod'
import { boundText } from '../../rules/durationText.ts'
import { defineRaised } from '../../rules/kind.ts'
import { longestWindowMs } from './lateShare.ts'

const params = z.strictObject({
  window: boundText.refine((ms) => ms <= longestWindowMs, 'expected at most 1h').default(60_000),
  share: z.number().min(0).max(1).default(0.5),
  minSamples: z.number().int().min(1).max(1_000_000).default(20),
})

export type LateParams = z.output<typeof params>

/** Found by the share of the last transactions that were late (judgeLate.ts). */
export const preconfLate = defineRaised({
  kind: 'preconf.late',
  docs: 'A share of the transactions was preconfirmed late or not at all: over 1 s after the time of their block, or first seen in it.',
  remedy: "Check the sequencer's load and the network between it and this monitor.",
  sources: ['preconf'],
  needs: ['preconf'],
  facts: {
    sharePercent: 'int',
    late: 'int',
    unseen: 'int',
    samples: 'int',
    windowMs: 'int',
    limitPercent: 'dyn',
    minSamples: 'int',
  },
  params,
  // A finding is made for the parameters of a rule; it is not what one with others asks for.
  accepts: ({ facts }, params) => {
    const wanted = toLateFacts(params)
    return Object.entries(wanted).every(([name, value]) => facts[name] === value)
  },
  nature: 'event',
  raisedBy: 'app',
  hasTransfer: false,
  subjectNames: [],
})

/** A rule's parameters as facts of the findings that are made for it. */
export function toLateFacts({ window, share, minSamples }: LateParams) {
  return { windowMs: window, limitPercent: share * 100, minSamples }
}
