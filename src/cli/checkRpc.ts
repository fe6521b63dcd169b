import { type ErrorCode, errorText, MonitorError } from '../lib/errors.ts'
import type { Secret } from '../lib/secret.ts'
import type { Io } from './io.ts'
import type { OnlineResult } from './onlineResult.ts'

/** Asks a JSON-RPC endpoint for its height. */
export async function checkRpc(
  io: Pick<Io, 'clock' | 'stop'>,
  source: 'preconf' | 'canonical',
  url: Secret,
): Promise<OnlineResult[]> {
  // Only here: viem takes a tenth of a second to load, which no other part of the check needs.
  const { createRpc } = await import('../clients/rpc/createRpc.ts')
  const rpc = createRpc({ source, url: url.reveal(), clock: io.clock })
  const what = `${source} RPC at ${rpc.host}`
  try {
    const height = await rpc.call('eth_blockNumber', [], { signal: io.stop, attempts: 2 })
    return [{ what, verdict: 'ok', says: `at block ${height}`, remedy: null }]
  } catch (error) {
    const remedy = error instanceof MonitorError ? remedyOf(source, error.code) : null
    return [{ what, verdict: 'failed', says: errorText(error), remedy }]
  } finally {
    await rpc.close()
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
