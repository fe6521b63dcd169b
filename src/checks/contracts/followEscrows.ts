import { isMint } from '../../bridge/mint.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ReadOptions } from '../../kernel/reads/reads.ts'
import type { Clock } from '../../lib/clock.ts'
import { followContract } from './followContract.ts'
import { readProgress } from './progressStore.ts'
import type { WatchedContract } from './takeLogs.ts'

/** How often the logs of an escrow are read that is none of the bridge's contracts: reported within three minutes. */
const escrowEveryMs = 60_000

/** Escrows beside the contracts: of their logs only who governs them matters, and it can wait for minutes. */
export function listEscrowContracts({
  contracts,
  escrows,
}: Pick<Kernel['config']['bridge'], 'contracts' | 'escrows'>): string[] {
  const named = new Set(contracts.map((address) => address.toLowerCase()))
  const others = escrows.filter((escrow) => !isMint(escrow)).map(({ address }) => address.toLowerCase())
  return [...new Set(others)].filter((one) => !named.has(one))
}

/** Reads the logs of each at its pace, but of one at a time, so that many do not crowd out what is asked behind them. */
export function followEscrows(
  clock: Clock,
  escrows: readonly WatchedContract[],
): (options: ReadOptions) => Promise<void> {
  const runs = escrows.map((escrow) => followContract(escrow))
  let turn = 0
  let dueMs = 0
  return async (options) => {
    const run = runs[turn % runs.length]
    const nowMs = clock.monotonicMs()
    if (!run || nowMs < dueMs) return
    turn += 1
    dueMs = nowMs + escrowEveryMs / runs.length
    await run(options)
  }
}

/** Whether it is known to be a contract: of a wallet there is no source, and an explorer may refuse to be asked for one. */
export function emits({ address, db }: Pick<WatchedContract, 'address' | 'db'>): boolean {
  return readProgress(db, address).lastLogHeight !== null
}
