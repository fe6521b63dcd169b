import { parentPort, workerData } from 'node:worker_threads'
import { errorText } from '../lib/errors.ts'
import { checkFile, DamagedLedger } from './damage.ts'
import type { CheckAnswer } from './integrity.ts'

function check(path: string): CheckAnswer {
  try {
    checkFile(path)
    return { whole: true }
  } catch (error) {
    if (error instanceof DamagedLedger) return { damaged: error.message }
    return { failed: `The ledger could not be looked through: ${errorText(error)}` }
  }
}

parentPort?.postMessage(check(String(workerData)), [])
