import { messageIdOf } from '../alerts/fingerprint.ts'
import { monitorReplicaUnreachable } from '../checks/monitor/replicaUnreachable.ts'
import { toStateMessage } from '../delivery/distress.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Following } from '../replicas/follower.ts'
import type { ReplicaRun } from './replicaRun.ts'
import { sendDirectly } from './sendDirectly.ts'

const lookMs = 1_000
/** The holder says it after seconds; this one speaks for the case that it is the only one left. */
const patienceMs = 60_000

interface Outage {
  readonly since: UnixMs
  readonly problem: string
}

/**
 * Says, once an outage and once it is over, that a follower cannot reach PostgreSQL: it has no outbox of its own, so
 * straight through the channels. Until `signal`.
 */
export async function tellOutage(
  run: Pick<ReplicaRun, 'deps' | 'options' | 'node' | 'bridge'>,
  following: Pick<Following, 'unreachableSince' | 'problem'>,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = run.deps
  let told: Outage | null = null
  while (!signal.aborted) {
    await clock.sleep(lookMs, signal)
    const { unreachableSince: since, problem } = following
    if (told !== null && since === null) {
      await tell(run, told, true)
      told = null
    }
    if (told !== null || since === null || signal.aborted || clock.now() - since < patienceMs) continue
    log.error(`PostgreSQL is out of reach for a minute: this node cannot take over`)
    told = { since, problem: problem ?? 'no answer' }
    await tell(run, told, false)
  }
  // Whoever takes over found PostgreSQL again.
  if (told !== null && following.unreachableSince === null) await tell(run, told, true)
}

async function tell(
  { deps, options: { config }, node, bridge }: Parameters<typeof tellOutage>[0],
  { since, problem }: Outage,
  isOver: boolean,
): Promise<void> {
  const now = deps.clock.now()
  const { kind, remedy } = monitorReplicaUnreachable
  const time = new Date(since).toISOString()
  await sendDirectly(deps, config.channels, {
    what: 'that PostgreSQL cannot be reached',
    compose: (channel) =>
      toStateMessage(
        {
          kind: { kind, remedy },
          about: { alertId: `replica-${node}`, rule: 'replica-unreachable', subject: `node ${node}` },
          pageUrl: config.http?.publicUrl ?? null,
          channel,
          id: messageIdOf(since + (isOver ? 1 : 0), `outage of ${node}`),
          summary: isOver
            ? `Resolved: node ${node} of ${bridge} reaches PostgreSQL again`
            : `node ${node} of ${bridge} cannot reach PostgreSQL since ${time}: it does not know whether anybody watches, and cannot take over`,
          error: problem,
          since,
          isOver,
        },
        now,
      ),
  })
}
