import type { ExplorerReads, FeedPage, ReadOptions } from './reads.ts'

/** A page beyond this many is cut off by the service, not the end of the list. */
const cutOffPages = 10_000
const maxRepeats = 2

/** What a walk knows of the page before: enough to notice that it is served again. */
export interface PageMark {
  readonly names: string
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
  number: number,
  before: PageMark | null,
  options: ReadOptions,
): Promise<MarkedPage> {
  for (let repeats = 0; ; repeats += 1) {
    const page = await reads.feedPage(number, options)
    const mark = toMark(page)
    const isRepeat = before !== null && mark.rows > 0 && mark.names === before.names
    if (!isRepeat || repeats === maxRepeats) return { page, mark, isRepeat }
  }
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

function toMark(page: FeedPage): PageMark {
  const names = page.records.map((record) =>
    [
      record.id,
      record.zoneHash,
      record.mainHash,
      record.tokenId,
      record.amountRaw,
      record.targetAddress,
    ].join('|'),
  )
  return { names: names.join('\n'), rows: page.records.length + page.bad.length }
}
