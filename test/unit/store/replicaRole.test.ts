import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { insertDelivery } from '../../../src/alerts/store/outboxDeliveries.ts'
import { initialCursors } from '../../../src/store/cursors.ts'
import { openState } from '../../../src/store/openState.ts'
import type { ReplicaRole } from '../../../src/store/replicaRole.ts'
import { saveMeta } from '../../../src/store/meta.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-role-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function open(name: string, replica?: ReplicaRole) {
  return openState({ folder: join(folder, name), since: 0, now: 1_000, ...(replica && { replica }) })
}

const delivery = { channel: 'ops', isCritical: true, expiresAt: 9, caseId: null }

test('deliveries of two nodes that both watch never have the same number', () => {
  const first = open('a', { role: 'holder', epoch: 1 })
  insertDelivery(first.db, delivery, 1)
  first.close()
  cpSync(join(folder, 'a'), join(folder, 'b'), { recursive: true })
  const before = open('a', { role: 'holder', epoch: 1 })
  const after = open('b', { role: 'holder', epoch: 2 })
  const numbers = [before, after].flatMap(({ db }) => [1, 2, 3].map(() => insertDelivery(db, delivery, 2)))
  before.close()
  after.close()
  expect(new Set(numbers).size).toBe(6)
})

test('whoever takes over goes on where the cursors of the holder stood', () => {
  const holder = open('a', { role: 'holder', epoch: 1 })
  const cursors = { ...initialCursors(0), tail: { completeAt: 777 } }
  holder.cursors.write(cursors)
  // What waits is on the disk with the next commit.
  holder.db.transaction(() => saveMeta(holder.db, 'any', '1'))
  holder.close()
  cpSync(join(folder, 'a'), join(folder, 'b'), { recursive: true })
  rmSync(join(folder, 'b/cursors.json'))
  const follower = open('b', { role: 'follower' })
  expect(follower.cursors.read()).toEqual(cursors)
  follower.cursors.write(initialCursors(5))
  follower.close()
  const taken = open('b', { role: 'holder', epoch: 2 })
  expect(taken.cursors.read()).toEqual(cursors)
  expect(taken.recovered).toBeNull()
  taken.close()
})

test('a command beside the daemon leaves the role as it was, and a monitor alone records nothing any more', () => {
  open('a', { role: 'holder', epoch: 3 }).close()
  const command = open('a', { role: 'as it was' })
  expect(command.db.changes.state()).toMatchObject({ role: 'holder', epoch: 3 })
  command.close()
  const alone = open('a')
  saveMeta(alone.db, 'any', '1')
  expect(alone.db.changes.state()).toBeNull()
  expect(alone.db.changes.listPending(0, Infinity)).toEqual([])
  alone.close()
})
