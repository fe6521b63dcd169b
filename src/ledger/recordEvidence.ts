import type { UnixMs } from '../lib/clock.ts'
import { movedToken } from '../bridge/movedToken.ts'
import { type EvidenceReading, keepMoves, saveEvidence } from './evidence/evidence.ts'
import { nth } from '../lib/nth.ts'
import { isJudgedByTimes } from '../meaning/compareAnswers.ts'
import type { StoredTransfer } from './transfers/transferRows.ts'
import { selectNamed } from './transfers/named.ts'
import { type LedgerState, deriveAll, refreshTransfers, type TransferChange } from './recordAnswer.ts'
import { withTimes } from './transfers/restingRecords.ts'

/** @returns the transfers that they changed */
export function recordEvidence(
  state: LedgerState,
  readings: readonly EvidenceReading[],
  now: UnixMs,
): TransferChange[] {
  const { db, resting } = state
  const hashes = [...new Set(readings.map(({ hash }) => hash))]
  const named = selectNamed(db, { ids: [], hashes, looseHashes: [] })
  const rows = [...new Map(named.map((row) => [row.key, row])).values()]
    .toSorted((a, b) => a.key - b.key)
    .map((row) => withTimes(resting, row))
  const before = deriveAll(state, rows)
  const money = {
    tokens: new Set(before.map(({ token }) => movedToken(token))),
    parties: new Set(before.flatMap(({ sourceAddress, targetAddress }) => [sourceAddress, targetAddress])),
  }
  const changed = saveEvidence(
    db,
    readings.map((reading) => keepMoves(reading, money)),
  )
  const known = rows.map((row, index) => ({ row, before: nth(before, index) }))
  return refreshTransfers(
    state,
    known.filter((one) => isJudgedByTimes(one.before) || bearsAny(one.row, changed)),
    now,
  )
}

function bearsAny({ group }: StoredTransfer, hashes: ReadonlySet<string>): boolean {
  return [...group.members, ...group.ambiguous].some(
    ({ zoneHash, mainHash }) => hashes.has(zoneHash ?? '') || hashes.has(mainHash ?? ''),
  )
}
