import type { World } from '../world.ts'
import { implementationAt } from './bridgeCalls.ts'

/** What the explorer knows of a verified contract. */
export interface VerifiedContract {
  readonly name: string
  readonly abi: readonly object[]
  /** Empty unless it is a proxy. */
  readonly implementation: string
  readonly compiler: string
}

const firstCompiler = 'v0.8.24+commit.e11b9ed9'

const event = (name: string, inputs: readonly [string, string, boolean][]) => ({
  type: 'event',
  name,
  anonymous: false,
  inputs: inputs.map(([name, type, indexed]) => ({ name, type, indexed })),
})
const view = (name: string, type: string, inputs: readonly [string, string][] = []) => ({
  type: 'function',
  name,
  stateMutability: 'view',
  inputs: inputs.map(([name, type]) => ({ name, type })),
  outputs: [{ name: '', type }],
})

const proxyAbi = [event('Upgraded', [['implementation', 'address', true]]), view('implementation', 'address')]
const bridgeAbi = [
  event('DepositInitiated', [
    ['token', 'address', true],
    ['from', 'address', true],
    ['to', 'address', true],
    ['amount', 'uint256', false],
    ['tokenId', 'uint256', false],
  ]),
  event('WithdrawalFinalized', [
    ['zoneTxHash', 'bytes32', true],
    ['token', 'address', true],
    ['to', 'address', true],
    ['amount', 'uint256', false],
    ['tokenId', 'uint256', false],
  ]),
  event('OwnershipTransferred', [
    ['previousOwner', 'address', true],
    ['newOwner', 'address', true],
  ]),
  event('Paused', [['account', 'address', false]]),
  event('Unpaused', [['account', 'address', false]]),
  event('StateBatchAppended', [
    ['batchIndex', 'uint256', true],
    ['root', 'bytes32', false],
  ]),
  event('RootProposed', [['zoneHeight', 'uint256', false]]),
  event('WithdrawalProven', [['zoneTxHash', 'bytes32', true]]),
  event('RootRemoved', [['zoneHeight', 'uint256', false]]),
  view('owner', 'address'),
  view('paused', 'bool'),
]
const tokenAbi = [
  event('Transfer', [
    ['from', 'address', true],
    ['to', 'address', true],
    ['value', 'uint256', false],
  ]),
  view('name', 'string'),
  view('symbol', 'string'),
  view('decimals', 'uint8'),
  view('totalSupply', 'uint256'),
  view('balanceOf', 'uint256', [['account', 'address']]),
]

/** A verified contract by its address, or null. */
export function verifiedContract(world: World, address: string): VerifiedContract | null {
  const { bridge, bridgeImplementation } = world.contracts
  const compiler = firstCompiler
  if (address === bridge)
    return {
      name: 'BridgeProxy',
      abi: proxyAbi,
      implementation: implementationAt(world),
      compiler: compilerAt(world),
    }
  if (address === bridgeImplementation)
    return { name: 'Bridge', abi: bridgeAbi, implementation: '', compiler }
  // Code that an upgrade brought is not verified by anybody.
  const token = world.tokens.find((token) => token.address === address)
  return token ? { name: token.symbol, abi: tokenAbi, implementation: '', compiler } : null
}

function compilerAt(world: World): string {
  const changes = world.contractChanges.filter(({ at }) => at <= world.now)
  return changes.findLast(({ compiler }) => compiler !== undefined)?.compiler ?? firstCompiler
}

/** Whether an address holds code. */
export function isContract(world: World, address: string): boolean {
  return (
    world.codeAddresses.has(address) ||
    world.contractChanges.some((change) => change.implementation === address)
  )
}
