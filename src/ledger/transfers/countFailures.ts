import type { Direction } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { direction } from '../../store/bridgeCodecs.ts'
import type { Database } from '../../store/database.ts'
import { columns, int, text } from '../../store/table.ts'
import { textOfHash } from '../../store/hash.ts'
import { nameTextOf } from '../../store/names.ts'
import { senderText } from '../sightings/parties.ts'
import { isOpenRow } from './transferRows.ts'

/** Transfers of a direction, and of one token, that failed. */
export interface FailureCount {
  /** Null is all of them, '' the native currency. */
  readonly token: string | null
  readonly direction: Direction
  readonly failed: number
  /** How many different ones. */
  readonly recipients: number
  readonly senders: number
  readonly tokens: number
}

/** Those whose newest block is within `from` to `until`; `leftFrom` bounds when they left. */
export interface FailuresOf {
  readonly from: UnixMs
  readonly until: UnixMs
  readonly leftFrom: UnixMs
}

const failures = columns({ key: int, originAt: int, token: text, direction, recipient: text, sender: text })

interface Counted {
  readonly token: string
  readonly direction: Direction
  failed: number
  readonly recipients: Set<string>
  readonly senders: Set<string>
}

/**
 * Counts failures so many rows at a time: a storm leaves a hundred thousand, and nobody waits for them. Each call reads
 * on, and gives null until all are counted. What changes behind the newest row that was read counts the next time.
 */
export function startFailureCount(
  db: Database,
  { from, until, leftFrom }: FailuresOf,
): (most: number) => FailureCount[] | null {
  const select = `SELECT key, origin_at, ${nameTextOf('token')} AS token, direction,
      ${textOfHash('target_address')} AS recipient, ${senderText} AS sender
    FROM transfers
    WHERE state = 'failed' AND ${isOpenRow} AND origin_at >= ?1 AND origin_at < ?3 AND (origin_at, key) > (?1, ?4)
      AND max(origin_at, coalesce(destination_at, 0)) >= ?2 AND coalesce(destination_at, 0) < ?3
    ORDER BY origin_at, key LIMIT ?5`
  const counts = new Map<string, Counted>()
  let after = { originAt: leftFrom, key: -1 }
  return (most) => {
    const rows = failures.all(db, select, after.originAt, from, until, after.key, most)
    for (const row of rows) count(counts, row)
    const last = rows.at(-1)
    if (last === undefined || rows.length < most) return listCounts([...counts.values()])
    after = last
    return null
  }
}

function count(
  counts: Map<string, Counted>,
  of: {
    readonly token: string
    readonly direction: Direction
    readonly recipient: string
    readonly sender: string
  },
): void {
  const { token, direction, recipient, sender } = of
  const name = `${direction} ${token}`
  const counted = counts.get(name) ?? {
    token,
    direction,
    failed: 0,
    recipients: new Set(),
    senders: new Set(),
  }
  counts.set(name, counted)
  counted.failed += 1
  counted.recipients.add(recipient)
  counted.senders.add(sender)
}

function listCounts(byToken: readonly Counted[]): FailureCount[] {
  const all = [...Map.groupBy(byToken, ({ direction }) => direction)].map(
    ([direction, tokens]): FailureCount => ({
      token: null,
      direction,
      failed: tokens.reduce((sum, { failed }) => sum + failed, 0),
      recipients: unionSize(tokens.map(({ recipients }) => recipients)),
      senders: unionSize(tokens.map(({ senders }) => senders)),
      tokens: tokens.length,
    }),
  )
  const each = byToken.map(({ token, direction, failed, recipients, senders }) => ({
    token,
    direction,
    failed,
    recipients: recipients.size,
    senders: senders.size,
    tokens: 1,
  }))
  return [...all, ...each]
}

function unionSize(sets: readonly Set<string>[]): number {
  const [first = new Set(), ...others] = sets
  if (others.length === 0) return first.size
  return others.reduce((all, one) => all.union(one), first).size
}
