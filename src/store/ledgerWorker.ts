import { parentPort, workerData } from 'node:worker_threads'
import { errorText } from '../lib/errors.ts'
import { backupLedger } from './backupLedger.ts'
import { checkFile, DamagedLedger } from './damage.ts'
import type { LedgerAnswer, LedgerJob } from './runLedgerJob.ts'

async function run({ path, target }: LedgerJob): Promise<LedgerAnswer> {
  try {
    if (target === undefined) checkFile(path)
    else await backupLedger(path, target)
    return { done: true }
  } catch (error) {
    if (error instanceof DamagedLedger) return { damaged: error.message }
    // What cannot be copied is looked through: that says whether it is the ledger or the disk of the copy.
    const looked = target === undefined ? null : await run({ path })
    return looked !== null && 'damaged' in looked ? looked : { failed: errorText(error) }
  }
}

// Its one caller is runLedgerJob.ts.
const job = workerData as LedgerJob
parentPort?.postMessage(await run(job), [])
