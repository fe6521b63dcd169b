import type { UnixMs } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import { cleanText } from '../lib/text.ts'
import type { Query } from '../replicas/connect.ts'
import { type FleetCase, readCases } from './readFleet.ts'

export interface FleetTransfer {
  readonly bridge: string
  readonly key: number
  readonly state: string
  readonly direction: string
  readonly mainHash: string | null
  readonly zoneHash: string | null
  readonly token: string | null
  readonly symbol: string | null
  readonly amount: string | null
  readonly originAt: UnixMs | null
  readonly pageUrl: string | null
}

export interface FleetAlert {
  readonly bridge: string
  readonly id: string
  readonly caseId: number | null
  readonly rule: string
  readonly severity: string
  readonly state: string
  readonly summary: string
  readonly transferKey: number | null
  readonly since: UnixMs
  readonly pageUrl: string | null
}

export interface FleetFound {
  readonly transfers: readonly FleetTransfer[]
  readonly cases: readonly FleetCase[]
  readonly alerts: readonly FleetAlert[]
}

/** What is searched for: each of these has an index. */
type Term =
  | { readonly by: 'hash'; readonly hash: Buffer }
  | { readonly by: 'transfer' | 'case'; readonly number: number }
  | { readonly by: 'alert'; readonly id: string }

/** @throws MonitorError `usage` for what names nothing */
export function readTerm(text: string): Term {
  const typed = text.trim()
  if (/^0x[0-9a-f]{64}$/i.test(typed)) return { by: 'hash', hash: Buffer.from(typed.slice(2), 'hex') }
  const [, kind, digits] = /^([tc])(\d{1,15})$/i.exec(typed) ?? []
  if (digits !== undefined)
    return { by: kind?.toLowerCase() === 't' ? 'transfer' : 'case', number: Number(digits) }
  if (/^[0-9a-f]{8,64}$/i.test(typed)) return { by: 'alert', id: typed.toLowerCase() }
  throw new MonitorError(
    'usage',
    `Expected a whole hash (0x and 64 hex digits), a transfer such as t42, a case such as c7 or an alert’s id, got “${cleanText(typed, 80)}”.`,
  )
}

const most = 50

/** Everything of all bridges that a term names: transfers, their alerts and the cases of those. */
export async function searchFleet(query: Query, term: Term): Promise<FleetFound> {
  const [transfers, alerts] = await Promise.all([findTransfers(query, term), findAlerts(query, term)])
  const named = alerts.flatMap(({ bridge, caseId }) => (caseId === null ? [] : [{ bridge, id: caseId }]))
  const cases =
    term.by === 'case' ? await findCases(query, term.number) : await readCases(query, distinct(named))
  return { transfers, alerts, cases }
}

function distinct<T extends { readonly bridge: string; readonly id: number }>(named: readonly T[]): T[] {
  return [...new Map(named.map((one) => [`${one.id} ${one.bridge}`, one])).values()]
}

interface TransferRow {
  readonly bridge: string
  readonly key: string
  readonly state: string
  readonly direction: string
  readonly main_hash: Buffer | null
  readonly zone_hash: Buffer | null
  readonly token: string | null
  readonly symbol: string | null
  readonly amount: string | null
  readonly origin_at: Date | null
  readonly page_url: string | null
}

// As an array: with a list of rows the key of the bridge would not be looked up.
const everyBridge = '(SELECT array_agg(bridge) FROM spanwatch.leases)::text[]'

async function findTransfers(query: Query, term: Term): Promise<FleetTransfer[]> {
  if (term.by !== 'hash' && term.by !== 'transfer') return []
  const of = 'SELECT * FROM spanwatch.transfers WHERE'
  const found =
    term.by === 'hash'
      ? `(${of} main_hash = $1 LIMIT $2) UNION (${of} zone_hash = $1 LIMIT $2)`
      : `${of} bridge = ANY (${everyBridge}) AND key = $1 LIMIT $2`
  const rows = await query<TransferRow>(
    `SELECT t.*, b.page_url FROM (${found}) t LEFT JOIN spanwatch.bridges b ON b.bridge = t.bridge
     ORDER BY t.origin_at DESC NULLS LAST, t.bridge, t.key LIMIT $2`,
    [term.by === 'hash' ? term.hash : term.number, most],
  )
  return rows.map((row) => ({
    bridge: row.bridge,
    key: Number(row.key),
    state: row.state,
    direction: row.direction,
    mainHash: row.main_hash && `0x${row.main_hash.toString('hex')}`,
    zoneHash: row.zone_hash && `0x${row.zone_hash.toString('hex')}`,
    token: row.token,
    symbol: row.symbol,
    amount: row.amount,
    originAt: row.origin_at?.getTime() ?? null,
    pageUrl: row.page_url,
  }))
}

interface AlertRow {
  readonly bridge: string
  readonly id: string
  readonly case_id: string | null
  readonly rule: string
  readonly severity: string
  readonly state: string
  readonly summary: string
  readonly transfer_key: string | null
  readonly since: Date
  readonly page_url: string | null
}

const wheres = {
  hash: 'a.hashes @> ARRAY[$1::bytea]',
  transfer: `a.bridge = ANY (${everyBridge}) AND a.transfer_key = $1`,
  case: `a.bridge = ANY (${everyBridge}) AND a.case_id = $1`,
  alert: 'a.id = $1',
} as const

async function findAlerts(query: Query, term: Term): Promise<FleetAlert[]> {
  const value = term.by === 'hash' ? term.hash : term.by === 'alert' ? term.id : term.number
  return await selectAlerts(query, wheres[term.by], [value])
}

/** Those of one case, the newest first. */
export function listCaseAlerts(query: Query, bridge: string, id: number): Promise<FleetAlert[]> {
  return selectAlerts(query, 'a.bridge = $1 AND a.case_id = $2', [bridge, id])
}

async function selectAlerts(query: Query, where: string, values: readonly unknown[]): Promise<FleetAlert[]> {
  const rows = await query<AlertRow>(
    // Else the planner walks through all alerts by their time, for the first few that match.
    `WITH found AS MATERIALIZED (SELECT * FROM spanwatch.alerts a WHERE ${where})
     SELECT a.bridge, a.id, a.case_id, a.rule, a.severity, a.state, a.summary, a.transfer_key, a.since, b.page_url
     FROM found a LEFT JOIN spanwatch.bridges b ON b.bridge = a.bridge ORDER BY a.since DESC LIMIT ${most}`,
    values,
  )
  return rows.map((row) => ({
    bridge: row.bridge,
    id: row.id,
    caseId: row.case_id === null ? null : Number(row.case_id),
    rule: row.rule,
    severity: row.severity,
    state: row.state,
    summary: row.summary,
    transferKey: row.transfer_key === null ? null : Number(row.transfer_key),
    since: row.since.getTime(),
    pageUrl: row.page_url,
  }))
}

async function findCases(query: Query, id: number): Promise<FleetCase[]> {
  const bridges = await query<{ bridge: string }>('SELECT bridge FROM spanwatch.leases')
  return await readCases(
    query,
    bridges.map(({ bridge }) => ({ bridge, id })),
  )
}
