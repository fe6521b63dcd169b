import type { ZoneTransaction } from '../domain/observation.ts'
import type { Sighting } from '../domain/sighting.ts'
import type { LegEvidence } from '../domain/transfer.ts'
import type { Database } from './database.ts'

/** @returns whether it says another status than what was known */
export function saveZoneTransaction(db: Database, transaction: ZoneTransaction): boolean {
  const known = db
    .prepare('SELECT requested_at, status FROM zone_transactions WHERE hash = ?')
    .get(transaction.hash)
  if (known && Number(known['requested_at']) > transaction.requestedAt) return false
  db.prepare('INSERT OR REPLACE INTO zone_transactions VALUES (?, ?, ?, ?, ?)').run(
    transaction.hash,
    transaction.source,
    transaction.requestedAt,
    transaction.status,
    JSON.stringify({ errorMessage: transaction.errorMessage, actionType: transaction.actionType }),
  )
  return known?.['status'] !== transaction.status
}

export function listEvidence(db: Database, sightings: readonly Sighting[]): LegEvidence[] {
  const hashes = new Set(sightings.map((sighting) => sighting.zoneHash).filter((hash) => hash !== null))
  return [...hashes].flatMap((hash) => {
    const row = db.prepare('SELECT * FROM zone_transactions WHERE hash = ?').get(hash)
    if (!row || row['status'] === 'unknown') return []
    const body = JSON.parse(String(row['body'])) as { errorMessage: string }
    return [
      {
        chain: 'zone' as const,
        hash,
        moves: null,
        // Written by saveZoneTransaction from a ZoneTransaction.
        source: String(row['source']) as LegEvidence['source'],
        at: Number(row['requested_at']),
        status: String(row['status']) as LegEvidence['status'],
        errorMessage: body.errorMessage,
      },
    ]
  })
}
