import { nth } from '../../lib/nth.ts'
import { firstAtLeast } from '../sortedIndex.ts'
import type { Places } from './historyCache.ts'
import { createNumbers, type Numbers, numberAt, pushNumber } from './numbers.ts'
import { mainGenesis, mainHead, mainTransactions } from './mainChain.ts'
import type { MainTransaction } from './mainTransaction.ts'
import type { Items } from '../paging.ts'
import type { World } from '../world.ts'

interface Range {
  readonly from: number
  readonly to: number
}

/** The lists of the main chain show no more than about this many transactions, the latest. */
export const maxRows = 10_000

/** A block range of a request, inside what the chain has. */
function clampRange(world: World, from: number | undefined, to: number | undefined): Range {
  return {
    from: Math.max(from ?? 0, mainGenesis(world)),
    to: Math.min(to ?? mainHead(world), mainHead(world)),
  }
}

/** A question to the history of the main chain. */
export interface HistoryQuestion<Item> {
  /** What is asked, in words: equal keys have equal answers. */
  readonly key: string
  /** As asked; left out, from the beginning or to the head. */
  readonly from: number | undefined
  readonly to: number | undefined
  readonly limit: number
  itemsOf(transaction: MainTransaction): readonly Item[]
  /** False for blocks that surely hold nothing of it. */
  mayHold?(height: number): boolean
  /** How many items a block holds, without making its transactions; only where that is known. */
  countIn?(height: number): number
}

const inBlock = 2 ** 20
const cachedQuestions = 64
const cachedPlaces = 4_000_000

/** Up to `limit` items, newest first, of which only those of a page are made. */
export function newestItems<Item>(world: World, question: HistoryQuestion<Item>): Items<Item> {
  const range = clampRange(world, question.from, question.to)
  const places = placesOf(world, question.key, () =>
    // A range that begins beyond the head is filled from its lower end.
    startAt(Math.max(range.to + 1, range.from)),
  )
  const { above, below } = places
  for (; places.high < range.to; places.high += 1) note(world, question, places.high + 1, above)
  for (; places.low > range.from && above.length + below.length < question.limit; places.low -= 1) {
    note(world, question, places.low - 1, below, true)
  }
  const length = Math.min(above.length + below.length, question.limit)
  const at = (place: number) =>
    place < above.length ? numberAt(above, above.length - 1 - place) : numberAt(below, place - above.length)
  return itemsAt(world, question, length, at)
}

/** The first items of a range, oldest first, up to `limit`. */
export function oldestItems<Item>(world: World, question: HistoryQuestion<Item>): Items<Item> {
  const range = clampRange(world, question.from, question.to)
  const places = placesOf(world, question.key, () => startAt(range.from))
  const { above } = places
  for (; places.high < range.to && above.length < question.limit; places.high += 1) {
    note(world, question, places.high + 1, above)
  }
  return itemsAt(world, question, Math.min(above.length, question.limit), (place) => numberAt(above, place))
}

/** Something in the past changed: what was found there holds no longer. */
export function forgetHistory(world: World): void {
  world.blockCache.clear()
  world.historyCache.clear()
}

/** Whether a transfer has its main leg in a block. */
export function hasLeg(world: World, height: number): boolean {
  return world.mainLegs.keys[firstAtLeast(world.mainLegs, height)] === height
}

function startAt(height: number): Places {
  return { above: createNumbers(), below: createNumbers(), low: height, high: height - 1 }
}

function placesOf(world: World, key: string, start: () => Places): Places {
  const { historyCache } = world
  const places = historyCache.get(key) ?? start()
  historyCache.delete(key)
  let kept = places.above.length + places.below.length
  for (const other of historyCache.values()) kept += other.above.length + other.below.length
  // The first of a map is what was not asked for longest.
  for (const [oldest, { above, below }] of historyCache) {
    if (historyCache.size < cachedQuestions && kept <= cachedPlaces) break
    kept -= above.length + below.length
    historyCache.delete(oldest)
  }
  historyCache.set(key, places)
  return places
}

function note<Item>(
  world: World,
  question: HistoryQuestion<Item>,
  height: number,
  into: Numbers,
  isDown: boolean = false,
): void {
  if (question.mayHold?.(height) === false) return
  const count = question.countIn?.(height) ?? itemsIn(world, question, height).length
  for (let at = 0; at < count; at += 1) pushNumber(into, height * inBlock + (isDown ? count - 1 - at : at))
}

function itemsIn<Item>(world: World, question: HistoryQuestion<Item>, height: number): Item[] {
  return mainTransactions(world, height).flatMap((transaction) => question.itemsOf(transaction))
}

function itemsAt<Item>(
  world: World,
  question: HistoryQuestion<Item>,
  length: number,
  at: (place: number) => number,
): Items<Item> {
  return {
    length,
    slice(from, to) {
      const items: Item[] = []
      let made: { height: number; items: Item[] } = { height: -1, items: [] }
      for (let place = from; place < Math.min(to, length); place += 1) {
        const height = Math.floor(at(place) / inBlock)
        if (made.height !== height) made = { height, items: itemsIn(world, question, height) }
        items.push(nth(made.items, at(place) % inBlock))
      }
      return items
    },
  }
}
