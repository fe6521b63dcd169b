import { kinds } from '../checks/index.ts'
import { createAlertEngine } from '../alerts/alertEngine.ts'
import { createAlertStore } from '../alerts/store/alertStore.ts'
import { noAmount, toDecimal } from '../bridge/decimal.ts'
import { movedToken } from '../bridge/movedToken.ts'
import { createExplorer } from '../clients/explorer/createExplorer.ts'
import { clockLeadMs } from '../kernel/clockLead.ts'
import { type CommitHooks, createCommit } from '../kernel/commit.ts'
import { createContractReads } from '../kernel/contractReads.ts'
import { setCoverageBack } from '../kernel/coverage.ts'
import { createEventRetries } from '../kernel/eventRetries.ts'
import { createExplorerReads } from '../kernel/explorerReads.ts'
import { listHeads, readWatermark } from '../kernel/heads.ts'
import { createHorizons, type ListReadings } from '../kernel/horizons.ts'
import { intervalsOf } from '../kernel/intervals.ts'
import type { Kernel, LiveRules } from '../kernel/kernel.ts'
import { createRpcs, readRpcHealth, type Rpcs } from '../kernel/rpcs.ts'
import { createSettle } from '../kernel/settle.ts'
import type { AppConfig } from '../kernel/settings.ts'
import { createStakes, type Stakes } from '../kernel/stakes.ts'
import { choosesReceipt, evidenceHoldMs, isLargeShare } from '../ledger/choosesReceipt.ts'
import { createLearned, type Learned } from '../ledger/learned.ts'
import { createLedger } from '../ledger/ledger.ts'
import { countTaught, meansWithdrawal } from '../ledger/withdrawActions.ts'
import { readActions } from '../ledger/zoneActions.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { CorrectedClock } from '../lib/correctedClock.ts'
import type { Timings } from '../lib/timings.ts'
import { movesAs } from '../meaning/learnedMoney.ts'
import { rebaseCursors } from '../store/cursors.ts'
import type { Database } from '../store/database.ts'
import type { State } from '../store/openState.ts'
import { rebaseTimes } from '../store/rebaseTimes.ts'
import { createRequestNumbers } from '../store/requestNumbers.ts'
import type { AppOptions, PartDeps } from './options.ts'
import { createSending } from './sending.ts'
import { tellSince } from './startTimes.ts'
import { toRouting } from './toRouting.ts'

/** The kernel, and beside it what only the monitor itself touches. */
export type OpenedKernel = ReturnType<typeof openKernel>

/** Opens what watching and judging both stand on: the ledger, the alerts, the way out, the sources, and the one commit. */
export function openKernel(
  deps: PartDeps,
  options: AppOptions,
  of: { readonly state: State; readonly timings: Timings; readonly startedAt: UnixMs },
  trigger: Kernel['trigger'],
) {
  const { config } = options
  const { state, timings, startedAt } = of
  const { clock, log } = deps
  const { db, cursors } = state
  const numbers = openNumbers(state, clock, startedAt)
  const live: LiveRules = { rules: options.rules, rejected: null }
  const rules = () => live.rules
  const alerts = createAlertStore(db)
  const since = tellSince(state, config, startedAt)
  const learned = createLearned(db)
  const stakes = createStakes()
  const ledger = openLedger({ config, db, learned, stakes, since })
  const routing = toRouting(config)
  const engine = createAlertEngine({ store: alerts, log, settings: routing, live, kinds })
  const rpcs = createRpcs(clock, config)
  const nextNumber = () => numbers.next()
  const explorer = createExplorer({ ...config.explorer, clock, log, corrected: clock, nextNumber })
  // A block or a record may be ahead of our clock by as much.
  const clockAheadMs = () => Math.max(0, explorer.health().clockAheadMs ?? 0, clock.doubtMs())
  const sources = () => [explorer.health(), ...readRpcHealth(rpcs, config)]
  const leadMs = () => clockLeadMs({ now: clock.now(), sources: sources(), heads: listHeads(db) })
  const sending = createSending(deps, {
    config,
    store: alerts,
    ledger,
    engine,
    live,
    fallback: routing.fallback ?? null,
    clockLeadMs: leadMs,
  })
  const settleMs = createSettle(db, clock)
  const list: ListReadings = { readAt: null, sweptAt: null, rewind: () => undefined }
  const horizons = createHorizons({ clock, db, list, settleMs, clockAheadMs })
  const eventRetries = createEventRetries({ engine, rules })
  // Checks are opened on what is opened here, and come into every commit from then on.
  const hooks: CommitHooks[] = [noteBlocks(clock, rpcs)]
  const before = new Set<() => void>()
  const after = new Set<() => void>([() => sending.wake()])
  const commit = createCommit({
    db,
    ledger,
    clock,
    log,
    engine,
    live,
    tellSince: since,
    bridge: config.bridge,
    stakes,
    learned,
    numbers,
    timings,
    eventRetries,
    hooks,
    before,
    after,
    judgedBy() {
      const aheadMs = clockAheadMs()
      return {
        clockAheadMs: aheadMs,
        watermark: readWatermark(db, aheadMs),
        horizons: horizons.read(),
        settleMs: settleMs(),
      }
    },
  })
  const kernel: Kernel = {
    config,
    clock,
    log,
    random: deps.random,
    state,
    db,
    cursors,
    ledger,
    learned,
    alerts,
    engine,
    explorer,
    rpcs,
    reads: createExplorerReads(explorer, ledger, clock),
    contractReads: createContractReads({ explorer, clock }),
    numbers,
    commit,
    horizons,
    list,
    mainHead: { canonical: null },
    stakes,
    channels: sending.channels,
    noteAnswer: sending.noteAnswer,
    startedAt,
    tellSince: since,
    settleMs,
    clockAheadMs,
    live,
    rules,
    trigger,
  }
  return {
    ...kernel,
    after,
    before,
    clockLeadMs: leadMs,
    eventRetries,
    hooks,
    intervals: intervalsOf(config.poll),
    sending,
    timings,
    version: options.version,
  }
}

/** What was to be asked an hour after a clock that was a day ahead is not asked a day later. */
function openNumbers({ db, cursors }: State, clock: CorrectedClock, startedAt: UnixMs) {
  const numbers = createRequestNumbers(db, clock)
  if (numbers.wasAheadMs > 0) {
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
}) {
  const { config, db, learned, stakes, since } = of
  return createLedger(db, {
    tokens: config.bridge.tokens,
    openIntervalMs: intervalsOf(config.poll).openTransfers,
    movesAs: (token) => movesAs(token, learned),
    meansWithdrawal: (type) => meansWithdrawal({ ...readActions(db, type), ...countTaught(learned, type) }),
    evidence: {
      since,
      holdMs: evidenceHoldMs,
      wantsReceipt: config.canonical && choosesReceipt(config.canonical, db.generation),
      riskOf: ({ token, amount }) => stakes.riskOf(movedToken(token), toDecimal(amount ?? '') ?? noAmount),
      isLarge: ({ token, amountRaw }) => isLargeShare(amountRaw, stakes.reserveOf(token.address)),
    },
  })
}

/** Blocks tell the time. */
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
