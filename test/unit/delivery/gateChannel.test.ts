import { expect, test } from 'vitest'
import { gateChannel, type Leave } from '../../../src/delivery/gateChannel.ts'
import { createFakeChannel } from '../alerts/harness.ts'

test.each<{ leave: Leave; expected: boolean }>([
  { leave: { may: true, mark: null }, expected: true },
  // Nobody knows whether another one watches: what stands here would end there after a day.
  { leave: { may: true, mark: 'replicas cannot be reached' }, expected: true },
  { leave: { may: false, reason: 'another node holds the lease' }, expected: false },
])('what stands is told again as a message may leave: $leave', async ({ leave, expected }) => {
  const channel = {
    ...createFakeChannel('manager', 'alertmanager'),
    refresh: { everyMs: 60_000, tell: async () => ({ result: 'ack' as const }) },
  }
  const gated = gateChannel(channel, { mayLeave: async () => leave })
  expect(await gated.refresh?.mayTell?.()).toBe(expected)
})

test('a channel that does not forget has nothing to tell again', () => {
  const gated = gateChannel(createFakeChannel('ops'), { mayLeave: async () => ({ may: true, mark: null }) })
  expect(gated.refresh).toBeUndefined()
})
