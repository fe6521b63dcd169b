import {
  type Chain,
  ceilHeight,
  type Entry,
  hashOf,
  heightOf,
  logsOf,
  mainBlockHash,
  mainHeight,
  mainTime,
  standing,
  type MainTx,
  type Move,
  toUnits,
  zoneBlockMs,
  zoneHeight,
  zoneTime,
  type ZoneTx,
} from './chain.ts'
import type { Manner } from './manners.ts'
import type { Fault } from './faults.ts'
import type { View } from './view.ts'

type Row = Record<string, unknown>

interface Question {
  readonly chain: Chain
  readonly service: Service
  readonly view: View
  readonly query: URLSearchParams
}

interface Route {
  readonly id: string
  readonly shape: 'A' | 'B' | 'C'
  /** The record array of shape A: documented, then as the sample has it. */
  readonly arrays?: readonly [string, string]
  readonly max?: number
  readonly rows: (question: Question) => Row[] | null
}

const lists = ['transactionList', 'transactionList'] as const

/** Every endpoint by its path behind the words for the chains; the zone's begin with `zone/`. */
const routes: Readonly<Record<string, Route>> = {
  'token/transaction-list': { id: 'E1', shape: 'A', arrays: lists, max: 50, rows: tokenTransfers },
  'transaction/token-transaction-detail': {
    id: 'E2',
    shape: 'A',
    arrays: ['tokenTransferDetails', 'tokenTransferDetails'],
    max: 100,
    rows: (q) => moveDetails(q, false),
  },
  'zone/cross/transaction-list': { id: 'E3', shape: 'B', max: 100, rows: crossList },
  'zone/block/transaction-list': { id: 'E4', shape: 'B', max: 100, rows: zoneBlockTransactions },
  'zone/block/block-list': { id: 'E5', shape: 'B', max: 100, rows: zoneBlocks },
  'address/transaction-list': {
    id: 'E6',
    shape: 'A',
    arrays: ['transactionLists', 'transactionLists'],
    max: 50,
    rows: addressTransactions,
  },
  'block/transaction-list-multi': { id: 'E7', shape: 'A', arrays: lists, max: 100, rows: blockTransactions },
  'address/internal-transaction-list': {
    id: 'E8',
    shape: 'A',
    arrays: lists,
    max: 50,
    rows: addressInternals,
  },
  'zone/transaction/transaction-multi': { id: 'E9', shape: 'C', rows: zoneDetails },
  'address/normal-transaction-list-multi': {
    id: 'E10',
    shape: 'A',
    arrays: lists,
    max: 100,
    rows: addressesTransactions,
  },
  'block/block-fills': { id: 'E11', shape: 'C', rows: block },
  'zone/cross/transaction-multi': { id: 'E12', shape: 'C', rows: crossDetails },
  'transaction/token-transfer-multi': {
    id: 'E13',
    shape: 'A',
    arrays: ['tokenTransferDetails', 'transactionList'],
    max: 100,
    rows: (q) => moveDetails(q, true),
  },
  'zone/transaction/transaction-fills': { id: 'E14', shape: 'C', rows: zoneDetails },
  'transaction/internal-transaction-multi': {
    id: 'E15',
    shape: 'A',
    arrays: ['internalTransactionDetails', 'transactionList'],
    max: 100,
    rows: (q) => internalDetails(q, false),
  },
  'transaction/internal-transaction-detail': {
    id: 'E16',
    shape: 'A',
    arrays: ['internalTransactionDetails', 'internalTransactionDetails'],
    max: 100,
    rows: (q) => internalDetails(q, true),
  },
  'contract/verify-contract-info': { id: 'E17', shape: 'C', rows: contractInfo },
  'log/by-address-and-topic': { id: 'E18', shape: 'C', rows: logs },
  'log/by-block-and-address': { id: 'E19', shape: 'C', rows: logs },
  'log/by-address': { id: 'E20', shape: 'C', rows: logs },
  'log/by-transaction': { id: 'E21', shape: 'C', rows: logs },
}

export function answerQuery(
  chain: Chain,
  service: Service,
  viewFor: (endpoint: string) => View,
  url: URL,
): { status: number; body: unknown } {
  const route = routeOf(service, url)
  if (!route) return { status: 404, body: { code: '404', msg: 'no such path', data: [] } }
  const view = viewFor(route.id)
  const present = standing(chain, view.now)
  const rows = route.rows({
    chain: {
      ...present,
      mainTxs: present.mainTxs.filter(({ hiddenFrom }) => !hiddenFrom?.includes(route.id)),
    },
    service,
    view,
    query: url.searchParams,
  })
  if (rows === null) return { status: 200, body: { code: '50040', msg: 'no such block', data: [] } }
  const data = wrap(service, route, rows, url.searchParams)
  if (data === null)
    return { status: 400, body: { code: '50016', msg: 'Incorrect parameter page', data: [] } }
  return { status: 200, body: { code: '0', msg: '', data } }
}

function routeOf(service: Service, url: URL): Route | undefined {
  const [main, zone] = service.words.path
  return routes[url.pathname.replace(`/api/v5/${main}/`, '').replace(new RegExp(`^${zone}/`), 'zone/')]
}

/** Which endpoint a question is for. */
export const endpointOf = (service: Service, url: URL) => routeOf(service, url)?.id ?? ''

/** The data of an answer; null where that page is refused. */
function wrap(
  service: Service,
  route: Route,
  given: readonly Row[],
  query: URLSearchParams,
): unknown[] | null {
  const { manner } = service
  const kept = route.shape === 'C' ? given : given.slice(0, manner.window)
  // The zone's blocks are made in their order.
  const inOrder = manner.isOldestFirst && route.id !== 'E5' ? kept.toReversed() : kept
  const rows = manner.isUnstable ? unsettle(inOrder, String(query)) : inOrder
  const bend = manner.row ?? ((row: Row) => row)
  const spelled = (part: readonly Row[]) => part.map((row) => spell(service, { ...bend(row, route.id) }))
  if (route.shape === 'C') return spelled(rows.slice(0, 1_000))
  const limit = Math.min(Number(query.get('limit') ?? 20), route.max ?? 20, manner.limit ?? Infinity)
  const pages = Math.ceil(rows.length / limit)
  const page = pageOf(Number(query.get('page') ?? 1), pages, manner)
  if (page === null) return null
  const part = spelled(rows.slice((page - 1) * limit, page * limit))
  const said = {
    page: String(page),
    limit: String(limit),
    totalPage: String(pages),
    ...(route.shape === 'B' && { total: String(rows.length) }),
  }
  const paging = manner.page ? manner.page(said) : said
  if (route.shape === 'B') return [{ ...paging, data: part }]
  const name = route.arrays?.[service.asSampled ? 1 : 0] ?? 'transactionList'
  const chain = {
    chainFullName: 'Main chain',
    chainShortName: query.get('chainShortName')?.toUpperCase() ?? '',
  }
  return [{ ...paging, ...chain, [name]: part }]
}

/** Which page is shown of one that was asked for; null: none. */
function pageOf(asked: number, pages: number, { after }: Service['manner']): number | null {
  if (after === undefined || asked <= Math.max(pages, 1)) return asked
  if (after === 'refused') return null
  return after === 'last' ? pages : 1
}

/** Rows that stand in one block, in an order of their own for each question. */
function unsettle(rows: readonly Row[], question: string): Row[] {
  const blockOf = (row: Row) => row['height'] ?? row['zoneBlockHeight'] ?? row['blockHeight']
  const nameOf = (row: Row) => hashOf(question, JSON.stringify(row))
  const groups: { row: Row; name: string }[][] = []
  let block: unknown = groups
  for (const row of rows) {
    if (blockOf(row) !== block) groups.push([])
    block = blockOf(row)
    groups.at(-1)?.push({ row, name: nameOf(row) })
  }
  return groups.flatMap((group) =>
    group.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map(({ row }) => row),
  )
}

/** A row in this deployment's words. */
function spell(service: Service, row: Row): Row {
  const [main, zone] = service.words.field
  const spelled: Row = {}
  for (const [key, value] of Object.entries(row)) {
    const name = key.replace(/^main(?=[A-Z])/, main).replace(/^zone(?=[A-Z])/, zone)
    spelled[name === 'txId' && !service.asSampled && 'operation' in row ? 'txid' : name] =
      service.mixedCase && typeof value === 'string' && /^0x[0-9a-f]{40}$/.test(value)
        ? value.replace(/[a-f]/g, (digit, at: number) => (at % 3 === 0 ? digit.toUpperCase() : digit))
        : value
  }
  return spelled
}

const listOf = (query: URLSearchParams, name: string) => (query.get(name) ?? '').toLowerCase().split(',')

function isWithin(query: URLSearchParams, height: number): boolean {
  const [first, last] = ['startBlockHeight', 'endBlockHeight'].map((name) => query.get(name))
  return height >= Number(first ?? 0) && height <= Number(last ?? Number.MAX_SAFE_INTEGER)
}

/** Main transactions that the explorer shows, newest first. */
function shown({ chain, view }: Question): MainTx[] {
  return chain.mainTxs
    .filter((tx) => mainTime(chain, ceilHeight(chain, tx.at)) <= view.main)
    .toSorted((one, other) => other.at - one.at)
}

function place({ chain, view }: Question, tx: MainTx): Row {
  const height = heightOf(chain, tx, view.now)
  return {
    txId: tx.hash,
    blockHash: mainBlockHash(chain, height, view.now),
    height: String(height),
    transactionTime: String(mainTime(chain, height)),
  }
}

const parties = ({ chain }: Question, from: string, to: string) => ({
  from,
  to,
  isFromContract: [chain.bridge, chain.escrow].includes(from),
  isToContract: [chain.bridge, chain.escrow].includes(to),
})

function moveRow(question: Question, tx: MainTx, { token, from, to, raw, id = '' }: Move): Row {
  return {
    ...place(question, tx),
    ...parties(question, from, to),
    amount: toUnits(raw, token.decimals),
    tokenContractAddress: token.address,
    tokenId: id,
    symbol: token.symbol,
  }
}

function moveDetails(question: Question, many: boolean): Row[] {
  const hashes = listOf(question.query, 'txId')
  return shown(question)
    .filter((tx) => hashes.includes(tx.hash) && !tx.failed)
    .flatMap((tx) =>
      tx.moves.map((move) => {
        const { blockHash, tokenId, ...row } = moveRow(question, tx, move)
        return many ? { ...row, blockHash, tokenId } : row
      }),
    )
}

const protocols: Readonly<Record<string, string>> = {
  token_20: 'ERC20',
  token_721: 'ERC721',
  token_1155: 'ERC1155',
}

/** What a transaction is in a list of a protocol's. */
function listRows(question: Question, tx: MainTx, protocol: string): Row[] {
  const more = {
    methodId: tx.to === question.chain.bridge ? '0x1828686a' : '0xa9059cbb',
    txFee: '0.0001',
    state: tx.failed ? 'fail' : 'success',
    challengeStatus: tx.challengeStatus ?? '',
    l1OriginHash: '',
  }
  const row = (from: string, to: string, amount: string, symbol: string, token: string, tokenId: string) => ({
    ...place(question, tx),
    ...parties(question, from, to),
    ...more,
    amount,
    transactionSymbol: symbol,
    tokenContractAddress: token,
    tokenId,
  })
  if (protocol === 'transaction') return [row(tx.from, tx.to, toUnits(tx.wei ?? 0n, 18), 'COIN', '', '')]
  if (tx.failed) return []
  if (protocol === 'internal')
    return tx.calls.map(({ from, to, wei }) => row(from, to, toUnits(wei, 18), 'COIN', '', ''))
  return tx.moves
    .filter(({ token }) => token.type === protocols[protocol])
    .map(({ token, from, to, raw, id = '' }) =>
      row(from, to, toUnits(raw, token.decimals), token.symbol, token.address, id),
    )
}

/** Whether an address stands where `isFromOrTo` wants it. */
function concerns(row: Row, addresses: readonly string[], side: string | null): boolean {
  const isFrom = side !== 'to' && addresses.includes(String(row['from']))
  return isFrom || (side !== 'from' && addresses.includes(String(row['to'])))
}

function addressTransactions(question: Question): Row[] {
  const { query } = question
  const token = query.get('tokenContractAddress')?.toLowerCase()
  return shown(question)
    .flatMap((tx) => listRows(question, tx, query.get('protocolType') ?? 'transaction'))
    .filter((row) => concerns(row, listOf(query, 'address'), query.get('isFromOrTo')))
    .filter((row) => isWithin(query, Number(row['height'])))
    .filter((row) => token === undefined || row['tokenContractAddress'] === token)
    .slice(0, 10_000)
}

function blockTransactions(question: Question): Row[] {
  const { query } = question
  return shown(question)
    .flatMap((tx) => listRows(question, tx, query.get('protocolType') ?? 'transaction'))
    .filter((row) => isWithin(query, Number(row['height'])))
    .map((row) => without(row, 'challengeStatus', 'l1OriginHash'))
    .slice(0, 10_000)
}

function addressesTransactions(question: Question): Row[] {
  const { query } = question
  return shown(question)
    .flatMap((tx) => listRows(question, tx, 'transaction'))
    .filter((row) => concerns(row, listOf(query, 'address'), query.get('isFromOrTo')))
    .filter((row) => isWithin(query, Number(row['height'])))
    .map((row) => ({
      ...without(
        row,
        'transactionSymbol',
        'state',
        'challengeStatus',
        'l1OriginHash',
        'tokenContractAddress',
        'tokenId',
      ),
      symbol: row['transactionSymbol'],
      nonce: '1',
      gasLimit: '200000',
      gasUsed: '100000',
      gasPrice: '1000000000',
      transactionType: '2',
    }))
}

function without(row: Row, ...keys: readonly string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([key]) => !keys.includes(key)))
}

function internalRows(question: Question, tx: MainTx, withState: boolean): Row[] {
  return tx.calls.map(({ from, to, wei }) => ({
    ...place(question, tx),
    ...parties(question, from, to),
    operation: 'call',
    amount: toUnits(wei, 18),
    ...(withState && { state: tx.failed ? 'fail' : 'success' }),
  }))
}

function addressInternals(question: Question): Row[] {
  const { query } = question
  return shown(question)
    .flatMap((tx) => internalRows(question, tx, true))
    .filter((row) => concerns(row, listOf(query, 'address'), query.get('isFromOrTo')))
    .filter((row) => isWithin(query, Number(row['height'])))
    .map((row) => ({ ...row, symbol: 'COIN' }))
}

function internalDetails(question: Question, one: boolean): Row[] {
  const hashes = listOf(question.query, 'txId')
  return shown(question)
    .filter((tx) => hashes.includes(tx.hash))
    .flatMap((tx) => internalRows(question, tx, one))
}

function tokenTransfers(question: Question): Row[] {
  const token = question.query.get('tokenContractAddress')?.toLowerCase()
  return shown(question)
    .filter((tx) => !tx.failed)
    .flatMap((tx) =>
      tx.moves
        .filter((move) => move.token.address === token)
        .map((move) => {
          const { symbol, ...row } = moveRow(question, tx, move)
          return {
            ...row,
            transactionSymbol: symbol,
            methodId: '0xa9059cbb',
            protocolType: move.token.type,
            state: 'success',
          }
        }),
    )
}

function logs(question: Question): Row[] {
  const { chain, view, query } = question
  const [address, topic0] = [query.get('address')?.toLowerCase(), query.get('topic0')?.toLowerCase()]
  const hash = query.get('txId')?.toLowerCase()
  const indexes = new Map<number, number>()
  return shown(question)
    .toReversed()
    .flatMap((tx) => {
      const height = heightOf(chain, tx, view.now)
      return logsOf(tx).map((log): Row => {
        const index = indexes.get(height) ?? 0
        indexes.set(height, index + 1)
        return { ...log, methodId: '0x1828686a', logIndex: String(index), ...place(question, tx) }
      })
    })
    .filter((log) => address === undefined || log['address'] === address)
    .filter((log) => topic0 === undefined || (log['topics'] as readonly string[])[0] === topic0)
    .filter((log) => hash === undefined || log['txId'] === hash)
    .filter((log) => isWithin(query, Number(log['height'])))
}

function block({ chain, view, query }: Question): Row[] | null {
  const height = Number(query.get('height'))
  if (height > mainHeight(chain, view.main)) return null
  return [
    {
      chainFullName: 'Main chain',
      chainShortName: query.get('chainShortName')?.toUpperCase() ?? '',
      hash: mainBlockHash(chain, height, view.now),
      height: String(height),
      validator: '',
      blockTime: String(mainTime(chain, height)),
      amount: '0',
      txnCount: String(chain.mainTxs.filter((tx) => heightOf(chain, tx, view.now) === height).length),
      txnInternal: '0',
      blockSize: '1000',
      mineReward: '0',
      totalFee: '0',
      feeSymbol: 'COIN',
      ommerBlock: '0',
      merkleRootHash: hashOf('root', height),
      gasUsed: '100000',
      gasLimit: '60000000',
      gasAvgPrice: '0.000000001',
      state: '',
      burnt: '0',
      miner: chain.signer,
      difficuity: '0',
      nonce: '0',
      confirm: '12',
      tips: '0',
      baseFeePerGas: '0.000000001',
    },
  ]
}

function contractInfo({ chain, query }: Question): Row[] {
  if (query.get('contractAddress')?.toLowerCase() !== chain.bridge) return []
  return [
    {
      sourceCode: 'contract Bridge {}',
      contractName: 'Bridge',
      compilerVersion: 'v0.8.28',
      compilerType: 'solidity',
      optimization: '1',
      optimizationRuns: '200',
      contractAbi: '[]',
      evmVersion: 'paris',
      licenseType: 'MIT',
      libraryInfo: '',
      proxy: '0',
      implementation: '',
      swarmSource: '',
    },
  ]
}

function zoneRow(chain: Chain, tx: ZoneTx): Row {
  const height = zoneHeight(chain, tx.at)
  return {
    hash: tx.hash,
    blockHeight: String(height),
    blockHash: hashOf('zone block', height),
    blockTime: String(zoneTime(chain, height)),
    status: tx.failed === undefined ? '0x1' : '0x0',
    from: tx.from,
    actionType: tx.actionType,
    index: '0',
    value: tx.value,
    valueRaw: tx.valueRaw,
  }
}

const zoneShown = ({ chain, view }: Question) => chain.zoneTxs.filter((tx) => tx.at <= view.zone)

function zoneDetails(question: Question): Row[] {
  const { query } = question
  const hashes = [...listOf(query, 'txId'), ...listOf(query, 'txid')]
  return zoneShown(question)
    .filter((tx) => hashes.includes(tx.hash))
    .map((tx) => ({
      ...zoneRow(question.chain, tx),
      nonce: String(tx.at - 7),
      actionData: JSON.stringify({ type: tx.actionType, ...tx.action }),
      errorMessage: tx.failed ?? '',
      tokenTransferCount: '1',
      eventCount: '1',
    }))
}

function zoneBlockTransactions(question: Question): Row[] | null {
  const height = Number(question.query.get('height'))
  if (height > zoneHeight(question.chain, question.view.zone)) return null
  return zoneShown(question)
    .filter((tx) => zoneHeight(question.chain, tx.at) === height)
    .map((tx) => zoneRow(question.chain, tx))
}

function zoneBlocks({ chain, service, view, query }: Question): Row[] {
  const head = zoneHeight(chain, view.zone)
  const asked = query.get('height')
  const page = Number(query.get('page') ?? 1)
  const limit = Math.min(Number(query.get('limit') ?? 20), service.manner.limit ?? Infinity)
  const counts = new Map<number, number>()
  for (const tx of chain.zoneTxs) {
    const height = zoneHeight(chain, tx.at)
    counts.set(height, (counts.get(height) ?? 0) + 1)
  }
  const row = (height: number) => ({
    hash: hashOf('zone block', height),
    height: String(height),
    miner: chain.signer,
    blockTime: String(zoneTime(chain, height)),
    transactionCount: String(counts.get(height) ?? 0),
  })
  if (asked !== null) return Number(asked) <= head ? [row(Number(asked))] : []
  // Only the rows up to the page that is asked for are made: `wrap` takes that part.
  const all = Math.floor((view.zone - chain.genesisAt) / zoneBlockMs)
  const [from, to] = [limit * (page - 1), limit * page]
  const heightAt = (at: number) => (service.manner.isOldestFirst ? head - all + 1 + at : head - at)
  return Array.from({ length: all }, (_, at) => (at < from || at >= to ? {} : row(heightAt(at))))
}

/** An entry as the list has it by now. */
function present(view: View, entry: Entry): Entry {
  return (entry.changes ?? [])
    .filter(({ shownAt }) => shownAt <= view.list)
    .reduce<Entry>((known, change) => ({ ...known, ...change }), entry)
}

function crossRow(question: Question, first: Entry): Row | null {
  const { chain, view } = question
  const entry = present(view, first)
  if ((entry.writtenAt ?? 0) + entry.lagMs > view.list) return null
  const seen = (leg: Entry['main']) => (leg !== null && leg.at + entry.lagMs <= view.list ? leg : null)
  const [main, zone] = [seen(entry.main), seen(entry.zone)]
  const origin = entry.direction === 'MainToZone' ? main : zone
  const wanted = entry.direction === 'MainToZone' ? entry.main : entry.zone
  if ((wanted !== null && origin === null) || (main === null && zone === null)) return null
  const [mainWord, zoneWord] = question.service.words.direction
  const height = main && heightOf(chain, main, view.now)
  const isDeposit = entry.direction === 'MainToZone'
  const row: Row = {
    id: entry.id,
    txType: isDeposit ? `${mainWord}To${zoneWord}` : `${zoneWord}To${mainWord}`,
    crossType: entry.crossType,
    status: entry.status ?? '0x1',
    mainTxHash: main?.hash ?? '',
    mainBlockHeight: height === null ? '' : String(height),
    mainBlockTime: height === null ? '' : String(mainTime(chain, height)),
    zoneTxHash: zone?.hash ?? '',
    zoneBlockHeight: zone ? String(zoneHeight(chain, zone.at)) : '',
    zoneBlockTime: zone ? String(zoneTime(chain, zoneHeight(chain, zone.at))) : '',
    from: isDeposit ? entry.source : chain.signer,
    to: chain.bridge,
    sourceAddress: entry.source,
    targetAddress: entry.target,
    value: toUnits(entry.raw, entry.token.decimals),
    valueRaw: String(entry.raw),
    tokenContractAddress: entry.token.address,
    tokenType: entry.token.type === 'NATIVE' ? '' : entry.token.type,
    ...(entry.token.type === 'ERC1155' && { tokenId: entry.tokenId }),
    tokenName: entry.token.name,
  }
  const keys = isFilled(question, entry) ? [] : (entry.filledLate?.keys ?? [])
  return { ...row, ...Object.fromEntries(keys.map((key) => [key, ''])) }
}

function isFilled({ view }: Question, entry: Entry): boolean {
  return view.list >= newestOf(entry) + entry.lagMs + (entry.filledLate?.afterMs ?? 0)
}

const newestOf = ({ main, zone }: Entry) => Math.max(main?.at ?? 0, zone?.at ?? 0)

function crossList(question: Question): Row[] {
  const { query } = question
  const text = (name: string) => query.get(name)?.toLowerCase()
  const [txid, address, from, to] = ['txid', 'address', 'from', 'to'].map(text)
  const token = text('tokenContractAddress')
  const height = query.get('height')
  return question.chain.entries
    .toSorted((one, other) => orderOf(question, other) - orderOf(question, one))
    .map((entry) => crossRow(question, entry))
    .filter((row) => row !== null)
    .filter((row) => txid === undefined || row['mainTxHash'] === txid || row['zoneTxHash'] === txid)
    .filter(
      (row) =>
        address === undefined ||
        [row['from'], row['to'], row['sourceAddress'], row['targetAddress']].includes(address),
    )
    .filter((row) => from === undefined || row['from'] === from)
    .filter((row) => to === undefined || row['to'] === to)
    .filter((row) => token === undefined || row['tokenContractAddress'] === token)
    .filter((row) => height === null || row['zoneBlockHeight'] === height)
    .filter((row) => isWithin(query, Number(row['zoneBlockHeight'])))
}

const firstOf = (entry: Entry) =>
  (entry.direction === 'MainToZone' ? entry.main?.at : entry.zone?.at) ?? newestOf(entry)

function orderOf({ service: { manner }, view }: Question, entry: Entry): number {
  if (manner.order === undefined) return firstOf(entry)
  const legs = [entry.main, entry.zone].flatMap((leg) => (leg === null ? [] : leg.at + entry.lagMs))
  if (manner.order === 'indexed') return Math.max(entry.writtenAt ?? 0, Math.min(...legs))
  return Math.max(...legs.filter((at) => at <= view.list), ...changedAt(view, entry), 0)
}

function crossDetails(question: Question): Row[] {
  const hashes = listOf(question.query, 'txId')
  return question.chain.entries.flatMap((first) => {
    const row = crossRow(question, first)
    const entry = present(question.view, first)
    if (row === null || !hashes.includes(String(row['zoneTxHash']))) return []
    const legs = [entry.main, entry.zone].flatMap((leg) => leg?.at ?? [])
    const seen = legs.filter((at) => at + entry.lagMs <= question.view.list)
    const lateMs = entry.filledLate?.afterMs ?? 0
    return {
      ...row,
      zoneEventIndex: String(entry.eventIndex),
      zoneBlockHash: hashOf('zone block', Number(row['zoneBlockHeight'])),
      batchDetail: entry.batchDetail,
      updateTime: String(
        Math.max(
          Math.max(...seen) + entry.lagMs + (isFilled(question, entry) ? lateMs : 0),
          ...changedAt(question.view, first),
        ),
      ),
      blockHeight: String(row['mainBlockHeight']),
    }
  })
}

const changedAt = (view: View, { changes = [] }: Entry) =>
  changes.map(({ shownAt }) => shownAt).filter((at) => at <= view.list)

/** How this deployment spells things, and what its service does wrong. */
export interface Service {
  readonly words: {
    readonly path: readonly [main: string, zone: string]
    readonly field: readonly [main: string, zone: string]
    readonly direction: readonly [main: string, zone: string]
  }
  readonly manner: Manner
  /** Arrays and hashes are named as the samples have it. */
  readonly asSampled: boolean
  /** Addresses come in mixed case. */
  readonly mixedCase: boolean
  /** The share of answers that are throttled: plainly or in disguise. */
  readonly throttled: number
  /** By endpoint, how far behind it is, and when. */
  readonly lags: readonly { endpoint: string; from: number; until: number; byMs: number }[]
  /** What else is wrong with single endpoints and nodes. */
  readonly faults: readonly Fault[]
  /** Times in which the index of a chain, or the list, stands still. */
  readonly frozen: readonly { of: 'main' | 'zone' | 'list'; from: number; until: number }[]
}
