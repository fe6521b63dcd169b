import type { Query } from '../connect.ts'
import type { Writer } from './place.ts'
import type { ShownBridge } from './rows.ts'

/** Says how a bridge is, and how much of it was looked at: under the lease of this epoch alone. */
export async function writeBridge(query: Query, { bridge, epoch }: Writer, of: ShownBridge): Promise<void> {
  const open = `FROM spanwatch.cases WHERE bridge = $1 AND state IN ('open', 'acknowledged')`
  await query(
    `INSERT INTO spanwatch.bridges
       (bridge, verdict, reasons, main_chain, zone_chain, page_url, in_flight, program, open_cases, at_risk_usd, at)
     SELECT bridge, $3, $4::jsonb, $5, $6, $7, $8, $9, (SELECT count(*) ${open}), (SELECT sum(at_risk_usd) ${open}), clock_timestamp()
     FROM spanwatch.leases WHERE bridge = $1 AND epoch = $2
     ON CONFLICT (bridge) DO UPDATE SET verdict = $3, reasons = $4::jsonb, main_chain = $5, zone_chain = $6, page_url = $7,
       in_flight = $8, program = $9, open_cases = excluded.open_cases, at_risk_usd = excluded.at_risk_usd, at = excluded.at`,
    [
      bridge,
      epoch,
      of.verdict,
      JSON.stringify(of.reasons),
      of.mainChain,
      of.zoneChain,
      of.pageUrl,
      of.inFlight,
      of.program,
    ],
  )
  const sources = of.coverage.map(({ source }) => source)
  await query(
    `WITH held AS (SELECT 1 FROM spanwatch.leases WHERE bridge = $1 AND epoch = $2),
       gone AS (
         DELETE FROM spanwatch.coverage c USING held WHERE c.bridge = $1 AND NOT c.source = ANY ($3::text[]))
     INSERT INTO spanwatch.coverage (bridge, source, last_good_at, stale_after, at)
     SELECT $1, r.source, to_timestamp(r.good / 1000.0), r.stale * interval '1 ms', clock_timestamp()
     FROM held, unnest($3::text[], $4::bigint[], $5::float8[]) AS r (source, good, stale)
     ON CONFLICT (bridge, source) DO UPDATE SET last_good_at = excluded.last_good_at, stale_after = excluded.stale_after,
       at = excluded.at`,
    [
      bridge,
      epoch,
      sources,
      of.coverage.map(({ lastGoodAt }) => lastGoodAt),
      of.coverage.map(({ staleAfterMs }) => staleAfterMs),
    ],
  )
}
