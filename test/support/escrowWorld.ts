import { findingText } from './readFinding.ts'
import { onTestFinished } from 'vitest'
import type { Finding } from '../../src/bridge/finding.ts'
import { Secret } from '../../src/lib/secret.ts'
import {
  type BridgeWorld,
  type BridgeWorldOptions,
  createBridgeWorld,
  escrow,
  token,
  user,
} from './bridgeWorld.ts'
import { send, toWire, type WireRecord } from './fakeExplorer.ts'
import type { FakeMainTransaction, FakeMove } from './fakeMainChain.ts'
import { answerEach, startRpcStub, type StubCall } from './rpcStub.ts'

export const bridge = `0x${'b1'.repeat(20)}`

/** Something that holds now. */
interface Condition {
  readonly kind: string
  readonly severity: string
  readonly state: string
  readonly facts: Finding['facts']
}

type Transaction = Omit<FakeMainTransaction, 'hash'>

/** One deposit with all that belongs to it; each part may say otherwise than the others. */
interface FakeDeposit {
  /** Token units. */
  readonly amount: string
  readonly token?: string
  readonly decimals?: number
  readonly tokenId?: string
  /** What the main transaction moves, in place of the amount from the user to the escrow. */
  readonly main?: Transaction
  /** What differs in the record; null: there is none. */
  readonly record?: WireRecord | null
  /** Words of the bridge's event in the data, as numbers; it has none when left out. */
  readonly event?: readonly (bigint | string)[]
  readonly zone?: WireRecord
}

/** A bridge world whose main chain shows what moved at every address, and what each holds. */
export interface EscrowWorld extends BridgeWorld {
  /** A main transaction of now. @returns its hash */
  readonly transact: (transaction: Transaction) => string
  readonly deposit: (n: number, deposit: FakeDeposit) => WireRecord
  /** An event of the bridge's contract. */
  readonly emit: (hash: string, topic: string, words: readonly (bigint | string)[]) => void
  readonly conditions: () => Condition[]
}

export interface EscrowWorldOptions extends Omit<BridgeWorldOptions, 'prepare'> {
  /** What was there before the first block, by address and token, base units; a node tells of it when it is given. */
  readonly balances?: Readonly<Record<string, Readonly<Record<string, bigint>>>>
  /** How many blocks that node is behind, whenever it is asked. */
  readonly nodeBehind?: () => number
  /** Hashes of what the blocks do not hold that this node shows. */
  readonly nodeLacks?: () => readonly string[]
  readonly prepare?: (world: Omit<EscrowWorld, 'monitor' | 'told' | 'conditions'>) => void
}

export const depositTopic = `0x${'de'.repeat(32)}`

const poll = {
  transfers: '*/5 * * * * *',
  openTransfers: '*/10 * * * * *',
  evidence: '*/10 * * * * *',
  challenges: '0 * * * * *',
  heads: '*/10 * * * * *',
  contracts: '*/10 * * * * *',
  escrows: '*/15 * * * * *',
  audit: '0 17 * * * *',
  sweepMs: 86_400_000,
}

export async function createEscrowWorld(options: EscrowWorldOptions): Promise<EscrowWorld> {
  const { balances, nodeBehind = () => 0, nodeLacks = () => [], prepare, ...rest } = options
  const made: Partial<ReturnType<typeof addMoney>> = {}
  const node =
    balances && (await startNode(balances, () => made.view, { behind: nodeBehind, lacks: nodeLacks }))
  const world = await createBridgeWorld({
    ...rest,
    bridge: {
      contracts: [bridge],
      escrows: [{ address: escrow, token, baseline: null }],
      ...rest.bridge,
    },
    config: {
      poll,
      ...(node && {
        canonical: { url: new Secret(node.url), verifyAbove: '1000000000000', sample: 0, confirmations: 3 },
      }),
      ...rest.config,
    },
    prepare(bare) {
      const money = addMoney(bare)
      Object.assign(made, money)
      prepare?.({ ...bare, ...money.actions })
    },
  })
  if (node) onTestFinished(() => node[Symbol.asyncDispose]())
  // Filled by `prepare`, which is always called.
  const { actions } = made as ReturnType<typeof addMoney>
  const conditions = () =>
    world.monitor.app.parts.db
      .prepare("SELECT kind, severity, state, finding FROM alerts WHERE nature = 'condition' ORDER BY id")
      .all()
      .map(
        (row): Condition => ({
          kind: String(row['kind']),
          severity: String(row['severity']),
          state: String(row['state']),
          facts: (JSON.parse(findingText(row['finding'])) as Finding).facts,
        }),
      )
  return { ...world, ...actions, conditions }
}

type BareWorld = Parameters<NonNullable<BridgeWorldOptions['prepare']>>[0]

interface ChainView {
  readonly head: () => number
  readonly now: () => number
  readonly transactions: () => readonly FakeMainTransaction[]
}

function addMoney(bare: BareWorld) {
  const { fake, chain } = bare
  let count = 0
  const before = fake.intercept
  fake.intercept = (request, response) => {
    const rows = listAt(chain.transactions.values(), request.path, request.query)
    if (rows !== null) {
      send(response, 200, { code: '0', msg: '', data: rows })
      return true
    }
    if (!request.path.endsWith('/log/by-transaction')) return before(request, response)
    const own = fake.logs.filter(({ txId }) => txId === request.query.get('txId'))
    const others = chain.answer(request)
    send(response, 200, { code: '0', msg: '', data: [...(Array.isArray(others) ? others : []), ...own] })
    return true
  }
  const transact = (transaction: Transaction) => {
    count += 1
    const hash = `0x${count.toString(16).padStart(60, '0').padStart(64, 'f')}`
    bare.main(hash, { height: fake.mainHead(), time: bare.now(), ...transaction })
    return hash
  }
  const emit = (hash: string, topic: string, words: readonly (bigint | string)[]) => {
    const { height = 0, time = 0 } = chain.transactions.get(hash) ?? {}
    fake.logs.push({
      height: String(height),
      address: bridge,
      topics: [topic],
      data: `0x${words.map(toWord).join('')}`,
      txId: hash,
      transactionTime: String(time),
      logIndex: String(900 + fake.logs.length),
    })
  }
  const deposit = (n: number, of: FakeDeposit): WireRecord => {
    const { amount, token: address = token, decimals = 6, tokenId = '' } = of
    const moves: FakeMove[] = [
      { token: address, from: user(n), to: escrow, amount, decimals, ...(tokenId !== '' && { tokenId }) },
    ]
    const native = { value: amount, from: user(n), to: escrow }
    const hash = transact(of.main ?? (address === '' ? native : { moves }))
    if (of.event) emit(hash, depositTopic, of.event)
    const record = toWire(
      {
        txType: 'MainToZone',
        crossType: 'Deposit',
        mainTxHash: hash,
        mainBlockHeight: String(fake.mainHead()),
        mainBlockTime: String(bare.now()),
        zoneBlockTime: String(bare.now()),
        zoneBlockHeight: String(fake.zoneHead()),
        sourceAddress: user(n),
        targetAddress: user(n),
        value: amount,
        valueRaw: toRaw(amount, decimals).toString(),
        tokenContractAddress: address,
        tokenId,
        tokenType: tokenId === '' ? (address === '' ? '' : 'ERC20') : 'ERC1155',
        ...of.record,
      },
      `d${n}-${count}`,
    )
    const { zoneTxHash = '', value = '', valueRaw = '' } = record
    bare.zone(zoneTxHash, {
      actionType: 'deposit',
      blockTime: String(bare.now()),
      value,
      valueRaw,
      ...of.zone,
    })
    if (of.record !== null) fake.records.unshift(record)
    return record
  }
  return {
    actions: { ...bare, transact, emit, deposit },
    view: { head: fake.mainHead, now: bare.now, transactions: () => [...chain.transactions.values()] },
  }
}

function toWord(value: bigint | string): string {
  return (typeof value === 'bigint' ? value.toString(16) : value.replace('0x', '')).padStart(64, '0')
}

export function toRaw(amount: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = amount.split('.')
  return BigInt(`${whole}${fraction.padEnd(decimals, '0')}`)
}

type WireRow = Record<'from' | 'to' | 'tokenContractAddress', string> & Record<string, string | boolean>

/** E6 and E8: what moved at one address. Null for other questions. */
function listAt(transactions: Iterable<FakeMainTransaction>, path: string, query: URLSearchParams) {
  const isInternal = path.endsWith('/address/internal-transaction-list')
  if (!isInternal && !path.endsWith('/address/transaction-list')) return null
  const address = query.get('address') ?? ''
  const kind = isInternal ? 'internal' : (query.get('protocolType') ?? 'transaction')
  const [first, last] = [query.get('startBlockHeight') ?? 0, query.get('endBlockHeight') ?? Infinity]
  const rows = [...transactions]
    .filter(({ height = 0 }) => height >= Number(first) && height <= Number(last))
    .sort((a, b) => (b.height ?? 0) - (a.height ?? 0))
    .flatMap((one) => toRows(one, kind))
    .filter(({ from, to }) => from === address || to === address)
    .filter(({ tokenContractAddress }) =>
      [tokenContractAddress, null].includes(query.get('tokenContractAddress')),
    )
  const limit = Number(query.get('limit') ?? 20)
  const page = Number(query.get('page') ?? 1)
  return [
    {
      page: String(page),
      limit: String(limit),
      totalPage: String(Math.ceil(rows.length / limit)),
      chainFullName: 'Main',
      chainShortName: 'MAINCHAIN',
      [isInternal ? 'transactionList' : 'transactionLists']: rows.slice((page - 1) * limit, page * limit),
    },
  ]
}

function toRows(transaction: FakeMainTransaction, kind: string): WireRow[] {
  const { hash, height = 0, time = 0, value, moves = [], calls = [], fee = '0' } = transaction
  const common = {
    txId: hash,
    methodId: '0x01',
    blockHash: `0x${height.toString(16)}`,
    height: String(height),
    transactionTime: String(time),
    isFromContract: false,
    isToContract: true,
    state: 'success',
    tokenContractAddress: '',
    tokenId: '',
    txFee: fee,
    challengeStatus: '',
    l1OriginHash: '',
  }
  if (kind === 'internal')
    return calls.map((call) => ({ ...common, operation: 'call', symbol: 'NAT', ...call }))
  if (kind === 'transaction') {
    const { from = '', to = '' } = transaction
    const state = transaction.isFailed === true ? 'fail' : 'success'
    return [{ ...common, state, from, to, amount: value ?? '0', transactionSymbol: 'NAT' }]
  }
  return moves
    .filter((move) => kindOf(move) === kind)
    .map(({ token: tokenContractAddress, from, to, amount, tokenId = '' }) => ({
      ...common,
      from,
      to,
      amount,
      tokenId,
      tokenContractAddress,
      transactionSymbol: 'TOK',
    }))
}

function kindOf({ tokenId = '', standard }: FakeMove): string {
  if (tokenId === '') return 'token_20'
  return standard === 'ERC721' ? 'token_721' : 'token_1155'
}

/** A node that knows what everybody holds at every block. */
function startNode(
  balances: NonNullable<EscrowWorldOptions['balances']>,
  view: () => ChainView | undefined,
  { behind, lacks }: { readonly behind: () => number; readonly lacks: () => readonly string[] },
) {
  const hex = (value: bigint | number) => `0x${value.toString(16)}`
  const head = () => (view()?.head() ?? 0) - behind()
  const heightOf = (block: unknown) =>
    typeof block === 'string' && block.startsWith('0x') ? Number(block) : head()
  const held = (address: string, of: string, block: unknown) => {
    const changes = (view()?.transactions() ?? [])
      .filter(({ height = 0, hash }) => height <= heightOf(block) && !lacks().includes(hash))
      .flatMap((one) => changesOf(one, of))
    const known = balances[address]?.[of] ?? 0n
    return changes.reduce(
      (sum, { from, to, raw }) => sum + (to === address ? raw : 0n) - (from === address ? raw : 0n),
      known,
    )
  }
  const answer = ({ method, params }: StubCall): Record<string, unknown> => {
    if (method === 'eth_blockNumber') return { result: hex(head()) }
    const of = method === 'eth_getBlockByNumber' ? params[0] : params[1]
    if (heightOf(of) > head()) return { result: null }
    if (method === 'eth_getBalance') return { result: hex(held(String(params[0]), '', params[1])) }
    if (method === 'eth_call') {
      const { to, data } = params[0] as { readonly to: string; readonly data: string }
      const raw = held(`0x${data.slice(34)}`, to, params[1])
      return { result: `0x${raw.toString(16).padStart(64, '0')}` }
    }
    if (method === 'eth_getBlockByNumber') {
      const height = heightOf(params[0])
      const hash = hex(height).replace('0x', '').padStart(64, '0')
      const madeAt = (view()?.now() ?? 0) / 1_000 - ((view()?.head() ?? 0) - height)
      const timestamp = hex(Math.floor(madeAt))
      return { result: { number: hex(height), hash: `0x${hash}`, timestamp, transactions: [] } }
    }
    return { result: null }
  }
  return startRpcStub((body) => answerEach(body, answer))
}

function changesOf(transaction: FakeMainTransaction, of: string) {
  const { value, from = '', to = '', moves = [], unlisted = [], calls = [] } = transaction
  const tokens = [...moves, ...unlisted]
    .filter((move) => move.token === of)
    .map((move) => ({
      from: move.from,
      to: move.to,
      raw: move.tokenId === undefined ? toRaw(move.amount, move.decimals ?? 6) : BigInt(move.amount),
    }))
  if (of !== '') return tokens
  const own = value === undefined || transaction.isFailed === true ? [] : [{ from, to, amount: value }]
  const paid = transaction.fee === undefined ? [] : [{ from, to: '', amount: transaction.fee }]
  return [...own, ...paid, ...calls].map((one) => ({
    from: one.from,
    to: one.to,
    raw: toRaw(one.amount, 18),
  }))
}

/** What is said to have left, or to be missing, and how much. */
export function listLosses({ conditions }: Pick<EscrowWorld, 'conditions'>): string[] {
  return conditions()
    .filter(({ kind }) => kind === 'escrow.drift' || kind === 'escrow.shortfall')
    .map(({ kind, facts }) => `${kind} ${String(facts['amount'] ?? facts['missing'])}`)
}
