import type { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import type { Answer } from './readAnswer.ts'

/** Reads a page that is counted from the newest row of a list; null behind its end. */
export type PageFromNewest<R> = (
  page: number,
  ask: (page: number) => Promise<Answer<R>>,
) => Promise<Answer<R> | null>

/** A list may get more pages while its last one is asked for; hardly so often. */
const maxMoves = 5

/** What was last seen of the far end of a list that begins with its oldest row. */
interface FarEnd {
  readonly pages: number
  /** As the service counts its rows. */
  readonly total: number | null
  readonly newest: number
}

/**
 * Pages by their distance from the newest row, whichever end the service begins with: the order of its lists is not
 * documented, and who reads the first page of one that begins with the oldest row sees nothing that is new. Where the
 * first page says so, the last one has to hold what is newer, and has to go on doing so: rows of nearly one time rise by
 * chance, and what comes after them stands before them. A list that grows without news at its last page is looked at anew.
 */
export function createPageFromNewest<R>({
  position,
}: Pick<Endpoint<z.ZodType, R>, 'position'>): PageFromNewest<R> {
  /** Null where the list begins with its newest row. */
  let farEnd: FarEnd | null = null
  const newestOf = ({ records }: Answer<R>) =>
    records.reduce((newest, record) => Math.max(newest, position?.(record) ?? -Infinity), -Infinity)
  const toFarEnd = (answer: Answer<R>, pages: number): FarEnd => ({
    pages: answer.totalPage || pages,
    total: answer.total,
    newest: newestOf(answer),
  })

  async function read(
    page: number,
    ask: (page: number) => Promise<Answer<R>>,
    isAnew: boolean,
  ): Promise<Answer<R> | null> {
    if (farEnd === null) {
      const answer = await ask(page)
      const pages = answer.totalPage ?? 0
      if (page >= pages || answer.order !== 'oldest-first') return answer
      const last = await ask(pages)
      const end = toFarEnd(last, pages)
      if (end.newest <= newestOf(answer)) return answer
      farEnd = end
      if (page === 1 && end.pages === pages) return last
    }
    const known: FarEnd = farEnd
    let { pages } = known
    for (let moves = 0; ; moves += 1) {
      if (page > pages) return null
      const answer = await ask(pages - page + 1)
      const end = toFarEnd(answer, pages)
      const moved = Math.abs(end.pages - pages)
      if (moved === 0 && (page > 1 || answer.empty)) return answer
      if (moved === 0 && isElsewhere(known, end)) {
        farEnd = null
        return isAnew ? answer : read(page, ask, true)
      }
      // What it grew by is known when the last page is reached.
      const { total } = moved === 0 ? end : known
      farEnd = { pages: end.pages, total, newest: Math.max(known.newest, end.newest) }
      pages = end.pages
      // By one page less or more nobody misses anything who goes through all of them.
      if (moved <= (page > 1 ? 1 : 0) || moves === maxMoves) return answer
    }
  }

  return (page, ask) => read(page, ask, false)
}

/** Whether the newest rows stand at the other end by now, if what was known was not taken back. */
function isElsewhere(known: FarEnd, { pages, total, newest }: FarEnd): boolean {
  const isGrown = pages > known.pages || (known.total !== null && total !== null && total > known.total)
  return isGrown ? newest <= known.newest : newest < known.newest
}
