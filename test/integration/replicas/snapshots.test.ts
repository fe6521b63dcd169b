import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import { type Connections, openConnections } from '../../../src/replicas/connect.ts'
import { readLease, takeLease } from '../../../src/replicas/lease.ts'
import { setupSchema } from '../../../src/replicas/setupSchema.ts'
import {
  fetchSnapshot,
  pruneSnapshots,
  publishSnapshot,
  readSnapshot,
} from '../../../src/replicas/snapshots.ts'
import { type Postgres, postgresBin, startPostgres } from '../../support/startPostgres.ts'

const bridge = 'usdc'
const never = new AbortController().signal

describe.skipIf(postgresBin === null)('snapshots in a real PostgreSQL', () => {
  let server: Postgres
  let pool: Connections
  let folder: string
  let count = 0

  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    const database = await server.createDatabase(`test${(count += 1)}`)
    pool = openConnections({ database: new Secret(database) }, { most: 3, timeoutMs: 1_000 }, 'test')
    await setupSchema(pool)
    await readLease(pool.query, bridge)
    await takeLease(pool.query, { bridge, node: 'a' }, { seq: 0, ledgerVersion: 1 })
    folder = mkdtempSync(join(tmpdir(), 'spanwatch-snapshots-'))
  })
  afterEach(async () => {
    await pool.close()
    rmSync(folder, { recursive: true, force: true })
  })

  function publish(seq: number, signal = never): Promise<boolean> {
    const path = join(folder, 'copy')
    writeFileSync(path, randomBytes(3 * 1024 * 1024))
    const state = { role: 'holder' as const, epoch: 1, seq, hash: Buffer.from([seq]) }
    return publishSnapshot(pool, { bridge, path, state, ledgerVersion: 1, signal })
  }

  async function addChanges(from: number, many: number): Promise<void> {
    await pool.query(
      `INSERT INTO spanwatch.changes (bridge, seq, epoch, previous, hash, body, ledger_version)
       SELECT 'usdc', n, 1, '', '', '', 1 FROM generate_series($1::int, $2::int) AS n`,
      [from, from + many - 1],
    )
  }

  const countOf = async (table: string) => (await pool.query(`SELECT 1 FROM spanwatch.${table}`)).length

  test('one is there for others although it takes longer than a statement may to take away what it makes needless', async () => {
    await addChanges(1, 20)
    await pool.query(
      `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.1); RETURN OLD; END'`,
    )
    await pool.query(
      'CREATE TRIGGER slow BEFORE DELETE ON spanwatch.changes FOR EACH ROW EXECUTE FUNCTION slow()',
    )
    expect(await publish(20)).toBe(true)
    expect(await readSnapshot(pool.query, bridge)).toMatchObject({ seq: 20 })
  })

  test('what it makes needless goes in steps: the newest two stay, and the changes since the older', async () => {
    await addChanges(1, 12_000)
    for (const seq of [1, 11_000, 12_000]) expect(await publish(seq)).toBe(true)
    await pruneSnapshots(pool.query, bridge, never)
    expect(await countOf('snapshots')).toBe(2)
    expect(await countOf('changes')).toBe(1_000)
    expect(await countOf('snapshot_pieces')).toBe(6)
  })

  test('pieces of one that was cut off are gone before the next one adds its own', async () => {
    const path = join(folder, 'copy')
    writeFileSync(path, Buffer.alloc(3 * 1024 * 1024))
    const state = { role: 'holder' as const, epoch: 1, seq: 1, hash: Buffer.from([1]) }
    for (let left = 3; left > 0; left -= 1) {
      const ending = new AbortController()
      const query: Connections['query'] = async (sql, values) => {
        const rows = await pool.query<never>(sql, values)
        if (sql.startsWith('INSERT INTO spanwatch.snapshot_pieces')) ending.abort()
        return rows
      }
      const cut = { bridge, path, state, ledgerVersion: 1, signal: ending.signal }
      await expect(publishSnapshot({ ...pool, query }, cut)).rejects.toThrow()
    }
    expect(await countOf('snapshot_pieces')).toBe(1)
  })

  test('a disk that takes nothing is an error of whoever fetches it, not the end of the process', async () => {
    await publish(1)
    const snapshot = await readSnapshot(pool.query, bridge)
    if (snapshot === null) throw new Error('no snapshot')
    const fetched = fetchSnapshot(pool.query, { bridge, snapshot, path: '/dev/full', signal: never })
    await expect(fetched).rejects.toMatchObject({ code: 'ENOSPC' })
  })

  test('a piece with another byte in it is not taken for the ledger', async () => {
    await publish(1)
    const snapshot = await readSnapshot(pool.query, bridge)
    if (snapshot === null) throw new Error('no snapshot')
    await pool.query(
      `UPDATE spanwatch.snapshot_pieces SET body = set_byte(body, 500, get_byte(body, 500) # 1) WHERE piece = 1`,
    )
    const fetched = fetchSnapshot(pool.query, { bridge, snapshot, path: join(folder, 'x'), signal: never })
    await expect(fetched).rejects.toMatchObject({ code: 'replica.diverged' })
  })
})
