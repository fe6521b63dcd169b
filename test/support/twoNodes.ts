import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOperations } from '../../src/alerts/operations.ts'
import type { Finding } from '../../src/bridge/finding.ts'
import type { Observation } from '../../src/bridge/observation.ts'
import { createBreakOperations } from '../../src/breaks/operations.ts'
import { kinds } from '../../src/checks/index.ts'
import { createLedger } from '../../src/ledger/ledger.ts'
import { createSilentLog } from '../../src/lib/log.ts'
import type { LoadedRule } from '../../src/rules/types.ts'
import { openDatabase } from '../../src/store/database.ts'
import { ledgerPath } from '../../src/store/state.ts'
import {
  createBench,
  createEvent,
  createFakeChannel,
  createRoute,
  createRule,
  start,
} from '../unit/alerts/harness.ts'
import { hash, toRecord } from './records.ts'

const usdc = `0x${'c'.repeat(40)}`
const tokens = [{ address: usdc, symbol: 'USDC', decimals: 6 }]

/** What fails is critical, and each a case of its own. */
const failed = createRule({ severity: 'critical' })
const stalled = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'warning' })
const rules: LoadedRule[] = [failed, stalled]

/** One that each is a cause of its own by. */
const errors = ['', 'nonce too low', 'out of gas', 'paused', 'not allowed']

/** One node's ledger in a state folder, with what is found in it and what people do. */
function openNode(folder: string, clock?: ReturnType<typeof createBench>['clock']) {
  const db = openDatabase(ledgerPath(folder))
  const ledger = createLedger(db, { tokens, openIntervalMs: 10_000 })
  const bench = createBench({
    database: db,
    rules,
    fakes: [createFakeChannel('ops'), createFakeChannel('pager')],
    routes: [
      createRoute({
        channels: ['ops'],
        groupWaitMs: 0,
        escalate: [{ afterMs: 600_000, channels: ['pager'] }],
      }),
    ],
    ...(clock && { clock }),
  })
  const after = new Set<() => void>()
  const operations = {
    ...createOperations({
      store: bench.store,
      kinds,
      vocabulary: { rules, channels: ['ops', 'pager'] },
      log: createSilentLog(),
      clock: bench.clock,
      following: new Set(),
      onChanged: () => undefined,
    }),
    ...createBreakOperations({
      db,
      ledger,
      tokens,
      clock: bench.clock,
      following: new Set<string>(),
      after: [],
    }),
  }
  let answers = 0
  /** @returns its key here */
  const record = (id: string, overrides: Partial<Observation> = {}): string => {
    answers += 1
    const at = start + answers
    const legs = { mainHash: hash(`m${id}`), zoneHash: hash(`z${id}`), mainTime: start, zoneTime: start }
    const given = { id, token: usdc, value: null, ...legs, requestedAt: at, ...overrides }
    db.transaction(() => ledger.recordAnswer([toRecord(given)], at))
    return ledger.listTransfers({ hash: id })[0]?.key ?? ''
  }
  const toFinding = (key: string, error: string): Finding => ({
    ...createEvent(1),
    transfer: ledger.getTransfer(key),
    subject: key,
    facts: { errorMessage: error },
  })
  return {
    ...bench,
    db,
    ledger,
    operations,
    /** As the monitor's parts have it. */
    parts: { db, alerts: bench.store, operations, after },
    record,
    /** A transfer of that name failed: it is recorded, found, and a case of its own. @returns its key here */
    fail(id: string, amountRaw = 5_000_000n): string {
      const key = record(id, { status: 'failed', amountRaw })
      const findings = [{ rule: failed, finding: toFinding(key, errors[Number(id)] ?? '') }]
      db.transaction(() => {
        bench.engine.tellEvents(findings, bench.clock.now())
        bench.engine.flush(bench.clock.now())
      })
      for (const run of after) run()
      return key
    },
    /** Sends what is queued. */
    async send() {
      const dispatcher = bench.startSending()
      await bench.clock.advance(5_000)
      await dispatcher.stop()
    },
    alertOf: (key: string) => bench.store.listAlertsOfTransfer(key)[0],
    caseOf(key: string) {
      const alert = bench.store.listAlertsOfTransfer(key)[0]
      return alert === undefined ? null : bench.store.findCaseOfAlert(alert.id)
    },
    close: () => db.close(),
  }
}

export type LedgerNode = ReturnType<typeof openNode>

/** Two folders with the same ledger in them: one node was cut off, the other took over. */
export function openTwoNodes(prepare: (node: LedgerNode) => void = () => undefined) {
  const root = mkdtempSync(join(tmpdir(), 'spanwatch-nodes-'))
  const [folderA, folderB] = [mkdtempSync(join(root, 'a-')), mkdtempSync(join(root, 'b-'))]
  const first = openNode(folderA)
  prepare(first)
  first.close()
  copyFileSync(ledgerPath(folderA), ledgerPath(folderB))
  const head = { role: 'holder', seq: 0, hash: new Uint8Array() } as const
  const a = openNode(folderA)
  a.db.changes.become({ ...head, epoch: 1 })
  const b = openNode(folderB)
  b.db.changes.become({ ...head, epoch: 2 })
  return { a, b, folderA, folderB, remove: () => rmSync(root, { recursive: true, force: true }) }
}
