import type { MoneySettings } from './coverMoney.ts'

/** What the configuration says of the bridge's money. */
interface BridgeMoney {
  readonly fees: MoneySettings['fees']
  readonly contracts?: readonly string[]
  readonly escrows?: readonly { readonly address: string; readonly token: string }[]
}

/**
 * Where a deposit of a token has to go is known only when an escrow of that token is configured: then it, or a bridge
 * contract. Which vault an unlisted token has nobody said.
 */
export function toMoneySettings({ fees, contracts = [], escrows = [] }: BridgeMoney): MoneySettings {
  const lower = contracts.map((address) => address.toLowerCase())
  return {
    fees,
    vaultsOf(token) {
      const own = escrows.filter((one) => one.token.toLowerCase() === token)
      return own.length === 0 ? [] : [...own.map(({ address }) => address.toLowerCase()), ...lower]
    },
  }
}
