import type { AppConfig } from '../../kernel/settings.ts'
import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import { createHeldReceipts } from './heldReceipts.ts'
import { createLateWindow } from './lateShare.ts'
import { createRecent } from './recent.ts'
import { type TrackedHeight, trackHeight } from '../../kernel/trackHeight.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { CorrectedClock } from '../../lib/correctedClock.ts'
import type { Logger } from '../../lib/log.ts'
import type { ClockJump } from '../../lib/rebaseInstant.ts'
import { canonicalByExplorer } from './canonicalByExplorer.ts'
import { canonicalByRpc } from './canonicalByRpc.ts'
import type { CanonicalSource } from './canonicalSource.ts'
import { createJudgeLate } from './judgeLate.ts'
import { createDroppedPoll, watchDropped } from './pollDropped.ts'
import { createPreconfLoop } from './loop.ts'
import { readPending } from './reads.ts'
import { createPreconfSettle } from './settle.ts'
import type { Commit } from '../../kernel/reads.ts'
import type { Poller, PollerStatus } from '../../kernel/runner.ts'
import type { LoadedRule } from '../../rules/types.ts'
import type { PreconfFacts } from './facts.ts'
import type { Database } from '../../store/database.ts'
import { readHeight } from '../../kernel/heads.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { addPreconfCounts, countLostPreconf } from './store.ts'
import type { Rpcs } from '../../kernel/rpcs.ts'

export interface PreconfDeps {
  readonly clock: CorrectedClock
  readonly log: Logger
  readonly db: Database
  readonly ledger: Pick<Ledger, 'listTransfers'>
  readonly explorer: Explorer
  readonly commit: Commit
  readonly rpcs: Rpcs
  readonly config: Pick<AppConfig, 'preconf' | 'canonical' | 'bridge' | 'poll'>
  rules(): readonly LoadedRule[]
}

/** What watches the RPCs by itself: the preconfirmation loop, and the pollers that go with it. */
export interface Preconf {
  readonly pollers: readonly Poller[]
  start(): void
  stop(): Promise<void>
  /** The loop, beside the runner's pollers. */
  status(): PollerStatus[]
  facts(): PreconfFacts | null
  canonicalHead(): TrackedHeight | null
  /** Preconfirmed transactions that are not settled yet; null when none are watched. */
  size(): number | null
  /** The machine slept: how long ago something was stays as it is. */
  rebaseClock(jump: ClockJump): void
}

/** With a plain RPC a block is settled as soon as it may be; the explorer's readings are grouped. */
const settleByRpcMs = 1_000
const settleByExplorerMs = 10_000
const perBlock = 2_000
/** Held in all: what a minute of the busiest chain brings, or what the explorer's pace can settle in time. */
const heldByRpc = 100_000
const heldByExplorer = 20_000
const rememberedHeads = 600

export function createPreconf(deps: PreconfDeps): Preconf {
  const head = createCanonicalHead(deps)
  const watch = deps.rpcs.preconf && deps.config.preconf ? createWatch(deps) : null
  return {
    pollers: [...head.pollers, ...(watch?.pollers ?? [])],
    start: () => watch?.loop.start(),
    stop: async () => {
      await watch?.loop.stop()
    },
    status: () => (watch ? [watch.loop.status()] : []),
    facts: () => watch?.facts() ?? null,
    canonicalHead: head.read,
    size: () => watch?.held.size() ?? null,
    rebaseClock: (jump) => watch?.held.rebaseClock(jump),
  }
}

/** The main head by the canonical RPC, which says it at once where E11 has to be searched. */
function createCanonicalHead({ clock, config, rpcs: { canonical } }: PreconfDeps) {
  let tracked: TrackedHeight | null = null
  const run = async (signal: AbortSignal) => {
    const at = clock.now()
    const block = await canonical?.call('eth_getBlockByNumber', ['latest', false], { signal })
    if (!block || block.number === null) return
    tracked = trackHeight(tracked, block.number, at)
    if (block.timestamp !== null) clock.noteBlock(block.timestamp * 1_000)
  }
  const pollers: readonly Poller[] = canonical
    ? [{ name: 'canonicalHead', schedule: config.poll.heads, run }]
    : []
  return { pollers, read: () => tracked }
}

function createWatch(deps: PreconfDeps) {
  const { clock, config, db, rpcs } = deps
  if (!rpcs.preconf || !config.preconf) throw new Error('preconfirmations are not configured')
  const { preconf: rpc } = rpcs
  const { intervalMs } = config.preconf
  const held = createHeldReceipts({ perBlock, total: rpcs.canonical ? heldByRpc : heldByExplorer })
  const complete = createRecent<UnixMs>(rememberedHeads)
  const late = createLateWindow()
  const isBridge = bridgeTest(config.bridge)
  let newest = 0
  const loop = createPreconfLoop({
    clock,
    log: deps.log,
    intervalMs,
    read: (signal) => readPending({ rpc, now: () => clock.now(), isBridge }, signal),
    onAnswer({ requestedAt, pending, latest }) {
      if (latest && latest.height > newest) {
        newest = latest.height
        complete.add(String(latest.height), requestedAt)
      }
      if (pending) held.take(pending, requestedAt)
    },
  })
  const source = chooseSource(deps)
  const settle = createPreconfSettle({
    clock,
    held,
    late,
    source,
    commit: deps.commit,
    clockAheadMs: () => (rpc.health().clockAheadMs ?? 0) + clock.doubtMs(),
    completeAt: (height) => complete.get(String(height)),
    save: (counts, open, now) => addPreconfCounts(db, counts, open, now),
    noteFindings: (findings, now) => watchDropped(db, findings, now),
    judgeLate: createJudgeLate(late, () => deps.rules()),
    context: {
      decidedBy: source.name,
      now: () => clock.now(),
      findTransfer: (hash) => deps.ledger.listTransfers({ hash, limit: 1 })[0]?.key ?? null,
    },
  })
  const poller: Poller = {
    name: 'preconfSettle',
    schedule: source.name === 'canonical' ? settleByRpcMs : settleByExplorerMs,
    run: settle,
  }
  const dropped: Poller = {
    name: 'preconfDropped',
    schedule: settleByExplorerMs,
    run: createDroppedPoll({ clock, db, source, commit: deps.commit }),
  }
  const facts = () => ({ view: loop.view(), intervalMs, unansweredSince: loop.unansweredSince() })
  return {
    loop: {
      ...loop,
      start() {
        const lost = countLostPreconf(db, clock.now())
        if (lost > 0)
          deps.log.info({ lost }, 'preconfirmed transactions of the last run are counted as unknown')
        loop.start()
      },
    },
    held,
    pollers: [poller, dropped],
    facts,
  }
}

function chooseSource(deps: PreconfDeps): CanonicalSource {
  const { clock, config, rpcs } = deps
  if (rpcs.canonical)
    return canonicalByRpc(
      { rpc: rpcs.canonical, now: () => clock.now() },
      { confirmations: config.canonical?.confirmations ?? 3 },
    )
  if (!rpcs.preconf) throw new Error('preconfirmations are not configured')
  return canonicalByExplorer({
    clock,
    explorer: deps.explorer,
    rpc: rpcs.preconf,
    head: () => readHeight(deps.db, 'main'),
  })
}

function bridgeTest({ contracts, escrows }: AppConfig['bridge']): (address: string) => boolean {
  const addresses = new Set(
    [...contracts, ...escrows.map(({ address }) => address)].map((address) => address.toLowerCase()),
  )
  return (address) => addresses.has(address)
}
