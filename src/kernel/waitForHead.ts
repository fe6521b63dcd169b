import type { Clock } from '../lib/clock.ts'

const stepMs = 250
const maxSteps = 40

/** The main head; at a start it is waited for a little, or the first reading would come a whole interval late. */
export async function waitForHead(
  deps: { readonly clock: Clock; readMainHeight(): number | null },
  signal: AbortSignal,
): Promise<number | null> {
  for (let step = 0; step < maxSteps; step++) {
    const head = deps.readMainHeight()
    if (head !== null || signal.aborted) return head
    await deps.clock.sleep(stepMs, signal)
  }
  return deps.readMainHeight()
}
