import type { OpenCheck } from '../kernel/check.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { createRunner } from '../kernel/runner.ts'
import { createUpkeep } from '../kernel/upkeep.ts'
import { createReporting } from '../report/poll.ts'
import { createHeartbeat } from './heartbeat.ts'
import type { Voice } from './voice.ts'

const upkeepMs = 60_000

/** Everything that asks: one runner with the pollers of all checks, and what the process does beside them. */
export function createWatching(
  kernel: Kernel,
  opened: readonly OpenCheck[],
  of: { readonly voice: Voice; readonly isAlive: () => boolean },
) {
  const { heartbeat } = kernel.config
  const upkeep = createUpkeep(kernel, opened)
  const runner = createRunner(kernel, [
    ...opened.flatMap(({ pollers }) => pollers),
    ...createReporting(kernel),
    { name: 'upkeep', schedule: upkeepMs, run: async () => (of.voice.note(), upkeep()) },
    ...(heartbeat
      ? [
          {
            name: 'heartbeat',
            schedule: heartbeat.everyMs,
            run: createHeartbeat({ url: heartbeat.url, isAlive: of.isAlive }),
          },
        ]
      : []),
  ])
  return {
    runner,
    pollerStatus: () => [...runner.status(), ...opened.flatMap((check) => check.status?.() ?? [])],
  }
}
