import type { UnixMs } from '../lib/clock.ts'
import { readBatch } from './judgeBatch.ts'
import { movedToken } from '../bridge/movedToken.ts'
import { toRawAmount } from '../bridge/tokenFlow.ts'
import { isBatch, type TokenMove, type Transfer } from '../bridge/transfer.ts'

/** A batch whose items nobody names: its main transaction alone shows what was paid. */
export function isEmptyBatch(transfer: Transfer): boolean {
  const isAsked = transfer.confirmedStatus !== 'unknown'
  return isBatch(transfer) && isAsked && (transfer.batchDetail === null || readBatch(transfer) === null)
}

/** How long a batch waits for its detail, which the list leaves out. */
const detailHoldMs = 60_000

/** A batch that was not asked about yet: what it says of its items may be what its main transaction did. */
export function awaitsDetail(transfer: Transfer, now: UnixMs): boolean {
  const isUnread = transfer.batchDetail === null && transfer.confirmedStatus === 'unknown'
  return isBatch(transfer) && isUnread && now - transfer.firstSeenAt < detailHoldMs
}

/**
 * Whether what one party of the main transaction paid, or passed on, is what the batches in it claim together, and the
 * record's recipient got some of it. A batch may pay many, and through a contract that shares it out.
 * @param sharing transfers of the same main transaction
 * @returns null when that is not known exactly
 */
export function addsUpByMoves(
  transfer: Transfer,
  sharing: readonly Transfer[],
  moves: readonly TokenMove[],
): boolean | null {
  const own = moves.filter((move) => move.token === movedToken(transfer.token))
  const rows = sharing.filter(
    (one) => one.token.address === transfer.token.address && one.status !== 'failed',
  )
  const claims = [...rows.filter(({ key }) => key !== transfer.key), transfer].map(
    ({ amountRaw }) => amountRaw,
  )
  const amounts = own.map((move) => toRawAmount(move, transfer.token.decimals))
  if (claims.includes(null) || amounts.includes(null)) return null
  const claimed = claims.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n)
  const isPaid = own.some(({ to }) => transfer.targetAddress === '' || to === transfer.targetAddress)
  if (!isPaid) return false
  const paid = new Map<string, bigint>()
  for (const [at, { from }] of own.entries()) paid.set(from, (paid.get(from) ?? 0n) + (amounts[at] ?? 0n))
  // Whoever passes on what he got pays the same again; nobody may pay more than is claimed.
  return [...paid.values()].includes(claimed) && [...paid.values()].every((sum) => sum <= claimed)
}
