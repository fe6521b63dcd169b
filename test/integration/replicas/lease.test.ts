import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import { type Connections, openConnections } from '../../../src/replicas/connect.ts'
import { readLease, releaseLease, renewLease, takeLease, wantHolder } from '../../../src/replicas/lease.ts'
import { askNode, forgetNode, listNodes, noteNode } from '../../../src/replicas/nodes.ts'
import { ensureSchema } from '../../../src/replicas/setupSchema.ts'
import { type Postgres, postgresBin, startPostgres } from '../../support/startPostgres.ts'

const has = { seq: 0, ledgerVersion: 1 }
const note = { role: 'follower', seq: 0, program: '1.0.0', pageUrl: null } as const

if (postgresBin === null) console.log('skipped: PostgreSQL is not installed: apt-get install postgresql')

describe.skipIf(postgresBin === null)('the lease of a bridge', () => {
  let server: Postgres
  let connections: Connections
  let bridges = 0

  beforeAll(async () => {
    server = await startPostgres()
    const database = new Secret(await server.createDatabase('lease'))
    connections = openConnections({ database }, { most: 2, timeoutMs: 5_000 }, 'test')
    await ensureSchema(connections)
  })
  afterAll(async () => {
    await connections?.close()
    await server?.stop()
  })

  /** A bridge of its own, of which `a` held the lease and gave it away; `pass` lets time go by. */
  async function open() {
    const { query } = connections
    bridges += 1
    const bridge = `bridge-${bridges}`
    const of = (node: string) => ({ bridge, node })
    const take = (node: string) => takeLease(query, of(node), has)
    await readLease(query, bridge)
    const first = await take('a')
    await releaseLease(query, of('a'), first?.epoch ?? 0)
    const pass = (seconds: number) =>
      query(`UPDATE spanwatch.leases SET until = until - interval '${seconds} s' WHERE bridge = $1`, [bridge])
    return { query, bridge, of, take, pass }
  }

  test('is taken at once by another one than gave it away', async () => {
    const { take } = await open()
    expect(await take('b')).toMatchObject({ node: 'b', epoch: 2, isOver: false })
    expect(await take('a')).toBeNull()
  })

  test('is left to the others for ten seconds by the one that gave it away, and goes back to it then', async () => {
    const { take, pass } = await open()
    await pass(9)
    expect(await take('a')).toBeNull()
    await pass(2)
    expect(await take('a')).toMatchObject({ node: 'a', epoch: 2 })
  })

  test('is for ten seconds for the one that is wanted alone, then for anybody, and the wish is over', async () => {
    const { query, bridge, take, pass } = await open()
    await wantHolder(query, bridge, 'c')
    expect(await take('b')).toBeNull()
    await pass(11)
    expect(await take('b')).toMatchObject({ node: 'b', wanted: null })
    expect(await renewLease(query, { bridge, node: 'b' }, 2)).toMatchObject({ wanted: null })
  })

  test('may be wanted for the one that gave it away', async () => {
    const { query, bridge, take } = await open()
    await wantHolder(query, bridge, 'a')
    expect(await take('a')).toMatchObject({ node: 'a', wanted: null })
  })

  test('what is asked of a node is taken with its next word, once', async () => {
    const { query, of } = await open()
    expect(await askNode(query, of('b'), 'rebuild')).toBe(false)
    expect(await noteNode(query, of('b'), note)).toBeNull()
    expect(await askNode(query, of('b'), 'rebuild')).toBe(true)
    expect(await noteNode(query, of('b'), note)).toBe('rebuild')
    expect(await noteNode(query, of('b'), note)).toBeNull()
  })

  test('a node that is forgotten is known again when it comes', async () => {
    const { query, bridge, of } = await open()
    await noteNode(query, of('b'), note)
    expect(await forgetNode(query, of('b'))).toBe(true)
    expect(await forgetNode(query, of('b'))).toBe(false)
    await noteNode(query, of('b'), note)
    expect(await listNodes(query, bridge)).toMatchObject([{ node: 'b', role: 'follower' }])
  })
})
