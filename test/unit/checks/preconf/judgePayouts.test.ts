import { noAmount } from '../../../../src/bridge/decimal.ts'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../../src/bridge/finding.ts'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { askOrigins } from '../../../../src/checks/preconf/askOrigins.ts'
import { judgePayouts } from '../../../../src/checks/preconf/judgePayouts.ts'
import type { SeenLog } from '../../../../src/checks/preconf/payout.ts'
import { sayHabit } from '../../../../src/checks/preconf/payoutPanel.ts'
import { readHabit, savePayout } from '../../../../src/checks/preconf/payoutStore.ts'
import {
  forgetDropped,
  listPlaces,
  openPayoutWatch,
  takeReceipts,
} from '../../../../src/checks/preconf/payoutWatch.ts'
import type { Found } from '../../../../src/checks/preconf/receipt.ts'
import { pollEarly, settleExplained } from '../../../../src/checks/preconf/settleEarly.ts'
import type { Judged } from '../../../../src/checks/preconf/judged.ts'
import { settleEarly } from '../../../../src/checks/preconf/settleEarly.ts'
import { recordHead } from '../../../../src/kernel/heads/heads.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import { noBridge } from '../../../support/appConfig.ts'
import { hash, toPending, toRecord } from '../../../support/records.ts'
import { createTestKernel, noSignal } from '../support.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const [bridge, escrow, token, user, relayer] = ['b', 'e', 'c', 'a', 'd'].map(address) as [
  string,
  string,
  string,
  string,
  string,
]
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const topic = (text: string) => `0x${text.slice(2).padStart(64, '0')}`
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`
const zoneHash = (name: string) => `0x${Buffer.from(name).toString('hex').padEnd(64, '7').slice(0, 64)}`

const pays = (to: string, raw: bigint, of = token): SeenLog => ({
  address: of,
  topics: [transferTopic, topic(escrow), topic(to)],
  data: word(raw),
})
const names = (name: string): SeenLog => ({
  address: bridge,
  topics: [hash('event'), zoneHash(name)],
  data: '0x',
})

const hour = 3_600_000

function setUp(
  options: {
    readonly shown?: number
    readonly named?: boolean
    readonly wrappedNative?: string
    readonly fee?: string
  } = {},
) {
  const { shown = 20, named = true, wrappedNative, fee } = options
  const zone = new Map<string, 'success' | 'failed'>()
  const asked: string[][] = []
  const kernel = createTestKernel({
    start: 10 * hour,
    config: {
      bridge: {
        ...noBridge,
        contracts: [bridge],
        escrows: [{ address: escrow, token, baseline: null }],
        tokens: [{ address: token, symbol: 'USDC', decimals: 6 }],
        ...(wrappedNative !== undefined && { wrappedNative }),
        ...(fee !== undefined && { fees: [{ token, direction: 'ZoneToMain', max: fee }] }),
      },
    },
  })
  const { clock, db, list, told } = kernel
  kernel.reads.zoneHead = async () => ({
    height: clock.now(),
    blockTime: clock.now(),
    requestedAt: clock.now(),
  })
  kernel.reads.zoneTransactions = async (hashes) => {
    asked.push([...hashes])
    const records = hashes.flatMap((one) => {
      const status = zone.get(one)
      if (status === undefined) return []
      return [
        {
          source: 'E9' as const,
          requestedAt: clock.now(),
          hash: one,
          height: 1,
          time: 1,
          status,
          actionType: 'withdraw',
          errorMessage: '',
        },
      ]
    })
    return { requestedAt: clock.now(), records, bad: [] }
  }
  for (let at = 0; at < shown; at += 1)
    savePayout(db, { hash: `0x${at}`, at, verdict: 'fits', named, unfit: [] })
  const held = new Set<string>()
  let watch = openPayoutWatch(kernel, (one) => held.has(one))
  const record = (...records: Observation[]) => kernel.commit({ answers: [records] })
  const old = { zoneTime: clock.now() - hour, mainTime: clock.now() - hour }
  zone.set(zoneHash('control'), 'success')
  record(
    toRecord({
      ...old,
      zoneHash: zoneHash('control'),
      mainHash: hash('control'),
      token,
      requestedAt: clock.now(),
    }),
  )
  const pending = (name: string, more: Partial<Observation> = {}) => {
    const of = {
      zoneHash: zoneHash(name),
      zoneTime: clock.now() - 100_000,
      targetAddress: user,
      token,
      value: '5',
      amountRaw: 5_000_000n,
    }
    record(toPending({ ...of, requestedAt: clock.now(), ...more }))
  }
  /** Everything that could show an origin has come as far as now. */
  const catchUp = () => {
    list.readAt = clock.now()
    for (const chain of ['main', 'zone'] as const)
      recordHead(db, chain, { height: clock.now(), blockTime: clock.now(), at: clock.now() })
  }
  const see = (name: string, ...logs: SeenLog[]) => {
    takeReceipts(watch, { bridge: [{ hash: hash(name), height: 7, logs }], time: null }, clock.now())
    judgePayouts(watch)
  }
  const step = async () => {
    await clock.advance(500)
    await askOrigins(watch, noSignal)
    judgePayouts(watch)
  }
  const early = (): Finding[] => told.filter(({ kind }) => kind === 'preconf.unbacked')
  return {
    ...kernel,
    asked,
    catchUp,
    early,
    held,
    pending,
    record,
    see,
    step,
    zone,
    watch: () => watch,
    restart: () => void (watch = openPayoutWatch(kernel, (one) => held.has(one))),
    reasons: () => early().map(({ facts }) => facts['reason']),
  }
}

describe('what is shown by then', () => {
  test('a pending withdrawal explains its payout at once, and nobody is asked', async () => {
    const world = setUp()
    world.pending('w')
    world.see('pay', pays(user, 5_000_000n))
    expect(world.watch().waiting.size).toBe(0)
    expect(world.triggered.filter((one) => one !== 'preconfPayouts')).toEqual([])
    await world.step()
    expect([world.early(), world.asked]).toEqual([[], []])
  })

  test('a pending withdrawal explains its payout beside much later dust to the same recipient', () => {
    const world = setUp()
    world.pending('w')
    for (let n = 0; n < 150; n += 1)
      world.pending(`dust${n}`, { zoneTime: world.clock.now() - 50_000, value: '0.000001', amountRaw: 1n })
    world.see('pay', pays(user, 5_000_000n))
    expect(world.watch().waiting.size).toBe(0)
  })

  test('what a relayer advanced is paid to the relayer, by the origin that its event names', async () => {
    const world = setUp()
    world.pending('w')
    world.see('pay', pays(relayer, 5_000_000n), names('w'))
    expect(world.watch().waiting.size).toBe(0)
    world.see('again', pays(relayer, 5_000_000n), names('w'))
    world.catchUp()
    await world.step()
    expect(world.reasons()).toEqual(['the origin that it names brings less, or was paid before'])
  })

  test.each([true, false])(
    'the native currency that escrows hold wrapped is paid by a gateway; a wrapper that is not configured is no such thing: %s',
    async (isConfigured) => {
      const weth = address('9')
      const world = setUp(isConfigured ? { wrappedNative: weth } : {})
      // Of which it is known what the escrows hold.
      world.stakes.follow({
        reserveOf: () => 10n ** 20n,
        riskOf: () => 0,
        netOf: () => null,
        lockedOf: () => noAmount,
      })
      world.pending('w', { token: '', tokenType: '', value: '5', amountRaw: 5n * 10n ** 18n })
      world.see('pay', pays(address('7'), 5n * 10n ** 18n, weth), names('w'))
      world.catchUp()
      for (let n = 0; n < 3; n += 1) await world.step()
      expect(world.reasons()).toEqual(
        isConfigured ? [] : ['the origin that it names brings less, or was paid before'],
      )
    },
  )

  test('more than the origin brings is told with its amount', async () => {
    const world = setUp()
    world.pending('w')
    world.see('pay', pays(user, 500_000_000n), names('w'))
    await world.clock.advance(1)
    world.catchUp()
    await world.step()
    expect(world.early()).toMatchObject([
      {
        facts: {
          amount: '500',
          token: 'USDC',
          party: user,
          mainTxHash: hash('pay'),
          origin: zoneHash('w'),
          aboveBound: false,
        },
        labels: { escrow, token },
      },
    ])
  })
})

describe('what is not shown yet', () => {
  test('waits for the list, the zone and an answer of E9; then it is told once', async () => {
    const world = setUp()
    world.see('pay', pays(user, 5_000_000n), names('nowhere'))
    expect(world.triggered).toContain('transfers')
    world.list.readAt = world.clock.now() - 1
    await world.step()
    expect(world.reasons()).toEqual([])
    world.catchUp()
    await world.step()
    expect(world.asked.at(-1)).toEqual([zoneHash('nowhere'), zoneHash('control')])
    expect(world.reasons()).toEqual(['the zone does not show the origin that it names'])
    await world.step()
    expect(world.reasons()).toHaveLength(1)
  })

  test('an origin that the zone shows and the list does not is left alone; one that failed is not', async () => {
    const world = setUp()
    world.zone.set(zoneHash('late'), 'success')
    world.zone.set(zoneHash('bad'), 'failed')
    world.see('pay', pays(user, 5_000_000n), names('late'))
    world.see('pay2', pays(user, 5_000_000n), names('bad'))
    world.catchUp()
    await world.step()
    expect(world.reasons()).toEqual(['the origin that it names failed'])
    expect(world.watch().waiting.size).toBe(0)
  })

  test('a record of the payout itself names its origin: the zone is asked for that one', async () => {
    for (const isThere of [true, false]) {
      const world = setUp()
      if (isThere) world.zone.set(zoneHash('own'), 'success')
      world.see('pay', pays(user, 5_000_000n))
      await world.clock.advance(1)
      const of = {
        zoneHash: zoneHash('own'),
        mainHash: hash('pay'),
        token,
        targetAddress: user,
        value: '5',
        amountRaw: 5_000_000n,
      }
      world.record(
        toRecord({
          ...of,
          requestedAt: world.clock.now(),
          zoneTime: world.clock.now(),
          mainTime: world.clock.now(),
        }),
      )
      await world.clock.advance(61_000)
      world.catchUp()
      await world.step()
      expect(world.asked.at(-1)).toContain(zoneHash('own'))
      expect(world.reasons()).toEqual(isThere ? [] : ['the zone does not show the origin that it names'])
    }
  })

  describe('semantics.md 41: list and zone transactions may lag together', () => {
    const lagging = () => {
      const world = setUp()
      world.reads.zoneTransactionBy = async (until) =>
        until < world.clock.now() ? { hash: zoneHash('newest'), height: 1, time: until } : null
      world.see('pay', pays(user, 5_000_000n), names('w'))
      world.catchUp()
      return world
    }

    test('what does not know what the newest blocks of the zone hold denies no origin', async () => {
      const world = lagging()
      for (let at = 0; at < 6; at += 1) await world.step()
      expect(world.asked.at(-1)).toEqual([zoneHash('w'), zoneHash('control'), zoneHash('newest')])
      expect(world.reasons()).toEqual([])
    })

    test('once it does, or where the list shows others of just before, it does deny it', async () => {
      const known = lagging()
      known.zone.set(zoneHash('newest'), 'success')
      const listed = lagging()
      listed.pending('other', { zoneTime: listed.clock.now() - 20_000, targetAddress: relayer })
      for (const world of [known, listed]) {
        await world.step()
        expect(world.reasons()).toEqual(['the zone does not show the origin that it names'])
      }
    })

    test('nor does it hold up what is told where blocks cannot be asked', async () => {
      const world = lagging()
      world.reads.zoneTransactionBy = async () => {
        throw new MonitorError('source.unreachable', 'E4 failed (HTTP 500)')
      }
      await world.step()
      expect(world.reasons()).toHaveLength(1)
    })
  })

  test('an answer without its control says nothing, and is asked for three times at most', async () => {
    const world = setUp()
    world.zone.clear()
    world.see('pay', pays(user, 5_000_000n), names('nowhere'))
    world.catchUp()
    for (let at = 0; at < 6; at += 1) await world.step()
    expect([world.reasons(), world.asked.length]).toEqual([[], 3])
    await world.clock.advance(90_000)
    await world.step()
    expect(world.watch().waiting.size).toBe(0)
  })

  test('the zone is asked how far it is four times at most', async () => {
    const world = setUp()
    let heads = 0
    world.reads.zoneHead = async () => ((heads += 1), null)
    world.see('pay', pays(user, 5_000_000n), names('nowhere'))
    for (let at = 0; at < 10; at += 1) await world.step()
    expect([heads, world.reasons()]).toEqual([4, []])
  })

  test('it is explained by a withdrawal that comes while it waits', async () => {
    const world = setUp()
    world.see('pay', pays(user, 5_000_000n), names('w'))
    world.pending('w')
    world.catchUp()
    await world.step()
    expect([world.reasons(), readHabit(world.db).shown]).toEqual([[], 21])
  })

  test('a zone transaction so new that more withdrawals of it may follow waits for their records', async () => {
    const world = setUp()
    world.pending('bundle', { zoneTime: world.clock.now() - 10_000 })
    world.see('pay', pays(relayer, 7_000_000n), names('bundle'))
    world.catchUp()
    await world.step()
    expect(world.reasons()).toEqual([])
    await world.clock.advance(60_000)
    world.catchUp()
    await world.step()
    expect(world.reasons()).toHaveLength(1)
  })
})

describe('whom it accuses', () => {
  test('nobody while too few withdrawals were shown before they were paid, nor while many came late', async () => {
    for (const shown of [2, 3]) {
      const world = setUp({ shown })
      world.see('pay', pays(user, 5_000_000n), names('nowhere'))
      world.catchUp()
      await world.step()
      expect(world.reasons()).toHaveLength(shown === 3 ? 1 : 0)
    }
    const late = setUp()
    for (const name of ['l1', 'l2'])
      savePayout(late.db, { hash: name, at: 99, verdict: 'late', named: true, unfit: [] })
    late.see('pay', pays(user, 5_000_000n), names('nowhere'))
    late.catchUp()
    await late.step()
    expect(late.reasons()).toEqual([])
    expect(sayHabit(readHabit(late.db))).toBe(
      'no: the list showed 2 of 22 withdrawals only after they were paid',
    )
    expect(sayHabit(readHabit(setUp({ shown: 1 }).db))).toBe(
      'no: 1 withdrawal was shown before being paid, 3 are needed',
    )
  })

  test('nobody where payouts name no origin', async () => {
    const world = setUp({ named: false })
    world.see('pay', pays(user, 5_000_000n))
    world.catchUp()
    await world.step()
    expect([world.reasons(), world.watch().waiting.size]).toEqual([[], 0])
    expect(sayHabit(readHabit(world.db))).toBe('no: payouts here name no origin')
  })

  test('where they do, one that names none', async () => {
    const world = setUp()
    world.see('pay', pays(user, 5_000_000n))
    world.catchUp()
    await world.step()
    expect(world.reasons()).toEqual(['it names no origin'])
  })

  test.each([
    ['to who paid as much in by a deposit that failed', [pays(user, 5_000_000n)], 0],
    ['to who paid less in', [pays(user, 5_000_001n)], 1],
    ['to somebody else', [pays(relayer, 5_000_000n)], 1],
    ['naming an origin that nobody knows', [pays(user, 5_000_000n), names('nowhere')], 1],
    ['naming an origin that was paid', [pays(user, 5_000_000n), names('paid')], 1],
  ] satisfies [string, SeenLog[], number][])('%s', async (_, logs, told) => {
    const world = setUp()
    world.pending('paid')
    world.see('payout', pays(user, 5_000_000n), names('paid'))
    world.record(
      toRecord({
        direction: 'MainToZone',
        status: 'failed',
        zoneHash: zoneHash('refused'),
        mainHash: hash('paidIn'),
        sourceAddress: user,
        targetAddress: user,
        token,
        amountRaw: 5_000_000n,
        requestedAt: world.clock.now(),
      }),
    )
    world.see('back', ...logs)
    world.catchUp()
    for (let n = 0; n < 5; n += 1) await world.step()
    expect(world.early()).toHaveLength(told)
  })

  test('nobody who may be given back a deposit that failed and does not say how much it was', async () => {
    const world = setUp()
    world.record(
      toRecord({
        direction: 'MainToZone',
        status: 'failed',
        zoneHash: zoneHash('refused'),
        mainHash: hash('paidIn'),
        sourceAddress: user,
        targetAddress: user,
        token,
        amountRaw: null,
        value: null,
        requestedAt: world.clock.now(),
      }),
    )
    world.see('back', pays(user, 5_000_000n))
    world.see('other', pays(relayer, 5_000_000n))
    world.catchUp()
    await world.step()
    expect(world.early().map(({ facts }) => facts['mainTxHash'])).toEqual([hash('other')])
  })

  test.each([
    ['no more than the fee, in whole base units', 4_000_000n, 0],
    ['more than that', 3_999_999n, 1],
  ])('where the fee is finer than the token, of what was kept %s', async (_, raw, told) => {
    const world = setUp({ fee: '1.0000005' })
    world.pending('w')
    world.see('pay', pays(user, raw))
    world.catchUp()
    await world.step()
    expect(world.early()).toHaveLength(told)
  })

  test('not by a token that is none of the bridge', async () => {
    const world = setUp()
    world.see('pay', pays(user, 5_000_000n, address('f')))
    expect(world.watch().waiting.size).toBe(0)
  })

  test('critical is what is above the bound of escrow.drift', async () => {
    const world = setUp()
    world.stakes.follow({
      reserveOf: () => 100_000_000n,
      riskOf: () => 0,
      netOf: () => null,
      lockedOf: () => noAmount,
    })
    world.see('small', pays(user, 1_000_000n))
    world.see('large', pays(user, 1_000_100n))
    world.catchUp()
    await world.step()
    expect(world.early().map(({ facts }) => [facts['aboveBound'], facts['sharePercent']])).toEqual([
      [false, 1],
      [true, 1],
    ])
  })

  test('after a restart nothing that was told is told again', async () => {
    const world = setUp()
    const theft = () => world.see('pay', pays(user, 5_000_000n), names('nowhere'))
    theft()
    world.catchUp()
    await world.step()
    world.restart()
    theft()
    world.catchUp()
    await world.step()
    expect(world.reasons()).toHaveLength(1)
  })
})

describe("transactions that take each other's place", () => {
  test('one that pays what a held one was to pay waits, and stands in its place when that is dropped', async () => {
    const world = setUp()
    world.pending('w')
    world.held.add(hash('first'))
    world.see('first', pays(user, 5_000_000n), names('w'))
    world.see('second', pays(user, 5_000_000n), names('w'))
    await world.clock.advance(1)
    world.catchUp()
    await world.step()
    expect([world.reasons(), world.watch().waiting.size]).toEqual([[], 1])
    world.held.clear()
    forgetDropped(world.watch(), new Set([hash('first')]))
    await world.step()
    expect([world.reasons(), world.watch().waiting.size]).toEqual([[], 0])
  })

  test('of two in one answer that pay the same withdrawal one is too many', async () => {
    const world = setUp()
    world.pending('w')
    const twice = ['one', 'two'].map((name) => ({
      hash: hash(name),
      height: 7,
      logs: [pays(user, 5_000_000n), names('w')],
    }))
    takeReceipts(world.watch(), { bridge: twice, time: null }, world.clock.now())
    judgePayouts(world.watch())
    expect([...world.watch().waiting.keys()]).toEqual([hash('two')])
    await world.clock.advance(1)
    world.catchUp()
    await world.step()
    expect(world.reasons()).toHaveLength(1)
  })

  test('when the held one is in a block, the other is one too many', async () => {
    const world = setUp()
    world.pending('w')
    world.held.add(hash('first'))
    world.see('first', pays(user, 5_000_000n), names('w'))
    world.see('second', pays(user, 5_000_000n), names('w'))
    await world.clock.advance(1)
    world.catchUp()
    world.held.clear()
    await world.step()
    expect(world.reasons()).toHaveLength(1)
  })

  test('one that the record names by now stands in the place of one whose block was replaced', async () => {
    const world = setUp()
    world.pending('w', { id: '0x1' })
    const first = { hash: hash('first'), height: 7, logs: [pays(user, 5_000_000n), names('w')] }
    takeReceipts(world.watch(), { bridge: [first], time: null }, world.clock.now())
    judgePayouts(world.watch())
    const named = (mainHash: string) =>
      world.record(
        toRecord({
          id: '0x1',
          zoneHash: zoneHash('w'),
          zoneTime: world.clock.now() - 100_000,
          mainHash,
          mainTime: world.clock.now() - 20_000,
          targetAddress: user,
          token,
          value: '5',
          amountRaw: 5_000_000n,
          requestedAt: world.clock.now(),
        }),
      )
    named(hash('first'))
    await world.clock.advance(1_000)
    world.see('second', pays(user, 5_000_000n), names('w'))
    await world.clock.advance(1_000)
    named(hash('second'))
    world.catchUp()
    await world.step()
    expect([world.reasons(), world.watch().waiting.size]).toEqual([[], 0])
  })

  test('of one that is executed anew its own record, which came meanwhile, is no word of another', async () => {
    const world = setUp()
    world.pending('w')
    world.see('pay', pays(user, 5_000_000n), names('w'))
    await world.clock.advance(500)
    const times = { zoneTime: world.clock.now() - 100_000, mainTime: world.clock.now() }
    const forged = {
      id: '0x2',
      zoneHash: zoneHash('nowhere'),
      mainHash: hash('pay'),
      targetAddress: user,
      token,
    }
    world.record(
      toRecord({ ...forged, ...times, value: '90', amountRaw: 90_000_000n, requestedAt: world.clock.now() }),
    )
    await world.clock.advance(500)
    world.see('pay', pays(user, 90_000_000n), names('nowhere'))
    world.catchUp()
    for (let n = 0; n < 3; n += 1) await world.step()
    expect(world.reasons()).toHaveLength(1)
  })

  test('one that is executed anew before its block, and pays more then, is judged by what it pays now', async () => {
    const world = setUp()
    world.pending('w')
    world.see('pay', pays(user, 5_000_000n), names('w'))
    expect(world.watch().waiting.size).toBe(0)
    world.see('pay', pays(user, 5_000_000n), names('w'))
    expect(world.watch().waiting.size).toBe(0)
    world.see('pay', pays(user, 90_000_000n), names('w'))
    await world.clock.advance(1)
    world.catchUp()
    await world.step()
    expect(world.reasons()).toHaveLength(1)
  })
})

describe('what becomes of it', () => {
  const tellOne = async () => {
    const world = setUp()
    world.see('pay', pays(user, 5_000_000n), names('nowhere'))
    world.catchUp()
    await world.step()
    expect(world.reasons()).toHaveLength(1)
    return world
  }
  const judged = (fate: Judged['fate']): Judged[] => [
    {
      held: {
        hash: hash('pay'),
        height: 7,
        isHeightCertain: true,
        index: 0,
        outcomes: [],
        firstSeenAt: 1,
        isBridge: true,
        absent: null,
      },
      fate,
    },
  ]
  const source = { name: 'canonical' } as const
  const inBlock = (status: 'success' | 'failed') => ({
    kind: 'held-by-block' as const,
    by: 0,
    isIndexMoved: false,
    height: 7,
    changed: null,
    transaction: { hash: hash('pay'), index: 0, isSystem: false, status, gasUsed: null, logs: null },
  })

  test('dropped, or failed, it is withdrawn and says so; in its block it stands', async () => {
    for (const [fate, says] of [
      [{ kind: 'dropped' }, 'the transaction is in no block'],
      [inBlock('failed'), 'the transaction failed, in block 7'],
    ] as const) {
      const world = await tellOne()
      expect(settleEarly({ ...world, source }, judged(fate), world.clock.now())).toMatchObject([
        { kind: 'preconf.unbacked', isOver: true, title: expect.stringContaining(says) },
      ])
    }
    const kept = await tellOne()
    expect(settleEarly({ ...kept, source }, judged(inBlock('success')), kept.clock.now())).toEqual([])
  })

  test('after a restart it is looked for by its hash, as often as absence takes', async () => {
    const world = await tellOne()
    let answer: Found = { at: 'unknown' }
    let head: number | null = 1_000
    const canonical = {
      ...source,
      absence: { reads: 2, spanMs: 2_000 },
      settleAfter: 3,
      head: async () => head,
      find: async () => new Map([[hash('pay'), answer]]),
    }
    const look = async (ms: number) => {
      await world.clock.advance(ms)
      await pollEarly({ ...world, source: canonical }, noSignal)
      return world.early().filter(({ isOver }) => isOver).length
    }
    expect(await look(60_000)).toBe(0)
    expect(await look(60_000)).toBe(0)
    answer = { at: 'nowhere' }
    // It was preconfirmed for block 7: a node that is not past the blocks that may hold it knows nothing of it.
    for (head of [null, 6, 11])
      for (let read = 0; read < 4; read += 1) expect([head, await look(2_000)]).toEqual([head, 0])
    head = 12
    expect(await look(2_000)).toBe(0)
    expect(await look(2_000)).toBe(1)
    expect(await look(60_000)).toBe(1)
  })

  test('a withdrawal that is proven explains it, of whatever amount it does not say; one that brings less, is accused or not proven does not', async () => {
    const explain = async (
      value: string | null,
      amountRaw: bigint | null,
      status: 'success' | 'absent',
      accuses: boolean,
    ) => {
      const world = await tellOne()
      const record = toRecord({
        zoneHash: zoneHash('nowhere'),
        mainHash: hash('pay'),
        token,
        targetAddress: user,
        value,
        amountRaw,
        requestedAt: world.clock.now(),
        zoneTime: world.clock.now() - 9_000,
        mainTime: world.clock.now(),
      })
      world.record(record)
      const [before] = world.ledger.listTransfers({ hash: hash('pay') })
      if (status === 'success')
        world.commit({
          zoneTransactions: [
            {
              source: 'E9',
              requestedAt: world.clock.now(),
              hash: zoneHash('nowhere'),
              height: 1,
              time: 1,
              status,
              actionType: 'withdraw',
              errorMessage: '',
            },
          ],
        })
      const transfer = world.ledger.getTransfer(before?.key ?? '')
      if (transfer === null) throw new Error('no transfer')
      const accusing: Finding = {
        kind: 'transfer.duplicate',
        subject: transfer.key,
        title: '',
        transfer,
        facts: {},
        labels: {},
        evidence: [],
        since: 1,
      }
      const found = settleExplained(world.watch(), transfer, accuses ? [accusing] : [], world.clock.now())
      return [
        found.map(({ isOver, title }) => isOver === true && /explained by withdrawal/.test(title)),
        readHabit(world.db).late,
      ]
    }
    expect(await explain('5', 5_000_000n, 'success', false)).toEqual([[true], 1])
    expect(await explain(null, null, 'success', false)).toEqual([[true], 1])
    expect(await explain('4', 4_000_000n, 'success', false)).toEqual([[], 0])
    expect(await explain('5', 5_000_000n, 'absent', false)).toEqual([[], 0])
    expect(await explain('5', 5_000_000n, 'success', true)).toEqual([[], 0])
  })
})

test('what is minted is none of the preconfirmed payouts: most of it is not the bridge’s', () => {
  const minted = { address: address('0'), token, baseline: null }
  const places = listPlaces({ contracts: [bridge], escrows: [minted] })
  expect(places.escrows).toEqual(new Set())
  expect(places.escrowTopics).toEqual(new Set())
})
