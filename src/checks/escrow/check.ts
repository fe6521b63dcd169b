import type { Rpc } from '../../clients/rpc/createRpc.ts'
import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import { unhurried } from '../../clients/explorer/unhurried.ts'
import { fillFromZone } from '../../ledger/fillFromZone.ts'
import { judgeTwin } from '../../meaning/judgeMoney.ts'
import { isClaimFree } from '../../meaning/claimedOrigin.ts'
import { findPartner } from './findPartner.ts'
import { type Beside, hiddenBy, waitsFor } from '../../meaning/standing.ts'
import type { Shown } from '../../meaning/horizon.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { LearnedMoney } from '../../meaning/learnedMoney.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { createBalanceReads } from '../../kernel/balanceReads.ts'
import { partingMs } from '../../kernel/trackHead.ts'
import { createEscrowBalancesPoll } from './pollBalances.ts'
import { createEscrowChecksPoll } from './pollChecks.ts'
import { createEscrowFlowsPolls } from './pollFlows.ts'
import { createCrowds } from './crowds.ts'
import { isOfKind, toStreams } from './places.ts'
import { createMainReads, type FlowKind } from '../../kernel/mainReads.ts'
import type { Poller } from '../../kernel/runner.ts'
import { intervalOf } from '../../kernel/schedule.ts'
import { hasOpenPayout } from '../contracts/logStore.ts'
import type { StoredFlow } from './flowRow.ts'
import { listHeads } from '../../kernel/heads.ts'
import { lowestCursor, readStream, saveStream } from '../../kernel/mainStreams.ts'
import { readRecentMainHash } from '../../ledger/newestOrigin.ts'
import type { AppConfig } from '../../kernel/settings.ts'
import type { HorizonWatch } from '../../kernel/horizons.ts'
import type { PollerDeps } from '../transfers/check.ts'
import type { EscrowWatch } from './watch.ts'

export interface EscrowPollerDeps extends Omit<PollerDeps, 'config'> {
  readonly config: Pick<AppConfig, 'poll' | 'bridge' | 'start' | 'explorer'>
  readonly explorer: Pick<Explorer, 'call' | 'walk' | 'health'>
  readonly watch: EscrowWatch
  readonly learned: LearnedMoney
  readonly canonical: Rpc | null
  readonly preconf: Rpc | null
  readonly horizons: Pick<HorizonWatch, 'read'>
  readonly tellSince: UnixMs
  /** When the newest complete reading of the list began; null before the first. */
  listReadAt(): UnixMs | null
}

/** What is due is judged so often; it asks nothing while nothing is. */
const checksMs = 10_000
/** Lists that are full of what does not count are read on with this share of the pace, and looked for so often. */
const crowdShare = 0.1
const crowdsMs = 30_000
const mostTransfers = 500

/** The pollers of escrows: those that the configuration gives something to look at. */
export function createEscrowPollers(deps: EscrowPollerDeps): Poller[] {
  const { clock, db, config, watch } = deps
  const { poll, bridge } = config
  const reads = createMainReads(deps)
  const rpc = deps.canonical ?? deps.preconf
  const balances = rpc && createBalanceReads({ rpc, clock })
  const readMainHead = () => listHeads(db).find(({ chain }) => chain === 'main')
  const readMainHeight = () => readMainHead()?.height ?? null
  const readMainTime = () => readMainHead()?.blockTime ?? null
  const isReady = () => deps.cursors.read().history.done
  const streams = () => toStreams(watch.places, (token) => watch.typeOf(token))
  const streamsOf = (address: string) =>
    streams().filter(({ place, isRare }) => place.address === address && !isRare)
  const common = { ...deps, readMainHeight, readMainTime, isReady }
  const crowds = createCrowds(clock)
  const ofFlows = {
    ...common,
    places: watch.places,
    isBridgeToken: (token: string) => watch.isBridgeToken(token),
    listTokens: (kind: FlowKind) => watch.listTokens().filter((token) => isOfKind(watch.typeOf(token), kind)),
    noteHeld: (token: string, type: string) => watch.noteHeld(token, type),
    requestChecks: () => deps.trigger('escrowChecks'),
  }
  const flows = createEscrowFlowsPolls({ ...ofFlows, reads, listStreams: streams, crowds })
  const restMs = 1_000 / (crowdShare * config.explorer.pace.maxRequestsPerSecond)
  const crowdedFlows = createEscrowFlowsPolls({
    ...ofFlows,
    reads: createMainReads({ clock, explorer: unhurried(deps.explorer, clock, restMs) }),
    listStreams: () =>
      streams()
        .filter(({ id }) => crowds.has(id))
        .map((stream) => ({ ...stream, id: `${stream.id}:crowd`, isRare: false })),
    crowds: null,
  })
  const checks = createEscrowChecksPoll({
    ...common,
    mostKept: (transfer) => watch.mostKept(transfer),
    judgeToken: (transfer, moved) =>
      judgeTwin(transfer, moved, {
        learned: deps.learned,
        listed: bridge.escrows.map(({ token }) => token),
        now: clock.now(),
      }),
    listTransfers: (hash) =>
      deps.ledger
        .listTransfers({ hash, limit: mostTransfers })
        .map((one) => fillFromZone(withoutTakenClaim(deps, one), deps.learned)),
    riskOf: ({ token, unexplained, outward, net }) => ({
      share: Math.abs(watch.riskOf(token, unexplained ?? (outward.digits === 0n ? net : outward))),
      counts: watch.isBridgeToken(token),
    }),
    waitsFor: (transfer) => waitsFor(transfer, { ...beside(deps, transfer), partner: null }),
    fitsWaiting: (flow) => fitsWaiting(deps, flow),
    hasOpenEvent: (hash) => hasOpenPayout(db, hash),
    readControlHash: () => readRecentMainHash(db),
  })
  const escrowBalances =
    balances &&
    createEscrowBalancesPoll({
      ...common,
      reads: balances,
      isCanonical: deps.canonical !== null,
      partingMs: () => partingMs(readMainHead(), deps.explorer.health().clockAheadMs),
      listHoldings: () => watch.listHoldings(),
      flowsReadTo: ({ address }) =>
        lowestCursor(
          db,
          streamsOf(address).map(({ id }) => id),
        ),
      requestDeepRead: ({ address }) => {
        for (const { id } of streamsOf(address)) {
          const stream = readStream(db, id)
          if (stream) deps.commit({ apply: () => (saveStream(db, { ...stream, deepAt: 0 }), []) })
        }
      },
      decimalsOf: (token) => watch.decimalsOf(token),
      reviseOwed: (token) => watch.reviseOwed(token),
      baselineOf: (token) => watch.baselineOf(token),
      baselineSince: config.start.from.kind === 'now' ? null : deps.tellSince,
    })
  const hasPlaces = watch.places.length > 0
  return [
    ...(hasPlaces ? [{ name: 'escrows', schedule: poll.escrows, run: flows.newest }] : []),
    ...(hasPlaces
      ? [{ name: 'escrowSweep', schedule: poll.escrows, isBackground: true, run: flows.again }]
      : []),
    ...(hasPlaces
      ? [{ name: 'escrowCrowds', schedule: crowdsMs, isBackground: true, run: crowdedFlows.both }]
      : []),
    ...(hasPlaces
      ? [{ name: 'escrowChecks', schedule: Math.min(checksMs, intervalOf(poll.escrows)), run: checks }]
      : []),
    ...(hasPlaces && escrowBalances
      ? [{ name: 'escrowBalances', schedule: poll.escrows, run: escrowBalances }]
      : []),
  ]
}

/** An origin that was paid before explains no second payout, however well it is proven. */
function withoutTakenClaim(deps: EscrowPollerDeps, transfer: Transfer): Transfer {
  const { claim } = transfer
  if (claim === undefined || isClaimFree(transfer, beside(deps, transfer).sharing)) return transfer
  return { ...transfer, claim: { ...claim, proof: 'refuted' } }
}

function beside({ ledger, horizons, clock }: EscrowPollerDeps, { claim }: Transfer): Omit<Beside, 'partner'> {
  return {
    sharing: claim ? ledger.listSharing('zone', claim.hash, mostTransfers) : [],
    horizons: horizons.read(),
    now: clock.now(),
  }
}

/** A movement that fits the only transfer on its way that could be paid by it waits as long as its record may be hidden. */
function fitsWaiting({ ledger, horizons, clock, watch }: EscrowPollerDeps, flow: StoredFlow): Shown | null {
  const hidden = hiddenBy(horizons.read(), 'zone', flow.at)
  if (hidden === null) return null
  const pending = ledger.listPending({ direction: 'ZoneToMain', originAtOrBefore: clock.now() })
  return findPartner(flow, pending, (transfer) => watch.mostKept(transfer)) === null ? null : hidden
}
