import type { Observation } from '../../../src/bridge/observation.ts'
import { recordHead } from '../../../src/kernel/heads.ts'
import type { UnixMs } from '../../../src/lib/clock.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { type Cursors, initialCursors } from '../../../src/store/cursors.ts'
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts'
import type { Commit, ExplorerReads, FeedPage } from '../../../src/kernel/reads.ts'
import { createRecordLookup } from '../../../src/kernel/recordLookup.ts'
import { hash, toRecord } from '../../support/records.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'

/** A list of records, newest first, behind the pollers' questions. */
export interface FakeList {
  rows: Observation[]
  pageSize: number
  /** Runs before each page is served. */
  onPage: (page: number) => void
  served: number[]
}

export function setUp(rows: Observation[] = [], pageSize = 3, start = 10_000_000) {
  const clock = createSteppedClock({ start })
  const db = openDatabase(':memory:')
  const ledger: Ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  let cursors: Cursors = initialCursors(0)
  const list: FakeList = { rows, pageSize, onPage: () => {}, served: [] }
  const at = <T extends object>(record: T) => ({ ...record, requestedAt: clock.now() })
  const reads: ExplorerReads = {
    async feedPage(page): Promise<FeedPage> {
      list.onPage(page)
      list.served.push(page)
      const records = list.rows.slice((page - 1) * list.pageSize, page * list.pageSize).map(at)
      const totalPage = Math.ceil(list.rows.length / list.pageSize)
      return {
        requestedAt: clock.now(),
        records,
        bad: [],
        totalPage,
        total: list.rows.length,
        limit: list.pageSize,
      }
    },
    async feedByHash(wanted) {
      const records = list.rows.filter((row) => row.mainHash === wanted || row.zoneHash === wanted).map(at)
      return { requestedAt: clock.now(), records, bad: [] }
    },
    async feedByAddress(address) {
      const records = list.rows
        .filter(({ sourceAddress, targetAddress }) => [sourceAddress, targetAddress].includes(address))
        .map(at)
      return { requestedAt: clock.now(), records, bad: [], totalPage: 1, total: records.length, limit: 100 }
    },
    async details(hashes) {
      const records = list.rows.filter((row) => hashes.includes(row.zoneHash ?? ''))
      return {
        requestedAt: clock.now(),
        records: records.map((row) => ({
          ...at(row),
          source: 'E12' as const,
          zoneEventIndex: '1',
          updateTime: clock.now(),
        })),
        bad: [],
      }
    },
    zoneTransactions: async () => ({ requestedAt: clock.now(), records: [], bad: [] }),
    zoneHead: async () => null,
    mainBlock: async () => 'unknown',
  }
  const commit: Commit = (findings) => {
    let news = 0
    let urgent = 0
    db.transaction(() => {
      for (const answer of findings.answers ?? []) {
        const result = ledger.recordAnswer(answer, clock.now())
        news += result.news
        urgent += result.urgent
      }
      ledger.recordZoneTransactions(findings.zoneTransactions ?? [], clock.now())
    })
    return { news, hasUrgent: urgent > 0 }
  }
  const lookUp = createRecordLookup({
    clock,
    reads,
    readControl: () => {
      const known = ledger.listTransfers({ limit: 100 }).find(({ state }) => state === 'completed')
      return known?.main ? { mainHash: known.main.hash, address: known.targetAddress } : null
    },
  })
  const cursorFile = { read: () => cursors, write: (next: Cursors) => void (cursors = next) }
  return { clock, db, ledger, list, reads, lookUp, commit, cursors: cursorFile }
}

/** Records newest first, each with its own hashes; `n` is in the id. */
export function toRows(count: number, from = 0): Observation[] {
  return Array.from({ length: count }, (_, index) => {
    const n = from + count - index
    return toRecord({
      id: `r${n}`,
      zoneHash: hash(`z${n}`),
      mainHash: hash(`m${n}`),
      zoneTime: n * 1_000,
      mainTime: n * 1_000,
    })
  })
}

/** The main head stands there: read twice, because one reading of a leap is not believed. */
export function setMainHead(db: Database, height: number, at: UnixMs, blockTime: UnixMs | null = null) {
  for (let n = 0; n < 2; n += 1) recordHead(db, 'main', { height, blockTime, at })
}

export const known = (ledger: Ledger) => ledger.listTransfers({ limit: 10_000 }).length
export const noSignal = new AbortController().signal
