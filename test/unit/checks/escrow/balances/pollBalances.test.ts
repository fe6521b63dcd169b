import type { Rpc } from '../../../../../src/clients/rpc/createRpc.ts'
import { createSeat } from '../../../../../src/clients/seat.ts'
import { describe, expect, test } from 'vitest'
import { formatDecimal, toDecimal } from '../../../../../src/bridge/decimal.ts'
import { listDueFlows, saveFlows } from '../../../../../src/checks/escrow/flows/flowStore.ts'
import { pollBalances } from '../../../../../src/checks/escrow/balances/pollBalances.ts'
import { listEscrowTokens } from '../../../../../src/checks/escrow/owed/owedStore.ts'
import { saveOwedLeg } from '../../../../../src/checks/escrow/owed/owedLegs.ts'
import { toStreams } from '../../../../../src/checks/escrow/watched/places.ts'
import { listReadings } from '../../../../../src/checks/escrow/flows/readingStore.ts'
import { openEscrowWatch } from '../../../../../src/checks/escrow/watched/watch.ts'
import { MonitorError } from '../../../../../src/lib/errors.ts'
import { recordHead } from '../../../../../src/kernel/heads/heads.ts'
import { saveStream } from '../../../../../src/kernel/reads/mainStreams.ts'
import { hash, toRecord } from '../../../../support/records.ts'
import { noBridge } from '../../../../support/appConfig.ts'
import { createTestKernel, noSignal, setMainHead } from '../../support.ts'

const token = `0x${'aa'.repeat(20)}`
const escrow = `0x${'bb'.repeat(20)}`
const bridge = {
  ...noBridge,
  escrows: [{ address: escrow, token, baseline: null }],
  tokens: [{ address: token, symbol: 'T', decimals: 0 }],
}

/** What a node that reads balances alone is not asked for here. */
const unread = { timeOf: () => Promise.resolve(null), readNative: () => Promise.resolve([]) }
const ofNode = ({ clock }: Pick<ReturnType<typeof createTestKernel>, 'clock'>) => ({
  seat: { name: 'canonical', seat: createSeat([{ name: 'node', client: {} as Rpc }], clock) } as const,
  baselineSince: null,
  shorts: new Map(),
})

/** A reading at each step; deposits and credits go on while the main head that is known stays behind. */
async function judgedAfter(head: { height: number; blockTime: number | null }) {
  const kernel = createTestKernel({ start: 1_000_000, config: { bridge } })
  const { clock, cursors, db, list } = kernel
  const watch = openEscrowWatch(kernel)
  cursors.write({ ...cursors.read(), history: { ...cursors.read().history, done: true } })
  for (const { id } of toStreams(watch)) saveStream(db, { id, cursor: 1_000_000, known: null, deepAt: 1 })
  const balanceAt = (height: number) => BigInt(1_000 + (height - 100) * 5)
  const balances = {
    ...kernel,
    ...ofNode(kernel),
    watch,
    isCanonical: true,
    balances: {
      ...unread,
      read: (_holdings: unknown, height: number | null) => {
        const at = height ?? 0
        return Promise.resolve({ low: at, high: at, readAt: clock.now(), balances: [balanceAt(at)] })
      },
      readAt: (_holding: unknown, height: number) => Promise.resolve(balanceAt(height)),
    },
  }
  const poll = async () => {
    list.readAt = clock.now()
    await pollBalances(balances, noSignal)
  }
  setMainHead(db, 100, clock.now(), 1_000_000)
  await poll()
  // A deposit of 5 in each block of a second, credited five seconds later.
  for (let n = 1; n <= 400; n += 1)
    saveOwedLeg(db, `t${n}`, {
      key: `t${n}`,
      token,
      isCredit: true,
      less: 0n,
      more: 0n,
      amount: 5n,
      mainHash: `0x${n}`,
      mainHeight: 100 + n,
      mainTime: 1_000_000 + n * 1_000,
      zoneTime: 1_005_000 + n * 1_000,
    })
  await clock.advance(200_000)
  setMainHead(db, head.height, clock.now(), head.blockTime)
  await poll()
  await clock.advance(120_000)
  await poll()
  const [judged] = listEscrowTokens(db)
  db.close()
  return judged?.judged
}

test('balances of a head that was not read for minutes are held against what was owed then', async () => {
  expect(await judgedAfter({ height: 110, blockTime: 1_010_000 })).toMatchObject({
    height: 110,
    holdings: 1_050n,
    owed: 1_025n,
  })
})

test('balances of a fresh head are held against what is owed now', async () => {
  expect(await judgedAfter({ height: 300, blockTime: 1_200_000 })).toMatchObject({
    height: 300,
    holdings: 2_000n,
    owed: 1_975n,
  })
})

describe('of a node that does not say when its block was made', () => {
  async function readBehind(blocks: number) {
    const kernel = createTestKernel({ start: 1_000_000, config: { bridge } })
    const { clock, db } = kernel
    setMainHead(db, 1_000, clock.now(), 1_000_000)
    const high = 1_000 - blocks
    const read = { low: high, high, readAt: clock.now(), balances: [1_000n] }
    const refuse = () => Promise.reject(new MonitorError('source.refused', 'no such method'))
    const of = {
      ...kernel,
      watch: openEscrowWatch(kernel),
      balances: {
        read: () => Promise.resolve(read),
        readAt: () => Promise.resolve(null),
        timeOf: refuse,
        readNative: () => Promise.resolve([]),
      },
      seat: { name: 'canonical', seat: createSeat([{ name: 'node', client: {} as Rpc }], clock) } as const,
      isCanonical: false,
      baselineSince: null,
      shorts: new Map(),
    }
    await pollBalances(of, noSignal)
    return listReadings(db, token, clock.now()).map(({ newestAt }) => newestAt)
  }

  test('balances near the head are those of now', async () => {
    expect(await readBehind(30)).toEqual([1_000_000])
  })

  test('those far behind it are not judged, and that is said', async () => {
    await expect(readBehind(31)).rejects.toThrow('does not say when')
  })
})

describe('semantics.md 22: a balance against the one before and the movements listed', () => {
  /** An escrow of 1,000 at block 100, from which 300 are gone since block 105; the lists show no movement of them. */
  async function open() {
    const kernel = createTestKernel({ start: 1_000_000, config: { bridge } })
    const { clock, cursors, db, list } = kernel
    const watch = openEscrowWatch(kernel)
    cursors.write({ ...cursors.read(), history: { ...cursors.read().history, done: true } })
    const balanceAt = (height: number) => (height < 105 ? 1_000n : 700n)
    const world = { low: 100, high: 100, isListRead: true }
    const balances = {
      ...kernel,
      watch,
      balances: {
        read: () => {
          const { low, high } = world
          return Promise.resolve({ low, high, readAt: clock.now(), balances: [balanceAt(high)] })
        },
        readAt: (_holding: unknown, height: number) => Promise.resolve(balanceAt(height)),
        timeOf: () => Promise.resolve(null),
        readNative: () => Promise.resolve([]),
      },
      seat: { name: 'canonical', seat: createSeat([{ name: 'node', client: {} as Rpc }], clock) } as const,
      isCanonical: false,
      baselineSince: null,
      shorts: new Map(),
    }
    const poll = async () => {
      if (world.isListRead) list.readAt = clock.now()
      await pollBalances(balances, noSignal)
    }
    const readAt = async (low: number, high: number, laterMs: number) => {
      Object.assign(world, { low, high })
      await clock.advance(laterMs)
      setMainHead(db, high, clock.now(), clock.now())
      for (const { id } of toStreams(watch)) saveStream(db, { id, cursor: 1_000_000, known: null, deepAt: 1 })
      await poll()
    }
    await readAt(100, 100, 0)
    return {
      world,
      readAt,
      move: (amount: number, height: number) => {
        const net = toDecimal(`${amount}`)
        if (net === null) throw new Error('no amount')
        const flow = { escrow, token, hash: hash(`${height}`), height, at: clock.now(), party: '', gross: [] }
        saveFlows(db, [{ ...flow, net, outward: net }], clock.now(), 0)
      },
      pay: (amount: number, height: number) => {
        const main = { mainHash: hash(`${height}`), mainHeight: height, mainTime: clock.now() }
        const record = toRecord({ ...main, token, amountRaw: BigInt(amount), value: `${amount}` })
        kernel.ledger.recordAnswer([record], clock.now())
        const key = kernel.ledger.listTransfers({ limit: 1 })[0]?.key ?? ''
        const leg = { token, isCredit: false, less: 0n, more: 0n, amount: BigInt(amount) }
        saveOwedLeg(db, key, { key, ...leg, ...main, zoneTime: clock.now() })
      },
      gaps: () =>
        listDueFlows(db, clock.now() + 86_400_000)
          .filter(({ fromHeight }) => fromHeight !== null)
          .map((flow) => [formatDecimal(flow.net), flow.fromHeight, flow.height]),
    }
  }

  test('is told when a third reading in a row lacks it, narrowed to its block', async () => {
    const { gaps, readAt } = await open()
    for (const height of [101, 110, 111, 112]) await readAt(height, height, 61_000)
    expect(gaps()).toEqual([])
    await readAt(113, 113, 61_000)
    expect(gaps()).toEqual([['-300', 104, 105]])
  })

  test('is told when readings have lacked it for a minute, however many there are', async () => {
    const { gaps, readAt } = await open()
    const told = []
    for (let n = 0; n < 14; n += 1) {
      await readAt(110 + n, 110 + n, 10_000)
      told.push(gaps().length)
    }
    // Each reading is judged a minute later.
    expect(told.indexOf(1)).toBe(12)
  })

  test('makes up one of the blocks that the reading may be of', async () => {
    const { gaps, move, readAt } = await open()
    move(-300, 105)
    move(50, 115)
    for (let n = 0; n < 5; n += 1) await readAt(110, 115, 61_000)
    expect(gaps()).toEqual([])
    for (let n = 0; n < 4; n += 1) await readAt(115, 115, 61_000)
    expect(gaps()).toEqual([['0', 114, 115]])
  })

  test('counts a payout that the records know and the lists show once, one that no list shows may have moved it', async () => {
    const said = async (paid: number, listed: number) => {
      const { gaps, move, pay, readAt } = await open()
      pay(paid, 105)
      if (listed > 0) move(-listed, 105)
      for (const height of [110, 111, 112, 113, 114]) await readAt(height, height, 61_000)
      return gaps()
    }
    // As much again is gone as the payout moved.
    expect(await said(150, 150)).toEqual([['-300', 104, 105]])
    expect(await said(300, 0)).toEqual([])
  })

  test('is judged when the records were read up to it', async () => {
    const { gaps, readAt, world } = await open()
    world.isListRead = false
    for (const height of [110, 111, 112, 113, 114]) await readAt(height, height, 61_000)
    expect(gaps()).toEqual([])
    world.isListRead = true
    for (const height of [115, 116, 117]) await readAt(height, height, 61_000)
    expect(gaps()).toEqual([['-300', 104, 105]])
  })
})

test('semantics.md 41: what no list of movements shows is held against what is owed once the zone chain is shown up to it', async () => {
  const kernel = createTestKernel({ start: 1_000_000, config: { bridge } })
  const { clock, cursors, db, list } = kernel
  cursors.write({ ...cursors.read(), history: { ...cursors.read().history, done: true } })
  let held = 1_000n
  const of = {
    ...kernel,
    ...ofNode(kernel),
    watch: openEscrowWatch(kernel),
    isCanonical: false,
    balances: {
      ...unread,
      read: () => Promise.resolve({ low: 100, high: 100, readAt: clock.now(), balances: [held] }),
      readAt: () => Promise.resolve(held),
    },
  }
  setMainHead(db, 100, clock.now(), clock.now())
  let zoneHeight = 1
  const pollFor = async (minutes: number, isZoneShown: boolean) => {
    for (let n = 0; n < minutes; n += 1) {
      await clock.advance(60_000)
      if (isZoneShown) zoneHeight += 1
      recordHead(db, 'zone', { height: zoneHeight, blockTime: clock.now(), at: clock.now() })
      list.readAt = clock.now()
      await pollBalances(of, noSignal)
    }
    return listEscrowTokens(db)[0]?.judged?.holdings
  }
  expect(await pollFor(5, true)).toBe(1_000n)
  held = 400n
  expect(await pollFor(9, false)).toBe(1_000n)
  expect(await pollFor(1, true)).toBe(400n)
  db.close()
})
