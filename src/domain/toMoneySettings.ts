import type { MoneySettings } from './coverMoney.ts'
import { canonicalToken } from './movedToken.ts'
import { boundsOf } from './keptRange.ts'
import { knownVaults, type LearnedMoney } from './learnedMoney.ts'

/** What the configuration says of the bridge's money. */
interface BridgeMoney {
  readonly fees: MoneySettings['fees']
  readonly contracts?: readonly string[]
  readonly escrows?: readonly { readonly address: string; readonly token: string }[]
}

/**
 * Where a deposit of a token has to go: to an escrow of that token, or, without one, to a bridge contract; and to where
 * deposits are seen to go. A contract that is configured and never used tells nothing of where they should go.
 */
export function toMoneySettings(
  { fees, contracts = [], escrows = [] }: BridgeMoney,
  learned: LearnedMoney | null,
): MoneySettings {
  const lower = contracts.map((address) => address.toLowerCase())
  return {
    fees,
    ...(learned && {
      keptOf: ({ token, direction }, claimed) => boundsOf(learned.keptOf(token.address, direction), claimed),
    }),
    vaultsOf(token) {
      const own = escrows
        .filter((one) => canonicalToken(one.token) === canonicalToken(token))
        .map(({ address }) => address.toLowerCase())
      if (learned !== null) return knownVaults(token, lower, learned, own)
      return own.length === 0 ? [] : [...own, ...lower]
    },
  }
}
