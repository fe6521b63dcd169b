import { describe, expect, test } from 'vitest'
import {
  drift,
  failed,
  failure,
  lack,
  minute,
  outflow,
  run,
  shortfall,
  theft,
  tx,
  unbacked,
  usdc,
} from './caseWorld.ts'
import { createCondition, createEvent, createFakeChannel, createRoute, createRule, start } from './harness.ts'
import { hourly, listSaid, restart, stalled, watch, zone } from './watch.ts'

const hour = 60 * minute
const two = () => [createFakeChannel('ops'), createFakeChannel('pager')]
type World = ReturnType<typeof run>
const said = ({ ops }: World) => ops.sent.flatMap(({ items }) => items.map(({ status }) => status))

/** A theft of a token without an escrow, and what lacks of another one: told, and reminded of, as two cases. */
async function tellTwo(): Promise<World> {
  const world = run({
    fakes: two(),
    routes: [createRoute({ channels: ['ops'], groupWaitMs: 0, repeatMs: 4 * hour })],
  })
  await world.tell(unbacked, theftOf(`0x${'d'.repeat(40)}`))
  await world.send(minute)
  await world.judge(shortfall, lack('50'))
  await world.send(hour)
  expect(world.cases()).toHaveLength(2)
  return world
}

function theftOf(address: string) {
  const { transfer, ...finding } = theft(9, '7')
  return { ...finding, transfer: transfer && { ...transfer, token: { ...transfer.token, address } } }
}

async function hold(world: World, missing: string, ms: number): Promise<void> {
  for (let past = 0; past < ms; past += 15 * minute) {
    await world.judge(shortfall, lack(missing))
    await world.send(15 * minute)
  }
}

test('two cases that turn out to be one are reminded of when the first of them would have been', async () => {
  const world = await tellTwo()
  await world.tell(unbacked, theftOf(usdc))
  await world.send(minute)
  expect(world.cases()).toHaveLength(1)
  const before = world.ops.sent.length
  await hold(world, '50', 2 * hour)
  expect(said(world).slice(before)).toEqual([])
  await hold(world, '50', hour)
  expect(said(world).slice(before)).toEqual(['repeat'])
  await world.stop()
})

test('more money of a case that took in another is told to who follows no cases', async () => {
  const world = await tellTwo()
  await world.tell(unbacked, theftOf(usdc))
  await world.send(minute)
  const before = world.ops.sent.length
  await hold(world, '5000000', hour)
  expect(said(world).slice(before)).toEqual(['repeat'])
  await world.stop()
})

test('a case that was taken and turns out to be one that nobody took is told at once to who follows no cases', async () => {
  const world = run({ routes: [createRoute({ channels: ['ops', 'pager'], groupWaitMs: 0 })] })
  await world.judge(drift, outflow(3, '50'))
  await world.by('c1', 'ack')
  const small = failure(9, 'x', { amount: '0.1' })
  await world.tell(failed, small)
  await world.send(minute)
  expect(said(world)).toEqual(['firing', 'event'])
  // It was paid in the movement: that alone is no news of the transfer.
  const main = { chain: 'main' as const, hash: tx(3), height: 5, time: start }
  await world.tell(failed, { ...small, transfer: small.transfer && { ...small.transfer, main } })
  expect(world.cases()).toMatchObject([{ id: 1, state: 'open', turn: 2 }])
  await world.send(minute)
  expect(said(world)).toEqual(['firing', 'event', 'repeat'])
  await world.send(hour)
  expect(said(world)).toHaveLength(3)
  await world.stop()
})

test.each(['ack', 'handle'] as const)(
  'what flaps and begins anew after somebody took it (%s) is told at once, and not at each turn',
  async (verb) => {
    const world = run({ routes: [createRoute({ channels: ['ops', 'pager'], groupWaitMs: 0 })] })
    const flap = async () => {
      await world.judge(shortfall)
      await world.send(10_000)
      await world.judge(shortfall, lack('50'))
      await world.send(10_000)
    }
    await world.judge(shortfall, lack('50'))
    await flap()
    expect(said(world)).toEqual(['firing', 'resolved', 'firing'])
    await world.by('c1', verb, 'seen')
    await flap()
    expect(world.cases()).toMatchObject([{ id: 1, state: 'open' }])
    expect(said(world).slice(3)).toEqual(['repeat'])
    await flap()
    await flap()
    expect(said(world).slice(3)).toEqual(['repeat'])
    await world.stop()
  },
)

test('more money is told though a message of what there was before is under way', async () => {
  const world = run({ fakes: two(), routes: [createRoute({ channels: ['ops'], groupWaitMs: 0 })] })
  await world.judge(shortfall, lack('50'))
  await world.send(4 * hour - minute)
  const { promise, resolve } = Promise.withResolvers<{ result: 'ack' }>()
  world.ops.answers = [promise, { result: 'ack' }]
  await world.send(minute)
  expect(said(world)).toEqual(['firing', 'repeat'])
  await world.judge(shortfall, lack('5000000'))
  resolve({ result: 'ack' })
  await world.send(minute)
  expect(world.ops.sent.map(({ items }) => items[0]?.facts['missing'])).toEqual(['50', '50', '5000000'])
  await world.stop()
})

const told = async () => {
  const world = watch()
  await world.judge(stalled, [zone], 30)
  return world
}

test.each([
  { title: 'another grouping', routes: [{ ...hourly, groupBy: ['rule', 'chain'] }] },
  {
    title: 'a route above the one that told it',
    routes: [
      { ...hourly, id: 'r1', matches: () => false },
      { ...hourly, id: 'r2' },
    ],
  },
])('after a restart with $title reminders go on where they were', async ({ routes }) => {
  const world = await restart(await told(), { routes })
  await world.judge(stalled, [zone], 29)
  expect(listSaid(world.ops)).toEqual(['firing critical'])
  await world.judge(stalled, [zone], 3)
  expect(listSaid(world.ops)).toEqual(['firing critical', 'repeat critical'])
  await world.judge(stalled, [])
  expect(listSaid(world.ops)).toEqual(['firing critical', 'repeat critical', 'resolved critical'])
  await world.stop()
})

test('what was on its way when the routes changed is reminded of in its new group', async () => {
  const before = watch()
  before.ops.answers = [{ result: 'transient', reason: '503' }, { result: 'ack' }]
  before.engine.applyCondition(stalled, { findings: [zone], unknown: [] }, before.clock.now())
  before.engine.flush(before.clock.now())
  const world = await restart(before, { routes: [{ ...hourly, groupBy: ['rule', 'chain'] }] })
  await world.judge(stalled, [zone], 70)
  expect(listSaid(world.ops)).toEqual(['firing critical', 'firing critical', 'repeat critical'])
  await world.stop()
})

test('a channel that the routes name no more is reminded of nothing, and told the end', async () => {
  const mail = createFakeChannel('mail')
  const before = watch({ fakes: [createFakeChannel('ops'), mail] })
  await before.judge(stalled, [zone], 30)
  const world = await restart(before, { routes: [{ ...hourly, id: 'r2', channels: ['mail'] }] })
  await world.judge(stalled, [zone], 65)
  await world.judge(stalled, [])
  expect(listSaid(world.ops)).toEqual(['firing critical', 'resolved critical'])
  expect(listSaid(mail)).toEqual(['firing critical', 'repeat critical', 'resolved critical'])
  await world.stop()
})

test('while a channel refuses us the fallback is told what fires, reminded of it, and told its end', async () => {
  const mail = createFakeChannel('mail')
  const world = watch({
    fakes: [createFakeChannel('ops'), mail],
    fallback: 'mail',
    routes: [{ ...hourly, channels: ['ops'] }],
  })
  const saidOfZone = () =>
    mail.sent.flatMap(({ items }) =>
      items.filter(({ rule }) => rule === 'stalled').map(({ status }) => status),
    )
  await world.judge(stalled, [zone], 10)
  world.ops.answers = [{ result: 'dead', reason: '404' }]
  await world.judge(stalled, [zone], 3 * 60 + 10)
  expect(saidOfZone()).toEqual(['firing', 'repeat', 'repeat'])
  world.ops.answers = [{ result: 'ack' }]
  await world.judge(stalled, [zone], 3 * 60)
  expect(saidOfZone()).toEqual(['firing', 'repeat', 'repeat'])
  await world.judge(stalled, [])
  expect(saidOfZone()).toEqual(['firing', 'repeat', 'repeat', 'resolved'])
  await world.stop()
})

test('while the fallback refuses us too, the channel that is told in its place is reminded, and not once that is back', async () => {
  const [mail, hook] = [createFakeChannel('mail'), createFakeChannel('hook')]
  const world = watch({
    fakes: [createFakeChannel('ops'), mail, hook],
    fallback: 'mail',
    routes: [{ ...hourly, channels: ['ops'] }],
  })
  const saidOfZone = ({ sent }: typeof mail) =>
    sent.flatMap(({ items }) => items.filter(({ rule }) => rule === 'stalled').map(({ status }) => status))
  for (const { answers } of [world.ops, mail]) answers[0] = { result: 'dead', reason: '404' }
  await world.judge(stalled, [zone], 60 + 10)
  expect(saidOfZone(hook)).toEqual(['firing', 'repeat'])
  mail.answers = [{ result: 'ack' }]
  mail.sent.length = 0
  await world.judge(stalled, [zone], 90)
  expect([saidOfZone(hook), saidOfZone(mail)]).toEqual([
    ['firing', 'repeat'],
    ['firing', 'repeat'],
  ])
  await world.judge(stalled, [], 20)
  expect(saidOfZone(hook)).toEqual(['firing', 'repeat', 'resolved'])
  await world.stop()
})

describe('what a channel that is gone from the configuration was told', () => {
  const mail = () => createFakeChannel('mail')
  const reroute = async (before: ReturnType<typeof watch>) => {
    const fakes = [createFakeChannel('hook'), mail()] as const
    const routes = [{ ...hourly, channels: ['hook'] }]
    const world = await restart(before, { fakes, fallback: 'mail', routes })
    return { world, hook: fakes[0], mail: fakes[1] }
  }
  const begin = () => watch({ fakes: [createFakeChannel('ops'), mail()], routes: [hourly] })

  test.each([
    ['before others were told', 0, ['resolved critical']],
    ['after others were told', 5, ['firing critical', 'resolved critical']],
  ])('and ends %s: that is sent to those that the routes name, once', async (_, minutes, expected) => {
    const before = begin()
    await before.judge(stalled, [zone], 30)
    const { world, hook, mail } = await reroute(before)
    await world.judge(stalled, [zone], minutes)
    await world.judge(stalled, [], 20)
    expect(listSaid(hook)).toEqual(expected)
    expect(world.store.listDepths()).toEqual([])
    expect(mail.sent).toEqual([])
    await world.stop()
  })

  test('and ends while others have yet to take it: they hear of both in one', async () => {
    const before = begin()
    await before.judge(stalled, [zone], 30)
    const { world, hook } = await reroute(before)
    hook.answers = [{ result: 'throttled', retryAfterMs: 10 * minute, reason: '429' }, { result: 'ack' }]
    await world.judge(stalled, [zone], 5)
    await world.judge(stalled, [], 20)
    expect(listSaid(hook)).toEqual(['firing critical', 'resolved critical'])
    await world.stop()
  })

  test('and is otherwise now: that is sent to those that the routes name', async () => {
    const before = begin()
    const tell = async ({ engine, clock, flush }: typeof before, amount: bigint) => {
      const finding = createEvent(1, { amountRaw: amount })
      engine.tellEvents([{ rule: createRule(), finding }], clock.now())
      await flush()
    }
    await tell(before, 1n)
    const { world, hook } = await reroute(before)
    await tell(world, 2n)
    expect(listSaid(hook)).toEqual(['correction warning'])
    expect(world.store.listDepths()).toEqual([])
    await world.stop()
  })
})

test('what comes and goes beside it delays no reminder of what holds', async () => {
  const world = watch({ routes: [{ ...hourly, repeatMs: 4 * hour }] })
  const main = createCondition('main')
  for (let turn = 0; turn < 16; turn += 1) {
    await world.judge(stalled, [zone], 2 * 60)
    await world.judge(stalled, [zone, main], 60)
  }
  const ofZone = world.ops.sent.flatMap(({ items }) =>
    items.filter(({ subject }) => subject.includes('zone')),
  )
  const expected = ['firing', ...Array.from({ length: 11 }, () => 'repeat')]
  expect(ofZone.map(({ status }) => status)).toEqual(expected)
  await world.stop()
})

test('a reminder that waits is not sent of what is over', async () => {
  const world = watch()
  await world.judge(stalled, [zone], 50)
  world.ops.answers = [{ result: 'throttled', retryAfterMs: 15 * minute, reason: '429' }, { result: 'ack' }]
  await world.judge(stalled, [zone], 12)
  await world.judge(stalled, [], 20)
  expect(listSaid(world.ops)).toEqual(['firing critical', 'repeat critical', 'resolved critical'])
  await world.stop()
})

test('a reminder that waits is not sent of what somebody takes meanwhile', async () => {
  const world = run({
    fakes: two(),
    routes: [createRoute({ channels: ['ops'], groupWaitMs: 0, repeatMs: hour })],
  })
  await world.judge(shortfall, lack('50'))
  await hold(world, '50', hour - 15 * minute)
  await world.send(10 * minute)
  world.ops.answers = [{ result: 'throttled', retryAfterMs: 20 * minute, reason: '429' }, { result: 'ack' }]
  await world.tell(unbacked, theftOf(`0x${'d'.repeat(40)}`))
  await hold(world, '50', 15 * minute)
  const waiting = world.store
    .listOutbox({ state: 'queued', limit: 10 })
    .filter(({ what }) => what === 'repeat')
  expect(waiting).toHaveLength(1)
  await world.by('c1', 'ack')
  await hold(world, '50', hour)
  expect(said(world).filter((status) => status === 'repeat')).toEqual([])
  await world.stop()
})

test('F67: after a start with the wall clock set back a reminder comes when its interval is over', async () => {
  const before = watch()
  await before.judge(stalled, [zone], 30)
  before.clock.step(-5 * hour)
  const world = await restart(before, {})
  await world.judge(stalled, [zone], 59)
  expect(listSaid(world.ops)).toEqual(['firing critical'])
  await world.judge(stalled, [zone], 3)
  expect(listSaid(world.ops)).toEqual(['firing critical', 'repeat critical'])
  await world.stop()
})

test('a reminder leaves out what waits to be sent', async () => {
  const world = watch()
  await world.judge(stalled, [zone], 50)
  world.ops.answers = [{ result: 'throttled', retryAfterMs: 20 * minute, reason: '429' }, { result: 'ack' }]
  const main = createCondition('main')
  await world.judge(stalled, [zone, main], 5)
  await world.judge(stalled, [zone, main, createCondition('third')], 30)
  const said = world.ops.sent.map(({ items }) => items.map(({ status, subject }) => `${status} ${subject}`))
  expect(said).toMatchInlineSnapshot(`
    [
      [
        "firing the zone head stands at 100",
      ],
      [
        "firing the main head stands at 100",
      ],
      [
        "firing the main head stands at 100",
        "firing the third head stands at 100",
        "repeat the zone head stands at 100",
      ],
    ]
  `)
  await world.stop()
})
