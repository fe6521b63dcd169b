import type { Explorer } from '../clients/explorer/createExplorer.ts'
import { coverMoney } from '../domain/coverMoney.ts'
import { toMoneySettings } from '../domain/toMoneySettings.ts'
import type { Clock } from '../lib/clock.ts'
import { createEvidencePoll, type EvidenceDeps } from '../pollers/evidence.ts'
import { createEvidenceReads } from '../pollers/evidenceReads.ts'
import type { Commit } from '../pollers/reads.ts'
import type { Poller } from '../pollers/runner.ts'
import type { Database } from '../store/database.ts'
import { type EvidenceReading, listKnownHashes } from '../store/evidence.ts'
import { dropQueued, listQueued, nextDueAt, type QueuedLeg, saveQueued } from '../store/evidenceQueue.ts'
import { listHeads } from '../store/heads.ts'
import type { Ledger } from '../store/ledger.ts'
import type { AppConfig } from './appConfig.ts'

export interface EvidencePartDeps {
  readonly clock: Clock
  readonly db: Database
  readonly ledger: Ledger
  readonly explorer: Pick<Explorer, 'callNonEmpty'>
  readonly commit: Commit
  readonly config: Pick<AppConfig, 'bridge' | 'poll'>
  trigger(poller: string): void
}

/**
 * An ordinary leg waits so long for others to share its request: with the half minute that absence takes it is told
 * within two minutes.
 */
export const evidenceHoldMs = 60_000
/** Transactions that share one main transaction, at most. */
const maxSharing = 100

const sources = { zone: ['E9', 'E14'], main: ['E13', 'E2'], native: ['E15', 'E16'] } as const

/** The poller that asks second sources, with what it has to know of the ledger. */
export function createEvidence(deps: EvidencePartDeps): Poller {
  const { clock, db, ledger, commit } = deps
  const money = toMoneySettings(deps.config.bridge)
  const waker = createWaker(deps)
  const poll = createEvidencePoll({
    clock,
    commit,
    reads: createEvidenceReads(deps.explorer),
    listQueued: (ask, limit) => listQueued(db, ask, clock.now(), limit),
    saveQueued: (leg) => saveQueued(db, leg),
    dropQueued: (ask, hash) => dropQueued(db, ask, hash),
    nextDueAt: () => nextDueAt(db),
    knownHashes: (ask) => listKnownHashes(db, ask === 'zone' ? 'zone' : 'main', sources[ask]),
    hasPassed: (leg) => hasPassed(db, leg),
    isCovered: (reading) => isCovered(ledger, money, reading),
    wakeIn: waker,
    others: [],
  })
  return { name: 'evidence', schedule: deps.config.poll.evidence, run: poll }
}

/** Runs the poller when a leg comes due, where the schedule would be too coarse. */
function createWaker({
  clock,
  trigger,
}: Pick<EvidencePartDeps, 'clock' | 'trigger'>): EvidenceDeps['wakeIn'] {
  let pending = new AbortController()
  return (ms, stop) => {
    pending.abort()
    pending = new AbortController()
    const ended = AbortSignal.any([pending.signal, stop])
    void clock.sleep(ms, ended).then(() => {
      if (!ended.aborted) trigger('evidence')
    })
  }
}

function hasPassed(db: Database, leg: QueuedLeg): boolean {
  const head = listHeads(db).find(({ chain }) => chain === (leg.ask === 'zone' ? 'zone' : 'main'))
  if (!head) return false
  return (head.blockTime ?? 0) >= leg.time || (leg.height !== null && head.height > leg.height)
}

function isCovered(
  ledger: Ledger,
  money: ReturnType<typeof toMoneySettings>,
  { hash, moves }: EvidenceReading,
): boolean | null {
  if (moves === null) return null
  const sharing = ledger.listSharing('main', hash, maxSharing).filter((one) => one.isListed)
  return sharing.every((transfer) => {
    const covered = coverMoney(transfer, sharing, moves, money)
    return covered === null || covered === 'covered'
  })
}
