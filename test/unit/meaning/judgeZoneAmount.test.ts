import { describe, expect, test } from 'vitest'
import type { LegEvidence, Transfer } from '../../../src/bridge/transfer.ts'
import { judgeZoneAmount } from '../../../src/meaning/judgeZoneAmount.ts'
import { toRecord, toZoneWord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

const unit = 1_000_000n
const record = transferOf([toRecord({ amountRaw: 5n * unit })])
const minute = 60_000

/** Whether each of these amounts, of one zone transaction, is other than what the zone says. */
function judge(
  amounts: readonly number[],
  of: {
    readonly said: number
    readonly direction?: Transfer['direction']
    readonly more?: Partial<Transfer>
    readonly fee?: string
    readonly afterMs?: number
    readonly finer?: bigint
    readonly word?: Partial<LegEvidence>
  },
): boolean[] {
  const { said, direction = 'ZoneToMain', more = {}, fee, afterMs = 2 * minute, finer = 1n, word = {} } = of
  const by = {
    ...toZoneWord(record, { amount: String(said), amountRaw: BigInt(said) * unit * finer }),
    ...word,
  }
  const transfers = amounts.map(
    (amount, n): Transfer => ({
      ...record,
      key: `t${n}`,
      direction,
      token: { ...record.token, decimals: 6 },
      amount: String(amount),
      amountRaw: BigInt(amount) * unit,
      isListed: true,
      evidence: [by],
      ...(n === 1 && more),
    }),
  )
  const fees = fee === undefined ? [] : [{ token: record.token.address, direction: 'ZoneToMain', max: fee }]
  const now = record.firstSeenAt + afterMs
  return transfers.map((one) => judgeZoneAmount(one, transfers, { fees, learned: null, now }) !== null)
}

test.each([
  ['each paid more than the zone took', [200, 199], { said: 1 }, true],
  ['one paid more than the zone took, beside one of dust', [200, 3], { said: 1 }, true],
  ['the same, counted in finer units', [200, 3], { said: 1, finer: 10n ** 12n }, true],
  ['the zone took the sum', [2, 3], { said: 5 }, false],
  ['the zone took more than is listed so far', [2, 3], { said: 50 }, false],
  ['the zone names one of them', [2, 3], { said: 3 }, false],
  ['the zone names one of them before its fee', [2, 3], { said: 4, fee: '1' }, false],
  ['the zone names one of them in finer units', [2, 3], { said: 3, finer: 10n ** 12n }, false],
  [
    'they are of several tokens',
    [200, 3],
    { said: 1, more: { token: { ...record.token, address: '0xee' } } },
    false,
  ],
  [
    'one of them is a batch',
    [200, 3],
    { said: 1, more: { crossType: 'BatchWithdraw', batchDetail: '[]' } },
    false,
  ],
  ['each paid more than the zone took, just now', [200, 199], { said: 1, afterMs: 1_000 }, true],
  ['more was credited than came', [1, 1], { said: 400, direction: 'MainToZone' }, true],
  [
    'more was credited than came, and others may be about to be listed',
    [1, 1],
    { said: 400, direction: 'MainToZone', afterMs: 50_000 },
    false,
  ],
  ['less was credited than came', [1, 1], { said: 1, direction: 'MainToZone' }, false],
] as const)('of a bundle: %s', (_, amounts, of, isOther) => {
  expect(judge(amounts, of)).toEqual(amounts.map(() => isOther))
})

describe('of a bundle of two tokens the zone names the amount of one', () => {
  const other = { token: { ...record.token, address: '0xee' } }
  test.each([
    ['and nothing else', {}, [false, true]],
    ['in an action of one thing', { action: '{"type":"withdraw","ids":["7"]}' }, [false, true]],
    [
      'in an action of several',
      { action: '{"type":"withdraw","items":[{"a":"1"},{"a":"2"}]}' },
      [false, false],
    ],
  ])('%s', (_, word, isOther) => {
    expect(judge([100, 7], { said: 100, more: other, word })).toEqual(isOther)
  })

  test('and is as much of the other: of the one that was seen first', () => {
    const later = { ...other, firstSeenAt: record.firstSeenAt + 1 }
    const earlier = { ...other, firstSeenAt: record.firstSeenAt - 1 }
    expect(judge([100, 100], { said: 100, more: later })).toEqual([false, true])
    expect(judge([100, 100], { said: 100, more: earlier })).toEqual([true, false])
  })

  test('which of them it is does not matter, and of neither it says nothing', () => {
    expect(judge([7, 100], { said: 100, more: other })).toEqual([true, false])
    expect(judge([7, 100], { said: 107, more: other })).toEqual([false, false])
  })
})

test('what failed was paid nothing, though the zone may have taken it', () => {
  const failed = { status: 'failed' } as const
  expect(judge([200, 300], { said: 500, more: failed })).toEqual([false, false])
  expect(judge([200, 300], { said: 200, more: failed })).toEqual([false, false])
  expect(judge([200, 300], { said: 100, more: failed })).toEqual([true, false])
})
