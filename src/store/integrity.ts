import { statSync } from 'node:fs'
import { errorText, MonitorError } from '../lib/errors.ts'
import { checkFile, DamagedLedger } from './damage.ts'
import { type LedgerAnswer, type LedgerJob, runLedgerJob } from './runLedgerJob.ts'

/** Whether the ledger's file was looked through, which takes a while where it is large. */
export interface Integrity {
  /** Why the ledger cannot be called whole yet, for people; null once it was looked through. */
  pending(): string | null
  /** Looks through it, beside the work; resolves when that is done. @throws MonitorError when that cannot be done */
  look(): Promise<void>
  /** Copies it, looked through. @throws MonitorError */
  copyTo(target: string): Promise<void>
  stop(): void
}

export function createIntegrity(options: {
  readonly path: string
  /** It was looked through before. */
  readonly isChecked: boolean
  readonly onDamaged: (error: DamagedLedger) => void
}): Integrity {
  const { path } = options
  const ending = new AbortController()
  let looking: Promise<void> | null = null
  let pending = options.isChecked ? null : 'The ledger has not been looked through yet'
  const run = async (job: LedgerJob, what: string) => {
    const answer = isQuick(job) ? lookHere(job.path) : await runLedgerJob(job, ending.signal)
    if (ending.signal.aborted) return
    if ('damaged' in answer) options.onDamaged(new DamagedLedger(answer.damaged))
    else if ('failed' in answer)
      throw new MonitorError('state.invalid', `The ledger could not be ${what}: ${answer.failed}`)
    else pending = null
  }
  return {
    pending: () => pending,
    look: () => (looking ??= run({ work: 'look', path }, 'looked through').finally(() => (looking = null))),
    copyTo: (target) => run({ work: 'copy', path, target }, 'backed up'),
    stop: () => ending.abort(),
  }
}

/** Looked through in 10 ms at most; to begin a thread takes three times as much, and memory that stays. */
const quickBytes = 8 * 1024 * 1024

function isQuick({ work, path }: LedgerJob): boolean {
  return work === 'look' && (statSync(path, { throwIfNoEntry: false })?.size ?? Infinity) <= quickBytes
}

function lookHere(path: string): LedgerAnswer {
  try {
    checkFile(path)
    return { done: true }
  } catch (error) {
    return error instanceof DamagedLedger ? { damaged: error.message } : { failed: errorText(error) }
  }
}
