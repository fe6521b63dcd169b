import { parentPort, workerData } from 'node:worker_threads'
import { errorText } from '../lib/errors.ts'
import { copyLog } from './copyLog.ts'
import { checkFile, DamagedLedger } from './damage.ts'
import type { LedgerAnswer, LedgerJob } from './runLedgerJob.ts'

async function run(job: LedgerJob): Promise<LedgerAnswer> {
  try {
    await work(job)
    return { done: true }
  } catch (error) {
    if (error instanceof DamagedLedger) return { damaged: error.message }
    // What cannot be copied is looked through: that says whether it is the ledger or the disk of the copy.
    const looked = job.work === 'copy' ? await run({ work: 'look', path: job.path }) : null
    return looked !== null && 'damaged' in looked ? looked : { failed: errorText(error) }
  }
}

async function work(job: LedgerJob): Promise<void> {
  if (job.work === 'copy') {
    // Loaded for it alone: a log is copied each second while much is written.
    const { backupLedger } = await import('./backupLedger.ts')
    await backupLedger(job.path, job.target)
  } else if (job.work === 'migrate') {
    const { openDatabase } = await import('./database.ts')
    openDatabase(job.path).close()
  } else if (job.work === 'log') copyLog(job.path)
  else checkFile(job.path)
}

// Its one caller is runLedgerJob.ts.
const job = workerData as LedgerJob
parentPort?.postMessage(await run(job), [])
