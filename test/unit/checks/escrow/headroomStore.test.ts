import { expect, test } from 'vitest'
import { noAmount, toDecimal } from '../../../../src/bridge/decimal.ts'
import { saveFlows, settleFlow } from '../../../../src/checks/escrow/flows/flowStore.ts'
import { createHeadroomReader, noteHeadroom } from '../../../../src/checks/escrow/headroomStore.ts'
import { saveOwedLeg } from '../../../../src/checks/escrow/owed/owedLegs.ts'
import { noteHeld, startOwed } from '../../../../src/checks/escrow/owed/owedStore.ts'
import { openEscrowWatch } from '../../../../src/checks/escrow/watched/watch.ts'
import { noteCoverage } from '../../../../src/kernel/running/coverage.ts'
import { createLearned } from '../../../../src/ledger/lessons/learned.ts'
import { openDatabase } from '../../../../src/store/database.ts'

const token = `0x${'aa'.repeat(20)}`
const hot = `0x${'b1'.repeat(20)}`
const cold = `0x${'b2'.repeat(20)}`
const hourMs = 3_600_000
const now = 10 * hourMs

/** A ledger with escrows of one token of no decimals. */
function setUp(...addresses: string[]) {
  return open(addresses, { isNamed: true })
}

function open(addresses: readonly string[], { isNamed }: { readonly isNamed: boolean }) {
  const db = openDatabase(':memory:')
  const bridge = {
    contracts: addresses,
    escrows: isNamed ? addresses.map((address) => ({ address, token, baseline: null })) : [],
    tokens: [{ address: token, symbol: 'T', decimals: 0 }],
    fees: [],
  }
  const watch = openEscrowWatch({ db, learned: createLearned(db), config: { bridge } })
  const of = { db, watch }
  let keys = 0
  return {
    db,
    /** A withdrawal that left the zone, and was paid at a height unless that is null. */
    withdraw: (
      amount: bigint | null,
      zoneTime: number,
      paid: { hash: string; height: number } | null = null,
    ): void => {
      const key = `t${(keys += 1)}`
      const main = { mainHash: paid?.hash ?? null, mainHeight: paid?.height ?? null, mainTime: null }
      // What its transaction is called stands in its row.
      if (paid !== null)
        db.prepare(
          "INSERT INTO transfers (key, loose, main_hash, direction, state, token, source_address, target_address, origin_at, first_seen_at, changed_at, read_at, body) VALUES (?, 0, ?, 'ZoneToMain', 'completed', ?, '', '', 0, 0, 0, 0, '{}')",
        ).run(keys, paid.hash, token)
      saveOwedLeg(db, key, { key, token, isCredit: false, amount, less: 0n, more: 0n, ...main, zoneTime })
    },
    move: (
      escrow: string,
      net: string,
      hash: string,
      verdict: 'explained' | 'unexplained' | 'open' = 'explained',
    ): void => {
      const amount = toDecimal(net) ?? noAmount
      const outward = { ...amount, digits: -amount.digits }
      const flow = { escrow, token, hash, height: 5, at: now - 1, net: amount, outward, party: '', gross: [] }
      saveFlows(db, [flow], now, 0)
      const direction = net.startsWith('-') ? ('out' as const) : ('in' as const)
      const judged = { reason: '', checkAt: null, absence: null, waitsFor: null, unexplained: null }
      if (verdict !== 'open') settleFlow(db, flow, { ...judged, verdict, direction }, now)
    },
    read: (balances: Record<string, bigint>) => {
      const reading = { id: 1, token, low: 100, high: 100, readAt: now, newestAt: now, balances }
      noteHeadroom(
        of,
        reading,
        addresses.map((address) => ({ address, token })),
      )
      const [room] = createHeadroomReader(of)()
      return room
    },
  }
}

test('on its way is what left the zone and was not paid at that block', () => {
  const { withdraw, read } = setUp(hot)
  withdraw(5n, now - 1)
  withdraw(7n, now - 2, { hash: '0x1', height: 101 })
  withdraw(11n, now - 2, { hash: '0x2', height: 100 })
  withdraw(13n, now + 1)
  expect(read({ [hot]: 50n })).toMatchObject({
    escrows: [hot],
    held: 50n,
    onItsWay: 12n,
    height: 100,
    at: now,
  })
})

test('what left and is not judged yet may have paid some of it', () => {
  const { withdraw, move, read } = setUp(hot)
  withdraw(5n, now - 1)
  move(hot, '-3', '0xf1', 'open')
  expect(read({ [hot]: 50n })?.onItsWay).toBe(2n)
})

test('a withdrawal that does not say how much makes it unknown', () => {
  const { withdraw, read } = setUp(hot)
  withdraw(null, now - 1)
  expect(read({ [hot]: 50n })?.onItsWay).toBeNull()
})

test('of several escrows the one that the newest payouts left is the one that pays', () => {
  const { withdraw, move, read } = setUp(hot, cold)
  withdraw(5n, now - hourMs, { hash: '0xf1', height: 50 })
  move(hot, '-5', '0xf1')
  // What one sends the other is no payout.
  move(cold, '-20', '0xf2')
  move(hot, '20', '0xf2')
  expect(read({ [hot]: 15n, [cold]: 900n })).toMatchObject({ escrows: [hot], held: 15n })
})

test('of several escrows none is taken for the one that pays before one was seen to', () => {
  expect(setUp(hot, cold).read({ [hot]: 15n, [cold]: 900n })?.escrows).toEqual([])
})

test.each([
  { name: 'an escrow that is named', isNamed: true, startedAt: now - 10, pays: true },
  { name: 'a contract that nobody named as one', isNamed: false, startedAt: now - 10, pays: false },
  { name: 'the same, where counting began later', isNamed: false, startedAt: now, pays: true },
])('of one that payouts were not seen to leave, $name: pays $pays', ({ isNamed, startedAt, pays }) => {
  const { db, withdraw, read } = open([hot], { isNamed })
  startOwed(db, token, { height: 1, time: startedAt }, 50n)
  withdraw(5n, now - 5, { hash: '0xf1', height: 50 })
  expect(read({ [hot]: 50n })?.escrows).toEqual(pays ? [hot] : [])
})

test('where nothing ever came to rest there is nothing to spare, and nothing lacks', () => {
  const { db, withdraw, read } = open([hot], { isNamed: false })
  startOwed(db, token, { height: 1, time: now - 10 }, 0n)
  withdraw(5n, now - 5)
  expect(read({ [hot]: 0n })?.held).toBe(0n)
  noteHeld(db, token, false)
  expect(read({ [hot]: 0n })).toBeUndefined()
})

test('the flow is what transfers brought and asked for; a refill is none', () => {
  const { db, withdraw, move, read } = setUp(hot)
  noteCoverage(db, 'transfers', now - hourMs, 1)
  noteCoverage(db, 'transfers', now, hourMs)
  withdraw(5n, now - 1)
  withdraw(7n, now - hourMs, { hash: '0x1', height: 90 })
  withdraw(100n, now - hourMs - 1, { hash: '0x2', height: 80 })
  move(hot, '4', '0xd1')
  move(hot, '500', '0xd2', 'unexplained')
  expect(read({ [hot]: 50n })?.flow(hourMs)).toEqual({ in: 4n, out: 12n, largest: 7n, count: 2 })
})

test('a window that was not read all through says nothing of the flow', () => {
  const { db, withdraw, read } = setUp(hot)
  noteCoverage(db, 'transfers', now - hourMs / 2, 1)
  noteCoverage(db, 'transfers', now, hourMs)
  withdraw(5n, now - 1)
  expect(read({ [hot]: 50n })?.flow(hourMs)).toBeNull()
  expect(read({ [hot]: 50n })?.flow(hourMs / 2)).not.toBeNull()
})
