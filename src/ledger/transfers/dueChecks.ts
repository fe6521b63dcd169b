import { wantsMainRead } from '../evidence/needsDetail.ts'
import type { Sighting } from '../sightings/sighting.ts'
import { valueFirst } from '../sightings/valueFirst.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { putNewest } from '../../lib/putNewest.ts'
import type { Database } from '../../store/database.ts'
import { columns, instant, int } from '../../store/table.ts'
import { formatKey, selectTransfers, type StoredTransfer, saveSought } from './transferRows.ts'

/** A transfer that wants to be read by hash. */
export interface DueCheck {
  readonly key: string
  readonly zoneHash: string | null
  readonly mainHash: string | null
  /** The main hash is what has to be asked for, whether the zone hash is known or not. */
  readonly byMain: boolean
  /** Who its records name, the recipient first. */
  readonly addresses: readonly string[]
  readonly misses: number
  readonly isUrgent: boolean
}

/** A transfer that is not found rests no longer than this between two readings. */
export const maxPostponeMs = 60_000

/** How many that are due are ordered by what is at stake: a flood of dust must not hide what comes behind it. */
const maxDue = 20_000
/** Of so many, those that came last, it is found out in one call. */
const maxLooked = 2_000
const maxKnown = 50_000

/** What is at stake by key, of what waits: nothing is read again for it until it was asked for. */
export type KnownRisks = Map<number, number>

const dueKeys = columns({ key: int, checkAt: instant })

/** How many may be asked for now. */
export interface DueTurns {
  /** Of those whose zone hash is known: E12 takes many at once. */
  readonly byZone: number
  /** Of the others: each costs a request. */
  readonly alone: number
  /** How many of the others were asked for before. */
  readonly aloneBefore?: number
}

/** The transfers that want to be read by hash, those of most value first, and each tenth the one due longest. */
export function listDueChecks(
  db: Database,
  now: UnixMs,
  { byZone, alone, aloneBefore = 0 }: DueTurns,
  risks: { readonly known: KnownRisks; of(row: StoredTransfer): number },
): DueCheck[] {
  const list = (isAlone: 0 | 1, turns: number, before: number) => {
    if (turns === 0) return []
    const sql =
      'SELECT key, check_at FROM transfers WHERE (zone_hash IS NULL) = ? AND check_at <= ? ORDER BY check_at LIMIT ?'
    const due = dueKeys.all(db, sql, isAlone, now, maxDue)
    const fresh = due.flatMap(({ key }) => (risks.known.has(key) ? [] : [key])).slice(-maxLooked)
    for (const row of selectKeys(db, fresh)) {
      const share = risks.of(row)
      // 0 is what is not known: before the escrows were read it is that of all.
      if (share > 0) putNewest(risks.known, row.key, share, maxKnown)
    }
    const toRisk = ({ key, checkAt }: (typeof due)[number]) => ({
      share: risks.known.get(key) ?? 0,
      since: checkAt,
      counts: true,
    })
    const keys = valueFirst(due, toRisk, turns, before).map(({ key }) => key)
    for (const key of keys) risks.known.delete(key)
    const rows = new Map(selectKeys(db, keys).map((row) => [row.key, row]))
    return keys.flatMap((key) => rows.get(key) ?? [])
  }
  return [...list(0, byZone, 0), ...list(1, alone, aloneBefore)].map(toDueCheck)
}

function selectKeys(db: Database, keys: readonly number[]): StoredTransfer[] {
  return selectTransfers(db, 'WHERE key IN (SELECT value FROM json_each(?))', JSON.stringify(keys))
}

function toDueCheck({ key, group, misses }: StoredTransfer): DueCheck {
  const { members } = group
  return {
    key: formatKey(key),
    zoneHash: pickHash(members, 'zoneHash', misses),
    mainHash: pickHash(members, 'mainHash', misses),
    byMain: wantsMainRead(group),
    addresses: [
      ...new Set(members.flatMap(({ targetAddress, sourceAddress }) => [targetAddress, sourceAddress])),
    ].filter((address) => address !== ''),
    misses,
    isUrgent: misses === 0 && !members.some((sighting) => sighting.source === 'E12'),
  }
}

/** The one that was read last; of several, as when it was tried again in another transaction, each in its turn. */
function pickHash(
  members: readonly Sighting[],
  name: 'mainHash' | 'zoneHash',
  misses: number,
): string | null {
  const newestFirst = members.toSorted((a, b) => b.lastAt - a.lastAt)
  const hashes = [...new Set(newestFirst.flatMap((sighting) => sighting[name] ?? []))]
  return hashes[misses % hashes.length] ?? null
}

/**
 * Asked for in vain: again later, ever more rarely.
 * @param soughtAt when an answer was asked for that would have held it; null where none could be had
 */
export function postponeCheck(
  db: Database,
  row: StoredTransfer,
  { now, soughtAt, openIntervalMs }: { now: UnixMs; soughtAt: UnixMs | null; openIntervalMs: number },
): void {
  const waitMs = Math.min(openIntervalMs * 2 ** Math.min(row.misses, 10), maxPostponeMs)
  saveSought(db, row, {
    checkAt: now + waitMs,
    misses: row.misses + 1,
    soughtAt: soughtAt ?? row.soughtAt,
  })
}
