import type { Decimal } from '../bridge/decimal.ts'
import type { Chain, Direction } from '../bridge/observation.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Horizons } from '../meaning/horizon.ts'
import type { LearnedMoney } from '../meaning/learnedMoney.ts'

/** What event detectors know beside the transfer. What lies before `tellSince` is history, not news. */
export interface EventContext {
  readonly now: UnixMs
  readonly tellSince: UnixMs
  readonly bridge: BridgeSettings
  readonly related: RelatedTransfers
  /** What matched transfers have taught of this bridge; left out, nothing is doubted. */
  readonly learned?: LearnedMoney
  /** By how much the service's clock is ahead of ours, ms; 0 when it is not, or not known to be. */
  readonly clockAheadMs: number
  /** The time that the readings of both chains' heads have passed; null while one was not read. */
  readonly watermark?: UnixMs | null
  /** Up to when each source has shown what happened; left out, nothing lags. */
  readonly horizons?: Horizons
  /** How long after its block a record may first be listed, ms. */
  readonly settleMs?: number
}

/** What a judgement of one transfer may look up of others. Each answer costs what it names, whatever is stored. */
export interface RelatedTransfers {
  /** Transfers that bear this hash on this chain, the one judged included; of a crowd those of most value. */
  sharing(chain: Chain, hash: string): readonly Transfer[]
  /** All that bear this hash on this chain, however many they are. */
  allSharing(chain: Chain, hash: string): readonly Transfer[]
  /** Those that bear its origin transaction, itself included, however many they are. */
  ofOrigin(transfer: Transfer): readonly Transfer[]
  /** Whether nothing was sent to its recipient before it. */
  isFirstTo(transfer: Transfer): boolean
  /** The other half of a transfer with one leg, found by amount and recipient alone; null when nothing or several fit. */
  joinedByAmount(transfer: Transfer): Transfer | null
  /** The earliest block time that its records gave its origin transaction; null where none of them names one. */
  firstOriginTime(transfer: Transfer): UnixMs | null
  /** What the escrows hold of a token, base units; null when that is not known, or was not when this happened. */
  escrowBalance(token: string, at: UnixMs): bigint | null
  /** What failed deposits of its sender, of its token, locked and nothing else than its main transaction gave back, token units. */
  locked(transfer: Transfer): Decimal
}

/** What the configuration says of the bridge: judgements rest on it beside the transfer. */
interface BridgeSettings {
  readonly tokens: readonly {
    readonly address: string
    readonly symbol: string
    readonly decimals: number
    readonly zoneAddress?: string | undefined
  }[]
  /** At most so much may be kept of a transfer, in token units. */
  readonly fees: readonly { readonly token: string; readonly direction: Direction; readonly max: string }[]
  readonly contracts?: readonly string[]
  readonly escrows?: readonly { readonly address: string; readonly token: string }[]
}
