import type { AppConfig } from './settings.ts'
import type { Nodes } from '../config/config.ts'
import { createRpc, type Rpc, type RpcOptions, type RpcSource } from '../clients/rpc/createRpc.ts'
import { joinRpcs } from '../clients/rpc/rpcSeat.ts'
import { createSeat, type Seat } from '../clients/seat.ts'
import type { ByteBudget } from '../clients/byteBudget.ts'
import type { CorrectedClock } from '../lib/correctedClock.ts'
import type { Secret } from '../lib/secret.ts'
import { type BlockListeners, showBlocks } from './reads/mainBlocks.ts'
import type { NodeChains } from './heads/nodeChains.ts'
import type { SourceHealth } from '../clients/sourceHealth.ts'

/** The JSON-RPC endpoints, as far as they are configured. */
export interface Rpcs {
  readonly preconf: Rpc | null
  /** The second source of the main chain. */
  readonly canonical: Rpc | null
  /** The second source of the zone chain. */
  readonly zoneRpc: Rpc | null
  /** Who sits where: those above, one by one. */
  readonly seats: Readonly<Record<RpcSource, Seat<Rpc> | null>>
}

/** Asked several times a second: an answer that takes longer is worth nothing any more. */
const preconfTimeoutMs = 5_000
/** Questions under way at a time: those that hang leave room for others. */
const preconfConcurrency = 12
/** A node is asked for its head so often, ms. */
const nodeMs = 10_000
/** Methods that are asked when there is a reason to, not at an interval, ms. */
const occasionalMs = 60_000

type NodeOptions = Pick<RpcOptions, 'source' | 'timeoutMs' | 'concurrency'>

export function createRpcs(
  { clock, budget }: { readonly clock: CorrectedClock; readonly budget: ByteBudget },
  config: Pick<AppConfig, 'preconf' | 'canonical' | 'zoneRpc'>,
  listeners: BlockListeners,
  chains: Pick<NodeChains, 'guard'>,
): Rpcs {
  const { preconf, canonical, zoneRpc } = config
  const open = (options: NodeOptions, url: Secret) =>
    createRpc({ ...options, url: url.reveal(), clock, corrected: clock, budget })
  const openMain = (options: NodeOptions & { readonly source: 'preconf' | 'canonical' }, url: Secret) =>
    showBlocks(chains.guard(open(options, url), options.source), options.source, listeners)
  const limits = { timeoutMs: preconfTimeoutMs, concurrency: preconfConcurrency }
  const seats = {
    preconf: preconf && openSeat(preconf, clock, (url) => openMain({ source: 'preconf', ...limits }, url)),
    canonical: canonical && openSeat(canonical, clock, (url) => openMain({ source: 'canonical' }, url)),
    zoneRpc: zoneRpc && openSeat(zoneRpc, clock, (url) => open({ source: 'zoneRpc' }, url)),
  }
  return {
    preconf: seats.preconf && toRpc(seats.preconf),
    canonical: seats.canonical && toRpc(seats.canonical),
    zoneRpc: seats.zoneRpc && toRpc(seats.zoneRpc),
    seats,
  }
}

function openSeat(
  { url, name, others = [], quorum }: Nodes,
  clock: CorrectedClock,
  open: (url: Secret) => Rpc,
): Seat<Rpc> {
  const first = open(url)
  return createSeat(
    [
      { name: name ?? first.host, client: first },
      ...others.map((one) => ({ name: one.name, client: open(one.url) })),
    ],
    clock,
    quorum,
  )
}

/** One node as it is, several as one. */
function toRpc(seat: Seat<Rpc>): Rpc {
  return seat.members.length === 1 ? seat.current().client : joinRpcs(seat)
}

/** How the RPCs have been answering, with how often each method is meant to be asked. */
export function readRpcHealth(rpcs: Rpcs, config: Pick<AppConfig, 'preconf' | 'poll'>): SourceHealth[] {
  const steady = new Set(['eth_getBlockReceipts', 'eth_getBlockByNumber'])
  const toHealth = (rpc: Rpc, intervalMs: number): SourceHealth => {
    const health = rpc.health()
    return {
      ...health,
      endpoints: health.endpoints.map((one) => ({
        ...one,
        intervalMs: steady.has(one.endpoint) ? intervalMs : occasionalMs,
      })),
    }
  }
  return [
    ...(rpcs.preconf ? [toHealth(rpcs.preconf, config.preconf?.intervalMs ?? 200)] : []),
    ...(rpcs.canonical ? [toHealth(rpcs.canonical, nodeMs)] : []),
    ...(rpcs.zoneRpc ? [toHealth(rpcs.zoneRpc, nodeMs)] : []),
  ]
}
