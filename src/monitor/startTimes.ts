import type { UnixMs } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import { readMeta, saveMeta } from '../store/meta.ts'
import type { State } from '../store/state.ts'
import type { AppConfig } from '../kernel/settings.ts'

/** How far back a first start reads. */
export function historySince(config: AppConfig, now: UnixMs): UnixMs {
  const { from } = config.start
  switch (from.kind) {
    case 'now':
      return now - config.poll.sweepMs
    case 'ago':
      return now - from.ms
    case 'genesis':
      return 0
    case 'height':
      throw new MonitorError('internal', 'a start at a height must be turned into a time first: resolveStart')
  }
}

const tellSinceName = 'tell_since'

/**
 * From when on final records are news. Kept in the ledger: a restart must not make history of what was missed. Later than
 * where a first start would begin now it can only be by a clock that was ahead, until which all would be history.
 */
export function tellSince({ db }: Pick<State, 'db'>, config: AppConfig, now: UnixMs): UnixMs {
  const known = readMeta(db, tellSinceName)
  const latest = Math.max(historySince(config, now), now - config.poll.sweepMs)
  const since = known === null ? historySince(config, now) : Math.min(Number(known), latest)
  // A follower's ledger says what the holder's clock made of it; this one's counts once it watches.
  const isFollower = db.changes.state()?.role === 'follower'
  if (String(since) !== known && !isFollower) saveMeta(db, tellSinceName, String(since))
  return since
}
