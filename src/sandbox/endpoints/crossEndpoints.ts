import { listedOfHash, findListed } from '../findListed.ts'
import { zonePage } from '../paging.ts'
import { rowsOf } from '../record.ts'
import { toDialect } from '../dialect.ts'
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
