import { join } from 'node:path'
import { findLedger } from '../replicas/ledgerFolder.ts'
import { migrations } from '../store/migrate.ts'
import { ledgerPath } from '../store/state.ts'
import { runLedgerJob } from '../store/runLedgerJob.ts'
import { takeStateLock } from '../store/stateFolder.ts'
import { type WaitingRun, whileAlive, whileWaiting } from './waiting.ts'

const migrating = {
  why: 'The ledger of this node is brought to the version of its program, and then it watches.',
  listReasons: () => ['the ledger is migrated'],
}

/**
 * Brings the ledger of a node that takes over from one of an older version to its own, in a thread of its own: of a large one that
 * takes minutes, and a process that says nothing for so long is ended. What fails is said by whoever opens the ledger then.
 */
export async function migrateBeside(run: WaitingRun): Promise<void> {
  const { stateDir } = run.options.config
  const version = findLedger(stateDir)?.version ?? migrations.length
  if (version >= migrations.length) return
  const work = () => runLedgerJob({ work: 'migrate', path: ledgerPath(stateDir) }, run.options.stop)
  const lock = takeStateLock(join(stateDir, 'lock.sqlite'))
  try {
    await whileAlive(run, () => whileWaiting(run, migrating, work))
  } finally {
    lock.release()
  }
}
