import type { UnixMs } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import { readMeta, saveMeta } from '../store/meta.ts'
import type { State } from '../store/openState.ts'
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

/** From when on final records are news. Kept in the ledger: a restart must not make history of what was missed. */
export function tellSince(state: State, config: AppConfig, now: UnixMs): UnixMs {
  const known = readMeta(state.db, tellSinceName)
  if (known !== null) return Number(known)
  const since = historySince(config, now)
  saveMeta(state.db, tellSinceName, String(since))
  return since
}
