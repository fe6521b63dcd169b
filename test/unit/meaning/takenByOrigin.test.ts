import { describe, expect, test } from 'vitest'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { sampleAction } from '../../../src/meaning/learnedActions.ts'
import { takenByOrigin } from '../../../src/meaning/takenByOrigin.ts'
import { readAction } from '../../../src/meaning/zoneAction.ts'
import { toRecord, toZoneWord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

const user = (n: number) => `0x${String(n).padStart(40, 'a')}`

/** Payouts of one origin, of a zone transaction that took `said` in all. */
function payouts(amounts: readonly number[], said: number, actions: readonly object[]): Transfer[] {
  return amounts.map((amount, n) => {
    const record = toRecord({
      amountRaw: BigInt(amount) * 1_000_000n,
      value: String(amount),
      targetAddress: user(1),
    })
    const one = transferOf([record])
    const by = toZoneWord(one, { amount: String(said), amountRaw: BigInt(said) * 1_000_000n })
    return { ...one, key: `t${n}`, evidence: [{ ...by, action: JSON.stringify({ actions }) }] }
  })
}

const item = (amount: number, to: number) => ({ amount: String(amount * 1_000_000), destination: user(to) })

/** Five single withdrawals that match; of so many the zone's amount was the record's, and was not. */
function taught([equal, other]: readonly [number, number]) {
  const words = new Map<string, Map<string, number>>()
  for (let n = 0; n < 5; n += 1) {
    const record = toRecord({ amountRaw: BigInt(50 + n) * 1_000_000n, targetAddress: user(30 + n) })
    const items = readAction(JSON.stringify(item(50 + n, 30 + n)))
    for (const { name, value } of sampleAction(transferOf([record]), items, { fees: [] })) {
      const of = words.get(name) ?? new Map<string, number>()
      words.set(name, of.set(value, (of.get(value) ?? 0) + 1))
    }
  }
  return {
    actionsOf: (name: string) => words.get(name) ?? new Map<string, number>(),
    straysOf: () => 0,
    suspendedAt: () => 0,
    zoneAmounts: () => ({ equal, other }),
  }
}

const take = (
  of: readonly [amounts: readonly number[], said: number, actions: readonly object[]],
  learned: ReturnType<typeof taught> | null = taught([30, 0]),
  fees: Parameters<typeof takenByOrigin>[1]['fees'] = [],
) => {
  const taken = takenByOrigin(payouts(...of), { fees, learned })
  return taken === null ? null : Number(taken.amount / 1_000_000n)
}
const send = { type: 'send', qty: '900000000', receiver: user(2) }

describe('what one origin took', () => {
  test.each([
    ['is its item, beside one in other words', [100, 100], 1_000, [item(100, 1), send], 100],
    ['is its item, beside ones in other words before it', [100, 100], 1_900, [send, send, item(100, 1)], 100],
    ['is its item, beside one for another', [100, 100], 1_000, [item(100, 1), item(900, 2)], 100],
    [
      'is its item, beside another amount for the same one',
      [100, 100],
      1_000,
      [item(100, 1), item(900, 1)],
      100,
    ],
    ['is its item, whatever the parts that were paid', [50, 50, 50], 1_000, [item(100, 1), send], 100],
    ['is all of its items', [100, 900], 1_000, [item(100, 1), item(900, 1)], 1_000],
    ['is both of two equal items', [100, 100], 1_100, [item(100, 1), item(100, 1), send], 200],
    ['is the whole that was paid in parts', [50, 50], 100, [item(100, 1)], 100],
    [
      'is the whole that was paid in parts, beside what takes nothing',
      [50, 50],
      100,
      [item(100, 1), send],
      100,
    ],
    [
      'is what the transaction took, where its action says nothing in known words',
      [50, 50],
      100,
      [send],
      100,
    ],
    [
      'is what the transaction took, where its item says less than any part',
      [50, 50],
      100,
      [item(1, 1)],
      100,
    ],
  ] as const)('%s', (_, amounts, said, actions, expected) => {
    expect(take([amounts, said, actions])).toBe(expected)
  })

  test('is its item with the fee that it names', () => {
    const fees = [{ token: '0xcc', direction: 'ZoneToMain', max: '60' }] as const
    expect(take([[50, 50], 1_000, [item(100, 1), send]], undefined, fees)).toBe(100)
  })

  test.each([
    ['nothing was learned', null, 1_000],
    ['too few were seen', taught([1, 1]), 1_000],
    ['it was seen to be that of the records', taught([30, 1]), 1_000],
    ['it was seen to be another than that of the records', taught([1, 30]), null],
  ])(
    'of an action without known words is the amount of the transaction unless that means something else: %s',
    (_, learned, expected) => {
      expect(take([[100, 100], 1_000, [send]], learned)).toBe(expected)
    },
  )
})
