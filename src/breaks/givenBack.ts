import {
  compareDecimals,
  type Decimal,
  formatDecimal,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toDecimal,
} from '../bridge/decimal.ts'
import { heldAs, movedToken, toCanonicalId, type Wrapping } from '../bridge/movedToken.ts'
import type { Transfer } from '../bridge/transfer.ts'
import { listReturned, type Returned } from '../checks/escrow/flows/refundStore.ts'
import { isFailedDeposit } from '../ledger/failedDeposits.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { mostOfTransaction, parseKey } from '../ledger/transfers/transferRows.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { readWrapping } from '../store/wrapping.ts'

export interface GivenBackSources {
  readonly db: Database
  readonly ledger: Pick<Ledger, 'listSharing'>
  readonly wrapping: Wrapping
}

/** What was given back of transfers, token units. */
export interface GivenBack {
  of(key: string, mainHash: string | null): Decimal
  /** Of those that were asked for, by transfer. */
  known(): ReadonlyMap<string, Decimal>
}

/** Each deposit's transaction is read once. */
export function openGivenBack({ db, ledger, wrapping }: GivenBackSources): GivenBack {
  const read = new Set<string>()
  const known = new Map<string, Decimal>()
  return {
    of(key, mainHash) {
      if (mainHash !== null && !read.has(mainHash)) {
        read.add(mainHash)
        const returned = listReturned(db, mainHash)
        if (returned.length > 0) {
          const transfers = ledger.listSharing('main', mainHash, mostOfTransaction)
          for (const [name, amount] of shareReturned(transfers, returned, wrapping)) known.set(name, amount)
        }
      }
      return known.get(key) ?? noAmount
    },
    known: () => known,
  }
}

/** A movement that gave a failed deposit back. JSON-safe. */
export interface GaveBack {
  readonly at: UnixMs
  /** Of the main transaction. */
  readonly hash: string
  /** Token units. */
  readonly amount: string
}

/** What gave a transfer back, the oldest first: of several deposits of one transaction and token any of them. */
export function listGivenBackOf(db: Database, transfer: Transfer): GaveBack[] {
  if (transfer.main === null || !isFailedDeposit(transfer)) return []
  const returned = listReturned(db, transfer.main.hash)
  return listOfToken(transfer, returned, readWrapping(db)).map(({ at, hash, amount }) => ({
    at,
    hash,
    amount: formatDecimal(amount),
  }))
}

function listOfToken({ token }: Transfer, returned: readonly Returned[], wrapping: Wrapping): Returned[] {
  const moved = movedToken(token)
  const id = toCanonicalId(token.id)
  return returned.filter(
    (one) => one.tokenId === id && (one.token === moved || one.token === heldAs(moved, wrapping)),
  )
}

/** Where several deposits came by one transaction, what was given back is of the oldest first. */
function shareReturned(
  transfers: readonly Transfer[],
  returned: readonly Returned[],
  wrapping: Wrapping,
): (readonly [string, Decimal])[] {
  const left = new Map<string, Decimal>()
  const failed = transfers.filter(isFailedDeposit).toSorted(byPlace)
  return failed.map((transfer) => {
    const { token, amount } = transfer
    const what = `${movedToken(token)} ${toCanonicalId(token.id)}`
    const rest =
      left.get(what) ?? sumDecimals(listOfToken(transfer, returned, wrapping).map((one) => one.amount))
    const own = toDecimal(amount ?? '') ?? noAmount
    const part = compareDecimals(rest, own) < 0 ? rest : own
    left.set(what, subtractDecimals(rest, part))
    return [transfer.key, part] as const
  })
}

function byPlace(a: Transfer, b: Transfer): number {
  return (parseKey(a.key) ?? 0) - (parseKey(b.key) ?? 0)
}
