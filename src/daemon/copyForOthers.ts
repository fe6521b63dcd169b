import { statSync } from 'node:fs'
import { MonitorError } from '../lib/errors.ts'
import { readSpareBytes } from '../store/ballast.ts'
import { ledgerPath } from '../store/state.ts'
import { runLedgerJob } from '../store/runLedgerJob.ts'

/**
 * Copies the ledger of a folder, looked through, to where others get it from. Never into the room that the ledger itself needs: a copy
 * that fills the disk would keep what is found from being saved.
 * @throws MonitorError `state.invalid`
 */
export async function copyForOthers(
  of: { readonly stateDir: string; readonly target: string },
  signal: AbortSignal,
): Promise<void> {
  const { stateDir, target } = of
  const path = ledgerPath(stateDir)
  const needed = statSync(path).size
  if (readSpareBytes(stateDir) < needed)
    throw copyFailed(`it needs ${needed} bytes of room in ${stateDir} beside the reserve`)
  const answer = await runLedgerJob({ work: 'copy', path, target }, signal)
  if (!('done' in answer)) throw copyFailed('failed' in answer ? answer.failed : answer.damaged)
}

export function copyFailed(problem: string): MonitorError {
  return new MonitorError('state.invalid', `The ledger could not be copied for others: ${problem}`)
}
