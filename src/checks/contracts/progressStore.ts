import type { VerifiedSource } from '../../kernel/contractReads.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'

/** Readings of a range that found nothing, as the client counts them (clients/explorer/absence.ts). */
export interface EmptyReadings {
  readonly firstAt: UnixMs | null
  readonly lastAt: UnixMs | null
  readonly reads: number
  readonly controlAt: UnixMs | null
}

/** How far one contract's logs were read. */
export interface ContractProgress {
  /** Everything below was read, but what stands in the list of gaps; null before the first reading. */
  readonly next: number | null
  /** Everything from here up to where the first reading began was read; null once the history is there. */
  readonly historyFrom: number | null
  /** Where logs are known to be: a control question. */
  readonly lastLogHeight: number | null
  /** Readings in a row that found nothing above `next`, and up to which height the first of them asked. */
  readonly empty: EmptyReadings
  readonly emptyUntil: number | null
  /** What E17 said last, and a change that it said once. */
  readonly verified: VerifiedSource | null
  readonly candidate: VerifiedSource | null
  readonly verifyAt: UnixMs
  /** Implementations that logs told of lately. */
  readonly announced: readonly string[]
}

export interface BridgeGap {
  readonly id: number
  readonly first: number
  readonly last: number
  readonly attempts: number
  readonly empty: EmptyReadings
}

const none: EmptyReadings = { firstAt: null, lastAt: null, reads: 0, controlAt: null }

/** Of a contract that was never read. */
const noProgress: ContractProgress = {
  next: null,
  historyFrom: null,
  lastLogHeight: null,
  empty: none,
  emptyUntil: null,
  verified: null,
  candidate: null,
  verifyAt: 0,
  announced: [],
}

/** Ranges kept for one contract; beyond it the oldest reading of nothing has to do. */
const maxGaps = 2_000

export function readProgress(db: Database, address: string): ContractProgress {
  const row = db.prepare('SELECT body FROM bridge_contracts WHERE address = ?').get(address)
  // Written by saveProgress.
  return row
    ? { ...noProgress, ...(JSON.parse(String(row['body'])) as Partial<ContractProgress>) }
    : noProgress
}

export function saveProgress(db: Database, address: string, progress: ContractProgress): void {
  db.prepare('INSERT OR REPLACE INTO bridge_contracts VALUES (?, ?)').run(address, JSON.stringify(progress))
}

/** The oldest ranges that are due to be asked for again. */
export function listGaps(db: Database, address: string, now: UnixMs, limit: number): BridgeGap[] {
  return db
    .prepare('SELECT * FROM bridge_gaps WHERE address = ? AND retry_at <= ? ORDER BY retry_at, id LIMIT ?')
    .all(address, now, limit)
    .map((row) => ({
      id: Number(row['id']),
      first: Number(row['first']),
      last: Number(row['last']),
      attempts: Number(row['attempts']),
      // Written by saveGap.
      empty: JSON.parse(String(row['absence'])) as EmptyReadings,
    }))
}

export function saveGap(
  db: Database,
  address: string,
  gap: Omit<BridgeGap, 'id' | 'empty'> & { readonly retryAt: UnixMs; readonly empty?: EmptyReadings },
): void {
  const { count } = db
    .prepare('SELECT count(*) AS count FROM bridge_gaps WHERE address = ?')
    .get(address) as {
    count: number
  }
  if (count >= maxGaps) return
  db.prepare(
    'INSERT INTO bridge_gaps (address, first, last, attempts, retry_at, absence) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(address, gap.first, gap.last, gap.attempts, gap.retryAt, JSON.stringify(gap.empty ?? none))
}

export function dropGap(db: Database, id: number): void {
  db.prepare('DELETE FROM bridge_gaps WHERE id = ?').run(id)
}
