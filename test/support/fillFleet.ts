import type { Query } from '../../src/replicas/connect.ts'

export const bridgeHash = `0x${'ab'.repeat(32)}`
export const otherHash = `0x${'cd'.repeat(32)}`

/** Text that tries to be markup, and to move what stands around it. */
const hostile = '<img src=x onerror=alert(1)>\u202e"\'&'

/** Four bridges: one that is well, one in trouble, one that nobody holds, one whose holder says nothing. */
export async function fillFleet(query: Query): Promise<void> {
  await query(`INSERT INTO spanwatch.leases (bridge, epoch, node, since, until) VALUES
    ('usdc-zone', 3, 'fra-1', clock_timestamp() - interval '3 h', clock_timestamp() + interval '1 h'),
    ('eth-zone', 1, 'fra-2', clock_timestamp() - interval '2 d', clock_timestamp() + interval '1 h'),
    ('gone-zone', 7, 'ams-1', clock_timestamp() - interval '9 d', clock_timestamp() - interval '2 m'),
    ('mute-zone', 2, 'ams-2', clock_timestamp() - interval '1 h', clock_timestamp() + interval '1 h')`)
  await query(
    `INSERT INTO spanwatch.bridges (bridge, verdict, reasons, main_chain, zone_chain, page_url, in_flight, open_cases,
       at_risk_usd, program, at)
     SELECT bridge, verdict, reasons::jsonb, 'MAIN', 'ZONE', 'https://' || bridge || '.example.com', in_flight, open, risk, '1.0.0',
       clock_timestamp() - age * interval '1 s'
     FROM (VALUES ('usdc-zone', 'critical', $1, 12, 2, 1250000.5, 1), ('eth-zone', 'fine', '[]', 3, 0, NULL, 2),
       ('gone-zone', 'fine', '[]', 0, 0, NULL, 130), ('mute-zone', 'fine', '[]', 0, 0, NULL, 95))
       AS v (bridge, verdict, reasons, in_flight, open, risk, age)`,
    [JSON.stringify([`c7: paid without origin ${hostile}`])],
  )
  await query(
    `INSERT INTO spanwatch.coverage (bridge, source, last_good_at, stale_after, at)
     SELECT bridge, source, clock_timestamp() - ago * interval '1 s', interval '15 s', clock_timestamp()
     FROM (VALUES ('usdc-zone', 'explorer', 1), ('usdc-zone', 'canonical', 600), ('eth-zone', 'explorer', 2)) AS v (bridge, source, ago)`,
  )
  const money = JSON.stringify([{ token: '0x1', symbol: 'USDC', amount: '1250000.5', usd: '1250000.50' }])
  await query(
    `INSERT INTO spanwatch.cases (bridge, id, title, severity, state, alerts, at_risk_usd, money, opened_at) VALUES
     ('usdc-zone', 7, $1, 'critical', 'open', 2, 1250000.5, $2::jsonb, clock_timestamp() - interval '20 m'),
     ('usdc-zone', 9, 'A withdrawal has waited 47m', 'warning', 'acknowledged', 1, NULL, '[]', clock_timestamp() - interval '50 m'),
     ('eth-zone', 2, 'over', 'warning', 'closed', 1, NULL, '[]', clock_timestamp() - interval '5 d')`,
    [`1,250,000.5 USDC were paid without an origin ${hostile}`, money],
  )
  await query(
    `INSERT INTO spanwatch.transfers (bridge, key, state, direction, main_hash, zone_hash, token, symbol, amount, sender,
       recipient, origin_at)
     VALUES ('usdc-zone', 42, 'unbacked', 'ZoneToMain', $1, NULL, '0x1', 'USDC', 1250000.5, '', '', clock_timestamp() - interval '20 m'),
       ('eth-zone', 42, 'completed', 'MainToZone', $2, $1, '', NULL, 1, '', '', clock_timestamp() - interval '1 d')`,
    [toBytes(bridgeHash), toBytes(otherHash)],
  )
  await query(
    `INSERT INTO spanwatch.alerts (bridge, number, id, case_id, rule, kind, severity, state, subject, summary, transfer_key,
       hashes, since)
     VALUES ('usdc-zone', 1, '98190fb6', 7, 'unbacked', 'transfer.unbacked', 'critical', 'firing', 't42', $2, 42, ARRAY[$1::bytea],
       clock_timestamp() - interval '20 m')`,
    [toBytes(bridgeHash), `paid without an origin ${hostile}`],
  )
}

function toBytes(hash: string): Buffer {
  return Buffer.from(hash.slice(2), 'hex')
}
