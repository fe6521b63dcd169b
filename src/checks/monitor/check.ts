import { channelDead, messageDead, noData, ruleError, ruleOverflow } from '../../alerts/metaKinds.ts'
import type { Channel } from '../../delivery/channels/message.ts'
import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Poller } from '../../kernel/running/runner.ts'
import { pollCanary } from './canary.ts'
import { monitorClockJump } from './clockJump.ts'
import { givenMonitor, type MonitorPart } from './facts.ts'
import { monitorPollOverdue } from './pollOverdue.ts'
import { judgeReplica, monitorReplicaUnreachable } from './replicaUnreachable.ts'
import { monitorReportMissed } from './reportMissed.ts'
import { monitorRulesRejected } from './rulesRejected.ts'
import { createStateWatch, monitorStateNotPersisted } from './stateNotPersisted.ts'
import { monitorStateRecovered } from './stateRecovered.ts'

const everyMs = 30_000

/** The monitor itself: whether it reads, judges, saves and can send. */
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
    messageDead,
    noData,
    monitorClockJump,
    monitorReportMissed,
    monitorStateNotPersisted,
    monitorReplicaUnreachable,
  ],
  given: givenMonitor,
  open(kernel) {
    const { live, replica, state } = kernel
    const watchState = createStateWatch(state)
    return {
      pollers: listCanary(kernel),
      facts: () => ({ rulesRejected: live.rejected }),
      raised: (now) => [...watchState(now), ...(replica === null ? [] : judgeReplica(replica(), now))],
    }
  },
}

/** The daily canary as a poller; none when it is not wanted. */
function listCanary(kernel: Kernel): Poller[] {
  const { canary: schedule, http } = kernel.config
  if (schedule === null) return []
  const isMeant = ({ name }: Channel) => schedule.channels.length === 0 || schedule.channels.includes(name)
  const channels = kernel.channels.filter(isMeant)
  const canary = { ...kernel, channels, schedule, pageUrl: http?.publicUrl ?? null }
  return [{ name: 'canary', schedule: everyMs, run: (signal) => pollCanary(canary, signal) }]
}
