import type { Clock } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { readHeight } from './heads.ts'

const stepMs = 250
const maxSteps = 40

/** The main head; at a start it is waited for a little, or the first reading would come a whole interval late. */
export async function waitForHead(
  { clock, db }: { readonly clock: Clock; readonly db: Database },
  signal: AbortSignal,
): Promise<number | null> {
  for (let step = 0; step < maxSteps; step++) {
    const head = readHeight(db, 'main')
    if (head !== null || signal.aborted) return head
    await clock.sleep(stepMs, signal)
  }
  return readHeight(db, 'main')
}
