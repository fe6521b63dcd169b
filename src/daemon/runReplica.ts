import { uptime } from 'node:os'
import { createCorrectedClock } from '../lib/correctedClock.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import type { AppDeps } from '../monitor/options.ts'
import { openConnections } from '../replicas/connect.ts'
import { type FollowerEnd } from '../replicas/follower.ts'
import { readUnshared } from '../replicas/handOver/readUnshared.ts'
import { type Lease, readLease, resumeLease } from '../replicas/lease.ts'
import { findLedger, type FoundLedger, restoreFolder } from '../replicas/ledgerFolder.ts'
import { askNode } from '../replicas/nodes.ts'
import { readCa } from '../replicas/readCa.ts'
import { ensureSchema } from '../replicas/setupSchema.ts'
import { readSnapshot } from '../replicas/snapshots.ts'
import { isDiskFull } from '../store/ballast.ts'
import { brokenRemedy, DamagedLedger, isBroken, toDamaged } from '../store/damage.ts'
import { migrations } from '../store/migrate.ts'
import { ledgerPath } from '../store/state.ts'
import { migrateBeside } from './migrateBeside.ts'
import { runFollower } from './runFollower.ts'
import { runHolder } from './runHolder.ts'
import type { RunOptions } from './runOptions.ts'
import type { ReplicaRun, ReplicaSettings } from './replicaRun.ts'
import { tellDamage } from './tellDamage.ts'
import { whileAlive, whileWaiting } from './waiting.ts'
import type { WatchedRules } from './watchRules.ts'

const leaseTimeoutMs = 3_000
const dataTimeoutMs = 30_000
/** A stop waits for a statement under way. */
const shownTimeoutMs = 5_000
const retryMs = 1_000
/** After what costs a whole copy of the ledger, or waits for one. */
const copyRetryMs = 10_000

/**
 * Runs one of several nodes of a bridge until `stop`: it follows, watches once it has the lease, and follows again when
 * another one has it.
 * @throws MonitorError when it cannot go on: `replica.refused`, `replica.newer`, and what a monitor alone throws
 */
export async function runReplica(
  deps: AppDeps,
  options: RunOptions,
  { settings, rules }: { readonly settings: ReplicaSettings; readonly rules: WatchedRules },
): Promise<void> {
  if (options.resetState)
    throw new MonitorError(
      'usage',
      'With replicas no node begins anew by itself: spanwatch replicas rebuild NODE gives one a copy of the ledger.',
    )
  const { bridge, node } = settings
  const address = { database: settings.database, ca: readCa(settings.caFile) }
  const name = `${bridge} ${node}`
  const run: ReplicaRun = {
    deps,
    options,
    rules,
    bridge,
    node,
    lease: openConnections(address, { most: 2, timeoutMs: leaseTimeoutMs }, name),
    data: openConnections(address, { most: 3, timeoutMs: dataTimeoutMs }, name),
    shown: openConnections(address, { most: 2, timeoutMs: shownTimeoutMs }, name),
    bootMs: () => uptime() * 1_000,
    tried: { id: null },
  }
  try {
    let next = await unlessDamaged(run, () => begin(run))
    while (!options.stop.aborted) next = await step(withOneClock(run), next)
  } finally {
    await Promise.all([run.lease.close(), run.data.close(), run.shown.close()])
  }
}

/** What a node does next: it watches, under a lease or without word of it, follows, or begins its ledger anew. */
type Next = { readonly what: 'hold'; readonly lease: Lease | null } | { readonly what: 'follow' } | Rebuild

interface Rebuild {
  readonly what: 'rebuild'
  readonly why: string
  /** Whether what PostgreSQL has does not fit: the snapshot that was tried is not tried again. */
  readonly isDiverged?: boolean
  /** That the file of the ledger is broken: it is kept for whoever looks after the disk. */
  readonly damage?: DamagedLedger
}

/** Whoever held the lease when he last ran goes on where nobody else took it; without word of PostgreSQL he goes on as well. */
async function begin(run: ReplicaRun): Promise<Next> {
  const { deps, options, bridge } = run
  const own = findLedger(options.config.stateDir)
  const wasHolder = own?.state?.role === 'holder'
  let isTold = false
  for (;;) {
    try {
      await ensureSchema(run.data)
      if (!wasHolder) return { what: 'follow' }
      const lease = await readLease(run.lease.query, bridge)
      if (!isOwn(run, lease, own.state.epoch) || lease.head.seq > own.state.seq) return { what: 'follow' }
      const { epoch } = lease
      const resumed = await resumeLease(run.lease.query, run, { epoch, ledgerVersion: migrations.length })
      return resumed === null ? { what: 'follow' } : { what: 'hold', lease: resumed }
    } catch (error) {
      const code = error instanceof MonitorError ? error.code : null
      const isTrouble = code === 'replica.unreachable' || (code === 'replica.refused' && wasHolder)
      if (!isTrouble) throw error
      if (!isTold) deps.log.error({ err: error }, errorText(error))
      isTold = true
      // Nobody watching is worse than two, also where a password was changed: what it sends is marked.
      if (wasHolder) return { what: 'hold', lease: null }
      if (own?.state != null) return { what: 'follow' }
      await deps.clock.sleep(retryMs, options.stop)
      if (options.stop.aborted) return { what: 'follow' }
    }
  }
}

function isOwn({ node }: ReplicaRun, lease: Lease, epoch: number): boolean {
  return lease.node === node && lease.epoch === epoch
}

/**
 * What a node says of its lease and of others is set beside what its monitor counts, which goes past steps of the wall clock. Each
 * step begins with the clock as it is.
 */
function withOneClock(run: ReplicaRun): ReplicaRun {
  return { ...run, deps: { ...run.deps, clock: createCorrectedClock(run.deps.clock) } }
}

async function step(run: ReplicaRun, next: Next): Promise<Next> {
  switch (next.what) {
    case 'hold':
      return await hold(run, next.lease)
    case 'follow':
      return await whileAlive(run, () => unlessDamaged(run, () => follow(run)))
    case 'rebuild':
      return await whileAlive(run, () => whileWaiting(run, rebuilding, () => rebuildAtLast(run, next)))
  }
}

const rebuilding = {
  why: 'The ledger of this node is built anew from a copy of the one that watches.',
  listReasons: () => ['the ledger is built anew'],
}

const anew = (why: string): Rebuild => ({ what: 'rebuild', why })
const anewAfter = (damage: DamagedLedger): Rebuild => ({ ...anew('the ledger is damaged'), damage })

async function hold(run: ReplicaRun, lease: Lease | null): Promise<Next> {
  const { deps, options } = run
  try {
    await migrateBeside(run)
    const end = await runHolder(run, lease)
    return end === 'rebuild' ? anew('somebody asked for it') : { what: 'follow' }
  } catch (error) {
    if (!(error instanceof DamagedLedger)) throw error
    await tellDamage(deps, options.config, {
      error: error.message,
      next: 'another node takes over; this one begins anew from a snapshot and reads again what came since',
      remedy:
        'Look at the disk of the state folder. The damaged ledger lies beside the new one as ledger.sqlite.damaged.',
    })
    return anewAfter(error)
  }
}

/** A ledger that is found broken before anybody watches by it, at its opening or by a change that came, is built anew. */
async function unlessDamaged({ deps, options }: ReplicaRun, work: () => Promise<Next>): Promise<Next> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DamagedLedger) && !isBroken(error)) throw error
    deps.log.error({ err: error }, errorText(error))
    return anewAfter(
      error instanceof DamagedLedger ? error : toDamaged(ledgerPath(options.config.stateDir), error),
    )
  }
}

async function follow(run: ReplicaRun): Promise<Next> {
  const own = findLedger(run.options.config.stateDir)
  const why = await whyAnew(run, own)
  if (why !== null) return anew(why)
  const end: FollowerEnd = await runFollower(run, own)
  switch (end.how) {
    case 'taken':
      return { what: 'hold', lease: end.lease }
    case 'rebuild':
      return { ...anew(end.why), isDiverged: end.isDiverged ?? false }
    case 'stopped':
      return { what: 'follow' }
  }
}

/** Why the ledger that is there cannot be gone on with; null where it can, or where PostgreSQL has none. */
async function whyAnew(run: ReplicaRun, own: FoundLedger | null): Promise<string | null> {
  try {
    const { head } = await readLease(run.lease.query, run.bridge)
    if (head.seq === 0 && (await readSnapshot(run.data.query, run.bridge)) === null) return null
    if (own === null) return 'there is no ledger here yet'
    return own.state === null ? 'the ledger here was not replicated' : null
  } catch (error) {
    if (error instanceof MonitorError && error.code === 'replica.unreachable') return null
    throw error
  }
}

async function rebuildAtLast(run: ReplicaRun, first: Rebuild): Promise<Next> {
  let next: Next = first
  while (next.what === 'rebuild' && !run.options.stop.aborted) next = await rebuild(run, next)
  return next
}

async function rebuild(run: ReplicaRun, next: Rebuild): Promise<Next> {
  const { deps, options, bridge } = run
  const folder = options.config.stateDir
  const { why } = next
  try {
    const own = findLedgerSafely(folder)
    const snapshot = await readSnapshot(run.data.query, bridge)
    if (snapshot === null) {
      if (next.damage) throw await tellLoss(run, next.damage)
      await deps.clock.sleep(retryMs, options.stop)
      return { what: 'follow' }
    }
    if (next.isDiverged && snapshot.id === run.tried.id) return await waitForNewer(run, next)
    deps.log.warn(`the ledger is built anew from change ${snapshot.seq}: ${why}`)
    const isHandedOver = own?.state == null || (await handOver(run, folder))
    const aside = next.damage ? 'damaged' : asideOf(own, isHandedOver, deps.clock.now())
    run.tried.id = snapshot.id
    await restoreFolder(run.data.query, { folder, bridge, snapshot, aside, signal: options.stop })
  } catch (error) {
    if (options.stop.aborted) return { what: 'follow' }
    const isFull = isDiskFull(error)
    const code = error instanceof MonitorError ? error.code : null
    if (!isFull && code !== 'replica.unreachable' && code !== 'replica.diverged') throw error
    deps.log.error({ err: error }, `the ledger could not be built anew: ${errorText(error)}`)
    await deps.clock.sleep(isFull ? copyRetryMs : retryMs, options.stop)
    return { ...next, isDiverged: code === 'replica.diverged' }
  }
  return { what: 'follow' }
}

/** There is nothing to begin anew from, as of a node alone. */
async function tellLoss({ deps, options }: ReplicaRun, damage: DamagedLedger): Promise<DamagedLedger> {
  const { message: error } = damage
  const next = 'PostgreSQL has no copy of it to begin anew from, and this node ends'
  await tellDamage(deps, options.config, { error, next, remedy: brokenRemedy })
  return damage
}

/** The snapshot that is there is damaged, or what follows it is: whoever watches makes another one. */
async function waitForNewer({ deps, options, lease, bridge }: ReplicaRun, next: Rebuild): Promise<Next> {
  const { node } = await readLease(lease.query, bridge)
  deps.log.warn(
    `the snapshot in PostgreSQL is of no use, ${node ?? 'nobody'} is asked for another one: ${next.why}`,
  )
  if (node !== null) await askNode(lease.query, { bridge, node }, 'snapshot')
  await deps.clock.sleep(copyRetryMs, options.stop)
  return next
}

/** What the ledger is called that is set aside; null where others have all of it. */
function asideOf(own: FoundLedger | null, isHandedOver: boolean, now: number): string | null {
  if (own === null) return 'damaged'
  if (own.state === null) return `alone-${now}`
  return isHandedOver ? null : `unshared-${now}`
}

/** Whatever its role is by now: a holder that lost the lease followed for a moment. @returns false where it cannot be read */
async function handOver(run: ReplicaRun, folder: string): Promise<boolean> {
  const { log } = run.deps
  try {
    const count = await readUnshared(run, folder)
    if (count > 0) log.warn({ count }, 'what this node alone knew was handed over to the one that watches')
    return true
  } catch (error) {
    if (error instanceof MonitorError && error.code.startsWith('replica.')) throw error
    log.error({ err: error }, `what this node alone knew could not be handed over: ${errorText(error)}`)
    return false
  }
}

/** Null for none, and for one that is broken. */
function findLedgerSafely(folder: string): FoundLedger | null {
  try {
    return findLedger(folder)
  } catch (error) {
    if (error instanceof MonitorError && error.code === 'state.locked') throw error
    return null
  }
}
