import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../src/bridge/observation.ts'
import type { LegEvidence, Transfer } from '../../../src/bridge/transfer.ts'
import { type LearnedActions, sampleAction } from '../../../src/meaning/learnedActions.ts'
import { findExtraCredit, listUnlistedItems, sampleItems } from '../../../src/meaning/unlistedItems.ts'
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
    return { ...transferOf([record], [by]), key: `t${at}` }
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
    const items = sampleItems(one, [one], { learned, fees: [], isComplete: true })
    for (const { name, value } of [...words, ...items]) {
      const of = counts.get(name) ?? new Map<string, number>()
      counts.set(name, of.set(value, (of.get(value) ?? 0) + 1))
    }
  }
  return learned
}

const left = (transfers: readonly Transfer[], learned = taught()) =>
  listUnlistedItems('ZoneToMain', transfers, { learned, fees: [] }).map(
    ({ targetAddress, amountRaw, count }) => `${targetAddress} ${amountRaw} ${count}`,
  )

describe('items of a zone action that no record tells', () => {
  test('are those of the form of one that has a record', () => {
    const exits = [item(1, 1), item(2, 2), item(3, 3, { kind: 'send' }), item(4, 4, { note: 'tip' })]
    expect(left(bundle([{ amount: 1, to: 1 }], { exits }))).toEqual([`${user(2)} 2000000 1`])
  })

  test('are counted with those that are equal', () => {
    const exits = [item(1, 1), item(1, 1), item(1, 1)]
    expect(left(bundle([{ amount: 1, to: 1 }], { exits }))).toEqual([`${user(1)} 1000000 3`])
  })

  test('are none where each has a record, failed ones too', () => {
    const exits = [item(1, 1), item(2, 2)]
    expect(
      left(
        bundle(
          [
            { amount: 1, to: 1 },
            { amount: 2, to: 2, status: 'failed' },
          ],
          { exits },
        ),
      ),
    ).toEqual([])
  })

  test('are none where the chain alone shows it already', () => {
    const [listed, shown] = bundle(
      [
        { amount: 1, to: 1 },
        { amount: 2, to: 2 },
      ],
      { exits: [item(1, 1), item(2, 2)] },
    )
    expect(listed && shown && left([listed, { ...shown, isListed: false }])).toEqual([])
  })

  test('are none where a record disagrees with its item, for that is told', () => {
    expect(left(bundle([{ amount: 7, to: 1 }], { exits: [item(1, 1), item(2, 2)] }))).toEqual([])
  })

  test('are none of a batch, whose one record stands for several', () => {
    const rows = [{ amount: 1, to: 1, crossType: 'BatchWithdraw' }]
    expect(left(bundle(rows, { exits: [item(1, 1), item(2, 2)] }))).toEqual([])
  })

  test('are none where such items stand beside each withdrawal', () => {
    const learned = taught('ZoneToMain', [item(1, 99)])
    expect(left(bundle([{ amount: 5, to: 1 }], { exits: [item(5, 1), item(1, 99)] }), learned)).toEqual([])
  })
})

test('what others of the transaction may still explain teaches nothing', () => {
  const [one] = bundle([{ amount: 1, to: 1 }], { exits: [item(1, 1), item(2, 2)] })
  const sample = (isComplete: boolean) =>
    one && sampleItems(one, [one], { learned: taught(), fees: [], isComplete }).map(({ value }) => value)
  expect([sample(false), sample(true)]).toEqual([[], ['other']])
})

test('a credit beside those of deposits waits for further records, and one of the deposits answers for it', () => {
  const exits = [item(1, 1), item(2, 2), item(3, 3), item(3, 3)]
  const rows = [1, 2].map((n) => ({ amount: n, to: n, direction: 'MainToZone' as const }))
  const all = bundle(rows, { exits })
  const learned = taught('MainToZone')
  const find = (at: number, now: number) =>
    findExtraCredit(all[at] as Transfer, all, { learned, fees: [], now: (all[0]?.firstSeenAt ?? 0) + now })
  expect([find(0, 179_999), find(0, 180_000), find(1, 180_000)]).toMatchObject([
    'held',
    { credited: 9_000_000n, by: { chain: 'zone' } },
    null,
  ])
})
