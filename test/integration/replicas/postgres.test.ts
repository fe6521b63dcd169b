import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import { fetchChanges, pushChanges } from '../../../src/replicas/changes.ts'
import { type Connections, openConnections } from '../../../src/replicas/connect.ts'
import { readLease, releaseLease, renewLease, resumeLease, takeLease } from '../../../src/replicas/lease.ts'
import { findLedger, openRawCopy, restoreFolder } from '../../../src/replicas/ledgerFolder.ts'
import { askNode, listNodes, noteNode } from '../../../src/replicas/nodes.ts'
import { ensureSchema, setupSchema } from '../../../src/replicas/setupSchema.ts'
import { pruneSnapshots, publishSnapshot, readSnapshot } from '../../../src/replicas/snapshots.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { migrations } from '../../../src/store/migrate.ts'
import { saveMeta } from '../../../src/store/meta.ts'
import { listRows } from '../../support/listRows.ts'
import { type Postgres, postgresBin, startPostgres } from '../../support/startPostgres.ts'

const ledgerVersion = migrations.length
const never = new AbortController().signal

describe.skipIf(postgresBin === null)('with a real PostgreSQL', () => {
  let server: Postgres
  let pool: Connections
  let folder: string
  let count = 0
  const opened: Database[] = []

  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    const database = await server.createDatabase(`test${(count += 1)}`)
    pool = openConnections({ database: new Secret(database) }, { most: 10, timeoutMs: 5_000 }, 'test')
    await setupSchema(pool)
    folder = mkdtempSync(join(tmpdir(), 'spanwatch-replicas-'))
  })
  afterEach(async () => {
    for (const db of opened.splice(0)) db.close()
    await pool.close()
    rmSync(folder, { recursive: true, force: true })
  })

  function openHolder(epoch = 1): Database {
    const db = openDatabase(join(folder, 'holder.sqlite'))
    opened.push(db)
    db.changes.become({ role: 'holder', epoch, seq: 0, hash: new Uint8Array() })
    return db
  }

  const take = (node: string, seq = 0) =>
    takeLease(pool.query, { bridge: 'usdc', node }, { seq, ledgerVersion })

  /** All that a ledger has recorded, pushed under an epoch. */
  async function push(db: Database, epoch = 1): Promise<boolean> {
    const { head } = await readLease(pool.query, 'usdc')
    const changes = db.changes.listPending(head.seq, Infinity)
    return await pushChanges(pool.query, { bridge: 'usdc', epoch, after: head, changes, ledgerVersion })
  }

  async function publish(db: Database): Promise<boolean> {
    const path = join(folder, 'copy.sqlite')
    rmSync(path, { force: true })
    const source = new DatabaseSync(join(folder, 'holder.sqlite'), { readOnly: true })
    await backup(source, path)
    source.close()
    const state = db.changes.state()
    if (state === null) throw new Error('not replicated')
    const isThere = await publishSnapshot(pool, { bridge: 'usdc', path, state, ledgerVersion, signal: never })
    await pruneSnapshots(pool.query, 'usdc', never)
    return isThere
  }

  test('of many that want a lease at once one gets it', async () => {
    await readLease(pool.query, 'usdc')
    const taken = await Promise.all(Array.from({ length: 20 }, (_, index) => take(`n${index}`)))
    expect(taken.filter((lease) => lease !== null)).toHaveLength(1)
    expect(await readLease(pool.query, 'usdc')).toMatchObject({ epoch: 1, isOver: false })
    expect(await take('late')).toBeNull()
  })

  test('a lease that was given away is there for the next one, and cannot be renewed by the one before', async () => {
    await readLease(pool.query, 'usdc')
    await take('a')
    await releaseLease(pool.query, { bridge: 'usdc', node: 'a' }, 1)
    // Over, and nobody took it: it goes on.
    expect(await renewLease(pool.query, { bridge: 'usdc', node: 'a' }, 1)).toMatchObject({ isOver: false })
    await releaseLease(pool.query, { bridge: 'usdc', node: 'a' }, 1)
    expect(await take('b')).toMatchObject({ epoch: 2, node: 'b' })
    expect(await renewLease(pool.query, { bridge: 'usdc', node: 'a' }, 1)).toBeNull()
  })

  test('a restart goes on under an epoch and a version of its own: who runs under the same name has lost it', async () => {
    const a = { bridge: 'usdc', node: 'a' }
    await readLease(pool.query, 'usdc')
    await takeLease(pool.query, a, { seq: 0, ledgerVersion: ledgerVersion - 1 })
    expect(await resumeLease(pool.query, a, { epoch: 1, ledgerVersion })).toMatchObject({
      epoch: 2,
      node: 'a',
      ledgerVersion,
      isOver: false,
    })
    expect(await renewLease(pool.query, a, 1)).toBeNull()
    expect(await resumeLease(pool.query, a, { epoch: 1, ledgerVersion })).toBeNull()
    expect(await resumeLease(pool.query, { ...a, node: 'b' }, { epoch: 2, ledgerVersion })).toBeNull()
  })

  test('it goes first to the node that is wanted, and never to one that lacks what was committed', async () => {
    await readLease(pool.query, 'usdc')
    await take('a')
    await pool.query("UPDATE spanwatch.leases SET wanted = 'b', head_seq = 5")
    await releaseLease(pool.query, { bridge: 'usdc', node: 'a' }, 1)
    expect(await take('c', 5)).toBeNull()
    expect(await take('b', 4)).toBeNull()
    expect(await take('b', 5)).toMatchObject({ epoch: 2, node: 'b', wanted: null })
  })

  test('a PostgreSQL of an older backup gives nobody an epoch that a ledger knows already', async () => {
    await readLease(pool.query, 'usdc')
    await take('a')
    const of = { seq: 0, ledgerVersion, epoch: 7 }
    await releaseLease(pool.query, { bridge: 'usdc', node: 'a' }, 1)
    expect(await takeLease(pool.query, { bridge: 'usdc', node: 'b' }, of)).toMatchObject({ epoch: 8 })
  })

  test('changes of an older epoch, or after another change, are refused by the database', async () => {
    await readLease(pool.query, 'usdc')
    await take('a')
    const db = openHolder()
    db.transaction(() => saveMeta(db, 'a', '1'))
    expect(await push(db)).toBe(true)
    await releaseLease(pool.query, { bridge: 'usdc', node: 'a' }, 1)
    await take('b', 1)
    db.transaction(() => saveMeta(db, 'a', '2'))
    expect(await push(db, 1)).toBe(false)
    const changes = db.changes.listPending(1, Infinity)
    const after = { seq: 1, hash: new Uint8Array(32) }
    expect(await pushChanges(pool.query, { bridge: 'usdc', epoch: 2, after, changes, ledgerVersion })).toBe(
      false,
    )
    expect((await fetchChanges(pool.query, 'usdc', 0)).map(({ seq }) => seq)).toEqual([1])
  })

  test('a push and a takeover at the same instant: one of them, never both', async () => {
    for (let round = 0; round < 20; round += 1) {
      const bridge = `race${round}`
      await readLease(pool.query, bridge)
      await takeLease(pool.query, { bridge, node: 'a' }, { seq: 0, ledgerVersion })
      const db = openDatabase(':memory:')
      opened.push(db)
      db.changes.become({ role: 'holder', epoch: 1, seq: 0, hash: new Uint8Array() })
      db.transaction(() => saveMeta(db, 'a', '1'))
      const changes = db.changes.listPending(0, Infinity)
      await releaseLease(pool.query, { bridge, node: 'a' }, 1)
      const after = { seq: 0, hash: new Uint8Array() }
      const [pushed, taken] = await Promise.all([
        pushChanges(pool.query, { bridge, epoch: 1, after, changes, ledgerVersion }),
        takeLease(pool.query, { bridge, node: 'b' }, { seq: 0, ledgerVersion }),
      ])
      expect([pushed, taken !== null].filter(Boolean)).toHaveLength(1)
    }
  })

  test('a copy and what follows it make the same ledger, row by row', async () => {
    await readLease(pool.query, 'usdc')
    await take('a')
    const db = openHolder()
    db.transaction(() => saveMeta(db, 'a', 'x'.repeat(3_000_000)))
    expect(await publish(db)).toBe(true)
    db.transaction(() => saveMeta(db, 'b', '2'))
    expect(await push(db)).toBe(true)
    const snapshot = await readSnapshot(pool.query, 'usdc')
    expect(snapshot).toMatchObject({ seq: 1, ledgerVersion })
    if (snapshot === null) return
    const state = join(folder, 'state')
    await restoreFolder(pool.query, { folder: state, bridge: 'usdc', snapshot, aside: null, signal: never })
    const found = findLedger(state)
    expect(found).toMatchObject({ version: ledgerVersion, state: { role: 'follower', epoch: 1, seq: 1 } })
    if (found?.state == null) return
    const copy = openRawCopy(state, found.state)
    copy.apply(await fetchChanges(pool.query, 'usdc', 1))
    copy.close()
    const follower = openDatabase(join(state, 'ledger.sqlite'))
    opened.push(follower)
    expect(listRows(follower)).toEqual(listRows(db))
  })

  test('a copy of an older epoch is not put there', async () => {
    await readLease(pool.query, 'usdc')
    await take('a')
    const db = openHolder()
    db.transaction(() => saveMeta(db, 'a', '1'))
    await releaseLease(pool.query, { bridge: 'usdc', node: 'a' }, 1)
    await take('b')
    expect(await publish(db)).toBe(false)
    expect(await readSnapshot(pool.query, 'usdc')).toBeNull()
  })

  test('what two copies make needless goes, and what the older one needs stays', async () => {
    await readLease(pool.query, 'usdc')
    await take('a')
    const db = openHolder()
    for (const value of ['1', '2', '3']) {
      db.transaction(() => saveMeta(db, 'a', value))
      await push(db)
      await publish(db)
    }
    db.transaction(() => saveMeta(db, 'a', '4'))
    await push(db)
    expect((await fetchChanges(pool.query, 'usdc', 0)).map(({ seq }) => seq)).toEqual([3, 4])
    const kept = await pool.query<{ count: string }>(
      'SELECT count(DISTINCT snapshot) AS count FROM spanwatch.snapshot_pieces',
    )
    expect(kept[0]?.count).toBe('2')
  })

  test('what is asked of a node is taken once', async () => {
    const note = { role: 'follower', seq: 3, program: '1.0.0', pageUrl: null } as const
    const b = { bridge: 'usdc', node: 'b' }
    expect(await askNode(pool.query, b, 'rebuild')).toBe(false)
    expect(await noteNode(pool.query, b, note)).toBeNull()
    expect(await askNode(pool.query, b, 'rebuild')).toBe(true)
    expect(await noteNode(pool.query, b, note)).toBe('rebuild')
    expect(await noteNode(pool.query, b, note)).toBeNull()
    expect(await listNodes(pool.query, 'usdc')).toMatchObject([{ node: 'b', role: 'follower', seq: 3 }])
  })

  test('a connection that breaks between two statements of a transaction is trouble, and ends no process', async () => {
    const broken = pool.transaction(async (query) => {
      await query('SELECT 1')
      await server.kill()
      // The end of the connection is heard before the next statement.
      await new Promise((resolve) => setTimeout(resolve, 200))
      await query('SELECT 1')
    })
    await expect(broken).rejects.toMatchObject({ code: 'replica.unreachable' })
    await server.start()
  })

  test('the tables of a newer version are refused, and made only once', async () => {
    await ensureSchema(pool)
    await pool.query('UPDATE spanwatch.schema_version SET version = 99')
    await expect(ensureSchema(pool)).rejects.toMatchObject({ code: 'replica.newer' })
  })

  test.each([
    [
      'a wrong name of the database',
      (url: string) => url.replace(/\/test\d+$/, '/nothing'),
      'replica.refused',
    ],
    ['nobody there', (url: string) => url.replace(/:\d+\//, ':1/'), 'replica.unreachable'],
    [
      'a certificate that is asked for and not there',
      (url: string) => `${url}?sslmode=verify-full`,
      'replica.refused',
    ],
  ])('%s is said, without the address', async (_, alter, code) => {
    const url = alter(
      `${server.url.replace('postgres@', 'postgres:hidden-word@').replace(/\/postgres$/, '')}/test${count}`,
    )
    const other = openConnections({ database: new Secret(url) }, { most: 1, timeoutMs: 1_000 }, 'test')
    const error: unknown = await other.query('SELECT 1').catch((thrown: unknown) => thrown)
    await other.close()
    expect(error).toMatchObject({ code })
    expect(String(error)).not.toContain('hidden-word')
  })
})
