import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { errorText } from '../lib/errors.ts'

/** A ledger is looked through, copied to another file or migrated; or its write-ahead log is copied into its own. */
export type LedgerJob =
  | { readonly work: 'look' | 'log' | 'migrate'; readonly path: string }
  | { readonly work: 'copy'; readonly path: string; readonly target: string }

export type LedgerAnswer =
  | { readonly done: true }
  | { readonly damaged: string }
  | { readonly failed: string }

/** In a thread of its own: to read a large file through would hold up everything else for seconds. */
export async function runLedgerJob(job: LedgerJob, signal: AbortSignal): Promise<LedgerAnswer> {
  // Built, it stands beside this file as well, as .js.
  const code = new URL(`./ledgerWorker${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(code, { workerData: job, execArgv: ['--disable-warning=ExperimentalWarning'] })
  const stop = () => void worker.terminate()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await readAnswer(worker)
  } finally {
    signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}

function readAnswer(worker: Worker): Promise<LedgerAnswer> {
  return new Promise((resolve) => {
    worker.once('message', resolve)
    worker.once('error', (error) => resolve({ failed: errorText(error) }))
    worker.once('exit', () => resolve({ failed: 'it was ended before it was done' }))
  })
}
