import type { UnixMs } from '../../../lib/clock.ts'
import * as field from '../fields.ts'
import type { MainState } from '../fields.ts'
import type { KeyClasses } from '../keys.ts'
import type { RecordReader } from '../recordReader.ts'

/** What transactions, transfers and internal transactions of the main chain have in common. */
export interface MainRow {
  readonly requestedAt: UnixMs
  readonly hash: string
  readonly blockHash: string | null
  readonly height: number | null
  /** For a pending transaction the time of its broadcast. */
  readonly time: UnixMs | null
  readonly from: string
  readonly to: string
  readonly isFromContract: boolean | null
  readonly isToContract: boolean | null
  /** Token units, or units of the native currency: the main chain's amounts never come in base units. */
  readonly amount: string | null
  readonly symbol: string
  readonly state: MainState
}

/** The fields of R1 to R7 that are read alike. */
export const mainRowFields = {
  txId: field.requiredHash,
  blockHash: field.hash,
  height: field.count,
  transactionTime: field.time,
  from: field.requiredAddress,
  to: field.address,
  isFromContract: field.flag,
  isToContract: field.flag,
  amount: field.decimal,
  symbol: field.name,
  state: field.state,
}

/** What hangs on these fields, where all of them are documented. An index that lags may not know the time yet. */
export const mainRowKeys = {
  txId: 'vital!',
  blockHash: 'ignored',
  height: 'judged',
  transactionTime: 'judged',
  from: 'vital',
  to: 'vital',
  isFromContract: 'ignored?',
  isToContract: 'ignored',
  amount: 'vital',
  symbol: 'ignored',
  state: 'judged!',
} as const

/** What the endpoints of one kind of row have in common. */
export function mainList<R extends MainRow>(row: {
  readonly keys: KeyClasses
  readonly createReader: () => RecordReader<R>
  readonly rowKey: (row: R) => string
}) {
  return {
    ...row,
    chain: 'main',
    family: 'main',
    shape: 'A',
    position: ({ height, time }: R) => height ?? time,
  } as const
}
