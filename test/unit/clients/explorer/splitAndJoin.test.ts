import { fc, timesOf } from '../../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../../../../src/clients/explorer/endpoint.ts'
import type { Answer } from '../../../../src/clients/explorer/readAnswer.ts'
import type { WideParams } from '../../../../src/clients/explorer/question.ts'
import { readAll } from '../../../../src/clients/explorer/readAll.ts'
import { walkPages } from '../../../../src/clients/explorer/walk.ts'
import { rankAt } from '../../../support/anotherOrder.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'

// Any set of hashes, addresses and ranges: what is split into legal requests and joined again is what is there.

interface Row {
  readonly name: string
  readonly height: number
}

const shape = {
  chain: 'main',
  family: 'main',
  shape: 'A',
  arrays: ['transactionList'],
  params: z.strictObject({}),
  keys: {},
  createReader: () => () => ({ problem: '', path: '', flaws: [] }),
  rowKey: (row: Row) => row.name,
  path: '/api',
} as const

const byHashes = endpoint<z.ZodType, Row>({
  ...shape,
  id: 'E13',
  name: 'hashes',
  listParam: 'txId',
  contradicts: ({ name }, { txId }) => (name === txId ? null : 'another hash'),
  maxLimit: null,
})
const byRange = endpoint<z.ZodType, Row>({
  ...shape,
  id: 'E10',
  name: 'range',
  listParam: 'address',
  concerns: ({ name }, values) => name.split('|').some((part) => values.has(part)),
  hasRange: true,
  maxSpan: 40,
  maxLimit: 20,
  cap: 60,
})

interface Asked {
  readonly values: readonly string[]
  readonly start: number
  readonly end: number
}

/** The service as its document says: it refuses what is too much, and gives the newest `cap` rows and no more. */
function serve(
  rows: readonly Row[],
  belongs: (row: Row, values: readonly string[]) => boolean,
  /** Rows of one block come in another order for each question. */
  isUnsettled = false,
) {
  const asked: Asked[] = []
  let pages = 0
  const unsettle = (found: readonly Row[]): readonly Row[] => {
    pages += 1
    const rank = ({ name }: Row) => rankAt(pages, name)
    return isUnsettled ? found.toSorted((a, b) => b.height - a.height || rank(a) - rank(b)) : found
  }
  const find = (endpoint: Endpoint, params: WideParams): Row[] => {
    const values = (params[endpoint.listParam ?? ''] ?? []) as readonly string[]
    const [start, end] = [Number(params['startBlockHeight'] ?? 0), Number(params['endBlockHeight'] ?? 1e9)]
    if (values.length === 0 || values.length > 20) throw new Error('50025')
    if (end - start > (endpoint.maxSpan ?? Number.POSITIVE_INFINITY)) throw new Error('50036')
    asked.push({ values, start, end })
    return rows
      .filter((row) => row.height >= start && row.height <= end && belongs(row, values))
      .toSorted((a, b) => b.height - a.height)
      .slice(0, endpoint.cap)
  }
  const toAnswer = (records: readonly Row[], paging: Partial<Answer<Row>> = {}): Answer<Row> => ({
    endpoint: 'E10',
    requestedAt: 0,
    records,
    quarantined: [],
    misfits: [],
    list: {},
    page: null,
    limit: null,
    totalPage: null,
    total: null,
    order: 'newest-first',
    empty: records.length === 0,
    contradicted: false,
    beyondHead: false,
    unknownFields: 0,
    lacks: [],
    ...paging,
  })
  const explorer = {
    call: (endpoint: Endpoint, params: WideParams) => Promise.resolve(toAnswer(find(endpoint, params))),
    walk: (endpoint: Endpoint, params: WideParams, how: object) => {
      const found = find(endpoint, params)
      const ask = ({ page, limit }: { page: number; limit: number }) =>
        Promise.resolve(
          toAnswer(unsettle(found).slice((page - 1) * limit, page * limit), {
            page,
            limit,
            totalPage: Math.ceil(found.length / limit),
          }),
        )
      return walkPages(
        {
          clock: createSteppedClock(),
          ask,
          endpoint: { rowKey: (row: Row) => row.name, position: (row: Row) => row.height },
        },
        { limit: 20, ...how },
      )
    },
  } as unknown as Parameters<typeof readAll>[0]['explorer']
  return { explorer, asked }
}

async function read(
  service: ReturnType<typeof serve>,
  endpoint: Endpoint<z.ZodType, Row>,
  params: WideParams,
) {
  const given: Row[] = []
  const result = await readAll(
    { explorer: service.explorer, clock: createSteppedClock() },
    endpoint,
    params,
    {
      priority: 'bulk',
      onRecords: (rows) => void given.push(...rows),
    },
  )
  return { given: given.map(({ name }) => name).sort((a, b) => (a < b ? -1 : 1)), result }
}

const inOrder = (rows: readonly Row[]) => rows.map(({ name }) => name).sort((a, b) => (a < b ? -1 : 1))

describe('splitting and joining loses and repeats nothing', () => {
  test('of any set of hashes, repeats and unknown ones among them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(80), { minLength: 1, maxLength: 120 }),
        fc.nat(80),
        async (wanted, known) => {
          const rows = Array.from({ length: known }, (_, at) => ({ name: `0x${at}`, height: at }))
          const service = serve(rows, (row, values) => values.includes(row.name))
          const { given, result } = await read(service, byHashes, { txId: wanted.map((at) => `0x${at}`) })
          expect(given).toEqual(inOrder(rows.filter((_, at) => wanted.includes(at))))
          const unknown = new Set(wanted.filter((at) => at >= known).map((at) => `0x${at}`))
          expect(new Set(result.missing)).toEqual(unknown)
          expect(result.complete).toBe(unknown.size === 0)
        },
      ),
    )
  })

  test('of a range whose rows of one block come in any order, as long as a page has room for more than a block', async () => {
    const { maxSpan: _, cap: __, ...unbounded } = byRange
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 19 }), { minLength: 1, maxLength: 40 }),
        async (sizes) => {
          const rows = sizes.flatMap((size, height) =>
            Array.from({ length: size }, (_, at) => ({ name: `a1|${height}-${at}`, height })),
          )
          const service = serve(rows, () => true, true)
          const question = { address: ['a1'], startBlockHeight: 0, endBlockHeight: sizes.length }
          const { given, result } = await read(service, unbounded, question)
          expect(given).toEqual(inOrder(rows))
          expect(result.reasons).toEqual([])
        },
      ),
    )
  })

  test('of any set of addresses over any range, however many rows its blocks hold below the cap', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(60), { minLength: 1, maxLength: 60 }),
        fc.nat(200),
        fc.nat(150),
        fc.array(fc.record({ height: fc.nat(360), from: fc.nat(60), to: fc.nat(60) }), { maxLength: 500 }),
        async (addresses, start, width, made) => {
          const rows = made.map(({ height, from, to }, at) => ({ name: `tx-${at}|a${from}|a${to}|`, height }))
          const values = addresses.map((address) => `a${address}`)
          const isOf = (row: Row, asked: readonly string[]) =>
            asked.some((one) => row.name.includes(`|${one}|`))
          const service = serve(rows, isOf)
          const end = start + width
          const { given, result } = await read(service, byRange, {
            address: values,
            startBlockHeight: start,
            endBlockHeight: end,
          })
          const wanted = rows.filter((row) => row.height >= start && row.height <= end && isOf(row, values))
          expect(given).toEqual(inOrder(wanted))
          expect(result.reasons).toEqual([])
        },
      ),
      { numRuns: timesOf(60) },
    )
  })

  test('a single block that holds more than the cap is said to be incomplete', async () => {
    const rows = Array.from({ length: 90 }, (_, at) => ({ name: `tx-${at}|a1|`, height: at < 70 ? 5 : at }))
    const service = serve(rows, () => true)
    const { result } = await read(service, byRange, {
      address: ['a1'],
      startBlockHeight: 0,
      endBlockHeight: 100,
    })
    expect(result.reasons).toEqual([
      'the service gives no more results than these, and nothing narrows the question',
    ])
  })
})
