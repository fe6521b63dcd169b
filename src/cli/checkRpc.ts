import { Agent } from 'undici'
import type { Secret } from '../lib/secret.ts'
import { postOnce, type PostOutcome } from '../notify/postOnce.ts'
import type { OnlineResult } from './checkOnline.ts'
import { hostOf } from './describeConfig.ts'

/** Asks a JSON-RPC endpoint for its height. */
export async function checkRpc(name: string, url: Secret, signal: AbortSignal): Promise<OnlineResult[]> {
  const dispatcher = new Agent({ connect: { timeout: 5_000 } })
  try {
    const outcome = await postOnce(
      { dispatcher, timeoutMs: 10_000 },
      {
        url: url.reveal(),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }),
        signal,
      },
    )
    return [{ what: `${name} RPC at ${hostOf(url.reveal())}`, ...judge(name, outcome) }]
  } finally {
    await dispatcher.destroy()
  }
}

function judge(name: string, outcome: PostOutcome): Omit<OnlineResult, 'what'> {
  const remedy = `Check ${name}.url, name resolution, and whether a firewall or proxy stands between.`
  if (outcome.kind === 'failed') {
    return { verdict: 'failed', says: `no answer (${outcome.cause}, ${outcome.code})`, remedy }
  }
  const height = /"result"\s*:\s*"(0x[0-9a-f]{1,16})"/i.exec(outcome.body ?? '')?.[1]
  if (height === undefined) {
    return { verdict: 'failed', says: `HTTP ${outcome.status}, but no height in the answer`, remedy }
  }
  return { verdict: 'ok', says: `at block ${BigInt(height)}`, remedy: null }
}
