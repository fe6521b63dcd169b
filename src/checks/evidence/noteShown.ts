import type { Kernel } from '../../kernel/kernel.ts'
import type { EvidenceReading } from '../../ledger/evidence.ts'
import { type LegAsk, sources } from './indexLag.ts'
import type { LegsRead } from './reads.ts'

/** What the endpoint for many transactions shows, and what others show in its place. */
export function noteShown(
  { endpointLags, startedAt }: Pick<Kernel, 'endpointLags' | 'startedAt'>,
  ask: LegAsk,
  { read, said }: { readonly read: LegsRead; readonly said: readonly EvidenceReading[] },
): void {
  const [many, single] = sources[ask]
  const shown = { endpoint: many, list: '' }
  const newest = read.readings.reduce((most, { height }) => Math.max(most, height ?? -1), -1)
  endpointLags.noteRead(shown, { newest, to: Infinity, at: read.requestedAt })
  for (const { hash, height, time, source, status, moves } of said) {
    // Of logs that move no token a list of movements has nothing to show.
    const isOther = source === single || (source === 'E21' && ask === 'main' && (moves?.length ?? 0) > 0)
    if (!isOther || status === 'absent' || height == null || time == null || time < startedAt) continue
    endpointLags.noteHappened(shown, { hash, height, time })
  }
}
