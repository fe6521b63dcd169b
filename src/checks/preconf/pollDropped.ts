import type { Finding } from '../../bridge/finding.ts'
import { preconfDropped } from './dropped.ts'
import type { Found } from './receipt.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import {
  type DroppedPreconf,
  forgetDroppedPreconf,
  keepDroppedPreconf,
  listDueDroppedPreconf,
  postponeDroppedPreconf,
} from './droppedStore.ts'
import type { CanonicalSource } from './canonicalSource.ts'

export interface DroppedWatch extends Pick<Kernel, 'clock' | 'commit' | 'db'> {
  readonly source: Pick<CanonicalSource, 'name' | 'find'>
}

/** What was not mined by then stays dropped. */
const watchedMs = 48 * 3_600_000
const firstMs = 30_000
const longestMs = 3_600_000
const batchSize = 20

/** Remembers what was told to be dropped; inside the commit that tells it. */
export function watchDropped(db: Database, findings: readonly Finding[], now: UnixMs): void {
  for (const finding of findings) {
    if (finding.kind === preconfDropped.kind) keepDroppedPreconf(db, finding, { now, nextAt: now + firstMs })
  }
}

/**
 * Looks again, ever more rarely, for transactions that were told to be dropped: one that is mined after all, out of a
 * pool where it lay, corrects what was told.
 */
export async function pollDropped(of: DroppedWatch, signal: AbortSignal): Promise<void> {
  const due = listDueDroppedPreconf(of.db, of.clock.now(), batchSize)
  if (due.length === 0) return
  const hashes = due.map(({ hash }) => hash)
  const found = await of.source.find(hashes, signal)
  of.commit({
    apply: (now) => due.flatMap((one) => settle(of, one, found.get(one.hash) ?? { at: 'unknown' }, now)),
  })
}

function settle({ db, source }: DroppedWatch, one: DroppedPreconf, found: Found, now: UnixMs): Finding[] {
  const age = now - one.toldAt
  if (found.at === 'block') {
    forgetDroppedPreconf(db, one.hash)
    const status = found.transaction.status ?? 'status not said'
    const says = `in block ${found.height} after all: ${status}`
    const note = { source: source.name === 'canonical' ? 'canonical RPC' : 'E7', at: now, says }
    return [{ ...one.finding, evidence: [...one.finding.evidence, note], isOver: true }]
  }
  if (age > watchedMs) forgetDroppedPreconf(db, one.hash)
  else {
    const wait = found.at === 'unknown' ? firstMs : Math.min(Math.max(age, firstMs), longestMs)
    postponeDroppedPreconf(db, one.hash, now + wait)
  }
  return []
}
