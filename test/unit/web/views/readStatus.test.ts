import { expect, test } from 'vitest'
import type { ChannelRow } from '../../../../src/alerts/store/outboxDeliveries.ts'
import { toChannelStatus } from '../../../../src/web/views/readStatus.ts'

const row: ChannelRow = {
  name: 'ops',
  circuit: 'closed',
  openedAt: null,
  probeAt: null,
  reason: null,
  refused: [],
  lastAckAt: 2_000,
  lastError: 'hooks.example.com answered 503',
  lastErrorAt: 1_000,
}

test('a failure of a channel that took something since is none any more', () => {
  expect(toChannelStatus(row, undefined).lastError).toBeNull()
  expect(toChannelStatus({ ...row, lastErrorAt: 3_000 }, undefined).lastError).toBe(row.lastError)
})

test('who gets nothing of a channel is named, with the reason', () => {
  const refused = [
    { recipient: 'finance@example.com', reason: 'mail.example.com: 550 no such user', since: 0 },
  ]
  expect(toChannelStatus({ ...row, refused }, undefined).refused).toEqual([
    'finance@example.com: mail.example.com: 550 no such user',
  ])
})
