import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import { type Connections, openConnections } from '../../../src/replicas/connect.ts'
import { readLease } from '../../../src/replicas/lease.ts'
import { listNodes } from '../../../src/replicas/nodes.ts'
import { damages } from '../../support/damage.ts'
import { failuresEvery, openReplicaWorld, type ReplicaWorld, untilHeld } from '../../support/replicaWorld.ts'
import { type Postgres, postgresBin, startPostgres } from '../../support/startPostgres.ts'

async function until(isSo: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`did not hold within ${withinMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

describe.skipIf(postgresBin === null)('a follower whose ledger is damaged', { shuffle: false }, () => {
  let server: Postgres
  let world: ReplicaWorld
  let pool: Connections

  /** By what the node said of itself since then: what it said before it ended still stands for a while. */
  const isInStepSince = (since: number) => async () => {
    const { head } = await readLease(pool.query, 'damaged')
    const b = (await listNodes(pool.query, 'damaged')).find(({ node }) => node === 'b')
    const seenWithinMs = Math.min(3_000, performance.now() - since)
    return b !== undefined && b.role === 'follower' && b.seenAgoMs < seenWithinMs && head.seq - b.seq < 20
  }
  const ofB = () => {
    const b = world.nodes[1]
    if (b === undefined) throw new Error('there are two nodes')
    return { b, ledger: join(b.project.folder, 'state', 'ledger.sqlite') }
  }

  beforeAll(async () => {
    server = await startPostgres()
    const database = await server.createDatabase('damaged')
    pool = openConnections({ database: new Secret(database) }, { most: 2, timeoutMs: 5_000 }, 'test')
    world = await openReplicaWorld({
      databases: [database, database],
      bridge: 'damaged',
      scenario: failuresEvery(3, 100),
      more: { start: { from: 'now' } },
    })
    world.nodes[0]?.start()
    await untilHeld(world)
    const startedAt = performance.now()
    world.nodes[1]?.start()
    await until(isInStepSince(startedAt), 60_000)
  }, 120_000)

  afterAll(async () => {
    await world?.close()
    await pool?.close()
    await server?.stop()
  }, 60_000)

  test.each(['a zeroed header', 'overwritten pages'])(
    'begins anew: %s',
    async (damage) => {
      const { b, ledger } = ofB()
      const aside = `${ledger}.damaged`
      await b.stop()
      rmSync(aside, { force: true })
      damages[damage]?.(ledger)
      b.start()
      await until(() => existsSync(aside), 30_000)
      await until(isInStepSince(performance.now()), 30_000)
      expect(b.program?.isRunning()).toBe(true)
      expect(b.program?.stderr()).toContain('the ledger is built anew')
    },
    90_000,
  )
})
