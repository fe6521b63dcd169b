import { movedToken } from '../bridge/movedToken.ts'
import { type Chain, chains } from '../bridge/observation.ts'
import { destinationLeg, type Leg, originLeg, type Transfer } from '../bridge/transfer.ts'
import type { RelatedTransfers } from '../ledger/context.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { mostOfTransaction } from '../ledger/transfers/transferRows.ts'
import { firstOriginTime } from '../ledger/sightings/firstOriginTime.ts'
import type { UnixMs } from '../lib/clock.ts'
import { once } from '../lib/once.ts'
import type { Stakes } from './stakes.ts'

/** Of one transaction so many are compared with each other. */
const maxRelated = 200

/** Asked at most once a commit for each hash: a bundle of a hundred is looked up once, not a hundred times. */
export function createRelated(
  deps: { readonly ledger: Ledger; readonly stakes: Pick<Stakes, 'lockedOf' | 'reserveOf' | 'reserveSince'> },
  changed: readonly Transfer[],
): RelatedTransfers {
  const sharing: Sharing = { main: new Map(), zone: new Map() }
  shareAmong(deps.ledger, changed, originLeg, sharing)
  // Readings of what escrows hold are saved after all that is judged here.
  const balances = new Map<string, { readonly amount: bigint | null; readonly since: UnixMs | null }>()
  // Only some judgements look at who else arrived in the same transaction.
  let withDestinations = false
  const find = (chain: Chain, hash: string) => {
    if (withDestinations) return undefined
    withDestinations = true
    shareAmong(deps.ledger, changed, destinationLeg, sharing)
    return sharing[chain].get(hash)
  }
  const crowds: Sharing = { main: new Map(), zone: new Map() }
  const isChanged = once(() => new Set(changed.map(({ key }) => key)))
  const listAll = (chain: Chain, hash: string) => {
    const known = sharing[chain].get(hash)
    if (known !== undefined) return crowds[chain].get(hash) ?? known
    const all = find(chain, hash) ?? deps.ledger.listSharing(chain, hash, mostOfTransaction)
    const compared = all.length <= maxRelated ? all : pickCompared(all, isChanged(), deps.ledger)
    sharing[chain].set(hash, compared)
    if (compared !== all) crowds[chain].set(hash, all)
    return all
  }
  const listCompared = (chain: Chain, hash: string) => {
    const all = listAll(chain, hash)
    return sharing[chain].get(hash) ?? all
  }
  return {
    sharing: listCompared,
    allSharing: listAll,
    ofOrigin(transfer) {
      const origin = originLeg(transfer)
      return origin === null ? [] : listAll(origin.chain, origin.hash)
    },
    isFirstTo: (transfer) => deps.ledger.isFirstTo(transfer),
    joinedByAmount: (transfer) => deps.ledger.joinedByAmount(transfer),
    firstOriginTime: (transfer) => firstOriginTime(transfer, deps.ledger.listSightings(transfer.key)),
    locked: ({ sourceAddress: sender, token, main }) =>
      deps.stakes.lockedOf({ sender, token: movedToken(token), mainHash: main?.hash ?? '' }),
    escrowBalance(token, at) {
      const { stakes } = deps
      const known = balances.get(token) ?? {
        amount: stakes.reserveOf(token),
        since: stakes.reserveSince?.(token) ?? null,
      }
      balances.set(token, known)
      return at < (known.since ?? -Infinity) ? null : known.amount
    },
  }
}

/** Of a crowd in one transaction those of most value, half of the places for what is judged now: dust must not hide the rest. */
function pickCompared(
  all: readonly Transfer[],
  judged: ReadonlySet<string>,
  { riskOf }: Pick<Ledger, 'riskOf'>,
): Transfer[] {
  const byValue = all
    .map((one) => ({ one, risk: riskOf(one), amount: one.amountRaw ?? 0n }))
    .sort((a, b) => b.risk - a.risk || (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0))
    .map(({ one }) => one)
  const first = byValue.filter(({ key }) => judged.has(key)).slice(0, maxRelated / 2)
  const picked = new Set([...new Set([...first, ...byValue])].slice(0, maxRelated))
  return all.filter((one) => picked.has(one))
}

/** By chain and hash, the transfers that bear it. */
type Sharing = Readonly<Record<Chain, Map<string, readonly Transfer[]>>>

/** Of most legs all transfers are among those that changed: nothing of them has to be read back. */
function shareAmong(
  ledger: Ledger,
  changed: readonly Transfer[],
  legOf: (transfer: Transfer) => Leg | null,
  sharing: Sharing,
): void {
  const known = new Map(changed.map((transfer) => [transfer.key, transfer]))
  const hashes = { main: new Set<string>(), zone: new Set<string>() }
  for (const transfer of changed) {
    const leg = legOf(transfer)
    if (leg !== null) hashes[leg.chain].add(leg.hash)
  }
  for (const chain of chains) {
    if (hashes[chain].size === 0) continue
    for (const [hash, keys] of ledger.listKeysSharing(chain, [...hashes[chain]]) ?? []) {
      const transfers = keys.flatMap((key) => known.get(key) ?? [])
      if (transfers.length === keys.length && keys.length <= maxRelated) sharing[chain].set(hash, transfers)
    }
  }
}
