import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendFleetDays, type FleetDailyDeps } from '../../../src/fleet/daily/sendFleetDays.ts'
import type { Channel, DeliveryResult, RenderedReport } from '../../../src/delivery/channels/message.ts'
import { MonitorError } from '../../../src/lib/errors.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import type { Query } from '../../../src/replicas/connect.ts'
import { openFleet } from '../../support/openFleet.ts'
import { postgresBin, type Postgres, startPostgres } from '../../support/startPostgres.ts'

if (postgresBin === null) console.warn('skipped: the report over all bridges, PostgreSQL is missing')

const hourMs = 3_600_000
const dayMs = 24 * hourMs

describe.skipIf(postgresBin === null)('the report over all bridges', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  /** Today at nine, when the report of yesterday is due since an hour. */
  const nine = Math.floor(Date.now() / dayMs) * dayMs + 9 * hourMs
  const never = new AbortController().signal

  function open(query: Query, answers: DeliveryResult[] = []) {
    const sent: RenderedReport[] = []
    let at = nine
    const channel: Channel = {
      name: 'mail',
      type: 'email',
      deliver: () => Promise.reject(new Error('not this way')),
      deliverReport: async (report) => {
        sent.push(report)
        return answers.shift() ?? { result: 'ack' }
      },
      close: async () => undefined,
    }
    const deps: FleetDailyDeps = {
      clock: { now: () => at, sleep: () => Promise.resolve() },
      log: createSilentLog(),
      query,
      channel,
      settings: { cron: '0 8 * * *', timezone: 'UTC' },
      pageUrl: 'https://fleet.example.com',
    }
    return { sent, run: () => sendFleetDays(deps, never), pass: (ms: number) => (at += ms) }
  }

  test('is of the day of the first start first, and is sent once, whoever is there and however often it starts', async () => {
    const { query } = await openFleet(postgres)
    const [one, other] = [open(query), open(query)]
    await one.run()
    expect(one.sent).toEqual([])
    for (const each of [one, other]) each.pass(dayMs)
    await Promise.all([one.run(), other.run(), one.run()])
    const sent = [...one.sent, ...other.sent]
    expect(sent.map(({ day }) => day)).toEqual([`fleet-${new Date(nine).toISOString().slice(0, 10)}`])
    const again = open(query)
    again.pass(dayMs)
    await again.run()
    expect(again.sent).toEqual([])
  })

  test('goes on day by day after a clock that was months ahead', async () => {
    const { query } = await openFleet(postgres)
    const wrong = open(query)
    await wrong.run()
    wrong.pass(300 * dayMs)
    await wrong.run()
    const right = open(query)
    for (let day = 0; day < 2; day += 1) {
      right.pass(dayMs)
      await right.run()
    }
    const dayAt = (at: number) => `fleet-${new Date(at).toISOString().slice(0, 10)}`
    expect(right.sent.map(({ day }) => day)).toEqual([dayAt(nine), dayAt(nine + dayMs)])
  })

  test('is sent once where PostgreSQL is away as that is to be written down', async () => {
    const { query } = await openFleet(postgres)
    let refusals = 3
    const flaky: Query = async (sql, values) => {
      if (sql.includes('SET sent_at') && (refusals -= 1) >= 0)
        throw new MonitorError('replica.unreachable', 'planned')
      return await query(sql, values)
    }
    const one = open(flaky)
    await one.run()
    one.pass(dayMs)
    await one.run()
    expect(one.sent).toHaveLength(1)
    expect(
      await query(
        'SELECT attempt, sent_at IS NOT NULL AS sent FROM spanwatch.fleet_reports WHERE attempt > 0',
      ),
    ).toEqual([{ attempt: 1, sent: true }])
  })

  test('says of each bridge how it is, what left in the day, what is open and who holds it', async () => {
    const { query } = await openFleet(postgres)
    const { sent, run, pass } = open(query)
    await run()
    pass(dayMs)
    // Counted over the day that is reported, whatever the hour of this test.
    await query('UPDATE spanwatch.transfers SET origin_at = to_timestamp($1 / 1000.0)', [nine])
    await run()
    const [report] = sent
    expect(report?.subject).toContain('4 bridges on')
    expect(report?.subject).toContain('3 critical')
    expect(report?.text).toContain('nobody; ams-1 was the last')
    expect(report?.text).toContain('1,250,000.50')
    expect(report?.html).toContain('https://usdc-zone.example.com/cases/c7')
    expect(report?.html).not.toContain('<img')
    expect(report?.csv[0]?.content.split('\r\n').find((line) => line.includes('usdc-zone'))).toMatch(
      /,usdc-zone,critical,1,0,0,1,2,1250000.5,fra-1,yes$/,
    )
  })

  test('is tried again later where it was not taken, by whoever is there then', async () => {
    const { query } = await openFleet(postgres)
    const one = open(query, [{ result: 'transient', reason: 'greylisted' }])
    await one.run()
    one.pass(dayMs)
    await one.run()
    await one.run()
    expect(one.sent.length).toBe(1)
    await query("UPDATE spanwatch.fleet_reports SET next_at = clock_timestamp() WHERE next_at <> 'infinity'")
    const other = open(query)
    other.pass(dayMs)
    await other.run()
    expect(other.sent.length).toBe(1)
    expect(
      await query(
        'SELECT attempt, last_error, sent_at IS NOT NULL AS sent FROM spanwatch.fleet_reports WHERE attempt > 0',
      ),
    ).toEqual([{ attempt: 2, last_error: 'greylisted', sent: true }])
  })
})
