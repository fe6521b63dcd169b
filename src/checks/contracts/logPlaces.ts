import type { BridgeLog } from '../../bridge/bridgeLog.ts'
import type { BlockSpan } from '../../kernel/reads/contractReads.ts'
import type { Database } from '../../store/database.ts'
import { hash, isHash } from '../../store/hash.ts'
import { numberOf } from '../../store/names.ts'
import { columns, int } from '../../store/table.ts'
import type { ContractProgress } from './progressStore.ts'

/** A transaction in which a contract emitted something, and its block. */
export type LogPlace = Pick<BridgeLog, 'hash' | 'height'>

const places = columns({ hash, height: int })

/** The transactions in these blocks of which logs of a contract are known. */
export function listPlaces(db: Database, contract: string, { first, last }: BlockSpan): LogPlace[] {
  const sql = `SELECT DISTINCT hash, height FROM bridge_logs
    WHERE contract = ${numberOf('?')} AND height BETWEEN ? AND ? ORDER BY height`
  return places.all(db, sql, contract, first, last)
}

/** The newest one that is known below a height. */
export function newestBelow(db: Database, contract: string, height: number): LogPlace | null {
  const sql = `SELECT hash, height FROM bridge_logs
    WHERE contract = ${numberOf('?')} AND height < ? ORDER BY height DESC LIMIT 1`
  return places.get(db, sql, contract, height)
}

/** Forgets what a contract emitted in a transaction that is in no block. */
export function dropLogs(db: Database, contract: string, hash: string): void {
  const sql = `DELETE FROM bridge_logs WHERE ${isHash('hash', '?1')} AND +contract = ${numberOf('?2')}`
  db.prepare(sql).run(hash, contract)
}

export function newestOf(logs: readonly LogPlace[]): LogPlace | null {
  return logs.reduce<LogPlace | null>(
    (newest, log) => (newest === null || log.height > newest.height ? log : newest),
    null,
  )
}

/** A log as a control question. */
export function toControl(log: LogPlace | null): Pick<ContractProgress, 'lastLogHash' | 'lastLogHeight'> {
  return { lastLogHeight: log?.height ?? null, lastLogHash: log?.hash ?? null }
}
