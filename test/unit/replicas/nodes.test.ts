import { expect, test } from 'vitest'
import type { Query } from '../../../src/replicas/connect.ts'
import { listNodes } from '../../../src/replicas/nodes.ts'

test('how long ago a node was seen is whole milliseconds, as the ledger takes them', async () => {
  const row = { node: 'b', role: 'follower', seq: '7', program: '1', ledger_version: 1, page_url: null }
  const query = (async () => [{ ...row, ago_ms: 40_123.456 }]) as unknown as Query
  expect(await listNodes(query, 'x')).toMatchObject([{ node: 'b', seq: 7, seenAgoMs: 40_123 }])
})
