import type { Kernel } from '../../kernel/kernel.ts'
import type { EvidenceReading } from '../../ledger/evidence/evidence.ts'
import { type LegAsk, sources } from './indexLag.ts'
import type { LegsRead } from './legsRead.ts'

interface ShownSaid {
  readonly read: LegsRead
  readonly said: readonly EvidenceReading[]
  /** Whether it was asked about the newest that it did not show, too. */
  readonly isLackAsked: boolean
}

/** Others may be asked before it shows a transaction: only what it does not show so much later says that it lags. */
const askedAgainMs = 60_000

const shownBy = (ask: LegAsk) => ({ endpoint: sources[ask][0], list: '' })

/** What an endpoint for many transactions did not show when it was asked, and others did: to be asked about once more. */
export function findLack(
  { clock, endpointLags }: Pick<Kernel, 'clock' | 'endpointLags'>,
  ask: LegAsk,
): string | null {
  return endpointLags.newestLack(shownBy(ask), clock.now() - askedAgainMs)
}

/** What the endpoint for many transactions shows, and what others show in its place. */
export function noteShown(
  { endpointLags, startedAt }: Pick<Kernel, 'endpointLags' | 'startedAt'>,
  ask: LegAsk,
  { read, said, isLackAsked }: ShownSaid,
): void {
  const [, single] = sources[ask]
  const shown = shownBy(ask)
  const newest = read.readings.reduce((most, { height }) => Math.max(most, height ?? -1), -1)
  endpointLags.noteRead(shown, { newest, to: Infinity, at: isLackAsked ? read.requestedAt : null })
  for (const { hash, height, time, source, status, moves } of said) {
    // Of logs that move no token a list of movements has nothing to show.
    const isOther = source === single || (source === 'E21' && ask === 'main' && (moves?.length ?? 0) > 0)
    if (!isOther || status === 'absent' || height == null || time == null || time < startedAt) continue
    endpointLags.noteHappened(shown, { hash, height, time })
  }
}
