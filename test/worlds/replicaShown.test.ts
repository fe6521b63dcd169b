import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/lib/secret.ts'
import { openConnections } from '../../src/replicas/connect.ts'
import { failuresEvery, openReplicaWorld, untilHeld } from '../support/replicaWorld.ts'
import { postgresBin, startPostgres } from '../support/startPostgres.ts'

if (postgresBin === null) console.warn('skipped: rows that people query, PostgreSQL is missing')

describe.skipIf(postgresBin === null)('rows that people query', () => {
  test('are those of the ledger after the node that wrote them was killed', async () => {
    const postgres = await startPostgres()
    onTestFinished(() => postgres.stop())
    const database = await postgres.createDatabase('shown')
    const world = await openReplicaWorld({
      databases: [database, database],
      bridge: 'one',
      scenario: failuresEvery(2, 12),
    })
    onTestFinished(() => world.close())
    const { query, close } = openConnections(
      { database: new Secret(database) },
      { most: 1, timeoutMs: 5_000 },
      'test',
    )
    onTestFinished(close)
    for (const node of world.nodes) node.start()
    await untilHeld(world)
    const tell = async (count: number) =>
      expect.poll(() => world.told().length, { timeout: 60_000 }).toBeGreaterThanOrEqual(count)
    await tell(3)
    // What leaves without that mark is in PostgreSQL, whoever goes on.
    const before = world.told().filter(({ isMarked }) => !isMarked)
    await world.holder()?.kill()
    await untilHeld(world)
    await tell(8)
    const behind = async () => {
      const [row] = await query<{ changes_behind: string | null }>(
        'SELECT changes_behind FROM spanwatch.bridges_now',
      )
      return Number(row?.changes_behind ?? Infinity)
    }
    await expect.poll(behind, { timeout: 20_000 }).toBeLessThan(3)
    const holder = world.holder()
    await holder?.stop()
    const ledger = new DatabaseSync(join(holder?.project.folder ?? '', 'state/ledger.sqlite'), {
      readOnly: true,
    })
    onTestFinished(() => ledger.close())
    /** What stands here has to stand there; of the last moment before the stop it may still be missing. */
    const compare = async (here: string, there: string) => {
      const rows = ledger
        .prepare(here)
        .all()
        .map(({ at, ...row }) => ({ at: Number(at), row }))
      const shown = new Map((await query(there)).map((row) => [row['id'], row]))
      const last = Math.max(...rows.map(({ at }) => at))
      const settled = rows.filter(({ at }) => at < last - 3_000)
      expect(shown.size).toBeGreaterThan(0)
      for (const { row } of settled) expect(shown.get(row['id'])).toEqual(row)
      const known = new Set(rows.map(({ row }) => row['id']))
      expect([...shown.keys()].filter((id) => !known.has(id as number))).toEqual([])
    }
    await compare(
      'SELECT key AS id, state, origin_at, changed_at AS at FROM transfers',
      'SELECT key::int AS id, state, round(extract(epoch FROM origin_at) * 1000)::float8 AS origin_at FROM spanwatch.transfers',
    )
    await compare(
      `SELECT id, state, members AS alerts, changed_at AS at FROM cases WHERE state <> 'merged'`,
      'SELECT id::int, state, alerts FROM spanwatch.cases',
    )
    await compare(
      `SELECT id, rule, state, changed_at AS at FROM alerts WHERE state NOT IN ('pending', 'inactive', 'merged')`,
      'SELECT number::int AS id, rule, state FROM spanwatch.alerts',
    )
    const alerts = await query<{ id: string }>('SELECT id FROM spanwatch.alerts')
    const known = new Set(alerts.map(({ id }) => id))
    expect(before.filter(({ alertId }) => !known.has(alertId))).toEqual([])
    const [named] = await query(
      `SELECT count(*)::int AS alerts, count(*) FILTER (WHERE a.hashes @> ARRAY[t.zone_hash])::int AS named
       FROM spanwatch.alerts a JOIN spanwatch.transfers t ON t.bridge = a.bridge AND t.key = a.transfer_key`,
    )
    expect(named?.['alerts']).toBeGreaterThan(0)
    expect(named?.['named']).toBe(named?.['alerts'])
    expect(await query('SELECT verdict FROM spanwatch.bridges_now')).toEqual([{ verdict: 'critical' }])
  })
})
