import type { Rpc, RpcCall, RpcOutcome } from '../../clients/rpc/createRpc.ts'
import type { RpcResult } from '../../clients/rpc/rpcMethods.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'

/** Whose balance of what; the token '' is the native currency. */
export interface Holding {
  readonly address: string
  readonly token: string
}

/** Balances of one moment: of the block `low`, of `high`, or of one in between. Null where it could not be read. */
export interface BalanceRead {
  readonly low: number
  readonly high: number
  readonly readAt: UnixMs
  readonly balances: readonly (bigint | null)[]
}

/** What is asked of a node: the canonical one, where there is one, else the preconfirming one. */
export interface BalanceReads {
  /** Balances at a height, or as they are now when the node does not answer for that height. */
  read(holdings: readonly Holding[], height: number | null, signal: AbortSignal): Promise<BalanceRead>
  /** One balance at a height; null when the node does not know it any more. */
  readAt(holding: Holding, height: number, signal: AbortSignal): Promise<bigint | null>
  /** When a block was made, by the chain; null where the node does not say it. */
  timeOf(height: number, signal: AbortSignal): Promise<UnixMs | null>
  /** Native balances as they are now. */
  readNative(addresses: readonly string[], signal: AbortSignal): Promise<readonly (bigint | null)[]>
}

/** Tries to read everything within one block. */
const maxAttempts = 4
// balanceOf(address)
const balanceOf = '0x70a08231'

export function createBalanceReads(deps: {
  readonly rpc: Pick<Rpc, 'call' | 'callMany' | 'host' | 'session'>
  readonly clock: Clock
}): BalanceReads {
  const { rpc, clock } = deps
  const readAt = async (holding: Holding, block: number | 'latest', signal: AbortSignal) => {
    const [found] = await readMany(rpc, [holding], block, signal)
    return found ?? null
  }
  return {
    readAt,
    async timeOf(height, signal) {
      const block = await rpc.call('eth_getBlockByNumber', [height, false], { signal })
      return block?.timestamp == null ? null : block.timestamp * 1_000
    },
    readNative: (addresses, signal) =>
      readMany(
        rpc,
        addresses.map((address) => ({ address, token: '' })),
        'latest',
        signal,
      ),
    async read(holdings, height, signal) {
      const startedAt = clock.now()
      if (height !== null) {
        const balances = await readMany(rpc, holdings, height, signal)
        if (balances.some((balance) => balance !== null))
          return { low: height, high: height, readAt: startedAt, balances }
      }
      // Which block `latest` is, is known only by asking before and after: in one request, since behind one address nodes
      // may be unequally far, and of several nodes one.
      const one = rpc.session()
      for (let attempt = 1; ; attempt++) {
        const readAt = clock.now()
        const outcomes = await one.callMany([head, ...toCalls(holdings, 'latest'), head], { signal })
        const [low, high] = [toHeight(outcomes[0]), toHeight(outcomes.at(-1))]
        if (high === low || attempt === maxAttempts) {
          if (high >= low) return { low, high, readAt, balances: outcomes.slice(1, -1).map(toBalance) }
          throw new MonitorError('source.refused', `${rpc.host}: its height stepped back`)
        }
      }
    },
  }
}

async function readMany(
  rpc: Pick<Rpc, 'callMany'>,
  holdings: readonly Holding[],
  block: number | 'latest',
  signal: AbortSignal,
): Promise<(bigint | null)[]> {
  const outcomes = await rpc.callMany(toCalls(holdings, block), { signal })
  return outcomes.map(toBalance)
}

// The same question as for the head of its chain, so that each says whether the node answers it. Whose height `eth_blockNumber`
// says differs between nodes.
const head: RpcCall = { method: 'eth_getBlockByNumber', params: ['latest', false] }

function toCalls(holdings: readonly Holding[], block: number | 'latest'): RpcCall[] {
  return holdings.map(({ address, token }) => {
    if (token === '') return { method: 'eth_getBalance', params: [address, block] }
    const data = `${balanceOf}${address.slice(2).toLowerCase().padStart(64, '0')}`
    return { method: 'eth_call', params: [{ to: token, data }, block] }
  })
}

function toHeight(outcome: RpcOutcome<unknown> | undefined): number {
  const block = outcome?.ok ? (outcome.value as RpcResult<'eth_getBlockByNumber'>) : null
  if (block !== null && block.number !== null) return block.number
  throw outcome?.ok === false
    ? outcome.error
    : new MonitorError('source.invalid', 'the newest block of the node has no number')
}

/** Of a call no data: there is no such contract, or it has no such function. */
function toBalance(outcome: RpcOutcome<unknown>): bigint | null {
  const value = outcome.ok ? outcome.value : null
  if (typeof value === 'bigint') return value
  return typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value) ? BigInt(value) : null
}
