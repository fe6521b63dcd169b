import { canonicalToken } from '../../../bridge/movedToken.ts'
import type { Transfer } from '../../../bridge/transfer.ts'

/** What matched deposits show one token of the main chain to be on the zone chain. */
interface ProposedZoneToken {
  /** The contract on the main chain. */
  readonly token: string
  readonly zoneAddress: string
  /** So many of the deposits that say anything say this. */
  readonly agree: number
  readonly deposits: number
}

/** Fewer prove nothing: a deposit may credit through a contract of its own. */
const fewest = 3

/**
 * For each token, the contract on the zone chain that credited its completed deposits: where the node of the zone, or the
 * zone's own action, names one and the same of all but one in twenty. Never used by itself: whoever configures confirms it.
 */
export function proposeZoneTokens(
  deposits: Iterable<Pick<Transfer, 'direction' | 'state' | 'token' | 'zone' | 'targetAddress' | 'evidence'>>,
): ProposedZoneToken[] {
  const seen = new Map<string, Map<string, number>>()
  for (const deposit of deposits) {
    if (deposit.direction !== 'MainToZone' || deposit.state !== 'completed') continue
    const credited = creditedBy(deposit)
    if (credited === null) continue
    const token = canonicalToken(deposit.token.address)
    const counts = seen.get(token) ?? new Map<string, number>()
    seen.set(token, counts.set(credited, (counts.get(credited) ?? 0) + 1))
  }
  return [...seen].flatMap(([token, counts]) => {
    const deposited = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const [[zoneAddress, agree] = ['', 0]] = [...counts].toSorted((a, b) => b[1] - a[1])
    const isClear = agree >= fewest && agree * 20 >= deposited * 19
    return isClear ? [{ token, zoneAddress, agree, deposits: deposited }] : []
  })
}

/** The one contract that credited the recipient of a deposit; null where nobody says, or several did. */
function creditedBy({
  zone,
  targetAddress,
  evidence,
}: Pick<Transfer, 'zone' | 'targetAddress' | 'evidence'>) {
  const told = evidence.filter(
    ({ chain, hash, status }) => chain === 'zone' && hash === zone?.hash && status === 'success',
  )
  const moved = told.flatMap(({ moves }) => moves ?? []).filter(({ to }) => to === targetAddress)
  const named = told.flatMap(({ action }) => readToken(action) ?? [])
  const contracts = new Set(
    [...moved.map(({ token }) => token), ...named].filter((one) => isContract.test(one)),
  )
  const [only = null] = contracts
  return contracts.size === 1 ? only : null
}

const isContract = /^0x(?!0{40}$)[0-9a-f]{40}$/

function readToken(action: string | undefined): string | null {
  try {
    const value: unknown = JSON.parse(action ?? '')
    const token = typeof value === 'object' && value !== null && 'token' in value ? value.token : null
    return typeof token === 'string' ? token.toLowerCase() : null
  } catch {
    return null
  }
}
