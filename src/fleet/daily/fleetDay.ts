import type { DayWindow } from '../../report/reportDay.ts'
import type { Query } from '../../replicas/connect.ts'
import { type FleetBridge, type FleetCase, readFleet } from '../readFleet.ts'

/** What left on each bridge in a day. */
interface DayTransfers {
  readonly left: number
  readonly completed: number
  /** Neither arrived nor failed. */
  readonly pending: number
  readonly failed: number
}

/** A day of all bridges: what left in it, beside how they are as it is sent. */
export interface FleetDay {
  readonly window: DayWindow
  readonly builtAt: number
  readonly bridges: readonly (FleetBridge & { readonly transfers: DayTransfers })[]
  readonly cases: readonly FleetCase[]
}

interface CountRow {
  readonly bridge: string
  readonly left: string
  readonly completed: string
  readonly pending: string
  readonly failed: string
}

const none: DayTransfers = { left: 0, completed: 0, pending: 0, failed: 0 }

export async function readFleetDay(query: Query, window: DayWindow, now: number): Promise<FleetDay> {
  const { bridges, cases } = await readFleet(query)
  // By the index over hours, then exactly: a day of a time zone may begin at half past.
  const rows = await query<CountRow>(
    `SELECT bridge, count(*) AS left, count(*) FILTER (WHERE state = 'completed') AS completed,
       count(*) FILTER (WHERE state = 'pending') AS pending,
       count(*) FILTER (WHERE state IN ('failed', 'unbacked')) AS failed
     FROM spanwatch.transfers
     WHERE date_bin('1 hour', origin_at, timestamptz '2000-01-01 00:00:00+00') >= to_timestamp($1 / 1000.0) - interval '1 hour'
       AND date_bin('1 hour', origin_at, timestamptz '2000-01-01 00:00:00+00') < to_timestamp($2 / 1000.0)
       AND origin_at >= to_timestamp($1 / 1000.0) AND origin_at < to_timestamp($2 / 1000.0)
     GROUP BY bridge`,
    [window.from, window.until],
  )
  const counts = new Map(
    rows.map(({ bridge, ...row }) => [
      bridge,
      {
        left: Number(row.left),
        completed: Number(row.completed),
        pending: Number(row.pending),
        failed: Number(row.failed),
      },
    ]),
  )
  return {
    window,
    builtAt: now,
    bridges: bridges.map((one) => ({ ...one, transfers: counts.get(one.bridge) ?? none })),
    cases,
  }
}
