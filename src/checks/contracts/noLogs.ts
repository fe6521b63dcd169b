import { lastCovered, observedSince } from '../../kernel/running/coverage.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { NoLogs } from './facts.ts'
import { readProgress } from './progressStore.ts'
import { enoughCrossed } from './silent.ts'

/** So often it is looked again, as long as there is none. */
const everyMs = 60_000

type Ground = Pick<Kernel, 'config' | 'db' | 'ledger'>

/** Whether any contract of the bridge was ever seen to emit anything: once one was, nothing is looked up any more. */
export function createNoLogsReader(ground: Ground): (now: UnixMs) => NoLogs | null {
  const { contracts } = ground.config.bridge
  const seen: { isAny: boolean; lookedAt: UnixMs | null; last: NoLogs | null } = {
    isAny: contracts.length === 0,
    lookedAt: null,
    last: null,
  }
  return (now) => {
    const isFresh = seen.lookedAt !== null && Math.abs(now - seen.lookedAt) < everyMs
    if (seen.isAny || isFresh) return seen.last
    seen.isAny = contracts.some((address) => readProgress(ground.db, address).lastLogHeight !== null)
    seen.last = seen.isAny ? null : readNoLogs(ground)
    seen.lookedAt = now
    return seen.last
  }
}

function readNoLogs({ config, db, ledger }: Ground): NoLogs | null {
  const [since, readAt] = [observedSince(db, 'contracts'), lastCovered(db, 'contracts')]
  if (since === null || readAt === null) return null
  const crossed = ledger.listArrived({ from: since, limit: enoughCrossed })
  return { contracts: config.bridge.contracts, since, readAt, crossed: crossed.length }
}
