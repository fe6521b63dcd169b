import { CronTime } from 'cron'
import type { Channel } from '../../delivery/channels/message.ts'
import { type CanaryDeps, createCanary } from './canary.ts'
import type { Poller } from '../../kernel/runner.ts'
import type { Database } from '../../store/database.ts'
import { readMeta, saveMeta } from '../../store/meta.ts'
import type { AppConfig } from '../../kernel/settings.ts'

export interface CanaryPollerDeps extends Pick<CanaryDeps, 'clock' | 'log' | 'onAnswer'> {
  readonly db: Database
  readonly channels: readonly Channel[]
  readonly config: Pick<AppConfig, 'canary' | 'http'>
}

const everyMs = 30_000
const lastName = 'canary_at'

/** The daily canary as a poller; none when it is not wanted. */
export function createCanaryPoller(deps: CanaryPollerDeps): Poller[] {
  const { db, config } = deps
  const settings = config.canary
  if (settings === null) return []
  const { cron, timezone, channels } = settings
  const run = createCanary({
    ...deps,
    channels: deps.channels.filter(({ name }) => channels.length === 0 || channels.includes(name)),
    pageUrl: config.http?.publicUrl ?? null,
    readLastAt() {
      const text = readMeta(db, lastName)
      return text === null ? null : Number(text)
    },
    saveLastAt: (at) => db.transaction(() => saveMeta(db, lastName, String(at))),
    dueAfter: (at) => new CronTime(cron, timezone).getNextDateFrom(new Date(at), timezone).toMillis(),
  })
  return [{ name: 'canary', schedule: everyMs, run }]
}
