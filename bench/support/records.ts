import { createHash } from 'node:crypto'
import type { Observation } from '../../src/bridge/observation.ts'
import { toRecord } from '../../test/support/records.ts'

/** As random as hashes are: neighbours in the list are none in an index. */
const hash = (side: number, index: number): string =>
  `0x${createHash('sha256').update(`${side} ${index}`).digest('hex')}`

const address = (of: number): string => hash(4, of).slice(0, 42)

/** A completed transfer as E3 gives it, that arrived at a time (ms). */
export function createRecord(index: number, at: number): Record<string, string> {
  return {
    id: hash(1, index),
    txType: index % 2 === 0 ? 'ZoneToMain' : 'MainToZone',
    crossType: index % 2 === 0 ? 'Withdraw' : 'Deposit',
    status: '0x1',
    mainTxHash: hash(2, index),
    mainBlockHeight: String(1_000_000 + index),
    mainBlockTime: String(at),
    zoneTxHash: hash(3, index),
    zoneBlockHeight: String(9_000_000 + index),
    zoneBlockTime: String(at - 20_000),
    from: `0x${'f'.repeat(40)}`,
    to: `0x${'e'.repeat(40)}`,
    sourceAddress: address(index % 5_000),
    targetAddress: address(index % 7_000),
    value: `${index + 1}.5`,
    valueRaw: `${index + 1}500000`,
    tokenContractAddress: `0x${(index % 5).toString().repeat(40)}`,
    tokenType: 'ERC20',
    tokenId: '',
    tokenName: 'Token',
  }
}

/** A page of the list as the API gives it. */
export function toPage(
  data: readonly Record<string, string>[],
  paging: { page: number; total: number },
): string {
  const { page, total } = paging
  const totalPage = String(Math.ceil(total / 100))
  const body = { page: String(page), limit: '100', totalPage, total: String(total), data }
  return JSON.stringify({ code: '0', msg: '', data: [body] })
}

/** A completed transfer as the client reads it, that arrived 5 s before a time (ms). */
export function toObservation(index: number, at: number): Observation {
  const isDeposit = index % 2 === 1
  return toRecord({
    requestedAt: at,
    id: hash(1, index),
    direction: isDeposit ? 'MainToZone' : 'ZoneToMain',
    crossType: isDeposit ? 'Deposit' : 'Withdraw',
    mainHash: hash(2, index),
    mainHeight: index,
    mainTime: at - (isDeposit ? 25_000 : 5_000),
    zoneHash: hash(3, index),
    zoneHeight: index,
    zoneTime: at - (isDeposit ? 5_000 : 25_000),
    sourceAddress: address(index % 5_000),
    targetAddress: address(index % 7_000),
    value: String(index),
    amountRaw: BigInt(index) * 1_000_000n,
    token: `0x${'c'.repeat(40)}`,
    tokenName: 'Token',
  })
}
