import type { Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { listUnreadRaws } from './quarantine.ts'

/** What rows of the list (E3) that could not be read are of, as far as they say. */
export interface UnreadRecords {
  /** Every hash that they name, lower case. */
  readonly hashes: ReadonlySet<string>
  /** When the newest came that names none; null without one. */
  readonly namelessAt: UnixMs | null
}

export function readUnreadRecords(db: Database): UnreadRecords {
  const rows = listUnreadRaws(db, 'E3').map(({ raw, firstAt }) => ({ names: listHashes(raw), firstAt }))
  const nameless = rows.filter(({ names }) => names.length === 0)
  return {
    hashes: new Set(rows.flatMap(({ names }) => names)),
    namelessAt: nameless.length === 0 ? null : Math.max(...nameless.map(({ firstAt }) => firstAt)),
  }
}

/** Whether one of them may be a transfer's record: it names it, or came since it left and names none. */
export function mayBeUnreadRecord(
  { hashes, namelessAt }: UnreadRecords,
  { main, zone, originAt }: Pick<Transfer, 'main' | 'zone' | 'originAt'>,
): boolean {
  if (namelessAt !== null && namelessAt >= originAt) return true
  return [main, zone].some((leg) => leg !== null && hashes.has(leg.hash.toLowerCase()))
}

function listHashes(raw: string): string[] {
  return raw.toLowerCase().match(/0x[0-9a-f]{64}(?![0-9a-f])/g) ?? []
}

/** The transactions that a row names; topics and blocks have hashes too. */
export function listTransactions(raw: string): string[] {
  const named = /"(?:txid|hash|(?:main|zone)txhash|transactionhash)"\s*:\s*"(0x[0-9a-f]{64})"/g
  return [...raw.toLowerCase().matchAll(named)].map(([, hash = '']) => hash)
}
