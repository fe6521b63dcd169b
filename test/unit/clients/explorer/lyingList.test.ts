import { fc, timesOf } from '../../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import type { Window } from '../../../../src/clients/explorer/nextWindow.ts'
import type { Answer } from '../../../../src/clients/explorer/readAnswer.ts'
import { walkPages } from '../../../../src/clients/explorer/walk.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'

// A list whose service lies now and then: what is called complete is complete, and no row is given twice.

interface Row {
  readonly name: string
}

type Rows = readonly string[]

interface Service {
  readonly cap: number
  readonly totals: boolean
  /** What an answer's rows are made into, by the number of the request. */
  readonly lie?: (rows: Rows, request: number, before: Rows) => Rows
  readonly total?: (total: number, request: number) => number
  /** Whether answers name the real limit. */
  readonly isAdmitted?: boolean
}

async function read(list: Rows, service: Service, verify: 'auto' | 'always' = 'auto') {
  let request = -1
  let before: Rows = []
  const ask = ({ page, limit: asked }: Window): Promise<Answer<Row>> => {
    request += 1
    const limit = Math.min(asked, service.cap)
    const honest = list.slice((page - 1) * limit, page * limit)
    const rows = service.lie?.(honest, request, before) ?? honest
    before = honest
    const isForeign = (name: string) => name.startsWith('foreign')
    return Promise.resolve({
      endpoint: 'E7',
      requestedAt: 0,
      records: rows.filter((name) => !isForeign(name)).map((name) => ({ name })),
      quarantined: rows.flatMap((raw, index) =>
        isForeign(raw) ? [{ raw, problem: '', path: '', isMisfit: true, index }] : [],
      ),
      misfits: rows.filter(isForeign),
      list: {},
      page,
      limit: service.isAdmitted === false ? asked : limit,
      totalPage: Math.ceil(list.length / limit),
      total: service.totals ? (service.total?.(list.length, request) ?? list.length) : null,
      order: 'unknown',
      empty: rows.length === 0,
      contradicted: false,
      beyondHead: false,
      unknownFields: 0,
      lacks: [],
    })
  }
  const given: string[] = []
  const result = await walkPages(
    { clock: createSteppedClock(), ask, endpoint: { rowKey: (row: Row) => row.name } },
    {
      limit: 100,
      verify,
      onNew: (rows) => void given.push(...rows.map(({ name }) => name)),
    },
  )
  return { given, result }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `row-${index}`)
const sorted = (rows: Rows) => [...rows].sort()

/** Rows in runs, as the calls of one transaction are: many of them alike, wherever pages end. */
const runs = fc
  .array(fc.record({ alike: fc.integer({ min: 1, max: 4 }), count: fc.integer({ min: 1, max: 40 }) }), {
    minLength: 1,
    maxLength: 25,
  })
  .map((all) =>
    all.flatMap(({ alike, count }, run) =>
      Array.from({ length: count }, (_, index) => `tx-${run}|call-${(index * 7) % alike}`),
    ),
  )

const unproven = [
  'pages could only be read side by side, without an overlap',
  'fewer rows came than the service counts',
]

describe('equal rows', () => {
  test('are each given once, wherever the borders of pages lie', async () => {
    await fc.assert(
      fc.asyncProperty(runs, fc.integer({ min: 10, max: 100 }), fc.boolean(), async (list, cap, totals) => {
        const { given, result } = await read(list, { cap, totals })
        if (result.complete) expect(sorted(given)).toEqual(sorted(list))
        else expect(unproven).toContain(result.reasons[0])
      }),
      { numRuns: timesOf(300) },
    )
  })

  test('on both sides of a border that pages repeat are two', async () => {
    // Rows 97 and 100 are alike; the second page begins with row 98.
    const list = names(150).map((name, index) => (index === 97 || index === 100 ? 'twin' : name))
    const { given, result } = await read(list, { cap: 100, totals: false })
    expect(given.filter((name) => name === 'twin')).toHaveLength(2)
    expect(result.complete).toBe(true)
  })

  test('stay one each when the list is read again to make sure', async () => {
    const list = Array.from({ length: 250 }, (_, index) => `call-${index % 3}`)
    const { given, result } = await read(list, { cap: 100, totals: true }, 'always')
    expect(sorted(given)).toEqual(sorted(list))
    expect(result.complete).toBe(true)
  })
})

describe('a service that lies', () => {
  const lie = fc.record({
    at: fc.nat(14),
    kind: fc.constantFrom('repeat', 'hole', 'empty', 'foreign', 'more', 'fewer', 'half'),
    place: fc.nat(99),
  })

  test('is never believed: complete means every row once, and none that does not belong', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 450 }),
        fc.integer({ min: 10, max: 100 }),
        // One lie to an answer: rows left out and counted out in the same breath are beyond any client.
        fc.uniqueArray(lie, { maxLength: 4, selector: ({ at }) => at }),
        async (count, cap, lies) => {
          const list = names(count)
          const service: Service = {
            cap,
            totals: true,
            lie: (rows, request, before) =>
              lies.filter(({ at }) => at === request).reduce((made, one) => tell(made, one, before), rows),
            total: (total, request) =>
              lies
                .filter(({ at }) => at === request)
                .reduce((made, { kind }) => made + (kind === 'more' ? 7 : kind === 'fewer' ? -3 : 0), total),
          }
          const { given, result } = await read(list, service)
          const own = given.filter((name) => !name.startsWith('foreign'))
          expect(new Set(own).size).toBe(own.length)
          if (!result.complete) return
          expect(sorted(given)).toEqual(sorted(list))
        },
      ),
      { numRuns: timesOf(1_000) },
    )
  })

  test('a row left out of the middle of a page is found by asking again', async () => {
    const without = (rows: Rows, request: number) => (request === 1 ? rows.toSpliced(40, 1) : rows)
    for (const totals of [true, false]) {
      const { given, result } = await read(names(350), { cap: 100, totals, lie: without })
      expect(sorted(given)).toEqual(sorted(names(350)))
      expect(result.complete).toBe(true)
    }
  })

  test('a row that never comes is missed where the service counts its rows', async () => {
    const without = (rows: Rows) => rows.filter((name) => name !== 'row-120')
    const { result } = await read(names(350), { cap: 100, totals: true, lie: without })
    expect(result).toMatchObject({ complete: false, reasons: ['fewer rows came than the service counts'] })
  })

  test('rows that do not belong, and a total above all rows, make it incomplete', async () => {
    const foreign = (rows: Rows) => rows.map((name) => (name === 'row-7' ? 'foreign-7' : name))
    const { result } = await read(names(50), { cap: 100, totals: false, lie: foreign })
    expect(result.reasons).toEqual(['some rows answer another question than was asked'])
    const grown = await read(names(150), { cap: 100, totals: true, total: () => 151 })
    expect(grown.result.complete).toBe(false)
  })
})

function tell(
  rows: Rows,
  { kind, place }: { readonly kind: string; readonly place: number },
  before: Rows,
): Rows {
  switch (kind) {
    case 'repeat':
      return before
    case 'hole':
      return rows.toSpliced(place % Math.max(1, rows.length), 1)
    case 'empty':
      return []
    case 'foreign':
      return rows.length === 0 ? rows : rows.with(place % rows.length, `foreign-${place}`)
    case 'half':
      return rows.slice(0, Math.ceil(rows.length / 2))
    default:
      return rows
  }
}
