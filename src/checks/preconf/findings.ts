import type { Finding, FactValue } from '../../bridge/finding.ts'
import type { Held } from './heldReceipts.ts'
import type { Fate } from './settleReceipt.ts'
import type { UnixMs } from '../../lib/clock.ts'

export interface FindingContext {
  /** Whose word on the canonical chain it was. */
  readonly decidedBy: 'canonical' | 'explorer'
  now(): UnixMs
  /** The key of a transfer that has this transaction as its main leg; null when none has. */
  findTransfer(hash: string): string | null
}

type Settled =
  | Extract<Fate, { kind: 'held-by-block' }>
  | { readonly kind: 'dropped' }
  | { readonly kind: 'unknown' }

/** The events that follow from what became of one preconfirmed transaction. */
export function toFindings(
  context: FindingContext,
  { held, fate }: { readonly held: Held; readonly fate: Settled },
): Finding[] {
  if (fate.kind === 'unknown') return []
  if (fate.kind === 'dropped') return [toDropped(context, held)]
  return [
    ...(fate.changed ? [toFlipped(context, held, fate)] : []),
    ...(fate.by !== 0 || fate.isIndexMoved ? [toMoved(context, held, fate)] : []),
  ]
}

function toDropped(context: FindingContext, held: Held): Finding {
  const says = `in none of the blocks ${held.height} to ${held.height + 2}, nor found by its hash (${held.absent?.reads ?? 0} readings)`
  return {
    kind: 'preconf.dropped',
    ...describe(context, held, says),
    facts: { ...factsOf(context, held), status: held.outcomes[0]?.status ?? '' },
  }
}

function toFlipped(
  context: FindingContext,
  held: Held,
  fate: Extract<Fate, { kind: 'held-by-block' }>,
): Finding {
  const { before, what } = fate.changed ?? { before: held.outcomes[0], what: null }
  const { transaction } = fate
  const says = `in block ${fate.height}: ${transaction.status ?? 'status not said'}`
  return {
    kind: 'preconf.flipped',
    ...describe(context, held, says),
    facts: {
      ...factsOf(context, held),
      statusBefore: before?.status ?? '',
      statusAfter: transaction.status ?? '',
      statusChanged: what?.status ?? false,
      gasUsedBefore: before?.gasUsed?.toString() ?? '',
      gasUsedAfter: transaction.gasUsed?.toString() ?? '',
      gasUsedChanged: what?.gasUsed ?? false,
      logsChanged: what?.logs ?? false,
      by: fate.by,
    },
  }
}

function toMoved(
  context: FindingContext,
  held: Held,
  fate: Extract<Fate, { kind: 'held-by-block' }>,
): Finding {
  const says = `in block ${fate.height}${fate.transaction.index === null ? '' : `, place ${fate.transaction.index}`}`
  return {
    kind: 'preconf.moved',
    ...describe(context, held, says),
    facts: {
      ...factsOf(context, held),
      heightAfter: fate.height,
      by: fate.by,
      indexBefore: held.index,
      indexAfter: fate.transaction.index,
    },
  }
}

function factsOf(context: FindingContext, held: Held): Record<string, FactValue> {
  const transfer = context.findTransfer(held.hash)
  return {
    hash: held.hash,
    height: held.height,
    bridge: held.isBridge || transfer !== null,
    transferKey: transfer ?? '',
    decidedBy: context.decidedBy,
  }
}

function describe(
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
