import { fc } from '../../support/fastCheck.ts'
import { expect, test } from 'vitest'
import { type Phase, resumeCondition, stepCondition, untouched } from '../../../src/alerts/stateMachine.ts'

const minute = 60_000

function run(samples: string, times: { forMs: number; keepFiringForMs: number }): number[] {
  let phase: Phase = untouched
  return samples.split('').flatMap((sample, index) => {
    phase = stepCondition(phase, sample === '1', times, index * minute).phase
    return phase.state === 'firing' || phase.state === 'recovering' ? [index] : []
  })
}

test('the series that was measured against promtool fires at minutes 6, 7 and 8 only', () => {
  // `for: 3m`, `keep_firing_for: 2m`: firing at 6, kept at 7 and 8.
  expect(run('11011110001', { forMs: 3 * minute, keepFiringForMs: 2 * minute })).toEqual([6, 7, 8])
})

test.each([
  { title: 'one millisecond short of `for` is pending', at: 59_999, state: 'pending' },
  { title: '`for` reached is firing', at: 60_000, state: 'firing' },
])('$title', ({ at, state }) => {
  const times = { forMs: minute, keepFiringForMs: 0 }
  const pending = stepCondition(untouched, true, times, 0).phase
  expect(stepCondition(pending, true, times, at).phase.state).toBe(state)
})

test('without `for` the first evaluation fires', () => {
  expect(stepCondition(untouched, true, { forMs: 0, keepFiringForMs: 0 }, 5).transition).toBe('fired')
})

test('a single false sample forgets what was pending', () => {
  const times = { forMs: minute, keepFiringForMs: 0 }
  const pending = stepCondition(untouched, true, times, 0).phase
  const step = stepCondition(pending, false, times, 59_999)
  expect([step.transition, step.phase.state]).toEqual(['forgotten', 'inactive'])
})

test.each([
  { title: 'keep-firing lasts one millisecond short of its time', at: 59_999, state: 'recovering' },
  { title: 'keep-firing ends when its time is reached', at: 60_000, state: 'resolved' },
])('$title', ({ at, state }) => {
  const times = { forMs: 0, keepFiringForMs: minute }
  const recovering = stepCondition(stepCondition(untouched, true, times, 0).phase, false, times, 0).phase
  expect(stepCondition(recovering, false, times, at).phase.state).toBe(state)
})

test('true again while kept firing goes on without a new episode', () => {
  const times = { forMs: 0, keepFiringForMs: minute }
  const recovering = stepCondition(stepCondition(untouched, true, times, 0).phase, false, times, 1).phase
  const step = stepCondition(recovering, true, times, 2)
  expect([step.transition, step.phase.episode, step.phase.keepSince]).toEqual(['continued', 1, null])
})

test('firing again after the end is a new episode', () => {
  const times = { forMs: 0, keepFiringForMs: 0 }
  const resolved = stepCondition(stepCondition(untouched, true, times, 0).phase, false, times, 1).phase
  expect(stepCondition(resolved, true, times, 2).phase).toMatchObject({
    state: 'firing',
    episode: 2,
    activeAt: 2,
  })
})

test('a `for` raised above its age makes a firing alert pending, and its end is still a resolution', () => {
  const firing = stepCondition(untouched, true, { forMs: 0, keepFiringForMs: 0 }, 0).phase
  const raised = { forMs: minute, keepFiringForMs: 0 }
  const demoted = stepCondition(firing, true, raised, 10)
  expect(demoted.transition).toBe('demoted')
  expect(stepCondition(demoted.phase, false, raised, 20).transition).toBe('resolved')
})

test('a wall clock that went back makes no interval negative', () => {
  const times = { forMs: minute, keepFiringForMs: 0 }
  const pending = stepCondition(untouched, true, times, 10 * minute).phase
  const back = stepCondition(pending, true, times, 5 * minute).phase
  expect(stepCondition(back, true, times, 6 * minute).phase.state).toBe('firing')
})

test.each([
  ['to before it began', 5 * minute],
  ['to before it had lasted for long enough', 25 * minute],
])('F67: what fires goes on firing when the wall clock went back %s', (_, now) => {
  const times = { forMs: 10 * minute, keepFiringForMs: 0 }
  const pending = stepCondition(untouched, true, times, 20 * minute).phase
  const firing = stepCondition(pending, true, times, 30 * minute).phase
  const { phase, transition } = stepCondition(firing, true, times, now)
  expect([phase.state, transition]).toEqual(['firing', null])
  expect(stepCondition(phase, true, times, now + minute).transition).toBeNull()
})

const pending: Phase = { ...untouched, state: 'pending', activeAt: 0, episode: 1 }

test('F8: 4 minutes down do not count towards a `for` of 10 minutes', () => {
  const times = { forMs: 10 * minute, keepFiringForMs: 0 }
  const { phase } = resumeCondition(pending, times, 3 * minute, 7 * minute)
  expect(stepCondition(phase, true, times, 14 * minute - 1).phase.state).toBe('pending')
  expect(stepCondition(phase, true, times, 14 * minute).phase.state).toBe('firing')
})

test('F8: nor towards keep-firing', () => {
  const times = { forMs: 0, keepFiringForMs: 5 * minute }
  const firing = stepCondition(untouched, true, times, 0).phase
  const recovering = stepCondition(firing, false, times, minute).phase
  const { phase } = resumeCondition(recovering, times, 2 * minute, 42 * minute)
  expect(stepCondition(phase, false, times, 46 * minute - 1).phase.state).toBe('recovering')
  expect(stepCondition(phase, false, times, 46 * minute).phase.state).toBe('resolved')
})

test('after a restart a tenth of `for` is left at least', () => {
  const times = { forMs: 10 * minute, keepFiringForMs: 0 }
  const { phase } = resumeCondition(pending, times, 10 * minute - 1, 11 * minute)
  expect(phase.activeAt).toBe(11 * minute - 9 * minute)
})

test.each([
  { title: 'down for an hour keeps what was pending', down: 3_600_000, state: 'pending' },
  { title: 'down for longer forgets it', down: 3_600_001, state: 'inactive' },
])('$title', ({ down, state }) => {
  expect(resumeCondition(pending, { forMs: minute, keepFiringForMs: 0 }, 0, down).phase.state).toBe(state)
})

test('what fired goes on firing however long the process was down', () => {
  const firing: Phase = { ...pending, state: 'firing', firedAt: 0 }
  expect(resumeCondition(firing, { forMs: 0, keepFiringForMs: 0 }, 0, 1e10)).toEqual({
    phase: firing,
    transition: null,
  })
})

test('over any series nothing resolves that did not fire, and every firing has one episode', () => {
  const times = fc.record({ forMs: fc.nat(5), keepFiringForMs: fc.nat(5) })
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 60 }), times, (samples, rule) => {
      let phase: Phase = untouched
      let open = 0
      samples.forEach((isTrue, now) => {
        const step = stepCondition(phase, isTrue, rule, now)
        if (step.transition === 'fired') open += 1
        if (step.transition === 'resolved') open -= 1
        expect(open).toBe(['firing', 'recovering'].includes(step.phase.state) ? 1 : 0)
        expect(step.phase.episode).toBeGreaterThanOrEqual(phase.episode)
        phase = step.phase
      })
    }),
  )
})
