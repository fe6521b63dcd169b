import type { Rpc, RpcCall } from '../../clients/rpc/createRpc.ts'
import type { RpcResult } from '../../clients/rpc/rpcMethods.ts'
import type { ForeignChain } from '../../clients/explorer/health.ts'
import type { Clock } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { MainBlock } from '../reads/mainBlocks.ts'

/** A block of the main chain, so far below the head that it is replaced no more, as the explorer shows it. */
type SettledBlock = Pick<MainBlock, 'height' | 'hash'>

/** What is long final by the explorer. */
export interface Settled {
  readonly blocks: readonly SettledBlock[]
  /** Hashes of transactions of the bridge: a node that knows one of them is of the chain, whatever its blocks are called. */
  readonly transactions: readonly string[]
}

/** Whether the nodes of the main chain are of the chain that the explorer shows: one that is not could not be asked. */
export interface NodeChains {
  /** The same RPC, which answers nothing while its settled blocks are others. */
  guard(rpc: Rpc, source: string): Rpc
  /** Compares every node with what the explorer shows. */
  compare(settled: Settled, signal: AbortSignal): Promise<void>
  isAnyForeign(): boolean
  /** Whether the first comparison is still to come; whoever makes it writes this. */
  isPending: boolean
}

/** So many settled blocks have to differ, and a node has to show all of them: one may be a slip of either. */
export const neededBlocks = 3
/** How many of the newest blocks of a node are remembered. */
const keptBlocks = 64

interface GuardedNode {
  readonly rpc: Rpc
  readonly source: string
  /** What it showed lately: a block that does not stand on it has it compared at once. */
  readonly shown: Map<number, string>
  foreign: ForeignChain | null
}

export function createNodeChains(clock: Pick<Clock, 'now' | 'sleep'>): NodeChains {
  const nodes: GuardedNode[] = []
  let known: Settled = { blocks: [], transactions: [] }
  const compareNode = async (node: GuardedNode, signal?: AbortSignal) => {
    node.foreign = await judgeNode(node, known, { clock, signal })
  }
  const chains: NodeChains = {
    guard(rpc, source) {
      const node: GuardedNode = { rpc, source, shown: new Map(), foreign: null }
      nodes.push(node)
      return guardNode(rpc, node, {
        wait: (signal) => waitForComparison({ clock, nodeChains: chains }, signal),
        compare: (signal) => compareNode(node, signal),
      })
    },
    async compare(settled, signal) {
      known = settled
      await Promise.all(nodes.map((node) => compareNode(node, signal)))
    },
    isPending: false,
    isAnyForeign: () => nodes.some(({ foreign }) => foreign !== null),
  }
  return chains
}

const stepMs = 250
const maxSteps = 40

/** At a start the first comparison is waited for a little, by what takes the first answers of a node for a beginning. */
export async function waitForComparison(
  {
    clock,
    nodeChains,
  }: { readonly clock: Pick<Clock, 'sleep'>; readonly nodeChains: Pick<NodeChains, 'isPending'> },
  signal?: AbortSignal,
): Promise<void> {
  for (let step = 0; step < maxSteps && nodeChains.isPending; step += 1) await clock.sleep(stepMs, signal)
}

/** One block or transaction that is the same makes it one chain; what was not answered says nothing. */
async function judgeNode(
  { rpc, source, foreign }: GuardedNode,
  { blocks, transactions }: Settled,
  { clock, signal }: { readonly clock: Pick<Clock, 'now'>; readonly signal: AbortSignal | undefined },
): Promise<ForeignChain | null> {
  const calls = blocks.map(
    ({ height }): RpcCall<'eth_getBlockByNumber'> => ({
      method: 'eth_getBlockByNumber',
      params: [height, false],
    }),
  )
  const outcomes = calls.length === 0 ? [] : await rpc.callMany(calls, { signal })
  const shown = blocks.flatMap(({ height, hash }, at) => {
    const outcome = outcomes[at]
    const own = outcome?.ok ? (outcome.value?.hash ?? null) : null
    return own === null ? [] : [{ height, hash, own }]
  })
  if (shown.some(({ hash, own }) => hash === own)) return null
  const [first] = shown
  if (first === undefined || shown.length < neededBlocks || transactions.length === 0) return foreign
  const receipts = await rpc.callMany(
    transactions.map(
      (hash): RpcCall<'eth_getTransactionReceipt'> => ({
        method: 'eth_getTransactionReceipt',
        params: [hash],
      }),
    ),
    { signal },
  )
  if (receipts.some((one) => one.ok && one.value !== null)) return null
  if (receipts.some((one) => !one.ok)) return foreign
  const says = `block ${first.height} is ${first.own} by ${source} and ${first.hash} by the explorer`
  return { at: foreign?.at ?? clock.now(), height: first.height, says }
}

const balanceMethods: ReadonlySet<string> = new Set(['eth_call', 'eth_getBalance'])

interface Comparing {
  readonly wait: (signal?: AbortSignal) => Promise<void>
  readonly compare: (signal?: AbortSignal) => Promise<void>
}

function guardNode(rpc: Rpc, node: GuardedNode, comparing: Comparing): Rpc {
  const begin = async (methods: readonly string[], signal?: AbortSignal) => {
    if (methods.some((method) => balanceMethods.has(method))) await comparing.wait(signal)
    refuse(node, methods[0] ?? '')
  }
  const confirm = async (asked: readonly Asked[], signal?: AbortSignal) => {
    const broken = asked.filter((one) => isBroken(node, one))
    if (broken.length > 0) await comparing.compare(signal)
    refuse(node, asked[0]?.method ?? '')
  }
  return {
    ...rpc,
    session: () => guardNode(rpc.session(), node, comparing),
    health: () => ({ ...rpc.health(), foreign: node.foreign }),
    async call(method, params, options) {
      await begin([method], options?.signal)
      const result = await rpc.call(method, params, options)
      await confirm([{ method, params, result }], options?.signal)
      return result
    },
    async callMany(calls, options) {
      try {
        await begin(
          calls.map(({ method }) => method),
          options?.signal,
        )
        const outcomes = await rpc.callMany(calls, options)
        const asked = calls.flatMap(({ method, params }, at): Asked[] => {
          const outcome = outcomes[at]
          return outcome?.ok ? [{ method, params, result: outcome.value }] : []
        })
        await confirm(asked, options?.signal)
        return outcomes
      } catch (error) {
        if (!(error instanceof MonitorError)) throw error
        return calls.map(() => ({ ok: false, error }))
      }
    },
  }
}

function refuse({ foreign, source }: GuardedNode, method: string): void {
  if (foreign === null) return
  const details = { source, endpoint: method }
  throw new MonitorError('source.mismatched', `${source} is of another chain: ${foreign.says}`, { details })
}

interface Asked {
  readonly method: string
  readonly params: readonly unknown[]
  readonly result: unknown
}

/** Whether a block does not stand on what the node showed before: it was replaced, or the node by another. */
function isBroken({ shown, source }: GuardedNode, { method, params, result }: Asked): boolean {
  if (method !== 'eth_getBlockByNumber' || params[0] === 'pending') return false
  // One that preconfirms shows the block in the making by its height.
  if (source === 'preconf' && params[0] !== 'latest') return false
  // The client has read it as the result of this method.
  const block = result as RpcResult<'eth_getBlockByNumber'>
  if (!block || block.number === null || block.hash === null) return false
  const { number: height, hash, parentHash } = block
  const isOther = (at: number, now: string | null) => now !== null && (shown.get(at) ?? now) !== now
  const broken = isOther(height, hash) || isOther(height - 1, parentHash)
  shown.delete(height)
  shown.set(height, hash)
  for (const old of shown.keys()) if (shown.size > keptBlocks) shown.delete(old)
  return broken
}
