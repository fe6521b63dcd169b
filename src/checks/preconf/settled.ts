import type { Finding } from '../../bridge/finding.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { FactsOf } from '../../rules/factTable.ts'
import { declareFacts } from '../../rules/kind.ts'
import type { CanonicalSource } from './canonicalSource.ts'
import type { Held } from './heldReceipts.ts'

/** Whose word on the canonical chain it was, and what is known of transfers. */
export type Deciding = Pick<Kernel, 'clock' | 'ledger'> & { readonly source: Pick<CanonicalSource, 'name'> }

/** The facts of every kind that comes of what became of one preconfirmed transaction. */
export const settledFacts = declareFacts({
  hash: 'string',
  height: 'int',
  bridge: 'bool',
  transferKey: 'string',
  decidedBy: ['canonical', 'explorer'],
})

export function factsOf({ ledger, source }: Deciding, held: Held): FactsOf<typeof settledFacts> {
  const transfer = ledger.listTransfers({ hash: held.hash, limit: 1 })[0]?.key ?? null
  return {
    hash: held.hash,
    height: held.height,
    bridge: held.isBridge || transfer !== null,
    transferKey: transfer ?? '',
    decidedBy: source.name,
  }
}

export function describe(
  { clock, source }: Deciding,
  held: Held,
  says: string,
): Pick<Finding, 'subject' | 'title' | 'transfer' | 'labels' | 'evidence' | 'since'> {
  const status = held.outcomes.map((outcome) => outcome.status ?? 'status not said').join(', then ')
  return {
    subject: held.hash,
    title: `transaction ${held.hash}, preconfirmed in block ${held.height}`,
    transfer: null,
    labels: { chain: 'main', source: 'preconf' },
    evidence: [
      { source: 'preconf', at: held.firstSeenAt, says: `preconfirmed in block ${held.height}: ${status}` },
      {
        source: source.name === 'canonical' ? 'canonical RPC' : 'E7',
        at: held.absent?.lastAt ?? clock.now(),
        says,
      },
    ],
    since: held.firstSeenAt,
  }
}
