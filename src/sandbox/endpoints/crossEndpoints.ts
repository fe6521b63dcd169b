import { toDialect } from '../dialect.ts'
import type { Facet } from '../facets.ts'
import { keyOfHash } from '../hashes.ts'
import { hasName, isListed, type Named, namesOf, newestFirst } from '../listIndex.ts'
import type { NumberList } from '../numberList.ts'
import { type Items, zonePage } from '../paging.ts'
import type { Parameters } from '../parameters.ts'
import { recordOf, rowsOf, showsZoneLeg } from '../record.ts'
import { sliceSorted, type SortedIndex } from '../sortedIndex.ts'
import type { CrossRecord } from '../transferSpec.ts'
import { isOrdinary, transfersOfHash } from '../transfers.ts'
import type { World } from '../world.ts'
import type { Endpoint, Request } from './endpoint.ts'

const listFields = [
  'id',
  'txType',
  'crossType',
  'status',
  'mainTxHash',
  'mainBlockHeight',
  'mainBlockTime',
  'zoneTxHash',
  'zoneBlockHeight',
  'zoneBlockTime',
  'from',
  'to',
  'sourceAddress',
  'targetAddress',
  'value',
  'valueRaw',
  'tokenContractAddress',
  'tokenType',
  'tokenName',
]

const detailFields = [
  ...listFields,
  'zoneEventIndex',
  'zoneBlockHash',
  'batchDetail',
  'updateTime',
  'blockHeight',
]

export const crossEndpoints: readonly Endpoint[] = [
  {
    name: 'E3',
    chain: 'zone',
    path: 'cross/transaction-list',
    parameters: {
      txid: 'hash',
      height: 'height',
      startBlockHeight: 'height',
      endBlockHeight: 'height',
      address: 'address',
      from: 'address',
      to: 'address',
      tokenContractAddress: 'address',
    },
    maxLimit: 100,
    answer: listCrossTransactions,
  },
  {
    name: 'E12',
    chain: 'zone',
    path: 'cross/transaction-multi',
    parameters: { txId: 'hashes!' },
    answer: (request) => {
      const hashes = [...new Set(request.parameters.list('txId'))]
      const numbers = hashes.flatMap((hash) => listedOfHash(request.world, 'zone', hash))
      return numbers.flatMap((number) => show(request, number, detailFields))
    },
  },
]

const keptCombinations = 8

type Filter = readonly [facet: Facet, value: string]

interface Heights {
  readonly from: number
  readonly to: number
}

/** Newest first, by the time at which a transfer began: offsets shift while new ones arrive. */
function listCrossTransactions(request: Request): unknown[] {
  const { world, parameters, page } = request
  const found = findListed(world, parameters)
  if (world.answers.batches === 'items') {
    const rows = found.slice(0, found.length).flatMap((number) => show(request, number, listFields))
    return zonePage(page, rows.length, (from, to) => rows.slice(from, to))
  }
  return zonePage(page, found.length, (from, to) =>
    found.slice(from, to).flatMap((number) => show(request, number, listFields)),
  )
}

/** `tokenId` is returned only for ERC-1155. */
function show(
  { world, dialect }: Request,
  number: number,
  fields: readonly string[],
): Record<string, string>[] {
  return rowsOf(world, number).map((record) => {
    const made = fields === listFields ? world.shownRecords.get(record) : undefined
    if (made) return made
    const names = record.tokenType === 'ERC1155' ? [...fields, 'tokenId'] : fields
    const row = toDialect(dialect, record, names)
    if (fields === listFields) world.shownRecords.set(record, row)
    return row
  })
}

/** The listed transfers that a request of E3 asks for, newest first. Of a single name only those of the page are looked at. */
function findListed(world: World, parameters: Parameters): Items<number> {
  const filters = filtersOf(parameters)
  const heights = heightsOf(parameters)
  const txid = parameters.text('txid')
  if (txid === undefined && heights === null && filters.length < 2 && world.listIndex.renamed.size === 0) {
    const [filter] = filters
    const list = filter ? listFor(world, filter) : world.listed
    return list ? downwards(list) : []
  }
  const known = txid === undefined && heights === null && world.listIndex.renamed.size === 0
  if (known) return combined(world, filters, parameters.key)
  const candidates =
    txid !== undefined
      ? listedOfAnyHash(world, txid)
      : heights
        ? listedAtHeights(world, heights)
        : shortestList(world, filters)
  return candidates.filter(
    (number) => passes(world, number, filters) && (heights === null || isWithin(world, number, heights)),
  )
}

/** Those of several names, found once for as long as the list stays what it is. */
function combined(world: World, filters: readonly Filter[], key: string): Items<number> {
  const { combinations, listings } = world.listIndex
  const found = combinations.get(key)
  if (found?.listings === listings) return found.numbers
  if (combinations.size >= keptCombinations) combinations.clear()
  const numbers = shortestList(world, filters).filter((number) => passes(world, number, filters))
  combinations.set(key, { listings, numbers })
  return numbers
}

/** Listed transfers whose record shows this hash: not before the leg itself is shown. */
function listedOfHash(world: World, chain: 'main' | 'zone', hash: string): number[] {
  const field = chain === 'main' ? 'mainTxHash' : 'zoneTxHash'
  const invented = keyOfHash(world.seed, 'invented', hash)
  const candidates =
    invented === null
      ? transfersOfHash(world, chain, hash)
      : [world.injected[invented - 0x80000000]].filter((number) => number !== undefined)
  const listed = candidates.filter((number) => isListed(world, number))
  return listed.filter((number) => recordOf(world, number)[field] === hash)
}

function listedOfAnyHash(world: World, hash: string): number[] {
  return [...new Set([...listedOfHash(world, 'main', hash), ...listedOfHash(world, 'zone', hash)])]
}

function filtersOf(parameters: Parameters): Filter[] {
  const named: [Facet, string | undefined][] = [
    ['address', parameters.text('address')],
    ['from', parameters.text('from')],
    ['to', parameters.text('to')],
    ['token', parameters.text('tokenContractAddress')],
  ]
  return named.filter((filter): filter is [Facet, string] => filter[1] !== undefined)
}

function heightsOf(parameters: Parameters): Heights | null {
  const height = parameters.number('height')
  const [start, end] = [parameters.number('startBlockHeight'), parameters.number('endBlockHeight')]
  if (height === undefined && start === undefined && end === undefined) return null
  return {
    from: Math.max(height ?? 0, start ?? 0),
    to: Math.min(height ?? Number.MAX_SAFE_INTEGER, end ?? Number.MAX_SAFE_INTEGER),
  }
}

/** The list of a name: that of the bridge is the whole one. */
function listFor(world: World, [facet, value]: Filter): NumberList | SortedIndex | undefined {
  const isInAll = value === world.contracts.bridge && (facet === 'address' || facet === 'to')
  return isInAll ? world.listed : world.listIndex.facets[facet].get(value)
}

function downwards(list: NumberList | SortedIndex): Items<number> {
  const { values } = list
  const length = 'keys' in list ? list.keys.length : list.length
  return {
    length,
    slice: (from, to) =>
      Array.from(
        { length: Math.max(0, Math.min(to, length) - from) },
        (_, at) => values[length - 1 - from - at] as number,
      ),
  }
}

function shortestList(world: World, filters: readonly Filter[]): number[] {
  if (filters.length === 0) return world.listed.values.toReversed()
  const lists = filters.map((filter) =>
    downwards(listFor(world, filter) ?? { values: new Uint32Array(), length: 0 }),
  )
  const shortest = lists.reduce((best, list) => (list.length < best.length ? list : best))
  return shortest.slice(0, shortest.length)
}

function passes(world: World, number: number, filters: readonly Filter[]): boolean {
  if (filters.length === 0) return true
  const names: Named = world.listIndex.renamed.has(number) ? recordOf(world, number) : namesOf(world, number)
  return filters.every(([facet, value]) => hasName(facet, value, names))
}

function listedAtHeights(world: World, heights: Heights): number[] {
  const { heights: meant } = world.answers
  const legs = [...(meant === 'main' ? [] : [world.zoneLegs]), ...(meant === 'zone' ? [] : [world.mainLegs])]
  const invented = world.injected.filter((number) => world.specials.get(number)?.originAbsent === 'invented')
  const numbers = new Set([
    ...legs.flatMap((index) => sliceSorted(index, heights.from, heights.to)),
    ...invented,
  ])
  return [...numbers].filter((number) => isListed(world, number)).sort(newestFirst(world))
}

/** Which chain's height the filters mean is not documented: a scenario says. */
function isWithin(world: World, number: number, heights: Heights): boolean {
  const { heights: meant } = world.answers
  if (meant === 'zone' && isOrdinary(world, number)) return showsZoneLeg(world, number)
  const record = recordOf(world, number)
  return heightsShown(record, meant).some(
    (height) => height !== '' && Number(height) >= heights.from && Number(height) <= heights.to,
  )
}

function heightsShown(record: CrossRecord, meant: World['answers']['heights']): readonly string[] {
  switch (meant) {
    case 'zone':
      return [record.zoneBlockHeight]
    case 'main':
      return [record.mainBlockHeight]
    case 'either':
      return [record.zoneBlockHeight, record.mainBlockHeight]
    case 'push':
      return [record.blockHeight]
    default:
      return meant satisfies never
  }
}
