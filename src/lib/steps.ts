import { setImmediate } from 'node:timers/promises'
import type { Clock } from './clock.ts'

/** Work that says where others may run: it yields there, and holds nothing that they would have to wait for. */
export type Steps<T> = Generator<void, T, void>

/** So many in one step, of what takes some microseconds each. */
const perStep = 500

export function* mapInSteps<T, U>(items: readonly T[], of: (item: T) => U): Steps<U[]> {
  const results: U[] = []
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % perStep === 0) yield
    results.push(of(item))
  }
  return results
}

/** All of it now, for whoever has nobody to wait for. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** For so long nobody minds to wait. */
const sliceMs = 20

/** Lets everything else run once it has held the process for a while: where much else runs, each turn takes long. */
export async function runInSlices<T>(steps: Steps<T>, clock: Pick<Clock, 'monotonicMs'>): Promise<T> {
  for (let begun = clock.monotonicMs(); ; ) {
    const step = steps.next()
    if (step.done) return step.value
    if (clock.monotonicMs() - begun < sliceMs) continue
    await setImmediate()
    begun = clock.monotonicMs()
  }
}

/** Lets everything else run between two steps. */
export async function runInTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await setImmediate()
  }
}
