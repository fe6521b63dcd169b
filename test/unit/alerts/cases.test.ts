import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../src/bridge/finding.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import {
  usdc,
  vault,
  tx,
  minute,
  failed,
  unbacked,
  drift,
  smallDrift,
  shortfall,
  slow,
  theft,
  outflow,
  lack,
  failure,
  run,
} from './caseWorld.ts'
import {
  createBench,
  createEvent,
  createFakeChannel,
  createLoneEvent,
  createRoute,
  createRule,
  start,
  type FakeChannel,
} from './harness.ts'

describe('a case', () => {
  test('gathers what one theft is found as: the payout, the movement, what lacks', async () => {
    const world = run()
    await world.tell(unbacked, theft(1, '100'))
    await world.judge(drift, outflow(1, '100'))
    await world.judge(shortfall, lack('100'))
    const [only, ...others] = world.cases()
    expect(others).toEqual([])
    expect(only).toMatchObject({ state: 'open', severity: 'critical', members: 3 })
    expect(only?.money[usdc]).toEqual({ places: '100', lacking: '100' })
    expect(new Set(world.ops.sent.map((message) => message.case?.id))).toEqual(new Set(['c1']))
    expect(world.ops.sent[0]?.case).toMatchObject({ title: expect.stringContaining('100'), members: 1 })
    await world.stop()
  })

  test('of another transfer of the same token is another case, unless escrow or recipient say otherwise', async () => {
    const world = run({ escrows: [] })
    await world.tell(unbacked, theft(1, '100'))
    await world.tell(unbacked, theft(2, '100', { targetAddress: `0x${'9'.repeat(40)}` }))
    expect(world.cases()).toHaveLength(2)
    await world.tell(unbacked, theft(3, '100'))
    expect(world.cases()).toHaveLength(2)
    await world.stop()
  })

  test('of many failures with the same text is one: the first at once, then one update a minute', async () => {
    const world = run()
    for (let second = 0; second < 130; second += 1) {
      world.engine.tellEvents(
        [1, 2, 3].map((n) => ({
          rule: failed,
          finding: failure(second * 3 + n, `nonce too low: ${second}`, { at: world.clock.now() }),
        })),
        world.clock.now(),
      )
      await world.send(1_000)
    }
    await world.send(minute)
    expect(world.cases()).toHaveLength(1)
    expect(world.cases()[0]?.members).toBe(390)
    expect(world.ops.sent.length).toBeLessThanOrEqual(8)
    expect(world.ops.sent.reduce((sum, { total }) => sum + total, 0)).toBe(390)
    await world.stop()
  })

  test('of two kinds at once is a storm as well', async () => {
    const world = run()
    for (let n = 1; n <= 60; n += 1) {
      await world.tell(failed, failure(n, 'nonce too low'))
      await world.tell(unbacked, theft(1_000 + n, '5', { zone: failure(n, '').transfer?.zone ?? null }))
      await world.send(500)
    }
    expect(world.cases()).toHaveLength(1)
    expect(world.ops.sent.length).toBeLessThanOrEqual(6)
    await world.stop()
  })

  test('is joined when the text of its error is learned after it was told', async () => {
    const world = run()
    await world.tell(failed, failure(1, 'nonce too low'), failure(2, ''), failure(3, ''))
    expect(world.cases()).toHaveLength(3)
    const sent = world.ops.sent.length
    await world.tell(failed, failure(2, 'Nonce too low '), failure(3, 'nonce too low'))
    expect(world.cases().map(({ members }) => members)).toEqual([3])
    await world.send(2 * minute)
    expect(world.ops.sent.length).toBe(sent)
    await world.stop()
  })

  test('that turns out to be another before anything of it was told is no news to anybody', async () => {
    const world = run()
    const at = world.clock.now()
    const tell = (finding: Finding) => world.engine.tellEvents([{ rule: failed, finding }], at)
    tell(failure(1, 'nonce too low'))
    tell(failure(2, ''))
    tell(failure(2, 'nonce too low'))
    await world.send()
    expect(world.cases()).toHaveLength(1)
    expect(world.pager.sent.flatMap(({ changes }) => changes)).toEqual([])
    await world.stop()
  })

  test('gathers the tokens that one escrow loses within minutes, and no others', async () => {
    const weth = `0x${'a'.repeat(40)}`
    const escrows = [usdc, weth].map((token) => ({ address: vault, token }))
    const world = run({ escrows })
    const lost = (n: number, token: string, since: number) => {
      const finding = outflow(n, '1000')
      return {
        ...finding,
        labels: { ...finding.labels, token },
        subject: `${vault}:${token}:${tx(n)}`,
        since,
      }
    }
    await world.judge(drift, lost(1, usdc, start))
    await world.judge(drift, lost(1, usdc, start), lost(2, weth, start + 5 * minute))
    expect(world.cases()).toHaveLength(1)
    await world.clock.advance(60 * minute)
    const later = world.clock.now()
    await world.judge(smallDrift, { ...lost(3, `0x${'b'.repeat(40)}`, later) })
    expect(world.cases()).toHaveLength(2)
    await world.stop()
  })

  test('of many failures of one kind within a minute is one before anything says why, and a few are their own', async () => {
    const world = run()
    const fail = (n: number) => world.tell(failed, failure(n, '', { at: world.clock.now() }))
    for (const n of [1, 2, 3, 4]) {
      await fail(n)
      await world.send(15_000)
    }
    expect(world.cases()).toHaveLength(4)
    await fail(5)
    expect(world.cases().map(({ id, members }) => [id, members])).toEqual([[1, 5]])
    // A deposit is none of them, and neither is what failed long after.
    const { transfer, ...rest } = failure(6, '')
    await world.tell(failed, { ...rest, transfer: transfer && { ...transfer, direction: 'MainToZone' } })
    await world.send(2 * minute)
    await fail(7)
    expect(world.cases().map(({ members }) => members)).toEqual([5, 1, 1])
    await world.stop()
  })

  test('of a storm of which nothing says why is told at once, and then in one update a minute', async () => {
    const world = run()
    for (let second = 0; second < 130; second += 1) {
      const at = world.clock.now()
      world.engine.tellEvents(
        [1, 2, 3].map((n) => ({ rule: failed, finding: failure(second * 3 + n, '', { at }) })),
        at,
      )
      await world.send(1_000)
    }
    await world.send(minute)
    expect(world.cases().map(({ members }) => members)).toEqual([390])
    expect(world.ops.sent[0]?.createdAt).toBe(start)
    expect(world.ops.sent.length).toBeLessThanOrEqual(10)
    // Four of them before they were many.
    expect(new Set(world.pager.sent.flatMap((message) => message.case?.id ?? [])).size).toBeLessThanOrEqual(4)
    await world.stop()
  })

  test('of many transfers that wait one way is one, however slowly they become more, and a few are their own', async () => {
    const world = run()
    const lost = createRule({ name: 'lost', kind: 'transfer.stalled', severity: 'critical' })
    const wait = (n: number): Finding => {
      const at = start + n * 5 * minute
      return { ...createEvent(n, { originAt: at }), kind: 'transfer.stalled', facts: {}, since: at }
    }
    const waiting: Finding[] = []
    for (let n = 1; n <= 40; n += 1) {
      waiting.push(wait(n))
      await world.clock.advance(5 * minute)
      await world.judge(slow, ...waiting)
      await world.judge(lost, ...waiting.slice(0, -2))
      // Two rules tell of each: four transfers are no five.
      expect(world.cases()).toHaveLength(n < 5 ? n : 1)
    }
    await world.by('c1', 'ack')
    await world.judge(lost, ...waiting)
    expect(world.cases()).toMatchObject([{ state: 'acknowledged', members: 80 }])
    const { transfer, ...deposit } = wait(40)
    waiting.push({
      ...deposit,
      subject: 'd1',
      transfer: transfer && { ...transfer, key: 'd1', direction: 'MainToZone', main: null, zone: null },
    })
    await world.judge(lost, ...waiting)
    expect(world.cases()).toMatchObject([{ members: 80 }, { members: 1 }])
    await world.stop()
  })

  test('more severe than all of a storm waits for nothing within it', async () => {
    const world = run()
    const slight = createRule({ name: 'slight', severity: 'warning' })
    await world.tell(slight, ...[1, 2, 3, 4, 5].map((n) => failure(n, '')))
    for (const n of [6, 7, 8]) {
      await world.send(1_000)
      await world.tell(slight, failure(n, ''))
    }
    const before = world.ops.sent.length
    await world.send(1_000)
    await world.tell(failed, failure(9, '', { amount: '0.1' }))
    expect(world.ops.sent.slice(before).map(({ severity }) => severity)).toEqual(['critical'])
    await world.stop()
  })

  test('of a storm that somebody took is not opened by one more of it, before anything says why', async () => {
    const world = run()
    await world.tell(failed, ...[1, 2, 3, 4, 5].map((n) => failure(n, '', { amount: '100' })))
    await world.by('c1', 'ack')
    await world.tell(failed, failure(6, '', { amount: '1' }))
    expect(world.cases()).toMatchObject([{ state: 'acknowledged', members: 6 }])
    await world.tell(failed, failure(7, 'proof does not fit', { amount: '1' }))
    expect(world.cases()).toMatchObject([{ state: 'open', members: 7 }])
    await world.stop()
  })

  test('large by itself waits for nothing within a storm', async () => {
    const world = run()
    for (let n = 1; n <= 40; n += 1) await world.tell(failed, failure(n, 'nonce too low'))
    const before = world.ops.sent.length
    await world.tell(failed, failure(99, 'nonce too low', { amount: '9750000' }))
    expect(world.ops.sent.length).toBe(before + 1)
    expect(world.ops.sent.at(-1)?.items.map(({ facts }) => facts['amount'])).toContain('9750000')
    await world.stop()
  })

  test('is over when nothing of it holds, and says so to who follows it', async () => {
    const world = run()
    await world.judge(shortfall, lack('100'))
    expect(world.cases()[0]?.state).toBe('open')
    await world.clock.advance(minute)
    await world.judge(shortfall)
    expect(world.cases()[0]).toMatchObject({ state: 'closed', closedAt: start + minute })
    expect(world.pager.sent.at(-1)?.changes).toEqual(['closed'])
    // What comes back within the hour is the same case, under a new key.
    await world.clock.advance(minute)
    await world.judge(shortfall, lack('100'))
    expect(world.cases()).toHaveLength(1)
    const keys = new Set(world.pager.sent.map((message) => message.case?.key))
    expect(keys.size).toBe(2)
    await world.stop()
  })

  test('of a loss stays open until somebody handles it, of another event for a day', async () => {
    const world = run({ escrows: [] })
    await world.tell(unbacked, theft(1, '100'))
    await world.tell(failed, failure(2, 'other'))
    await world.send(24 * 60 * minute - 1)
    expect(world.cases().map(({ state }) => state)).toEqual(['open', 'open'])
    await world.send(1)
    expect(world.cases().map(({ state }) => state)).toEqual(['open', 'closed'])
    await world.send(5 * 24 * 60 * minute)
    expect(world.cases().map(({ state }) => state)).toEqual(['open', 'closed'])
    await world.by('c1', 'handle', 'paid back')
    expect(world.cases()[0]?.state).toBe('handled')
    await world.send(24 * 60 * minute)
    expect(world.cases()[0]?.state).toBe('closed')
    await world.stop()
  })

  test('of a transfer that arrives after all is over, and its money is not at risk', async () => {
    const world = run()
    const told = failure(1, 'x')
    await world.tell(failed, told)
    const arrived = { ...told.transfer, state: 'completed', status: 'success' } as Transfer
    world.engine.correctEvents([arrived], () => false, world.clock.now())
    await world.send()
    expect(world.cases()[0]).toMatchObject({ state: 'closed' })
    expect(world.cases()[0]?.money[usdc]?.places).toBe('0')
    await world.stop()
  })
})

describe('semantics.md 51: a case never swallows', () => {
  test('the small drift that was acknowledged and the ten million that follow from the same escrow', async () => {
    const world = run()
    await world.judge(smallDrift, outflow(1, '12'))
    await world.by('c1', 'ack')
    expect(world.cases()[0]?.state).toBe('acknowledged')
    const [sent, rung] = [world.ops.sent.length, world.pager.sent.at(-1)?.case?.key]
    await world.judge(drift, outflow(2, '10000000'))
    expect(world.cases()).toHaveLength(1)
    expect(world.cases()[0]).toMatchObject({ state: 'open', turn: 2, severity: 'critical' })
    expect(world.ops.sent.length).toBe(sent + 1)
    expect(world.pager.sent.at(-1)?.case?.key).not.toBe(rung)
    expect(world.pager.sent.flatMap(({ changes }) => changes)).toContain('opened again')
    await world.stop()
  })

  test.each(['ack', 'handle'] as const)(
    'what is critical and joins after %s opens it again',
    async (verb) => {
      const world = run()
      await world.tell(unbacked, theft(1, '1000'))
      await world.by('c1', verb, 'known')
      await world.tell(unbacked, theft(2, '1'))
      expect(world.cases()[0]).toMatchObject({ state: 'open', turn: 2 })
      expect(world.ops.sent.at(-1)?.items.map(({ rule }) => rule)).toEqual(['unbacked'])
      await world.stop()
    },
  )

  test('a critical failure opens an acknowledged case again, unless one of the same text was taken there', async () => {
    const world = run()
    const failIn = (n: number, text: string): Finding => {
      const { transfer, ...rest } = failure(n, text)
      return { ...rest, transfer: transfer && { ...transfer, main: theft(1, '1').transfer?.main ?? null } }
    }
    await world.tell(unbacked, theft(1, '1000000'))
    await world.by('c1', 'ack')
    await world.tell(failed, failIn(2, 'nonce too low'))
    expect(world.cases()).toMatchObject([{ state: 'open', turn: 2 }])
    await world.by('c1', 'ack')
    await world.tell(failed, failIn(3, 'nonce too low'))
    expect(world.cases()).toMatchObject([{ state: 'acknowledged', turn: 2 }])
    await world.tell(failed, failIn(4, 'proof does not fit'))
    expect(world.cases()).toMatchObject([{ state: 'open', turn: 3 }])
    await world.stop()
  })

  test('an open case that turns out to be one that was taken opens that again, but for one more of the same', async () => {
    const world = run({
      routes: [
        createRoute({
          channels: ['ops', 'pager'],
          groupWaitMs: 0,
          escalate: [{ afterMs: 10 * minute, channels: ['pager'] }],
        }),
      ],
    })
    await world.tell(failed, failure(1, 'nonce too low', { amount: '5' }))
    await world.by('c1', 'ack')
    // Their texts are learned later: of one that is a case of its own by then, and of one that is not.
    await world.tell(failed, failure(2, '', { amount: '0.1' }))
    expect(world.cases()).toMatchObject([{ state: 'acknowledged' }, { id: 2, state: 'open' }])
    await world.tell(failed, failure(2, 'nonce too low', { amount: '0.1' }))
    expect(world.cases()).toMatchObject([{ id: 1, state: 'acknowledged' }])
    await world.tell(failed, failure(3, '', { amount: '4' }))
    const known = new Set(world.pager.sent.map((message) => message.case?.key))
    await world.tell(failed, failure(3, 'nonce too low', { amount: '4' }))
    expect(world.cases()).toMatchObject([{ id: 1, state: 'open', turn: 2 }])
    const again = world.pager.sent.findLast(({ changes }) => changes.includes('opened again'))
    expect(again?.case?.key).toBeDefined()
    expect(known).not.toContain(again?.case?.key)
    const before = world.pager.sent.length
    await world.send(10 * minute)
    expect(world.pager.sent.length).toBeGreaterThan(before)
    await world.stop()
  })

  test('a shortfall that grows by a tenth opens it again, without a new finding', async () => {
    const world = run()
    await world.judge(shortfall, lack('1000'))
    await world.by('c1', 'ack')
    await world.clock.advance(minute)
    await world.judge(shortfall, lack('1099'))
    expect(world.cases()[0]?.state).toBe('acknowledged')
    await world.clock.advance(minute)
    await world.judge(shortfall, lack('1100'))
    expect(world.cases()[0]).toMatchObject({ state: 'open', turn: 2 })
    await world.stop()
  })

  test('a channel that follows no cases hears at once of money that grew, and is reminded from then on', async () => {
    const routes = [createRoute({ channels: ['ops', 'pager'], groupWaitMs: 0, repeatMs: 10 * minute })]
    const world = run({ routes })
    await world.judge(shortfall, lack('1000'))
    await world.by('c1', 'ack')
    await world.send(60 * minute)
    expect(world.ops.sent).toHaveLength(1)
    await world.judge(shortfall, lack('1100'))
    expect(world.ops.sent).toHaveLength(2)
    for (let n = 0; n < 12; n += 1) await world.send(minute)
    expect(world.ops.sent).toHaveLength(3)
    await world.stop()
  })

  test('money that joins an open case rings anew, once a minute at most and then ever more rarely', async () => {
    const world = run()
    await world.judge(smallDrift, outflow(1, '12'))
    await world.judge(drift, outflow(1, '12'), outflow(2, '10000000'))
    const keys = () => new Set(world.pager.sent.map((message) => message.case?.key)).size
    expect(keys()).toBe(1)
    await world.send(minute - 1)
    expect(keys()).toBe(1)
    await world.send(1)
    expect(keys()).toBe(2)
    await world.send(600 * minute)
    expect(keys()).toBe(2)
    await world.stop()
  })

  test('what was taken back and holds after all opens its case again', async () => {
    const world = run()
    const told = failure(1, 'x')
    await world.tell(failed, told)
    const arrived = { ...told.transfer, state: 'completed', status: 'success' } as Transfer
    world.engine.correctEvents([arrived], () => false, world.clock.now())
    await world.send()
    expect(world.cases()[0]?.state).toBe('closed')
    await world.tell(failed, told)
    expect(world.cases()[0]).toMatchObject({ state: 'open', turn: 2 })
    await world.stop()
  })

  test('a silenced finding opens its case again, and rings no pager', async () => {
    const world = run()
    await world.tell(unbacked, theft(1, '1000'))
    await world.by('c1', 'ack')
    world.store.insertSilence({
      matchers: ['rule="unbacked"'],
      startsAt: start,
      endsAt: start + 60 * minute,
      author: 'ana',
      comment: 'known',
      createdAt: start,
    })
    const rung = world.pager.sent.length
    await world.tell(unbacked, theft(2, '1000'))
    expect(world.cases()[0]).toMatchObject({ state: 'open', turn: 2 })
    expect(world.pager.sent.length).toBe(rung)
    await world.stop()
  })

  test('a lesser finding that adds little leaves it acknowledged, and is told', async () => {
    const world = run()
    await world.tell(unbacked, theft(1, '1000'))
    await world.by('c1', 'ack')
    const late = { ...theft(1, '1000'), kind: 'transfer.stalled', facts: {} }
    await world.judge(slow, late)
    expect(world.cases()[0]?.state).toBe('acknowledged')
    expect(world.ops.sent.at(-1)?.items.map(({ rule }) => rule)).toEqual(['slow'])
    await world.stop()
  })

  test('of a lesser finding that joins what somebody took nobody is reminded, before that is taken back', async () => {
    const world = run({ routes: [createRoute({ channels: ['ops'], groupWaitMs: 0, repeatMs: 10 * minute })] })
    await world.tell(unbacked, theft(1, '1000'))
    await world.by('c1', 'ack')
    const late = { ...theft(1, '1000'), kind: 'transfer.stalled', facts: {} }
    const listSlow = () =>
      world.ops.sent.flatMap(({ items }) =>
        items.flatMap(({ rule, status }) => (rule === 'slow' ? status : [])),
      )
    for (let at = 0; at < 30; at += 1) {
      await world.judge(slow, late)
      await world.send(minute)
    }
    expect(listSlow()).toEqual(['update'])
    await world.by('c1', 'reopen')
    for (let at = 0; at < 11; at += 1) {
      await world.judge(slow, late)
      await world.send(minute)
    }
    expect(listSlow()).toEqual(['update', 'repeat'])
    await world.stop()
  })

  test('one that nobody took and that turns out to be one that was taken opens it, however little is at risk', async () => {
    const world = run()
    await world.judge(drift, outflow(3, '50'))
    await world.by('c1', 'ack')
    const small = failure(9, 'x', { amount: '0.1' })
    await world.tell(failed, small)
    expect(world.cases()).toMatchObject([{ state: 'acknowledged' }, { state: 'open' }])
    // It was paid in the movement.
    const main = { chain: 'main' as const, hash: tx(3), height: 5, time: start }
    await world.tell(failed, { ...small, transfer: small.transfer && { ...small.transfer, main } })
    expect(world.cases()).toMatchObject([{ id: 1, state: 'open', turn: 2 }])
    await world.stop()
  })

  test('two that turn out to be one go on as the older, in the more urgent state of both, and say so', async () => {
    const world = run()
    await world.judge(shortfall, lack('50'))
    await world.by('c1', 'ack')
    await world.tell(failed, failure(9, 'x'))
    expect(world.cases()).toHaveLength(2)
    // The failed one was paid in the movement that makes the lack.
    const both = { ...outflow(3, '40'), transfer: null }
    const paid = { ...failure(9, 'x') }
    await world.judge(drift, both)
    world.engine.tellEvents(
      [
        {
          rule: failed,
          finding: {
            ...paid,
            transfer: {
              ...(paid.transfer as Transfer),
              amountRaw: 1n,
              main: { chain: 'main', hash: tx(3), height: 5, time: start },
            },
          },
        },
      ],
      world.clock.now(),
    )
    await world.send()
    expect(world.cases().map(({ id, state }) => [id, state])).toEqual([[1, 'open']])
    expect(world.store.findCase(2)?.id).toBe(1)
    expect(
      world.pager.sent.filter(({ changes }) => changes.includes('merged')).map((one) => one.case?.id),
    ).toEqual(['c2'])
    await world.stop()
  })
})

test('a channel that takes digests gets one of many cases, and what happened to each within that case', async () => {
  const app = Object.assign(createFakeChannel('pager', 'slack-app'), { followsCases: true as const })
  const world = run({ fakes: [createFakeChannel('ops'), app], escrows: [] })
  await world.tell(failed, failure(0, 'first'))
  const toAnother = (n: number) => ({ targetAddress: `0x${String(n).padStart(40, '9')}` })
  await world.tell(unbacked, ...Array.from({ length: 30 }, (_, n) => theft(n + 1, '5', toAnother(n))))
  await world.send(minute)
  expect(app.sent.map((message) => [message.case?.id ?? null, message.total])).toEqual([
    ['c1', 1],
    [null, 30],
  ])
  for (let n = 1; n <= 31; n += 1) await world.by(`c${n}`, 'ack')
  await world.send(5 * minute)
  expect(app.sent.filter(({ changes }) => changes.includes('acknowledged'))).toHaveLength(31)
  await world.stop()
})

describe('escalation', () => {
  const routes = [
    createRoute({
      channels: ['ops'],
      groupWaitMs: 0,
      escalate: [
        { afterMs: 10 * minute, channels: ['pager'] },
        { afterMs: 30 * minute, channels: ['boss'] },
      ],
    }),
  ]
  const fakes = () => [createFakeChannel('ops'), createFakeChannel('pager'), createFakeChannel('boss')]

  test('tells the next when nobody has taken the case, to the second', async () => {
    const world = run({ routes, fakes: fakes() })
    await world.tell(unbacked, theft(1, '100'))
    await world.send(10 * minute - 1_000)
    expect(world.pager.sent).toEqual([])
    await world.send(1_000)
    expect(world.pager.sent.map(({ items }) => items.map(({ rule }) => rule))).toEqual([['unbacked']])
    await world.send(20 * minute - 1_000)
    expect(world.fakes[2]?.sent).toEqual([])
    await world.send(1_000)
    expect(world.fakes[2]?.sent).toHaveLength(1)
    await world.send(600 * minute)
    expect(world.pager.sent).toHaveLength(1)
    await world.stop()
  })

  test.each(['ack', 'handle'] as const)(
    'ends with %s, and begins anew when the case opens again',
    async (verb) => {
      const world = run({ routes, fakes: fakes() })
      await world.tell(unbacked, theft(1, '100'))
      await world.send(9 * minute)
      await world.by('c1', verb, 'mine')
      await world.send(60 * minute)
      expect(world.pager.sent).toEqual([])
      await world.tell(unbacked, theft(2, '100'))
      await world.send(10 * minute - 1)
      expect(world.pager.sent).toEqual([])
      await world.send(1)
      expect(world.pager.sent).toHaveLength(1)
      await world.stop()
    },
  )

  test.each([
    { title: 'comes and goes', on: 1, off: 1, rings: true },
    { title: 'is hardly there', on: 1, off: 9, rings: true },
    { title: 'is over for as long as that', on: 1, off: 11, rings: false },
  ])('of what $title and nobody has taken tells the next: $rings', async ({ on, off, rings }) => {
    const world = run({ routes, fakes: fakes() })
    for (let past = 0; past < 24; past += on + off) {
      await world.judge(shortfall, lack('100'))
      await world.send(on * minute)
      await world.judge(shortfall)
      await world.send(off * minute)
    }
    expect(world.pager.sent.length > 0).toBe(rings)
    await world.stop()
  })

  test('survives a restart', async () => {
    const world = run({ routes, fakes: fakes() })
    await world.tell(unbacked, theft(1, '100'))
    await world.send(5 * minute)
    await world.stop()
    const again = createFakeChannel('pager')
    const second = createBench({
      database: world.database,
      clock: world.clock,
      routes,
      fakes: [createFakeChannel('ops'), again, createFakeChannel('boss')],
    })
    second.engine.start(world.clock.now())
    const dispatcher = second.startSending()
    await world.clock.advance(5 * minute)
    second.engine.flush(world.clock.now())
    dispatcher.wake()
    await world.clock.advance(0)
    expect(again.sent).toHaveLength(1)
    await dispatcher.stop()
  })
})

describe('routes that are others after a restart', () => {
  const toPager = [{ afterMs: 10 * minute, channels: ['pager'] }]
  const ops = createRoute({ channels: ['ops'], groupWaitMs: 0 })
  const restart = async (before: (typeof ops)[], after: (typeof ops)[], waitMs: number) => {
    const fakes = () => [createFakeChannel('ops'), createFakeChannel('pager')]
    const world = run({ routes: before, fakes: fakes() })
    await world.tell(unbacked, theft(1, '100'))
    await world.send(5 * minute)
    await world.stop()
    const [first, pager] = fakes() as [FakeChannel, FakeChannel]
    const second = createBench({ ...world, routes: after, fakes: [first, pager] })
    second.engine.start(world.clock.now())
    const dispatcher = second.startSending()
    await world.clock.advance(waitMs)
    second.engine.flush(world.clock.now())
    dispatcher.wake()
    await world.clock.advance(0)
    await dispatcher.stop()
    return pager.sent.length
  }

  test.each([
    [
      'one stands before them',
      [{ ...ops, escalate: toPager }],
      [
        { ...ops, matches: () => false },
        { ...ops, escalate: toPager },
      ],
    ],
    ['escalation was written', [ops], [{ ...ops, escalate: toPager }]],
    [
      'its delay is another',
      [{ ...ops, escalate: [{ afterMs: 60 * minute, channels: ['pager'] }] }],
      [{ ...ops, escalate: toPager }],
    ],
  ])('%s: an open case escalates by what is written now', async (_, before, after) => {
    const named = (routes: (typeof ops)[]) =>
      routes.map((route, index) => ({ ...route, id: `routes[${index}]` }))
    expect(await restart(named(before), named(after), 5 * minute - 1)).toBe(0)
    expect(await restart(named(before), named(after), 5 * minute)).toBe(1)
  })

  test('escalation that was taken out rings nobody', async () => {
    expect(await restart([{ ...ops, escalate: toPager }], [ops], 60 * minute)).toBe(0)
  })
})

describe('by hand', () => {
  test('a message says who took a case, and whose it is', async () => {
    const world = run()
    await world.tell(unbacked, theft(1, '100'))
    await world.send(minute)
    await world.by('c1', 'ack')
    await world.by('c1', 'assign', 'ben')
    await world.send(minute)
    const said = world.pager.sent.map(({ headline }) => headline).join('\n')
    expect(said).toMatch(/case c1 acknowledged by ana/)
    expect(said).toContain('assigned to ben')
    expect(said).not.toContain('assigned by')
    await world.stop()
  })

  test('a reason is required, and an unknown case is an error', async () => {
    const world = run()
    await world.tell(unbacked, theft(1, '100'))
    await expect(world.by('c1', 'handle', ' ')).rejects.toThrow(/reason/)
    await expect(world.by('c7', 'ack')).rejects.toThrow(/no case c7/)
    await expect(world.by('7x', 'ack')).rejects.toThrow(/c42/)
    await world.stop()
  })

  test.each(['ack', 'handle'] as const)(
    '%s of a case as it was before it opened again is refused',
    async (verb) => {
      const world = run()
      await world.tell(unbacked, theft(1, '100'))
      await world.by('c1', 'ack')
      await world.tell(unbacked, theft(2, '1000000'))
      await expect(world.by('c1', verb, 'seen', 1)).rejects.toThrow(/opened again since you looked/)
      expect(world.cases()).toMatchObject([{ state: 'open', turn: 2 }])
      await world.by('c1', verb, 'seen', 2)
      expect(world.cases()).not.toMatchObject([{ state: 'open' }])
      await world.stop()
    },
  )

  test('of two who acknowledge at once the second is told who has it', async () => {
    const world = run()
    await world.tell(unbacked, theft(1, '100'))
    await world.by('c1', 'ack')
    await expect(world.by('c1', 'ack')).rejects.toThrow('Case c1 is acknowledged already, by ana.')
    await world.stop()
  })

  test('each change is in the timeline, in the audit log, and told to who follows the case', async () => {
    const world = run()
    await world.tell(unbacked, theft(1, '100'))
    await world.by('c1', 'ack')
    await world.by('c1', 'assign', 'Ben')
    await world.by('c1', 'note', 'asked the operator')
    await world.by('c1', 'handle', 'refunded')
    await world.by('c1', 'reopen', 'not refunded')
    const whats = world.store.listCaseLog(1, 100).map(({ what, by }) => `${what} ${by ?? ''}`.trim())
    expect(whats).toEqual([
      'opened',
      'acknowledged ana',
      'assigned ana',
      'noted ana',
      'handled ana',
      'opened again ana',
    ])
    const told = world.pager.sent.flatMap(({ changes }) => changes)
    expect(told).toEqual(['acknowledged', 'assigned', 'noted', 'handled', 'opened again'])
    const notes = world.pager.sent.flatMap((message) => message.notes ?? [])
    expect(notes).toEqual([{ what: 'noted', by: 'ana', text: 'asked the operator' }])
    expect(world.cases()[0]).toMatchObject({ state: 'open', assignee: 'Ben', turn: 2 })
    await world.stop()
  })
})

test('a message about many cases says of each finding which one it is', async () => {
  const world = run()
  const rule = { ...failed, kind: 'transfer.rewritten' }
  await world.tell(rule, ...Array.from({ length: 30 }, (_, n) => createLoneEvent(n + 1)))
  const [message] = world.pager.sent
  const named = [...(message?.items ?? []), ...(message?.rest ?? [])].map(({ caseId }) => caseId)
  expect(message?.case).toBeNull()
  expect(named).toHaveLength(30)
  expect(new Set(named)).toEqual(new Set(world.cases().map(({ id }) => `c${id}`)))
  await world.stop()
})

test('what is found does not wait until a hundred cases that had more money were told to be over', async () => {
  const pager = Object.assign(createFakeChannel('pager', 'slack-app'), { followsCases: true as const })
  const world = run({ fakes: [createFakeChannel('ops'), pager] })
  const rule = { ...failed, kind: 'transfer.rewritten' }
  await world.tell(rule, ...Array.from({ length: 100 }, (_, n) => createLoneEvent(n + 2)))
  while (pager.sent.every(({ changes }) => !changes.includes('closed'))) await world.send(10 * minute)
  const before = pager.sent.length
  await world.tell(rule, createLoneEvent(1))
  await world.send(2_000)
  expect(pager.sent.slice(before).flatMap(({ items }) => items.map(({ summary }) => summary))).toHaveLength(1)
  await world.stop()
})

test('alerts of before there were cases are put into them, and nothing is sent again', async () => {
  const world = run()
  await world.tell(unbacked, theft(1, '100'))
  await world.judge(shortfall, lack('100'))
  const sent = world.ops.sent.length
  for (const name of ['cases', 'case_members', 'case_spans', 'case_channels', 'case_open_keys', 'case_risks'])
    world.database.prepare(`DELETE FROM ${name}`).run()
  world.engine.start(world.clock.now())
  await world.judge(shortfall, lack('100'))
  await world.send(minute)
  expect(world.cases()).toHaveLength(1)
  expect(world.cases()[0]?.members).toBe(2)
  expect(world.ops.sent.length).toBe(sent)
  await world.stop()
})
