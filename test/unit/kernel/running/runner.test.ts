import { describe, expect, test } from 'vitest'
import { MonitorError } from '../../../../src/lib/errors.ts'
import { createSilentLog } from '../../../../src/lib/log.ts'
import { createRunner } from '../../../../src/kernel/running/runner.ts'
import { intervalOf, nextDue } from '../../../../src/kernel/running/schedule.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'

const start = Date.UTC(2026, 0, 1)
const setUp = () => ({ clock: createSteppedClock({ start, isManual: true }), log: createSilentLog() })
const every5 = '*/5 * * * * *'

describe('schedules', () => {
  test('a cron expression gives its next moment and its interval', () => {
    expect(nextDue(every5, start + 1)).toBe(start + 5_000)
    expect(nextDue(every5, start + 5_000)).toBe(start + 10_000)
    expect(intervalOf(every5)).toBe(5_000)
    expect(intervalOf('0 17 * * * *')).toBe(3_600_000)
  })
})

describe('the runner', () => {
  test('runs at the start and then at every tick', async () => {
    const deps = setUp()
    const times: number[] = []
    const runner = createRunner(deps, [
      { name: 'a', schedule: every5, run: async () => void times.push(deps.clock.now() - start) },
    ])
    runner.start()
    await deps.clock.advance(11_000)
    await runner.stop()
    expect(times).toEqual([0, 5_000, 10_000])
  })

  test('invariant 11: one poller that hangs or throws freezes no other', async () => {
    const deps = setUp()
    let runs = 0
    const runner = createRunner(deps, [
      {
        name: 'hangs',
        schedule: every5,
        run: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      },
      { name: 'throws', schedule: every5, run: () => Promise.reject(new Error('503')) },
      { name: 'works', schedule: every5, run: async () => void (runs += 1) },
    ])
    const startedAt = deps.clock.now()
    runner.start()
    await deps.clock.advance(20_000)
    expect(runs).toBe(5)
    expect(
      runner.status().map(({ poller, lastError, runningSince }) => [poller, lastError, runningSince]),
    ).toEqual([
      ['hangs', null, startedAt],
      ['throws', '503', null],
      ['works', null, null],
    ])
    await runner.stop()
  })

  test('what no source explains stays known although a run succeeds in between', async () => {
    const deps = setUp()
    const errors = [
      new TypeError('bug'),
      null,
      new MonitorError('source.unreachable', '503'),
      new TypeError('bug 2'),
    ]
    const run = async () => {
      const error = errors.shift() ?? null
      if (error !== null) throw error
    }
    const runner = createRunner(deps, [{ name: 'a', schedule: every5, run }])
    runner.start()
    await deps.clock.advance(120_000)
    expect(runner.status()[0]).toMatchObject({ errors: 3, lastError: null, lastCrash: 'bug 2' })
    expect(runner.status()[0]?.crashes).toHaveLength(2)
    await runner.stop()
  })

  test('invariant 16: a throw releases the poller, which is tried again within ten seconds', async () => {
    const deps = setUp()
    const times: number[] = []
    const run = async () => {
      times.push(deps.clock.now() - start)
      throw new Error('503')
    }
    const runner = createRunner(deps, [{ name: 'a', schedule: '0 0 * * * *', run }])
    runner.start()
    await deps.clock.advance(21_000)
    await runner.stop()
    expect(times).toEqual([0, 10_000, 20_000])
  })

  test('a poller never overlaps itself, and a trigger during its run makes it run once more', async () => {
    const deps = setUp()
    let active = 0
    let most = 0
    let runs = 0
    const run = async () => {
      most = Math.max(most, ++active)
      runs += 1
      await deps.clock.sleep(2_000)
      active -= 1
    }
    const runner = createRunner(deps, [{ name: 'a', schedule: every5, run }])
    runner.start()
    await deps.clock.advance(500)
    runner.trigger('a')
    runner.trigger('a')
    await deps.clock.advance(4_000)
    expect({ most, runs }).toEqual({ most: 1, runs: 2 })
    const stopped = runner.stop()
    await deps.clock.advance(10_000)
    await stopped
  })

  test('a trigger ends the pause', async () => {
    const deps = setUp()
    let runs = 0
    const runner = createRunner(deps, [
      { name: 'a', schedule: '0 0 * * * *', run: async () => void (runs += 1) },
    ])
    runner.start()
    await deps.clock.advance(1)
    runner.trigger('a')
    await deps.clock.advance(1)
    expect(runs).toBe(2)
    await runner.stop()
  })
})

test.each([
  { title: '59 s of a minute', takesMs: 59_000, starts: [0, 60, 120, 180, 240], missed: 0 },
  { title: '61 s of a minute', takesMs: 61_000, starts: [0, 120, 240], missed: 2 },
])(
  'F49: a source that takes $title: ticks are left out and counted, none overlap, none drift',
  async (one) => {
    const deps = setUp()
    const times: number[] = []
    let active = 0
    let most = 0
    const runner = createRunner(deps, [
      {
        name: 'slow',
        schedule: '0 * * * * *',
        async run(signal) {
          times.push((deps.clock.now() - start) / 1_000)
          most = Math.max(most, (active += 1))
          await deps.clock.sleep(one.takesMs, signal)
          active -= 1
        },
      },
    ])
    runner.start()
    await deps.clock.advance(299_999)
    expect({ times, most }).toEqual({ times: one.starts, most: 1 })
    expect(runner.status()[0]?.missedTicks).toBe(one.missed)
    const stopped = runner.stop()
    await deps.clock.advance(100_000)
    await stopped
  },
)

test('F66: a tick that the blocked event loop slept through is left out, not made up for', async () => {
  const { clock, log } = setUp()
  let blockedMs = 0
  const late = {
    ...clock,
    now: () => clock.now() + blockedMs,
    monotonicMs: () => clock.monotonicMs() + blockedMs,
  }
  const times: number[] = []
  const runner = createRunner({ clock: late, log }, [
    { name: 'a', schedule: '* * * * * *', run: async () => void times.push((late.now() - start) / 1_000) },
    {
      name: 'blocks',
      schedule: '0 * * * * *',
      // As a rule that computes for ten seconds would: nothing else runs meanwhile.
      run: async () => void (blockedMs += late.now() > start + 1_000 ? 10_000 : 0),
    },
  ])
  runner.start()
  await clock.advance(65_000)
  expect(times.length).toBe(new Set(times).size)
  const during = times.filter((at) => at > 60 && at < 70)
  expect(during).toEqual([])
  expect(times).toContain(71)
  await runner.stop()
})

test('F67: after the machine slept, a poll is as old as it was', async () => {
  const { clock, log } = setUp()
  const runner = createRunner({ clock, log }, [{ name: 'a', schedule: 60_000, run: async () => {} }])
  runner.start()
  await clock.advance(10_000)
  const now = clock.now() + 3_600_000
  runner.rebaseClock({ byMs: 3_600_000, now })
  expect(now - (runner.status()[0]?.lastSuccessAt ?? 0)).toBe(10_000)
  await runner.stop()
})
