import { onTestFinished } from 'vitest'
import { openRequests } from '../../src/daemon/answerRequests.ts'
import { createSilentLog } from '../../src/lib/log.ts'
import { Secret } from '../../src/lib/secret.ts'
import { openConnections } from '../../src/replicas/connect.ts'
import { readUnshared } from '../../src/replicas/handOver/readUnshared.ts'
import { readLease } from '../../src/replicas/lease.ts'
import { setupSchema } from '../../src/replicas/setupSchema.ts'
import { ana } from '../unit/alerts/harness.ts'
import { startPostgres } from './startPostgres.ts'
import { type LedgerNode, openTwoNodes } from './twoNodes.ts'

/** A PostgreSQL in which pairs of nodes are opened, each of a bridge of its own. */
export async function startHandOver() {
  const postgres = await startPostgres()
  const database = await postgres.createDatabase('handed')
  const data = openConnections({ database: new Secret(database) }, { most: 3, timeoutMs: 10_000 }, 'test')
  await setupSchema(data)
  let bridges = 0

  /** Node a was cut off, and b took over. */
  async function open(prepare?: (node: LedgerNode) => void) {
    bridges += 1
    const bridge = `bridge${bridges}`
    await readLease(data.query, bridge)
    const { a, b, folderA, remove } = openTwoNodes(prepare)
    let isOpenA = true
    const closeA = () => {
      if (isOpenA) a.close()
      isOpenA = false
    }
    onTestFinished(() => {
      closeA()
      b.close()
      remove()
    })
    let isShared = true
    const ending = new AbortController()
    const watch = () =>
      openRequests(
        {
          bridge,
          clock: b.clock,
          log: createSilentLog(),
          query: data.query,
          parts: b.parts,
          isShared: async () => isShared,
        },
        ending.signal,
      )
    return {
      a,
      b,
      bridge,
      watch,
      setShared: (is: boolean) => (isShared = is),
      /** What a alone knows. @returns how much that is */
      handOver: async () => {
        closeA()
        return await readUnshared({ bridge, node: 'a', data }, folderA)
      },
      answers: async () =>
        await data.query<{
          what: string
          body: { kind: string }
          answer: { ok: boolean; done?: string } | null
        }>('SELECT what, body, answer FROM spanwatch.requests WHERE bridge = $1 ORDER BY id', [bridge]),
      ask: async (what: string, body: object, actor: object = ana) =>
        await data.query(
          'INSERT INTO spanwatch.requests (bridge, what, body, actor) VALUES ($1, $2, $3, $4)',
          [bridge, what, JSON.stringify(body), JSON.stringify(actor)],
        ),
    }
  }

  return {
    open,
    data,
    async stop() {
      await data.close()
      await postgres.stop()
    },
  }
}

/** The timeline of a transfer's case. */
export function logOf(node: LedgerNode, key: string) {
  const entries = node.store.listCaseLog(node.caseOf(key)?.id ?? 0, 100)
  return entries.map(({ what, by, text }) => ({ what, by, text }))
}
