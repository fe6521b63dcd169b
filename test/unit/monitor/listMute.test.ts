import { expect, test } from 'vitest'
import { type ChannelState, isVoiceless, listMute } from '../../../src/monitor/voice.ts'

const now = 10_000_000
const works: ChannelState = {
  channel: 'ops',
  circuit: 'closed',
  oldestAt: null,
  lastAckAt: now - 1_000,
  lastErrorAt: null,
}
const waits = { oldestAt: now - 120_001, lastAckAt: now - 900_000, lastErrorAt: now - 1_000 }

test.each<{ title: string; state: Partial<ChannelState>; isMute: boolean }>([
  { title: 'works', state: {}, isMute: false },
  { title: 'refuses us', state: { circuit: 'open' }, isMute: true },
  { title: 'fails, with a message that waits for over two minutes', state: waits, isMute: true },
  {
    title: 'has failed from the first message on',
    state: { ...waits, lastAckAt: null },
    isMute: true,
  },
  {
    title: 'fails, with a message that waits for two minutes',
    state: { ...waits, oldestAt: now - 120_000 },
    isMute: false,
  },
  { title: 'failed, with nothing to send', state: { ...waits, oldestAt: null }, isMute: false },
  { title: 'is slow, but took the newest message', state: { ...waits, lastAckAt: now }, isMute: false },
])('a channel that $title', ({ state, isMute }) => {
  expect(listMute([{ ...works, ...state }], now)).toEqual(isMute ? ['ops'] : [])
})

test('F81: nobody can be told when all channels are mute, and somebody while one is not', () => {
  const dead: ChannelState = { ...works, channel: 'dead', circuit: 'open' }
  expect(isVoiceless([dead, { ...works, ...waits }], now)).toBe(true)
  expect(isVoiceless([dead, works], now)).toBe(false)
  expect(isVoiceless([], now)).toBe(false)
})
