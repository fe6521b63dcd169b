import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createScaledClock, createSystemClock } from '../../../src/lib/clock.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import { Secret } from '../../../src/lib/secret.ts'
import { pushChanges } from '../../../src/replicas/changes.ts'
import { type Connections, openConnections } from '../../../src/replicas/connect.ts'
import { type Copy, createFollowing, follow } from '../../../src/replicas/follower.ts'
import { readLease, releaseLease, takeLease } from '../../../src/replicas/lease.ts'
import { setupSchema } from '../../../src/replicas/setupSchema.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { migrations } from '../../../src/store/migrate.ts'
import { readMeta, saveMeta } from '../../../src/store/meta.ts'
import { listRows } from '../../support/listRows.ts'
import { type Postgres, postgresBin, startPostgres } from '../../support/startPostgres.ts'

const ledgerVersion = migrations.length
const a = { bridge: 'usdc', node: 'a' }

describe.skipIf(postgresBin === null)('a follower', () => {
  let server: Postgres
  let pool: Connections
  let stop: AbortController
  let count = 0
  const opened: Database[] = []

  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    const database = await server.createDatabase(`test${(count += 1)}`)
    pool = openConnections({ database: new Secret(database) }, { most: 5, timeoutMs: 5_000 }, 'test')
    await setupSchema(pool)
    await readLease(pool.query, 'usdc')
    stop = new AbortController()
  })
  afterEach(async () => {
    stop.abort()
    for (const db of opened.splice(0)) db.close()
    await pool.close()
  })

  function open(role: 'holder' | 'follower'): Database {
    const db = openDatabase(':memory:')
    opened.push(db)
    db.prepare("UPDATE meta SET value = 'same' WHERE name = 'generation'").run()
    db.changes.become({ role, epoch: 1, seq: 0, hash: new Uint8Array() })
    return db
  }

  async function commit(db: Database, value: string): Promise<void> {
    db.transaction(() => saveMeta(db, 'value', value))
    const { head } = await readLease(pool.query, 'usdc')
    const changes = db.changes.listPending(head.seq, Infinity)
    await pushChanges(pool.query, { bridge: 'usdc', epoch: 1, after: head, changes, ledgerVersion })
  }

  const take = () => takeLease(pool.query, a, { seq: 0, ledgerVersion })

  function start(
    db: Database,
    version = ledgerVersion,
    clock = createSystemClock(),
    following = createFollowing(),
  ) {
    const copy: Copy = {
      ledgerVersion: version,
      state: () => db.changes.state() ?? { role: 'follower', epoch: 0, seq: 0, hash: new Uint8Array() },
      apply: (changes) => db.changes.apply(changes),
    }
    const deps = {
      bridge: 'usdc',
      node: 'b',
      clock,
      log: createSilentLog(),
      lease: pool,
      data: pool,
      program: '1.0.0',
      pageUrl: null,
    }
    return follow(deps, copy, following, stop.signal)
  }

  test('takes over what is committed, and the lease once it is over', async () => {
    await take()
    const [holder, follower] = [open('holder'), open('follower')]
    await commit(holder, '1')
    const following = start(follower)
    await commit(holder, '2')
    await expect.poll(() => readMeta(follower, 'value')).toBe('2')
    expect(listRows(follower)).toEqual(listRows(holder))
    await releaseLease(pool.query, a, 1)
    expect(await following).toMatchObject({ how: 'taken', lease: { epoch: 2, node: 'b' } })
  })

  test('takes no lease before it has all that was committed', async () => {
    await take()
    const [holder, follower] = [open('holder'), open('follower')]
    for (const value of ['1', '2', '3']) await commit(holder, value)
    await releaseLease(pool.query, a, 1)
    expect(await start(follower)).toMatchObject({ how: 'taken' })
    expect(readMeta(follower, 'value')).toBe('3')
  })

  test('begins anew where what follows is not kept any more', async () => {
    await take()
    const [holder, follower] = [open('holder'), open('follower')]
    for (const value of ['1', '2']) await commit(holder, value)
    await pool.query('DELETE FROM spanwatch.changes WHERE seq = 1')
    expect(await start(follower)).toMatchObject({
      how: 'rebuild',
      why: 'what follows change 0 is not kept any more',
    })
  })

  test('begins anew where it holds something else', async () => {
    await take()
    const [holder, follower] = [open('holder'), open('follower')]
    follower.changes.become(null)
    saveMeta(follower, 'value', 'other')
    follower.changes.become({ role: 'follower', epoch: 1, seq: 0, hash: new Uint8Array() })
    await commit(holder, '1')
    expect(await start(follower)).toMatchObject({
      how: 'rebuild',
      why: expect.stringContaining('does not fit what this ledger holds'),
    })
  })

  test('begins anew where it held the lease, and another one went on without what it committed', async () => {
    await take()
    const own = open('holder')
    for (const value of ['1', '2']) own.transaction(() => saveMeta(own, 'value', value))
    await releaseLease(pool.query, a, 1)
    await takeLease(pool.query, { bridge: 'usdc', node: 'c' }, { seq: 0, ledgerVersion })
    await pool.query("UPDATE spanwatch.leases SET head_seq = 1, head_hash = '\\x01'")
    expect(await start(own)).toMatchObject({ how: 'rebuild', why: expect.stringContaining('epoch 2') })
  })

  test('of an older version says so and stops when the holder is newer', async () => {
    await take()
    await pool.query('UPDATE spanwatch.leases SET ledger_version = $1', [ledgerVersion + 1])
    await expect(start(open('follower'))).rejects.toMatchObject({
      code: 'replica.newer',
      message: expect.stringContaining('use the newer one here as well'),
    })
  })

  test('of a newer version follows one that is older, and takes over', async () => {
    await takeLease(pool.query, a, { seq: 0, ledgerVersion: ledgerVersion - 1 })
    const [holder, follower] = [open('holder'), open('follower')]
    const following = start(follower, ledgerVersion - 1)
    await commit(holder, '1')
    await expect.poll(() => readMeta(follower, 'value')).toBe('1')
    await releaseLease(pool.query, a, 1)
    expect(await following).toMatchObject({ how: 'taken', lease: { ledgerVersion } })
  })

  test('waits where PostgreSQL refuses what it did before, as while it is put back', async () => {
    await take()
    const [holder, follower] = [open('holder'), open('follower')]
    const following = start(follower)
    await commit(holder, '1')
    await expect.poll(() => readMeta(follower, 'value')).toBe('1')
    await pool.query('ALTER SCHEMA spanwatch RENAME TO elsewhere')
    await new Promise((resolve) => setTimeout(resolve, 700))
    await pool.query('ALTER SCHEMA elsewhere RENAME TO spanwatch')
    await commit(holder, '2')
    await expect.poll(() => readMeta(follower, 'value')).toBe('2')
    stop.abort()
    expect(await following).toEqual({ how: 'stopped' })
  })

  test('an outage lasts while PostgreSQL only reads: the lease is not taken, and nothing calls this node ready', async () => {
    await take()
    const following = createFollowing()
    // Twenty times as fast by its own clock: it soon says again that it is there, and the grace after an outage is short.
    const end = start(open('follower'), ledgerVersion, createScaledClock(20), following)
    await expect.poll(() => following.inStepAt).not.toBeNull()
    await pool.query('ALTER TABLE spanwatch.nodes RENAME TO elsewhere')
    await expect.poll(() => following.unreachableSince).not.toBeNull()
    const { unreachableSince, inStepAt } = following
    await releaseLease(pool.query, a, 1)
    await expect.poll(() => following.lease?.isOver).toBe(true)
    const seen = following.lease
    await expect.poll(() => following.lease).not.toBe(seen)
    expect(following).toMatchObject({ unreachableSince, inStepAt })
    await pool.query('ALTER TABLE spanwatch.elsewhere RENAME TO nodes')
    expect(await end).toMatchObject({ how: 'taken', lease: { node: 'b' } })
    expect(following.unreachableSince).toBeNull()
  })

  test('ends where another process holds the lease by its name', async () => {
    await takeLease(pool.query, { bridge: 'usdc', node: 'b' }, { seq: 0, ledgerVersion })
    // Twenty times as fast by its own clock, so that a lease of its own would have been over.
    const clock = createScaledClock(20)
    await expect(start(open('follower'), ledgerVersion, clock)).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringContaining('another process holds the lease as node b'),
    })
  })

  test('waits for room where its disk is full, and is not seen meanwhile', async () => {
    await take()
    const [holder, follower] = [open('holder'), open('follower')]
    await commit(holder, '1')
    const apply = follower.changes.apply.bind(follower.changes)
    let isFull = true
    follower.changes.apply = (changes) => {
      if (isFull) throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
      apply(changes)
    }
    void start(follower)
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(await pool.query('SELECT 1 FROM spanwatch.nodes')).toEqual([])
    isFull = false
    await expect.poll(() => readMeta(follower, 'value')).toBe('1')
  })

  test('goes on after PostgreSQL was away', async () => {
    await take()
    const [holder, follower] = [open('holder'), open('follower')]
    void start(follower)
    await server.kill()
    await server.start()
    await commit(holder, '1')
    await expect.poll(() => readMeta(follower, 'value'), { timeout: 15_000 }).toBe('1')
  })
})
