import type { UnixMs } from '../lib/clock.ts'

export type Direction = 'MainToZone' | 'ZoneToMain'

/** A record as the list shows it, in the neutral words of the document; a dialect renames the keys when it is sent. */
export type CrossRecord = {
  id: string
  txType: string
  crossType: string
  status: string
  mainTxHash: string
  mainBlockHeight: string
  mainBlockTime: string
  zoneTxHash: string
  zoneBlockHeight: string
  zoneBlockTime: string
  from: string
  to: string
  sourceAddress: string
  targetAddress: string
  value: string
  valueRaw: string
  tokenContractAddress: string
  tokenType: string
  tokenId: string
  tokenName: string
  zoneEventIndex: string
  zoneBlockHash: string
  batchDetail: string
  updateTime: string
  blockHeight: string
}

/** What the record says from an instant on, whatever the chains say. */
interface RecordPatch {
  readonly at: UnixMs
  readonly fields: Partial<CrossRecord>
}

/** What is out of the ordinary about one transfer; everything left out follows from its key. */
export interface TransferSpec {
  direction?: Direction
  crossType?: 'Deposit' | 'Withdraw' | 'BatchWithdraw'
  /** A token's symbol. */
  token?: string
  amountRaw?: bigint
  tokenId?: string
  tokenName?: string
  sourceAddress?: string
  targetAddress?: string
  originAt?: UnixMs
  /** Infinity: it never arrives. */
  destinationAt?: UnixMs
  /** When the list first shows it; Infinity: never. */
  listedAt?: UnixMs
  /** When the list stops to show it. */
  unlistedAt?: UnixMs
  id?: string
  /** The origin leg never happened: the record names an invented hash, or none at all. */
  originAbsent?: 'invented' | 'empty'
  /** Another transfer whose origin transaction this one names too. */
  sameOriginAs?: number
  zoneEventIndex?: string
  /** The zone transaction failed with these words. */
  zoneError?: string
  mainFailed?: boolean
  /** What the main leg really moves, when it differs from the record. */
  mainMovedRaw?: bigint
  /** The explorer shows its main transaction, the main chain's own nodes do not know it until then. */
  unknownUntil?: UnixMs
  /** The same of its zone transaction and the zone's own nodes. */
  zoneUnknownUntil?: UnixMs
  /** What the zone leg really moves, when it differs from what record and explorer say. */
  zoneMovedRaw?: bigint
  /** Of a withdrawal that passes stages: the step that nobody takes. */
  nobody?: 'prove' | 'claim'
  patches?: readonly RecordPatch[]
}
