import { describe, expect, test } from 'vitest'
import { doubtOrigin, kindsName, paysNothingOut } from '../../../src/meaning/doubtOrigin.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { hash, toRecord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

type Learned = Parameters<typeof paysNothingOut>[0]

const learnedOf = (strays: number, credits: number): Learned => ({
  needed: 3,
  straysOf: () => strays,
  actionsOf: (name) => new Map(name === kindsName('MainToZone') ? [['swap', credits]] : []),
  suspendedAt: () => 0,
})

test.each([
  { strays: 19, credits: 0, expected: false },
  { strays: 20, credits: 0, expected: true },
  { strays: 0, credits: 2, expected: false },
  { strays: 0, credits: 3, expected: true },
])(
  'semantics.md 43: a kind that $strays times paid nothing out and $credits times credited a deposit is none of withdrawals: $expected',
  ({ strays, credits, expected }) => {
    expect(paysNothingOut(learnedOf(strays, credits), 'swap')).toBe(expected)
  },
)

describe('semantics.md 43: on a bridge whose withdrawals name amount and recipient, an origin', () => {
  const payee = `0x${'bb'.repeat(20)}`
  const taught = new Map([
    [kindsName('ZoneToMain'), new Map([['withdraw', 20]])],
    ['ZoneToMain amount', new Map([['=qty', 20]])],
    ['ZoneToMain recipient', new Map([['=dest', 20]])],
  ])
  const learnedWith = (more: ReadonlyMap<string, ReadonlyMap<string, number>>): Learned => ({
    straysOf: () => 0,
    actionsOf: (name) => more.get(name) ?? taught.get(name) ?? new Map(),
    suspendedAt: () => 0,
  })
  const doubt = (
    action: { readonly type: string },
    more: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map(),
    others: readonly Transfer[] = [],
  ) => {
    const said = { chain: 'zone', hash: hash('zone'), source: 'E9', status: 'success' } as const
    const words = { actionType: action.type, action: JSON.stringify(action) }
    const evidence = { ...said, ...words, at: 1, errorMessage: '', moves: null }
    const transfer = transferOf([toRecord({ targetAddress: payee })], [evidence])
    return doubtOrigin(transfer, [transfer, ...others], { learned: learnedWith(more), fees: [] })
  }
  const kinds = (of: Readonly<Record<string, number>>) =>
    new Map([[kindsName('ZoneToMain'), new Map(Object.entries(of))]])
  const whole = { qty: '1500000', dest: payee }

  test.each([
    { what: 'of a new kind that names both', action: { type: 'move', ...whole }, found: 'new' },
    { what: 'of a new kind that does not', action: { type: 'move', qty: '1500000' }, found: 'other' },
    { what: 'that sounds like leaving and names both', action: { type: 'exit', ...whole }, found: undefined },
    {
      what: 'that sounds like leaving with nothing',
      action: { type: 'claimReward', pool: '7' },
      found: 'new',
    },
    {
      what: 'that leaves with another amount',
      action: { type: 'exit', ...whole, qty: '7' },
      found: undefined,
    },
    { what: 'of the usual kind', action: { type: 'withdraw' }, found: undefined },
  ] as const)('$what: $found', ({ action, found }) => {
    expect(doubt(action)?.what).toBe(found)
  })

  test.each([
    [4, 'new'],
    [5, undefined],
  ])('of a kind that %i withdrawals were by now: %s', (count, found) => {
    expect(doubt({ type: 'move', ...whole }, kinds({ withdraw: 20, move: count }))?.what).toBe(found)
  })

  test.each([
    ['few of a usual kind and one of another', { withdraw: 4, odd: 1 }, undefined],
    ['six, one in three of which was of another', { withdraw: 4, odd: 2 }, 'new'],
    ['six, half of which were of others', { withdraw: 3, odd: 2, rare: 1 }, undefined],
    ['two', { withdraw: 2 }, undefined],
  ])('of a new kind while there were %s: %s', (_, of, found) => {
    expect(doubt({ type: 'move', ...whole }, kinds(of))?.what).toBe(found)
  })

  test('that credited a deposit, or is of the kind that credits them, is no withdrawal whatever it says', () => {
    const credit = transferOf([toRecord({ direction: 'MainToZone', crossType: 'Deposit' })])
    expect(doubt({ type: 'move', ...whole }, new Map(), [credit])).toMatchObject({
      what: 'other',
      says: 'credited a deposit',
    })
    const credits = new Map([[kindsName('MainToZone'), new Map([['withdrawCredit', 20]])]])
    expect(doubt({ type: 'withdrawCredit', ...whole }, credits)?.what).toBe('other')
  })

  test('that sounds like leaving unlearns none of the words, however many do', () => {
    expect([doubt({ type: 'claimReward' })?.isByWords, doubt({ type: 'move' })?.isByWords]).toEqual([
      false,
      true,
    ])
  })
})
