import type { Rpc } from '../../clients/rpc/createRpc.ts'
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
      const rpc = deps.rpc.session()
      if (height !== null) {
        const balances = await readMany(rpc, holdings, height, signal)
        if (balances.some((balance) => balance !== null))
          return { low: height, high: height, readAt: startedAt, balances }
      }
      // Which block `latest` is, is known only by asking before and after.
      for (let attempt = 1; ; attempt++) {
        const low = await rpc.call('eth_blockNumber', ['latest'], { signal })
        const readAt = clock.now()
        const balances = await readMany(rpc, holdings, 'latest', signal)
        const high = await rpc.call('eth_blockNumber', ['latest'], { signal })
        if (high === low || attempt === maxAttempts) {
          if (high >= low) return { low, high, readAt, balances }
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
  const tokens = holdings.filter(({ token }) => token !== '')
  const natives = holdings.filter(({ token }) => token === '')
  const called = await rpc.callMany(
    tokens.map(({ address, token }) => ({
      method: 'eth_call' as const,
      params: [
        { to: token, data: `${balanceOf}${address.slice(2).toLowerCase().padStart(64, '0')}` },
        block,
      ] as const,
    })),
    { signal },
  )
  const asked = await rpc.callMany(
    natives.map(({ address }) => ({ method: 'eth_getBalance' as const, params: [address, block] as const })),
    { signal },
  )
  const found = new Map<Holding, bigint | null>([
    ...tokens.map((holding, at) => [holding, toBalance(called[at])] as const),
    ...natives.map((holding, at) => {
      const answer = asked[at]
      return [holding, answer?.ok ? answer.value : null] as const
    }),
  ])
  return holdings.map((holding) => found.get(holding) ?? null)
}

/** No data: there is no such contract, or it has no such function. */
function toBalance(answer: { readonly ok: boolean; readonly value?: unknown } | undefined): bigint | null {
  const data = answer?.ok ? answer.value : null
  return typeof data === 'string' && /^0x[0-9a-fA-F]{64}$/.test(data) ? BigInt(data) : null
}
