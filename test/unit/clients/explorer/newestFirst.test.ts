import { expect, test } from 'vitest'
import { listOrder } from '../../../../src/clients/explorer/listOrder.ts'
import { createPageFromNewest } from '../../../../src/clients/explorer/newestFirst.ts'
import type { Answer } from '../../../../src/clients/explorer/readAnswer.ts'

const size = 10
const count = (rows: number) => Array.from({ length: rows }, (_, n) => n + 1)

/** A list of numbers, the newest the largest, in the order in which its service gives it. */
function serve(
  given: readonly number[],
  total: ((rows: number, asked: number) => number) | null = (rows) => rows,
) {
  const list = { rows: given, asked: [] as number[] }
  const read = createPageFromNewest<number>({ position: (row) => row })
  const ask = async (page: number) => {
    list.asked.push(page)
    const records = list.rows.slice((page - 1) * size, page * size)
    const answer: Partial<Answer<number>> = {
      records,
      order: listOrder(records, (row) => row),
      totalPage: Math.ceil(list.rows.length / size),
      total: total?.(list.rows.length, list.asked.length) ?? null,
      empty: records.length === 0,
    }
    return answer as Answer<number>
  }
  return { list, page: async (number: number) => (await read(number, ask))?.records ?? null }
}

test('pages of a list that begins with the newest row are asked for as they are', async () => {
  const { list, page } = serve(count(25).toReversed())
  expect(await page(1)).toEqual(count(25).toReversed().slice(0, 10))
  expect(await page(3)).toEqual([5, 4, 3, 2, 1])
  expect(list.asked).toEqual([1, 3])
})

test('the last page of one that begins with the oldest row is the first, and the one before the first is none', async () => {
  const { page } = serve(count(25))
  expect(await page(1)).toEqual([21, 22, 23, 24, 25])
  expect(await page(2)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20])
  expect(await page(3)).toEqual(count(10))
  expect(await page(4)).toBeNull()
})

test('what comes behind the last page is found on the next one', async () => {
  const { list, page } = serve(count(25))
  await page(1)
  list.rows = count(42)
  expect(await page(1)).toEqual([41, 42])
  expect(await page(2)).toEqual([31, 32, 33, 34, 35, 36, 37, 38, 39, 40])
  list.rows = count(38)
  expect(await page(1)).toEqual([31, 32, 33, 34, 35, 36, 37, 38])
})

test('a page of it that is not the first one is counted from the newest row too, however fast that goes on', async () => {
  const { list, page } = serve(count(500))
  expect(await page(3)).toEqual(count(480).slice(470))
  list.rows = count(900)
  expect(await page(3)).toEqual(count(880).slice(870))
})

test('a list that is turned round is read from its other end', async () => {
  const { list, page } = serve(count(25))
  await page(1)
  list.rows = count(26).toReversed()
  expect(await page(1)).toEqual(count(26).toReversed().slice(0, 10))
  list.rows = count(27)
  expect(await page(1)).toEqual([21, 22, 23, 24, 25, 26, 27])
})

test('a first page that happens to rise is no list that begins with the oldest row', async () => {
  const { page } = serve([...count(30).slice(20), ...count(20).toReversed()])
  expect(await page(1)).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30])
  expect(await page(2)).toEqual(count(20).toReversed().slice(0, 10))
})

/** Rows that rise because they came at nearly one time, and what came after them before the first of them. */
const grown = (news: number) => [...Array.from({ length: news }, (_, n) => 25 + news - n), ...count(25)]

test('a list that grew, but not at its last page, is read from its first one', async () => {
  const { page } = serve(count(25))
  const risen = serve(count(25))
  expect(await risen.page(1)).toEqual(await page(1))
  risen.list.rows = grown(1)
  expect(await risen.page(1)).toEqual(grown(1).slice(0, 10))
  risen.list.rows = grown(2)
  expect(await risen.page(1)).toEqual(grown(2).slice(0, 10))
})

test('where nothing says how many rows there are, that is noticed by the next page', async () => {
  const { list, page } = serve(count(25), null)
  await page(1)
  list.rows = grown(5)
  expect(await page(1)).toEqual(count(25).slice(15))
  list.rows = grown(6)
  expect(await page(1)).toEqual(grown(6).slice(0, 10))
})

test('a row that is filled in where it belongs leads to the same last page, by a question more for each end', async () => {
  const { list, page } = serve([1, 2, 4, ...count(25).slice(4)])
  await page(1)
  list.asked.length = 0
  list.rows = count(25)
  expect(await page(1)).toEqual([21, 22, 23, 24, 25])
  expect(list.asked).toEqual([3, 1, 3])
})

test('one that counts more rows at each question is answered all the same', async () => {
  const { page } = serve(count(25), (rows, asked) => rows + asked)
  expect(await page(1)).toEqual([21, 22, 23, 24, 25])
  expect(await page(1)).toEqual([21, 22, 23, 24, 25])
})
