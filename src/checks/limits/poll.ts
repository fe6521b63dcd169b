import type { AbiFunction } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import type { Rpc } from '../../clients/rpc/createRpc.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { LimitFact } from './facts.ts'

/** A question to a contract, by its ABI. */
interface Question {
  readonly call: AbiFunction
  readonly args: readonly string[]
}

/** A limit that a contract keeps: what is used of it, and what it is, a number or asked of the same contract. */
export interface LimitSetting extends Question {
  readonly name: string
  readonly address: string
  readonly decimals: number
  readonly max: bigint | Question
}

/** Limits as they were read last, by their place in the configuration. */
export type LimitReadings = Map<number, NonNullable<LimitFact['read']>>

export interface LimitReader {
  readonly rpc: Pick<Rpc, 'call'>
  readonly clock: Pick<Clock, 'now'>
  readonly limits: readonly LimitSetting[]
  readonly readings: LimitReadings
  /** Whether the node answers for a block by its height: one that preconfirms need not. */
  readonly isCanonical: boolean
}

/**
 * Reads every limit, all at one block, or at the newest. What one contract does not say holds up none of the others.
 * @throws MonitorError what the first that could not be read says
 */
export async function pollLimits(
  { clock, isCanonical, limits, readings, rpc }: LimitReader,
  signal: AbortSignal,
): Promise<void> {
  const height = await rpc.call('eth_blockNumber', ['latest'], { signal })
  const block = isCanonical ? height : 'latest'
  const problems: unknown[] = []
  for (const [place, limit] of limits.entries()) {
    try {
      const at = clock.now()
      const ask = (question: Question) => read(rpc, { limit, question, block }, signal)
      const used = await ask(limit)
      const max = typeof limit.max === 'bigint' ? limit.max : await ask(limit.max)
      readings.set(place, { used, max, height, at })
    } catch (error) {
      signal.throwIfAborted()
      problems.push(error)
    }
  }
  if (problems.length > 0) throw problems[0]
}

async function read(
  rpc: Pick<Rpc, 'call'>,
  of: { readonly limit: LimitSetting; readonly question: Question; readonly block: number | 'latest' },
  signal: AbortSignal,
): Promise<bigint> {
  const { limit, block } = of
  const { call, args } = of.question
  const abi = [call]
  const data = encodeFunctionData({ abi, functionName: call.name, args: args.map(toArgument) })
  const answer = await rpc.call('eth_call', [{ to: limit.address, data }, block], { signal })
  const value = decode(abi, call.name, answer)
  if (typeof value === 'bigint') return value
  throw new MonitorError(
    'source.invalid',
    `${limit.name}: ${call.name} of ${limit.address} answered ${answer.slice(0, 80)}, expected an unsigned number: is \`call\` of bridge.limits the contract's own?`,
  )
}

/** Of several values the first. Small numbers come as such. */
function decode(abi: readonly AbiFunction[], functionName: string, data: string): bigint | null {
  try {
    const result: unknown = decodeFunctionResult({ abi, functionName, data: data as `0x${string}` })
    const first: unknown = Array.isArray(result) ? result[0] : result
    return typeof first === 'number' ? BigInt(first) : typeof first === 'bigint' ? first : null
  } catch {
    return null
  }
}

function toArgument(text: string): string | bigint {
  return /^\d+$/.test(text) ? BigInt(text) : text
}
