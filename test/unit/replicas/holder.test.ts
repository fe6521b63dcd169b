import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { createSilentLog } from '../../../src/lib/log.ts'
import { createHolder } from '../../../src/replicas/holder.ts'
import type { HolderDeps } from '../../../src/replicas/holderState.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { saveMeta } from '../../../src/store/meta.ts'
import { createFakePostgres } from '../../support/fakePostgres.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'

const closers: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

function open(options: Partial<HolderDeps> = {}) {
  const postgres = createFakePostgres()
  const clock = createSteppedClock({ isManual: true })
  const db = openDatabase(':memory:')
  db.changes.become({ role: 'holder', epoch: 1, seq: 0, hash: new Uint8Array() })
  const published: number[] = []
  const holder = createHolder({
    bridge: 'usdc',
    node: 'a',
    clock,
    bootMs: () => clock.monotonicMs(),
    log: createSilentLog(),
    lease: postgres,
    data: postgres,
    db,
    program: '1.0.0',
    pageUrl: null,
    async publish(_signal, mayFinish) {
      const state = db.changes.state()
      if (state === null) return null
      await mayFinish(state)
      postgres.head = { seq: state.seq, hash: Buffer.from(state.hash) }
      postgres.hasSnapshot = true
      published.push(state.seq)
      return state
    },
    ...options,
  })
  const commit = (value: string) => {
    db.transaction(() => saveMeta(db, 'value', value))
    holder.wake()
  }
  /** Whether a message may leave, as it will have been said by now. */
  const ask = (isCritical: boolean) => {
    const asked: { answer: Awaited<ReturnType<typeof holder.mayLeave>> | null } = { answer: null }
    void holder.mayLeave({ isCritical }).then((answer) => (asked.answer = answer))
    return asked
  }
  closers.push(async () => {
    const stopped = holder.stop()
    await clock.advance(20_000)
    await stopped
    db.close()
  })
  return { postgres, clock, db, holder, commit, ask, published }
}

const unmarked = { may: true, mark: null }

test('a message leaves unmarked once what ordered it is in PostgreSQL, and not before', async () => {
  const { clock, holder, commit, ask, postgres } = open()
  holder.start(null)
  await clock.advance(600)
  commit('1')
  const asked = ask(true)
  expect(asked.answer).toBeNull()
  await clock.advance(1)
  expect(asked.answer).toEqual(unmarked)
  expect(postgres.pushed).toEqual([1])
})

test.each([
  [true, 1_000],
  [false, 10_000],
])(
  'without PostgreSQL a message (critical: %s) leaves after %d ms, and says why it may come twice',
  async (isCritical, waitMs) => {
    const { clock, holder, commit, ask, postgres } = open()
    holder.start(null)
    await clock.advance(600)
    postgres.isReachable = false
    commit('1')
    const asked = ask(isCritical)
    await clock.advance(waitMs - 1)
    expect(asked.answer).toBeNull()
    await clock.advance(1)
    expect(asked.answer).toMatchObject({
      may: true,
      mark: expect.stringMatching(/^may come twice: replicas cannot be reached since 2026-01-01T00:00:0/),
    })
  },
)

test('in an outage that lasts already no message waits again', async () => {
  const { clock, holder, commit, ask, postgres } = open()
  holder.start(null)
  await clock.advance(600)
  postgres.isReachable = false
  commit('1')
  await clock.advance(15_000)
  for (const isCritical of [true, false]) {
    const asked = ask(isCritical)
    await clock.advance(0)
    expect(asked.answer).toMatchObject({ may: true, mark: expect.stringContaining('may come twice') })
  }
})

test('what is kept meanwhile is pushed in order once PostgreSQL answers', async () => {
  const { clock, holder, commit, ask, postgres } = open()
  holder.start(null)
  await clock.advance(600)
  postgres.isReachable = false
  for (const value of ['1', '2', '3']) commit(value)
  await clock.advance(60_000)
  expect(holder.status()).toMatchObject({
    behind: 3,
    trouble: { problem: 'PostgreSQL cannot be reached: planned' },
  })
  postgres.isReachable = true
  await clock.advance(3_000)
  expect(postgres.pushed).toEqual([1, 2, 3])
  expect(holder.status()).toMatchObject({ behind: 0, trouble: null })
  const asked = ask(true)
  await clock.advance(0)
  expect(asked.answer).toEqual(unmarked)
})

test('what was let go of while PostgreSQL was away comes by a whole copy', async () => {
  const { clock, db, holder, commit, ask, postgres, published } = open()
  holder.start(null)
  await clock.advance(600)
  postgres.isReachable = false
  for (const value of ['1', '2', '3']) commit(value)
  db.prepare('DELETE FROM replica_changes WHERE rowid <= 2').run()
  await clock.advance(60_000)
  published.length = 0
  postgres.isReachable = true
  await clock.advance(3_000)
  expect(published).toEqual([3])
  commit('4')
  const asked = ask(true)
  await clock.advance(1)
  expect(asked.answer).toEqual(unmarked)
  expect(postgres.pushed).toEqual([4])
})

test('a statement that did its work and whose answer was lost is not done twice', async () => {
  const { clock, holder, commit, postgres } = open()
  holder.start(null)
  await clock.advance(600)
  postgres.losesAnswer = true
  commit('1')
  await clock.advance(3_000)
  commit('2')
  await clock.advance(3_000)
  expect(postgres.pushed).toEqual([1, 2])
  expect(holder.status().behind).toBe(0)
})

test('nothing leaves any more once another node holds the lease', async () => {
  const { clock, holder, commit, ask, postgres } = open()
  holder.start(null)
  await clock.advance(600)
  commit('1')
  postgres.epoch = 2
  postgres.node = 'b'
  await clock.advance(3_000)
  expect(holder.ended.reason).toBe('lost')
  const asked = ask(true)
  await clock.advance(0)
  expect(asked.answer).toEqual({ may: false, reason: 'another node holds the lease' })
})

test('a lease that could not be renewed in time lets nothing leave unmarked, although all is pushed', async () => {
  const { clock, holder, ask, postgres } = open()
  holder.start(null)
  await clock.advance(600)
  postgres.isReachable = false
  await clock.advance(9_600)
  const asked = ask(true)
  await clock.advance(1_000)
  expect(asked.answer).toMatchObject({ may: true, mark: expect.stringContaining('may come twice') })
})

test('time in which the machine was suspended counts', async () => {
  let suspendedMs = 0
  const { clock, holder, ask } = open({ bootMs: () => suspendedMs })
  holder.start(null)
  await clock.advance(600)
  suspendedMs = 60_000
  const asked = ask(true)
  await clock.advance(0)
  expect(asked.answer).toBeNull()
  // The next renewal.
  await clock.advance(2_000)
  expect(asked.answer).toMatchObject({ may: true })
})

test('followers get a copy first where they have none, and what is pushed joins it', async () => {
  const { clock, holder, commit, ask, postgres, published } = open()
  postgres.hasSnapshot = false
  commit('1')
  holder.start(null)
  await clock.advance(2_000)
  expect(published).toEqual([1])
  commit('2')
  await clock.advance(1_000)
  expect(postgres.pushed).toEqual([2])
  const asked = ask(true)
  await clock.advance(0)
  expect(asked.answer).toEqual(unmarked)
})

test('after a failover that lost what was acknowledged, a copy takes the place of what is gone', async () => {
  const { clock, holder, commit, postgres, published } = open()
  holder.start(null)
  await clock.advance(600)
  commit('1')
  await clock.advance(600)
  const kept = postgres.head
  commit('2')
  await clock.advance(600)
  commit('3')
  await clock.advance(600)
  postgres.head = kept
  commit('4')
  await clock.advance(4_000)
  expect(published).toEqual([4])
  expect(holder.status()).toMatchObject({ behind: 0, hasBasis: true })
})

test('it makes room when another one is wanted, and gives the lease away once all is pushed', async () => {
  const { clock, holder, commit, postgres } = open()
  holder.start(null)
  await clock.advance(600)
  postgres.wanted = 'b'
  await clock.advance(2_500)
  expect(holder.ended.reason).toBe('asked')
  commit('1')
  const stopped = holder.stop()
  await clock.advance(3_000)
  await stopped
  expect(postgres).toMatchObject({ pushed: [1], isReleased: true })
})

test('a commit that waits for the next one holds up no message', async () => {
  const { clock, holder, db, commit, ask } = open()
  holder.start(null)
  await clock.advance(600)
  commit('1')
  await clock.advance(600)
  db.transaction(() => saveMeta(db, 'cursors', '1'), true)
  const asked = ask(true)
  await clock.advance(0)
  expect(asked.answer).toEqual(unmarked)
})

test('what stays in memory on a full disk lets nothing leave unmarked', async () => {
  const { clock, holder, db, ask } = open()
  holder.start(null)
  await clock.advance(600)
  db.held.hold()
  db.transaction(() => saveMeta(db, 'value', '1'))
  const asked = ask(true)
  await clock.advance(1_000)
  expect(asked.answer).toMatchObject({ may: true, mark: expect.stringContaining('may come twice') })
  db.held.release()
})

test('a follower that cannot use the snapshot that is there gets another one, and the holder goes on', async () => {
  const { clock, holder, postgres, published } = open()
  holder.start(null)
  await clock.advance(3_000)
  postgres.asked = 'snapshot'
  await clock.advance(5_000)
  expect(published).toHaveLength(1)
  expect(holder.ended.aborted).toBe(false)
  await clock.advance(5_000)
  expect(published).toHaveLength(1)
})

test('a snapshot that fails again and again, as on a full disk, is tried ever more rarely', async () => {
  let tries = 0
  const publish = async () => {
    tries += 1
    throw new Error('no space left on device')
  }
  const { clock, holder, postgres } = open({ publish })
  postgres.hasSnapshot = false
  holder.start(null)
  await clock.advance(60_000)
  expect(tries).toBeGreaterThan(5)
  expect(tries).toBeLessThan(15)
})

test('nor is one made each moment that PostgreSQL does not take, because it holds more of another line', async () => {
  let tries = 0
  const publish = async () => {
    tries += 1
    return null
  }
  const { clock, holder, postgres } = open({ publish })
  postgres.hasSnapshot = false
  holder.start(null)
  await clock.advance(60_000)
  expect(tries).toBeGreaterThan(2)
  expect(tries).toBeLessThan(6)
})

test('a change that is too large for one statement reaches others within a snapshot', async () => {
  const { clock, holder, db, commit, ask, published, postgres } = open()
  holder.start(null)
  await clock.advance(3_000)
  // Packed, each letter takes six of its eight bits: just beyond the limit of 32 MB.
  db.transaction(() => saveMeta(db, 'large', randomBytes(33 * 1024 * 1024).toString('base64')))
  holder.wake()
  await clock.advance(3_000)
  expect(published).toEqual([1])
  commit('after it')
  const asked = ask(true)
  await clock.advance(500)
  expect(asked.answer).toEqual(unmarked)
  expect(postgres.pushed).toEqual([2])
})
