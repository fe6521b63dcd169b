import { expect, test } from 'vitest'
import type { Channel, DeliveryResult } from '../../../../src/delivery/channels/message.ts'
import { pollCanary } from '../../../../src/checks/monitor/canary.ts'
import { createTestKernel, noSignal } from '../support.ts'

const day = 86_400_000

function setUp(answer: DeliveryResult = { result: 'ack' }) {
  const kernel = createTestKernel({ start: 10 * day, isManual: true })
  const { clock } = kernel
  const sent: string[] = []
  const answers: [string, string][] = []
  const channel = (name: string): Channel => ({
    name,
    type: 'console',
    deliver: async ({ headline, channel: to }) => {
      sent.push(`${to}: ${headline}`)
      return answer
    },
    close: async () => {},
  })
  const canary = {
    ...kernel,
    channels: [channel('a'), channel('b')],
    // Of what channels do only the dispatcher knows, which is not started here.
    noteAnswer: (name: string, { result }: DeliveryResult) => void answers.push([name, result]),
    schedule: { cron: '0 0 0 * * *', timezone: 'UTC' },
    pageUrl: null,
  }
  return { clock, sent, answers, run: () => pollCanary(canary, noSignal) }
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

test('F67: one that a clock a month ahead sent does not hold up those of the month', async () => {
  const { clock, sent, run } = setUp()
  await run()
  await clock.advance(30 * day)
  await run()
  expect(sent).toHaveLength(2)
  await clock.advance(-30 * day)
  await run()
  expect(sent).toHaveLength(2)
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
