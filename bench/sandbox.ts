import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Pool } from 'undici'
import { createSystemClock } from '../src/lib/clock.ts'
import { createSandbox } from '../src/sandbox/createSandbox.ts'
import { parseScenario } from '../src/sandbox/scenario.ts'

// Requests a second of the sandbox, endpoint by endpoint: the server in a process of its own, one core's work.
const history =
  'name: bench\nhistory: { for: 240h, transfers: 1000000 }\ntraffic: { transfersPerMinute: 60 }\n'
const measuredMs = 700
const inFlight = 16
const target = 1_000
const width = 40

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
  const forkedAt = performance.now()
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  process.stdout.write(`ready after ${((performance.now() - forkedAt) / 1_000).toFixed(1)} s\n`)
  const pool = new Pool(url, { connections: inFlight })
  process.stdout.write(`${''.padEnd(width)}  first answer    then, requests/s\n`)
  for (const row of await rowsToAsk(pool)) {
    const { coldMs, perSecond } = await measure(pool, row)
    const mark = perSecond < target ? '  below the target' : ''
    process.stdout.write(
      `${row.name.padEnd(width)} ${coldMs.toFixed(1).padStart(10)} ms ${String(perSecond).padStart(18)}${mark}\n`,
    )
  }
  child.send('memory')
  const [{ rss }] = (await once(child, 'message')) as [{ rss: number }]
  process.stdout.write(`${'memory'.padEnd(width)} ${String(Math.round(rss / 1e6)).padStart(10)} MB\n`)
  await pool.close()
  child.kill()
}

async function rowsToAsk(pool: Pool): Promise<Row[]> {
  const list = await json(pool, zone('cross/transaction-list', 'limit=100&page=3'))
  const records = list.data[0]?.data as Record<string, string>[]
  const done = records.filter((record) => record.mainTxHash !== '' && record.zoneTxHash !== '')
  const first = done[0] as Record<string, string>
  const deposit = done.find((record) => record.txType === 'MainToZone') as Record<string, string>
  const unique = (name: string) => [...new Set(done.map((record) => record[name]))].slice(0, 20).join(',')
  const user = `address=${first.sourceAddress}`
  const bridge = `address=${first.to}`
  const [height, zoneHeight] = [Number(first.mainBlockHeight), Number(first.zoneBlockHeight)]
  const blocks = (count: number) => `startBlockHeight=${height - count + 1}&endBlockHeight=${height}`
  const zoneBlocks = (count: number) =>
    `startBlockHeight=${zoneHeight - count + 1}&endBlockHeight=${zoneHeight}`
  const e3 = (query: string) => zone('cross/transaction-list', query)
  const log = await json(pool, main('log/by-transaction', `txId=${deposit.mainTxHash}`))
  const ofBridge = log.data.find((row) => row.address === first.to) as { topics: string[] }
  const topic = ofBridge.topics[0]
  return [
    {
      name: 'E1',
      path: main('token/transaction-list', `tokenContractAddress=${deposit.tokenContractAddress}`),
    },
    {
      name: 'E1 page 500',
      path: main('token/transaction-list', `tokenContractAddress=${deposit.tokenContractAddress}&page=500`),
    },
    { name: 'E2', path: main('transaction/token-transaction-detail', `txId=${first.mainTxHash}`) },
    { name: 'E3 limit 20', path: e3('limit=20') },
    { name: 'E3 limit 100', path: e3('limit=100') },
    { name: 'E3 txid', path: e3(`txid=${first.zoneTxHash}`) },
    { name: 'E3 address', path: e3(user) },
    {
      name: 'E3 address of the signer',
      path: e3(`from=${done.find((record) => record.txType === 'ZoneToMain')?.from}`),
    },
    { name: 'E3 token', path: e3(`tokenContractAddress=${first.tokenContractAddress}`) },
    { name: 'E3 address and token', path: e3(`${user}&tokenContractAddress=${first.tokenContractAddress}`) },
    { name: 'E3 1,000 blocks', path: e3(zoneBlocks(1_000)) },
    { name: 'E3 10,000 blocks', path: e3(zoneBlocks(10_000)) },
    { name: 'E4', path: zone('block/transaction-list', `height=${first.zoneBlockHeight}`) },
    { name: 'E5 limit 100', path: zone('block/block-list', 'limit=100') },
    { name: 'E6 of a user', path: main('address/transaction-list', user) },
    { name: 'E6 of a user, page 100', path: main('address/transaction-list', `${user}&page=100`) },
    { name: 'E6 of the bridge', path: main('address/transaction-list', bridge) },
    {
      name: 'E6 token_20 of a user',
      path: main('address/transaction-list', `${user}&protocolType=token_20`),
    },
    { name: 'E7 of a block', path: main('block/transaction-list-multi', blocks(1)) },
    { name: 'E7 of 10,000 blocks', path: main('block/transaction-list-multi', blocks(10_000)) },
    {
      name: 'E7 of 10,000, page 50',
      path: main('block/transaction-list-multi', `${blocks(10_000)}&page=50`),
    },
    { name: 'E8 of the bridge', path: main('address/internal-transaction-list', bridge) },
    { name: 'E9 of 20', path: zone('transaction/transaction-multi', `txId=${unique('zoneTxHash')}`) },
    {
      name: 'E10 of 10,000 blocks',
      path: main('address/normal-transaction-list-multi', `${user}&${blocks(10_000)}`),
    },
    { name: 'E11', path: main('block/block-fills', `height=${height}`) },
    { name: 'E12 of 20', path: zone('cross/transaction-multi', `txId=${unique('zoneTxHash')}`) },
    { name: 'E13 of 20', path: main('transaction/token-transfer-multi', `txId=${unique('mainTxHash')}`) },
    { name: 'E14', path: zone('transaction/transaction-fills', `txid=${first.zoneTxHash}`) },
    {
      name: 'E15 of 20',
      path: main('transaction/internal-transaction-multi', `txId=${unique('mainTxHash')}`),
    },
    { name: 'E16', path: main('transaction/internal-transaction-detail', `txId=${first.mainTxHash}`) },
    { name: 'E17', path: main('contract/verify-contract-info', `contractAddress=${first.to}`) },
    { name: 'E18, 1,000 logs', path: main('log/by-address-and-topic', `${bridge}&topic0=${topic}`) },
    { name: 'E19 of 10 blocks', path: main('log/by-block-and-address', `${bridge}&${blocks(10)}`) },
    { name: 'E19 of 100 blocks', path: main('log/by-block-and-address', `${bridge}&${blocks(100)}`) },
    { name: 'E20, 1,000 logs', path: main('log/by-address', bridge) },
    { name: 'E21', path: main('log/by-transaction', `txId=${first.mainTxHash}`) },
    ...rpcRows(first, height),
  ]
}

function rpcRows(record: Record<string, string>, height: number): Row[] {
  const hex = `0x${height.toString(16)}`
  const balanceOf = {
    to: record.tokenContractAddress,
    data: `0x70a08231${String(record.to).slice(2).padStart(64, '0')}`,
  }
  const rows: readonly (readonly [string, ...unknown[]])[] = [
    ['eth_blockNumber'],
    ['eth_call', balanceOf, 'pending'],
    ['eth_estimateGas', balanceOf, 'pending'],
    ['eth_getBalance', record.sourceAddress, 'pending'],
    ['eth_getTransactionCount', record.sourceAddress, 'pending'],
    ['eth_getCode', record.to, 'pending'],
    ['eth_getStorageAt', record.to, '0x0', 'pending'],
    ['eth_getBlockByNumber', 'pending', false],
    ['eth_getBlockByNumber', 'pending', true],
    ['eth_getBlockByNumber', hex, true],
    ['eth_getBlockReceipts', 'pending'],
    ['eth_getBlockTransactionCountByNumber', 'pending'],
    ['eth_getTransactionByHash', record.mainTxHash],
    ['eth_getRawTransactionByHash', record.mainTxHash],
    ['eth_getTransactionReceipt', record.mainTxHash],
    ['eth_getTransactionByBlockNumberAndIndex', hex, '0x0'],
  ]
  return rows.map(([method, ...params]) => ({
    name: `${method}${params.includes(true) ? ' full' : ''}`,
    path: '/rpc',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  }))
}

async function measure(pool: Pool, row: Row): Promise<{ coldMs: number; perSecond: number }> {
  const askedAt = performance.now()
  await ask(pool, row)
  const coldMs = performance.now() - askedAt
  const startedAt = performance.now()
  let count = 0
  const one = async () => {
    while (performance.now() - startedAt < measuredMs) {
      await ask(pool, row)
      count += 1
    }
  }
  await Promise.all(Array.from({ length: inFlight }, one))
  return { coldMs, perSecond: Math.round((count * 1_000) / (performance.now() - startedAt)) }
}

async function ask(pool: Pool, row: Row): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = row.body
    ? await pool.request({ method: 'POST', path: row.path, headers, body: row.body })
    : await pool.request({ method: 'GET', path: row.path })
  const bytes = await answer.body.arrayBuffer()
  if (answer.statusCode !== 200 || bytes.byteLength < 35) throw new Error(`${row.name}: no answer to measure`)
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
