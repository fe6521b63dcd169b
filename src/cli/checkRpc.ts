import { type ErrorCode, errorText, MonitorError } from '../lib/errors.ts'
import type { Secret } from '../lib/secret.ts'
import type { Rpc, RpcSource } from '../clients/rpc/createRpc.ts'
import type { ShownBlock } from './checkExplorer.ts'
import type { Io } from './io.ts'
import type { OnlineResult } from './onlineResult.ts'

/**
 * Asks a JSON-RPC endpoint for its height, and for a block that the explorer shows: a node of another chain has another
 * one at that height.
 * @param shown left out or null where the explorer shows none
 */
export async function checkRpc(
  io: Pick<Io, 'clock' | 'stop'>,
  source: RpcSource,
  url: Secret,
  shown: ShownBlock | null = null,
): Promise<OnlineResult[]> {
  // Only here: viem takes a tenth of a second to load, which no other part of the check needs.
  const { createRpc } = await import('../clients/rpc/createRpc.ts')
  const rpc = createRpc({ source, url: url.reveal(), clock: io.clock })
  const what = `${source} RPC at ${rpc.host}`
  try {
    const height = await rpc.call('eth_blockNumber', [], { signal: io.stop, attempts: 2 })
    return [{ what, ...(await compareBlock(rpc, { source, height, shown }, io.stop)) }]
  } catch (error) {
    const remedy = error instanceof MonitorError ? remedyOf(source, error.code) : null
    return [{ what, verdict: 'failed', says: errorText(error), remedy }]
  } finally {
    await rpc.close()
  }
}

async function compareBlock(
  rpc: Rpc,
  of: { readonly source: RpcSource; readonly height: number; readonly shown: ShownBlock | null },
  signal: AbortSignal,
): Promise<Omit<OnlineResult, 'what'>> {
  const { source, height, shown } = of
  const says = `at block ${height}`
  if (shown === null)
    return { verdict: 'ok', says: `${says}; the explorer shows no block to compare it with`, remedy: null }
  const block = await rpc.call('eth_getBlockByNumber', [shown.height, false], { signal, attempts: 2 })
  if (block === null || block.hash === null)
    return {
      verdict: 'unsure',
      says: `${says}; it does not know block ${shown.height}, which the explorer shows`,
      remedy: `It lags, keeps no old blocks, or is of another chain: check ${source}.url.`,
    }
  const isSame = block.hash === shown.hash.toLowerCase()
  return isSame
    ? { verdict: 'ok', says: `${says}, the chain that the explorer shows`, remedy: null }
    : {
        verdict: 'failed',
        says: `another chain than the explorer's: block ${shown.height} is ${block.hash} here, ${shown.hash} there`,
        remedy: `Check ${source}.url: it has to be a node of the ${source === 'zoneRpc' ? 'zone' : 'main'} chain.`,
      }
}

function remedyOf(source: string, code: ErrorCode): string {
  if (code === 'source.rejected') return `The node refuses the credentials: check the key in ${source}.url.`
  if (code === 'source.throttled')
    return 'The node asks to slow down: stop what else uses this address, or try again.'
  if (code === 'source.invalid' || code === 'source.refused')
    return `This is not an Ethereum JSON-RPC: check ${source}.url.`
  return `Check ${source}.url, name resolution, and whether a firewall or proxy stands between.`
}
