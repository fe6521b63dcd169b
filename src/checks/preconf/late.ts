import { z } from 'zod'
import type { Finding } from '../../bridge/finding.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { LoadedRule } from '../../rules/types.ts'
import { boundText } from '../../rules/durationText.ts'
import { defineRaised } from '../../rules/kind.ts'
import { countLate, type LateWindow, longestWindowMs } from './lateShare.ts'

const params = z.strictObject({
  window: boundText.refine((ms) => ms <= longestWindowMs, 'expected at most 1h').default(60_000),
  share: z.number().min(0).max(1).default(0.5),
  minSamples: z.number().int().min(1).max(1_000_000).default(20),
})

type LateParams = z.output<typeof params>

/** Found by the share of the last transactions that were late (judgeLate). */
export const preconfLate = defineRaised({
  kind: 'preconf.late',
  docs: 'A share of the transactions was preconfirmed late or not at all: over 1 s after the time of their block, or first seen in it.',
  remedy: "Check the sequencer's load and the network between it and this monitor.",
  sources: ['preconf'],
  ties: ['source'],
  needs: ['preconf'],
  facts: {
    sharePercent: 'int',
    late: 'int',
    unseen: 'int',
    samples: 'int',
    windowMs: 'int',
    limitPercent: 'int|null',
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
function toLateFacts({ window, share, minSamples }: LateParams) {
  return { windowMs: window, limitPercent: share * 100, minSamples }
}

/**
 * Judges the share of late preconfirmations by the parameters of every rule on it. Told when the share is passed, and
 * again only after it was below it.
 */
export function judgeLate(late: LateWindow, rules: readonly LoadedRule[], now: UnixMs): Finding[] {
  const before = late.passed
  const passed = new Map<string, UnixMs>()
  late.passed = passed
  return listParams(rules).flatMap((params): Finding[] => {
    const { samples, late: count, unseen } = countLate(late, params.window, now)
    if (samples < params.minSamples || count < params.share * samples || count === 0) return []
    const key = keyOf(params)
    const since = before.get(key)
    passed.set(key, since ?? now)
    if (since !== undefined) return []
    const sharePercent = Math.round((100 * count) / samples)
    return [
      preconfLate.raise({
        subject: 'preconf',
        title: `preconfirmations, ${count} of ${samples} late`,
        transfer: null,
        facts: { sharePercent, late: count, unseen, samples, ...toLateFacts(params) },
        labels: { chain: 'main', source: 'preconf' },
        evidence: [{ source: 'preconf', at: now, says: `${unseen} of ${samples} were never preconfirmed` }],
        since: now,
      }),
    ]
  })
}

function listParams(rules: readonly LoadedRule[]): LateParams[] {
  // Parsed by the kind's own schema when the rules were loaded.
  const all = rules.filter(({ kind }) => kind === preconfLate.kind).map(({ params }) => params as LateParams)
  return [...new Map(all.map((params) => [keyOf(params), params])).values()]
}

function keyOf(params: LateParams): string {
  return Object.values(toLateFacts(params)).join('/')
}
