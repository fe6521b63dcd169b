import { formatUnits, type Log, parseEventLogs, type TransactionReceipt } from 'viem'
import { source } from './compile.ts'
import { type Deployed, readEvents } from './crossings.ts'
import type { MinedBlock, MinedTransaction } from './node.ts'

export type Row = Record<string, unknown>

export interface Question {
  readonly of: Deployed
  readonly query: URLSearchParams
}

export const lower = (text: string | null | undefined) => (text ?? '').toLowerCase()
export const listOf = (query: URLSearchParams, ...names: readonly string[]) =>
  names.flatMap((name) => query.get(name)?.toLowerCase().split(',') ?? [])

function isWithin({ block }: MinedBlock, query: URLSearchParams): boolean {
  const [first, last] = [query.get('startBlockHeight') ?? 0, query.get('endBlockHeight') ?? Infinity]
  return block.number >= Number(first) && Number(block.number) <= Number(last)
}

/** Of the main chain, in the range that is asked for, newest first. */
function mainTransactions({ of, query }: Question): { block: MinedBlock; mined: MinedTransaction }[] {
  return of.main.node.blocks
    .filter((block) => isWithin(block, query))
    .flatMap((block) => block.transactions.map((mined) => ({ block, mined })))
    .toReversed()
}

type Placed = ReturnType<typeof mainTransactions>[number]

const place = ({ block, mined }: Placed) => ({
  txId: mined.sent.hash,
  blockHash: block.block.hash,
  height: String(block.block.number),
  transactionTime: String(block.timeMs),
})

function parties({ of }: Question, from: string, to: string | null | undefined) {
  const isContract = (address: string) => of.main.contracts.some((one) => lower(one.address) === address)
  const [sender, receiver] = [lower(from), lower(to)]
  return {
    from: sender,
    to: receiver,
    isFromContract: isContract(sender),
    isToContract: isContract(receiver),
  }
}

const stateOf = ({ status }: TransactionReceipt) => (status === 'success' ? 'success' : 'fail')

/** The transaction itself, with what the lists of all kinds say of it. */
function ownRow(question: Question, placed: Placed): Row {
  const { sent, receipt } = placed.mined
  return {
    ...place(placed),
    ...parties(question, sent.from, sent.to ?? receipt.contractAddress),
    methodId: sent.input.slice(0, 10),
    nonce: String(sent.nonce),
    amount: formatUnits(sent.value, 18),
    symbol: 'COIN',
    transactionSymbol: 'COIN',
    txFee: formatUnits(receipt.gasUsed * receipt.effectiveGasPrice, 18),
    gasLimit: String(sent.gas),
    gasUsed: String(receipt.gasUsed),
    gasPrice: String(receipt.effectiveGasPrice),
    transactionType: String(Number(sent.typeHex ?? 0)),
    state: stateOf(receipt),
    tokenId: '',
    tokenContractAddress: '',
    challengeStatus: '',
    l1OriginHash: '',
  }
}

/** A row for each movement of a token in the transaction. */
function moveRows(question: Question, placed: Placed): Row[] {
  const { token } = question.of.main
  const transfers = parseEventLogs({
    abi: token.abi,
    eventName: 'Transfer',
    logs: placed.mined.receipt.logs.filter(({ address }) => lower(address) === lower(token.address)),
  })
  return transfers.map((log) => {
    // The token's ABI, which is known only when it runs.
    const { from, to, value } = (log as unknown as { args: { from: string; to: string; value: bigint } }).args
    return {
      ...ownRow(question, placed),
      ...parties(question, from, to),
      amount: formatUnits(value, 6),
      symbol: 'USDX',
      transactionSymbol: 'USDX',
      tokenContractAddress: lower(token.address),
      protocolType: 'ERC20',
    }
  })
}

function callRows(question: Question, placed: Placed): Row[] {
  return placed.mined.calls.map(({ from, to, value, operation }) => ({
    ...place(placed),
    ...parties(question, from, to),
    operation,
    amount: formatUnits(value, 18),
    state: stateOf(placed.mined.receipt),
    symbol: 'COIN',
  }))
}

export function tokenTransfers(question: Question): Row[] {
  const token = lower(question.query.get('tokenContractAddress'))
  return mainTransactions(question)
    .flatMap((placed) => moveRows(question, placed))
    .filter((row) => row['tokenContractAddress'] === token)
}

const isAskedFor = ({ query }: Question, { mined }: Placed) =>
  listOf(query, 'txId').includes(lower(mined.sent.hash))

export function transfersOf(question: Question): Row[] {
  return mainTransactions(question)
    .filter((placed) => isAskedFor(question, placed))
    .flatMap((placed) => moveRows(question, placed))
}

export function callsOfTransactions(question: Question): Row[] {
  return mainTransactions(question)
    .filter((placed) => isAskedFor(question, placed))
    .flatMap((placed) => callRows(question, placed))
}

function listRows(question: Question, placed: Placed): Row[] {
  const kind = question.query.get('protocolType') ?? 'transaction'
  if (kind === 'transaction') return [ownRow(question, placed)]
  if (kind === 'token_20') return moveRows(question, placed)
  return kind === 'internal' ? callRows(question, placed) : []
}

export function ofBlocks(question: Question): Row[] {
  return mainTransactions(question).flatMap((placed) => listRows(question, placed))
}

export function ofAddresses(question: Question): Row[] {
  return ofBlocks(question)
    .filter((row) => concerns(question, row))
    .filter(({ tokenContractAddress }) => {
      const token = question.query.get('tokenContractAddress')
      return token === null || tokenContractAddress === lower(token)
    })
}

export function callsOfAddress(question: Question): Row[] {
  return mainTransactions(question)
    .flatMap((placed) => callRows(question, placed))
    .filter((row) => concerns(question, row))
}

function concerns({ query }: Question, row: Row): boolean {
  const asked = listOf(query, 'address')
  const side = query.get('isFromOrTo')
  const isFrom = side !== 'to' && asked.includes(String(row['from']))
  return isFrom || (side !== 'from' && asked.includes(String(row['to'])))
}

export function logs(question: Question): Row[] {
  const { query } = question
  const [address, topic, hash] = ['address', 'topic0', 'txId'].map((name) => query.get(name)?.toLowerCase())
  const isAsked = (log: Log) =>
    (address === undefined || lower(log.address) === address) &&
    (topic === undefined || log.topics[0] === topic) &&
    (hash === undefined || log.transactionHash === hash)
  return mainTransactions(question)
    .toReversed()
    .flatMap((placed) =>
      placed.mined.receipt.logs.filter(isAsked).map((log) => ({
        ...place(placed),
        address: lower(log.address),
        topics: log.topics,
        data: log.data,
        methodId: placed.mined.sent.input.slice(0, 10),
        logIndex: String(log.logIndex),
      })),
    )
}

export function mainBlock({ of, query }: Question): Row[] | null {
  const { blocks } = of.main.node
  const height = Number(query.get('height'))
  if (height > Number(blocks.at(-1)?.block.number)) return null
  return blocks
    .filter(({ block }) => Number(block.number) === height)
    .map(({ block, timeMs, transactions }) => ({
      chainFullName: 'Main chain',
      chainShortName: 'MAINCHAIN',
      hash: block.hash,
      height: String(height),
      validator: '',
      blockTime: String(timeMs),
      amount: '0',
      txnCount: String(transactions.length),
      txnInternal: String(transactions.flatMap(({ calls }) => calls).length),
      blockSize: String(block.size),
      mineReward: '0',
      totalFee: '0',
      feeSymbol: 'COIN',
      ommerBlock: '0',
      merkleRootHash: block.transactionsRoot,
      gasUsed: String(block.gasUsed),
      gasLimit: String(block.gasLimit),
      gasAvgPrice: '0',
      state: '',
      burnt: '0',
      miner: block.miner,
      difficulty: String(block.difficulty),
      nonce: block.nonce,
      confirm: String((blocks.at(-1)?.block.number ?? block.number) - block.number),
      tips: '0',
      baseFeePerGas: formatUnits(block.baseFeePerGas ?? 0n, 18),
    }))
}

export function verifiedContract({ of, query }: Question): Row[] {
  const asked = lower(query.get('contractAddress'))
  const { node, escrow } = of.main
  const upgrade = asked === lower(escrow.address) ? readEvents(node, escrow, 'Upgraded').at(-1) : undefined
  const implementation = lower(upgrade?.args.implementation)
  return of.main.contracts
    .filter(({ address }) => lower(address) === asked)
    .map(({ name, abi }) => ({
      sourceCode: source,
      contractName: name,
      compilerVersion: 'v0.8.37',
      compilerType: 'solidity',
      optimization: '1',
      optimizationRuns: '200',
      contractAbi: JSON.stringify(abi),
      evmVersion: 'osaka',
      licenseType: 'MIT',
      libraryInfo: '',
      proxy: implementation === '' ? '0' : '1',
      implementation,
      swarmSource: '',
    }))
}
