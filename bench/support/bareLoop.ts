/**
 * The least that watching can take: a process that asks a sandbox's RPC ten times a second, as often as the daemon asks its
 * sources together, with the same client, and parses what comes.
 */
import { Pool } from 'undici'

const asksEveryMs = 100
const headers = { 'content-type': 'application/json' }
const body = JSON.stringify(
  [
    ['eth_getBlockReceipts', ['pending']],
    ['eth_getBlockByNumber', ['pending', false]],
  ].map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })),
)
const pool = new Pool(process.argv[2] ?? '', { connections: 4 })

async function ask(): Promise<void> {
  const answer = await pool.request({ path: '/rpc', method: 'POST', headers, body })
  JSON.parse(await answer.body.text())
}

setInterval(() => void ask(), asksEveryMs)
