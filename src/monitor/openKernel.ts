import { kinds } from '../checks/index.ts'
import { createAlertEngine } from '../alerts/alertEngine.ts'
import { createAlertStore } from '../alerts/store/alertStore.ts'
import { noAmount, toDecimal } from '../bridge/decimal.ts'
import { movedToken } from '../bridge/movedToken.ts'
import { createByteBudget } from '../clients/byteBudget.ts'
import { createExplorer, type Explorer, type ExplorerOptions } from '../clients/explorer/createExplorer.ts'
import { joinExplorers } from '../clients/explorer/explorerSeat.ts'
import { createSeat, type Seat } from '../clients/seat.ts'
import { clockLeadMs } from '../kernel/clockLead.ts'
import { type CommitHooks, createCommit } from '../kernel/commit.ts'
import { createCommitInSlices } from '../kernel/commitInSlices.ts'
import { createSettle } from '../kernel/heads/listLag.ts'
import { createContractReads } from '../kernel/reads/contractReads.ts'
import { createEndpointLags } from '../kernel/heads/endpointLags.ts'
import { setCoverageBack } from '../kernel/running/coverage.ts'
import { createEventRetries } from '../kernel/eventRetries.ts'
import { createExplorerReads } from '../kernel/reads/reads.ts'
import { listHeads, readWatermark } from '../kernel/heads/heads.ts'
import { createHorizons, type ListReadings } from '../kernel/heads/horizons.ts'
import { intervalsOf } from '../kernel/intervals.ts'
import type { Kernel, LiveRules } from '../kernel/kernel.ts'
import type { LogListeners } from '../kernel/bridgeLogs.ts'
import type { BlockListeners } from '../kernel/reads/mainBlocks.ts'
import { createNodeChains } from '../kernel/heads/nodeChains.ts'
import { createRpcs, readRpcHealth, type Rpcs } from '../kernel/rpcs.ts'
import type { AppConfig } from '../kernel/settings.ts'
import { createChallengeWords, createStages } from '../kernel/stages.ts'
import { createActs } from '../kernel/acts.ts'
import { createStakes, type Stakes } from '../kernel/stakes.ts'
import { choosesReceipt, evidenceHoldMs, isLargeShare } from '../ledger/evidence/evidence.ts'
import { createLearned, type Learned } from '../ledger/lessons/learned.ts'
import { createLedger } from '../ledger/ledger.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { CorrectedClock } from '../lib/correctedClock.ts'
import type { Timings } from '../lib/timings.ts'
import { rebaseCursors } from '../store/cursors.ts'
import type { Database } from '../store/database.ts'
import type { State } from '../store/state.ts'
import { rebaseTimes } from '../store/rebaseTimes.ts'
import { readRestored } from '../store/restored.ts'
import { createRequestNumbers } from '../store/requestNumbers.ts'
import type { AppOptions, PartDeps } from './options.ts'
import { createSending } from './sending.ts'
import { firstStart, tellSince } from './startTimes.ts'
import { toRouting } from './toRouting.ts'

/** The kernel, and beside it what only the monitor itself touches. */
export type OpenedKernel = ReturnType<typeof openKernel>

interface Opening {
  readonly state: State
  readonly timings: Timings
  readonly startedAt: UnixMs
}

/** Opens what watching and judging both stand on: the ledger, the alerts, the way out, the sources, and the one commit. */
export function openKernel(
  deps: PartDeps,
  options: AppOptions,
  opening: Opening,
  trigger: Kernel['trigger'],
) {
  const { config } = options
  const { state, timings } = opening
  const found = openFound(deps, options, opening)
  const { clock, db, engine, live } = found
  const settleMs = createSettle(db, clock)
  const list: ListReadings = { readAt: null, sweptAt: null, walkedAt: null, rewind: () => undefined }
  const horizons = createHorizons({ ...found, list, settleMs })
  const eventRetries = createEventRetries({ db, engine, live })
  // Checks are opened on what is opened here, and come into every commit from then on.
  const hooks: CommitHooks[] = [noteBlocks(clock, found.rpcs)]
  const before = new Set<() => void>()
  const after = new Set<() => void>([
    () => found.sending.wake(),
    () => void (state.logCopies.isDue() && trigger('checkpoint')),
    ...(options.replica ? [() => options.replica?.wake()] : []),
  ])
  const commit = createCommit({
    ...found,
    bridge: config.bridge,
    timings,
    eventRetries,
    hooks,
    before,
    after,
    judgedBy() {
      const clockAheadMs = found.clockAheadMs()
      const watermark = readWatermark(db, clockAheadMs)
      return { clockAheadMs, watermark, horizons: horizons.read(), settleMs: settleMs() }
    },
  })
  const kernel: Kernel = {
    ...found,
    state,
    cursors: state.cursors,
    reads: createExplorerReads(found),
    contractReads: createContractReads(found),
    commit,
    commitInSlices: createCommitInSlices(commit, { clock, db }),
    horizons,
    endpointLags: createEndpointLags(clock),
    list,
    nodeHeads: { main: null, zone: null },
    channels: found.sending.channels,
    noteAnswer: found.sending.noteAnswer,
    settleMs,
    trigger,
  }
  const { clockLeadMs, sending } = found
  const intervals = intervalsOf(config.poll)
  const { version } = options
  return { ...kernel, after, before, clockLeadMs, eventRetries, hooks, intervals, sending, timings, version }
}

/** What the kernel is founded on: what is stored, who is asked, and where messages go. */
function openFound(deps: PartDeps, options: AppOptions, { state, startedAt }: Opening) {
  const { config } = options
  const { clock, log, random } = deps
  const { db } = state
  const numbers = openNumbers(state, clock, startedAt)
  const live: LiveRules = { rules: options.rules, rejected: null }
  const rules = () => live.rules
  const alerts = createAlertStore(db)
  const since = tellSince(state, config, startedAt)
  const learned = createLearned(db)
  const stakes = createStakes()
  const ledger = openLedger({ config, db, learned, stakes, since, cursors: state.cursors })
  const routing = toRouting(config)
  const engine = createAlertEngine({ store: alerts, log, settings: routing, live, kinds })
  const blockListeners: BlockListeners = new Set()
  const logListeners: LogListeners = new Set()
  const budget = createByteBudget()
  const nodeChains = createNodeChains(clock)
  const rpcs = createRpcs({ clock, budget }, config, blockListeners, nodeChains)
  const explorers = openExplorers(config.explorer, { clock, log, corrected: clock, numbers, budget })
  const explorer = explorers.members.length === 1 ? explorers.current().client : joinExplorers(explorers)
  const sources = () => [explorer.health(), ...readRpcHealth(rpcs, config)]
  const leadMs = () => clockLeadMs({ now: clock.now(), sources: sources(), heads: listHeads(db) })
  return {
    acts: createActs(),
    alerts,
    blockListeners,
    clock,
    // A block or a record may be ahead of our clock by as much.
    clockAheadMs: () => Math.max(0, explorer.health().clockAheadMs ?? 0, clock.doubtMs()),
    clockLeadMs: leadMs,
    config,
    db,
    engine,
    explorer,
    explorers,
    learned,
    ledger,
    kinds,
    live,
    log,
    nodeChains,
    numbers,
    random,
    replica: options.replica?.status ?? null,
    rpcs,
    rules,
    sending: createSending(deps, {
      config,
      store: alerts,
      ledger,
      engine,
      live,
      fallback: routing.fallback ?? null,
      clockLeadMs: leadMs,
      restored: { read: () => readRestored(db) },
      ...(options.replica && { gate: options.replica }),
    }),
    challengeWords: createChallengeWords(),
    logListeners,
    stages: createStages(),
    stakes,
    startedAt,
    firstStartAt: firstStart(state, startedAt),
    tellSince: since,
  }
}

/** Every deployment of the API that is named; they share the credentials and the words. */
function openExplorers(
  settings: AppConfig['explorer'],
  deps: Pick<ExplorerOptions, 'clock' | 'log' | 'corrected' | 'numbers' | 'budget'>,
): Seat<Explorer> {
  const { baseUrl, name, others = [], quorum, ...rest } = settings
  const open = (url: string) => createExplorer({ ...rest, ...deps, baseUrl: url })
  const first = open(baseUrl)
  return createSeat(
    [
      { name: name ?? first.host, client: first },
      ...others.map((one) => ({ name: one.name, client: open(one.url) })),
    ],
    deps.clock,
    quorum,
  )
}

/** What was to be asked an hour after a clock that was a day ahead is not asked a day later. */
function openNumbers({ db, cursors }: State, clock: CorrectedClock, startedAt: UnixMs) {
  const numbers = createRequestNumbers(db, clock)
  // A follower's clock is nothing to the holder's times.
  if (numbers.wasAheadMs > 0 && db.changes.state()?.role !== 'follower') {
    rebaseTimes(db, -numbers.wasAheadMs)
    setCoverageBack(db, numbers.wasAheadMs, startedAt)
    cursors.write(rebaseCursors(cursors.read(), -numbers.wasAheadMs))
  }
  return numbers
}

function openLedger(of: {
  readonly config: AppConfig
  readonly db: Database
  readonly learned: Learned
  readonly stakes: Stakes
  readonly since: UnixMs
  readonly cursors: Pick<State['cursors'], 'read'>
}) {
  const { config, db, learned, stakes, since, cursors } = of
  return createLedger(db, {
    tokens: config.bridge.tokens,
    openIntervalMs: intervalsOf(config.poll).openTransfers,
    learned,
    evidence: {
      since,
      isPastRead: () => cursors.read().history.done,
      holdMs: evidenceHoldMs,
      wantsReceipt: config.canonical && choosesReceipt(config.canonical, db.generation),
      wantsZoneReceipt: config.zoneRpc && choosesReceipt(config.zoneRpc, db.generation),
      riskOf: ({ token, amount }) => stakes.riskOf(movedToken(token), toDecimal(amount ?? '') ?? noAmount),
      isLarge: ({ token, amountRaw }) => isLargeShare(amountRaw, stakes.reserveOf(token.address)),
    },
  })
}

/** The clock is corrected by the times of blocks. */
function noteBlocks(clock: CorrectedClock, rpcs: Rpcs): CommitHooks {
  return {
    onHeads(heads) {
      for (const { chain, blockTime } of heads) {
        // The canonical RPC's own head goes before.
        if (blockTime !== null && (chain === 'zone' || rpcs.canonical === null)) clock.noteBlock(blockTime)
      }
    },
  }
}
