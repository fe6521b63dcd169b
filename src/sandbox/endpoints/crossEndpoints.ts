import { keyOfHash } from '../hashes.ts'
import { zonePage } from '../paging.ts'
import type { Parameters } from '../parameters.ts'
import { recordOf } from '../record.ts'
import { toDialect } from '../dialect.ts'
import { sliceSorted } from '../sortedIndex.ts'
import { partyTest, transfersOfHash } from '../transfers.ts'
import type { CrossRecord } from '../transferSpec.ts'
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
      return numbers.map((number) => show(request, number, detailFields))
    },
  },
]

/** Newest first, by the time at which a transfer began: offsets shift while new ones arrive. */
function listCrossTransactions(request: Request): unknown[] {
  const { world, parameters, page } = request
  const matches = matcher(parameters)
  const shown = (number: number) => show(request, number, listFields)
  const { values } = world.listed
  const txid = parameters.text('txid')
  if (txid === undefined && matches === null) {
    const take = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => at + from)
    return zonePage(page, values.length, (from, to) =>
      take(from, to).map((place) => shown(values[values.length - 1 - place] as number)),
    )
  }
  const candidates = txid === undefined ? candidatesFor(world, parameters) : listedOfAnyHash(world, txid)
  const found = matches ? candidates.filter((number) => matches(recordOf(world, number))) : candidates
  return zonePage(page, found.length, (from, to) => found.slice(from, to).map(shown))
}

/** Listed transfers that may pass the filters, newest first: found without making every record of the history. */
function candidatesFor(world: World, parameters: Parameters): number[] {
  const height = parameters.number('height')
  const start = height ?? parameters.number('startBlockHeight')
  const end = height ?? parameters.number('endBlockHeight')
  if (start !== undefined || end !== undefined)
    return listedInRange(world, start ?? 0, end ?? Number.MAX_SAFE_INTEGER)
  const newestFirst = world.listed.values.toReversed()
  const named = ['address', 'from', 'to']
    .map((name) => parameters.text(name))
    .filter((text) => text !== undefined)
  return named.reduce((left, address) => left.filter(partyTest(world, address)), newestFirst)
}

function listedInRange(world: World, start: number, end: number): number[] {
  const invented = world.injected.filter((number) => world.specials.get(number)?.originAbsent === 'invented')
  const numbers = new Set([...sliceSorted(world.zoneLegs, start, end), ...invented])
  const at = (number: number) => world.originAt[number] as number
  return [...numbers].filter((number) => isListed(world, number)).sort((a, b) => at(b) - at(a) || b - a)
}

/** The filters of a request as one question about a record; null when there are none. */
function matcher(parameters: Parameters): ((record: CrossRecord) => boolean) | null {
  const tests: ((record: CrossRecord) => boolean)[] = []
  const height = parameters.number('height')
  const start = parameters.number('startBlockHeight')
  const end = parameters.number('endBlockHeight')
  // The document does not say which chain's height is meant; the list is the zone chain's.
  if (height !== undefined) tests.push((record) => heightOf(record) === height)
  if (start !== undefined) tests.push((record) => heightOf(record) >= start)
  if (end !== undefined) tests.push((record) => record.zoneBlockHeight !== '' && heightOf(record) <= end)
  const address = parameters.text('address')
  const from = parameters.text('from')
  const to = parameters.text('to')
  const token = parameters.text('tokenContractAddress')
  if (address) {
    tests.push((record) =>
      [record.from, record.to, record.sourceAddress, record.targetAddress].includes(address),
    )
  }
  if (from) tests.push((record) => record.from === from || record.sourceAddress === from)
  if (to) tests.push((record) => record.to === to || record.targetAddress === to)
  if (token) tests.push((record) => record.tokenContractAddress === token)
  return tests.length === 0 ? null : (record) => tests.every((test) => test(record))
}

function heightOf(record: CrossRecord): number {
  return record.zoneBlockHeight === '' ? -1 : Number(record.zoneBlockHeight)
}

function listedOfAnyHash(world: World, hash: string): number[] {
  return [...new Set([...listedOfHash(world, 'main', hash), ...listedOfHash(world, 'zone', hash)])]
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

function isListed(world: World, number: number): boolean {
  const at = world.originAt[number] as number
  return sliceSorted(world.listed, at, at).includes(number)
}

/** `tokenId` is returned only for ERC-1155. */
function show(
  { world, dialect }: Request,
  number: number,
  fields: readonly string[],
): Record<string, string> {
  const record = recordOf(world, number)
  const made = fields === listFields ? world.shownRecords.get(record) : undefined
  if (made) return made
  const names = record.tokenType === 'ERC1155' ? [...fields, 'tokenId'] : fields
  const row = toDialect(dialect, record, names)
  if (fields === listFields) world.shownRecords.set(record, row)
  return row
}
