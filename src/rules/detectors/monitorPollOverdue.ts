import { z } from 'zod'
import type { Finding } from '../../domain/finding.ts'
import { cleanText } from '../../lib/text.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { boundText } from '../durationText.ts'
import type { Facts, Judgement, SourceHealth } from '../types.ts'
import { defineCondition } from './detector.ts'

const params = z.strictObject({
  factor: z.number().min(1).max(1_000).default(6),
  floor: boundText.default(60_000),
  backgroundFloor: boundText.default(600_000),
})

export const monitorPollOverdue = defineCondition({
  kind: 'monitor.poll_overdue',
  docs: 'A poller has not completed a run for several of its intervals.',
  hasTransfer: false,
  subjectNames: ['poller'],
  facts: { poller: 'string', limitMs: 'int', lastSuccessAt: 'dyn', lastError: 'string' },
  params,
  judge: judgeOverdue,
})

/** When the source that came back last did so: the longest unbroken row of good answers that it has begun then. */
function lastReturn(sources: readonly SourceHealth[]): UnixMs {
  const returns = sources.flatMap(({ endpoints }) => {
    const rows = endpoints.flatMap(({ goodSince }) => goodSince ?? [])
    return rows.length === 0 ? [] : [Math.min(...rows)]
  })
  return Math.max(-Infinity, ...returns)
}

function judgeOverdue(facts: Facts, { factor, floor, backgroundFloor }: z.output<typeof params>): Judgement {
  const backAt = lastReturn(facts.sources)
  const findings = facts.pollers.flatMap((poller): Finding[] => {
    const since = poller.lastSuccessAt ?? poller.startedAt
    const leastMs = poller.isBackground ? backgroundFloor : floor
    const limitMs = Math.max(factor * poller.intervalMs, leastMs)
    // What waited for a source that was silent gets its turn at the pace once it is back.
    if (facts.now - since < limitMs || facts.now - backAt < leastMs) return []
    const lastError = cleanText(poller.lastError ?? '', 200)
    return [
      {
        kind: 'monitor.poll_overdue',
        subject: poller.poller,
        title: `poller ${poller.poller}`,
        transfer: null,
        facts: {
          poller: poller.poller,
          limitMs,
          lastSuccessAt: poller.lastSuccessAt,
          lastError,
        },
        labels: { poller: poller.poller },
        evidence: [{ source: poller.poller, at: facts.now, says: lastError || 'no run has completed' }],
        since,
      },
    ]
  })
  return { findings, unknown: [] }
}
