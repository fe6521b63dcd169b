import type { BridgeLog } from '../../bridge/bridgeLog.ts'
import type { Rpc } from '../../clients/rpc/createRpc.ts'
import { readAdministration } from './administration.ts'
import { hasLog, hasLogBelow } from './logStore.ts'
import { readProgress } from './progressStore.ts'
import type { WatchedContract } from './takeLogs.ts'

/** `0x`: there is no contract. */
const noCode = '0x'

/**
 * The transaction that made the contract, when it is the first of which logs are known: what a constructor sets up is
 * no change. Asked only of acts that are about to be told, and of nothing but a node: the explorer does not say what a
 * transaction made.
 * @returns null where another one did, or where nobody can say
 */
export async function findBirth(
  contract: WatchedContract,
  logs: readonly BridgeLog[],
  signal: AbortSignal,
): Promise<string | null> {
  const { address, log: logger, rpcs } = contract
  const rpc = rpcs.canonical ?? rpcs.preconf
  const [first] = [...logs].sort((a, b) => a.height - b.height || Number(a.place) - Number(b.place))
  if (rpc === null || !first || isOlder(contract, first)) return null
  if (!logs.some((log) => log.hash === first.hash && isNewAct(contract, log))) return null
  try {
    if (!(await isBirth(rpc, address, first, signal))) return null
    logger.info(
      { contract: address, txHash: first.hash },
      'what made the contract is not told as a change of it',
    )
    return first.hash
  } catch (error) {
    signal.throwIfAborted()
    const text =
      'whether a contract was made in a transaction could not be asked: what it did is told as a change'
    logger.warn({ contract: address, txHash: first.hash, err: error }, text)
    return null
  }
}

/** It was there before: who makes a contract anew at the same address changes it. */
function isOlder({ address, db }: WatchedContract, { height }: BridgeLog): boolean {
  const { lastLogHeight } = readProgress(db, address)
  return (lastLogHeight !== null && lastLogHeight < height) || hasLogBelow(db, address, height)
}

function isNewAct({ administration, clock, db, named, tellSince }: WatchedContract, log: BridgeLog): boolean {
  if ((log.time ?? clock.now()) < tellSince) return false
  return readAdministration(administration, named, log) !== null && !hasLog(db, log)
}

/** By its receipt; of one that another contract made, by the code before its block and after it. */
async function isBirth(
  rpc: Pick<Rpc, 'call'>,
  address: string,
  { hash, height }: BridgeLog,
  signal: AbortSignal,
): Promise<boolean> {
  const options = { signal, attempts: 2 }
  const receipt = await rpc.call('eth_getTransactionReceipt', [hash], options)
  if (receipt?.contractAddress === address) return true
  if (height === 0) return false
  // Of a block that it keeps no state of, a node may see no code in either.
  const after = await rpc.call('eth_getCode', [address, height], options)
  return after !== noCode && (await rpc.call('eth_getCode', [address, height - 1], options)) === noCode
}
