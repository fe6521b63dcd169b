import { existsSync } from 'node:fs'
import { intervalOf } from '../kernel/running/schedule.ts'
import type { Config } from '../config/config.ts'
import { MonitorError } from '../lib/errors.ts'
import { type Database, openDatabase } from '../store/database.ts'
import { createLedger, type Ledger } from '../ledger/ledger.ts'
import { ledgerPath } from '../store/state.ts'
import { checkFolder } from '../store/stateFolder.ts'

/** Opens the ledger for looking; the daemon may run beside. @throws MonitorError `not_found` before a first start */
export function openLedger(config: Config): { db: Database; ledger: Ledger } {
  const path = ledgerPath(config.stateDir)
  if (!existsSync(path)) {
    throw new MonitorError(
      'not_found',
      `There is no ledger at ${path} yet: start the daemon first (spanwatch run).`,
    )
  }
  checkFolder(config.stateDir)
  const db = openDatabase(path, { readOnly: true })
  const openIntervalMs = intervalOf(config.poll.openTransfers)
  return { db, ledger: createLedger(db, { tokens: config.bridge.tokens, openIntervalMs }) }
}
