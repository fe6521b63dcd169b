import { expect, test } from 'vitest'
import { fromBaseUnits, negate } from '../../../../../src/bridge/decimal.ts'
import type { Observation } from '../../../../../src/bridge/observation.ts'
import { readAccounts } from '../../../../../src/checks/escrow/accounts/readAccounts.ts'
import { escrow as escrowCheck } from '../../../../../src/checks/escrow/check.ts'
import { checkFlows } from '../../../../../src/checks/escrow/explaining/pollChecks.ts'
import { openAccounts } from '../../../../../src/checks/escrow/explaining/keepAccounts.ts'
import { saveFlows } from '../../../../../src/checks/escrow/flows/flowStore.ts'
import { readOwed } from '../../../../../src/checks/escrow/owed/owedLegs.ts'
import { startOwed } from '../../../../../src/checks/escrow/owed/owedStore.ts'
import { openEscrowWatch } from '../../../../../src/checks/escrow/watched/watch.ts'
import { noBridge } from '../../../../support/appConfig.ts'
import { hash, toRecord } from '../../../../support/records.ts'
import { createTestKernel, noSignal } from '../../support.ts'

const token = '0xcc'
const escrow = `0x${'bb'.repeat(20)}`
const decimals = 6
const begin = 1_000_000_000
const firstHeight = 1_000
const baseline = 1_000n

/** A bridge that keeps a fee of at most 2 of each withdrawal, shown what is paid. */
function openWorld() {
  const bridge = {
    ...noBridge,
    escrows: [{ address: escrow, token, baseline: null }],
    tokens: [{ address: token, symbol: 'USDC', decimals }],
    fees: [{ token, direction: 'ZoneToMain' as const, max: '0.000002' }],
  }
  const kernel = createTestKernel({ start: begin, config: { bridge } })
  const { clock, commit, cursors, db, list } = kernel
  kernel.hooks.push(escrowCheck.open(kernel))
  const of = { ...kernel, watch: openEscrowWatch(kernel) }
  cursors.write({ ...cursors.read(), history: { ...cursors.read().history, done: true } })
  commit({
    apply: (now) => {
      startOwed(db, token, { height: firstHeight, time: begin }, baseline)
      openAccounts(of, token, now)
      return []
    },
  })
  let held = baseline
  const say = (name: string, status: 'success' | 'failed' | 'absent') =>
    commit({
      evidence: [
        {
          chain: 'main',
          hash: hash(name),
          source: 'E13',
          status,
          errorMessage: '',
          moves: null,
          requestedAt: clock.now(),
        },
      ],
    })
  return {
    say,
    /** What the zone's own transaction says that it took. */
    take: (amountRaw: bigint) =>
      commit({
        evidence: [
          {
            chain: 'zone',
            hash: hash('2'),
            source: 'E9',
            status: 'success',
            errorMessage: '',
            moves: null,
            amountRaw,
            requestedAt: clock.now(),
          },
        ],
      }),
    /** One main transaction that pays these withdrawals, `second` seconds after the first block. */
    async pay(name: string, second: number, records: readonly Partial<Observation>[], moved?: bigint) {
      await clock.advance(1_000)
      const height = firstHeight + second
      const at = begin + second * 1_000
      const common = {
        token,
        mainHash: hash(name),
        mainHeight: height,
        mainTime: at,
        requestedAt: clock.now(),
      }
      const zone = { zoneHash: hash('2'), zoneHeight: 5_000, zoneTime: begin + 1_000 }
      commit({ answers: [records.map((one) => toRecord({ ...common, ...zone, value: null, ...one }))] })
      const raw = moved ?? records.reduce((sum, { amountRaw }) => sum + (amountRaw ?? 0n), 0n)
      const outward = fromBaseUnits(raw, decimals)
      const place = { escrow, token, hash: hash(name), height, at, party: '0xbb', gross: [] }
      if (raw > 0n)
        commit({ apply: (now) => (saveFlows(db, [{ ...place, net: negate(outward), outward }], now, 0), []) })
      held -= raw
    },
    async settle() {
      await clock.advance(600_000)
      list.readAt = clock.now()
      await checkFlows(of, noSignal)
    },
    /** Account by account. */
    read() {
      const at = { height: firstHeight + 500, time: begin + 500_000, holdings: held }
      const { claims, toMain, fees, open, lost, found } = readAccounts(db, { token, baseline }, at)
      return { claims, toMain, fees, open, lost, found }
    },
    owed: () => readOwed(db, token, { height: firstHeight + 500, time: begin + 500_000 }),
  }
}

const one = { id: 'a', zoneEventIndex: '1', amountRaw: 100n }
const again = { ...one, id: 'b' }
const other = { ...one, id: 'c', zoneEventIndex: '2' }
const nothing = { toMain: 0n, fees: 0n, open: 0n, lost: 0n, found: 0n }

test.each([
  { title: 'first', times: [10, 20], gone: 'm1' },
  { title: 'first', times: [10, 20], gone: 'm2' },
  { title: 'last', times: [20, 10], gone: 'm1' },
  { title: 'last', times: [20, 10], gone: 'm2' },
])('a payout made twice, the older one seen $title, is lost until $gone is gone', async ({ times, gone }) => {
  const world = openWorld()
  const [first = 0, second = 0] = times
  await world.pay('m1', first, [one])
  world.say('m1', 'success')
  await world.pay('m2', second, [again])
  world.say('m1', 'success')
  world.say('m2', 'success')
  await world.settle()
  expect(world.read()).toEqual({ ...nothing, claims: 900n, lost: -100n })
  // Each may have moved a fee more.
  expect(world.owed()).toBe(baseline - 100n - 2n - 2n)
  world.say(gone, 'absent')
  await world.settle()
  expect(world.read()).toEqual({ ...nothing, claims: 800n })
})

test('a second payout beside an honest one in the same transaction is lost alone', async () => {
  const world = openWorld()
  await world.pay('m1', 10, [one])
  await world.pay('m2', 20, [again, { ...other, amountRaw: 70n }])
  world.say('m1', 'success')
  world.say('m2', 'success')
  await world.settle()
  expect(world.read()).toEqual({ ...nothing, claims: 830n, lost: -100n })
})

test('of a second payout so much is lost as left, whatever fee was kept of both', async () => {
  const world = openWorld()
  await world.pay('m1', 10, [one], 99n)
  await world.pay('m2', 20, [again], 98n)
  world.say('m1', 'success')
  world.say('m2', 'success')
  await world.settle()
  expect(world.read()).toEqual({ ...nothing, claims: 900n, fees: 1n, lost: -98n })
})

test('of two parts that come to more than the zone took the excess is lost', async () => {
  const world = openWorld()
  await world.pay('m1', 10, [{ ...one, amountRaw: 60n }])
  await world.pay('m2', 20, [{ ...again, amountRaw: 60n }])
  for (const name of ['m1', 'm2']) world.say(name, 'success')
  world.take(100n)
  await world.settle()
  expect(world.read()).toEqual({ ...nothing, claims: 900n, lost: -20n })
})

const honest: {
  title: string
  payouts: Partial<Observation>[][]
  taken?: bigint
  failed?: string
  claims: bigint
}[] = [
  { title: 'equal withdrawals of one zone transaction', payouts: [[one], [other]], claims: 800n },
  { title: 'equal withdrawals paid together', payouts: [[one, other]], claims: 800n },
  {
    title: 'parts that come to what the zone took',
    payouts: [[{ ...one, amountRaw: 60n }], [{ ...again, amountRaw: 40n }]],
    taken: 100n,
    claims: 900n,
  },
  {
    title: 'a batch shown as a row an item',
    payouts: [
      ['0xb1', '0xb2'].map((targetAddress) => ({ ...one, crossType: 'BatchWithdraw', targetAddress })),
    ],
    claims: 800n,
  },
]

test.each(honest)('$title are none of them lost', async ({ payouts, taken, claims }) => {
  const world = openWorld()
  for (const [index, records] of payouts.entries()) {
    await world.pay(`m${index}`, 10 + index, records)
    for (const name of payouts.keys()) world.say(`m${name}`, 'success')
  }
  if (taken !== undefined) world.take(taken)
  await world.settle()
  expect(world.read()).toEqual({ ...nothing, claims })
})

test('a payout that failed and was made again is none of it lost', async () => {
  const world = openWorld()
  await world.pay('m1', 10, [one], 0n)
  world.say('m1', 'failed')
  await world.pay('m2', 20, [again])
  world.say('m1', 'failed')
  world.say('m2', 'success')
  await world.settle()
  expect(world.read().lost).toBe(0n)
})
