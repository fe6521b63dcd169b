import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Pool } from 'undici'
import { createSystemClock } from '../src/lib/clock.ts'
import { createSandbox } from '../src/sandbox/createSandbox.ts'
import { parseScenario } from '../src/sandbox/scenario.ts'

// Requests a second of the sandbox, endpoint by endpoint: the server in a process of its own, one core's work.
const history =
  'name: bench\nhistory: { for: 240h, transfers: 1000000 }\ntraffic: { transfersPerMinute: 60 }\n'
const measuredMs = 1_000
const inFlight = 16

interface Row {
  readonly name: string
  readonly path: string
  readonly body?: string
}

if (process.send) await serve()
else await measureAll()

async function serve(): Promise<void> {
  const sandbox = createSandbox({
    clock: createSystemClock(),
    scenario: parseScenario(history, 'bench.yaml'),
  })
  await sandbox.start()
  process.send?.({ url: sandbox.url })
  process.on('message', () => process.send?.({ rss: process.memoryUsage.rss() }))
}

async function measureAll(): Promise<void> {
  const child = fork(import.meta.filename)
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  const pool = new Pool(url, { connections: inFlight })
  for (const row of await rowsToAsk(pool)) {
    process.stdout.write(
      `${row.name.padEnd(28)} ${String(await measure(pool, row)).padStart(8)} requests/s\n`,
    )
  }
  child.send('memory')
  const [{ rss }] = (await once(child, 'message')) as [{ rss: number }]
  process.stdout.write(`${'memory'.padEnd(28)} ${String(Math.round(rss / 1e6)).padStart(8)} MB\n`)
  await pool.close()
  child.kill()
}

async function rowsToAsk(pool: Pool): Promise<Row[]> {
  const list = await json(pool, zone('cross/transaction-list', 'limit=100&page=3'))
  const records = list.data[0]?.data as Record<string, string>[]
  const done = records.filter((record) => record.mainTxHash !== '' && record.zoneTxHash !== '')
  const first = done[0] as Record<string, string>
  const unique = (name: string) => [...new Set(done.map((record) => record[name]))].slice(0, 20).join(',')
  const height = Number(first.mainBlockHeight)
  const rpc = (method: string, ...params: unknown[]) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return [
    { name: 'E3 limit 20', path: zone('cross/transaction-list', 'limit=20') },
    { name: 'E3 limit 100', path: zone('cross/transaction-list', 'limit=100') },
    { name: 'E3 txid', path: zone('cross/transaction-list', `txid=${first.zoneTxHash}`) },
    { name: 'E12 of 20', path: zone('cross/transaction-multi', `txId=${unique('zoneTxHash')}`) },
    { name: 'E4', path: zone('block/transaction-list', `height=${first.zoneBlockHeight}`) },
    { name: 'E5 limit 100', path: zone('block/block-list', 'limit=100') },
    { name: 'E9 of 20', path: zone('transaction/transaction-multi', `txId=${unique('zoneTxHash')}`) },
    { name: 'E14', path: zone('transaction/transaction-fills', `txid=${first.zoneTxHash}`) },
    { name: 'E2', path: main('transaction/token-transaction-detail', `txId=${first.mainTxHash}`) },
    { name: 'E13 of 20', path: main('transaction/token-transfer-multi', `txId=${unique('mainTxHash')}`) },
    { name: 'E21', path: main('log/by-transaction', `txId=${first.mainTxHash}`) },
    { name: 'E11', path: main('block/block-fills', `height=${height}`) },
    {
      name: 'E19 of 100 blocks',
      path: main(
        'log/by-block-and-address',
        `startBlockHeight=${height - 99}&endBlockHeight=${height}&address=${first.to}`,
      ),
    },
    { name: 'RPC eth_blockNumber', path: '/rpc', body: rpc('eth_blockNumber') },
    { name: 'RPC pending block', path: '/rpc', body: rpc('eth_getBlockByNumber', 'pending', false) },
    { name: 'RPC receipt', path: '/rpc', body: rpc('eth_getTransactionReceipt', first.mainTxHash) },
    { name: 'E3 address', path: zone('cross/transaction-list', `address=${first.sourceAddress}`) },
  ]
}

async function measure(pool: Pool, row: Row): Promise<number> {
  await ask(pool, row)
  const startedAt = performance.now()
  let count = 0
  const one = async () => {
    while (performance.now() - startedAt < measuredMs) {
      await ask(pool, row)
      count += 1
    }
  }
  await Promise.all(Array.from({ length: inFlight }, one))
  return Math.round((count * 1_000) / (performance.now() - startedAt))
}

async function ask(pool: Pool, row: Row): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = row.body
    ? await pool.request({ method: 'POST', path: row.path, headers, body: row.body })
    : await pool.request({ method: 'GET', path: row.path })
  const bytes = await answer.body.arrayBuffer()
  if (answer.statusCode !== 200 || bytes.byteLength < 40) throw new Error(`${row.name}: no answer to measure`)
}

async function json(pool: Pool, path: string): Promise<{ data: Record<string, unknown>[] }> {
  const { body } = await pool.request({ method: 'GET', path })
  return (await body.json()) as { data: Record<string, unknown>[] }
}

function zone(path: string, query: string): string {
  return `/api/v5/chain/zone/${path}?chainShortName=ZONE_CHAIN&${query}`
}

function main(path: string, query: string): string {
  return `/api/v5/chain/${path}?chainShortName=mainchain&${query}`
}
