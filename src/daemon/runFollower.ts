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
import { migrations } from '../store/database.ts'
import { createServiceNotifier, sendToServiceManager } from './serviceNotifier.ts'
import type { ReplicaRun } from './runReplica.ts'
import { startWeb } from './runApp.ts'

/**
 * Follows whoever watches until this node has the lease, and serves the page meanwhile, where the ledger is of this
 * version.
 */
export async function runFollower(run: ReplicaRun, own: FoundLedger | null): Promise<FollowerEnd> {
  const { deps, options } = run
  const following = createFollowing()
  deps.log.info({ node: run.node }, 'this node follows')
  const service = createServiceNotifier({
    clock: deps.clock,
    log: deps.log,
    env: options.env ?? {},
    send: (state) => sendToServiceManager(options.env ?? {}, state),
    isAlive: () => true,
  })
  service.ready()
  try {
    if (own === null || own.state === null)
      return await follow(toDeps(run), nothingYet, following, options.stop)
    if (own.version === migrations.length) return await followWithPage(run, following)
    deps.log.warn(`the ledger here is of version ${own.version}: there is no page until it is taken over`)
    const copy = openRawCopy(options.config.stateDir, own.state)
    try {
      return await follow(toDeps(run), copy, following, options.stop)
    } finally {
      copy.close()
    }
  } finally {
    await service.stop()
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
  const { deps, options } = run
  const { config } = options
  const replica: Replica = {
    role: { role: 'follower' },
    wake: () => undefined,
    mayLeave: async () => ({ may: false, reason: 'this node follows another one' }),
    status: () => toStatus(run, following),
    stop: async () => undefined,
  }
  const app = createApp(deps, { ...options, replica })
  try {
    const server = config.http === null ? null : await startWeb(deps, app, config.http)
    options.onReady?.(app, server?.url ?? null)
    try {
      return await follow(toDeps(run), toCopy(app.parts), following, options.stop)
    } finally {
      await server?.stop()
    }
  } finally {
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

function toStatus({ node }: ReplicaRun, { lease, readAt, unreachableSince, problem }: Following) {
  return {
    node,
    role: 'follower',
    holder:
      lease?.node == null || lease.since === null
        ? null
        : { node: lease.node, since: lease.since, pageUrl: null },
    unreachable:
      unreachableSince === null ? null : { since: unreachableSince, problem: problem ?? 'no answer' },
    missing: [],
    inStepAt: readAt,
  } as const
}
