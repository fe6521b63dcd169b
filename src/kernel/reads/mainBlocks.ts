import type { RpcResult } from '../../clients/rpc/rpcMethods.ts'
import type { Rpc } from '../../clients/rpc/createRpc.ts'

/** A block of the main chain as one source showed it, whatever it was asked for. */
export interface MainBlock {
  readonly source: 'canonical' | 'preconf' | 'explorer'
  readonly height: number
  readonly hash: string
  /** Null where the source does not say it. */
  readonly parentHash: string | null
}

/** Who looks at every block that is read. */
export type BlockListeners = Set<(block: MainBlock) => void>

/**
 * The same RPC, whose blocks are shown to the listeners. The block that is still being made is none; where a node names
 * it by its height, as the one for preconfirmations does, the complete one is shown alone.
 */
export function showBlocks(rpc: Rpc, source: MainBlock['source'], listeners: BlockListeners): Rpc {
  const show = (method: string, params: readonly unknown[], result: unknown) => {
    if (method !== 'eth_getBlockByNumber' || params[0] === 'pending' || listeners.size === 0) return
    if (source === 'preconf' && params[0] !== 'latest') return
    // The client has read it as the result of this method.
    const block = result as RpcResult<'eth_getBlockByNumber'>
    if (!block || block.number === null || block.hash === null) return
    const { number: height, hash, parentHash } = block
    for (const listen of listeners) listen({ source, height, hash, parentHash })
  }
  return {
    ...rpc,
    session: () => showBlocks(rpc.session(), source, listeners),
    async call(method, params, options) {
      const result = await rpc.call(method, params, options)
      show(method, params, result)
      return result
    },
    async callMany(calls, options) {
      const outcomes = await rpc.callMany(calls, options)
      for (const [at, outcome] of outcomes.entries()) {
        const call = calls[at]
        if (call && outcome.ok) show(call.method, call.params, outcome.value)
      }
      return outcomes
    },
  }
}
