import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { namesOf } from '../../src/store/names.ts'
import { pack } from '../../src/store/pack.ts'
import { openDatabase } from '../../src/store/database.ts'
import { createLedger } from '../../src/ledger/ledger.ts'
import type { Observation } from '../../src/bridge/observation.ts'
import { toRecord } from '../../test/support/records.ts'

const day = 86_400_000
/** Words that stand for what differs from row to row. */
const marks = { id: '@id@', main: '@main@', zone: '@zone@', source: '@source@', target: '@target@' } as const

/**
 * Writes a ledger of so many completed transfers over the 300 days before a time, each with what a second source said of
 * its zone leg: the row of one that was recorded, again and again under other names, because recording ten million takes
 * hours.
 */
export function fillLedger(folder: string, count: number, until: number): void {
  mkdirSync(folder, { recursive: true })
  const db = openDatabase(join(folder, 'ledger.sqlite'))
  db.prepare('PRAGMA synchronous = OFF').run()
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  db.transaction(() => ledger.recordAnswer([createTemplate(until - 300 * day)], until - 300 * day))
  const indexes = db
    .prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'transfers' AND sql IS NOT NULL",
    )
    .all()
  for (const { name } of indexes) db.prepare(`DROP INDEX ${String(name)}`).run()
  const stepMs = Math.max(1, Math.floor((300 * day) / count))
  db.transaction(() => fill(db, count, stepMs))
  for (const { sql } of indexes) db.prepare(String(sql)).run()
  db.prepare('DELETE FROM transfers WHERE key = 1').run()
  db.prepare("UPDATE meta SET value = ? WHERE name = 'next_key'").run(String(count + 10))
  db.prepare("UPDATE state_counts SET count = ? WHERE state = 'completed'").run(count)
  db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
  db.close()
}

function fill(db: ReturnType<typeof openDatabase>, count: number, stepMs: number): void {
  const address = "'0x' || lower(hex(randomblob(20)))"
  const columns = db
    .prepare("SELECT name FROM pragma_table_info('transfers')")
    .all()
    .map(({ name }) => String(name))
  const times = ['origin_at', 'destination_at', 'first_seen_at', 'changed_at', 'read_at']
  const named: Record<string, string> = {
    key: 'n.i + 1',
    rec_id: 'n.id',
    zone_hash: 'n.zone',
    main_hash: 'n.main',
    source_address: 'n.source',
    target_address: 'n.target',
    ...Object.fromEntries(times.map((name) => [name, `t.${name} + n.i * ${stepMs}`])),
  }
  db.prepare(
    `INSERT INTO transfers (${columns.join(', ')})
     WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < ${count}),
     n AS MATERIALIZED (SELECT i, randomblob(32) AS id, randomblob(32) AS zone, randomblob(32) AS main, ${address} AS source,
       ${address} AS target FROM i)
     SELECT ${columns.map((name) => named[name] ?? `t.${name}`).join(', ')} FROM n, transfers t WHERE t.key = 1`,
  ).run()
  db.prepare(
    'INSERT INTO leg_answers (hash, telling, answers) SELECT zone_hash, 0, ? FROM transfers WHERE key > 1',
  ).run(pack(['zone', 'E9', 0, 'success', {}], [''], namesOf(db)))
}

function createTemplate(at: number): Observation {
  return toRecord({
    requestedAt: at,
    id: marks.id,
    mainHash: marks.main,
    mainHeight: 500_000,
    mainTime: at - 5_000,
    zoneHash: marks.zone,
    zoneHeight: 5_000_000,
    zoneTime: at - 25_000,
    from: `0x${'f'.repeat(40)}`,
    to: `0x${'e'.repeat(40)}`,
    sourceAddress: marks.source,
    targetAddress: marks.target,
    token: `0x${'c'.repeat(40)}`,
    tokenName: 'Token',
  })
}
