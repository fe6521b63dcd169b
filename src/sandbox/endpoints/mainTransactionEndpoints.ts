import { arrayName, hashKey } from '../answers.ts'
import { mainTransactionOf } from '../chain/mainChain.ts'
import type { MainTransaction } from '../chain/mainTransaction.ts'
import { mainPage } from '../paging.ts'
import type { World } from '../world.ts'
import type { Endpoint, Request } from './endpoint.ts'
import { native, partiesOf, placeOf, type Row, stateOf, tokenMovement } from './mainRows.ts'

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
