import { z } from 'zod'
import { type Agreement, saySources } from '../../bridge/agreement.ts'
import type { Finding } from '../../bridge/finding.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { describeTransfer, labelTransfer } from '../../bridge/describeTransfer.ts'
import { defineRaised } from '../../rules/kind.ts'

/** Found by the poller that reads missing records again. */
export const transferVanished = defineRaised({
  kind: 'transfer.vanished',
  nature: 'event',
  raisedBy: 'app',
  docs: 'A record that was listed is gone: three reads over ten minutes agree, with control questions answered between them.',
  remedy:
    'Look the transaction up on chain; if it stands there, report the gap to whoever runs the explorer.',
  words: {
    open: 'its record is gone',
    many: 'lost their records',
    corrected: (finding) => (isGone(finding) ? 'its record is gone' : 'its record is shown again'),
  },
  sources: ['explorer'],
  ties: ['transfer'],
  risksTransfer: true,
  stands: isGone,
  // A record that was gone and is shown again; what is merely gone keeps its digest.
  material: (finding, transfer) => ({ isBack: !isGone({ ...finding, transfer }) }),
  hasTransfer: true,
  subjectNames: [],
  facts: { reads: 'int', lastShownAt: 'int', missingSince: 'int' },
  params: z.strictObject({}),
})

/** By its facts: for people what is gone once more began when it was first found. */
function isGone({ transfer, facts, since }: Pick<Finding, 'transfer' | 'facts' | 'since'>): boolean {
  return transfer === null || transfer.readAt <= Number(facts['missingSince'] ?? since)
}

export function toVanished(
  transfer: Transfer,
  missing: {
    readonly reads: number
    readonly firstAt: UnixMs
    readonly lastAt: UnixMs
    readonly agreement: Agreement | undefined
  },
): Finding {
  return transferVanished.raise({
    subject: transfer.key,
    title: describeTransfer(transfer),
    transfer,
    facts: { reads: missing.reads, lastShownAt: transfer.readAt, missingSince: missing.firstAt },
    labels: labelTransfer(transfer),
    evidence: [
      {
        source: transfer.zone === null ? 'E3' : 'E12',
        at: missing.lastAt,
        says: `no record of it in ${missing.reads} reads, while others were found${saySources(missing.agreement)}`,
      },
    ],
    since: missing.firstAt,
  })
}
