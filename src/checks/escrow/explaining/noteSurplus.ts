import { toBaseUnits } from '../../../bridge/decimal.ts'
import { asHeld, movedToken } from '../../../bridge/movedToken.ts'
import type { Transfer } from '../../../bridge/transfer.ts'
import type { RelatedTransfers } from '../../../ledger/context.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { surplusOf } from '../../../meaning/findOverpayment.ts'
import { toMoneySettings } from '../../../meaning/toMoneySettings.ts'
import { isDisproved } from '../flows/judgeFlow.ts'
import { toOwedAmount } from '../owed/owed.ts'
import { readSurplus, saveSurplus, type Surplus } from '../owed/surplusStore.ts'
import { decimalsOf } from '../watched/watch.ts'
import type { Explaining } from './explain.ts'
import { accountTransfers } from './keepAccounts.ts'

/**
 * Whether a transfer paid what another one paid already is judged by all of its origin, each time that one of them changes: so
 * what stands of it in the accounts is what is told of it. Belongs inside the commit that judged it.
 */
export function noteSurplus(
  of: Explaining,
  transfer: Transfer,
  related: RelatedTransfers,
  now: UnixMs,
): void {
  const held = asHeld(transfer, of.watch.bridge)
  const { bridge, learned } = of.watch
  const settings = { ...toMoneySettings(bridge, learned, related), learned, now }
  const sharing = related.ofOrigin(transfer)
  const surplus = toSurplus(of, held, surplusOf(transfer, sharing, settings))
  const before = readSurplus(of.db, transfer.key)
  if (isSame(before, surplus)) return
  saveSurplus(of.db, transfer.key, surplus)
  // What the zone says of its transaction is the first one's alone again, or is not.
  const beside = sharing.filter(({ key }) => key !== transfer.key)
  const changed = [held, ...beside.map((one) => asHeld(one, of.watch.bridge))]
  accountTransfers(of, { changed, ceased: [] }, now)
}

/** @param raw base units of its record */
function toSurplus({ watch }: Explaining, held: Transfer, raw: bigint): Surplus | null {
  const { amountRaw, direction, main, state, token } = held
  if (raw === 0n || amountRaw === null || token.isUnknown || state === 'failed' || isDisproved(held))
    return null
  const moved = movedToken(token)
  const decimals = decimalsOf(watch, moved)
  const amount = toOwedAmount(held, decimals)
  if (amount === null) return null
  const beyond = (amount * raw) / amountRaw
  const less = decimals === null ? 0n : (toBaseUnits(watch.mostKept(held).less, decimals) ?? 0n)
  // What a fee left of the origin is no part of a second payout.
  const isWhole = amount - beyond <= less
  const height = direction === 'ZoneToMain' ? (main?.height ?? null) : null
  return { token: moved, amount: isWhole ? amount : beyond, isWhole, height }
}

function isSame(a: Surplus | null, b: Surplus | null): boolean {
  if (a === null || b === null) return a === b
  return a.token === b.token && a.amount === b.amount && a.isWhole === b.isWhole && a.height === b.height
}
