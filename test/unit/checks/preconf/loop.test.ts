import { expect, test } from 'vitest'
import { MonitorError } from '../../../../src/lib/errors.ts'
import { createLog } from '../../../../src/lib/log.ts'
import { createPreconfLoop, startLoop } from '../../../../src/checks/preconf/loop.ts'
import type { PendingAnswer } from '../../../../src/checks/preconf/reads.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'

function follow(read: (tick: number, at: number) => Promise<PendingAnswer>) {
  const clock = createSteppedClock({ isManual: true })
  const answers: PendingAnswer[] = []
  let ticks = 0
  const loop = createPreconfLoop({
    clock,
    log: createLog({ write: () => {} }),
    intervalMs: 200,
    read: async () => {
      const given = await read(ticks++, clock.now())
      answers.push(given)
      return given
    },
  })
  startLoop(loop)
  return { clock, loop, answers }
}

const answer = (height: number, requestedAt: number): PendingAnswer => ({
  requestedAt,
  pending: { height, receipts: [], system: [], bridge: [], time: null },
  latest: { height: height - 1, time: null },
  unreadable: 0,
})
const unanswered = () =>
  new MonitorError('source.unreachable', 'no whole answer', {
    retryable: true,
    details: { timeoutMs: 5_000 },
  })

test('a request that hangs stops no tick', async () => {
  const { clock, loop, answers } = follow((tick, at) =>
    tick === 3 ? new Promise(() => {}) : Promise.resolve(answer(tick, at)),
  )
  await clock.advance(10_000)
  expect(answers.length).toBeGreaterThanOrEqual(49)
  expect(loop.status.missedTicks).toBe(0)
})

test('when every request hangs no more than ten are under way, and the ticks left out are counted', async () => {
  let asked = 0
  const { clock, loop } = follow(() => {
    asked += 1
    return new Promise(() => {})
  })
  await clock.advance(10_000)
  expect(asked).toBe(10)
  expect(loop.status.missedTicks).toBeGreaterThanOrEqual(40)
})

test('requests that are only ever left without an answer are told from refused ones', async () => {
  const hanging = follow(() => Promise.reject(unanswered()))
  await hanging.clock.advance(1_000)
  expect(hanging.loop.unansweredSince).not.toBeNull()
  const refused = follow(() => Promise.reject(new MonitorError('source.unreachable', 'refused')))
  await refused.clock.advance(1_000)
  expect(refused.loop.unansweredSince).toBeNull()
  expect(refused.loop.status).toMatchObject({ lastError: 'refused' })
})

test('an answer that comes late moves nothing back', async () => {
  const { clock, loop } = follow(async (tick, at) => {
    if (tick === 2) await clock.sleep(900)
    return answer(tick === 2 ? 999 : 100 + tick, at)
  })
  await clock.advance(1_350)
  expect(loop.view.pending?.height).toBe(106)
  expect(loop.view.readAt).toBe(clock.now() - 150)
})
