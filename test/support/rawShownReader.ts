import type { ShownReader, Walked } from '../../src/replicas/shown/rows.ts'
import type { Database } from '../../src/store/database.ts'
import { int, text } from '../../src/store/table.ts'

/** Reads rows of a ledger that was never a monitor's, as they stand there. */
export function createRawReader(db: Database): ShownReader {
  const tables: Readonly<Record<Walked, string>> = { transfers: 'key', cases: 'id', alerts: 'id' }
  return {
    transfers: (keys) =>
      keys.flatMap((key) => {
        const row = db.prepare('SELECT state FROM transfers WHERE key = ?').get(key)
        if (row === undefined) return []
        return [
          {
            key,
            state: String(row['state']),
            direction: 'MainToZone',
            mainHash: `0x${'AB'.repeat(32)}`,
            zoneHash: null,
            token: 'x',
            symbol: null,
            amount: '1.50',
            sender: '',
            recipient: '',
            originAt: 1_000,
            destinationAt: null,
          },
        ]
      }),
    cases: () => [],
    alerts: () => [],
    days: (names) =>
      names.flatMap((day) => {
        const body = text.get(db, 'SELECT content FROM reports WHERE day = ?', day)
        return body === null ? [] : [{ day, body }]
      }),
    casesOf: () => [],
    list: (table, after, limit) => {
      const key = tables[table]
      return int.all(db, `SELECT ${key} FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ?`, after, limit)
    },
    listDays: () => text.all(db, 'SELECT day FROM reports'),
    listOpenCases: () => [],
    bridge: () => ({
      verdict: 'fine',
      reasons: [],
      mainChain: 'M',
      zoneChain: 'Z',
      pageUrl: null,
      inFlight: 1,
      program: '1',
      coverage: [
        { source: 'explorer', lastGoodAt: Date.now(), staleAfterMs: 60_000 },
        { source: 'node', lastGoodAt: null, staleAfterMs: 60_000 },
      ],
    }),
  }
}
