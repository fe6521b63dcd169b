import { indexAdministration } from './administration.ts'
import type { BridgeLog, EventMeaning } from '../../bridge/bridgeLog.ts'
import type { Clock } from '../../lib/clock.ts'
import { readContractHistory, type HistoryDeps } from './history.ts'
import { followContract } from './followContract.ts'
import { type JudgeDeps, judgeLogs } from './judgeLogs.ts'
import { takeLogs } from './takeLogs.ts'
import { verifySource } from './verifySource.ts'

export interface ContractsDeps
  extends Omit<JudgeDeps, 'configured'>,
    Omit<HistoryDeps, 'takeLogs' | 'since'> {
  readonly contracts: readonly string[]
  readonly events: readonly { readonly topic: string; readonly means: EventMeaning; readonly name: string }[]
  /** Asks to be run again without waiting for the next tick. */
  requestRun(): void
}

/** A run of the history takes no longer, however much else is asked. */
const historyRunMs = 30_000

/**
 * How often a verified source is read: code may be exchanged without an event, and is told within two minutes, the
 * confirming reading and the ticks between included. With many contracts more rarely.
 */
const leastVerifyMs = 40_000
const verifySpacingMs = 6_000

interface ContractsPolls {
  /** The newest logs of every contract, what they mean, and the verified sources. */
  readonly contracts: (signal: AbortSignal) => Promise<void>
  /** What was missed, and the past: apart, because it waits for whatever else is asked. */
  readonly history: (signal: AbortSignal) => Promise<void>
}

/** Watches the bridge's contracts: their logs against the ledger, and what their administration does. */
export function createContractsPolls(deps: ContractsDeps): ContractsPolls {
  const configured = new Map(deps.events.map(({ topic, means }) => [topic, means]))
  const named = deps.events.flatMap(({ topic, means, name }): [string, string][] =>
    means === 'administration' ? [[topic, name]] : [],
  )
  const taking = { ...deps, administration: indexAdministration(), configured: new Map(named) }
  const reading = {
    ...deps,
    since: deps.tellSince,
    takeLogs: (contract: string, logs: readonly BridgeLog[], now: number) =>
      takeLogs(taking, contract, logs, now),
  }
  const follow = deps.contracts.map((address) => followContract(reading, address))
  return {
    async contracts(signal) {
      const results = await Promise.allSettled(follow.map((read) => read({ priority: 'tail', signal })))
      if (judgeLogs({ ...deps, configured })) deps.requestRun()
      throwFirst(results)
    },
    history: (signal) =>
      within(deps.clock, historyRunMs, signal, async (inner) => {
        const everyMs = Math.max(leastVerifyMs, deps.contracts.length * verifySpacingMs)
        for (const address of deps.contracts) await verifySource(deps, address, everyMs, inner)
        for (const address of deps.contracts) await readContractHistory(reading, address, inner)
      }),
  }
}

/** Work that waits behind everything else gives up after a time and goes on at the next tick. */
async function within(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (inner: AbortSignal) => Promise<void>,
): Promise<void> {
  const ended = new AbortController()
  const late = new AbortController()
  const waiting = clock.sleep(ms, AbortSignal.any([signal, ended.signal])).then(() => late.abort())
  try {
    await work(AbortSignal.any([signal, late.signal]))
  } catch (error) {
    if (!late.signal.aborted || signal.aborted) throw error
  } finally {
    ended.abort()
    await waiting
  }
}

/** One contract's trouble must not hide the others' logs, but has to be seen. */
function throwFirst(results: readonly PromiseSettledResult<void>[]): void {
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}
