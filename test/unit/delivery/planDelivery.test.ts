import { expect, test } from 'vitest'
import { planDelivery, retryDelayMs } from '../../../src/delivery/planDelivery.ts'
import { messageIdOf } from '../../../src/alerts/fingerprint.ts'
import { fullBucket, holdAfter, noHold, takeToken } from '../../../src/delivery/lanes.ts'
import type { DeliveryResult } from '../../../src/delivery/channels/message.ts'
import type { Delivery } from '../../../src/alerts/store/outboxDeliveries.ts'

const delivery: Delivery = {
  id: 1,
  channel: 'ops',
  isCritical: false,
  state: 'sending',
  attempt: 1,
  nextAt: 0,
  createdAt: 0,
  expiresAt: 21_600_000,
  suspicious: 0,
  isDegraded: false,
  recipients: null,
  lastError: null,
  caseId: null,
}
const alone = {
  channelType: 'slack',
  random: 0.5,
  canSplit: false,
  tookOthers: false,
  isOnly: false,
} as const
const plan = (result: DeliveryResult, overrides: Partial<Delivery> = {}, now = 0) =>
  planDelivery({ ...alone, delivery: { ...delivery, ...overrides }, result }, now)
const transient: DeliveryResult = { result: 'transient', reason: '500' }

test.each([
  { title: 'the jitter takes half off at least', attempt: 1, random: 0, expected: 500 },
  { title: 'the jitter adds half at most', attempt: 1, random: 1, expected: 1_500 },
  { title: 'each attempt doubles', attempt: 5, random: 0.5, expected: 16_000 },
  { title: 'no wait is longer than 5 minutes', attempt: 40, random: 1, expected: 300_000 },
])('$title', ({ attempt, random, expected }) => {
  expect(retryDelayMs({ channelType: 'slack', attempt, random })).toBe(expected)
})

test('mail waits 1, 5, 15, 30 and then 60 minutes', () => {
  const minutes = [1, 2, 3, 4, 5, 6].map(
    (attempt) => retryDelayMs({ channelType: 'email', attempt, random: 0 }) / 60_000,
  )
  expect(minutes).toEqual([1, 5, 15, 30, 60, 60])
})

test('a message is given up when its next attempt would be too late', () => {
  const last = 21_600_000 - 1_000
  expect(plan(transient, {}, last - 1).do).toBe('retry')
  expect(plan(transient, {}, last).do).toBe('bury')
})

test('a throttled first attempt goes back to the queue, a later one keeps its message and number', () => {
  const throttled: DeliveryResult = { result: 'throttled', retryAfterMs: 5_000, reason: '429' }
  expect(plan(throttled)).toEqual({ do: 'release', reason: '429' })
  expect(plan(throttled, { attempt: 3 })).toMatchObject({
    do: 'retry',
    delivery: { attempt: 2, nextAt: 5_000 },
  })
})

test('a later attempt that is throttled or refused until it would be too late is given up', () => {
  const last = 21_600_000 - 5_000
  const throttled: DeliveryResult = { result: 'throttled', retryAfterMs: 5_000, reason: '429' }
  const dead: DeliveryResult = { result: 'dead', probeAfterMs: 5_000, reason: '404' }
  for (const result of [throttled, dead]) {
    expect(plan(result, { attempt: 3 }, last - 1).do).toBe('retry')
    expect(plan(result, { attempt: 3 }, last).do).toBe('bury')
  }
})

test('the fourth answer that only looks like success ends it', () => {
  const suspicious: DeliveryResult = { result: 'suspicious', reason: 'HTML' }
  expect([2, 3].map((count) => plan(suspicious, { suspicious: count }).do)).toEqual(['retry', 'bury'])
})

test('a refused message is tried once in plain form', () => {
  const refused: DeliveryResult = { result: 'bad_message', reason: 'invalid_blocks' }
  expect([false, true].map((isDegraded) => plan(refused, { isDegraded }).do)).toEqual(['retry', 'bury'])
})

test('what was refused as it was uses up no attempt: nothing of it arrived', () => {
  const refused: DeliveryResult = { result: 'bad_message', reason: 'invalid_blocks' }
  expect(plan(refused)).toMatchObject({ do: 'retry', delivery: { attempt: 0, isDegraded: true } })
})

test('before several items are set aside they are tried in two halves', () => {
  const several = { ...alone, canSplit: true }
  const given = { ...delivery, isDegraded: true, suspicious: 3 }
  const refused: DeliveryResult = { result: 'bad_message', reason: '400' }
  const suspicious: DeliveryResult = { result: 'suspicious', reason: 'HTML' }
  for (const result of [refused, suspicious])
    expect(planDelivery({ ...several, delivery: given, result }, 0).do).toBe('split')
})

test.each([
  { attempt: 4, canSplit: true, tookOthers: true, isOnly: true, expected: 'retry' },
  { attempt: 5, canSplit: true, tookOthers: true, isOnly: false, expected: 'split' },
  { attempt: 5, canSplit: true, tookOthers: false, isOnly: true, expected: 'split' },
  { attempt: 5, canSplit: true, tookOthers: false, isOnly: false, expected: 'retry' },
  { attempt: 5, canSplit: false, tookOthers: true, isOnly: true, expected: 'retry' },
])(
  'attempt $attempt of a message that fails where others are taken ($tookOthers), alone ($isOnly), $canSplit: $expected',
  ({ attempt, expected, ...of }) => {
    const answer = { ...alone, ...of, delivery: { ...delivery, attempt }, result: transient }
    expect(planDelivery(answer, 0).do).toBe(expected)
  },
)

test('a mail that some took and none deferred is done', () => {
  const refused = [{ recipient: 'a@x.example', reason: '550' }]
  expect(plan({ result: 'partial', retry: [], refused })).toEqual({ do: 'ack' })
})

test('after a burst of 3 one message a second leaves, the last place kept for critical ones', () => {
  let bucket = fullBucket(0, { burst: 3, perSecond: 1 })
  const take = (isCritical: boolean, now: number) => {
    const taken = takeToken(bucket, isCritical, now)
    if ('waitMs' in taken) return taken.waitMs
    bucket = taken.bucket
    return 0
  }
  expect([take(false, 0), take(false, 0), take(false, 0), take(true, 0), take(true, 0)]).toEqual([
    0, 0, 1_000, 0, 1_000,
  ])
})

test('digests follow each other at 2, 4, 8 … 60 seconds while a storm lasts, critical ones at 4 at most', () => {
  const waits = (isCritical: boolean) => {
    let hold = noHold
    let now = 0
    return Array.from({ length: 8 }, () => {
      hold = holdAfter(hold, { count: 21, isCritical }, now)
      const wait = hold.until - now
      now = hold.until
      return wait / 1_000
    })
  }
  expect(waits(false)).toEqual([2, 4, 8, 16, 32, 60, 60, 60])
  expect(waits(true)).toEqual([2, 4, 4, 4, 4, 4, 4, 4])
})

test('19 items are no storm', () => {
  expect(holdAfter(noHold, { count: 19, isCritical: false }, 0)).toBe(noHold)
})

test('no two of 100,000 messages share an id', () => {
  const ids = new Set(Array.from({ length: 100_000 }, (_, n) => messageIdOf(n + 1, 'generation')))
  expect(ids.size).toBe(100_000)
  expect([...ids].every((id) => /^[0-9a-f]{6}$/.test(id))).toBe(true)
})
