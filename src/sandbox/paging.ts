import type { Answers } from './answers.ts'
import { wrongParameter } from './refusal.ts'

export interface Page {
  readonly page: number
  readonly limit: number
  /** The limit that the answer names, when it is not the real one. */
  readonly shownLimit?: number
  /** How a list without rows is answered. */
  readonly empty: Answers['empty']
}

/** Pages beyond this are not served: a `totalPage` of it means cut off. */
const maxPages = 10_000

/** `page` and `limit` of a request; a limit above the maximum is lowered without a word, as `limitCap` is. */
export function readPage(
  query: URLSearchParams,
  maxLimit: number,
  answers: Answers,
  limitCap = maxLimit,
): Page {
  const page = whole(query, 'page', 1)
  const legal = Math.min(whole(query, 'limit', 20), maxLimit, limitCap)
  const limit = Math.min(legal, answers.pageLimit)
  return { page, limit, empty: answers.empty, ...(answers.pageLimitAdmitted ? {} : { shownLimit: legal }) }
}

/** A zone list (shape B). `take` gives the records at [from, to) of all `total`. */
export function zonePage(
  page: Page,
  total: number,
  take: (from: number, to: number) => unknown[],
): unknown[] {
  if (total === 0) return emptyPage(page, 'data', { total: '0' })
  const from = (page.page - 1) * page.limit
  const totalPage = Math.ceil(total / page.limit)
  return [
    {
      page: String(page.page),
      limit: String(page.shownLimit ?? page.limit),
      totalPage: String(totalPage),
      total: String(total),
      data: from >= total ? [] : take(from, Math.min(from + page.limit, total)),
    },
  ]
}

/** Items of which only those of a page are made. */
export interface Items<Item> {
  readonly length: number
  slice(from: number, to: number): Item[]
}

/**
 * A main-chain list (shape A) called `name`, of items that `show` makes records of: only those of the page are made.
 * `more` are the fields that some lists carry beside the records.
 */
export function mainPage<Item>(
  page: Page,
  list: {
    readonly name: string
    readonly items: Items<Item>
    readonly more?: Readonly<Record<string, string>>
  },
  show: (item: Item) => unknown,
): unknown[] {
  const { name, items, more } = list
  if (items.length === 0) return emptyPage(page, name, more)
  const from = (page.page - 1) * page.limit
  return [
    {
      page: String(page.page),
      limit: String(page.shownLimit ?? page.limit),
      totalPage: String(Math.min(maxPages, Math.ceil(items.length / page.limit))),
      ...more,
      [name]: items.slice(from, from + page.limit).map(show),
    },
  ]
}

function emptyPage(page: Page, name: string, more: Readonly<Record<string, string>> = {}): unknown[] {
  if (page.empty === 'array') return []
  const [number, totalPage] = page.empty === 'page-0' ? ['0', '0'] : ['1', '']
  return [{ page: number, limit: String(page.shownLimit ?? page.limit), totalPage, ...more, [name]: [] }]
}

function whole(query: URLSearchParams, name: string, otherwise: number): number {
  const given = query.get(name) ?? ''
  if (given === '') return otherwise
  if (!/^\d{1,9}$/.test(given) || Number(given) < 1) throw wrongParameter(name)
  return Number(given)
}
