import { CronTime } from 'cron'
import { channelDead, noData, ruleError, ruleOverflow } from '../../alerts/metaKinds.ts'
import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Poller } from '../../kernel/runner.ts'
import { readMeta, saveMeta } from '../../store/meta.ts'
import { createCanary } from './canary.ts'
import { monitorClockJump } from './clockJump.ts'
import type { MonitorPart } from './facts.ts'
import { monitorPollOverdue } from './pollOverdue.ts'
import { monitorReportMissed } from './reportMissed.ts'
import { monitorRulesRejected } from './rulesRejected.ts'
import { monitorStateNotPersisted } from './stateNotPersisted.ts'
import { monitorStateRecovered } from './stateRecovered.ts'
import { createStateWatch } from './stateWatch.ts'

const everyMs = 30_000
const lastName = 'canary_at'

/** The monitor itself: whether it reads, judges, saves and is heard. */
export const monitor: Check<MonitorPart> = {
  name: 'monitor',
  kinds: [
    monitorPollOverdue,
    monitorRulesRejected,
    monitorStateRecovered,
    // The alert engine finds these of itself.
    ruleError,
    ruleOverflow,
    channelDead,
    noData,
    monitorClockJump,
    monitorReportMissed,
    monitorStateNotPersisted,
  ],
  open(kernel) {
    const { live, state } = kernel
    return {
      pollers: createCanaryPoller(kernel),
      facts: () => ({ rulesRejected: live.rejected }),
      raised: createStateWatch(state),
    }
  },
}

/** The daily canary as a poller; none when it is not wanted. */
function createCanaryPoller(kernel: Kernel): Poller[] {
  const { db, config } = kernel
  const settings = config.canary
  if (settings === null) return []
  const { cron, timezone, channels } = settings
  const run = createCanary({
    ...kernel,
    onAnswer: kernel.noteAnswer,
    channels: kernel.channels.filter(({ name }) => channels.length === 0 || channels.includes(name)),
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
