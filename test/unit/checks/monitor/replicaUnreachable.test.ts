import { expect, test } from 'vitest'
import { judgeReplica } from '../../../../src/checks/monitor/replicaUnreachable.ts'
import { listMissing } from '../../../../src/daemon/watchNodes.ts'

const now = 1_000_000
const fine = { role: 'holder', unreachable: null, missing: [] } as const
const away = (since: number) => ({ ...fine, unreachable: { since, problem: 'connection refused' } })

test('a PostgreSQL that has not answered for 5 s is told', () => {
  expect(judgeReplica(away(now - 5_000), now)).toMatchObject([
    {
      kind: 'monitor.replica_unreachable',
      subject: 'database',
      facts: { what: 'database', node: '', problem: 'connection refused' },
      since: now - 5_000,
    },
  ])
})

test('one that has not for less is not', () => {
  expect(judgeReplica(away(now - 4_999), now)).toEqual([])
  expect(judgeReplica(fine, now)).toEqual([])
})

test('a node that is missing is told by its name, beside PostgreSQL', () => {
  const status = { ...away(0), missing: [{ node: 'b', since: 900_000 }] }
  expect(judgeReplica(status, now).map(({ subject }) => subject)).toEqual(['database', 'node b'])
})

test('a follower raises nothing: it writes no ledger', () => {
  expect(judgeReplica({ ...away(0), role: 'follower', missing: [{ node: 'a', since: 0 }] }, now)).toEqual([])
})

const nodes = [
  { node: 'a', seenAt: now },
  { node: 'b', seenAt: now - 30_000 },
  { node: 'c', seenAt: now - 29_999 },
]

test('a node that was not seen for 30 s is missing, this one never', () => {
  expect(listMissing(nodes, { now, from: 0, own: 'a' })).toEqual([{ node: 'b', since: now - 30_000 }])
  expect(listMissing(nodes, { now, from: 0, own: 'b' })).toEqual([])
})

test('one that could not say that it is there has its whole time', () => {
  expect(listMissing(nodes, { now, from: now - 29_999, own: 'a' })).toEqual([])
  expect(listMissing(nodes, { now, from: now - 30_000, own: 'a' })).toEqual([
    { node: 'b', since: now - 30_000 },
  ])
})
