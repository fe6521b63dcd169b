import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One record of E3 and E12 as the API gives it: all strings. */
export type WireRecord = Record<string, string>

/** One event log of E18 to E21. */
export type WireLog = Record<
  'height' | 'address' | 'data' | 'txId' | 'transactionTime' | 'logIndex',
  string
> & {
  readonly topics: readonly string[]
}

/** A request, as far as tests look at it. */
export interface FakeRequest {
  readonly path: string
  readonly query: URLSearchParams
}

/** What signed requests have to carry. */
interface FakeCredentials {
  readonly prefix: string
  readonly key: string
  readonly secret: string
  readonly passphrase: string
}

export interface FakeExplorer {
  readonly url: string
  /** Newest first. */
  records: WireRecord[]
  /** E9 by zone hash; a hash that is not here is unknown. */
  zoneTransactions: Map<string, WireRecord>
  /** Event logs as E19 gives them, oldest first. */
  logs: WireLog[]
  pageCap: number
  mainHead: () => number
  zoneHead: () => number
  /** The time of its newest blocks. */
  now: () => number
  /** The service's clock: what its `Date` says. */
  date: () => number
  /** Answers in place of the API when it returns true. */
  intercept: (request: FakeRequest, response: ServerResponse) => boolean
  /** Refuses every request that is not signed so; null asks for no signature. */
  credentials: FakeCredentials | null
  /** How this deployment spells a record. */
  spell: (record: WireRecord) => WireRecord
  readonly requests: FakeRequest[]
  close(): Promise<void>
}

const startedAt = Date.now()

/** A second, plain implementation of the endpoints that the monitor reads, sharing nothing with the product. */
export async function createFakeExplorer(): Promise<FakeExplorer> {
  const server = createServer((request, response) => serve(fake, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const fake: FakeExplorer = {
    url: `http://127.0.0.1:${port}`,
    records: [],
    logs: [],
    zoneTransactions: new Map(),
    pageCap: 100,
    mainHead: () => 10_000 + Math.floor((Date.now() - startedAt) / 1_000),
    zoneHead: () => 100_000 + Math.floor((Date.now() - startedAt) / 100),
    now: () => Date.now(),
    date: () => Date.now(),
    intercept: () => false,
    credentials: null,
    spell: (record) => record,
    requests: [],
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return fake
}

function serve(fake: FakeExplorer, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://fake')
  const asked = { path: url.pathname, query: url.searchParams }
  fake.requests.push(asked)
  response.setHeader('date', new Date(fake.date()).toUTCString())
  if (fake.intercept(asked, response)) return
  const refusal = fake.credentials && refuse(fake.credentials, request)
  if (refusal) return send(response, 401, refusal)
  const data = answer(fake, asked.path, asked.query)
  send(
    response,
    200,
    data === null ? { code: '50040', msg: 'no block', data: [] } : { code: '0', msg: '', data },
  )
}

export function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

/** The documented scheme: Base64(HMAC-SHA256(secret, timestamp + "GET" + path and query as sent)). */
function refuse(wanted: FakeCredentials, { headers, url }: IncomingMessage) {
  const header = (name: string) => headers[`${wanted.prefix}-access-${name}`.toLowerCase()]
  const timestamp = String(header('timestamp'))
  const refusal = (code: string, msg: string) => ({ code, msg, data: [] })
  if (header('key') !== wanted.key) return refusal('50111', 'Invalid Access-Key')
  if (header('passphrase') !== wanted.passphrase) return refusal('50105', 'Passphrase is incorrect')
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(timestamp))
    return refusal('50112', 'Invalid Timestamp')
  if (Math.abs(Date.parse(timestamp) - Date.now()) > 30_000) return refusal('50102', 'Timestamp expired')
  const signature = createHmac('sha256', wanted.secret).update(`${timestamp}GET${url}`).digest('base64')
  return header('sign') === signature ? null : refusal('50113', 'Invalid Sign')
}

function answer(fake: FakeExplorer, path: string, query: URLSearchParams): unknown {
  const hashes = (query.get('txId') ?? query.get('txid') ?? '').split(',')
  if (path.endsWith('/cross/transaction-list')) return page(filter(fake, query), query, fake)
  if (path.endsWith('/cross/transaction-multi'))
    return fake.records
      .filter((r) => hashes.includes(r['zoneTxHash'] ?? ''))
      .map((record, at, all) => fake.spell(toDetail(record, countBefore(all, at))))
  if (path.endsWith('/transaction/transaction-multi') || path.endsWith('/transaction-fills')) {
    return hashes.map((hash) => fake.zoneTransactions.get(hash)).filter((found) => found !== undefined)
  }
  if (path.endsWith('/log/by-block-and-address')) {
    const [first, last] = ['startBlockHeight', 'endBlockHeight'].map((name) => Number(query.get(name)))
    return fake.logs.filter(
      ({ height, address }) =>
        address === query.get('address') && Number(height) >= (first ?? 0) && Number(height) <= (last ?? 0),
    )
  }
  if (path.endsWith('/block/block-list')) {
    const head = fake.zoneHead()
    const blocks = Array.from({ length: 20 }, (_, n) => ({
      hash: `0x${(head - n).toString(16)}`,
      height: String(head - n),
      miner: '0x01',
      blockTime: String(fake.now() - n * 100),
      transactionCount: '1',
    }))
    return [{ page: '1', limit: '20', totalPage: '1', total: '20', data: blocks }]
  }
  if (path.endsWith('/block/block-fills')) {
    const height = Number(query.get('height'))
    return height > fake.mainHead()
      ? null
      : [{ hash: `0x${height.toString(16)}`, height: String(height), blockTime: String(fake.now()) }]
  }
  return []
}

function filter(fake: FakeExplorer, query: URLSearchParams): WireRecord[] {
  const hash = query.get('txid')
  const [from, to] = [
    Number(query.get('startBlockHeight') ?? 0),
    Number(query.get('endBlockHeight') ?? Infinity),
  ]
  const isInRange = (r: WireRecord) => {
    const height = Number(r['zoneBlockHeight'])
    return height >= from && height <= to
  }
  if (query.has('startBlockHeight')) return fake.records.filter(isInRange)
  return hash === null
    ? fake.records
    : fake.records.filter((r) => r['zoneTxHash'] === hash || r['mainTxHash'] === hash)
}

function page(rows: WireRecord[], query: URLSearchParams, fake: Pick<FakeExplorer, 'pageCap' | 'spell'>) {
  const limit = Math.min(Number(query.get('limit') ?? 20), fake.pageCap)
  const number = Number(query.get('page') ?? 1)
  const data = rows.slice((number - 1) * limit, number * limit).map(fake.spell)
  return [
    {
      page: String(number),
      limit: String(limit),
      totalPage: String(Math.ceil(rows.length / limit)),
      total: String(rows.length),
      data,
    },
  ]
}

/** Its place among the records of its zone transaction. */
function countBefore(rows: readonly WireRecord[], at: number): number {
  return rows.slice(0, at).filter((row) => row['zoneTxHash'] === rows[at]?.['zoneTxHash']).length
}

function toDetail(record: WireRecord, index: number): WireRecord {
  return {
    zoneEventIndex: String(index),
    zoneBlockHash: '0xb1',
    batchDetail: '',
    updateTime: record['updateTime'] ?? record['zoneBlockTime'] ?? '',
    blockHeight: '1',
    ...record,
  }
}

let counter = 0

/** A completed withdrawal of 1.5 units, a minute old; its hashes hold `name` or a running number. */
export function toWire(overrides: WireRecord = {}, name = String((counter += 1))): WireRecord {
  // Where hashes differ in neither their first bytes nor their last ones, no index tells them from each other.
  const hash = (side: string) => `0x${hex(`${side}-`).padEnd(64 - hex(name).length, '0')}${hex(name)}`
  const at = Date.now() - 60_000
  return {
    id: hash('id'),
    txType: 'ZoneToMain',
    crossType: 'Withdraw',
    status: '0x1',
    mainTxHash: hash('main'),
    mainBlockHeight: '9000',
    mainBlockTime: String(at + 30_000),
    zoneTxHash: hash('zone'),
    zoneBlockHeight: '90000',
    zoneBlockTime: String(at),
    from: '0x00000000000000000000000000000000000000f0',
    to: '0x00000000000000000000000000000000000000f1',
    sourceAddress: '0x00000000000000000000000000000000000000aa',
    targetAddress: '0x00000000000000000000000000000000000000bb',
    value: '1.5',
    valueRaw: '1500000',
    tokenContractAddress: '0x00000000000000000000000000000000000000cc',
    tokenType: 'ERC20',
    tokenId: '',
    tokenName: 'USD Coin',
    ...overrides,
  }
}

const hex = (text: string) => Buffer.from(text).toString('hex')

/** The same withdrawal before its payout. */
export const toOpenWire = (overrides: WireRecord = {}, name?: string): WireRecord =>
  toWire({ mainTxHash: '', mainBlockHeight: '', mainBlockTime: '', ...overrides }, name)
