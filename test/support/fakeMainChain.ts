import type { FakeRequest } from './fakeExplorer.ts'

/** One movement of a token; `amount` in token units. */
export interface FakeMove {
  readonly token: string
  readonly from: string
  readonly to: string
  readonly amount: string
  /** 6 when left out, 0 of tokens with ids. */
  readonly decimals?: number
  readonly tokenId?: string
  /** Of tokens with ids: ERC-1155 when left out. */
  readonly standard?: 'ERC721'
}

/** A main transaction as a chain holds it. */
export interface FakeMainTransaction {
  readonly hash: string
  readonly height?: number
  /** Block time; a minute ago when left out. */
  readonly time?: number
  readonly from?: string
  readonly to?: string
  /** Native units that it carried itself. */
  readonly value?: string
  readonly moves?: readonly FakeMove[]
  /** What changed balances and no list shows. */
  readonly unlisted?: readonly FakeMove[]
  /** Native payments by calls within it. */
  readonly calls?: readonly {
    readonly from: string
    readonly to: string
    readonly amount: string
    /** It went back, while the transaction itself may have gone on. */
    readonly state?: 'fail'
  }[]
  /** It took place and moved nothing. */
  readonly isFailed?: boolean
  /** What it cost its sender, native units; nothing when left out. */
  readonly fee?: string
}

export interface FakeMainChain {
  readonly transactions: Map<string, FakeMainTransaction>
  /** Arrays under the names of the sample responses in place of the documented ones. */
  spelling: 'documented' | 'sample'
  /** What an endpoint gives; undefined for what it does not know. */
  answer(request: FakeRequest): unknown
}

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const defaultHeight = 9_000

/** E2, E7, E13, E15, E16 and E21 of a chain that tests write by hand. */
export function createFakeMainChain(): FakeMainChain {
  const transactions = new Map<string, FakeMainTransaction>()
  const chain: FakeMainChain = {
    transactions,
    spelling: 'documented',
    answer: (request) => answer(chain, request),
  }
  return chain
}

function answer(chain: FakeMainChain, { path, query }: FakeRequest): unknown {
  const hashes = (query.get('txId') ?? '').split(',')
  const asked = hashes.flatMap((hash) => chain.transactions.get(hash) ?? [])
  const isDocumented = chain.spelling === 'documented'
  const details = isDocumented ? 'tokenTransferDetails' : 'transactionList'
  if (path.endsWith('/transaction/token-transfer-multi')) return list(details, asked.flatMap(toMoves))
  if (path.endsWith('/transaction/token-transaction-detail'))
    return list('tokenTransferDetails', asked.flatMap(toMoves))
  if (path.endsWith('/transaction/internal-transaction-multi'))
    return list(isDocumented ? 'internalTransactionDetails' : 'transactionList', asked.flatMap(toCallsOfMany))
  if (path.endsWith('/transaction/internal-transaction-detail'))
    return list('internalTransactionDetails', asked.flatMap(toCalls))
  if (path.endsWith('/log/by-transaction')) return asked.flatMap(toLogs)
  if (path.endsWith('/block/transaction-list-multi')) {
    const height = Number(query.get('startBlockHeight'))
    const inBlock = [...chain.transactions.values()].filter((one) => (one.height ?? defaultHeight) === height)
    return list('transactionList', inBlock.map(toTransaction))
  }
  return undefined
}

function list(name: string, rows: readonly unknown[]) {
  return [
    {
      page: '1',
      limit: '100',
      totalPage: '1',
      chainFullName: 'Main',
      chainShortName: 'MAINCHAIN',
      [name]: rows,
    },
  ]
}

function common({ hash, height = defaultHeight, time = Date.now() - 60_000 }: FakeMainTransaction) {
  return {
    txId: hash,
    blockHash: '0xb0',
    height: String(height),
    transactionTime: String(time),
    isFromContract: false,
    isToContract: true,
  }
}

function toMoves(transaction: FakeMainTransaction) {
  return (transaction.moves ?? []).map(({ token, from, to, amount, tokenId = '' }) => ({
    ...common(transaction),
    from,
    to,
    tokenContractAddress: token,
    amount,
    tokenId,
    symbol: 'TOK',
  }))
}

function toCalls(transaction: FakeMainTransaction) {
  const { calls = [], isFailed = false } = transaction
  return toCallsOfMany(transaction).map((row, at) => ({
    ...row,
    state: calls[at]?.state ?? (isFailed ? 'fail' : 'success'),
  }))
}

/** E15 does not say which failed. */
function toCallsOfMany(transaction: FakeMainTransaction) {
  return (transaction.calls ?? []).map(({ from, to, amount }) => ({
    ...common(transaction),
    operation: 'call',
    from,
    to,
    amount,
  }))
}

function toTransaction(transaction: FakeMainTransaction) {
  const {
    from = '0x00000000000000000000000000000000000000f0',
    to = '0x00000000000000000000000000000000000000b1',
  } = transaction
  return {
    ...common(transaction),
    from,
    to,
    amount: transaction.value ?? '0',
    transactionSymbol: 'ETH',
    txFee: '0.001',
    state: transaction.isFailed === true ? 'fail' : 'success',
    tokenContractAddress: '',
    tokenId: '',
    methodId: '0x01',
  }
}

function toLogs(transaction: FakeMainTransaction) {
  const { height = defaultHeight, time = Date.now() - 60_000 } = transaction
  return (transaction.moves ?? []).map((move, index) => ({
    height: String(height),
    address: move.token,
    ...toEvent(move),
    blockHash: '0xb0',
    methodId: '',
    transactionTime: String(time),
    logIndex: String(index),
    txId: transaction.hash,
  }))
}

const transferSingleTopic = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'

function toEvent(move: FakeMove) {
  const { from, to, amount, tokenId = '', standard } = move
  const { decimals = tokenId === '' ? 6 : 0 } = move
  const word = (text: string) => `0x${text.replace('0x', '').padStart(64, '0')}`
  const number = (value: bigint) => word(value.toString(16))
  if (tokenId === '')
    return { topics: [transferTopic, word(from), word(to)], data: number(toBase(amount, decimals)) }
  const id = number(BigInt(tokenId))
  if (standard === 'ERC721') return { topics: [transferTopic, word(from), word(to), id], data: '0x' }
  return {
    topics: [transferSingleTopic, word(from), word(from), word(to)],
    data: `${id}${number(toBase(amount, decimals)).slice(2)}`,
  }
}

function toBase(amount: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = amount.split('.')
  return BigInt(`${whole}${fraction.padEnd(decimals, '0')}`)
}
