import { fc, timesOf } from '../../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../../../src/clients/explorer/readAnswer.ts'
import { nextWindow, type Window } from '../../../../src/clients/explorer/nextWindow.ts'
import { type WalkOptions, walkPages } from '../../../../src/clients/explorer/walk.ts'
import { rankAt } from '../../../support/anotherOrder.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'

interface Row {
  readonly name: string
}

type Change = (list: string[], request: number) => void

interface World {
  readonly cap?: number
  readonly isFixed?: boolean
  readonly totals?: boolean
  readonly position?: (row: Row) => number
  /** What happens to the list before each request. */
  readonly change?: Change
  readonly answer?: (answer: Answer<Row>, request: number, window: Window) => Answer<Row>
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `row-${index}`)

/** A list, newest first, that a service pages with a silent maximum. */
function serve(list: string[], world: World) {
  const asked: Window[] = []
  const ask = (window: Window): Promise<Answer<Row>> => {
    world.change?.(list, asked.length)
    asked.push(window)
    const cap = world.cap ?? 100
    const limit = world.isFixed ? cap : Math.min(window.limit, cap)
    const rows = list.slice((window.page - 1) * limit, window.page * limit)
    const answer: Answer<Row> = {
      endpoint: 'E3',
      requestedAt: asked.length,
      records: rows.map((name) => ({ name })),
      quarantined: [],
      misfits: [],
      list: {},
      page: window.page,
      limit,
      totalPage: Math.ceil(list.length / limit),
      total: world.totals === false ? null : list.length,
      order: 'newest-first',
      empty: rows.length === 0,
      contradicted: false,
      beyondHead: false,
      unknownFields: 0,
      lacks: [],
    }
    return Promise.resolve(world.answer?.(answer, asked.length - 1, window) ?? answer)
  }
  return { ask, asked }
}

async function walk(list: string[], world: World = {}, options: Partial<WalkOptions<Row>> = {}) {
  const read = new Set<string>()
  const { ask, asked } = serve(list, world)
  const result = await walkPages(
    {
      clock: createSteppedClock(),
      ask,
      endpoint: { rowKey: (row: Row) => row.name, ...(world.position && { position: world.position }) },
    },
    {
      limit: 100,
      onPage: (answer) => answer.records.forEach(({ name }) => read.add(name)),
      ...options,
    },
  )
  return { result, read, asked }
}

describe('nextWindow', () => {
  test.each([
    [0, 100, { page: 1, limit: 100 }],
    [100, 100, { page: 2, limit: 98 }],
    [3, 3, { page: 2, limit: 2 }],
    [2, 2, null],
    [2_520, 10, null],
    [1, 1, null],
  ])('from %i with at most %i rows', (offset, limit, expected) => {
    expect(nextWindow(offset, limit)).toEqual(expected)
  })

  test('every page begins before the offset, ends after it, and has at most the allowed rows', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 20, max: 100 }),
        (offset, limit) => {
          const window = nextWindow(offset, limit)
          if (window === null) return offset < 2
          const start = (window.page - 1) * window.limit
          return start < offset && start + window.limit > offset && window.limit <= limit
        },
      ),
    )
  })
})

describe('a list that stands still', () => {
  test.each([1, 19, 99, 100, 101, 250, 3_000])('of %i rows is read whole', async (count) => {
    const { result, read } = await walk(names(count))
    expect(result).toMatchObject({ complete: true, stopped: false, reasons: [], rows: count, total: count })
    expect(read.size).toBe(count)
  })

  test('costs little more than its pages', async () => {
    const { asked } = await walk(names(3_000))
    expect(asked.length).toBeLessThanOrEqual(36)
  })

  test.each([1, 2, 3, 10, 50])('is read whole when pages are capped at %i in silence', async (cap) => {
    const { result, read } = await walk(names(120), { cap })
    expect(result).toMatchObject({ complete: true, reasons: [] })
    expect(read.size).toBe(120)
  })

  test('is read whole when the service ignores the limit and the second page is the last', async () => {
    const { result, read } = await walk(names(25), { cap: 20, isFixed: true })
    expect(result).toMatchObject({ complete: true })
    expect(read.size).toBe(25)
  })

  test('is read whole when the service ignores the limit', async () => {
    const { result, read } = await walk(names(120), { cap: 20, isFixed: true })
    expect(result).toMatchObject({ complete: true })
    expect(read.size).toBe(120)
  })

  test('is read whole when answers claim a larger page than they give', async () => {
    const { result, read } = await walk(names(300), {
      cap: 50,
      answer: (answer) => ({ ...answer, limit: 100 }),
    })
    expect(read.size).toBe(300)
    expect(result.complete).toBe(true)
  })

  test('is not complete when it is empty', async () => {
    const { result, asked } = await walk([])
    expect(result).toMatchObject({ complete: false, reasons: ['the list is empty'] })
    expect(asked).toHaveLength(1)
  })

  test('is read down to where the caller stops', async () => {
    const { result, read } = await walk(
      names(1_000),
      {},
      { onNew: (_, answer) => answer.records.some(({ name }) => name === 'row-150') },
    )
    expect(result).toMatchObject({ complete: true, stopped: true })
    expect(read.size).toBeGreaterThan(150)
    expect(read.size).toBeLessThan(250)
  })
})

describe('answers that do not hold up', () => {
  const blank = (answer: Answer<Row>): Answer<Row> => ({ ...answer, records: [], empty: true, total: null })

  test('an empty page in the middle is read again', async () => {
    const { result } = await walk(names(500), {
      answer: (answer, request) => (request === 2 ? blank(answer) : answer),
    })
    expect(result).toMatchObject({ complete: true, rows: 500 })
  })

  test('a page that stays empty ends the walk incomplete', async () => {
    const { result } = await walk(names(500), {
      answer: (answer, _, { page }) => (page > 2 ? blank(answer) : answer),
    })
    expect(result).toMatchObject({
      complete: false,
      reasons: ['a page where rows are known to be stayed empty'],
    })
  })

  test('a page that came twice is read again', async () => {
    let last: Answer<Row> | null = null
    const { result } = await walk(names(500), {
      answer: (answer, request) => {
        const given = request === 2 && last ? last : answer
        last = answer
        return given
      },
    })
    expect(result).toMatchObject({ complete: true, rows: 500 })
  })

  test('a page that comes again and again ends the walk incomplete', async () => {
    let first: Answer<Row> | null = null
    const { result } = await walk(names(500), {
      answer: (answer) => {
        first ??= answer
        return { ...answer, records: first.records }
      },
    })
    expect(result).toMatchObject({ complete: false, reasons: ['the same page came again and again'] })
  })

  test.each([
    { totalPage: 9_999, complete: true },
    { totalPage: 10_000, complete: false },
  ])('a page count of $totalPage: complete is $complete', async ({ totalPage, complete }) => {
    const { result } = await walk(names(150), { answer: (answer) => ({ ...answer, totalPage }) })
    expect(result.complete).toBe(complete)
  })

  const withMisfit = (answer: Answer<Row>): Answer<Row> => ({
    ...answer,
    records: answer.records.filter(({ name }) => name !== 'row-7'),
    quarantined: [{ raw: 'row-7', problem: 'another question', path: '', isMisfit: true, index: 7 }],
    misfits: ['another question'],
  })

  test('rows that answer another question make it incomplete', async () => {
    const { result, read } = await walk(names(50), { answer: withMisfit })
    expect(result.reasons).toEqual(['some rows answer another question than was asked'])
    expect(read.size).toBe(49)
  })

  test('a page with such rows is read again, and whole when they do not come back', async () => {
    const { result, read } = await walk(names(50), {
      answer: (answer, request) => (request === 0 ? withMisfit(answer) : answer),
    })
    expect(result.reasons).toEqual([])
    expect(read.size).toBe(50)
  })

  test('a short page before the last one makes it incomplete when no total is given', async () => {
    const { result } = await walk(names(150), {
      totals: false,
      answer: (answer) => ({ ...answer, totalPage: 9 }),
    })
    expect(result.reasons).toEqual(['the list ends before the total or the pages that the service gives'])
  })

  test('equal rows of one page are several', async () => {
    const given: string[] = []
    const onNew = (rows: readonly Row[]) => void given.push(...rows.map(({ name }) => name))
    await walk([...names(99), 'twin', 'twin', ...names(150).slice(99)], {}, { onNew })
    expect(given).toHaveLength(152)
  })

  test('a total above what the list gives makes it incomplete', async () => {
    const { result } = await walk(names(150), { answer: (answer) => ({ ...answer, total: 400 }) })
    expect(result.reasons).toEqual(['the list ends before the total or the pages that the service gives'])
  })
})

describe('a list that changes while it is read', () => {
  test('five new rows at every request and pages capped at 50: all of 3,000 are read', async () => {
    let fresh = 0
    const change: Change = (list) => list.unshift(...Array.from({ length: 5 }, () => `new-${fresh++}`))
    const { result, read } = await walk(names(3_000), { cap: 50, change })
    expect(names(3_000).filter((name) => !read.has(name))).toEqual([])
    expect(result.complete).toBe(true)
  })

  test('a list that grows by a page at every request is incomplete, not endless', async () => {
    let fresh = 0
    const change: Change = (list) => list.unshift(...Array.from({ length: 120 }, () => `new-${fresh++}`))
    const { result } = await walk(names(1_000), { change })
    expect(result).toMatchObject({ complete: false })
  })

  test('rows that moved up between two pages are found (semantics 17)', async () => {
    const change: Change = (list, request) => {
      if (request === 3) list.splice(10, 60)
    }
    const { result, read } = await walk(names(1_000), { change, totals: false })
    expect(
      names(1_000)
        .slice(70)
        .filter((name) => !read.has(name)),
    ).toEqual([])
    expect(result.complete).toBe(true)
  })

  test('a range taken out ahead and put back behind is found (semantics 17)', async () => {
    let taken: string[] = []
    const change: Change = (list, request) => {
      if (request === 1) taken = list.splice(150, 30)
      if (request === 6) list.splice(150, 0, ...taken)
    }
    const { result, read } = await walk(names(1_000), { change })
    expect(read.size).toBe(1_000)
    expect(result.complete).toBe(true)
  })

  test('whatever is inserted or re-pushed meanwhile, nothing is lost', async () => {
    const step = fc.record({
      at: fc.nat(12),
      insert: fc.nat(6),
      from: fc.nat(399),
      count: fc.nat(25),
      to: fc.nat(399),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 5, max: 60 }),
        fc.array(step, { maxLength: 6 }),
        async (cap, steps) => {
          const moved = new Set<string>()
          let fresh = 0
          const change: Change = (list, request) => {
            for (const { at, insert, from, count, to } of steps) {
              if (at !== request) continue
              // A row is re-pushed once: one that keeps fleeing from the reader cannot be caught by any reader.
              const range = list.splice(from, count)
              const fleeing = range.filter((name) => !moved.has(name))
              list.splice(from, 0, ...range.filter((name) => moved.has(name)))
              fleeing.forEach((name) => moved.add(name))
              list.splice(to, 0, ...fleeing)
              list.unshift(...Array.from({ length: insert }, () => `new-${fresh++}`))
            }
          }
          const { result, read } = await walk(names(400), { cap, change }, { verify: 'always' })
          const lost = names(400).filter((name) => !read.has(name))
          expect({ lost: result.complete ? lost : [] }).toEqual({ lost: [] })
        },
      ),
      { numRuns: timesOf(300) },
    )
  })
})

describe('a list whose rows of one block come in another order each time', () => {
  /** A block of each of these sizes, and how a row is placed. */
  function blocks(sizes: readonly number[]) {
    const list = sizes.flatMap((size, block) => Array.from({ length: size }, (_, row) => `${block}-${row}`))
    const blockOf = (name: string) => Number(name.slice(0, name.lastIndexOf('-')))
    const change: Change = (rows, request) =>
      void rows.sort((a, b) => blockOf(a) - blockOf(b) || rankAt(request, a) - rankAt(request, b))
    return { list, change, blockOf }
  }

  test.each([true, false])('is read whole, at little more than its pages (totals: %s)', async (totals) => {
    const { list, change, blockOf } = blocks(Array.from({ length: 80 }, (_, block) => 5 + (block % 11)))
    const count = list.length
    const world = { change, totals, position: ({ name }: Row) => -blockOf(name) }
    const { result, read, asked } = await walk(list, world)
    expect({ complete: result.complete, read: read.size }).toEqual({ complete: true, read: count })
    expect(asked.length).toBeLessThanOrEqual(Math.ceil(count / 100) * 1.6)
  })

  test('is not called whole where one block is all of it, and larger than a page', async () => {
    const { list, change } = blocks([180])
    const world = { cap: 50, change, totals: false, position: () => 7 }
    expect((await walk([...list], world)).result).toMatchObject({ complete: false, isUnjoined: true })
    const { result, read } = await walk([...list], { ...world, change: () => undefined })
    expect([result.complete, read.size]).toEqual([true, 180])
  })

  test('in one order, a block of more equal rows than a page holds is read whole, at little more than its pages', async () => {
    const list = [...blocks([6, 8]).list, ...Array.from({ length: 230 }, () => '2-0'), '3-0', '3-1', '4-0']
    const given: string[] = []
    const onNew = (rows: readonly Row[]) => void given.push(...rows.map(({ name }) => name))
    const world = { cap: 50, totals: false, position: ({ name }: Row) => -Number(name.split('-')[0]) }
    const { result, asked } = await walk([...list], world, { onNew })
    expect({ complete: result.complete, given: given.length }).toEqual({ complete: true, given: list.length })
    expect(asked.length).toBeLessThan(10)
  })

  test('is soon given up where a block is larger than a page', async () => {
    const { list, change, blockOf } = blocks([6, 8, 70, 5, 200, 9, 9])
    const world = { cap: 50, change, position: ({ name }: Row) => -blockOf(name) }
    const { result, asked } = await walk(list, world)
    expect(result).toMatchObject({ complete: false, isUnjoined: true })
    expect(asked.length).toBeLessThan(150)
  })

  test('is never called whole where a row is missing, whatever the blocks and the pages, and where it grows meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 20, max: 100 }),
        fc.boolean(),
        fc.boolean(),
        async (sizes, cap, totals, isGrowing) => {
          const { list, change, blockOf } = blocks(sizes)
          const before = [...list]
          let top = 0
          const grow: Change = (rows, request) => {
            if (isGrowing && request % 2 === 1) rows.unshift(`${(top -= 1)}-0`, `${top}-1`)
            change(rows, request)
          }
          const world = { cap, change: grow, totals, position: ({ name }: Row) => -blockOf(name) }
          const { result, read } = await walk(list, world)
          const lost = before.filter((name) => !read.has(name))
          expect({ lost: result.complete ? lost : [] }).toEqual({ lost: [] })
        },
      ),
      { numRuns: timesOf(300) },
    )
  })
})
