import { z } from 'zod'
import type { Observation, RecordSource } from '../../../bridge/observation.ts'
import { type Dialect, spellField } from '../dialect.ts'
import { endpoint, pageParams, param } from '../endpoint.ts'
import * as field from '../fields.ts'
import { fitsAll, fitsHeights, fitsOneOf } from '../fits.ts'
import type { KeysOf } from '../keys.ts'
import { createRecordReader, type RecordReader } from '../recordReader.ts'
import { createExcuses } from './openSide.ts'
import { withoutSharedIds } from './sharedIds.ts'

/** R14 under neutral names, with the additions of E12. */
function crossRecord(dialect: Dialect) {
  return z.object({
    id: field.identifier,
    txType: field.direction(dialect),
    crossType: field.name,
    status: field.status,
    mainTxHash: field.hash,
    mainBlockHeight: field.heightIfAny,
    mainBlockTime: field.time,
    zoneTxHash: field.hash,
    zoneBlockHeight: field.heightIfAny,
    zoneBlockTime: field.time,
    from: field.address,
    to: field.address,
    sourceAddress: field.address,
    targetAddress: field.address,
    value: field.decimal,
    valueRaw: field.rawAmount,
    tokenContractAddress: field.address,
    tokenType: field.name,
    tokenId: field.identifierText,
    tokenName: field.name,
    zoneEventIndex: field.label,
    zoneBlockHash: field.hash,
    batchDetail: field.detail,
    updateTime: field.time,
    blockHeight: field.count,
  })
}

type CrossKeys = KeysOf<ReturnType<typeof crossRecord>>

/** R14 without the additions. */
const baseKeys: CrossKeys = {
  id: 'judged?',
  txType: 'vital!',
  crossType: 'judged!',
  status: 'judged!',
  mainTxHash: 'judged',
  mainBlockHeight: 'judged',
  mainBlockTime: 'judged',
  zoneTxHash: 'judged',
  zoneBlockHeight: 'judged',
  zoneBlockTime: 'judged',
  from: 'shown',
  to: 'shown',
  sourceAddress: 'judged',
  targetAddress: 'judged',
  value: 'judged',
  valueRaw: 'judged',
  tokenContractAddress: 'judged',
  tokenType: 'judged',
  tokenId: 'judged?',
  tokenName: 'shown',
  zoneEventIndex: 'none',
  zoneBlockHash: 'none',
  batchDetail: 'none',
  updateTime: 'none',
  blockHeight: 'none',
}

const detailKeys: CrossKeys = {
  ...baseKeys,
  zoneEventIndex: 'judged',
  zoneBlockHash: 'ignored',
  batchDetail: 'judged',
  updateTime: 'judged',
  blockHeight: 'ignored',
}

/** What an observation calls the fields that it names otherwise. */
const observed: Readonly<Record<string, string>> = {
  mainTxHash: 'mainHash',
  zoneTxHash: 'zoneHash',
  valueRaw: 'amountRaw',
  tokenContractAddress: 'token',
}

function toUnsaid(unsaid: readonly string[], leftOut: readonly string[]): Pick<Observation, 'unsaid'> {
  if (unsaid.length + leftOut.length === 0) return {}
  const spell = (name: string) => observed[name] ?? name
  return { unsaid: [...unsaid.map(spell), ...leftOut.map((name) => `-${spell(name)}`)].join() }
}

function createCrossReader(
  source: RecordSource,
  keys: CrossKeys,
): (dialect: Dialect) => RecordReader<Observation> {
  return (dialect) => {
    const read = createRecordReader({
      schema: crossRecord(dialect),
      requires: {
        holds: ({ id, mainTxHash, zoneTxHash }) => id !== null || mainTxHash !== null || zoneTxHash !== null,
        message: 'expected an id or a transaction hash, got none',
      },
      keys,
      spellings: (name) => [spellField(dialect, name)],
      excuses: createExcuses(dialect),
      finish: (record, requestedAt, unsaid, leftOut) => ({
        ...toUnsaid(unsaid, leftOut),
        source,
        requestedAt,
        id: record.id,
        direction: record.txType,
        crossType: record.crossType,
        status: record.status,
        mainHash: record.mainTxHash,
        mainHeight: record.mainBlockHeight,
        mainTime: record.mainBlockTime,
        zoneHash: record.zoneTxHash,
        zoneHeight: record.zoneBlockHeight,
        zoneTime: record.zoneBlockTime,
        from: record.from,
        to: record.to,
        sourceAddress: record.sourceAddress,
        targetAddress: record.targetAddress,
        value: record.value,
        amountRaw: record.valueRaw,
        token: record.tokenContractAddress,
        tokenType: record.tokenType,
        tokenId: record.tokenId,
        tokenName: record.tokenName,
        ...(source === 'E12' ? detailOf(record) : noDetail),
      }),
    })
    return withoutSharedIds(dialect, read)
  }
}

function detailOf(record: z.output<ReturnType<typeof crossRecord>>) {
  return {
    zoneEventIndex: record.zoneEventIndex,
    zoneBlockHash: record.zoneBlockHash,
    batchDetail: record.batchDetail,
    updateTime: record.updateTime,
    pushHeight: record.blockHeight,
  }
}

const noDetail = {
  zoneEventIndex: null,
  zoneBlockHash: null,
  batchDetail: null,
  updateTime: null,
  pushHeight: null,
}

/** Two equal transfers of one transaction share this key: page drift repeats rows, so a list cannot distinguish them. */
function rowKey(row: Observation): string {
  const hash =
    row.direction === 'MainToZone' ? (row.mainHash ?? row.zoneHash) : (row.zoneHash ?? row.mainHash)
  return [row.id, hash, row.direction, row.token, row.tokenId, row.amountRaw, row.targetAddress].join('|')
}

/** When value left. Which time the service sorts by is not documented. */
function position(row: Observation): number | null {
  return row.direction === 'MainToZone' ? (row.mainTime ?? row.zoneTime) : (row.zoneTime ?? row.mainTime)
}

/** What a transfer involves. The items of a batch may have recipients of their own, which its rows do not show. */
function partiesOf({ from, to, sourceAddress, targetAddress, token, crossType }: Observation) {
  return crossType === 'BatchWithdraw' ? [] : [from, to, sourceAddress, targetAddress, token]
}

const fitsFilters = fitsAll<Observation>(
  fitsOneOf('txid', ({ mainHash, zoneHash, id }) => [mainHash, zoneHash, id]),
  fitsHeights(({ mainHeight, zoneHeight }) => [mainHeight, zoneHeight]),
  fitsOneOf('address', partiesOf),
  fitsOneOf('from', ({ from, sourceAddress }) => [from, sourceAddress]),
  fitsOneOf('to', (row) => (row.crossType === 'BatchWithdraw' ? [] : [row.to, row.targetAddress])),
  fitsOneOf('tokenContractAddress', ({ token }) => [token]),
)

/** A record whose zone side was taken back is still the answer to the hash that it had. */
const fitsZoneHash = fitsOneOf<Observation>('txId', ({ zoneHash, mainHash, id }) =>
  zoneHash === null ? [] : [zoneHash, mainHash, id],
)

/**
 * E3: cross-chain transactions, all filters optional (shape B, records R14).
 *
 * `valueRaw` is in base units, `value` in token units, times in ms. `limit` is at most 100 and may be capped lower in
 * silence: trust the returned one. Which chain's height the height filters mean is not stated. Errors as for every
 * endpoint (classifyAnswer.ts).
 * Source: API documentation, E3.
 */
export const crossTransactions = endpoint({
  id: 'E3',
  name: 'cross-transactions',
  path: '/api/v5/{main}/{zone}/cross/transaction-list',
  chain: 'zone',
  family: 'cross',
  shape: 'B',
  arrays: ['data'],
  params: z.strictObject({
    txid: param.hash.optional(),
    height: param.height.optional(),
    startBlockHeight: param.height.optional(),
    endBlockHeight: param.height.optional(),
    address: param.address.optional(),
    from: param.address.optional(),
    to: param.address.optional(),
    tokenContractAddress: param.address.optional(),
    ...pageParams(100),
  }),
  keys: baseKeys,
  createReader: createCrossReader('E3', baseKeys),
  position,
  rowKey,
  contradicts: fitsFilters,
  filterOf,
  hasRange: true,
  maxLimit: 100,
})

/**
 * E12: details of up to 20 cross-chain transactions by zone-side hash (shape C, records R14 with event index, zone
 * block hash, batch detail, update time and push-side height). One zone transaction may hold several records.
 * Source: API documentation, E12.
 */
export const crossDetails = endpoint({
  id: 'E12',
  name: 'cross-details',
  path: '/api/v5/{main}/{zone}/cross/transaction-multi',
  chain: 'zone',
  family: 'cross',
  shape: 'C',
  arrays: [],
  params: z.strictObject({ txId: param.hashes }),
  listParam: 'txId',
  keys: detailKeys,
  createReader: createCrossReader('E12', detailKeys),
  position,
  rowKey: (row: Observation) => `${rowKey(row)}|${row.zoneEventIndex}`,
  contradicts: fitsZoneHash,
  maxLimit: null,
})

function filterOf(params: Readonly<Record<string, string>>): string | null {
  if ('txid' in params) return 'by hash'
  if ('address' in params || 'from' in params || 'to' in params) return 'by address'
  return 'height' in params || 'startBlockHeight' in params ? 'by height' : null
}
