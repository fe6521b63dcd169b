import { z } from 'zod'
import type { Finding } from '../../domain/finding.ts'
import { cleanText } from '../../lib/text.ts'
import { boundText } from '../durationText.ts'
import type { Facts, Judgement } from '../types.ts'
import { defineCondition } from './detector.ts'

const params = z.strictObject({ keep: boundText.default(10 * 60_000) })

/** Records that break the contract: true from the first one until none came for `keep`. */
export const sourceDrift = defineCondition({
  kind: 'source.drift',
  docs: 'An endpoint gives records that cannot be read, or that answer another question than was asked; they are not taken.',
  hasTransfer: false,
  subjectNames: ['source'],
  facts: { endpoint: 'string', count: 'int', problem: 'string', lastAt: 'int' },
  params,
  judge: judgeDrift,
})

function judgeDrift(facts: Facts, { keep }: z.output<typeof params>): Judgement {
  const recent = facts.drift.filter((drift) => drift.count > 0 && facts.now - drift.lastAt <= keep)
  const findings = recent.map((drift): Finding => {
    const problem = cleanText(drift.problem, 300)
    return {
      kind: 'source.drift',
      subject: drift.endpoint,
      title: `records of ${drift.endpoint}`,
      transfer: null,
      facts: { endpoint: drift.endpoint, count: drift.count, problem, lastAt: drift.lastAt },
      labels: { source: 'explorer' },
      evidence: [{ source: drift.endpoint, at: drift.lastAt, says: problem }],
      since: drift.firstAt,
    }
  })
  return { findings, unknown: [] }
}
