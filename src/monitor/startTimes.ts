import type { UnixMs } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import { firstStartName, readFirstStart } from '../store/firstStart.ts'
import { readMeta, saveMeta, readMetaNumber } from '../store/meta.ts'
import type { Database } from '../store/database.ts'
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

/** When this ledger was first watched by. Kept in it: what was missed while nothing ran is no past of before. */
export function firstStart({ db, isFirstStart }: Pick<State, 'db' | 'isFirstStart'>, now: UnixMs): UnixMs {
  // A ledger of before this was noted was watched by since what is news to it, if not for longer.
  const known = readFirstStart(db) ?? (isFirstStart ? null : readMetaNumber(db, tellSinceName))
  // Later than now it can only be by a clock that was ahead.
  const since = Math.min(known ?? now, now)
  if (since !== known && !isFollower(db)) saveMeta(db, firstStartName, String(since))
  return since
}

/**
 * From when on final records are news. Kept in the ledger: a restart must not make history of what was missed. Later than
 * where a first start would begin now it can only be by a clock that was ahead, until which all would be history.
 */
export function tellSince({ db }: Pick<State, 'db'>, config: AppConfig, now: UnixMs): UnixMs {
  const known = readMeta(db, tellSinceName)
  const latest = Math.max(historySince(config, now), now - config.poll.sweepMs)
  const since = known === null ? historySince(config, now) : Math.min(Number(known), latest)
  if (String(since) !== known && !isFollower(db)) saveMeta(db, tellSinceName, String(since))
  return since
}

/** A follower's ledger says what the holder's clock made of it; this one's counts once it watches. */
function isFollower(db: Database): boolean {
  return db.changes.state()?.role === 'follower'
}
