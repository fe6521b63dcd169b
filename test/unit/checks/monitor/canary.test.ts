import { expect, test } from 'vitest'
import { createSilentLog } from '../../../../src/lib/log.ts'
import type { Channel, DeliveryResult } from '../../../../src/delivery/channels/message.ts'
import { createCanary } from '../../../../src/checks/monitor/canary.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'

const day = 86_400_000

function setUp(answer: DeliveryResult = { result: 'ack' }) {
  const clock = createSteppedClock({ start: 10 * day, isManual: true })
  const sent: string[] = []
  const answers: [string, string][] = []
  let lastAt: number | null = null
  const channel = (name: string): Channel => ({
    name,
    type: 'console',
    deliver: async ({ headline, channel: to }) => {
      sent.push(`${to}: ${headline}`)
      return answer
    },
    close: async () => {},
  })
  const run = createCanary({
    clock,
    log: createSilentLog(),
    channels: [channel('a'), channel('b')],
    pageUrl: null,
    readLastAt: () => lastAt,
    saveLastAt: (at) => (lastAt = at),
    // Each midnight.
    dueAfter: (at) => (Math.floor(at / day) + 1) * day,
    onAnswer: (name, { result }) => answers.push([name, result]),
  })
  return { clock, sent, answers, run: () => run(new AbortController().signal) }
}

test('a canary goes down each channel once a day, and none at a start', async () => {
  const { clock, sent, run } = setUp()
  await run()
  await clock.advance(day - 1)
  await run()
  expect(sent).toEqual([])
  await clock.advance(1)
  await run()
  await run()
  expect(sent).toHaveLength(2)
  expect(sent[0]).toMatch(/^a: INFO: Test message of spanwatch: nothing has happened/)
  await clock.advance(day)
  await run()
  expect(sent).toHaveLength(4)
})

test('what a channel answers is noted as of any other message', async () => {
  const { clock, answers, run } = setUp({ result: 'dead', reason: 'no_service' })
  await run()
  await clock.advance(day)
  await run()
  expect(answers).toEqual([
    ['a', 'dead'],
    ['b', 'dead'],
  ])
})
