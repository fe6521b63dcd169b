import { describe, expect, test } from 'vitest'
import { createCorrectedClock } from '../../../src/lib/correctedClock.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const startAt = Date.UTC(2026, 5, 1)

/** A machine whose clocks are moved by hand, and a service whose clock is right unless a test says otherwise. */
function createWorld() {
  const clock = { wall: startAt, mono: 0, true: startAt }
  const corrected = createCorrectedClock({
    now: () => clock.wall,
    monotonicMs: () => clock.mono,
    async sleep(ms) {
      pass(ms)
    },
  })
  function pass(ms: number) {
    clock.wall += ms
    clock.mono += ms
    clock.true += ms
  }
  const answer = (source = 'explorer', wrongByMs = 0, sentMs = clock.mono) =>
    corrected.noteDate(source, { date: new Date(clock.true + wrongByMs).toUTCString(), sentMs })
  return {
    clock,
    corrected,
    pass,
    answer,
    set: (byMs: number) => void (clock.wall += byMs),
    suspend(forMs: number) {
      clock.wall += forMs
      clock.true += forMs
    },
    /** How far the present is from the truth. */
    wrongByMs: () => corrected.now() - clock.true,
  }
}

const steps = [10 * second, hour, 24 * hour].flatMap((ms) => [ms, -ms])

describe('semantics.md 42: the wall clock is set, and the present', () => {
  test.each(steps)('goes on as it did, by %i ms', (byMs) => {
    const world = createWorld()
    world.answer()
    world.set(byMs)
    expect(world.wrongByMs()).toBe(0)
    world.pass(second)
    for (const source of ['explorer', 'preconf']) world.answer(source)
    world.pass(hour)
    expect(world.wrongByMs()).toBe(0)
    expect(world.corrected.look()).toMatchObject({ moved: { byMs }, slept: null })
    expect(world.corrected.look()).toEqual({ moved: null, slept: null })
    world.set(-byMs)
    expect(world.wrongByMs()).toBe(0)
    expect(world.corrected.doubtMs()).toBe(0)
  })

  test('goes on as it did when nobody says what time it is', () => {
    const world = createWorld()
    world.set(hour)
    world.pass(hour)
    expect(world.wrongByMs()).toBe(0)
  })

  test('is not moved by blocks that are late', () => {
    const world = createWorld()
    world.set(hour)
    world.corrected.noteBlock(world.clock.true - hour)
    world.corrected.noteBlock(world.clock.true)
    expect(world.wrongByMs()).toBe(0)
  })

  test('follows what a time service slews', () => {
    const world = createWorld()
    for (let n = 0; n < 100; n += 1) {
      world.pass(second)
      world.set(500)
      world.clock.true += 500
      expect(world.wrongByMs()).toBe(0)
    }
    expect(world.corrected.look()).toEqual({ moved: null, slept: null })
  })
})

describe('semantics.md 42: the machine sleeps, and the present', () => {
  test.each([10 * second, hour, 24 * hour])('follows once two answers say so, after %i ms', (forMs) => {
    const world = createWorld()
    world.answer()
    world.suspend(forMs)
    expect(world.corrected.doubtMs()).toBe(forMs)
    world.pass(200)
    world.answer()
    world.pass(200)
    world.answer()
    expect(world.wrongByMs()).toBe(0)
    expect(world.corrected.doubtMs()).toBe(0)
    expect(world.corrected.sleptMs()).toBe(forMs)
    expect(world.corrected.look()).toMatchObject({ moved: { byMs: forMs }, slept: { byMs: forMs } })
  })

  test('follows a block that is early, where no answer is dated', () => {
    const world = createWorld()
    world.suspend(hour)
    world.corrected.noteBlock(world.clock.true - 5 * second)
    expect(world.wrongByMs()).toBe(0)
  })

  test('is not held back by answers to requests from before', () => {
    const world = createWorld()
    const sentMs = world.clock.mono
    world.pass(second)
    const before = world.clock.true
    world.suspend(hour)
    for (let n = 0; n < 2; n += 1)
      world.corrected.noteDate('explorer', { date: new Date(before).toUTCString(), sentMs })
    for (const source of ['preconf', 'explorer']) world.answer(source)
    expect(world.wrongByMs()).toBe(0)
  })

  test('is waited for a few seconds, and no longer', async () => {
    const world = createWorld()
    world.suspend(hour)
    await world.corrected.decided()
    expect(world.clock.mono).toBe(5 * second)
    await world.corrected.decided()
    expect(world.clock.mono).toBe(5 * second)
  })
})

describe('a service whose Date header is', () => {
  test('wrong by an hour all the time says what happened all the same', () => {
    for (const wrongByMs of [hour, -hour]) {
      const world = createWorld()
      for (let n = 0; n < 5; n += 1) world.answer('explorer', wrongByMs)
      world.set(hour)
      for (let n = 0; n < 2; n += 1) world.answer('explorer', wrongByMs)
      expect(world.wrongByMs()).toBe(0)
      world.pass(minute)
      world.suspend(hour)
      for (let n = 0; n < 2; n += 1) world.answer('explorer', wrongByMs)
      expect(world.wrongByMs()).toBe(0)
    }
  })

  test('wrong now and then is outvoted', () => {
    const world = createWorld()
    for (let n = 0; n < 9; n += 1) world.answer('explorer', n % 3 === 0 ? hour : 0)
    world.set(hour)
    world.answer('explorer', hour)
    world.answer()
    world.answer('preconf')
    expect(world.wrongByMs()).toBe(0)
    expect(world.corrected.sleptMs()).toBe(0)
  })

  test('a copy from a cache says nothing', () => {
    const world = createWorld()
    const date = new Date(world.clock.true).toUTCString()
    const cached = () => world.corrected.noteDate('explorer', { date, sentMs: world.clock.mono })
    for (let n = 0; n < 5; n += 1) {
      cached()
      world.pass(10 * second)
    }
    world.suspend(hour)
    for (let n = 0; n < 5; n += 1) {
      cached()
      world.pass(second)
    }
    world.answer('preconf')
    world.answer('canonical')
    expect(world.wrongByMs()).toBe(0)
  })

  test.each([null, '', 'yesterday'])('%j says nothing', (date) => {
    const world = createWorld()
    world.set(hour)
    for (let n = 0; n < 5; n += 1) world.corrected.noteDate('explorer', { date, sentMs: world.clock.mono })
    expect(world.wrongByMs()).toBe(0)
    expect(world.corrected.doubtMs()).toBe(hour)
  })
})
