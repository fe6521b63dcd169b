import type { UnixMs } from '../lib/clock.ts'
import type { Query } from '../replicas/connect.ts'

/** How much of one source was looked at. */
export interface FleetSource {
  readonly source: string
  /** How long it has said nothing, ms; null: it never said anything. */
  readonly silentMs: number | null
  readonly isFresh: boolean
}

/** One bridge as its rows say. Every text comes from a database that others write into. */
export interface FleetBridge {
  readonly bridge: string
  /** Null before its holder wrote it for the first time. */
  readonly verdict: string | null
  readonly reasons: readonly string[]
  readonly pageUrl: string | null
  readonly inFlight: number | null
  readonly openCases: number
  readonly atRiskUsd: string | null
  readonly holder: string | null
  /** Since when it holds it, or held it. */
  readonly since: UnixMs | null
  readonly isHeld: boolean
  /** How old the row is, ms. */
  readonly ageMs: number | null
  readonly sources: readonly FleetSource[]
}

export interface FleetCase {
  readonly bridge: string
  readonly id: number
  readonly title: string
  readonly severity: string
  readonly state: string
  readonly assignee: string | null
  readonly by: string | null
  readonly alerts: number
  readonly atRiskUsd: string | null
  readonly money: readonly { readonly symbol: string; readonly amount: string; readonly usd: string | null }[]
  readonly openedAt: UnixMs
  readonly pageUrl: string | null
}

export interface Fleet {
  readonly bridges: readonly FleetBridge[]
  /** Those that are not over, the most money at risk first. */
  readonly cases: readonly FleetCase[]
}

export const mostCases = 50

/** Everything of the page, as PostgreSQL has it now. */
export async function readFleet(query: Query): Promise<Fleet> {
  const [bridges, cases] = await Promise.all([readBridges(query), listOpenCases(query, mostCases)])
  return { bridges, cases }
}

interface BridgeRow {
  readonly bridge: string
  readonly verdict: string | null
  readonly reasons: unknown
  readonly page_url: string | null
  readonly in_flight: string | null
  readonly open_cases: number | null
  readonly at_risk_usd: string | null
  readonly node: string | null
  readonly since: Date | null
  readonly is_held: boolean
  readonly age_ms: number | null
  readonly sources: readonly (readonly [string, number | null, boolean])[] | null
}

/** Every bridge that ever had a holder. */
async function readBridges(query: Query): Promise<FleetBridge[]> {
  const rows = await query<BridgeRow>(
    `SELECT l.bridge, b.verdict, b.reasons, b.page_url, b.in_flight, b.open_cases, b.at_risk_usd, l.node, l.since,
       l.until > clock_timestamp() AS is_held,
       (extract(epoch FROM clock_timestamp() - b.at) * 1000)::float8 AS age_ms,
       (SELECT jsonb_agg(jsonb_build_array(source, silent_seconds, is_fresh) ORDER BY source)
        FROM spanwatch.coverage_now c WHERE c.bridge = l.bridge) AS sources
     FROM spanwatch.leases l LEFT JOIN spanwatch.bridges b ON b.bridge = l.bridge ORDER BY l.bridge`,
  )
  return rows.map((row) => ({
    bridge: row.bridge,
    verdict: row.verdict,
    reasons: Array.isArray(row.reasons) ? row.reasons.map(String) : [],
    pageUrl: row.page_url,
    inFlight: row.in_flight === null ? null : Number(row.in_flight),
    openCases: row.open_cases ?? 0,
    atRiskUsd: row.at_risk_usd,
    holder: row.node,
    since: row.since?.getTime() ?? null,
    isHeld: row.is_held,
    ageMs: row.age_ms,
    sources: (row.sources ?? []).map(([source, seconds, isFresh]) => ({
      source,
      silentMs: seconds === null ? null : Math.max(0, seconds * 1_000),
      isFresh,
    })),
  }))
}

interface CaseRow {
  readonly bridge: string
  readonly id: string
  readonly title: string
  readonly severity: string
  readonly state: string
  readonly assignee: string | null
  readonly by: string | null
  readonly alerts: number
  readonly at_risk_usd: string | null
  readonly money: unknown
  readonly opened_at: Date
  readonly page_url: string | null
}

const caseColumns =
  'c.bridge, c.id, c.title, c.severity, c.state, c.assignee, c.by, c.alerts, c.at_risk_usd, c.money, c.opened_at, b.page_url'
const casesWithPage = 'spanwatch.cases c LEFT JOIN spanwatch.bridges b ON b.bridge = c.bridge'

async function listOpenCases(query: Query, limit: number): Promise<FleetCase[]> {
  const rows = await query<CaseRow>(
    `SELECT ${caseColumns} FROM ${casesWithPage} WHERE c.state IN ('open', 'acknowledged')
     ORDER BY c.at_risk_usd DESC NULLS LAST, array_position(ARRAY['critical', 'warning', 'info'], c.severity), c.opened_at DESC, c.bridge, c.id LIMIT $1`,
    [limit],
  )
  return rows.map(toCase)
}

/** Cases of any state, by bridge and number. */
export async function readCases(
  query: Query,
  named: readonly { readonly bridge: string; readonly id: number }[],
): Promise<FleetCase[]> {
  if (named.length === 0) return []
  const rows = await query<CaseRow>(
    `SELECT ${caseColumns} FROM unnest($1::text[], $2::bigint[]) AS n (bridge, id)
       JOIN ${casesWithPage} ON c.bridge = n.bridge AND c.id = n.id
     ORDER BY c.at_risk_usd DESC NULLS LAST, c.opened_at DESC`,
    [named.map(({ bridge }) => bridge), named.map(({ id }) => id)],
  )
  return rows.map(toCase)
}

function toCase(row: CaseRow): FleetCase {
  return {
    bridge: row.bridge,
    id: Number(row.id),
    title: row.title,
    severity: row.severity,
    state: row.state,
    assignee: row.assignee,
    by: row.by,
    alerts: row.alerts,
    atRiskUsd: row.at_risk_usd,
    money: Array.isArray(row.money) ? row.money.map(toMoney) : [],
    openedAt: row.opened_at.getTime(),
    pageUrl: row.page_url,
  }
}

function toMoney(one: Readonly<Record<string, unknown>>): FleetCase['money'][number] {
  const usd = one['usd']
  return {
    symbol: String(one['symbol']),
    amount: String(one['amount']),
    usd: typeof usd === 'string' ? usd : null,
  }
}
