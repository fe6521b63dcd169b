import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { monitorStateNotPersisted } from '../../../src/checks/monitor/stateNotPersisted.ts'
import { createDistress } from '../../../src/delivery/distress.ts'
import type { Channel, DeliveryResult } from '../../../src/delivery/channels/message.ts'

function start(answer: () => DeliveryResult = () => ({ result: 'ack' })) {
  const sent: string[] = []
  const channel: Channel = {
    name: 'ops',
    type: 'slack',
    deliver: async (message) => {
      sent.push(message.headline)
      return answer()
    },
    close: async () => {},
  }
  const log = { warn: () => {} }
  return {
    sent,
    distress: createDistress({ kind: monitorStateNotPersisted, channels: [channel], log, pageUrl: null }),
  }
}
const firing = 'CRITICAL: the state cannot be saved: disk is full; nothing new is judged until it can'
const over = 'CRITICAL: Resolved: the state can be saved again'

test('a commit that fails for less than five seconds is not told', async () => {
  const { sent, distress } = start()
  distress.failed('disk is full', 1_000)
  distress.failed('disk is full', 5_999)
  distress.saved(6_000)
  await distress.stop()
  expect(sent).toEqual([])
})

test('five seconds without a commit are told once, and their end', async () => {
  const { sent, distress } = start()
  for (const at of [1_000, 6_000, 7_000, 60_000]) {
    distress.failed('disk is full', at)
    await setImmediate()
  }
  distress.saved(61_000)
  distress.saved(62_000)
  await distress.stop()
  expect(sent).toEqual([firing, over])
})

test('a channel that did not take it is tried again after ten seconds, and told no end of what it never heard', async () => {
  const { sent, distress } = start(() => ({ result: 'transient', reason: 'HTTP 503' }))
  for (const at of [0, 5_000, 14_999, 15_000]) {
    distress.failed('disk is full', at)
    await setImmediate()
  }
  distress.saved(16_000)
  await distress.stop()
  expect(sent).toEqual([firing, firing])
})
