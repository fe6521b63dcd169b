import { fc } from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { type Crossing, findImbalance, openFlows, toCrossing } from '../../../src/report/reconcile.ts'
import { completed, pendingSince } from '../rules/transfers.ts'

const window = { from: 1_000, until: 2_000 }
type Moving = Pick<Crossing, 'direction' | 'token' | 'amountRaw' | 'startedAt' | 'end'>
const crossing = (startedAt: number, endAt: number | null, overrides: Partial<Moving> = {}): Moving => ({
  direction: 'ZoneToMain',
  token: '0xcc',
  amountRaw: 5n,
  startedAt,
  end: endAt === null ? null : { how: 'completed', at: endAt },
  ...overrides,
})
function reconcile(crossings: readonly Moving[], of: Parameters<typeof openFlows>[0]) {
  const flows = openFlows(of)
  for (const each of crossings) flows.add(each)
  return flows.lines()
}

const one = (count: number) => ({ count, raw: BigInt(count * 5), unknown: 0 })

describe('openFlows', () => {
  test.each([
    ['started and completed within', crossing(1_000, 1_999), { started: 1, completed: 1 }],
    ['started before, completed within', crossing(999, 1_000), { opening: 1, completed: 1 }],
    ['started within, completed after', crossing(1_999, 2_000), { started: 1, closing: 1 }],
    ['under way all the time', crossing(1, null), { opening: 1, closing: 1 }],
    ['failed within', crossing(1, null, { end: { how: 'failed', at: 1_500 } }), { opening: 1, failed: 1 }],
  ])('%s', (_, given, expected) => {
    const zero = { opening: 0, started: 0, completed: 0, failed: 0, closing: 0 }
    const counts = Object.fromEntries(
      Object.entries({ ...zero, ...expected }).map(([part, count]) => [part, one(count)]),
    )
    expect(reconcile([given], window)).toEqual([{ direction: 'ZoneToMain', token: '0xcc', ...counts }])
  })

  test.each([
    ['that ended before', crossing(1, 999)],
    ['that starts after', crossing(2_000, null)],
  ])('what lies outside is no line: a transfer %s', (_, given) =>
    expect(reconcile([given], window)).toEqual([]),
  )

  test('an unknown amount is counted, and said to be missing in the sum', () => {
    const [line] = reconcile([crossing(1_500, null), crossing(1_500, null, { amountRaw: null })], window)
    expect(line?.started).toEqual({ count: 2, raw: 5n, unknown: 1 })
    expect(line?.closing).toEqual({ count: 2, raw: 5n, unknown: 1 })
  })

  const anyCrossing = fc.record({
    direction: fc.constantFrom('ZoneToMain' as const, 'MainToZone' as const),
    token: fc.constantFrom('0xaa', '0xbb', ''),
    amountRaw: fc.option(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })),
    startedAt: fc.integer({ min: 0, max: 9_999 }),
    end: fc.option(
      fc.record({ how: fc.constantFrom('completed' as const, 'failed' as const), after: fc.nat(5_000) }),
    ),
  })

  test('the identity holds in each window, and each closing is the next opening', () => {
    fc.assert(
      fc.property(fc.array(anyCrossing), fc.uniqueArray(fc.nat(10_000), { minLength: 3 }), (given, cuts) => {
        const crossings = given.map(({ end, ...rest }) => ({
          ...rest,
          end: end && { how: end.how, at: rest.startedAt + end.after },
        }))
        const edges = cuts.sort((a, b) => a - b)
        const windows = edges.slice(1).map((until, index) => ({ from: edges[index] as number, until }))
        const days = windows.map((each) => reconcile(crossings, each))
        for (const line of days.flat()) expect(findImbalance(line)).toBeNull()
        const inFlight = (lines: (typeof days)[number], part: 'opening' | 'closing') =>
          lines.filter((line) => line[part].count > 0).map((line) => [line.token, line.direction, line[part]])
        for (const [index, day] of days.slice(1).entries()) {
          expect(inFlight(day, 'opening')).toEqual(inFlight(days[index] as typeof day, 'closing'))
        }
      }),
    )
  })
})

test('a line that does not add up is seen', () => {
  const [line] = reconcile([crossing(1_500, null)], window)
  expect(line && findImbalance({ ...line, closing: one(2) })).toBe(
    '-1 transfers and -5 base units are unaccounted for',
  )
})

describe('toCrossing', () => {
  test('a completed transfer ends with its destination leg, never before it began', () => {
    const transfer = completed()
    expect(toCrossing(transfer, {})?.end).toEqual({ how: 'completed', at: transfer.destinationAt })
    const early = { ...transfer, originAt: 9_000_000_000_000 }
    expect(toCrossing(early, {})?.end?.at).toBe(9_000_000_000_000)
  })

  test('one of which nobody knows the token is in no sum of the native currency', () => {
    const pending = pendingSince(1_000, 2_000)
    const native = { ...pending, token: { ...pending.token, address: '', symbol: null } }
    const unknown = { ...native, token: { ...native.token, isUnknown: true as const } }
    expect(toCrossing(native, {})).toMatchObject({ token: '', held: { address: '' } })
    expect(toCrossing(unknown, {})).toMatchObject({ token: 'unknown', held: { address: 'unknown' } })
  })

  test('a pending one is on its way, an unbacked one never set out', () => {
    const pending = pendingSince(1_000, 2_000)
    expect(toCrossing(pending, {})).toMatchObject({ startedAt: 1_000, end: null })
    expect(toCrossing({ ...pending, state: 'unbacked' }, {})).toBeNull()
  })
})
