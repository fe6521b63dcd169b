import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDiscordChannel } from '../../../../src/delivery/channels/discord.ts'
import { Secret } from '../../../../src/lib/secret.ts'
import type { ChannelServer } from '../../../support/channelServer.ts'
import { discordPath, json, startFakeDiscord } from '../../../support/fakeDiscord.ts'
import { toMessage } from '../../../unit/delivery/messages.ts'

const plain = { signal: new AbortController().signal, degraded: false, recipients: null }

let discord: ChannelServer
beforeEach(async () => {
  discord = await startFakeDiscord()
})
afterEach(() => discord.close())

async function deliver(path = discordPath) {
  const channel = createDiscordChannel(
    { clock: { now: () => 0 } },
    { name: 'ops', type: 'discord', url: new Secret(`${discord.url}${path}`) },
  )
  try {
    return await channel.deliver(toMessage(), plain)
  } finally {
    await channel.close()
  }
}

test('it is asked for the message that it made, in the thread that the address names', async () => {
  expect(await deliver(`${discordPath}?thread_id=7`)).toEqual({ result: 'ack' })
  expect(discord.posted[0]?.path).toBe(`${discordPath}?thread_id=7&wait=true`)
})

test.each([
  [0.3, 1_000],
  [1.337, 1_337],
  [64.57, 64_570],
  [1e9, 900_000],
  [-5, 1_000],
])('a wait of %f seconds is %i ms', async (retry_after, retryAfterMs) => {
  discord.respond(json(429, { message: 'You are being rate limited.', retry_after, global: false }))
  expect(await deliver()).toMatchObject({ result: 'throttled', retryAfterMs })
})

test('a limit for everything is said to be one', async () => {
  discord.respond(json(429, { message: 'You are being rate limited.', retry_after: 5, global: true }))
  expect(await deliver()).toMatchObject({
    result: 'throttled',
    retryAfterMs: 5_000,
    reason: expect.stringContaining('for everything'),
  })
})

test('without a number of seconds the header counts', async () => {
  discord.respond({ status: 429, headers: { 'retry-after': '9' }, body: '<html>error 1015</html>' })
  expect(await deliver()).toMatchObject({ result: 'throttled', retryAfterMs: 9_000 })
})

test.each([
  [404, 10_015, 'dead', 'it does not know this webhook'],
  [404, 10_003, 'dead', 'its channel is gone'],
  [401, 50_027, 'dead', 'it does not know this token of the webhook'],
  [403, 50_013, 'dead', 'it may not write there'],
  [400, 50_083, 'dead', 'its thread is archived'],
  [400, 160_005, 'dead', 'its thread is locked'],
  [400, 220_001, 'dead', 'a forum needs ?thread_id=… in the address'],
  [400, 50_006, 'bad_message', 'answered 400'],
  [400, 50_035, 'bad_message', 'answered 400'],
  [500, 0, 'transient', 'answered 500'],
])('HTTP %i with code %i means %s: %s', async (status, code, result, reason) => {
  discord.respond(json(status, { message: 'averysecrettoken', code }))
  const answer = await deliver()
  expect(answer).toMatchObject({ result, reason: expect.stringContaining(reason) })
  expect(JSON.stringify(answer)).not.toContain('averysecrettoken')
})

test('a webhook that is gone closes the channel', async () => {
  const answer = await deliver('/api/webhooks/1234567890/anothersecrettoken')
  expect(answer).toMatchObject({
    result: 'dead',
    reason: expect.stringContaining('does not know this webhook'),
  })
  expect(JSON.stringify(answer)).not.toContain('anothersecrettoken')
})
