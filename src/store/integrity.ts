import { Worker } from 'node:worker_threads'
import { errorText, MonitorError } from '../lib/errors.ts'
import { DamagedLedger } from './damage.ts'

/** Whether the ledger's file was looked through, which takes a while where it is large. */
export interface Integrity {
  /** Why the ledger cannot be called whole yet, for people; null once it was looked through. */
  pending(): string | null
  /** Looks through it, beside the work; resolves when that is done. @throws MonitorError when that cannot be done */
  look(): Promise<void>
  stop(): Promise<void>
}

export function createIntegrity(options: {
  readonly path: string
  /** It was looked through before. */
  readonly isChecked: boolean
  readonly onDamaged: (error: DamagedLedger) => void
}): Integrity {
  let worker: Worker | null = null
  let looking: Promise<void> | null = null
  let pending = options.isChecked ? null : 'The ledger has not been looked through yet'
  const look = async () => {
    const started = (worker = startWorker(options.path))
    const answer = await readAnswer(started)
    worker = null
    if ('damaged' in answer) options.onDamaged(new DamagedLedger(answer.damaged))
    else if ('failed' in answer) throw new MonitorError('state.invalid', answer.failed)
    else pending = null
  }
  return {
    pending: () => pending,
    look: () => (looking ??= look().finally(() => (looking = null))),
    async stop() {
      await worker?.terminate()
    },
  }
}

/** What the worker says of a ledger. */
export type CheckAnswer =
  | { readonly whole: true }
  | { readonly damaged: string }
  | { readonly failed: string }

/** In a thread of its own: reading a large file through would hold up everything else for seconds. */
function startWorker(path: string): Worker {
  return new Worker(new URL('./checkWorker.ts', import.meta.url), { workerData: path, execArgv: [] })
}

function readAnswer(worker: Worker): Promise<CheckAnswer> {
  return new Promise((resolve) => {
    worker.once('message', resolve)
    worker.once('error', (error) =>
      resolve({ failed: `The ledger could not be looked through: ${errorText(error)}` }),
    )
    worker.once('exit', () => resolve({ failed: 'The ledger was not looked through to its end' }))
  })
}
