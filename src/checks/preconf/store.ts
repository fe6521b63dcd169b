import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { readMetaNumber, saveMeta } from '../../store/meta.ts'
import { instant, int, ints, type Read, table } from '../../store/table.ts'

const counted = {
  taken: int,
  kept: int,
  moved: int,
  indexMoved: int,
  flipped: int,
  dropped: int,
  unknown: int,
  hits: int,
  unseen: int,
  unwatched: int,
  late: int,
}
const hours = table('preconf_hours', {
  /** Start of the hour, UTC. */
  hour: instant,
  ...counted,
  leadCount: int,
  leadSumMs: int,
  /** How many leads were below each of `leadBoundsMs`; the last one counts the rest. */
  leads: ints,
})

/**
 * What became of preconfirmed transactions over a time. `taken` is how many were seen preconfirmed; each of them ends as
 * `kept` (in its block), `moved` (to another block), `dropped` or `unknown` (could not be checked). `indexMoved` and
 * `flipped` are counted beside that. `hits` and `unseen` are transactions of canonical blocks that were closely
 * watched: preconfirmed before, or never; `unwatched` are those of other blocks.
 */
export interface PreconfCounts extends Readonly<Record<keyof typeof counted, number>> {
  /** How long before its block was complete each was first preconfirmed, ms; below zero is afterwards. */
  readonly leadsMs: readonly number[]
}

export type PreconfHour = Read<typeof hours>

const hourMs = 3_600_000
/** Upper bounds of the classes that leads are counted in, ms. */
export const leadBoundsMs = [0, 100, 200, 400, 600, 800, 1_000, 1_500, 2_000, 5_000] as const

/** Adds what was found out just now. `open` is how many are still to be settled: after a crash they are unknown. */
export function addPreconfCounts(db: Database, counts: PreconfCounts, open: number, now: UnixMs): void {
  const hour = Math.floor(now / hourMs) * hourMs
  const before = listPreconfHours(db, hour, hour)[0]
  const leads = (before?.leads ?? [...leadBoundsMs, 0].map(() => 0)).slice()
  for (const lead of counts.leadsMs) {
    const at = leadBoundsMs.findIndex((bound) => lead < bound)
    const place = at === -1 ? leadBoundsMs.length : at
    leads[place] = (leads[place] ?? 0) + 1
  }
  const add = (name: keyof typeof counted) => (before?.[name] ?? 0) + counts[name]
  const sums = {
    hour,
    taken: add('taken'),
    kept: add('kept'),
    moved: add('moved'),
    indexMoved: add('indexMoved'),
    flipped: add('flipped'),
    dropped: add('dropped'),
    unknown: add('unknown'),
    hits: add('hits'),
    unseen: add('unseen'),
    unwatched: add('unwatched'),
    late: add('late'),
    leadCount: (before?.leadCount ?? 0) + counts.leadsMs.length,
    leadSumMs: (before?.leadSumMs ?? 0) + counts.leadsMs.reduce((sum, lead) => sum + Math.round(lead), 0),
    leads,
  }
  db.prepare(`INSERT OR REPLACE ${hours.into}`).run(...hours.values(sums))
  saveMeta(db, 'preconf_open', String(open))
}

/** Once at a start: what the last run held and never settled is counted as unknown. @returns how many */
export function countLostPreconf(db: Database, now: UnixMs): number {
  const open = readMetaNumber(db, 'preconf_open') ?? 0
  if (open > 0) addPreconfCounts(db, { ...noPreconfCounts, unknown: open }, 0, now)
  return open
}

export const noPreconfCounts: PreconfCounts = {
  taken: 0,
  kept: 0,
  moved: 0,
  indexMoved: 0,
  flipped: 0,
  dropped: 0,
  unknown: 0,
  hits: 0,
  unseen: 0,
  unwatched: 0,
  late: 0,
  leadsMs: [],
}

/** Hours that begin from `from` to `to`, both included, rising. */
export function listPreconfHours(db: Database, from: UnixMs, to: UnixMs): PreconfHour[] {
  return hours.all(db, 'SELECT * FROM preconf_hours WHERE hour >= ? AND hour <= ? ORDER BY hour', from, to)
}

export function purgePreconf(db: Database, before: UnixMs): void {
  db.prepare('DELETE FROM preconf_hours WHERE hour < ?').run(before)
}
