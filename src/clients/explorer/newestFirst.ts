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

/**
 * Pages by their distance from the newest row, whichever end the service begins with: the order of its lists is not
 * documented, and who reads the first page of one that begins with the oldest row sees nothing that is new. Where the
 * first page says so, the last one has to hold what is newer; and has to go on doing so.
 */
export function createPageFromNewest<R>({
  position,
}: Pick<Endpoint<z.ZodType, R>, 'position'>): PageFromNewest<R> {
  /** How many pages there are, and how new the newest row is that was seen; null where the list begins with it. */
  let oldestFirst: { readonly pages: number; readonly newest: number } | null = null
  const newestOf = ({ records }: Answer<R>) =>
    records.reduce((newest, record) => Math.max(newest, position?.(record) ?? -Infinity), -Infinity)

  return async function read(page, ask) {
    if (oldestFirst === null) {
      const answer = await ask(page)
      const pages = answer.totalPage ?? 0
      if (page >= pages || answer.order !== 'oldest-first') return answer
      const newest = newestOf(await ask(pages))
      if (newest <= newestOf(answer)) return answer
      oldestFirst = { pages, newest }
    }
    for (let moves = 0; ; moves += 1) {
      const { newest, pages }: { readonly newest: number; readonly pages: number } = oldestFirst
      if (page > pages) return null
      const answer = await ask(pages - page + 1)
      const moved = Math.abs((answer.totalPage || pages) - pages)
      if (moved === 0 && (page > 1 || answer.empty)) return answer
      if (moved === 0 && newestOf(answer) < newest) {
        // It begins with the newest row by now, or that was taken back.
        oldestFirst = null
        return read(page, ask)
      }
      oldestFirst = { pages: answer.totalPage || pages, newest: Math.max(newest, newestOf(answer)) }
      // By one page less or more nobody misses anything who goes through all of them.
      if (moved <= (page > 1 ? 1 : 0) || moves === maxMoves) return answer
    }
  }
}
