import type { Explorer } from '../clients/explorer/createExplorer.ts'
import { outsideFilter } from '../clients/explorer/fits.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { SharedFacts } from './facts.ts'
import type { Database } from '../store/database.ts'
import { summarizeQuarantine } from './quarantine.ts'

interface DriftSources {
  readonly db: Database
  readonly explorer: Pick<Explorer, 'mismatches'>
}

/** Records that were set aside, and answers to other questions than were asked, of which some are among them. */
export function readDrift({ db, explorer }: DriftSources, since: UnixMs): SharedFacts['drift'] {
  const mismatches = explorer.mismatches
    .list(since)
    .map((one) => ({ ...one, isOfList: !one.problem.startsWith(outsideFilter) }))
  const all = [...summarizeQuarantine(db, since), ...mismatches]
  return [...Map.groupBy(all, ({ endpoint }) => endpoint).values()].flatMap((of) => {
    const newest = of.toSorted((a, b) => b.lastAt - a.lastAt)[0]
    if (newest === undefined) return []
    const count = Math.max(...of.map((one) => one.count))
    const firstAt = Math.min(...of.map((one) => one.firstAt))
    return [{ ...newest, count, firstAt, isOfList: of.some(({ isOfList }) => isOfList) }]
  })
}
