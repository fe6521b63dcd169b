import type { UnixMs } from '../lib/clock.ts'
import type { FlowFacts, FlowTotalFact } from '../rules/flowFacts.ts'
import { coverageOf, listCovered, observedSince } from '../store/coverage.ts'
import type { Database } from '../store/database.ts'
import { countCopies, listCopies, listFlow, sumFlow } from '../store/flow.ts'

const stepMs = 10_000
const weekMs = 7 * 86_400_000
const pastMs = 300_000

/** What crosses the bridge: the present read anew for each step, the past every five minutes. */
export function createFlow(db: Database, token: FlowFacts['token']): (now: UnixMs) => FlowFacts {
  const pasts = new Map<number, { readonly at: UnixMs; readonly windows: FlowTotalFact[][] }>()
  return (now) => {
    // A block time may run ahead of our clock by a little.
    const end = now + 60_000
    const begin = (windowMs: number) => Math.floor((now - windowMs) / stepMs) * stepMs
    return {
      observedSince: observedSince(db, 'transfers'),
      coverage: (from) => {
        // The present interval reaches to the newest reading alone.
        const within = { from, until: Math.max(from, now - 15_000) }
        return coverageOf(listCovered(db, 'transfers', within), within).share
      },
      totals: (windowMs) => sumFlow(db, begin(windowMs), end),
      past: (windowMs) => {
        const known = pasts.get(windowMs)
        if (known && now >= known.at && now < known.at + pastMs) return known.windows
        const windows = readPast(db, begin(windowMs), windowMs)
        pasts.set(windowMs, { at: now, windows })
        return windows
      },
      copies: (windowMs, copies) =>
        listCopies(db, begin(windowMs), end, copies).map((one) => ({
          ...one,
          before: countCopies(db, one, begin(windowMs) - weekMs, begin(windowMs)),
        })),
      token,
    }
  }
}

function readPast(db: Database, until: UnixMs, windowMs: number): FlowTotalFact[][] {
  const windows: Map<string, FlowTotalFact>[] = []
  for (const { at, ...step } of listFlow(db, until - weekMs, until)) {
    const index = Math.floor((until - 1 - at) / windowMs)
    const window = (windows[index] ??= new Map())
    const name = `${step.token}|${step.direction}|${step.side}`
    const known = window.get(name)
    window.set(name, known ? { ...known, count: known.count + step.count, sum: known.sum + step.sum } : step)
  }
  return Array.from(windows, (window) => [...(window?.values() ?? [])])
}
