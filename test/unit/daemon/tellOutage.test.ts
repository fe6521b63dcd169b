import { expect, test } from 'vitest'
import { tellOutage } from '../../../src/daemon/tellOutage.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import type { RunOptions } from '../../../src/daemon/runOptions.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'

function open() {
  const clock = createSteppedClock({ isManual: true })
  const written: string[] = []
  const following: { unreachableSince: number | null; problem: string | null } = {
    unreachableSince: null,
    problem: null,
  }
  const ending = new AbortController()
  const config = { channels: [{ type: 'console', name: 'console' }], http: null }
  const run = {
    deps: {
      clock,
      log: createSilentLog(),
      write: (text: string) => void written.push(text),
      random: () => 0.5,
    },
    // Nothing else of it is read.
    options: { config } as unknown as RunOptions,
    node: 'b',
    bridge: 'usdc-zone',
  }
  void tellOutage(run, following, ending.signal)
  const break_ = () => {
    following.unreachableSince = clock.now()
    following.problem = 'connection refused'
  }
  const mend = () => {
    following.unreachableSince = following.problem = null
  }
  return { clock, written, break: break_, mend, end: () => ending.abort() }
}

test('a PostgreSQL that is away for a minute is told once, and that it is back', async () => {
  const world = open()
  await world.clock.advance(5_000)
  world.break()
  await world.clock.advance(59_000)
  expect(world.written).toEqual([])
  await world.clock.advance(600_000)
  expect(world.written).toHaveLength(1)
  expect(world.written[0]).toContain(
    'node b of usdc-zone cannot reach PostgreSQL since 2026-01-01T00:00:05.000Z',
  )
  world.mend()
  await world.clock.advance(5_000)
  expect(world.written).toHaveLength(2)
  expect(world.written[1]).toContain('node b of usdc-zone reaches PostgreSQL again')
  world.end()
})

test('one that is back within the minute is not; the next outage is told anew', async () => {
  const world = open()
  for (let index = 0; index < 3; index += 1) {
    world.break()
    await world.clock.advance(58_000)
    world.mend()
    await world.clock.advance(2_000)
  }
  expect(world.written).toEqual([])
  world.break()
  await world.clock.advance(62_000)
  expect(world.written).toHaveLength(1)
  world.end()
})

test('a node that takes over says that its outage is over', async () => {
  const world = open()
  world.break()
  await world.clock.advance(62_000)
  world.mend()
  world.end()
  await world.clock.advance(5_000)
  expect(world.written).toHaveLength(2)
})

test('one that is stopped in the midst of it says nothing more', async () => {
  const world = open()
  world.break()
  await world.clock.advance(62_000)
  world.end()
  await world.clock.advance(60_000)
  expect(world.written).toHaveLength(1)
})
