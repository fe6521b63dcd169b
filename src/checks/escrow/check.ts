import { unhurried } from '../../clients/explorer/unhurried.ts'
import { fillFromZone } from '../../ledger/fillFromZone.ts'
import { judgeTwin } from '../../meaning/judgeMoney.ts'
import { isClaimFree } from '../../meaning/claimedOrigin.ts'
import { findPartner } from './findPartner.ts'
import { type Beside, hiddenBy, waitsFor } from '../../meaning/standing.ts'
import type { Shown } from '../../meaning/horizon.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import { createBalanceReads } from '../../kernel/balanceReads.ts'
import { partingMs } from '../../kernel/trackHead.ts'
import { createEscrowBalancesPoll } from './pollBalances.ts'
import { createEscrowChecksPoll } from './pollChecks.ts'
import { createEscrowFlowsPolls } from './pollFlows.ts'
import { createCrowds, type Crowds } from './crowds.ts'
import { isOfKind, toStreams } from './places.ts'
import { createMainReads, type FlowKind } from '../../kernel/mainReads.ts'
import type { Poller } from '../../kernel/runner.ts'
import { intervalOf } from '../../kernel/schedule.ts'
import type { StoredFlow } from './flowRow.ts'
import { listHeads } from '../../kernel/heads.ts'
import { lowestCursor, readStream, saveStream } from '../../kernel/mainStreams.ts'
import { readRecentMainHash } from '../../ledger/newestOrigin.ts'
import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { hasOpenPayout } from '../../ledger/bridgeEvents.ts'
import { listTokenPairs } from '../../ledger/learned.ts'
import { escrowDrift } from './drift.ts'
import { readEscrowFacts } from './facts.ts'
import { purgeFlows } from './flowStore.ts'
import { escrowForeignToken } from './foreignToken.ts'
import type { EscrowPart } from './holding.ts'
import { noteUnjudged } from './noteUnjudged.ts'
import { purgeOwedLegs } from './owedStore.ts'
import { escrowShortfall } from './shortfall.ts'
import { escrowUnjudged } from './unjudged.ts'
import { purgeUnjudged } from './unjudgedStore.ts'
import { createEscrowWatch, type EscrowWatch } from './watch.ts'

/** What is due is judged so often; it asks nothing while nothing is. */
const checksMs = 10_000
/** Lists that are full of what does not count are read on with this share of the pace, and looked for so often. */
const crowdShare = 0.1
const crowdsMs = 30_000
const mostTransfers = 500

/** Explained movements, and inflows that nobody explained, are kept so long: to compare balances, and to be looked at. */
const flowsKeptMs = 7 * 86_400_000
const unjudgedKeptMs = 86_400_000
const purgedAtOnce = 200

/** What the escrows hold, what moves there, and what is owed. */
export const escrow: Check<EscrowPart> = {
  name: 'escrow',
  kinds: [escrowDrift, escrowShortfall, escrowUnjudged, escrowForeignToken],
  open(kernel) {
    const { config, db, learned, stakes, tellSince } = kernel
    const watch = createEscrowWatch(db, config.bridge, listTokenPairs(db, learned), learned)
    stakes.follow(watch)
    return {
      pollers: watch.places.length > 0 ? listPollers({ ...kernel, watch }) : [],
      facts: (now) => readEscrowFacts({ ...kernel, watch }, now),
      onTransfers(changed, ceased, now) {
        watch.noteTransfers(changed, ceased, now)
        noteUnjudged({ db, learned, tellSince }, changed, ceased, now)
      },
      prune(now) {
        const old = now - config.retention.transfersMs
        const kept = now - flowsKeptMs
        purgeFlows(db, { explained: kept, inward: kept, outward: old }, purgedAtOnce)
        purgeOwedLegs(db, old, purgedAtOnce)
        purgeUnjudged(db, now - unjudgedKeptMs)
      },
    }
  },
}

interface Watching extends Kernel {
  readonly watch: EscrowWatch
}

function listPollers(kernel: Watching): Poller[] {
  const { config } = kernel
  const { poll } = config
  const crowds = createCrowds(kernel.clock)
  const { newest, again } = openFlows(kernel, crowds)
  const checksEveryMs = Math.min(checksMs, intervalOf(poll.escrows))
  const balances = openBalances(kernel)
  return [
    { name: 'escrows', schedule: poll.escrows, run: newest },
    { name: 'escrowSweep', schedule: poll.escrows, isBackground: true, run: again },
    { name: 'escrowCrowds', schedule: crowdsMs, isBackground: true, run: openCrowdedFlows(kernel, crowds) },
    { name: 'escrowChecks', schedule: checksEveryMs, run: openChecks(kernel) },
    ...(balances ? [{ name: 'escrowBalances', schedule: poll.escrows, run: balances }] : []),
  ]
}

function partsOf(kernel: Watching) {
  const { db, watch } = kernel
  const readMainHead = () => listHeads(db).find(({ chain }) => chain === 'main')
  return {
    ...kernel,
    places: watch.places,
    readMainTime: () => readMainHead()?.blockTime ?? null,
    isReady: () => kernel.cursors.read().history.done,
    listReadAt: () => kernel.list.readAt,
    isBridgeToken: (token: string) => watch.isBridgeToken(token),
    listTokens: (kind: FlowKind) => watch.listTokens().filter((token) => isOfKind(watch.typeOf(token), kind)),
    noteHeld: (token: string, type: string) => watch.noteHeld(token, type),
    requestChecks: () => kernel.trigger('escrowChecks'),
  }
}

function listStreams({ watch }: Watching) {
  return toStreams(watch.places, (token) => watch.typeOf(token))
}

function openFlows(kernel: Watching, crowds: Crowds) {
  return createEscrowFlowsPolls({
    ...partsOf(kernel),
    reads: createMainReads(kernel),
    listStreams: () => listStreams(kernel),
    crowds,
  })
}

/** Lists that are full of what does not count are read on beside the others. */
function openCrowdedFlows(kernel: Watching, crowds: Crowds) {
  const { clock, config } = kernel
  const restMs = 1_000 / (crowdShare * config.explorer.pace.maxRequestsPerSecond)
  const flows = createEscrowFlowsPolls({
    ...partsOf(kernel),
    reads: createMainReads({ clock, explorer: unhurried(kernel.explorer, clock, restMs) }),
    listStreams: () =>
      listStreams(kernel)
        .filter(({ id }) => crowds.has(id))
        .map((stream) => ({ ...stream, id: `${stream.id}:crowd`, isRare: false })),
    crowds: null,
  })
  return flows.both
}

function openChecks(kernel: Watching) {
  const { clock, config, db, learned, ledger, watch } = kernel
  return createEscrowChecksPoll({
    ...partsOf(kernel),
    mostKept: watch.mostKept,
    judgeToken: (transfer, moved) =>
      judgeTwin(transfer, moved, {
        learned,
        listed: config.bridge.escrows.map(({ token }) => token),
        now: clock.now(),
      }),
    listTransfers: (hash) =>
      ledger
        .listTransfers({ hash, limit: mostTransfers })
        .map((one) => fillFromZone(withoutTakenClaim(kernel, one), learned)),
    riskOf: ({ token, unexplained, outward, net }) => ({
      share: Math.abs(watch.riskOf(token, unexplained ?? (outward.digits === 0n ? net : outward))),
      counts: watch.isBridgeToken(token),
    }),
    waitsFor: (transfer) => waitsFor(transfer, { ...beside(kernel, transfer), partner: null }),
    fitsWaiting: (flow) => fitsWaiting(kernel, flow),
    hasOpenEvent: (hash) => hasOpenPayout(db, hash),
    readControlHash: () => readRecentMainHash(db),
  })
}

/** Balances at a block need a source that tells them; null without one. */
function openBalances(kernel: Watching) {
  const { clock, commit, config, db, explorer, rpcs, watch } = kernel
  const rpc = rpcs.canonical ?? rpcs.preconf
  if (rpc === null) return null
  const streamsOf = (address: string) =>
    listStreams(kernel).filter(({ place, isRare }) => place.address === address && !isRare)
  return createEscrowBalancesPoll({
    ...partsOf(kernel),
    reads: createBalanceReads({ rpc, clock }),
    isCanonical: rpcs.canonical !== null,
    partingMs: () =>
      partingMs(
        listHeads(db).find(({ chain }) => chain === 'main'),
        explorer.health().clockAheadMs,
      ),
    listHoldings: () => watch.listHoldings(),
    flowsReadTo: ({ address }) =>
      lowestCursor(
        db,
        streamsOf(address).map(({ id }) => id),
      ),
    requestDeepRead: ({ address }) => {
      for (const { id } of streamsOf(address)) {
        const stream = readStream(db, id)
        if (stream) commit({ apply: () => (saveStream(db, { ...stream, deepAt: 0 }), []) })
      }
    },
    decimalsOf: (token) => watch.decimalsOf(token),
    reviseOwed: (token) => watch.reviseOwed(token),
    baselineOf: (token) => watch.baselineOf(token),
    baselineSince: config.start.from.kind === 'now' ? null : kernel.tellSince,
  })
}

/** An origin that was paid before explains no second payout, however well it is proven. */
function withoutTakenClaim(deps: Watching, transfer: Transfer): Transfer {
  const { claim } = transfer
  if (claim === undefined || isClaimFree(transfer, beside(deps, transfer).sharing)) return transfer
  return { ...transfer, claim: { ...claim, proof: 'refuted' } }
}

function beside({ ledger, horizons, clock }: Watching, { claim }: Transfer): Omit<Beside, 'partner'> {
  return {
    sharing: claim ? ledger.listSharing('zone', claim.hash, mostTransfers) : [],
    horizons: horizons.read(),
    now: clock.now(),
  }
}

/** A movement that fits the only transfer on its way that could be paid by it waits as long as its record may be hidden. */
function fitsWaiting({ ledger, horizons, clock, watch }: Watching, flow: StoredFlow): Shown | null {
  const hidden = hiddenBy(horizons.read(), 'zone', flow.at)
  if (hidden === null) return null
  const pending = ledger.listPending({ direction: 'ZoneToMain', originAtOrBefore: clock.now() })
  return findPartner(flow, pending, (transfer) => watch.mostKept(transfer)) === null ? null : hidden
}
