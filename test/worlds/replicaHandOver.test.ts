import { describe, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/lib/secret.ts'
import { openConnections } from '../../src/replicas/connect.ts'
import { failuresEvery, type Node, openReplicaWorld, type Told, untilHeld } from '../support/replicaWorld.ts'
import { postgresBin, startPostgres } from '../support/startPostgres.ts'
import { startTcpProxy } from '../support/tcpProxy.ts'

if (postgresBin === null) console.warn('skipped: handing over between processes, PostgreSQL is missing')

const rules = `rules:
  - { name: failed, on: transfer.failed, severity: critical }
`

interface Case {
  readonly id: string
  readonly state: string
  readonly by: string | null
  readonly members: number
}

function pageOf({ program }: Node): string {
  return [...(program?.stderr() ?? '').matchAll(/"page":"([^"]+)"/g)].at(-1)?.[1] ?? ''
}

async function listCases(node: Node): Promise<Case[]> {
  const answer = await fetch(`${pageOf(node)}/api/cases`)
  const body = (await answer.json()) as { readonly cases?: Case[] } | Case[]
  return Array.isArray(body) ? body : (body.cases ?? [])
}

/** What people were told twice as if it were news. */
function listUnmarkedTwice(told: readonly Told[]): string[] {
  const news = told
    .filter(({ isMarked }) => !isMarked)
    .map((one) => `${one.kind} ${one.subject} ${one.status}`)
  return news.filter((one, index) => news.indexOf(one) !== index)
}

describe.skipIf(postgresBin === null)('a node that is cut off from PostgreSQL', () => {
  test('hands over what was done on it alone, and tells nobody anything unmarked twice', async () => {
    const postgres = await startPostgres()
    onTestFinished(() => postgres.stop())
    const database = await postgres.createDatabase('handed')
    const link = await startTcpProxy(postgres.port)
    onTestFinished(() => link.close())
    const world = await openReplicaWorld({
      databases: [database.replace(`:${postgres.port}/`, `:${link.port}/`), database],
      bridge: 'one',
      scenario: failuresEvery(35, 2, 'origin'),
      rules,
    })
    onTestFinished(() => world.close())
    const [a, b] = world.nodes as [Node, Node]
    a.start()
    await untilHeld(world)
    b.start()
    const { query, close } = openConnections(
      { database: new Secret(database) },
      { most: 1, timeoutMs: 5_000 },
      'test',
    )
    onTestFinished(close)
    const countBehind = async () => {
      const rows = await query<{ behind: string }>(
        "SELECT l.head_seq - n.seq AS behind FROM spanwatch.nodes n JOIN spanwatch.leases l USING (bridge) WHERE n.node = 'b'",
      )
      return rows[0] === undefined ? Infinity : Number(rows[0].behind)
    }
    await expect.poll(countBehind, { timeout: 40_000 }).toBeLessThan(20)
    expect(world.holder()).toBe(a)

    link.set('cut')
    // It goes on watching, and what is new is told marked; both failures are one case, which somebody takes there.
    const countA = async () => (await listCases(a))[0]?.members
    await expect.poll(countA, { timeout: 60_000 }).toBe(2)
    const countMarked = () =>
      new Set(
        world
          .told()
          .filter((one) => one.isMarked)
          .map((one) => one.subject),
      ).size
    await expect.poll(countMarked, { timeout: 30_000 }).toBe(2)
    const [theCase] = await listCases(a)
    const acked = await fetch(`${pageOf(a)}/api/cases/${theCase?.id}/ack`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'spanwatch-client': 'test' },
      body: JSON.stringify({ by: 'ana' }),
    })
    expect([acked.status, await acked.text()]).toEqual([200, expect.any(String)])
    await expect.poll(() => b.program?.stderr() ?? '', { timeout: 40_000 }).toContain('holds the lease')
    await expect.poll(async () => (await listCases(b))[0]?.members, { timeout: 60_000 }).toBe(2)
    expect((await listCases(b))[0]).toMatchObject({ state: 'open' })

    link.set('open')
    await expect.poll(() => a.program?.stderr() ?? '', { timeout: 60_000 }).toContain('was handed over')
    const stateOfCase = async () => (await listCases(b))[0]
    await expect.poll(stateOfCase, { timeout: 30_000 }).toMatchObject({ state: 'acknowledged', by: 'ana' })
    const open = async () =>
      await query(
        "SELECT body FROM spanwatch.requests WHERE answered_at IS NULL AND body ->> 'kind' <> 'told'",
      )
    await expect.poll(open, { timeout: 10_000 }).toEqual([])
    await expect
      .poll(() => (a.program?.stderr() ?? '').lastIndexOf('this node follows'), { timeout: 30_000 })
      .toBeGreaterThan((a.program?.stderr() ?? '').lastIndexOf('was handed over'))
    expect(listUnmarkedTwice(world.told())).toEqual([])
  })
})
