import type { Kernel } from '../../kernel/kernel.ts'
import { settleWords } from '../../kernel/sources/sourceWords.ts'
import { askSideBySide } from '../../kernel/running/askSideBySide.ts'
import { createWaker } from '../../kernel/running/waker.ts'
import {
  type Ask,
  dropQueued,
  isShortOfHistory,
  listQueued,
  nextDueAt,
  type QueuedLeg,
  saveQueued,
} from '../../ledger/evidence/evidenceQueue.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Asking, Outcome } from './doubt.ts'
import type { LegAsk } from './indexLag.ts'
import { restAfter } from './restAfter.ts'
import {
  type Run,
  type Evidence,
  type Part,
  batchSize,
  retryMs,
  askBatch,
  askSingly,
  dueIn,
} from './askBatch.ts'

const asks = ['zone', 'main', 'native', 'record', 'past'] as const
/** Of what was long over so many legs are at hand to be asked, and so many transfers are looked through for more. */
export const historyBatch = 200
/** What a run has not asked by then comes first in the next one. */
const runMs = 10_000
/** After so long a kind of question is looked at again in a run that another holds up. */
const lookAgainMs = 1_000
/** Questions about single transactions before the next look: a storm of doubts must not stop the batches. */
const maxSingles = 12
/**
 * Asks second sources of legs, in twenties across transfers and as seldom as possible: an ordinary leg waits a while
 * for others to share its request. A leg that an answer does not hold is asked again until the rules of absence have
 * been met; one empty answer says nothing.
 */
export function createEvidencePoll(
  evidence: Evidence,
  { name, isLate, others }: Part,
): (signal: AbortSignal) => Promise<void> {
  const { clock, db } = evidence
  const wakeIn = createWaker(evidence, name)
  const zoneShown: Asking['zoneShown'] = []
  const lastShown: Run['lastShown'] = new Map()
  const denials: Run['denials'] = new Map()
  const lags: Run['lags'] = new Map()
  const aloneLags: Run['aloneLags'] = new Map()
  return async (signal) => {
    const run: Run = {
      ...evidence,
      isLate,
      lastShown,
      denials,
      signal,
      singles: { left: maxSingles },
      lags,
      aloneLags,
      zoneShown,
      serviceAheadMs: serviceAheadMs(evidence),
    }
    if (isLate && isShortOfHistory(db, asks, clock.now(), historyBatch))
      evidence.ledger.queueHistory(historyBatch, clock.now())
    const askAnew = (ask: LegAsk) => () => {
      run.singles.left = maxSingles
      return askAll(run, ask)
    }
    const work = [
      ...(['zone', 'main', 'native'] as const).map(askAnew),
      ...others.map((ask) => () => ask(signal)),
    ]
    // One kind that cannot be asked holds up no other.
    const results = await askSideBySide({ clock, signal, restMs: lookAgainMs }, work)
    const next = nextDueAt(db, asks, isLate)
    if (next !== null) wakeIn(Math.max(next - clock.now(), 500), signal)
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  }
}

async function askAll(run: Run, ask: LegAsk): Promise<void> {
  const { clock, db, isLate, signal } = run
  const startedAt = clock.now()
  // The queue is looked at anew for each request: what became urgent meanwhile goes before what only waits.
  while (!signal.aborted && clock.now() - startedAt < runMs) {
    const batch = chooseBatch(listQueued(db, ask, isLate, clock.now(), 3 * batchSize), clock.now())
    if (batch === null) return
    let outcome: Outcome
    try {
      outcome = await askBatch(run, ask, batch).catch((error: unknown) =>
        askSingly(run, { ask, batch }, error),
      )
    } catch (error) {
      const now = clock.now()
      save(run, ask, { readings: [], saves: batch.map((leg) => dueIn(leg, now, retryMs)), drops: [] })
      throw error
    }
    const begun = clock.monotonicMs()
    save(run, ask, outcome)
    if (outcome.error !== undefined) throw outcome.error
    if (isLate) await clock.sleep(restAfter(clock.monotonicMs() - begun, isListRead(run)), signal)
  }
}

/** Whether the list was read as far back as it is to be. */
export function isListRead({ cursors }: Pick<Kernel, 'cursors'>): boolean {
  return cursors.read().history.done
}

/**
 * The next twenty of the legs that may be asked, most urgent first; fewer only when one of them has to be asked now,
 * and then with all that may come along. Null when all can wait.
 */
export function chooseBatch(legs: readonly QueuedLeg[], now: UnixMs): QueuedLeg[] | null {
  const batch = legs.slice(0, batchSize)
  return batch.length === batchSize || batch.some((leg) => leg.dueAt <= now) ? batch : null
}

function save({ commit, db, isLate }: Run, ask: Ask, { readings, saves, drops, bad }: Outcome): void {
  commit({
    mayWait: isLate,
    evidence: readings,
    bad: bad ?? [],
    apply: () => {
      for (const hash of drops) dropQueued(db, ask, hash)
      for (const leg of saves) saveQueued(db, leg)
      for (const { hash, status } of readings) if (status !== 'absent') settleWords(db, 'transaction', hash)
      return []
    },
  })
}

/** By how much the service's clock is ahead of ours, negative when it is behind. */
function serviceAheadMs({ explorer }: Evidence): number {
  return explorer.health().clockAheadMs ?? 0
}
