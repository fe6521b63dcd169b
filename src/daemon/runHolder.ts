import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../lib/errors.ts'
import type { App } from '../monitor/createMonitor.ts'
import type { Replica } from '../monitor/options.ts'
import { createHolder, type Holder } from '../replicas/holder.ts'
import type { HolderDeps } from '../replicas/holderState.ts'
import { readCopyState, findLedger } from '../replicas/ledgerFolder.ts'
import type { Lease } from '../replicas/lease.ts'
import { keepShown, type ShowingDeps } from '../replicas/shown/showing.ts'
import { pruneSnapshots, publishSnapshot } from '../replicas/snapshots.ts'
import type { Head } from '../store/changeLog.ts'
import { migrations } from '../store/migrate.ts'
import type { ReplicaRun } from './replicaRun.ts'
import { copyFailed, copyForOthers } from './copyForOthers.ts'
import { answerRequests } from './answerRequests.ts'
import { createShownReader } from './readShown.ts'
import { runApp } from './runApp.ts'
import { type SeenNodes, watchNodes } from './watchNodes.ts'

/** Before its ledger is open nothing is sent. */
const notYet = { may: false, reason: 'this node does not watch yet' } as const

/**
 * Watches, as the node that holds the lease, until it is told to stop, another one holds it, or one shall.
 * @param lease null where PostgreSQL could not be asked whether it is still ours
 * @returns what it is to do before it follows
 * @throws MonitorError, DamagedLedger
 */
export async function runHolder(run: ReplicaRun, lease: Lease | null): Promise<'rebuild' | null> {
  const { deps, options } = run
  const epoch = lease?.epoch ?? findLedger(options.config.stateDir)?.state?.epoch ?? 0
  deps.log.info({ epoch, node: run.node }, 'this node holds the lease: it watches')
  const ended = new AbortController()
  const stop = AbortSignal.any([options.stop, ended.signal])
  let holder: Holder | null = null
  let showing: Promise<void> | null = null
  let answering: Promise<void> | null = null
  const seen = watchNodes(run, ended.signal)
  const since = lease?.since ?? deps.clock.now()
  const replica: Replica = {
    role: { role: 'holder', epoch },
    wake: () => holder?.wake(),
    mayLeave: async (of) => (holder === null ? notYet : await holder.mayLeave(of)),
    status: () => toStatus(run, { holder, seen, since, epoch }),
    async stop() {
      ended.abort()
      await Promise.all([holder?.stop(), showing, answering])
    },
  }
  const opened = (app: App) => {
    holder = createHolder(toHolderDeps(run, app))
    holder.ended.addEventListener('abort', () => ended.abort())
    holder.start(lease)
    showing = keepShown(toShowingDeps(run, app, { epoch, holder }), ended.signal)
    answering = answerRequests(
      {
        bridge: run.bridge,
        clock: deps.clock,
        log: deps.log,
        query: run.data.query,
        parts: app.parts,
        async isShared() {
          const leave = await replica.mayLeave({ isCritical: false })
          return leave.may && leave.mark === null
        },
      },
      stop,
    )
  }
  try {
    await runApp(deps, { ...options, stop, replica }, run.rules, opened)
  } finally {
    ended.abort()
  }
  if (!options.stop.aborted) deps.log.warn('this node does not hold the lease any more: it follows')
  return readAsked(holder)
}

/** A function, for the compiler does not see that `opened` was called. */
function readAsked(holder: Holder | null): 'rebuild' | null {
  return holder?.asked() === 'rebuild' ? 'rebuild' : null
}

function toHolderDeps({ deps, options, ...run }: ReplicaRun, app: App): HolderDeps {
  const { stateDir, http } = options.config
  const { db } = app.parts
  return {
    ...run,
    clock: deps.clock,
    log: deps.log,
    db,
    program: options.version,
    pageUrl: http?.publicUrl ?? null,
    async publish(signal, mayFinish) {
      const target = join(stateDir, 'replica-snapshot')
      rmSync(target, { force: true })
      try {
        await copyForOthers({ stateDir, target }, signal)
        const state = readCopyState(target)
        if (state === null) throw copyFailed('it is not replicated')
        await mayFinish(state)
        const { bridge } = run
        const of = { bridge, path: target, state, ledgerVersion: migrations.length, signal }
        const isThere = await publishSnapshot(run.data, of)
        if (isThere) {
          deps.log.info({ seq: state.seq }, 'a copy of the ledger is in PostgreSQL')
          await pruneSnapshots(run.data.query, bridge, signal).catch((error: unknown) =>
            deps.log.warn(
              { err: error },
              `what it makes needless stays until the next one: ${errorText(error)}`,
            ),
          )
        }
        return isThere ? (state satisfies Head) : null
      } finally {
        rmSync(target, { force: true })
      }
    },
  }
}

function toShowingDeps(
  { deps, shown, bridge }: ReplicaRun,
  app: App,
  { epoch, holder }: { readonly epoch: number; readonly holder: Holder },
): ShowingDeps {
  const { db } = app.parts
  return {
    bridge,
    epoch,
    clock: deps.clock,
    log: deps.log,
    connections: shown,
    db,
    reader: createShownReader(app.parts),
    pushedSeq: () => (db.changes.state()?.seq ?? 0) - holder.status().behind,
  }
}

function toStatus(
  { deps, node, options }: ReplicaRun,
  of: {
    readonly holder: Holder | null
    readonly seen: SeenNodes
    readonly since: number
    readonly epoch: number
  },
): ReturnType<Replica['status']> {
  const now = deps.clock.now()
  const status = of.holder?.status() ?? null
  return {
    node,
    role: 'holder',
    holder: { node, since: of.since, pageUrl: options.config.http?.publicUrl ?? null },
    unreachable: status?.trouble ?? null,
    ...of.seen,
    inStepAt: status !== null && status.hasBasis && status.behind === 0 ? now : null,
    epoch: of.epoch,
    behind: status !== null && status.hasBasis ? status.behind : null,
  }
}
