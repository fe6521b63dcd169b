import { arrayName, hashKey } from '../answers.ts'
import { maxRows, newestItems } from '../chain/history.ts'
import { mainBlockHash, mainHead, mainTransactionOf, mainTransactions } from '../chain/mainChain.ts'
import { gasPriceWei, type MainTransaction } from '../chain/mainTransaction.ts'
import { hashOf } from '../hashes.ts'
import { mainBlockTime } from '../heights.ts'
import { mainPage } from '../paging.ts'
import { noSuchBlock } from '../refusal.ts'
import type { World } from '../world.ts'
import type { Endpoint, Request } from './endpoint.ts'
import { chainNames, questionOf } from './mainAddressEndpoints.ts'
import {
  feeOf,
  movementRow,
  movementsOf,
  native,
  nativeSymbol,
  partiesOf,
  placeOf,
  type Row,
  stateOf,
  tokenMovement,
} from './mainRows.ts'

const protocolType = 'text' as const

const details = 'tokenTransferDetails'

const internals = 'internalTransactionDetails'

export const mainTransactionEndpoints: readonly Endpoint[] = [
  {
    name: 'E2',
    chain: 'main',
    path: 'transaction/token-transaction-detail',
    parameters: { txId: 'hash!', protocolType },
    maxLimit: 100,
    answer: (request) =>
      listRows(request, { sample: details, documented: details }, (transaction) =>
        tokenRows(request, transaction).map((row) => without(row, ['blockHash', 'tokenId'])),
      ),
  },
  {
    name: 'E13',
    chain: 'main',
    path: 'transaction/token-transfer-multi',
    parameters: { txId: 'hashes!', protocolType },
    maxLimit: 100,
    answer: (request) =>
      listRows(request, { sample: 'transactionList', documented: details }, (transaction) =>
        tokenRows(request, transaction),
      ),
  },
  {
    name: 'E15',
    chain: 'main',
    path: 'transaction/internal-transaction-multi',
    parameters: { txId: 'hashes!' },
    maxLimit: 100,
    answer: (request) =>
      listRows(request, { sample: 'transactionList', documented: internals }, (transaction) =>
        internalRows(request.world, transaction),
      ),
  },
  {
    name: 'E16',
    chain: 'main',
    path: 'transaction/internal-transaction-detail',
    parameters: { txId: 'hash!' },
    maxLimit: 100,
    answer: (request) =>
      listRows(request, { sample: internals, documented: internals }, (transaction) =>
        internalRows(request.world, transaction).map((row) => ({
          ...without(row, ['blockHash']),
          state: stateOf(transaction),
        })),
      ),
  },
]

// The newest blocks are shown before they are final.
const doneAfterBlocks = 2

export const mainBlockEndpoints: readonly Endpoint[] = [
  {
    name: 'E7',
    chain: 'main',
    path: 'block/transaction-list-multi',
    parameters: {
      startBlockHeight: 'height!',
      endBlockHeight: 'height!',
      protocolType: ['transaction', 'internal', 'token_20', 'token_721', 'token_1155'],
    },
    maxLimit: 100,
    answer: listBlockTransactions,
  },
  {
    name: 'E11',
    chain: 'main',
    path: 'block/block-fills',
    parameters: { height: 'height!' },
    answer: ({ world, dialect, parameters }) => {
      const height = Number(parameters.required('height'))
      if (height > mainHead(world)) throw noSuchBlock()
      return [blockFields(world, dialect, height)]
    },
  },
]

/** The rows of every transaction that was asked for. */
function listRows(
  { world, parameters, page }: Request,
  names: Parameters<typeof arrayName>[1],
  toRows: (transaction: MainTransaction) => Row[],
): unknown[] {
  const hashes = [...new Set(parameters.list('txId'))]
  const found = hashes
    .map((hash) => mainTransactionOf(world, hash))
    .filter((transaction) => transaction !== null)
  const name = arrayName(world.answers, names)
  return mainPage(page, { name, items: found.flatMap(toRows) }, (row) => row)
}

function tokenRows({ world, parameters }: Request, transaction: MainTransaction): Row[] {
  const kind = kindOf(parameters.text('protocolType'))
  return transaction.moves
    .filter((move) => kind === null || move.kind === kind)
    .map((move) => {
      const { amount, token, tokenId, symbol } = tokenMovement(move)
      return {
        [hashKey(world.answers, 'txId')]: transaction.hash,
        ...placeOf(world, transaction),
        ...partiesOf(world, move),
        tokenContractAddress: token,
        amount,
        tokenId,
        symbol,
      }
    })
}

function internalRows(world: World, transaction: MainTransaction): Row[] {
  return transaction.internals.map((call) => ({
    [hashKey(world.answers, 'txId')]: transaction.hash,
    ...placeOf(world, transaction),
    operation: call.operation,
    ...partiesOf(world, call),
    amount: native(call.wei),
  }))
}

/** `token_20` and `ERC20` both mean the same; which of them is right is not documented. */
function kindOf(text: string | undefined): string | null {
  return text === undefined ? null : text.toUpperCase().replace('TOKEN_', 'ERC')
}

/** An object less some of its fields. */
export function without<Value>(
  fields: Readonly<Record<string, Value>>,
  names: readonly string[],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

function listBlockTransactions({ world, dialect, parameters, page }: Request): unknown[] {
  const type = parameters.text('protocolType') ?? 'transaction'
  const items = newestItems(world, {
    ...questionOf('E7', parameters),
    limit: maxRows,
    itemsOf: (transaction) => movementsOf(transaction, type).map((movement) => ({ transaction, movement })),
  })
  const list = { name: 'transactionList', items, more: chainNames(dialect) }
  return mainPage(page, list, ({ transaction, movement }) => ({
    [hashKey(world.answers, 'txId')]: transaction.hash,
    ...movementRow(world, transaction, movement),
    txFee: feeOf(transaction),
  }))
}

function blockFields(world: World, dialect: Request['dialect'], height: number): Record<string, string> {
  const head = mainHead(world)
  const transactions = mainTransactions(world, height)
  const paying = transactions.filter((transaction) => transaction.type !== 0x7e)
  return {
    ...chainNames(dialect),
    hash: mainBlockHash(world, height),
    height: String(height),
    validator: world.contracts.signer,
    blockTime: String(mainBlockTime(world, height)),
    amount: native(sum(transactions, (transaction) => transaction.wei)),
    txnCount: String(transactions.length),
    txnInternal: String(transactions.reduce((count, transaction) => count + transaction.internals.length, 0)),
    blockSize: String(600 + transactions.length * 420),
    mineReward: '0',
    totalFee: native(sum(paying, (transaction) => BigInt(transaction.gasUsed) * gasPriceWei)),
    feeSymbol: nativeSymbol,
    ommerBlock: '0',
    merkleRootHash: hashOf(world.seed ^ 1, 'mainBlock', height),
    gasUsed: String(sum(transactions, (transaction) => BigInt(transaction.gasUsed))),
    gasLimit: '60000000',
    gasAvgPrice: native(gasPriceWei),
    state: height > head - doneAfterBlocks ? 'pending' : 'done',
    burnt: '0',
    miner: world.contracts.signer,
    [world.answers.difficulty === 'sample' ? 'difficuity' : 'difficulty']: '0',
    nonce: '0',
    confirm: String(head - height),
    tips: '0',
    baseFeePerGas: '0.00000000025',
  }
}

function sum(transactions: readonly MainTransaction[], of: (transaction: MainTransaction) => bigint): bigint {
  return transactions.reduce((total, transaction) => total + of(transaction), 0n)
}
