import type { MoneySettings } from './moneyBounds.ts'
import { judgeMoney, type TwinSettings } from './judgeMoney.ts'
import { canonicalToken } from '../bridge/movedToken.ts'
import { boundsOf } from './keptRange.ts'
import { knownVaults, type LearnedMoney } from './learnedMoney.ts'
import type { Transfer } from '../bridge/transfer.ts'

/** What the configuration says of the bridge's money. */
export interface BridgeMoney extends TwinSettings {
  readonly fees: MoneySettings['fees']
  readonly contracts?: readonly string[]
}

interface Related {
  /** All transfers that bear this hash on the main chain: each is compared with all. */
  allSharing(chain: 'main', hash: string): readonly Transfer[]
}

/**
 * Where a deposit of a token has to go: to an escrow of that token, or, without one, to a bridge contract; and to where
 * deposits are seen to go. A contract that is configured and never used says nothing of where they should go.
 * @param related who shares a main transaction, where what the zone says is set beside its money
 */
export function toMoneySettings(
  { fees, contracts = [], escrows = [] }: BridgeMoney,
  learned: LearnedMoney | null,
  related: Related | null = null,
): MoneySettings {
  const lower = contracts.map((address) => address.toLowerCase())
  const vaultsOf = (token: string) => {
    const own = escrows
      .filter((one) => canonicalToken(one.token) === canonicalToken(token))
      .map(({ address }) => address.toLowerCase())
    if (learned !== null) return knownVaults(token, lower, learned, own)
    return own.length === 0 ? [] : [...own, ...lower]
  }
  return {
    fees,
    vaultsOf,
    ...(learned && {
      keptOf: ({ token, direction }, claimed) => boundsOf(learned.keptOf(token.address, direction), claimed),
    }),
    ...(related && { keptHere: (transfer) => keptHere(transfer, related, vaultsOf) }),
  }
}

function keptHere(transfer: Transfer, related: Related, vaultsOf: MoneySettings['vaultsOf']): bigint | null {
  if (transfer.main === null) return null
  const judged = judgeMoney(transfer, related.allSharing('main', transfer.main.hash), { fees: [], vaultsOf })
  return judged?.gap === 'covered' ? 0n : (judged?.kept?.less ?? null)
}
