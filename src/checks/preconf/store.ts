import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'

const counted = [
  'taken',
  'kept',
  'moved',
  'indexMoved',
  'flipped',
  'dropped',
  'unknown',
  'hits',
  'unseen',
  'unwatched',
  'late',
] as const
type Counted = (typeof counted)[number]

/**
 * What became of preconfirmed transactions over a time. `taken` is how many were seen preconfirmed; each of them ends as
 * `kept` (in its block), `moved` (to another block), `dropped` or `unknown` (could not be checked). `indexMoved` and
 * `flipped` are counted beside that. `hits` and `unseen` are transactions of canonical blocks that were closely
 * watched: preconfirmed before, or never; `unwatched` are those of other blocks.
 */
export interface PreconfCounts extends Readonly<Record<Counted, number>> {
  /** How long before its block was complete each was first preconfirmed, ms; below zero is afterwards. */
  readonly leadsMs: readonly number[]
}

export interface PreconfHour extends Readonly<Record<Counted, number>> {
  /** Start of the hour, UTC. */
  readonly hour: UnixMs
  readonly leadCount: number
  readonly leadSumMs: number
  /** How many leads were below each of `leadBoundsMs`; the last one counts the rest. */
  readonly leads: readonly number[]
}

const hourMs = 3_600_000
/** Upper bounds of the classes that leads are counted in, ms. */
export const leadBoundsMs = [0, 100, 200, 400, 600, 800, 1_000, 1_500, 2_000, 5_000] as const

const columns: Readonly<Record<Counted, string>> = {
  taken: 'taken',
  kept: 'kept',
  moved: 'moved',
  indexMoved: 'index_moved',
  flipped: 'flipped',
  dropped: 'dropped',
  unknown: 'unknown',
  hits: 'hits',
  unseen: 'unseen',
  unwatched: 'unwatched',
  late: 'late',
}

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
  const names = counted.map((name) => columns[name])
  db.prepare(
    `INSERT OR REPLACE INTO preconf_hours (hour, ${names.join(', ')}, lead_count, lead_sum_ms, leads)
     VALUES (?, ${names.map(() => '?').join(', ')}, ?, ?, ?)`,
  ).run(
    hour,
    ...counted.map((name) => (before?.[name] ?? 0) + counts[name]),
    (before?.leadCount ?? 0) + counts.leadsMs.length,
    (before?.leadSumMs ?? 0) + counts.leadsMs.reduce((sum, lead) => sum + Math.round(lead), 0),
    JSON.stringify(leads),
  )
  db.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('preconf_open', ?)").run(String(open))
}

/** Once at a start: what the last run held and never settled is counted as unknown. @returns how many */
export function countLostPreconf(db: Database, now: UnixMs): number {
  const open = Number(db.prepare("SELECT value FROM meta WHERE name = 'preconf_open'").get()?.['value'] ?? 0)
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
  return db
    .prepare('SELECT * FROM preconf_hours WHERE hour >= ? AND hour <= ? ORDER BY hour')
    .all(from, to)
    .map((row) => {
      const numbers = counted.map((name): [Counted, number] => [name, Number(row[columns[name]])])
      return {
        // Every name of the list is there.
        ...(Object.fromEntries(numbers) as Record<Counted, number>),
        hour: Number(row['hour']),
        leadCount: Number(row['lead_count']),
        leadSumMs: Number(row['lead_sum_ms']),
        // Written by addPreconfCounts.
        leads: JSON.parse(String(row['leads'])) as number[],
      }
    })
}

export function purgePreconf(db: Database, before: UnixMs): void {
  db.prepare('DELETE FROM preconf_hours WHERE hour < ?').run(before)
}
