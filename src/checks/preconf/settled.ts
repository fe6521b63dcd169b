import type { Finding } from '../../bridge/finding.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { declareFacts, type FactsOf } from '../../rules/kind.ts'
import type { Held } from './heldReceipts.ts'

export interface FindingContext {
  /** Whose word on the canonical chain it was. */
  readonly decidedBy: 'canonical' | 'explorer'
  now(): UnixMs
  /** The key of a transfer that has this transaction as its main leg; null when none has. */
  findTransfer(hash: string): string | null
}

/** The facts of every kind that comes of what became of one preconfirmed transaction. */
export const settledFacts = declareFacts({
  hash: 'string',
  height: 'int',
  bridge: 'bool',
  transferKey: 'string',
  decidedBy: 'string',
})

export function factsOf(context: FindingContext, held: Held): FactsOf<typeof settledFacts> {
  const transfer = context.findTransfer(held.hash)
  return {
    hash: held.hash,
    height: held.height,
    bridge: held.isBridge || transfer !== null,
    transferKey: transfer ?? '',
    decidedBy: context.decidedBy,
  }
}

export function describe(
  context: FindingContext,
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
        source: context.decidedBy === 'canonical' ? 'canonical RPC' : 'E7',
        at: held.absent?.lastAt ?? context.now(),
        says,
      },
    ],
    since: held.firstSeenAt,
  }
}
