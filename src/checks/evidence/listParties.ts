import type { Kernel } from '../../kernel/kernel.ts'

/** So many parties of a transaction are asked for what it carried itself. */
const mostParties = 5

/** By whom a transaction would have carried a deposit itself, and to whom a payout. */
export function listParties({ ledger }: Pick<Kernel, 'ledger'>, hash: string): string[] {
  const sharing = ledger.listSharing('main', hash, mostParties)
  const parties = sharing.map(({ direction, sourceAddress, targetAddress }) =>
    direction === 'MainToZone' ? sourceAddress : targetAddress,
  )
  return [...new Set(parties.filter((party) => party !== ''))]
}
