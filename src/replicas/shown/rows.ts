import type { UnixMs } from '../../lib/clock.ts'

/** What stands in the tables that people query: docs/replicas.md. */
export interface ShownTransfer {
  readonly key: number
  readonly state: string
  readonly direction: string
  readonly mainHash: string | null
  readonly zoneHash: string | null
  readonly token: string
  readonly symbol: string | null
  /** Token units. */
  readonly amount: string | null
  readonly sender: string
  readonly recipient: string
  readonly originAt: UnixMs
  readonly destinationAt: UnixMs | null
}

export interface ShownMoney {
  readonly token: string
  readonly symbol: string
  readonly amount: string
  readonly usd: string | null
}

export interface ShownCase {
  readonly key: number
  readonly title: string
  readonly severity: string
  readonly state: string
  readonly assignee: string | null
  readonly by: string | null
  readonly alerts: number
  readonly atRiskUsd: string | null
  readonly money: readonly ShownMoney[]
  readonly openedAt: UnixMs
  readonly endedAt: UnixMs | null
}

export interface ShownAlert {
  readonly key: number
  readonly id: string
  readonly caseId: number | null
  readonly rule: string
  readonly kind: string
  readonly severity: string
  readonly state: string
  readonly subject: string
  readonly summary: string
  readonly transferKey: number | null
  readonly hashes: readonly string[]
  readonly since: UnixMs
  readonly endedAt: UnixMs | null
}

export interface ShownDay {
  readonly day: string
  /** JSON. */
  readonly body: string
}

/** Rows of one kind, and the keys that have none any more. */
export interface RowsOf<Row, Key> {
  readonly rows: readonly Row[]
  readonly gone: readonly Key[]
}

export interface ShownRows {
  readonly transfers: RowsOf<ShownTransfer, number>
  readonly cases: RowsOf<ShownCase, number>
  readonly alerts: RowsOf<ShownAlert, number>
  readonly days: RowsOf<ShownDay, string>
}

/** The tables whose rows have numbers, in the order in which they are walked. */
export const walked = ['transfers', 'cases', 'alerts'] as const
export type Walked = (typeof walked)[number]

/** What of the tables is to be written. */
export interface ShownKeys {
  readonly transfers: ReadonlySet<number>
  readonly cases: ReadonlySet<number>
  readonly alerts: ReadonlySet<number>
  readonly days: ReadonlySet<string>
}

/** A bridge as a whole, from the facts of its status page. */
export interface ShownBridge {
  readonly verdict: string
  readonly reasons: readonly string[]
  readonly mainChain: string
  readonly zoneChain: string
  readonly pageUrl: string | null
  readonly inFlight: number
  readonly program: string
  readonly coverage: readonly {
    readonly source: string
    readonly lastGoodAt: UnixMs | null
    readonly staleAfterMs: number
  }[]
}

/** Reads what is shown from the ledger; what has no row there is left out. */
export interface ShownReader {
  transfers(keys: readonly number[]): ShownTransfer[]
  cases(keys: readonly number[]): ShownCase[]
  alerts(keys: readonly number[]): ShownAlert[]
  days(names: readonly string[]): ShownDay[]
  /** The cases that an alert is in, whose title may be its words. */
  casesOf(alert: number): readonly number[]
  /** The numbers of a table behind one, in their order. */
  list(table: Walked, after: number, limit: number): number[]
  listDays(): string[]
  /** Cases that are not over, those that want a look the most first. */
  listOpenCases(limit: number): number[]
  bridge(): ShownBridge
}
