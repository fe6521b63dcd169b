import { isContract } from '../chain/contracts.ts'
import { mainBlockHash } from '../chain/mainChain.ts'
import {
  gasPriceWei,
  type InternalCall,
  type MainTransaction,
  type TokenMove,
} from '../chain/mainTransaction.ts'
import { mainBlockTime } from '../heights.ts'
import { toUnits } from '../units.ts'
import type { World } from '../world.ts'

export const nativeSymbol = 'ETH'
export type Row = Readonly<Record<string, string | boolean | readonly string[]>>

/** What every row of the main chain says of the block and transaction that it comes from. */
export function placeOf(world: World, transaction: MainTransaction) {
  return {
    blockHash: mainBlockHash(world, transaction.height),
    height: String(transaction.height),
    transactionTime: String(mainBlockTime(world, transaction.height)),
  }
}

export function partiesOf(world: World, parties: { readonly from: string; readonly to: string }) {
  return {
    from: parties.from,
    to: parties.to,
    isFromContract: isContract(world, parties.from),
    isToContract: isContract(world, parties.to),
  }
}

export function feeOf(transaction: MainTransaction): string {
  return transaction.type === 0x7e ? '0' : toUnits(BigInt(transaction.gasUsed) * gasPriceWei, 18)
}

export function stateOf(transaction: MainTransaction): 'success' | 'fail' {
  return transaction.failed ? 'fail' : 'success'
}

export function native(wei: bigint): string {
  return toUnits(wei, 18)
}

/** The words by which lists of transactions are distinguished, and what a row of each moves. */
export interface Movement {
  readonly from: string
  readonly to: string
  readonly amount: string
  readonly symbol: string
  readonly token: string
  readonly tokenId: string
}

const tokenKinds: Readonly<Record<string, TokenMove['kind']>> = {
  token_20: 'ERC20',
  token_721: 'ERC721',
  token_1155: 'ERC1155',
}

export const protocolTypes = [
  'transaction',
  'internal',
  'token_20',
  'token_721',
  'token_1155',
  'token_10',
  'trx',
]

/** What a transaction moves in the sense of a `protocolType`. */
export function movementsOf(transaction: MainTransaction, protocolType: string): Movement[] {
  if (protocolType === 'transaction') {
    const { from, to, wei } = transaction
    return [{ from, to, amount: native(wei), symbol: nativeSymbol, token: '', tokenId: '' }]
  }
  if (protocolType === 'internal') return transaction.internals.map(internalMovement)
  const kind = tokenKinds[protocolType]
  return transaction.moves.filter((move) => move.kind === kind).map(tokenMovement)
}

export function tokenMovement(move: TokenMove): Movement {
  const { from, to, symbol, token, tokenId } = move
  return { from, to, symbol, token, tokenId, amount: toUnits(move.amountRaw, move.decimals) }
}

function internalMovement(call: InternalCall): Movement {
  return {
    from: call.from,
    to: call.to,
    amount: native(call.wei),
    symbol: nativeSymbol,
    token: '',
    tokenId: '',
  }
}

/** What lists of transactions say of a movement, but for what each spells in its own way. */
export function movementRow(world: World, transaction: MainTransaction, movement: Movement) {
  return {
    ...placeOf(world, transaction),
    ...partiesOf(world, movement),
    methodId: transaction.methodId,
    amount: movement.amount,
    transactionSymbol: movement.symbol,
    state: stateOf(transaction),
    tokenContractAddress: movement.token,
    tokenId: movement.tokenId,
  }
}

/** Whether a row concerns an address in the way that `isFromOrTo` asks for. */
export function concerns(
  parties: { readonly from: string; readonly to: string },
  addresses: readonly string[],
  side: string | undefined,
): boolean {
  const from = side !== 'to' && addresses.includes(parties.from)
  return from || (side !== 'from' && addresses.includes(parties.to))
}
