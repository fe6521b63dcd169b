import type { Observation } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { ExplorerReads, FeedPage, ReadOptions } from '../../kernel/reads/reads.ts'

/** A page beyond this many is cut off by the service, not the end of the list. */
const cutOffPages = 10_000
const maxRepeats = 2

/** What a walk knows of the page before: enough to notice that it is served again. */
export interface PageMark {
  readonly names: ReadonlySet<string>
  readonly rows: number
}

export interface MarkedPage {
  readonly page: FeedPage
  readonly mark: PageMark
  /** The page before was served again, even after re-reading: it proves nothing, least of all an end. */
  readonly isRepeat: boolean
}

/**
 * Reads a page of the list, and again when it repeats the page before. A repetition can be honest (as many records
 * arrived meanwhile as a page holds), so that after re-reading the walk goes on, without taking it for proof.
 */
export async function readFeedPage(
  reads: Pick<ExplorerReads, 'feedPage'>,
  { number, before }: { readonly number: number; readonly before: PageMark | null },
  options: ReadOptions,
): Promise<MarkedPage> {
  for (let repeats = 0; ; repeats += 1) {
    const page = await reads.feedPage(number, options)
    const mark = toMark(page)
    const isRepeat = before !== null && mark.rows > 0 && isSame(mark, before)
    if (!isRepeat || repeats === maxRepeats) return { page, mark, isRepeat }
  }
}

/** A page that was asked for. */
export interface Reading {
  readonly number: number
  /** How often the walk had been asked to begin anew by then. */
  readonly rewinds: number
  readonly answer: Promise<MarkedPage>
}

export function beginReading(
  reads: Pick<ExplorerReads, 'feedPage'>,
  of: { readonly number: number; readonly before: PageMark | null },
  options: ReadOptions,
  rewinds: number,
): Reading {
  const answer = readFeedPage(reads, of, options)
  // Whoever waits for it hears of it; what nobody waits for is read again.
  answer.catch(() => undefined)
  return { number: of.number, rewinds, answer }
}

/**
 * Whether the list ends with this page. `totalPage` alone is not believed while the page is full, or while `total`
 * says that there is more: the service may count pages by another size than it serves.
 */
export function isLastPage(page: FeedPage, number: number): boolean {
  const rows = page.records.length + page.bad.length
  if (rows === 0) return true
  if (page.totalPage === null || page.totalPage === 0 || page.totalPage >= cutOffPages) return false
  if (number < page.totalPage) return false
  const isFull = page.limit === null || rows >= page.limit
  const holdsMore = page.total !== null && page.total > (number - 1) * (page.limit ?? rows) + rows
  return !isFull && !holdsMore
}

/** Whether a page that repeats the one before lies where the service says that nothing is: some give their last page for it. */
export function isBeyondEnd(page: FeedPage, number: number): boolean {
  const { totalPage, total, limit } = page
  if (totalPage === null || totalPage === 0 || number <= totalPage) return false
  return total === null || limit === null || total <= totalPage * limit
}

/** Null without records that give a time. */
export function newestTime(records: readonly Observation[]): UnixMs | null {
  return (
    Math.max(0, ...records.map(({ mainTime, zoneTime }) => Math.max(mainTime ?? 0, zoneTime ?? 0))) || null
  )
}

/** When the oldest of some records moved value on the main chain, or was to, or `known` where that is older. */
export function oldestTime(records: readonly Observation[], known: UnixMs | null): UnixMs | null {
  const times = records.map(({ mainTime, zoneTime }) => mainTime ?? zoneTime ?? Infinity)
  const oldest = Math.min(known ?? Infinity, ...times)
  return oldest === Infinity ? null : oldest
}

function toMark(page: FeedPage): PageMark {
  // Rows that could not be read are distinguished by what they are.
  const names = new Set([...page.records.map(nameOf), ...page.bad.map(({ raw }) => raw)])
  return { names, rows: page.records.length + page.bad.length }
}

/** The same for a record before and after it completes. */
function nameOf(record: Observation): string {
  const origin =
    record.direction === 'MainToZone'
      ? (record.mainHash ?? record.zoneHash)
      : (record.zoneHash ?? record.mainHash)
  return record.id ?? `${origin}|${record.tokenId}|${record.amountRaw}|${record.targetAddress}`
}

function isSame(a: PageMark, b: PageMark): boolean {
  return a.rows === b.rows && a.names.size === b.names.size && a.names.isSubsetOf(b.names)
}
