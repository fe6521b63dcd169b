import type { Clock } from '../lib/clock.ts'
import type { Observation } from '../domain/observation.ts'
import type { CursorFile } from '../store/cursors.ts'
import { isLastPage, type MarkedPage, type PageMark, readFeedPage } from './feedPages.ts'
import type { Commit, ExplorerReads, FeedPage, Findings } from './reads.ts'

export interface TransfersDeps {
  readonly clock: Clock
  readonly reads: ExplorerReads
  readonly commit: Commit
  readonly cursors: CursorFile
  /** Zone hashes among these records that are failed in the list and not yet in the ledger. */
  listUnconfirmed(records: readonly Observation[]): string[]
  /** The list holds more, or fewer, than the tail explains: sweep it without pause. */
  requestSweep(): void
  /** The tail broke off before the ledger: what lies between must be walked. */
  requestHistory(): void
  /** Something wants E12 at once. */
  requestDetails(): void
}

export interface TransfersPoll {
  readonly run: (signal: AbortSignal) => Promise<void>
  /** Another reading put records into the ledger from this many pages: finding them there proves nothing. */
  requestDepth(pages: number): void
}

/** Pages that one tick reads before it leaves the rest to the history walk, which does not hold up the next tick. */
const maxTailPages = 5
/** What confirms a failure must not delay telling it. */
const confirmTimeoutMs = 2_000

/**
 * Reads the newest part of the list, page by page, until a page without news. That page proves that the ledger
 * continues from there, provided that earlier walks were complete: one that breaks off asks for a history walk.
 */
export function createTransfersPoll(deps: TransfersDeps): TransfersPoll {
  let lastTotal: number | null = null
  let depth = 1

  async function run(signal: AbortSignal): Promise<void> {
    const startedAt = deps.clock.now()
    let fresh = 0
    let before: PageMark | null = null
    for (let number = 1; ; number += 1) {
      const { page, mark, isRepeat } = await readPage(deps, number, before, signal)
      before = mark
      const result = await commitPage(deps, page, signal)
      fresh += result.news
      if (result.hasUrgent) deps.requestDetails()
      if (number === 1) lastTotal = compareTotals(deps, lastTotal, page, result.news)
      if ((result.news === 0 && !isRepeat && number >= depth) || isLastPage(page, number)) break
      if (number === maxTailPages) return deps.requestHistory()
    }
    depth = 1
    const cursors = deps.cursors.read()
    // Once an hour is enough for a restart to know from where to walk; more often would wear the disk for nothing.
    if (fresh > 0 || startedAt - (cursors.tail.completeAt ?? 0) > 3_600_000) {
      deps.cursors.write({ ...cursors, tail: { completeAt: startedAt } })
    }
  }

  return {
    run,
    requestDepth(pages) {
      depth = Math.min(Math.max(depth, pages), maxTailPages)
    },
  }
}

async function readPage(
  deps: TransfersDeps,
  number: number,
  before: PageMark | null,
  signal: AbortSignal,
): Promise<MarkedPage> {
  try {
    return await readFeedPage(deps.reads, number, before, { priority: 'tail', signal })
  } catch (error) {
    // The pages before this one are in the ledger already, and would look like its end next time.
    if (number > 1) deps.requestHistory()
    throw error
  }
}

async function commitPage(deps: TransfersDeps, page: FeedPage, signal: AbortSignal) {
  const unconfirmed = deps.listUnconfirmed(page.records).slice(0, 20)
  const findings = { answers: [page.records], bad: page.bad }
  if (unconfirmed.length === 0) return deps.commit(findings)
  const confirmation = await confirm(deps, unconfirmed, signal)
  return deps.commit({
    answers: [...findings.answers, ...(confirmation.answers ?? [])],
    bad: [...page.bad, ...(confirmation.bad ?? [])],
    zoneTransactions: confirmation.zoneTransactions ?? [],
  })
}

/** What E12 and E9 say of failures in the list; what they do not say in time is asked again by the open transfers. */
async function confirm(
  deps: TransfersDeps,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<Findings> {
  const options = {
    priority: 'urgent' as const,
    attempts: 1,
    signal: AbortSignal.any([signal, AbortSignal.timeout(confirmTimeoutMs)]),
  }
  const [details, transactions] = await Promise.allSettled([
    deps.reads.details(hashes, options),
    deps.reads.zoneTransactions(hashes, options),
  ])
  return {
    answers: details.status === 'fulfilled' ? [details.value.records] : [],
    zoneTransactions: transactions.status === 'fulfilled' ? transactions.value.records : [],
    bad: [details, transactions].flatMap((read) => (read.status === 'fulfilled' ? read.value.bad : [])),
  }
}

/** `total` is a hint, not proof: it may be wrong, but a jump of it is worth a look. */
function compareTotals(
  deps: TransfersDeps,
  last: number | null,
  page: FeedPage,
  news: number,
): number | null {
  if (last !== null && page.total !== null && (page.total < last || page.total > last + news))
    deps.requestSweep()
  return page.total ?? last
}
