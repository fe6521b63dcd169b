import { z } from 'zod'
import { longestWindowMs } from './lateShare.ts'
import { boundText } from '../../rules/durationText.ts'
import type { RaisedKind } from '../../rules/kind.ts'

const decided = {
  hash: 'string',
  height: 'int',
  bridge: 'bool',
  transferKey: 'string',
  decidedBy: 'string',
} as const

const described = {
  nature: 'event',
  from: 'raised',
  raisedBy: 'app',
  hasTransfer: false,
  subjectNames: [],
} as const

const movedParams = z.strictObject({ index: z.boolean().optional() })

const lateParams = z.strictObject({
  window: boundText.refine((ms) => ms <= longestWindowMs, 'expected at most 1h').default(60_000),
  share: z.number().min(0).max(1).default(0.5),
  minSamples: z.number().int().min(1).max(1_000_000).default(20),
})

export type LateParams = z.output<typeof lateParams>

/** Found when preconfirmed transactions are settled against the canonical chain (checks/preconf/settle.ts). */
export const preconfKinds: readonly RaisedKind[] = [
  {
    ...described,
    kind: 'preconf.dropped',
    docs: 'A preconfirmed transaction is in neither its block nor the next two, and no search by its hash finds it.',
    facts: { ...decided, status: 'string' },
    params: z.strictObject({}),
  },
  {
    ...described,
    kind: 'preconf.flipped',
    docs: 'The final receipt of a preconfirmed transaction is another: its status, gas or logs changed.',
    facts: {
      ...decided,
      statusBefore: 'string',
      statusAfter: 'string',
      statusChanged: 'bool',
      gasUsedBefore: 'string',
      gasUsedAfter: 'string',
      gasUsedChanged: 'bool',
      logsChanged: 'bool',
      by: 'int',
    },
    params: z.strictObject({}),
  },
  {
    ...described,
    kind: 'preconf.moved',
    docs: 'A preconfirmed transaction is in another block, or at another place of its block.',
    facts: { ...decided, heightAfter: 'int', by: 'int', indexBefore: 'dyn', indexAfter: 'dyn' },
    params: movedParams,
    // A rule's parameters were parsed by this very schema when it was loaded.
    accepts: ({ facts }, params) =>
      facts['by'] !== 0 || (params as z.output<typeof movedParams>).index === true,
  },
  {
    ...described,
    kind: 'preconf.late',
    docs: 'A share of the transactions was preconfirmed late or not at all: over 1 s after the time of their block, or first seen in it.',
    facts: {
      sharePercent: 'int',
      late: 'int',
      unseen: 'int',
      samples: 'int',
      windowMs: 'int',
      limitPercent: 'dyn',
      minSamples: 'int',
    },
    params: lateParams,
    // As above. A finding is made for the parameters of a rule; it is not what one with others asks for.
    accepts: ({ facts }, params) => {
      const wanted = toLateFacts(params as LateParams)
      return Object.entries(wanted).every(([name, value]) => facts[name] === value)
    },
  },
]

/** A rule's parameters as facts of the findings that are made for it. */
export function toLateFacts({ window, share, minSamples }: LateParams) {
  return { windowMs: window, limitPercent: share * 100, minSamples }
}
