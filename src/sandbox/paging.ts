import { wrongParameter } from './refusal.ts'

export interface Page {
  readonly page: number
  readonly limit: number
}

/** Pages beyond this are not served: a `totalPage` of it means cut off. */
const maxPages = 10_000

/** `page` and `limit` of a request; a limit above the maximum is lowered without a word, as `limitCap` is. */
export function readPage(query: URLSearchParams, maxLimit: number, limitCap = maxLimit): Page {
  const page = whole(query, 'page', 1)
  const limit = whole(query, 'limit', 20)
  return { page, limit: Math.min(limit, maxLimit, limitCap) }
}

/** A zone list (shape B). `take` gives the records at [from, to) of all `total`. */
export function zonePage(
  page: Page,
  total: number,
  take: (from: number, to: number) => unknown[],
): unknown[] {
  if (total === 0) return []
  const from = (page.page - 1) * page.limit
  const totalPage = Math.ceil(total / page.limit)
  return [
    {
      page: String(page.page),
      limit: String(page.limit),
      totalPage: String(totalPage),
      total: String(total),
      data: from >= total ? [] : take(from, Math.min(from + page.limit, total)),
    },
  ]
}

/**
 * A main-chain list (shape A) called `name`, of items that `show` makes records of: only those of the page are made.
 * `more` are the fields that some lists carry beside the records.
 */
export function mainPage<Item>(
  page: Page,
  list: {
    readonly name: string
    readonly items: readonly Item[]
    readonly more?: Readonly<Record<string, string>>
  },
  show: (item: Item) => unknown,
): unknown[] {
  const { name, items, more } = list
  if (items.length === 0) return []
  const from = (page.page - 1) * page.limit
  return [
    {
      page: String(page.page),
      limit: String(page.limit),
      totalPage: String(Math.min(maxPages, Math.ceil(items.length / page.limit))),
      ...more,
      [name]: items.slice(from, from + page.limit).map(show),
    },
  ]
}

function whole(query: URLSearchParams, name: string, otherwise: number): number {
  const given = query.get(name) ?? ''
  if (given === '') return otherwise
  if (!/^\d{1,9}$/.test(given) || Number(given) < 1) throw wrongParameter(name)
  return Number(given)
}
