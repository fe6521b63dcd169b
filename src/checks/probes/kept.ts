import { listCovered } from '../../kernel/running/coverage.ts'
import { type Kept, notKeptYet } from '../../kernel/kept.ts'
import { instant } from '../../store/table.ts'
import type { ProbesPart } from './facts.ts'
import { readProbe, readSince, toProbers } from './store.ts'

/** What was read longer ago says nothing of a moment. */
const lateMs = 3_600_000

/** By what the transfers of probers say of themselves; what failed counts as failed from when it left. */
export const probesKept: Kept<ProbesPart> = {
  kinds: ['probe.missed'],
  docs: 'transfers of probers, as long as transfers are kept, since they are looked for',
  open({ bridge, db }) {
    const probers = toProbers(bridge).flatMap((prober) => {
      const since = readSince(db, prober)
      return since === null ? [] : [{ ...prober, since }]
    })
    const oldest = instant.orNull().get(db, 'SELECT min(origin_at) FROM transfers')
    return {
      everyMs: 60_000,
      since: () =>
        oldest === null || probers.length === 0
          ? notKeptYet
          : Math.max(oldest, Math.min(...probers.map(({ since }) => since))),
      facts: (now) => ({
        probes: {
          shownUntil: listCovered(db, 'transfers', { from: now - lateMs, until: now }).at(-1)?.until ?? null,
          list: probers
            .filter(({ since }) => since <= now)
            .map((prober) => readProbe(db, prober, prober.since, now)),
        },
      }),
    }
  },
}
