import type { Absence } from '../../clients/explorer/absence.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { EvidenceReading } from '../../ledger/evidence/evidence.ts'
import type { QueuedLeg } from '../../ledger/evidence/evidenceQueue.ts'
import type { LagAsking } from './legLag.ts'
import type { EvidenceReads } from './reads.ts'
import type { LegsRead } from './legsRead.ts'

/** What an answer means for the legs that it was asked of. */
export interface Outcome {
  readonly readings: readonly EvidenceReading[]
  /** Asked again, at the times that they bear. */
  readonly saves: readonly QueuedLeg[]
  /** Asked no more. */
  readonly drops: readonly string[]
  readonly bad?: LegsRead['bad']
  /** Why one of them could not be asked further. */
  readonly error?: unknown
}

/** A run that asks second sources. */
export interface Asking
  extends LagAsking,
    Pick<
      Kernel,
      'clockAheadMs' | 'commit' | 'config' | 'db' | 'explorers' | 'firstStartAt' | 'learned' | 'stakes'
    > {
  readonly reads: EvidenceReads
  /** How many more questions about single transactions it may ask: a storm of doubts must not stop the batches. */
  readonly singles: { left: number }
  /** What the endpoints for single transactions alone denied so far, by hash. */
  readonly denials: Map<string, Absence>
}

/** So often in vain half a minute long is asked who else may say something: then what was said stands without him. */
export const neededTries = 2

/** An answer without the leg, and what else may be asked. */
export interface Doubt extends Asking {
  /** When the answer was asked for. */
  readonly at: UnixMs
  /** The endpoint for many transactions was asked in vain: this is an answer of the one for single ones. */
  readonly isAlone?: boolean
  /** Whether the answer says the status of another than this one. */
  readonly saysStatus?: (hash: string) => boolean
  /** Whether the answer held something that is known to be: else it may be throttling. */
  readonly hasControl: boolean
  /** A transaction of the same chain that is known. */
  readonly control: string | null
  /** How far the source had come before the answer was asked for; null where that was not found out. */
  readonly comeTo: UnixMs | null
}

/** By this reading another endpoint is asked, too. */
export const firstAsked = 2

/** Whether one more question about a single transaction may be asked now; counts it. */
export function maySpendSingle({ singles }: Asking): boolean {
  if (singles.left <= 0) return false
  singles.left -= 1
  return true
}
