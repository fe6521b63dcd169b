import { expect, test } from 'vitest'
import { formatDecimal, toDecimal } from '../../../../../src/bridge/decimal.ts'
import { listFallen } from '../../../../../src/checks/escrow/balances/fallen.ts'
import { saveFlows } from '../../../../../src/checks/escrow/flows/flowStore.ts'
import { saveAnchor, saveReading } from '../../../../../src/checks/escrow/flows/readingStore.ts'
import { openEscrowWatch } from '../../../../../src/checks/escrow/watched/watch.ts'
import { noBridge } from '../../../../support/appConfig.ts'
import { createTestKernel } from '../../support.ts'

const token = `0x${'aa'.repeat(20)}`
const wrapper = `0x${'cc'.repeat(20)}`
const escrow = `0x${'bb'.repeat(20)}`
const other = `0x${'bc'.repeat(20)}`
const anchor = { height: 100, balance: 1_000n, readAt: 900_000, misses: 0, missedAt: null }
const readAt = 1_000_000
const waitedAt = readAt + 120_000

function setUp() {
  const places = [escrow, other].flatMap((address) =>
    [token, wrapper, ''].map((of) => ({ address, token: of, baseline: null })),
  )
  const tokens = [{ address: token, symbol: 'T', decimals: 0 }]
  const bridge = { ...noBridge, escrows: places, tokens, wrappedNative: wrapper }
  const kernel = createTestKernel({ config: { bridge } })
  const { db } = kernel
  const watch = openEscrowWatch(kernel)
  for (const one of places) saveAnchor(db, one.address, one.token, anchor)
  /** What the escrow and the other hold at block 110, unless it says another span. */
  const hold = (of: string, held: bigint, rest = 1_000n, span = { low: 110, high: 110 }) => {
    const balances = { [escrow]: held, [other]: rest }
    saveReading(db, { token: of, ...span, readAt, newestAt: readAt, balances })
  }
  const move = (amount: string, height: number) => {
    const net = toDecimal(amount) ?? expect.unreachable()
    const flow = { escrow, token, hash: `0x${height}`, height, at: readAt, net, party: '', gross: [] }
    saveFlows(db, [{ ...flow, outward: { ...net, digits: -net.digits } }], readAt, 0)
  }
  const fallen = (now = waitedAt, zone: number | null = now) =>
    listFallen(db, watch, { now, zone }).map(
      ({ token: of, outward, waitsFor }) => `${formatDecimal(outward)} of ${of || 'native'}, ${waitsFor}`,
    )
  return { hold, move, fallen }
}

test('what a balance fell by waits for the list once its reading has waited for two minutes', () => {
  const { hold, fallen } = setUp()
  hold(token, 400n)
  expect(fallen(waitedAt - 1)).toEqual([])
  expect(fallen()).toEqual([`600 of ${token}, list`])
})

test('it waits for the zone chain where that is shown up to before the reading, or was never read', () => {
  const { hold, fallen } = setUp()
  hold(token, 400n)
  expect(fallen(waitedAt, readAt - 1)).toEqual([`600 of ${token}, zone`])
  expect(fallen(waitedAt, readAt)).toEqual([`600 of ${token}, list`])
  expect(fallen(waitedAt, null)).toEqual([`600 of ${token}, zone`])
})

test('listed movements are none of it, and what rose is no fall', () => {
  const { hold, move, fallen } = setUp()
  hold(token, 400n)
  move('-550', 105)
  expect(fallen()).toEqual([`50 of ${token}, list`])
  move('-50', 110)
  expect(fallen()).toEqual([])
  move('-50', 109)
  expect(fallen()).toEqual([])
})

test('a balance of one of several blocks is held against the one that accuses least', () => {
  const { hold, move, fallen } = setUp()
  hold(token, 400n, 1_000n, { low: 109, high: 111 })
  move('-590', 108)
  move('-10', 111)
  expect(fallen()).toEqual([])
})

test('what one escrow passed to another is no fall', () => {
  const { hold, fallen } = setUp()
  hold(token, 400n, 1_600n)
  expect(fallen()).toEqual([])
})

test('native currency that was wrapped is no fall, and what left beside is', () => {
  const { hold, fallen } = setUp()
  hold('', 300n)
  hold(wrapper, 1_600n)
  expect(fallen()).toEqual([`0.0000000000000001 of ${wrapper}, list`])
})

test('of readings that waited the newest counts', () => {
  const { hold, fallen } = setUp()
  hold(token, 400n)
  hold(token, 1_000n)
  expect(fallen()).toEqual([])
})
