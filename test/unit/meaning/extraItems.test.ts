import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../src/bridge/observation.ts'
import type { LegEvidence, Transfer } from '../../../src/bridge/transfer.ts'
import { type LearnedActions, sampleAction } from '../../../src/meaning/learnedActions.ts'
import { findExtra, sampleItems } from '../../../src/meaning/extraItems.ts'
import { readAction } from '../../../src/meaning/zoneAction.ts'
import { hash, toRecord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

const user = (n: number) => `0x${String(n).padStart(40, 'a')}`
const item = (amount: number, to: number, more: object = {}) => ({
  kind: 'exit',
  sum: String(amount * 1_000_000),
  beneficiary: user(to),
  ...more,
})

/** Transfers that records show, and the action of their zone transaction. */
function bundle(
  rows: readonly (Pick<Partial<Observation>, 'status' | 'crossType' | 'direction'> & {
    readonly amount: number
    readonly to: number
  })[],
  action: object,
): Transfer[] {
  const by: LegEvidence = {
    chain: 'zone',
    hash: hash('zone'),
    source: 'E9',
    at: 1_000_000,
    status: 'success',
    errorMessage: '',
    moves: null,
    action: JSON.stringify(action),
  }
  return rows.map(({ amount, to, ...more }, at) => {
    const record = toRecord({
      source: 'E12',
      zoneEventIndex: String(at),
      mainHash: hash(`m${at}`),
      amountRaw: BigInt(amount) * 1_000_000n,
      value: String(amount),
      targetAddress: user(to),
      ...more,
    })
    // The list shows it before it is paid.
    return { ...transferOf([record], [by]), key: `t${at}`, firstSeenAt: 1_000 }
  })
}

/** What five single withdrawals that match taught, beside items that stand for something else. */
function taught(
  direction: Observation['direction'] = 'ZoneToMain',
  beside: readonly object[] = [],
): LearnedActions {
  const counts = new Map<string, Map<string, number>>()
  const learned = {
    actionsOf: (name: string) => counts.get(name) ?? new Map<string, number>(),
    straysOf: () => 0,
    suspendedAt: () => 0,
  }
  for (let n = 0; n < 10; n += 1) {
    const action = { exits: [item(50 + n, 30 + n), ...beside] }
    const [one] = bundle([{ amount: 50 + n, to: 30 + n, direction }], action)
    if (one === undefined) continue
    const words =
      n < 5
        ? sampleAction(one, readAction(JSON.stringify({ exits: [item(50 + n, 30 + n)] })), { fees: [] })
        : []
    const items = sampleItems(one, [one], { learned, fees: [], now: Infinity, isTold: true })
    for (const { name, value } of [...words, ...items]) {
      const of = counts.get(name) ?? new Map<string, number>()
      counts.set(name, of.set(value, (of.get(value) ?? 0) + 1))
    }
  }
  return learned
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
    expect(find(bundle([{ amount: 1, to: 1 }], { exits }))).toBe(3_000_000n)
  })

  test('is each of those that are equal', () => {
    const exits = [item(1, 1), item(1, 1), item(1, 1)]
    expect(find(bundle([{ amount: 1, to: 1 }], { exits }))).toBe(3_000_000n)
  })

  test('is nothing where each has a record, failed ones too', () => {
    const exits = [item(1, 1), item(2, 2)]
    const rows = [
      { amount: 1, to: 1 },
      { amount: 2, to: 2, status: 'failed' as const },
    ]
    expect(find(bundle(rows, { exits }))).toBeNull()
  })

  test('is nothing where the chain alone shows it', () => {
    const rows = [
      { amount: 1, to: 1 },
      { amount: 2, to: 2 },
    ]
    const [listed, shown] = bundle(rows, { exits: [item(1, 1), item(2, 2)] })
    expect(listed && shown && find([listed, { ...shown, isListed: false }])).toBeNull()
  })

  test('is nothing where a record disagrees with its item, for that is told', () => {
    expect(find(bundle([{ amount: 7, to: 1 }], { exits: [item(1, 1), item(2, 2)] }))).toBeNull()
  })

  test('is nothing of a batch, whose one record stands for several', () => {
    const rows = [{ amount: 1, to: 1, crossType: 'BatchWithdraw' }]
    expect(find(bundle(rows, { exits: [item(1, 1), item(2, 2)] }))).toBeNull()
  })

  test('is nothing where such items stand beside each withdrawal', () => {
    const learned = taught('ZoneToMain', [item(1, 99)])
    expect(find(bundle([{ amount: 5, to: 1 }], { exits: [item(5, 1), item(1, 99)] }), learned)).toBeNull()
  })

  test('is nothing of withdrawals where the list shows none before it is paid', () => {
    const [one] = bundle([{ amount: 1, to: 1 }], { exits: [item(1, 1), item(2, 2)] })
    const late = one?.main && { ...one, firstSeenAt: (one.main.time ?? 0) + 1 }
    expect(late && find([late])).toBeNull()
  })
})

test('what others of the transaction may still explain, or is told, teaches nothing', () => {
  const [one] = bundle([{ amount: 1, to: 1 }], { exits: [item(1, 1), item(2, 2)] })
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
  const all = bundle(
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
    const [other] = bundle([{ amount: 1, to: 1 }], { exits })
    const beside = other && [{ ...other, key: 's0' }, ...all]
    expect(beside && find(beside, learned, 1)).toBe(9_000_000n)
  })
})
