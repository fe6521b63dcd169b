import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { columns, instant, int, type Read, table } from '../store/table.ts'
import { transferState } from '../store/bridgeCodecs.ts'
import type { Transfer } from '../bridge/transfer.ts'
import { openEvidence } from './evidence/evidence.ts'
import { type LedgerState, toTransfer } from './recordAnswer.ts'
import { lacksToken } from './deriving/resolveToken.ts'
import { withTimes } from './transfers/restingRecords.ts'
import { isOpenRow, storedColumns, toStored } from './transfers/transferRows.ts'

export interface Window {
  readonly from: UnixMs
  readonly until: UnixMs
}

/** Told after each slice: the share of all, and how many they are. */
export type OnAdvance = (share: number, count: number) => void

/** Read at once: a report must not stop a poll. */
const sliceSize = 200
const rowsAtOnce = 2_000

const places = columns({ key: int, at: instant })
type Place = Read<typeof places>
const stated = table('transfers', { state: transferState })

/** A transfer as far as it is counted: what second sources say of it is in its state; of what is completed the proof is not read. */
export type CountedTransfer = Omit<Transfer, 'evidence' | 'claim'>

/**
 * Every transfer that was under way at some time of the window, in slices: what is on its way, what began in it, and
 * what began earlier and arrived in it or later. Each is found through an index, and once. Whoever reads may let others
 * run between two slices; some are empty.
 */
export function* listSlicesUnderWay(
  ledger: LedgerState,
  { from, until }: Window,
  onAdvance?: OnAdvance,
): Generator<CountedTransfer[]> {
  const { db } = ledger
  const keys = new Set<number>()
  const of: readonly Part[] = [
    { at: 'origin_at', from: 0, until, index: `${isOpenRow} AND state = 'pending'`, where: ['1'] },
    { at: 'origin_at', from, until, index: '1', where: ["state IN ('completed', 'failed')"] },
    {
      at: 'destination_at',
      from,
      until: Number.MAX_SAFE_INTEGER,
      index: '1',
      // The plus keeps the other index away, which would walk through all of history.
      where: ["state IN ('completed', 'failed') AND +origin_at < ?5", from],
    },
  ]
  for (const part of of)
    for (const page of listKeys(db, part)) {
      for (const key of page) keys.add(key)
      yield []
    }
  const all = [...keys]
  for (let start = 0; start < all.length; start += sliceSize) {
    const slice = JSON.stringify(all.slice(start, start + sliceSize))
    yield readSlice(ledger, slice)
    const done = Math.min(start + sliceSize, all.length)
    onAdvance?.(done / all.length, done)
  }
}

/** What was found to be completed stays that without what second sources said, which only tell more of a token that no record names. */
function readSlice(ledger: LedgerState, keys: string): CountedTransfer[] {
  const { db, resting } = ledger
  const sql = `SELECT ${storedColumns}, state FROM transfers WHERE key IN (SELECT value FROM json_each(?))`
  const rows = db
    .prepare(sql)
    .all(keys)
    .map((row) => {
      const stored = withTimes(resting, toStored(db, row))
      const { members } = stored.group
      return { stored, told: stated.read(row).state === 'completed' && !lacksToken(members) ? [] : members }
    })
  const evidenceOf = openEvidence(
    db,
    rows.flatMap(({ told }) => told),
  )
  return rows.map(({ stored, told }) => toTransfer(ledger, stored, evidenceOf(told)))
}

interface Part {
  /** The column of the index that it goes by. */
  readonly at: string
  readonly from: UnixMs
  readonly until: UnixMs
  /** What else the index answers. */
  readonly index: string
  /** Which of them. */
  readonly where: readonly [sql: string, ...values: UnixMs[]]
}

/** Keys in the order of an index, those of so many of its rows at a time, however few of them fit. */
function* listKeys(db: Database, { at, from, until, index, where: [where, ...values] }: Part) {
  const rows = `FROM transfers WHERE ${at} >= ?1 AND (${at} > ?1 OR key > ?2) AND ${at} <= ?3 AND ${index}`
  const place = `SELECT key, ${at} AS at ${rows} ORDER BY ${at}, key LIMIT 1 OFFSET ${rowsAtOnce}`
  const page = `SELECT key ${rows} AND (${at} < ?3 OR key <= ?4) AND ${where} ORDER BY ${at}, key`
  for (let last: Place | null = { key: -1, at: from }; last; ) {
    const next = places.get(db, place, last.at, last.key, until - 1)
    const end = next ?? { key: Number.MAX_SAFE_INTEGER, at: until - 1 }
    yield int.all(db, page, last.at, last.key, end.at, end.key, ...values)
    last = next
  }
}
