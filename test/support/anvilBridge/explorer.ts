import { decodeFunctionData, formatUnits } from 'viem'
import { type Crossing, type Deployed, listCrossings } from './crossings.ts'
import {
  callsOfAddress,
  callsOfTransactions,
  listOf,
  logs,
  lower,
  mainBlock,
  ofAddresses,
  ofBlocks,
  type Question,
  type Row,
  tokenTransfers,
  transfersOf,
  verifiedContract,
} from './mainRows.ts'
import type { MinedBlock } from './node.ts'

interface Endpoint {
  readonly shape: 'A' | 'B' | 'C'
  /** The record array of shape A. */
  readonly array?: string
  /** null is a block beyond the head. */
  readonly rows: (question: Question) => readonly Row[] | null
}

const endpoints: Readonly<Record<string, Endpoint>> = {
  'token/transaction-list': { shape: 'A', array: 'transactionList', rows: tokenTransfers },
  'transaction/token-transaction-detail': { shape: 'A', array: 'tokenTransferDetails', rows: transfersOf },
  'transaction/token-transfer-multi': { shape: 'A', array: 'tokenTransferDetails', rows: transfersOf },
  'address/transaction-list': { shape: 'A', array: 'transactionLists', rows: ofAddresses },
  'address/normal-transaction-list-multi': { shape: 'A', array: 'transactionList', rows: ofAddresses },
  'address/internal-transaction-list': { shape: 'A', array: 'transactionList', rows: callsOfAddress },
  'block/transaction-list-multi': { shape: 'A', array: 'transactionList', rows: ofBlocks },
  'block/block-fills': { shape: 'C', rows: mainBlock },
  'transaction/internal-transaction-multi': {
    shape: 'A',
    array: 'internalTransactionDetails',
    rows: callsOfTransactions,
  },
  'transaction/internal-transaction-detail': {
    shape: 'A',
    array: 'internalTransactionDetails',
    rows: callsOfTransactions,
  },
  'contract/verify-contract-info': { shape: 'C', rows: verifiedContract },
  'log/by-address-and-topic': { shape: 'C', rows: logs },
  'log/by-block-and-address': { shape: 'C', rows: logs },
  'log/by-address': { shape: 'C', rows: logs },
  'log/by-transaction': { shape: 'C', rows: logs },
  'zone/cross/transaction-list': { shape: 'B', rows: crossList },
  'zone/cross/transaction-multi': { shape: 'C', rows: crossDetails },
  'zone/block/block-list': { shape: 'B', rows: zoneBlocks },
  'zone/block/transaction-list': { shape: 'B', rows: zoneBlockTransactions },
  'zone/transaction/transaction-multi': { shape: 'C', rows: zoneTransactions },
  'zone/transaction/transaction-fills': { shape: 'C', rows: zoneTransactions },
}

/** The explorer API over what two real nodes hold: an indexer of blocks, receipts, traces and the bridge's own events. */
export function answerFrom(of: Deployed, url: URL): { readonly status: number; readonly body: object } {
  const endpoint = endpoints[url.pathname.replace('/api/v5/chain/', '')]
  if (!endpoint) return { status: 404, body: { code: '404', msg: 'no such path', data: [] } }
  const rows = endpoint.rows({ of, query: url.searchParams })
  if (rows === null) return { status: 200, body: { code: '50040', msg: 'no such block', data: [] } }
  return { status: 200, body: { code: '0', msg: '', data: wrap(endpoint, rows, url.searchParams) } }
}

function wrap({ shape, array }: Endpoint, rows: readonly Row[], query: URLSearchParams): readonly Row[] {
  if (shape === 'C') return rows
  const [page, limit] = [Number(query.get('page') ?? 1), Math.min(Number(query.get('limit') ?? 20), 100)]
  const totalPage = Math.ceil(rows.length / limit)
  const paging = { page: String(page), limit: String(limit), totalPage: String(totalPage) }
  const part = rows.slice((page - 1) * limit, page * limit)
  if (shape === 'B') return [{ ...paging, total: String(rows.length), data: part }]
  const chain = { chainFullName: 'Main chain', chainShortName: 'MAINCHAIN' }
  return [{ ...paging, ...chain, [array ?? 'transactionList']: part }]
}

function crossRow({ of }: Question, { origin, destination, ...crossing }: Crossing): Row {
  const isDeposit = crossing.direction === 'MainToZone'
  const [main, zone] = isDeposit ? [origin, destination] : [destination, origin]
  const first = origin ?? destination
  return {
    id: '',
    txType: crossing.direction,
    crossType: isDeposit ? 'Deposit' : 'Withdraw',
    status: '0x1',
    mainTxHash: main?.hash ?? '',
    mainBlockHeight: main?.height ?? '',
    mainBlockTime: main?.time ?? '',
    zoneTxHash: zone?.hash ?? '',
    zoneBlockHeight: zone?.height ?? '',
    zoneBlockTime: zone?.time ?? '',
    from: first?.signer ?? '',
    to: lower(isDeposit ? of.main.escrow.address : of.zone.bridge.address),
    sourceAddress: crossing.from,
    targetAddress: crossing.to,
    value: formatUnits(crossing.amount, 6),
    valueRaw: String(crossing.amount),
    tokenContractAddress: lower(of.main.token.address),
    tokenType: 'ERC20',
    tokenName: 'Test dollar',
  }
}

function crossList(question: Question): Row[] {
  const { of, query } = question
  const has = (name: string, values: readonly unknown[]) =>
    !query.has(name) || values.includes(lower(query.get(name)))
  const [first, last] = [query.get('startBlockHeight') ?? 0, query.get('endBlockHeight') ?? Infinity]
  return listCrossings(of)
    .map((crossing) => crossRow(question, crossing))
    .filter((row) => has('txid', [row['mainTxHash'], row['zoneTxHash']]))
    .filter((row) => has('height', [row['zoneBlockHeight']]))
    .filter(
      ({ zoneBlockHeight }) =>
        !query.has('startBlockHeight') ||
        (Number(zoneBlockHeight) >= Number(first) && Number(zoneBlockHeight) <= Number(last)),
    )
    .filter((row) => has('address', [row['from'], row['to'], row['sourceAddress'], row['targetAddress']]))
    .filter((row) => has('from', [row['from'], row['sourceAddress']]))
    .filter((row) => has('to', [row['to'], row['targetAddress']]))
    .filter((row) => has('tokenContractAddress', [row['tokenContractAddress']]))
}

function crossDetails(question: Question): Row[] {
  const asked = listOf(question.query, 'txId')
  return listCrossings(question.of).flatMap((crossing) => {
    const row = crossRow(question, crossing)
    const zone = crossing.direction === 'MainToZone' ? crossing.destination : crossing.origin
    if (!zone || !asked.includes(zone.hash)) return []
    return {
      ...row,
      zoneEventIndex: zone.logIndex,
      zoneBlockHash: zone.blockHash,
      batchDetail: '',
      updateTime: crossing.destination?.time ?? zone.time,
      blockHeight: row['mainBlockHeight'],
    }
  })
}

function zoneBlocks({ of, query }: Question): Row[] {
  return of.zone.node.blocks
    .filter(({ block }) => !query.has('height') || String(block.number) === query.get('height'))
    .map(({ block, timeMs, transactions }) => ({
      hash: block.hash,
      height: String(block.number),
      miner: block.miner,
      blockTime: String(timeMs),
      transactionCount: String(transactions.length),
    }))
    .toReversed()
}

function zoneRows({ of }: Question, { block, timeMs, transactions }: MinedBlock) {
  return transactions.map(({ sent, receipt }) => {
    const contract = of.zone.contracts.find(({ address }) => lower(address) === lower(sent.to))
    const { name, inputs } = contract ? decode(contract.abi, sent.input) : { name: '', inputs: {} }
    const amount = inputs['amount']
    return {
      hash: sent.hash,
      blockHeight: String(block.number),
      blockHash: block.hash,
      blockTime: String(timeMs),
      status: receipt.status === 'success' ? '0x1' : '0x0',
      from: lower(sent.from),
      actionType: name || 'deploy',
      index: String(receipt.transactionIndex),
      value: amount === undefined ? '' : formatUnits(BigInt(amount), 6),
      valueRaw: amount ?? '',
      nonce: String(sent.nonce),
      actionData: JSON.stringify({ type: name, contract: lower(sent.to), ...inputs }),
      errorMessage: receipt.status === 'success' ? '' : 'reverted',
      tokenTransferCount: String(receipt.logs.length),
      eventCount: String(receipt.logs.length),
    }
  })
}

function decode(abi: Deployed['main']['token']['abi'], data: `0x${string}`) {
  const { functionName, args = [] } = decodeFunctionData({ abi, data })
  const found = abi.find((one) => one.type === 'function' && one.name === functionName)
  const names = found?.type === 'function' ? found.inputs.map(({ name }) => name ?? '') : []
  const inputs: Record<string, string> = {}
  for (const [at, name] of names.entries()) inputs[name] = lower(String(args[at]))
  return { name: functionName, inputs }
}

function zoneBlockTransactions(question: Question): Row[] {
  return question.of.zone.node.blocks
    .filter(({ block }) => String(block.number) === question.query.get('height'))
    .flatMap((block) => zoneRows(question, block))
}

function zoneTransactions(question: Question): Row[] {
  const asked = listOf(question.query, 'txId', 'txid')
  return question.of.zone.node.blocks
    .flatMap((block) => zoneRows(question, block))
    .filter(({ hash }) => asked.includes(hash))
}
