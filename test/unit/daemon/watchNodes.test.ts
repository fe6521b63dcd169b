import { expect, test } from 'vitest'
import { watchNodes } from '../../../src/daemon/watchNodes.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import type { Query } from '../../../src/replicas/connect.ts'
import type { ReplicaRun } from '../../../src/daemon/replicaRun.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'

/** Node a looks on; `seenAt` is when PostgreSQL took last what each says. */
function open() {
  const clock = createSteppedClock({ isManual: true })
  const seenAt = { a: clock.now(), b: clock.now() }
  const query = (async () =>
    Object.entries(seenAt).map(([node, at]) => ({
      node,
      role: node === 'a' ? 'holder' : 'follower',
      seq: '1',
      program: '1.0.0',
      ledger_version: 1,
      page_url: null,
      ago_ms: clock.now() - at + 0.25,
    }))) as unknown as Query
  const ending = new AbortController()
  const run = {
    // Nothing else of them is used.
    deps: { clock, log: createSilentLog() } as unknown as ReplicaRun['deps'],
    data: { query } as unknown as ReplicaRun['data'],
    bridge: 'usdc',
    node: 'a',
  }
  const seen = watchNodes(run, ending.signal)
  const pass = async (ms: number, saying: readonly ('a' | 'b')[]) => {
    for (const until = clock.now() + ms; clock.now() < until; ) {
      await clock.advance(1_000)
      for (const node of saying) seenAt[node] = clock.now()
    }
  }
  return { seen, pass, seenAt, end: () => ending.abort() }
}

test('a node that says nothing for 30 s is missing, since it said it last, in whole milliseconds', async () => {
  const { seen, pass, seenAt, end } = open()
  await pass(10_000, ['a', 'b'])
  await pass(29_000, ['a'])
  expect(seen.missing).toEqual([])
  await pass(10_000, ['a'])
  expect(seen.missing).toEqual([{ node: 'b', since: seenAt.b }])
  end()
})

test('while PostgreSQL takes of nobody what he says, no node is missing, nor until each could say it again', async () => {
  const { seen, pass, end } = open()
  await pass(10_000, ['a', 'b'])
  await pass(120_000, [])
  expect(seen.missing).toEqual([])
  await pass(20_000, ['a'])
  expect(seen.missing).toEqual([])
  await pass(20_000, ['a'])
  expect(seen.missing).toMatchObject([{ node: 'b' }])
  end()
})
