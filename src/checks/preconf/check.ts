import { canonicalByExplorer } from './canonicalByExplorer.ts'
import { canonicalByRpc } from './canonicalByRpc.ts'
import { createHeldReceipts, rebaseHeld, takePending } from './heldReceipts.ts'
import { createPreconfLoop, startLoop, stopLoop } from './loop.ts'
import { pollDropped } from './pollDropped.ts'
import { type PendingAnswer, readPending } from './reads.ts'
import { createRecent } from './recent.ts'
import { createSettling, settlePreconf, type Settling } from './settle.ts'
import { askOrigins } from './askOrigins.ts'
import { judgePayouts } from './judgePayouts.ts'
import { forgetDropped, openPayoutWatch, type PayoutWatch, takeReceipts } from './payoutWatch.ts'
import { toPayoutPanel } from './payoutPanel.ts'
import { purgePayouts } from './payoutStore.ts'
import { pollEarly, settleExplained } from './settleEarly.ts'
import { preconfUnbacked } from './unbacked.ts'
import type { Check } from '../../kernel/check.ts'
import { purgeEarly } from '../../kernel/earlyFindings.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { waitForComparison } from '../../kernel/heads/nodeChains.ts'
import type { Poller } from '../../kernel/running/runner.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { givenPreconf, type PreconfPart } from './facts.ts'
import { preconfGap } from './gap.ts'
import { preconfDropped } from './dropped.ts'
import { preconfFlipped } from './flipped.ts'
import { preconfLate } from './late.ts'
import { preconfMoved } from './moved.ts'
import { preconfStalled } from './stalled.ts'
import { countLostPreconf, purgePreconf } from './store.ts'

/** With a plain RPC a block is settled as soon as it may be; the explorer's readings are grouped. */
const settleByRpcMs = 1_000
const settleByExplorerMs = 10_000
const perBlock = 2_000
/** Held in all: what a minute of the busiest chain brings, or what the explorer's pace can settle in time. */
const heldByRpc = 100_000
const heldByExplorer = 20_000
const rememberedHeads = 600
/** How often payouts that wait are looked at again; nothing is done while none does. */
const payoutsMs = 500
/** By then blocks have shown what was told before them. */
const earlyKeptMs = 48 * 3_600_000

/** Preconfirmations: whether the node goes on, and what becomes of what it showed before it was in a block. */
export const preconf: Check<PreconfPart> = {
  name: 'preconf',
  kinds: [
    preconfUnbacked,
    preconfDropped,
    preconfFlipped,
    preconfMoved,
    preconfLate,
    preconfStalled,
    preconfGap,
  ],
  given: givenPreconf,
  open(kernel) {
    const { clock, config, db, log } = kernel
    const prune = (now: UnixMs) => {
      purgePreconf(db, now - config.retention.preconfMs)
      purgePayouts(db, now - config.retention.preconfMs)
      purgeEarly(db, now - earlyKeptMs)
    }
    const watch = createWatch(kernel)
    if (watch === null) return { pollers: [], facts: () => ({ preconf: null }), prune }
    const { loop, payouts, settling } = watch
    return {
      pollers: listPollers(kernel, watch),
      prune,
      onJudged: (transfer, found, _related, now) => settleExplained(payouts, transfer, found, now),
      facts: () => {
        const { view, unansweredSince, status } = loop
        const { intervalMs, missedTicks } = status
        return {
          preconf: { view, intervalMs, unansweredSince },
          preconfLoad: { held: settling.held.byHash.size, missedTicks },
        }
      },
      start() {
        const lost = countLostPreconf(db, clock.now())
        if (lost > 0) log.info({ lost }, 'preconfirmed transactions of the last run are counted as unknown')
        startLoop(loop)
      },
      stop: () => stopLoop(loop),
      ...(payouts.places.escrows.size > 0 && { panel: () => toPayoutPanel(payouts) }),
      status: () => [loop.status],
      rebaseClock: (jump) => rebaseHeld(settling.held, jump),
    }
  },
}

/** Null where no preconfirmations are configured. */
function createWatch(kernel: Kernel) {
  const { clock, config, log, rpcs } = kernel
  const { preconf: rpc } = rpcs
  if (!rpc || !config.preconf) return null
  const held = createHeldReceipts({ perBlock, total: rpcs.canonical ? heldByRpc : heldByExplorer })
  const payouts = openPayoutWatch(kernel, (hash) => held.byHash.has(hash))
  const settling = createSettling({
    ...kernel,
    rpc,
    source: rpcs.canonical
      ? canonicalByRpc(
          { rpc: rpcs.canonical, clock },
          { confirmations: config.canonical?.confirmations ?? 3 },
        )
      : canonicalByExplorer({ ...kernel, rpc }),
    held,
    onDropped: (hashes) => forgetDropped(payouts, hashes),
    complete: createRecent<UnixMs>(rememberedHeads),
  })
  const asked = { rpc, clock, places: payouts.places }
  const { intervalMs } = config.preconf
  let newest = 0
  const read = async (signal: AbortSignal): Promise<PendingAnswer> => {
    const answer = await readPending(asked, signal)
    const { latest, pending, requestedAt } = answer
    if (latest && latest.height > newest) {
      newest = latest.height
      settling.complete.add(String(newest), requestedAt)
    }
    if (pending) {
      takePending(held, pending, requestedAt)
      takeReceipts(payouts, pending, requestedAt)
    }
    return answer
  }
  return { payouts, settling, loop: createPreconfLoop({ clock, log, intervalMs, read }) }
}

interface Watch {
  readonly payouts: PayoutWatch
  readonly settling: Settling
}

function listPollers({ clock, commit, db, nodeChains }: Kernel, { payouts, settling }: Watch): Poller[] {
  const { source } = settling
  const asking = { clock, commit, db, source }
  return [
    {
      name: 'preconfSettle',
      schedule: source.name === 'canonical' ? settleByRpcMs : settleByExplorerMs,
      async run(signal) {
        await waitForComparison({ clock, nodeChains }, signal)
        await settlePreconf(settling, signal)
      },
    },
    {
      name: 'preconfDropped',
      schedule: settleByExplorerMs,
      async run(signal) {
        await pollDropped(asking, signal)
        await pollEarly(asking, signal)
      },
    },
    { name: 'preconfPayouts', schedule: payoutsMs, asksNobody: true, run: async () => judgePayouts(payouts) },
    { name: 'preconfOrigins', schedule: payoutsMs, run: (signal) => askOrigins(payouts, signal) },
  ]
}
