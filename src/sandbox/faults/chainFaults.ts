import { z } from 'zod'
import { selectors, topicOf, topics } from '../chain/abi.ts'
import { forgetHistory } from '../chain/history.ts'
import { addExtra } from '../chain/mainChain.ts'
import type { Log, PreconfStory } from '../chain/mainTransaction.ts'
import { duration, share } from '../settings.ts'
import { tokenBySymbol, tokenSymbols } from '../tokens.ts'
import { getTransfer } from '../transfers.ts'
import { type ContractChange, userAddress, type World } from '../world.ts'
import { worldFault } from './fault.ts'
import { completedBefore, mainMove, userLike } from './putIn.ts'

const changes = [
  'upgraded',
  'paused',
  'unpaused',
  'owner',
  'role',
  'threshold',
  'fee',
  'signer',
  'recompiled',
] as const

type Change = (typeof changes)[number]

/** What happens to chains, routes and contracts rather than to one transfer. */
export const chainFaults = [
  worldFault(
    'head.stall',
    'The main or the zone chain, the list of records, the preconfirmations, or the nodes of one chain stand still, then catch up',
    {
      chain: z.enum(['main', 'zone', 'list', 'preconf', 'rpc', 'zoneRpc']),
      rpc: z.boolean().default(true).describe('Whether the nodes of a standing chain stand still too'),
    },
    (world, params, window) => {
      world.stalls.push({ of: params.chain, ...window })
      if (params.chain === 'main' && params.rpc) world.stalls.push({ of: 'rpc', ...window })
      if (params.chain === 'zone' && params.rpc) world.stalls.push({ of: 'zoneRpc', ...window })
    },
  ),
  worldFault(
    'route.stopped',
    'Nothing arrives any more in one direction, or of one token, until it is over',
    { direction: z.enum(['MainToZone', 'ZoneToMain']).optional(), token: z.enum(tokenSymbols).optional() },
    (world, { direction, token }, window) => {
      world.closures.push({ ...window, ...(direction ? { direction } : {}), ...(token ? { token } : {}) })
    },
  ),
  worldFault(
    'flow.quiet',
    'Fewer transfers begin, or none',
    { remaining: share.default(0).describe('The share that still begins') },
    (world, params, window) => {
      world.lulls.push({ ...window, share: params.remaining })
    },
  ),
  worldFault(
    'contract.changed',
    "The bridge's contract is upgraded, paused, or given another owner, role, threshold, fee or signer, or its verified source changes",
    {
      what: z.enum(changes),
      quietly: z.boolean().default(false).describe('Without an event of the contract'),
    },
    (world, params) => {
      const stranger = userLike(world, 0)
      const call = administration(world, params.what, stranger)
      world.contractChanges.push({ at: world.now, ...call.change })
      const { bridge, owner } = world.contracts
      addExtra(world, {
        at: world.now,
        from: owner,
        to: bridge,
        methodId: call.methodId,
        logs: params.quietly || call.log === null ? [] : [call.log],
        moves: [],
      })
    },
  ),
  worldFault(
    'challenge.changed',
    'challengeStatus of bridge transactions that are there already takes a value',
    {
      count: z.int().min(1).max(1_000).default(1),
      status: z.string().default('challenged'),
      age: duration.default(20_000).describe('Only of transfers that began at least so long ago'),
    },
    (world, params) => {
      const isWithdrawal = (number: number) => getTransfer(world, number).direction === 'ZoneToMain'
      for (const number of completedBefore(world, world.now - params.age, params.count, isWithdrawal)) {
        const before = world.challenges.get(number) ?? []
        world.challenges.set(number, [...before, { at: world.now, status: params.status }])
      }
      forgetHistory(world)
    },
  ),
  worldFault(
    'supply.minted',
    'Tokens are created on the zone chain without a deposit, and no list shows it: only what there is of the token does',
    {
      token: z.enum(tokenSymbols).default('USDC'),
      amount: z
        .string()
        .regex(/^\d{1,30}$/)
        .default('1000000'),
    },
    (world, params) => {
      const { address, decimals } = tokenBySymbol(world.tokens, params.token)
      world.mints.push({
        token: address,
        at: world.now,
        raw: BigInt(params.amount) * 10n ** BigInt(decimals),
      })
    },
  ),
  worldFault(
    'operator.low_balance',
    'The relayer or the poster of state batches runs out of gas money',
    {
      operator: z.enum(['relayer', 'poster']).default('relayer'),
      wei: z
        .string()
        .regex(/^\d{1,30}$/)
        .default('1000000000000000'),
    },
    (world, params) => {
      const address = world.contracts[params.operator]
      world.balances.push({ address, at: world.now, wei: BigInt(params.wei) })
    },
  ),
]

const shape = {
  count: z.int().min(1).max(10_000).default(1),
  spacing: duration.default(50).describe('How far apart they arrive'),
}

/** Transactions whose preconfirmation is not what becomes of them. */
export const preconfFaults = [
  worldFault(
    'preconf.dropped',
    'Transactions preconfirmed that no block ever holds',
    shape,
    (world, params) => {
      send(world, params, { dropped: true })
    },
  ),
  worldFault(
    'preconf.flipped',
    'Transactions preconfirmed with the other outcome',
    shape,
    (world, params) => {
      send(world, params, { flipped: true })
    },
  ),
  worldFault(
    'preconf.moved',
    'Transactions held by a later block than the one they were preconfirmed in',
    { ...shape, by: z.int().min(1).max(3_600).default(1).describe('How many blocks later') },
    (world, params) => {
      send(world, params, { movedBy: params.by })
    },
  ),
  worldFault(
    'preconf.late',
    'Transactions first seen in their block, never preconfirmed',
    shape,
    (world, params) => {
      send(world, params, { unseen: true })
    },
  ),
]

/** What an act of administration looks like on chain, and what it leaves changed. */
function administration(
  world: World,
  what: Change,
  stranger: string,
): { log: Log | null; methodId: string; change: Omit<ContractChange, 'at'> } {
  const { bridge, owner, signer } = world.contracts
  const log = (topic: string, indexed: readonly string[], data = '0x') => ({
    address: bridge,
    topics: [topic, ...indexed.map(topicOf)],
    data,
  })
  switch (what) {
    case 'upgraded':
      return {
        log: log(topics.upgraded, [stranger]),
        methodId: selectors.upgradeTo,
        change: { implementation: stranger },
      }
    case 'paused':
      return {
        log: log(topics.paused, [], topicOf(owner)),
        methodId: selectors.pause,
        change: { paused: true },
      }
    case 'unpaused':
      return {
        log: log(topics.unpaused, [], topicOf(owner)),
        methodId: selectors.unpause,
        change: { paused: false },
      }
    case 'owner':
      return {
        log: log(topics.owner, [owner, stranger]),
        methodId: selectors.transferOwnership,
        change: { owner: stranger },
      }
    case 'role':
      return { log: log(topics.roleGranted, ['0x0', stranger, owner]), methodId: '0x2f2ff15d', change: {} }
    case 'threshold':
      return { log: log(topics.threshold, [], topicOf(0)), methodId: selectors.setThreshold, change: {} }
    case 'fee':
      return { log: log(topics.fee, [], topicOf(0)), methodId: '0x69fe0e2d', change: {} }
    case 'signer':
      return { log: log(topics.signer, [signer, stranger]), methodId: '0x6c19e783', change: {} }
    case 'recompiled':
      return { log: null, methodId: '0x00000000', change: { compiler: 'v0.8.29+commit.ab55807c' } }
    default:
      return what satisfies never
  }
}

function send(world: World, params: { count: number; spacing: number }, preconf: PreconfStory): void {
  for (let place = 0; place < params.count; place += 1) {
    const [from, to] = [userAddress(world, place * 2), userAddress(world, place * 2 + 1)]
    const moved = mainMove(world, { token: 'USDC', amount: '250', from, to, operator: from })
    // The instant given is that of the block that holds it; seen earlier is seen so many blocks before.
    const at = world.now + place * params.spacing + (preconf.movedBy ?? 0) * 1_000
    addExtra(world, { at, from, to: moved.logs[0]?.address ?? to, methodId: '0xa9059cbb', ...moved, preconf })
  }
}
