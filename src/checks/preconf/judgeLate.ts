import type { Finding } from '../../bridge/finding.ts'
import type { LateWindow } from './lateShare.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { type LateParams, preconfLate, toLateFacts } from './late.ts'
import type { LoadedRule } from '../../rules/types.ts'

/**
 * Judges the share of late preconfirmations by the parameters of every rule on it. Told when the share is passed, and
 * again only after it was below it.
 */
export function createJudgeLate(
  late: LateWindow,
  rules: () => readonly LoadedRule[],
): (now: UnixMs) => Finding[] {
  let passed = new Map<string, UnixMs>()
  return (now) => {
    const before = passed
    passed = new Map()
    return listParams(rules()).flatMap((params): Finding[] => {
      const { samples, late: count, unseen } = late.count(params.window, now)
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
}

function listParams(rules: readonly LoadedRule[]): LateParams[] {
  // Parsed by the kind's own schema when the rules were loaded.
  const all = rules.filter(({ kind }) => kind === preconfLate.kind).map(({ params }) => params as LateParams)
  return [...new Map(all.map((params) => [keyOf(params), params])).values()]
}

function keyOf(params: LateParams): string {
  return Object.values(toLateFacts(params)).join('/')
}
