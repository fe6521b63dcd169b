import { expect, test } from 'vitest'
import {
  createBench,
  createFakeChannel,
  createLoneEvent,
  createRoute,
  createRule,
  type FakeChannel,
} from '../alerts/harness.ts'

const rule = createRule({ name: 'rewritten', kind: 'transfer.rewritten', severity: 'critical' })

/** A channel that fails at each message about an amount beyond 90, and what it took, in whole minutes of the start. */
function openPicky(channel: FakeChannel = createFakeChannel('ops')) {
  const bench = createBench({ routes: [createRoute()], fakes: [channel] })
  const { engine, clock, ops } = bench
  const startedAt = clock.now()
  const taken: (readonly [amount: string, minute: number])[] = []
  ops.deliver = async (message) => {
    ops.sent.push(message)
    const amounts = message.items.map(({ facts }) => String(facts['amount']))
    if (amounts.some((amount) => Number(amount) > 90)) return { result: 'transient', reason: '500' }
    const minute = Math.floor((clock.now() - startedAt) / 60_000)
    taken.push(...amounts.map((amount) => [amount, minute] as const))
    return { result: 'ack' }
  }
  const find = (...amounts: readonly number[]) => {
    for (const n of amounts) engine.tellEvents([{ rule, finding: createLoneEvent(n) }], clock.now())
  }
  return { ...bench, taken, find }
}

test.each([2, 3, 5])(
  '%i messages at which a channel fails again and again, one by one, hold up another for minutes at most',
  async (count) => {
    const { clock, startSending, store, taken, find } = openPicky()
    const dispatcher = startSending()
    for (let n = 1; n <= count; n += 1) {
      find(90 + n)
      dispatcher.wake()
      await clock.advance(60_000)
    }
    find(1)
    dispatcher.wake()
    await clock.advance(60_000)
    find(2)
    dispatcher.wake()
    await clock.advance(600_000)
    expect(taken).toEqual([
      ['1', count],
      ['2', count + 1],
    ])
    for (let hour = 0; hour < 26; hour += 1) await clock.leap(3_600_000)
    expect(store.listDepths()).toEqual([])
    expect(store.listOutbox({ state: 'dead', limit: 9 })).toHaveLength(count)
    await dispatcher.stop()
  },
)

test('a pager is told of each case by itself all the same, ever more rarely until something is taken', async () => {
  const { clock, startSending, ops, taken, find } = openPicky({
    ...createFakeChannel('ops', 'pagerduty'),
    followsCases: true,
  })
  const dispatcher = startSending()
  find(91, 92, 93, 94, 1)
  dispatcher.wake()
  await clock.advance(480_000)
  expect(taken).toEqual([['1', 7]])
  expect(ops.sent.filter(({ total }) => total !== 1)).toEqual([])
  await dispatcher.stop()
})

test('what queued behind two of them is tried by its money, a case a minute, until something is taken', async () => {
  const { clock, startSending, taken, find } = openPicky()
  const dispatcher = startSending()
  for (const n of [91, 92]) {
    find(n)
    dispatcher.wake()
    await clock.advance(30_000)
  }
  find(4, 93, 5, 6, 7)
  dispatcher.wake()
  await clock.advance(600_000)
  expect(taken.map(([amount]) => amount).toSorted()).toEqual(['4', '5', '6', '7'])
  await dispatcher.stop()
})

test('one among several in the only message that there is keeps the others for half a minute', async () => {
  const { clock, startSending, taken, find } = openPicky()
  find(1, 2, 3, 4, 5, 91, 6, 7)
  const dispatcher = startSending()
  await clock.advance(600_000)
  expect(taken.map(([amount]) => amount).toSorted()).toEqual(['1', '2', '3', '4', '5', '6', '7'])
  expect(taken[0]?.[1]).toBe(0)
  await dispatcher.stop()
})

test('ten hours in which a channel takes nothing end in a message for each hour at most', async () => {
  const { engine, clock, startSending, ops, store } = createBench()
  ops.answers = [{ result: 'transient', reason: '503' }]
  const dispatcher = startSending()
  for (let n = 1; n <= 100; n += 1) {
    engine.tellEvents([{ rule, finding: createLoneEvent(n) }], clock.now())
    dispatcher.wake()
    await clock.advance(360_000)
  }
  ops.sent.length = 0
  ops.answers = [{ result: 'ack' }]
  await clock.advance(600_000)
  expect(ops.sent.length).toBeLessThanOrEqual(12)
  expect(ops.sent.reduce((sum, { total }) => sum + total, 0)).toBe(100)
  expect(store.listDepths()).toEqual([])
  await dispatcher.stop()
})

test('two messages that become one go on under a new name: who drops repeats by the old one drops nothing new', async () => {
  const { clock, startSending, ops, find } = openPicky()
  const dispatcher = startSending()
  for (let n = 91; n < 97; n += 1) {
    find(n)
    dispatcher.wake()
    await clock.advance(120_000)
  }
  const told = ops.sent.map(({ id, attempt, items }) => ({
    id,
    attempt,
    amounts: items.map(({ facts }) => String(facts['amount'])).join(),
  }))
  const forms = new Set(told.map(({ id, amounts }) => `${id} ${amounts}`))
  expect(forms.size).toBe(new Set(told.map(({ id }) => id)).size)
  const joined = told.filter(({ amounts }) => amounts.includes(','))
  expect(joined.length).toBeGreaterThan(0)
  // They may have been sent before, and say so.
  expect(joined.filter(({ attempt }) => attempt === 1)).toEqual([])
  await dispatcher.stop()
})

test.each([
  { result: 'dead', reason: '403' },
  { result: 'suspicious', reason: 'HTML' },
] as const)(
  'F67: after a start with the wall clock set back a channel that refuses everything ($result) keeps all of it waiting',
  async (refusal) => {
    const { clock, startSending, store, find, ops } = openPicky()
    // It took something by the clock of before.
    store.saveChannel({ ...store.getChannel('ops'), lastAckAt: clock.now() + 7_200_000 })
    ops.deliver = async () => refusal
    const dispatcher = startSending()
    find(1, 2, 3)
    dispatcher.wake()
    await clock.advance(3_600_000)
    expect(store.listOutbox({ state: 'dead', limit: 9 })).toEqual([])
    expect(store.getChannel('ops').circuit).toBe('open')
    await dispatcher.stop()
  },
)
