import { z } from 'zod'
import type { Finding } from '../../bridge/finding.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { defineRaised } from '../../rules/kind.ts'

export const monitorStateRecovered = defineRaised({
  kind: 'monitor.state_recovered',
  docs: 'A broken state file was set aside and rebuilt, or rows of the ledger that cannot be read were.',
  remedy: 'Check the disk of this machine; nothing was lost, but a file was broken.',
  nature: 'event',
  raisedBy: 'app',
  sources: [],
  ties: [],
  isGuard: true,
  hasTransfer: false,
  subjectNames: [],
  facts: { file: 'string', reason: 'string' },
  params: z.strictObject({}),
})

/** What had to be mended when the state was opened, or since. */
export function toRecovered(file: 'cursors.json' | 'ledger.sqlite', what: string, now: UnixMs): Finding {
  return monitorStateRecovered.raise({
    subject: `state:${now}`,
    title: `state file ${file}`,
    transfer: null,
    facts: { file, reason: what },
    labels: {},
    evidence: [],
    since: now,
  })
}
