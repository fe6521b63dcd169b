import type { Finding } from '../../bridge/finding.ts'
import { toDropped } from './dropped.ts'
import { toFlipped } from './flipped.ts'
import type { Held } from './heldReceipts.ts'
import { toMoved } from './moved.ts'
import type { FindingContext } from './settled.ts'
import type { Fate } from './settleReceipt.ts'

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
