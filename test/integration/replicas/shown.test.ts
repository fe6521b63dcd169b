import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSystemClock } from '../../../src/lib/clock.ts'
import { Secret } from '../../../src/lib/secret.ts'
import { pushChanges } from '../../../src/replicas/changes.ts'
import { type Connections, openConnections } from '../../../src/replicas/connect.ts'
import { type Lease, readLease, releaseLease, takeLease } from '../../../src/replicas/lease.ts'
import { setupSchema } from '../../../src/replicas/setupSchema.ts'
import { moveTo } from '../../../src/replicas/shown/place.ts'
import { keepShown } from '../../../src/replicas/shown/showing.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { createRawReader } from '../../support/rawShownReader.ts'
import { postgresBin, type Postgres, startPostgres } from '../../support/startPostgres.ts'

/** As `expect.poll` for a condition. */
const until = (holds: () => Promise<boolean>) =>
  expect.poll(holds, { timeout: 10_000, interval: 20 }).toBe(true)

if (postgresBin === null) console.warn('skipped: the tables that people query, PostgreSQL is missing')

describe.skipIf(postgresBin === null)('the tables that people query', () => {
  let postgres: Postgres
  let connections: Connections
  let lease: Lease
  let db: Database
  let count = 0
  const ending: (() => Promise<void>)[] = []

  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  beforeEach(async () => {
    const url = await postgres.createDatabase(`shown${(count += 1)}`)
    connections = openConnections({ database: new Secret(url) }, { most: 4, timeoutMs: 5_000 }, 'test')
    await setupSchema(connections)
    lease = await take('a')
    db = openDatabase(':memory:')
  })
  afterEach(async () => {
    for (const end of ending.splice(0)) await end()
    db.close()
    await connections.close()
  })

  async function take(node: string): Promise<Lease> {
    await readLease(connections.query, 'one')
    const taken = await takeLease(
      connections.query,
      { bridge: 'one', node },
      { seq: 1_000, ledgerVersion: 1 },
    )
    if (taken === null) throw new Error('the lease is not over')
    return taken
  }

  function hold(): void {
    db.changes.become({ role: 'holder', epoch: lease.epoch, seq: 0, hash: new Uint8Array() })
  }

  const save = (key: number, state: string) =>
    db.transaction(() =>
      db
        .prepare(
          `INSERT INTO transfers (key, loose, direction, state, token, source_address, target_address, origin_at,
             first_seen_at, changed_at, read_at, body) VALUES (?, 0, 'MainToZone', ?, 'x', '', '', 1000, 0, 0, 0, '')
           ON CONFLICT (key) DO UPDATE SET state = excluded.state`,
        )
        .run(key, state),
    )
  const drop = (key: number) =>
    db.transaction(() => db.prepare('DELETE FROM transfers WHERE key = ?').run(key))

  /** What is pending here, there. @param isForgotten makes it be nowhere else */
  async function push(isForgotten = false): Promise<void> {
    const { head } = await readLease(connections.query, 'one')
    const changes = db.changes.listPending(head.seq, Infinity)
    const of = { bridge: 'one', epoch: lease.epoch, ledgerVersion: 1, after: head, changes }
    expect(await pushChanges(connections.query, of)).toBe(true)
    pushed = db.changes.state()?.seq ?? 0
    if (!isForgotten) return
    db.changes.acknowledge(pushed)
    save(999, 'completed')
    drop(999)
  }
  let pushed = 0
  const said: string[] = []

  function start(epoch = lease.epoch): () => Promise<void> {
    const ended = new AbortController()
    const note = (about: unknown, text = String(about)) => void said.push(text)
    const running = keepShown(
      {
        bridge: 'one',
        epoch,
        clock: createSystemClock(),
        log: { info: note, warn: note } as never,
        connections,
        db,
        reader: createRawReader(db),
        pushedSeq: () => pushed,
      },
      ended.signal,
    )
    const end = async () => {
      ended.abort()
      await running
    }
    ending.push(end)
    return end
  }

  const listStates = async () => {
    const rows = await connections.query<{ key: string; state: string }>(
      'SELECT key, state FROM spanwatch.transfers ORDER BY key',
    )
    return Object.fromEntries(rows.map(({ key, state }) => [key, state]))
  }
  const walks = () => said.filter((text) => text.startsWith('everything is written')).length

  beforeEach(() => {
    said.length = 0
    pushed = 0
  })

  test('follow each commit once PostgreSQL has its change, and not before', async () => {
    hold()
    start()
    save(1, 'pending')
    save(2, 'pending')
    await setTimeout(400)
    expect(await listStates()).toEqual({})
    await push()
    await until(async () => Object.keys(await listStates()).length === 2)
    save(1, 'completed')
    drop(2)
    await push()
    await until(async () => Object.keys(await listStates()).length === 1)
    expect(await listStates()).toEqual({ 1: 'completed' })
    expect(walks()).toBe(1)
  })

  test('of a ledger of before everything is written, and what stood there of another is taken away', async () => {
    for (let key = 1; key <= 450; key += 1) save(key, 'completed')
    drop(7)
    hold()
    await connections.query(
      `INSERT INTO spanwatch.transfers (bridge, key, state, direction) VALUES ('one', 7, 'x', 'x'), ('one', 900, 'x', 'x'), ('two', 7, 'x', 'x')`,
    )
    start()
    await until(async () => {
      const [row] = await connections.query<{ done: boolean }>(
        'SELECT walk IS NULL AS done FROM spanwatch.shown',
      )
      return row?.done === true
    })
    const rows = await connections.query('SELECT bridge, key FROM spanwatch.transfers ORDER BY bridge, key')
    expect(rows.length).toBe(450)
    expect(rows.at(-1)).toEqual({ bridge: 'two', key: '7' })
    const [plain] = await connections.query(
      'SELECT * FROM spanwatch.transfers WHERE bridge = $1 AND key = 1',
      ['one'],
    )
    expect(plain).toMatchObject({
      main_hash: Buffer.from('ab'.repeat(32), 'hex'),
      amount: '1.50',
      origin_at: new Date(1_000),
    })
  })

  test('go on from PostgreSQL where the ledger forgot its changes, without a walk', async () => {
    hold()
    const end = start()
    save(1, 'pending')
    await push()
    await until(async () => (await listStates())[1] === 'pending')
    await end()
    save(1, 'completed')
    save(2, 'pending')
    await push(true)
    await push()
    expect(db.changes.listPending(0, Infinity)[0]?.seq).toBeGreaterThan(2)
    start()
    await until(async () => (await listStates())[2] === 'pending')
    expect(await listStates()).toEqual({ 1: 'completed', 2: 'pending' })
    expect(walks()).toBe(1)
  })

  test('everything is written again where changes are nowhere any more', async () => {
    hold()
    const end = start()
    save(1, 'pending')
    await push()
    await until(async () => (await listStates())[1] === 'pending')
    await end()
    drop(1)
    save(2, 'pending')
    await push(true)
    await push()
    await connections.query('DELETE FROM spanwatch.changes')
    start()
    await until(async () => (await listStates())[1] === undefined)
    await until(async () => (await listStates())[2] === 'pending')
    expect(walks()).toBe(2)
  })

  test('everything is written again where a change was damaged', async () => {
    hold()
    const end = start()
    save(1, 'pending')
    await push()
    await until(async () => (await listStates())[1] === 'pending')
    await end()
    save(1, 'completed')
    await push(true)
    await push()
    await connections.query(`UPDATE spanwatch.changes SET body = 'broken' WHERE seq = 2`)
    start()
    await until(async () => (await listStates())[1] === 'completed')
    expect(walks()).toBe(2)
  })

  test('daily reports stand there, those of weeks do not', async () => {
    const keep = (day: string, body: object) =>
      db.transaction(() =>
        db
          .prepare(
            `INSERT INTO reports (day, zone, built_at, content, state, attempt, next_at, expires_at)
             VALUES (?, 'UTC', 0, ?, 'sent', 0, 0, 0)`,
          )
          .run(day, JSON.stringify(body)),
      )
    const list = () => connections.query('SELECT day::text, body FROM spanwatch.daily ORDER BY day')
    keep('2026-03-07', { window: { zone: 'UTC' }, name: 'a\0b\ud800' })
    keep('2026-W10', {})
    hold()
    start()
    const first = { day: '2026-03-07', body: { window: { zone: 'UTC' }, name: 'ab\ufffd' } }
    await until(async () => (await list()).length === 1)
    expect(await list()).toEqual([first])
    keep('2026-03-08', { window: {} })
    keep('2026-03', {})
    await push()
    await until(async () => (await list()).length === 2)
    db.transaction(() => db.prepare('DELETE FROM reports WHERE day = ?').run('2026-03-07'))
    await push()
    await until(async () => (await list()).length === 1)
    expect(await list()).toEqual([{ day: '2026-03-08', body: { window: {} } }])
  })

  test('whoever lost the lease writes nothing any more', async () => {
    hold()
    const before = lease
    await releaseLease(connections.query, { bridge: 'one', node: 'a' }, before.epoch)
    lease = await take('b')
    const place = { ledger: db.generation, seq: 0, walk: null }
    const write = (epoch: number) =>
      moveTo(connections, { bridge: 'one', epoch }, { place, from: 0 }, async () => undefined)
    expect(await write(before.epoch)).toBe(false)
    expect(await write(lease.epoch)).toBe(true)
    expect(await write(before.epoch)).toBe(false)
  })

  test('a bridge and its coverage stand there, and the views say who holds it', async () => {
    hold()
    start()
    await until(async () => (await connections.query('SELECT 1 FROM spanwatch.bridges')).length === 1)
    const [row] = await connections.query('SELECT * FROM spanwatch.bridges_now')
    expect(row).toMatchObject({
      bridge: 'one',
      verdict: 'fine',
      holder: 'a',
      is_held: true,
      is_watched: true,
    })
    await until(async () => (await connections.query('SELECT 1 FROM spanwatch.coverage_now')).length === 2)
    const fresh = await connections.query(
      'SELECT source, is_fresh FROM spanwatch.coverage_now ORDER BY source',
    )
    expect(fresh).toEqual([
      { source: 'explorer', is_fresh: true },
      { source: 'node', is_fresh: false },
    ])
    await connections.query("UPDATE spanwatch.leases SET until = clock_timestamp() - interval '1 s'")
    expect(await connections.query('SELECT is_held, is_watched FROM spanwatch.bridges_now')).toEqual([
      { is_held: false, is_watched: false },
    ])
  })

  test('what PostgreSQL refuses of a text does not stop the rows after it', async () => {
    hold()
    start()
    save(1, 'a\0b\ud800')
    await push()
    await until(async () => (await listStates())[1] !== undefined)
    save(2, 'pending')
    await push()
    await until(async () => (await listStates())[2] === 'pending')
  })
})
