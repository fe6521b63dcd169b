import { arrayName, hashKey } from '../answers.ts'
import { countMoves, mayConcern } from '../chain/glimpse.ts'
import { maxRows, newestItems } from '../chain/history.ts'
import { gasPriceWei, type MainTransaction } from '../chain/mainTransaction.ts'
import { mainPage } from '../paging.ts'
import { wrongParameter } from '../refusal.ts'
import type { World } from '../world.ts'
import type { Endpoint, Request } from './endpoint.ts'
import {
  concerns,
  feeOf,
  movementRow,
  movementsOf,
  native,
  nativeSymbol,
  partiesOf,
  placeOf,
  protocolTypes,
  type Row,
  stateOf,
  tokenMovement,
} from './mainRows.ts'

const sides = ['from', 'to']
const maxRange = 10_000

export const mainAddressEndpoints: readonly Endpoint[] = [
  {
    name: 'E1',
    chain: 'main',
    path: 'token/transaction-list',
    parameters: { tokenContractAddress: 'address!', minAmount: 'amount', maxAmount: 'amount' },
    maxLimit: 50,
    answer: listTokenTransfers,
  },
  {
    name: 'E6',
    chain: 'main',
    path: 'address/transaction-list',
    parameters: {
      address: 'address!',
      protocolType: protocolTypes,
      tokenContractAddress: 'address',
      startBlockHeight: 'height',
      endBlockHeight: 'height',
      isFromOrTo: sides,
    },
    maxLimit: 50,
    answer: listAddressTransactions,
  },
  {
    name: 'E8',
    chain: 'main',
    path: 'address/internal-transaction-list',
    parameters: {
      address: 'address!',
      startBlockHeight: 'height',
      endBlockHeight: 'height',
      isFromOrTo: sides,
    },
    maxLimit: 50,
    answer: listInternalTransactions,
  },
  {
    name: 'E10',
    chain: 'main',
    path: 'address/normal-transaction-list-multi',
    parameters: {
      address: 'addresses!',
      startBlockHeight: 'height!',
      endBlockHeight: 'height!',
      isFromOrTo: sides,
    },
    maxLimit: 100,
    answer: listNormalTransactions,
  },
]

/** What a request asks of the history: its words and its heights. @throws Refusal for a range upside down */
export function questionOf(name: string, parameters: Request['parameters']) {
  const from = parameters.number('startBlockHeight')
  const to = parameters.number('endBlockHeight')
  if (from !== undefined && to !== undefined && from > to) throw wrongParameter('startBlockHeight')
  return { key: `${name} ${parameters.key}`, from, to }
}

export function chainNames(dialect: Request['dialect']): Record<string, string> {
  return { chainFullName: dialect.chains.main, chainShortName: dialect.chains.main.toUpperCase() }
}

function listTokenTransfers({ world, dialect, parameters, page }: Request): unknown[] {
  const token = parameters.required('tokenContractAddress')
  const within = amountTest(parameters)
  const countIn = countMoves(world, token)
  const isBounded = parameters.text('minAmount') !== undefined || parameters.text('maxAmount') !== undefined
  const items = newestItems(world, {
    key: `E1 ${token} ${parameters.text('minAmount')} ${parameters.text('maxAmount')}`,
    from: undefined,
    to: undefined,
    limit: Number.POSITIVE_INFINITY,
    ...(isBounded ? { mayHold: (height: number) => countIn(height) > 0 } : { countIn }),
    itemsOf: (transaction) =>
      transaction.moves
        .filter((move) => move.token === token)
        .map((move) => ({ transaction, kind: move.kind, movement: tokenMovement(move) }))
        .filter(({ movement }) => within(movement.amount)),
  })
  const more = { ...chainNames(dialect), totalTransfer: String(items.length) }
  return mainPage(page, { name: 'transactionList', items, more }, ({ transaction, kind, movement }) => ({
    [hashKey(world.answers, 'txid')]: transaction.hash,
    ...movementRow(world, transaction, movement),
    protocolType: kind,
  }))
}

function listAddressTransactions({ world, dialect, parameters, page }: Request): unknown[] {
  const address = parameters.required('address')
  const token = parameters.text('tokenContractAddress')
  const side = parameters.text('isFromOrTo')
  const type = parameters.text('protocolType') ?? 'transaction'
  const items = newestItems(world, {
    ...questionOf('E6', parameters),
    limit: maxRows,
    mayHold: mayConcern(world, [address]),
    itemsOf: (transaction) =>
      movementsOf(transaction, type)
        .filter((movement) => concerns(movement, [address], side))
        .filter((movement) => token === undefined || movement.token === token)
        .map((movement) => ({ transaction, movement })),
  })
  const list = {
    name: arrayName(world.answers, { sample: 'transactionLists', documented: 'transactionLists' }),
    items,
    more: chainNames(dialect),
  }
  return mainPage(page, list, ({ transaction, movement }) => ({
    [hashKey(world.answers, 'txId')]: transaction.hash,
    ...movementRow(world, transaction, movement),
    txFee: feeOf(transaction),
    challengeStatus: transaction.challengeStatus,
    l1OriginHash: '',
  }))
}

function listInternalTransactions({ world, parameters, page }: Request): unknown[] {
  const address = parameters.required('address')
  const side = parameters.text('isFromOrTo')
  const items = newestItems(world, {
    ...questionOf('E8', parameters),
    limit: maxRows,
    mayHold: mayConcern(world, [address]),
    itemsOf: (transaction) =>
      transaction.internals
        .filter((call) => concerns(call, [address], side))
        .map((call) => ({ transaction, call })),
  })
  return mainPage(page, { name: 'transactionList', items }, ({ transaction, call }) => ({
    [hashKey(world.answers, 'txId')]: transaction.hash,
    ...placeOf(world, transaction),
    ...partiesOf(world, call),
    operation: call.operation,
    amount: native(call.wei),
    state: stateOf(transaction),
    symbol: nativeSymbol,
  }))
}

function listNormalTransactions({ world, parameters, page }: Request): unknown[] {
  const addresses = parameters.list('address')
  const [from, to] = [parameters.number('startBlockHeight') ?? 0, parameters.number('endBlockHeight') ?? 0]
  if (to - from > maxRange) throw wrongParameter('endBlockHeight')
  const side = parameters.text('isFromOrTo')
  const items = newestItems(world, {
    ...questionOf('E10', parameters),
    limit: Number.POSITIVE_INFINITY,
    mayHold: mayConcern(world, addresses),
    itemsOf: (transaction) => (concerns(transaction, addresses, side) ? [transaction] : []),
  })
  return mainPage(page, { name: 'transactionList', items }, (transaction) => normalRow(world, transaction))
}

function normalRow(world: World, transaction: MainTransaction): Row {
  return {
    [hashKey(world.answers, 'txId')]: transaction.hash,
    methodId: transaction.methodId,
    nonce: String(nonceOf(transaction)),
    ...placeOf(world, transaction),
    ...partiesOf(world, transaction),
    amount: native(transaction.wei),
    symbol: nativeSymbol,
    txFee: feeOf(transaction),
    gasLimit: String(Math.ceil(transaction.gasUsed * 1.5)),
    gasUsed: String(transaction.gasUsed),
    gasPrice: String(transaction.type === 0x7e ? 0n : gasPriceWei),
    transactionType: transaction.type === 0x7e ? '126' : String(transaction.type),
  }
}

/** Nonces only have to grow with a sender's transactions: the place in the chain does. */
export function nonceOf(transaction: { readonly height: number; readonly index: number }): number {
  return (transaction.height - 5_000_000) * 64 + transaction.index
}

function amountTest(parameters: Request['parameters']): (amount: string) => boolean {
  const least = parameters.text('minAmount')
  const most = parameters.text('maxAmount')
  return (amount) =>
    (least === undefined || compareUnits(amount, least) >= 0) &&
    (most === undefined || compareUnits(amount, most) <= 0)
}

/** Compares decimal texts exactly. */
function compareUnits(a: string, b: string): number {
  const [left, right] = [scaled(a), scaled(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

function scaled(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.slice(0, 78).padEnd(78, '0'))
}
