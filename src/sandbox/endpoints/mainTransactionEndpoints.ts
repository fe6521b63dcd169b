import { mainTransactionOf } from '../chain/mainChain.ts'
import type { MainTransaction } from '../chain/mainTransaction.ts'
import { mainPage } from '../paging.ts'
import { without } from '../without.ts'
import type { World } from '../world.ts'
import type { Endpoint, Request } from './endpoint.ts'
import { native, partiesOf, placeOf, type Row, stateOf, tokenMovement } from './mainRows.ts'

const protocolType = 'text' as const

export const mainTransactionEndpoints: readonly Endpoint[] = [
  {
    name: 'E2',
    chain: 'main',
    path: 'transaction/token-transaction-detail',
    parameters: { txId: 'hash!', protocolType },
    maxLimit: 100,
    answer: (request) =>
      listRows(request, 'tokenTransferDetails', (transaction) =>
        tokenRows(request, transaction).map((row) => without(row, ['blockHash', 'tokenId'])),
      ),
  },
  {
    name: 'E13',
    chain: 'main',
    path: 'transaction/token-transfer-multi',
    parameters: { txId: 'hashes!', protocolType },
    maxLimit: 100,
    // The table says `tokenTransferDetails`; answers carry the sample's name.
    answer: (request) =>
      listRows(request, 'transactionList', (transaction) => tokenRows(request, transaction)),
  },
  {
    name: 'E15',
    chain: 'main',
    path: 'transaction/internal-transaction-multi',
    parameters: { txId: 'hashes!' },
    maxLimit: 100,
    answer: (request) =>
      listRows(request, 'transactionList', (transaction) => internalRows(request.world, transaction)),
  },
  {
    name: 'E16',
    chain: 'main',
    path: 'transaction/internal-transaction-detail',
    parameters: { txId: 'hash!' },
    maxLimit: 100,
    answer: (request) =>
      listRows(request, 'internalTransactionDetails', (transaction) =>
        internalRows(request.world, transaction).map((row) => ({
          ...without(row, ['blockHash']),
          state: stateOf(transaction),
        })),
      ),
  },
]

/** The rows of every transaction that was asked for, as the list called `name`. */
function listRows(
  { world, parameters, page }: Request,
  name: string,
  toRows: (transaction: MainTransaction) => Row[],
): unknown[] {
  const hashes = [...new Set(parameters.list('txId'))]
  const found = hashes
    .map((hash) => mainTransactionOf(world, hash))
    .filter((transaction) => transaction !== null)
  return mainPage(page, { name, items: found.flatMap(toRows) }, (row) => row)
}

function tokenRows({ world, parameters }: Request, transaction: MainTransaction): Row[] {
  const kind = kindOf(parameters.text('protocolType'))
  return transaction.moves
    .filter((move) => kind === null || move.kind === kind)
    .map((move) => {
      const { amount, token, tokenId, symbol } = tokenMovement(move)
      return {
        txId: transaction.hash,
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
    txId: transaction.hash,
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
