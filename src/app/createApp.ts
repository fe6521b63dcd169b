import { type AlertEngine, createAlertEngine } from '../alerts/alertEngine.ts'
import { createDistress } from '../alerts/createDistress.ts'
import { type Dispatcher, startDispatcher } from '../alerts/dispatcher.ts'
import { createOperations } from '../alerts/operations.ts'
import { createExplorer } from '../clients/explorer/createExplorer.ts'
import type { AppConfig } from './appConfig.ts'
import type { Finding } from '../domain/finding.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import { createChannel } from '../notify/createChannel.ts'
import { createContractReads } from '../pollers/contractReads.ts'
import { createCommit } from '../pollers/createCommit.ts'
import { createEvaluateLoop } from '../pollers/evaluateLoop.ts'
import { createExplorerReads } from '../pollers/explorerReads.ts'
import { createHeartbeat } from '../pollers/heartbeat.ts'
import { createRunner, type Poller, type PollerStatus } from '../pollers/runner.ts'
import { createUpkeep } from '../pollers/upkeep.ts'
import { matchFinding } from '../rules/evaluateRules.ts'
import type { Facts, Rule } from '../rules/types.ts'
import { createAlertStore } from '../store/alertStore.ts'
import { createLedger } from '../store/ledger.ts'
import { createTokenBook } from '../store/tokenBook.ts'
import { openState, type State } from '../store/openState.ts'
import {
  choosesReceipt,
  createEvidence,
  createSettle,
  evidenceHoldMs,
  readWatermark,
} from './createEvidence.ts'
import { createCoverageNotes } from './createCoverageNotes.ts'
import { createPreconf } from './createPreconf.ts'
import { createRpcs, readRpcHealth } from './createRpcs.ts'
import { createEscrowPollers } from './createEscrowPollers.ts'
import { createEscrowWatch } from './escrowWatch.ts'
import { createPollers, intervalsOf } from './createPollers.ts'
import { createReporting } from './report/createReporting.ts'
import { createCanaryPoller } from './createCanaryPoller.ts'
import { createReserve } from './createReserve.ts'
import { toClockJump, toRecovered } from './ownFindings.ts'
import { readFacts } from './readFacts.ts'
import { createFlow } from './readFlow.ts'
import { readLiveness } from './readLiveness.ts'
import { toRouting } from './toRouting.ts'

export interface AppDeps {
  readonly clock: Clock
  readonly log: Logger
  /** The console channel's sink. */
  readonly write: (text: string) => void
  readonly random: () => number
}

export interface AppOptions {
  readonly config: AppConfig
  readonly rules: readonly Rule[]
  readonly version: string
  /** Sets the present state aside and begins anew. */
  readonly resetState?: boolean
}

export interface App {
  readonly parts: AppParts
  start(): Promise<void>
  /** A new set of rules, whole; or why the newest edit was refused, which keeps the old ones. */
  setRules(loaded: { readonly rules: readonly Rule[] } | { readonly problems: readonly string[] }): void
  stop(): Promise<void>
}

export type AppParts = ReturnType<typeof createParts>

/**
 * The whole monitor, put together: configuration in, something that starts and stops out. Takes the state folder at
 * once, before anything is asked or sent.
 * @throws MonitorError `state.locked`, `state.invalid`, `config.invalid`
 */
export function createApp(deps: AppDeps, options: AppOptions): App {
  const { config } = options
  const now = deps.clock.now()
  const state = openState({
    folder: config.stateDir,
    since: historySince(config, now),
    now,
    reset: options.resetState ?? false,
  })
  try {
    const parts = createParts(deps, options, state, now)
    return toApp(deps, parts, state)
  } catch (error) {
    state.close()
    throw error
  }
}

function createParts(deps: AppDeps, options: AppOptions, state: State, startedAt: UnixMs) {
  const { config } = options
  const { clock, log } = deps
  const { db, cursors } = state
  const intervals = intervalsOf(config.poll)
  const live: { rules: readonly Rule[]; rejected: Facts['rulesRejected'] } = {
    rules: options.rules,
    rejected: null,
  }
  const listeners = new Set<() => void>()
  const notifications = createNotificationCounts()
  const alerts = createAlertStore(db)
  const since = tellSince(state, config, startedAt)
  const ledger = createLedger(db, {
    tokens: config.bridge.tokens,
    openIntervalMs: intervals.openTransfers,
    evidence: {
      since,
      holdMs: evidenceHoldMs,
      wantsReceipt: config.canonical && choosesReceipt(config.canonical, db.generation),
    },
  })
  const channels = config.channels.map((channel) =>
    createChannel({ clock, write: deps.write, color: false }, channel),
  )
  const routing = toRouting(config)
  const engine = createAlertEngine({ store: alerts, log, settings: routing, rules: () => live.rules })
  let dispatcher: Dispatcher | null = null
  const startSending = () => {
    dispatcher ??= startDispatcher({
      store: alerts,
      clock,
      log,
      channels,
      random: deps.random,
      engine,
      fallback: routing.fallback ?? null,
      rules: () => live.rules,
      readTransfer: (key) => ledger.getTransfer(key),
      links: config.explorer.links.tx,
      pageUrl: config.http?.publicUrl ?? null,
      onResult: (channel, result) => notifications.count(channel, result),
    })
  }
  const explorer = createExplorer({ ...config.explorer, clock, log })
  const rpcs = createRpcs(clock, config)
  const settleMs = createSettle(db, clock)
  const watch = createEscrowWatch(db, config.bridge)
  const onCommitted = () => {
    dispatcher?.wake()
    for (const listener of listeners) listener()
  }
  const commit = createCommit({
    db,
    ledger,
    clock,
    log,
    engine,
    rules: () => live.rules,
    tellSince: since,
    watermark: () => readWatermark(db),
    settleMs,
    bridge: config.bridge,
    clockAheadMs: () => explorer.health().clockAheadMs,
    escrowBalance: (token) => watch.holdingsOf(token),
    noteTransfers: (changed, ceased, at) => watch.noteTransfers(changed, ceased, at),
    onCommitted,
  })
  const reads = createExplorerReads(explorer, ledger)
  const pollerDeps = {
    clock,
    log,
    ledger,
    reads,
    contractReads: createContractReads({ explorer, clock }),
    tellSince: since,
    startedAt,
    commit,
    cursors,
    db,
    config,
    trigger: (name: string) => runner.trigger(name),
  }
  const pollers = createPollers(pollerDeps)
  const evidence = createEvidence({
    clock,
    db,
    ledger,
    explorer,
    reads,
    canonical: rpcs.canonical,
    settleMs,
    listReadAt: () => runner.status().find(({ poller }) => poller === 'transfers')?.lastSuccessAt ?? null,
    commit,
    config,
    trigger: (name) => runner.trigger(name),
  })
  const preconf = createPreconf({
    clock,
    log,
    db,
    ledger,
    explorer,
    commit,
    rpcs,
    config,
    rules: () => live.rules,
  })
  const escrowPollers = createEscrowPollers({ ...pollerDeps, ...rpcs, explorer, watch, tellSince: since })
  const upkeep = createUpkeep({
    clock,
    db,
    ledger,
    alerts,
    retention: config.retention,
    contracts: config.bridge.contracts,
  })
  const runner = createRunner({ clock, log }, [
    ...pollers.list,
    ...evidence,
    ...preconf.pollers,
    ...escrowPollers,
    ...createReporting({ clock, log, db, ledger, commit, channels, config }),
    { name: 'upkeep', schedule: upkeepMs, run: upkeep },
    ...createCanaryPoller({
      clock,
      log,
      db,
      channels,
      config,
      onAnswer: (...answer) => dispatcher?.noteAnswer(...answer),
    }),
    ...(config.heartbeat ? [toHeartbeat(config.heartbeat, () => isAlive())] : []),
  ])
  const rpcHealth = () => readRpcHealth(rpcs, config)
  const pollerStatus = () => [...runner.status(), ...preconf.status()]
  const isAlive = () =>
    readLiveness({ explorer, evaluate, startedAt, pollers: () => runner.status() }, clock.now(), 0).ok
  const book = createTokenBook(db, config.bridge.tokens)
  const flow = createFlow(db, (address) => book.find(address))
  const facts = (at: UnixMs) =>
    readFacts(
      {
        db,
        ledger,
        explorer,
        intervals: intervals.byEndpoint,
        rpcHealth,
        preconf: () => preconf.facts(),
        flow,
        canonicalHead: () => preconf.canonicalHead(),
        pollers: pollerStatus,
        rulesRejected: () => live.rejected,
        escrow: { db, watch, operators: config.bridge.operators, terminal: config.bridge.challenge.terminal },
      },
      at,
    )
  const noteReadings = createCoverageNotes(db, pollerStatus)
  const distress = createDistress({ channels, log, pageUrl: config.http?.publicUrl ?? null })
  const evaluate = createEvaluateLoop({
    db,
    clock,
    log,
    engine,
    rules: () => live.rules,
    facts,
    raised: createReserve(state),
    judgeMore: () => {
      noteReadings()
      const hasRun = ({ runs, lastSuccessAt, failures }: PollerStatus) =>
        runs > 0 && (lastSuccessAt !== null || failures > 0)
      if (runner.status().every(hasRun)) engine.releaseStart()
    },
    onClockJump: (jump) => {
      engine.rebaseClock(jump.byMs, jump.now)
      tell(engine, live.rules, toClockJump(jump), jump.now)
    },
    onCommitted: () => (distress.saved(clock.now()), onCommitted()),
    onFailed: (reason, at) => distress.failed(reason, at),
  })
  const operations = {
    ...createOperations({
      store: alerts,
      log,
      now: () => clock.now(),
      onChanged: () => (evaluate.wake(), onCommitted()),
    }),
    rewindCursors: (until: UnixMs) => (pollers.rewind(until), { until }),
  }
  const stopSending = async () => {
    await distress.stop()
    await dispatcher?.stop()
  }
  return {
    alerts,
    cursors,
    db,
    startSending,
    stopSending,
    notifications,
    operations,
    engine,
    evaluate,
    explorer,
    intervals,
    ledger,
    listeners,
    live,
    pollers,
    pollerStatus,
    preconf,
    reports: config.reports.daily,
    rpcHealth,
    rpcs,
    runner,
    startedAt,
    state,
    version: options.version,
    channels,
  }
}

const upkeepMs = 60_000

function toHeartbeat(heartbeat: NonNullable<AppConfig['heartbeat']>, isAlive: () => boolean): Poller {
  const run = createHeartbeat({ url: heartbeat.url, isAlive })
  return { name: 'heartbeat', schedule: heartbeat.everyMs, run }
}

function toApp(deps: AppDeps, parts: AppParts, state: State): App {
  let stopping: Promise<void> | null = null
  return {
    parts,
    async start() {
      const now = deps.clock.now()
      parts.db.transaction(() => {
        parts.engine.start(now)
        if (state.recovered !== null)
          tell(parts.engine, parts.live.rules, toRecovered(state.recovered, now), now)
      })
      parts.startSending()
      // Whatever the last run left unread lies between the newest complete reading and now.
      const { tail } = parts.cursors.read()
      if (!state.isFirstStart && tail.completeAt !== null) parts.pollers.reopenHistory()
      parts.runner.start()
      parts.preconf.start()
      parts.evaluate.start()
    },
    setRules(loaded) {
      if ('rules' in loaded) {
        parts.live.rules = loaded.rules
        parts.live.rejected = null
      } else parts.live.rejected = { at: deps.clock.now(), problems: loaded.problems }
      parts.evaluate.wake()
    },
    stop() {
      stopping ??= stop(parts, state)
      return stopping
    },
  }
}

/** How each channel's deliveries ended, for metrics. */
function createNotificationCounts() {
  const counts = new Map<string, { channel: string; result: string; count: number }>()
  return {
    count(channel: string, result: string) {
      const key = `${channel}|${result}`
      const entry = counts.get(key) ?? { channel, result, count: 0 }
      counts.set(key, { ...entry, count: entry.count + 1 })
    },
    list: () => [...counts.values()],
  }
}

/** In the reverse order of the data: no new readings, then no new judgements, then the messages under way. */
async function stop(parts: AppParts, state: State): Promise<void> {
  await Promise.all([parts.runner.stop(), parts.preconf.stop()])
  await parts.evaluate.stop()
  await parts.stopSending()
  await Promise.all(parts.channels.map((channel) => channel.close()))
  await parts.explorer.close()
  await parts.rpcs.preconf?.close()
  await parts.rpcs.canonical?.close()
  state.close()
}

function tell(engine: AlertEngine, rules: readonly Rule[], finding: Finding, now: UnixMs): void {
  engine.tellEvents(matchFinding(rules, finding, now).matches, now)
}

/** How far back a first start reads. */
function historySince(config: AppConfig, now: UnixMs): UnixMs {
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

/** From when on final records are news. Kept in the ledger: a restart must not make history of what was missed. */
function tellSince(state: State, config: AppConfig, now: UnixMs): UnixMs {
  const known = state.db.prepare("SELECT value FROM meta WHERE name = 'tell_since'").get()
  if (known) return Number(known['value'])
  const since = historySince(config, now)
  state.db.prepare("INSERT INTO meta (name, value) VALUES ('tell_since', ?)").run(String(since))
  return since
}
