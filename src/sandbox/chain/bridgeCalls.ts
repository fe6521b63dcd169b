import { nth } from '../../lib/nth.ts'
import { getTransfer, type Transfer } from '../transfers.ts'
import type { Token } from '../tokens.ts'
import type { World } from '../world.ts'
import { selectors, topicOf, topics, word } from './abi.ts'
import type { Log, MainCall } from './mainTransaction.ts'
import { type Moved, tokenMoves, transferLog } from './moves.ts'

/** The main transaction that `owner` names: a deposit, or a payout of all that share it. */
export function bridgeCall(world: World, owner: number): MainCall {
  const members = (world.sharedMain.get(owner) ?? [owner]).map((number) => getTransfer(world, number))
  const first = nth(members, 0)
  const deposit = first.direction === 'MainToZone'
  const { bridge, relayer } = world.contracts
  const failed = members.some((member) => member.special.mainFailed === true)
  const sender = deposit ? first.sourceAddress : relayer
  const moving = failed ? [] : members
  return {
    hash: first.main?.hash ?? '',
    arrivedAt: nth(deposit ? world.originAt : world.destinationAt, owner),
    from: sender,
    to: bridge,
    ...inputOf(members, deposit),
    wei: deposit ? moving.reduce((sum, member) => sum + weiOf(world, member), 0n) : 0n,
    gasUsed: 64_000 + members.length * 31_000,
    type: 2,
    failed,
    moves: moving.flatMap((member) =>
      hasMoved(member) ? tokenMoves(member.token, movedBy(world, member)) : [],
    ),
    internals: moving.flatMap((member) => internalsOf(world, member)),
    logs: moving.flatMap((member) => logsOf(world, member, sender)),
    challengeStatus: challengeStatusOf(world, first.number),
    ...(first.special.unknownUntil === undefined ? {} : { unknownUntil: first.special.unknownUntil }),
  }
}

/** What `challengeStatus` says of a transfer's main transaction now; empty unless a scenario gave it a value. */
function challengeStatusOf(world: World, number: number): string {
  const changes = world.challenges.get(number) ?? []
  return changes.findLast((change) => change.at <= world.now)?.status ?? ''
}

function movedBy(world: World, transfer: Transfer): Moved {
  const { escrow } = world.contracts
  const deposit = transfer.direction === 'MainToZone'
  const { mainMovedRaw } = transfer.special
  return {
    from: deposit ? transfer.sourceAddress : escrow,
    to: deposit ? escrow : transfer.targetAddress,
    amountRaw: movedRaw(world, transfer),
    tokenId: transfer.tokenId,
    items: mainMovedRaw === undefined ? transfer.items : [],
  }
}

/** An event can name an amount while no token moves. */
function hasMoved(transfer: Transfer): boolean {
  return transfer.special.mainMovedRaw !== 0n
}

function logsOf(world: World, transfer: Transfer, operator: string): Log[] {
  const token = topicOf(transfer.token.address)
  const deposit = transfer.direction === 'MainToZone'
  const tokenId = transfer.tokenId === '' ? 0n : BigInt(transfer.tokenId)
  const event: Log = {
    address: world.contracts.bridge,
    topics: deposit
      ? [topics.deposit, token, topicOf(transfer.sourceAddress), topicOf(transfer.targetAddress)]
      : [topics.withdrawal, topicOf(transfer.zone?.hash ?? 0), token, topicOf(transfer.targetAddress)],
    data: `0x${word(transfer.amountRaw)}${word(tokenId)}`,
  }
  return hasMoved(transfer) && transfer.token.type !== 'NATIVE'
    ? [transferLog(transfer.token, operator, movedBy(world, transfer)), event]
    : [event]
}

function internalsOf(world: World, transfer: Transfer): MainCall['internals'] {
  const { bridge, escrow } = world.contracts
  const delegate = { operation: 'delegatecall', from: bridge, to: implementationAt(world), wei: 0n } as const
  const deposit = transfer.direction === 'MainToZone'
  const payer = deposit ? bridge : escrow
  const payee = deposit ? escrow : transfer.targetAddress
  const isNative = transfer.token.type === 'NATIVE'
  const to = isNative ? payee : transfer.token.address
  return [delegate, { operation: 'call', from: payer, to, wei: weiOf(world, transfer) }]
}

/** What of the chain's own currency a transfer moves on the main chain. */
function weiOf(world: World, transfer: Transfer): bigint {
  return transfer.token.type === 'NATIVE' ? movedRaw(world, transfer) : 0n
}

/** What a transfer moves on the main chain: of a payout, what is left of it after the fee. */
export function movedRaw(world: Pick<World, 'traffic'>, transfer: Transfer): bigint {
  const { amountRaw, direction, token, special } = transfer
  if (special.mainMovedRaw !== undefined) return special.mainMovedRaw
  if (direction === 'MainToZone' || token.type === 'ERC1155') return amountRaw
  const fee = payoutFee(world, token)
  return amountRaw > 2n * fee ? amountRaw - fee : amountRaw
}

/** What is kept back of each payout that is not too small for it, in base units. */
function payoutFee({ traffic }: Pick<World, 'traffic'>, token: Token): bigint {
  return BigInt(Math.round(token.usual * traffic.fee * 1e6)) * 10n ** BigInt(Math.max(0, token.decimals - 6))
}

function inputOf(members: readonly Transfer[], deposit: boolean): { methodId: string; input: string } {
  const first = nth(members, 0)
  if (deposit) {
    const methodId = first.token.type === 'ERC1155' ? selectors.depositErc1155 : selectors.depositErc20
    return {
      methodId,
      input: methodId + word(first.token.address) + word(first.amountRaw) + word(first.targetAddress),
    }
  }
  const hashes = members.map((member) => word(member.zone?.hash ?? 0))
  const methodId = members.length > 1 ? selectors.finalizeMany : selectors.finalize
  return { methodId, input: methodId + hashes.join('') }
}

/** The bridge's code at present: upgrades replace it. */
export function implementationAt(world: World): string {
  const change = world.contractChanges.findLast(
    (each) => each.at <= world.now && each.implementation !== undefined,
  )
  return change?.implementation ?? world.contracts.bridgeImplementation
}
