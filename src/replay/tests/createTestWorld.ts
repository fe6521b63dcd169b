import { noAmount } from '../../bridge/decimal.ts'
import { type AlertEngine, createAlertEngine } from '../../alerts/alertEngine.ts'
import { type AlertStore, createAlertStore } from '../../alerts/store/alertStore.ts'
import type { Finding } from '../../bridge/finding.ts'
import { toRoute } from '../../config/config.ts'
import { checks, kinds } from '../../checks/index.ts'
import type { SourceHealth } from '../../clients/sourceHealth.ts'
import { createCommit } from '../../kernel/commit.ts'
import type { Head } from '../../kernel/heads/heads.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import type { Ground } from '../../kernel/given.ts'
import type { Commit } from '../../kernel/reads/reads.ts'
import { createLedger, type Ledger } from '../../ledger/ledger.ts'
import { createLatency } from '../../ledger/transfers/readLatency.ts'
import { createTokenBook } from '../../ledger/lessons/tokenBook.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import { createSilentLog } from '../../lib/log.ts'
import { toRouting } from '../../monitor/toRouting.ts'
import type { LoadedRule } from '../../rules/types.ts'
import { type Database, openDatabase } from '../../store/database.ts'
import type { FactTexts } from './factSchemas.ts'
import { resolveMoments, toInstant } from '../../kernel/moment.ts'
import type { RuleTest, TestFile } from './testSchema.ts'
import { tokensOf } from './testTokens.ts'
import type { Reading } from './toReading.ts'

interface HeadState {
  readonly height: number
  readonly from: UnixMs
  /** Null stands still. */
  readonly everyMs: number | null
}

interface SourceState {
  readonly state: 'good' | 'out' | 'rejected'
  readonly since: UnixMs
  readonly reason: string
}

/** All that a test's inputs have said of the world so far; changed by applyInput.ts alone. */
export interface Said {
  readonly readings: Map<string, Reading>
  readonly keys: Map<string, string>
  readonly heads: Map<'main' | 'zone', HeadState>
  readonly sources: Map<string, SourceState>
  readonly balances: Map<string, bigint>
  readonly raised: Map<string, Finding>
  facts: FactTexts
}

/** A monitor without a network: the ledger, the rules and the alert engine of the daemon, on a clock of its own. */
export interface TestWorld {
  readonly file: TestFile
  readonly start: UnixMs
  readonly clock: Clock & { set(now: UnixMs): void }
  readonly db: Database
  readonly ledger: Ledger
  readonly store: AlertStore
  readonly engine: AlertEngine
  readonly rules: readonly LoadedRule[]
  readonly commit: Commit
  /** Each check's part of the facts, by what was said until then. */
  readonly parts: readonly ((said: object, now: UnixMs) => object)[]
  readonly latency: (now: UnixMs) => SharedFacts['latency']
  readonly said: Said
}

const noBridge = { contracts: [], escrows: [], fees: [] }

/** What records are given to settle where nothing was learned. */
export const settleMs = 60_000

const intervalMs = 5_000

export function createTestWorld(file: TestFile, rules: readonly LoadedRule[], test: RuleTest): TestWorld {
  const start = toInstant(test.start, { start: 0, now: 0 })
  const clock = createVirtualClock(start)
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, { tokens: [...tokensOf(file)], openIntervalMs: 10_000 })
  const store = createAlertStore(db)
  const log = createSilentLog()
  const engine = createAlertEngine({ store, log, settings: routingOf(file), live: { rules }, kinds })
  const said = saidAtFirst(start)
  const commit = createCommit({
    kinds,
    db,
    ledger,
    clock,
    log,
    engine,
    live: { rules },
    tellSince: 0,
    bridge: { ...noBridge, ...file.bridge, tokens: [...tokensOf(file)] },
    stakes: { reserveOf: (token) => said.balances.get(token) ?? null, lockedOf: () => noAmount },
    learned: null,
    numbers: null,
    timings: null,
    eventRetries: null,
    hooks: [],
    before: [],
    after: [],
    judgedBy: () => ({ clockAheadMs: 0, watermark: readableUntil(said, clock.now()), settleMs }),
  })
  db.transaction(() => engine.start(start))
  engine.releaseStart()
  const book = createTokenBook(db, [...tokensOf(file)])
  const observedSince = toInstant(test.observedSince, { start, now: start })
  const ground: Ground = {
    db,
    settleMs: () => settleMs,
    token: (address) => book.find(address),
    // The list is read without a gap but for outages of the explorer.
    observed: {
      since: () => observedSince,
      share: ({ from, until }) =>
        until <= from
          ? 1
          : Math.max(0, Math.min(readableUntil(said, clock.now()), until) - from) / (until - from),
    },
  }
  const parts = checks.flatMap((check) => ('given' in check ? [check.given.open(ground)] : []))
  const latency = createLatency(db)
  return { file, start, clock, db, ledger, store, engine, rules, commit, said, parts, latency }
}

function routingOf({ channels, routes, inhibit, muteTimes }: TestFile): ReturnType<typeof toRouting> {
  return toRouting({
    routes: routes.map(toRoute),
    inhibit,
    channels: channels.map((name) => ({ name, type: 'webhook' as const, url: '' })),
    muteTimes,
  })
}

/** The chains run and the explorer answers until an input says otherwise. */
function saidAtFirst(start: UnixMs): Said {
  return {
    readings: new Map(),
    keys: new Map(),
    heads: new Map([
      ['main', { height: 1_000, from: start, everyMs: 12_000 }],
      ['zone', { height: 100_000, from: start, everyMs: 1_000 }],
    ]),
    sources: new Map([['explorer', { state: 'good', since: start, reason: '' }]]),
    balances: new Map(),
    raised: new Map(),
    facts: {},
  }
}

/** Up to when the explorer has been read. */
export function readableUntil({ sources }: Pick<Said, 'sources'>, now: UnixMs): UnixMs {
  const explorer = sources.get('explorer')
  return explorer === undefined || explorer.state === 'good' ? now : explorer.since
}

function createVirtualClock(start: UnixMs): TestWorld['clock'] {
  let at = start
  return {
    now: () => at,
    monotonicMs: () => at - start,
    sleep: () => Promise.reject(new Error('nothing waits in a test of rules')),
    set: (now) => {
      at = now
    },
  }
}

/** Everything that conditions are judged on, as it would be at `now` if no further input came. */
export function readTestFacts(world: TestWorld, now: UnixMs): SharedFacts {
  const { db, latency, ledger, parts, said, start } = world
  const readAt = readableUntil(said, now)
  const given = resolveMoments(said.facts, { start, now })
  const shared: SharedFacts = {
    now,
    heads: [...said.heads].map(([chain, head]) => toHead(chain, head, readAt)),
    sources: [...said.sources].map(([name, source]) => toSource(name, source, { start, now })),
    canonicalHead: null,
    zoneRpcHead: null,
    pollers: [],
    drift: [],
    lacks: [],
    unreadKeys: [],
    empties: { source: 'explorer', since: now - 300_000, answers: 0, contradicted: 0 },
    listLag: null,
    // Whatever is open is read again as long as the explorer answers: only the time of reading is other then.
    *listPending(filter) {
      for (const transfer of ledger.listPending(filter))
        yield { ...transfer, readAt: Math.max(transfer.readAt, readAt) }
    },
    countPending: () => ledger.countByState().pending,
    latency: latency(now),
    ...given,
  }
  // Some parts save what they sum up.
  return db.transaction(() => parts.reduce((all, read) => ({ ...all, ...read(given, now) }), shared))
}

function toHead(chain: Head['chain'], { height, from, everyMs }: HeadState, readAt: UnixMs): Head {
  const steps = everyMs === null || readAt <= from ? 0 : Math.floor((readAt - from) / everyMs)
  const advancedAt = from + steps * (everyMs ?? 0)
  return { chain, height: height + steps, blockTime: advancedAt, advancedAt, readAt: Math.max(readAt, from) }
}

function toSource(
  source: string,
  { state, since, reason }: SourceState,
  { start, now }: { readonly start: UnixMs; readonly now: UnixMs },
): SourceHealth {
  const isGood = state === 'good'
  return {
    source,
    host: `${source}.example.com`,
    startedAt: start,
    endpoints: [
      {
        endpoint: source === 'explorer' ? 'E3' : 'eth_blockNumber',
        firstAskedAt: start,
        lastGoodAt: isGood ? now : since,
        lastFailureAt: isGood ? null : now,
        lastFailure: isGood ? null : reason,
        failingSince: isGood ? null : since,
        ownFailures: 0,
        isThrottling: false,
        backAt: isGood ? since : null,
        intervalMs,
      },
    ],
    backAt: isGood ? since : null,
    rejected: state === 'rejected' ? { at: since, reason } : null,
  }
}
