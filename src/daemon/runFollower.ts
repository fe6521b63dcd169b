import type { ReplicaStatus } from '../kernel/kernel.ts'
import type { AppParts } from '../monitor/createMonitor.ts'
import { createApp } from '../monitor/createMonitor.ts'
import type { Replica } from '../monitor/options.ts'
import {
  type Copy,
  createFollowing,
  follow,
  type FollowerDeps,
  type FollowerEnd,
  type Following,
} from '../replicas/follower.ts'
import { type FoundLedger, openRawCopy } from '../replicas/ledgerFolder.ts'
import { listBehind } from '../monitor/liveness.ts'
import type { ReplicaState } from '../store/changeLog.ts'
import { removeDaemonFile } from '../store/daemonFile.ts'
import { migrations } from '../store/migrate.ts'
import type { ReplicaRun } from './replicaRun.ts'
import { noteDaemon, startWeb } from './runApp.ts'
import { tellOutage } from './tellOutage.ts'
import { whileWaiting } from './waiting.ts'
import { watchIntegrity } from './watchIntegrity.ts'
import { type SeenNodes, watchNodes } from './watchNodes.ts'

/**
 * Follows whoever watches until this node has the lease, and serves the page meanwhile, where the ledger is of this
 * version. @throws MonitorError, DamagedLedger
 */
export async function runFollower(run: ReplicaRun, own: FoundLedger | null): Promise<FollowerEnd> {
  const { deps } = run
  const following = createFollowing()
  deps.log.info({ node: run.node }, 'this node follows')
  const ended = new AbortController()
  // Not waited for: whoever has the lease watches at once, whatever the channels do.
  void tellOutage(run, following, ended.signal)
  try {
    if (own?.state != null && own.version === migrations.length) return await followWithPage(run, following)
    const why =
      own?.state == null
        ? 'there is no ledger here yet'
        : `the ledger here is of version ${own.version}: there is no page until it is taken over`
    if (own !== null) deps.log.warn(why)
    const listReasons = () => listBehind(following, deps.clock.now())
    return await whileWaiting(run, { why, listReasons }, () => followRaw(run, own?.state ?? null, following))
  } finally {
    ended.abort()
  }
}

async function followRaw(
  run: ReplicaRun,
  own: ReplicaState | null,
  following: Following,
): Promise<FollowerEnd> {
  const { stop, config } = run.options
  if (own === null) return await follow(toDeps(run), nothingYet, following, stop)
  const copy = openRawCopy(config.stateDir, own)
  try {
    return await follow(toDeps(run), copy, following, stop)
  } finally {
    copy.close()
  }
}

/** Nobody has committed anything: this node may be the first. */
const nothingYet: Copy = {
  ledgerVersion: migrations.length,
  state: () => ({ role: 'follower', epoch: 0, seq: 0, hash: new Uint8Array() }),
  apply: () => undefined,
}

function toDeps({ deps, options, ...run }: ReplicaRun): FollowerDeps {
  const { clock, log } = deps
  return { ...run, clock, log, program: options.version, pageUrl: options.config.http?.publicUrl ?? null }
}

async function followWithPage(run: ReplicaRun, following: Following): Promise<FollowerEnd> {
  const { deps, options, rules } = run
  const { config } = options
  const ended = new AbortController()
  const seen = watchNodes(run, ended.signal)
  const replica: Replica = {
    role: { role: 'follower' },
    wake: () => undefined,
    mayLeave: async () => ({ may: false, reason: 'this node follows another one' }),
    status: () => toStatus(run, following, seen),
    stop: async () => undefined,
  }
  const app = createApp(deps, { ...options, rules: rules.current(), replica })
  const detach = rules.attach(app)
  const checked = watchIntegrity(deps, app.parts.state, ended.signal)
  try {
    const server = config.http === null ? null : await startWeb(deps, app, config.http)
    if (server) noteDaemon(deps, config.stateDir, server.url)
    options.onReady?.(app, server?.url ?? null)
    try {
      const stop = AbortSignal.any([options.stop, app.damage])
      const end = await follow(toDeps(run), toCopy(app.parts), following, stop)
      app.damage.throwIfAborted()
      return end
    } finally {
      removeDaemonFile(config.stateDir)
      await server?.stop()
    }
  } finally {
    detach()
    ended.abort()
    app.parts.state.integrity.stop()
    await checked
    await app.stop()
  }
}

function toCopy({ db, after }: AppParts): Copy {
  return {
    ledgerVersion: migrations.length,
    // A follower's ledger has one.
    state: () => db.changes.state() ?? nothingYet.state(),
    apply(changes) {
      db.changes.apply(changes)
      for (const notify of after) notify()
    },
  }
}

function toStatus(
  { node }: ReplicaRun,
  { lease, unreachableSince, problem, inStepAt, behind }: Following,
  seen: SeenNodes,
): ReplicaStatus {
  const pageUrl = seen.nodes.find((one) => one.node === lease?.node)?.pageUrl ?? null
  return {
    node,
    role: 'follower',
    holder:
      lease?.node == null || lease.since === null || lease.isOver
        ? null
        : { node: lease.node, since: lease.since, pageUrl },
    unreachable:
      unreachableSince === null ? null : { since: unreachableSince, problem: problem ?? 'no answer' },
    ...seen,
    inStepAt,
    epoch: lease?.epoch ?? 0,
    behind,
  }
}
