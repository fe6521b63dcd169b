import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../src/bridge/observation.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { findExtra, sampleItems } from '../../../src/meaning/extraItems.ts'
import type { LearnedActions } from '../../../src/meaning/learnedActions.ts'
import { bundle, createLessons, user } from './bundle.ts'

const item = (amount: number, to: number, more: object = {}) => ({
  kind: 'exit',
  sum: String(amount * 1_000_000),
  beneficiary: user(to),
  ...more,
})

/** Of a list that shows withdrawals before they are paid. */
const early = (...of: Parameters<typeof bundle>) =>
  bundle(...of).map((one) => ({ ...one, firstSeenAt: 1_000 }))

/** What five single withdrawals that match taught, beside items that stand for something else. */
function taught(
  direction: Observation['direction'] = 'ZoneToMain',
  beside: readonly object[] = [],
): LearnedActions {
  const lessons = createLessons()
  for (let n = 0; n < 10; n += 1) {
    const action = { exits: [item(50 + n, 30 + n), ...beside] }
    const [one] = early([{ amount: 50 + n, to: 30 + n, direction }], action)
    if (one === undefined) continue
    if (n < 5) lessons.teach(one, { exits: [item(50 + n, 30 + n)] })
    lessons.add(sampleItems(one, [one], { learned: lessons, fees: [], now: Infinity, isTold: true }))
  }
  return lessons
}

const find = (transfers: readonly Transfer[], learned = taught(), at = 0, now = Infinity) => {
  const extra = findExtra(transfers[at] as Transfer, transfers, {
    learned,
    fees: [],
    now,
    listedUntil: Infinity,
  })
  return extra === null || extra === 'held' ? extra : extra.all
}

describe('what a zone transaction does beyond its records', () => {
  test('is what stands in the words of one that has a record', () => {
    const exits = [item(1, 1), item(2, 2), item(3, 3, { kind: 'send' }), item(4, 4, { note: 'tip' })]
    expect(find(early([{ amount: 1, to: 1 }], { exits }))).toBe(3_000_000n)
  })

  test('is each of those that are equal', () => {
    const exits = [item(1, 1), item(1, 1), item(1, 1)]
    expect(find(early([{ amount: 1, to: 1 }], { exits }))).toBe(3_000_000n)
  })

  test('is nothing where each has a record, failed ones too', () => {
    const exits = [item(1, 1), item(2, 2)]
    const rows = [
      { amount: 1, to: 1 },
      { amount: 2, to: 2, status: 'failed' as const },
    ]
    expect(find(early(rows, { exits }))).toBeNull()
  })

  test('is nothing where the chain alone shows it', () => {
    const rows = [
      { amount: 1, to: 1 },
      { amount: 2, to: 2 },
    ]
    const [listed, shown] = early(rows, { exits: [item(1, 1), item(2, 2)] })
    expect(listed && shown && find([listed, { ...shown, isListed: false }])).toBeNull()
  })

  test('is nothing where a record disagrees with its item, for that is told', () => {
    expect(find(early([{ amount: 7, to: 1 }], { exits: [item(1, 1), item(2, 2)] }))).toBeNull()
  })

  test('is nothing of a batch, whose one record stands for several', () => {
    const rows = [{ amount: 1, to: 1, crossType: 'BatchWithdraw' }]
    expect(find(early(rows, { exits: [item(1, 1), item(2, 2)] }))).toBeNull()
  })

  test('is nothing where such items stand beside each withdrawal', () => {
    const learned = taught('ZoneToMain', [item(1, 99)])
    expect(find(early([{ amount: 5, to: 1 }], { exits: [item(5, 1), item(1, 99)] }), learned)).toBeNull()
  })

  test('is nothing of withdrawals where the list shows none before it is paid', () => {
    const [one] = early([{ amount: 1, to: 1 }], { exits: [item(1, 1), item(2, 2)] })
    const late = one?.main && { ...one, firstSeenAt: (one.main.time ?? 0) + 1 }
    expect(late && find([late])).toBeNull()
  })
})

test('what others of the transaction may still explain, or is told, teaches nothing', () => {
  const [one] = early([{ amount: 1, to: 1 }], { exits: [item(1, 1), item(2, 2)] })
  const sample = (now: number, isTold = false) =>
    one && sampleItems(one, [one], { learned: taught(), fees: [], now, isTold }).map(({ value }) => value)
  expect([sample(one?.firstSeenAt ?? 0), sample(Infinity, true), sample(Infinity)]).toEqual([
    [],
    [],
    ['other'],
  ])
})

describe('a credit beside those of deposits', () => {
  const exits = [item(1, 1), item(2, 2), item(3, 3), item(3, 3)]
  const all = early(
    [1, 2].map((n) => ({ amount: n, to: n, direction: 'MainToZone' as const })),
    { exits },
  )
  const since = all[0]?.firstSeenAt ?? 0
  const learned = taught('MainToZone')

  test('waits for further records, and one of the deposits answers for it', () => {
    const at = (index: number, ms: number) => find(all, learned, index, since + ms)
    expect([at(0, 299_999), at(0, 300_000), at(1, 300_000)]).toEqual(['held', 9_000_000n, null])
  })

  test('waits for the list', () => {
    const settings = { learned, fees: [], now: Infinity }
    expect(
      [null, 1].map((listedUntil) => findExtra(all[0] as Transfer, all, { ...settings, listedUntil })),
    ).toEqual(['held', 'held'])
  })

  test('is found beside a withdrawal of the same transaction', () => {
    const [other] = early([{ amount: 1, to: 1 }], { exits })
    const beside = other && [{ ...other, key: 's0' }, ...all]
    expect(beside && find(beside, learned, 1)).toBe(9_000_000n)
  })
})
