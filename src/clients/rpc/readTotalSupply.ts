import { isCallFailure } from './rpcErrors.ts'
import type { Rpc } from './createRpc.ts'

// totalSupply()
const totalSupply = '0x18160ddd'

/**
 * How much of a token there is at the end of a block, in base units; null where the contract does not say: there is
 * none, or it reverts.
 * @throws MonitorError `source.*` when the node could not be asked, or does not keep the state of that block any more
 */
export async function readTotalSupply(
  rpc: Pick<Rpc, 'call'>,
  { token, height }: { readonly token: string; readonly height: number },
  signal?: AbortSignal,
): Promise<bigint | null> {
  try {
    const data = await rpc.call('eth_call', [{ to: token, data: totalSupply }, height], { signal })
    return /^0x[0-9a-fA-F]{64}$/.test(data) ? BigInt(data) : null
  } catch (error) {
    if (isCallFailure(error)) return null
    throw error
  }
}
