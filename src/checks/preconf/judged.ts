import type { Finding } from '../../bridge/finding.ts'
import { toDropped } from './dropped.ts'
import { toFlipped } from './flipped.ts'
import type { Held } from './heldReceipts.ts'
import { toMoved } from './moved.ts'
import type { Deciding } from './settled.ts'
import type { Fate } from './settleReceipt.ts'
import { noPreconfCounts, type PreconfCounts } from './store.ts'

/** A preconfirmed transaction, and what became of it. */
export interface Judged {
  readonly held: Held
  readonly fate:
    | Extract<Fate, { kind: 'held-by-block' }>
    | { readonly kind: 'dropped' }
    | { readonly kind: 'unknown' }
}

/** The events that follow from it. */
export function toFindings(of: Deciding, { held, fate }: Judged): Finding[] {
  if (fate.kind === 'unknown') return []
  if (fate.kind === 'dropped') return [toDropped(of, held)]
  return [
    ...(fate.changed ? [toFlipped(of, held, fate)] : []),
    ...(fate.by !== 0 || fate.isIndexMoved ? [toMoved(of, held, fate)] : []),
  ]
}

export function countFates(judged: readonly Judged[]): PreconfCounts {
  const counts = { ...noPreconfCounts }
  const bump = (name: 'kept' | 'moved' | 'indexMoved' | 'flipped' | 'dropped' | 'unknown') => {
    Object.assign(counts, { [name]: counts[name] + 1 })
  }
  for (const { fate } of judged) {
    if (fate.kind === 'dropped') bump('dropped')
    else if (fate.kind === 'unknown') bump('unknown')
    else {
      bump(fate.by === 0 ? 'kept' : 'moved')
      if (fate.isIndexMoved) bump('indexMoved')
      if (fate.changed) bump('flipped')
    }
  }
  return counts
}
