import type { AppConfig } from '../../kernel/settings.ts'
import { createHeldReceipts } from './heldReceipts.ts'
import { createLateWindow } from './lateShare.ts'
import { createRecent } from './recent.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { canonicalByExplorer } from './canonicalByExplorer.ts'
import { canonicalByRpc } from './canonicalByRpc.ts'
import type { CanonicalSource } from './canonicalSource.ts'
import { createJudgeLate } from './judgeLate.ts'
import { createDroppedPoll, watchDropped } from './pollDropped.ts'
import { createPreconfLoop } from './loop.ts'
import { readPending } from './reads.ts'
import { createPreconfSettle } from './settle.ts'
import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { preconfGap } from './gap.ts'
import { preconfDropped } from './dropped.ts'
import { preconfFlipped } from './flipped.ts'
import { preconfLate } from './late.ts'
import { preconfMoved } from './moved.ts'
import { preconfStalled } from './stalled.ts'
import type { Poller } from '../../kernel/runner.ts'
import type { PreconfPart } from './facts.ts'
import { readHeight } from '../../kernel/heads.ts'
import { addPreconfCounts, countLostPreconf, purgePreconf } from './store.ts'

/** With a plain RPC a block is settled as soon as it may be; the explorer's readings are grouped. */
const settleByRpcMs = 1_000
const settleByExplorerMs = 10_000
const perBlock = 2_000
/** Held in all: what a minute of the busiest chain brings, or what the explorer's pace can settle in time. */
const heldByRpc = 100_000
const heldByExplorer = 20_000
const rememberedHeads = 600

/** Preconfirmations: whether the node goes on, and what becomes of what it showed before it was in a block. */
export const preconf: Check<PreconfPart> = {
  name: 'preconf',
  kinds: [preconfDropped, preconfFlipped, preconfMoved, preconfLate, preconfStalled, preconfGap],
  open(kernel) {
    const { clock, config, db, log } = kernel
    const prune = (now: UnixMs) => purgePreconf(db, now - config.retention.preconfMs)
    const watch = kernel.rpcs.preconf && config.preconf ? createWatch(kernel) : null
    if (watch === null) return { pollers: [], facts: () => ({ preconf: null }), prune }
    const { held, loop, pollers } = watch
    return {
      pollers,
      prune,
      facts: () => ({
        preconf: {
          view: loop.view(),
          intervalMs: loop.status().intervalMs,
          unansweredSince: loop.unansweredSince(),
        },
        preconfLoad: { held: held.size(), missedTicks: loop.status().missedTicks },
      }),
      start() {
        const lost = countLostPreconf(db, clock.now())
        if (lost > 0) log.info({ lost }, 'preconfirmed transactions of the last run are counted as unknown')
        loop.start()
      },
      stop: () => loop.stop(),
      status: () => [loop.status()],
      rebaseClock: (jump) => held.rebaseClock(jump),
    }
  },
}

function createWatch(deps: Kernel) {
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
  return { loop, held, pollers: [poller, dropped] }
}

function chooseSource(deps: Kernel): CanonicalSource {
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
