import { canonicalToken } from '../../bridge/movedToken.ts'
import { escrowKept } from '../../checks/escrow/kept.ts'
import type { EscrowPart } from '../../checks/escrow/holding.ts'
import { measuredBy } from '../../checks/escrow/owed/owedStore.ts'
import type { Kept, KeptGround, OpenKept } from '../../kernel/kept.ts'
import { createSettle } from '../../kernel/heads/listLag.ts'
import { createLearned, type Learned, listTokenPairs } from '../../ledger/lessons/learned.ts'
import type { TokenBook } from '../../ledger/lessons/tokenBook.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { listKept } from './pastOf.ts'

/** What checks kept of the past, opened. */
export interface OpenPast {
  get(kept: Kept<object>): OpenKept<object> | undefined
  readonly escrows: OpenKept<EscrowPart>
  /** What transfers have taught by now: when each of them did is not kept. */
  readonly learned: Learned
  /** What the escrows held of a token, or owed where that was more; null where it is not known. */
  reserveOf(token: string, now: UnixMs): bigint | null
}

export function openPast({
  db,
  bridge,
  ledger,
  book,
  until,
}: Pick<KeptGround, 'db' | 'bridge' | 'ledger'> & {
  readonly book: TokenBook
  readonly until: UnixMs
}): OpenPast {
  const learned = createLearned(db)
  const ground: KeptGround = {
    db,
    bridge,
    ledger,
    learned,
    settleMs: createSettle(db, { now: () => until }),
    token: (address) => book.find(address),
  }
  const escrows = escrowKept.open(ground)
  const opened = new Map<Kept<object>, OpenKept<object>>(
    listKept().map((kept) => [kept, kept === escrowKept ? escrows : kept.open(ground)]),
  )
  const movesAs = new Map(listTokenPairs(db, learned).map(({ token, moved }) => [token, moved]))
  return {
    get: (kept) => opened.get(kept),
    escrows,
    learned,
    reserveOf(address, now) {
      const token = movesAs.get(canonicalToken(address)) ?? canonicalToken(address)
      const known = escrows.facts(now).escrow.holdings.find((one) => one.token === token)
      if (!known?.judged) return null
      const { holdings, owed } = known.judged
      return measuredBy(known, holdings > owed ? holdings : owed)
    },
  }
}
