import type { Kernel } from '../../kernel/kernel.ts'
import type { FeedPage, ReadingResult } from '../../kernel/reads/reads.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { isLastPage, type MarkedPage, newestTime, type PageMark, readFeedPage } from './feedPages.ts'
import { noteGap, requestSweep } from './pollSweep.ts'
import type { Walk } from './walk.ts'

type TailKernel = Pick<
  Kernel,
  'clock' | 'reads' | 'commitInSlices' | 'cursors' | 'ledger' | 'list' | 'trigger'
>

/** Pages that one tick reads before it leaves the rest to a walk, which does not hold up the next tick. */
const maxTailPages = 5
/** What confirms a failure must not delay its report. */
const confirmTimeoutMs = 2_000

/**
 * Reads the newest part of the list, page by page, back to where the last complete reading began: a page without news,
 * once a record of that reading's first page was met. Other readings fill the ledger too, so that records being known
 * proves nothing by itself. A reading that breaks off moves no edge, and the next one goes back as far; none is complete
 * while a walk over what one left out is open.
 */
export function createTransfersPoll(kernel: TailKernel, walk: Walk): (signal: AbortSignal) => Promise<void> {
  let lastTotal: number | null = null
  let edge: ReadonlySet<string> | null = null

  return async (signal) => {
    const startedAt = kernel.clock.now()
    // On a first start nothing but the tail and the walk through history fills the ledger, and that reaches further than any edge.
    const { history, tail } = kernel.cursors.read()
    let isJoined = edge === null && !history.done && tail.completeAt === null
    let fresh = 0
    let freshBeyond = 0
    let first: Pick<MarkedPage, 'page' | 'mark'> | null = null
    let before: PageMark | null = null
    for (let number = 1; ; number += 1) {
      const { page, mark, isRepeat } = await readFeedPage(
        kernel.reads,
        { number, before },
        { priority: 'tail', signal },
      )
      before = mark
      first ??= { page, mark }
      isJoined ||= edge !== null && !edge.isDisjointFrom(mark.names)
      const result = await commitPage(kernel, page, signal)
      fresh += result.news
      if (number > 1) freshBeyond += result.news
      if (result.hasUrgent) kernel.trigger('openTransfers')
      if (result.news === 0 && !isRepeat && isJoined) break
      if (isLastPage(page, number)) break
      if (number === maxTailPages) {
        // What lies between the last complete reading and this one must be walked.
        noteGap(walk, startedAt)
        break
      }
    }
    if (first) {
      if (isUnexplained({ lastTotal, edge, freshBeyond }, first)) requestSweep(walk)
      lastTotal = first.page.total ?? lastTotal
      edge = first.mark.names
    }
    if (kernel.cursors.read().gap !== null) return
    kernel.list.readAt = startedAt
    const newestAt = newestTime(first.page.records) ?? startedAt
    saveComplete(kernel, Math.min(startedAt, newestAt), fresh > 0)
  }
}

/**
 * By the newest record where our clock is ahead of it: what is walked and swept again is bounded by this, and compared
 * with records.
 */
function saveComplete({ cursors }: TailKernel, completeAt: UnixMs, isFresh: boolean): void {
  const now = cursors.read()
  const moved = { ...now, tail: { completeAt } }
  // A restart walks back from here, and an hour further: more would only wear the disk, and hold up what is told of the news.
  if (completeAt - (now.tail.completeAt ?? 0) > 3_600_000) cursors.write(moved)
  else if (isFresh) cursors.advance(moved)
}

async function commitPage(kernel: TailKernel, page: FeedPage, signal: AbortSignal) {
  const unconfirmed = kernel.ledger.listUnconfirmed(page.records).slice(0, 20)
  const findings = { answers: [page.records], bad: page.bad }
  if (unconfirmed.length === 0) return kernel.commitInSlices({ ...findings, mayWait: 'without-news' })
  const confirmation = await confirm(kernel, unconfirmed, signal)
  return kernel.commitInSlices({
    answers: [...findings.answers, ...(confirmation.answers ?? [])],
    bad: [...page.bad, ...(confirmation.bad ?? [])],
    zoneTransactions: confirmation.zoneTransactions ?? [],
  })
}

/** What E12 and E9 say of failures in the list; what they do not say in time is asked again by the open transfers. */
async function confirm(
  kernel: TailKernel,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<ReadingResult> {
  const options = {
    priority: 'urgent' as const,
    attempts: 1,
    signal: AbortSignal.any([signal, AbortSignal.timeout(confirmTimeoutMs)]),
  }
  const [details, transactions] = await Promise.allSettled([
    kernel.reads.details(hashes, options),
    kernel.reads.zoneTransactions(hashes, options),
  ])
  return {
    answers: details.status === 'fulfilled' ? [details.value.records] : [],
    zoneTransactions: transactions.status === 'fulfilled' ? transactions.value.records : [],
    bad: [details, transactions].flatMap((read) => (read.status === 'fulfilled' ? read.value.bad : [])),
  }
}

/**
 * `total` is a hint, not proof: it may be wrong, but a jump of it is worth a look. Between two complete readings it
 * rises by what the first page did not hold before (not by its news: other readings may have seen a record already) and
 * by what was found below it.
 */
function isUnexplained(
  {
    lastTotal,
    edge,
    freshBeyond,
  }: { lastTotal: number | null; edge: ReadonlySet<string> | null; freshBeyond: number },
  { page: { total }, mark }: Pick<MarkedPage, 'page' | 'mark'>,
): boolean {
  if (lastTotal === null || total === null) return false
  const arrived = edge === null ? 0 : mark.names.difference(edge).size
  return total < lastTotal || total > lastTotal + arrived + freshBeyond
}
