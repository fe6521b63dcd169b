import { createAlertEngine } from '../alerts/alertEngine.ts'
import { createExplorer } from '../clients/explorer/createExplorer.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Timings } from '../lib/timings.ts'
import { type CommitHooks, createCommit } from '../kernel/commit.ts'
import { noAmount, toDecimal } from '../bridge/decimal.ts'
import { movesAs } from '../meaning/learnedMoney.ts'
import { movedToken } from '../bridge/movedToken.ts'
import { countTaught, meansWithdrawal } from '../ledger/withdrawActions.ts'
import { createLearnMoney } from '../ledger/learnMoney.ts'
import { noteUnjudged } from '../checks/escrow/noteUnjudged.ts'
import { createWeighDissent } from '../checks/contracts/weighDissent.ts'
import { createEventRetries } from '../kernel/eventRetries.ts'
import { clockLeadMs } from '../kernel/clockLead.ts'
import type { LoadedRule } from '../rules/types.ts'
import type { Facts } from '../checks/facts.ts'
import { createAlertStore } from '../alerts/store/alertStore.ts'
import { forgetSamples } from '../checks/contracts/logStore.ts'
import { createLearned, holdJudgement, listTokenPairs } from '../ledger/learned.ts'
import { saveOpenLessons } from '../ledger/openLessons.ts'
import { listHeads } from '../kernel/heads.ts'
import { createLedger } from '../ledger/ledger.ts'
import { setCoverageBack } from '../kernel/coverage.ts'
import { rebaseCursors } from '../store/cursors.ts'
import { rebaseTimes } from '../store/rebaseTimes.ts'
import { createRequestNumbers } from '../store/requestNumbers.ts'
import type { State } from '../store/openState.ts'
import { readActions } from '../ledger/zoneActions.ts'
import type { AppOptions, PartDeps } from './createMonitor.ts'
import {
  choosesReceipt,
  createSettle,
  evidenceHoldMs,
  isLargeShare,
  readWatermark,
} from '../checks/evidence/check.ts'
import { intervalsOf } from '../checks/transfers/check.ts'
import { createRpcs, readRpcHealth } from '../kernel/rpcs.ts'
import { createSending } from './sending.ts'
import { createEscrowWatch } from '../checks/escrow/watch.ts'
import { createHorizons } from '../kernel/horizons.ts'
import { tellSince } from './startTimes.ts'
import { toRouting } from './toRouting.ts'

/** What watching and judging both stand on: the ledger, the alerts, the way out, the sources, and the one commit. */
export type Base = ReturnType<typeof createBase>

export function createBase(
  deps: PartDeps,
  options: AppOptions,
  { state, timings }: { readonly state: State; readonly timings: Timings },
  startedAt: UnixMs,
) {
  const { config } = options
  const { clock, log } = deps
  const { db, cursors } = state
  const numbers = createRequestNumbers(db, clock)
  // What was to be asked an hour after a clock that was a day ahead is not asked a day later.
  if (numbers.wasAheadMs > 0) {
    rebaseTimes(db, -numbers.wasAheadMs)
    setCoverageBack(db, numbers.wasAheadMs, startedAt)
    cursors.write(rebaseCursors(cursors.read(), -numbers.wasAheadMs))
  }
  const intervals = intervalsOf(config.poll)
  const live: { rules: readonly LoadedRule[]; rejected: Facts['rulesRejected'] } = {
    rules: options.rules,
    rejected: null,
  }
  const rules = () => live.rules
  const listeners = new Set<() => void>()
  const alerts = createAlertStore(db)
  const since = tellSince(state, config, startedAt)
  const learned = createLearned(db)
  const watch = createEscrowWatch(db, config.bridge, listTokenPairs(db, learned), learned)
  const ledger = createLedger(db, {
    tokens: config.bridge.tokens,
    openIntervalMs: intervals.openTransfers,
    movesAs: (token) => movesAs(token, learned),
    meansWithdrawal: (type) => meansWithdrawal({ ...readActions(db, type), ...countTaught(learned, type) }),
    evidence: {
      since,
      holdMs: evidenceHoldMs,
      wantsReceipt: config.canonical && choosesReceipt(config.canonical, db.generation),
      riskOf: ({ token, amount }) => watch.riskOf(movedToken(token), toDecimal(amount ?? '') ?? noAmount),
      isLarge: ({ token, amountRaw }) => isLargeShare(amountRaw, watch.reserveOf(token.address)),
    },
  })
  const routing = toRouting(config)
  const engine = createAlertEngine({ store: alerts, log, settings: routing, rules })
  const leadMs = () =>
    clockLeadMs({
      now: clock.now(),
      sources: [explorer.health(), ...readRpcHealth(rpcs, config)],
      heads: listHeads(db),
    })
  const sending = createSending(deps, {
    config,
    store: alerts,
    ledger,
    engine,
    rules,
    fallback: routing.fallback ?? null,
    clockLeadMs: leadMs,
  })
  const explorer = createExplorer({
    ...config.explorer,
    clock,
    log,
    corrected: clock,
    nextNumber: () => numbers.next(),
  })
  // A block or a record may be ahead of our clock by as much.
  const clockAheadMs = () => Math.max(0, explorer.health().clockAheadMs ?? 0, clock.doubtMs())
  const rpcs = createRpcs(clock, config)
  const settleMs = createSettle(db, clock)
  const horizons = createHorizons({
    clock,
    db,
    settleMs,
    clockAheadMs,
  })
  // Checks are opened on what is opened here, and come into every commit from then on.
  const hooks: CommitHooks[] = [
    {
      onTransfers(changed, ceased, at) {
        watch.noteTransfers(changed, ceased, at)
        noteUnjudged({ db, learned, tellSince: since }, changed, ceased, at)
      },
    },
  ]
  const onCommitted = () => {
    sending.wake()
    for (const listener of listeners) listener()
  }
  const eventRetries = createEventRetries({ engine, rules })
  const clockFollowers = new Set<() => void>()
  const commit = createCommit({
    followClock: () => {
      for (const follow of clockFollowers) follow()
    },
    db,
    ledger,
    clock,
    numbers,
    noteHead: ({ chain, blockTime }) => {
      // The canonical RPC's own head goes before.
      if (blockTime !== null && (chain === 'zone' || rpcs.canonical === null)) clock.noteBlock(blockTime)
    },
    log,
    engine,
    rules,
    tellSince: since,
    watermark: () => readWatermark(db, clockAheadMs()),
    horizons: () => horizons.read(),
    settleMs,
    bridge: config.bridge,
    learned,
    learn: createLearnMoney({
      learned,
      bridge: config.bridge,
      tellSince: since,
      hold: (key, dueAt) => holdJudgement(db, key, dueAt),
      await: (key, lessons, now) => saveOpenLessons(db, key, lessons, now),
    }),
    weighDissent: createWeighDissent({ learned, bridge: config.bridge }),
    unlearn: ({ main, zone }) => {
      for (const leg of [main, zone]) if (leg !== null) learned.forget(leg.hash)
      if (main !== null) forgetSamples(db, main.hash)
    },
    clockAheadMs,
    escrowBalance: (token) => watch.reserveOf(token),
    hooks,
    startRules: () => timings.startRules(),
    onRuleFailed: (rule, subject, error) => eventRetries.failed(rule, subject, error),
    onCommitted,
  })
  return {
    alerts,
    clock,
    clockAheadMs,
    clockFollowers,
    clockLeadMs: leadMs,
    commit,
    config,
    cursors,
    db,
    engine,
    eventRetries,
    explorer,
    hooks,
    horizons,
    intervals,
    learned,
    ledger,
    listeners,
    live,
    numbers,
    onCommitted,
    rpcs,
    rules,
    sending,
    settleMs,
    startedAt,
    state,
    tellSince: since,
    timings,
    version: options.version,
    watch,
  }
}
