import { describe, expect, test } from 'vitest'
import { judgeBatchAction, sampleBatch } from '../../../src/meaning/compareBatch.ts'
import type { LearnedActions } from '../../../src/meaning/learnedActions.ts'
import { hash, toRecord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

const payee = `0x${'aa'.repeat(20)}`
const learned = (counts: Readonly<Record<string, string>>): LearnedActions => ({
  actionsOf: (name) => new Map(counts[name] === undefined ? [] : [[counts[name], 4]]),
  straysOf: () => 0,
  suspendedAt: () => 0,
})

/** A batch of two ids whose zone action names their total only, of which nothing but the zone's word is known yet. */
const batch = transferOf(
  [
    toRecord({
      crossType: 'BatchWithdraw',
      source: 'E12',
      token: '0xcc',
      amountRaw: 9n,
      value: '9',
      targetAddress: payee,
      mainHash: hash('main'),
      batchDetail: JSON.stringify([
        { tokenId: '11', amount: '4' },
        { tokenId: '22', amount: '5' },
      ]),
    }),
  ],
  [
    {
      chain: 'zone',
      hash: hash('zone'),
      source: 'E9',
      at: 1,
      status: 'success',
      errorMessage: '',
      moves: null,
      action: JSON.stringify({ token: '0xcc', amount: '9', tokenIds: ['11', '22'], destination: payee }),
    },
  ],
)

describe('semantics.md 47: what an action says of a batch is judged by the account that taught it', () => {
  test('that it names what one recipient was paid says nothing of the items of the detail', () => {
    const settings = { learned: learned({ 'ZoneToMain batch items moves': 'equal' }) }
    expect(judgeBatchAction(batch, [batch], settings)).toBeNull()
  })

  test('where it named the items of details, one that names none is told', () => {
    const settings = { learned: learned({ 'ZoneToMain batch items detail': 'equal' }) }
    expect(judgeBatchAction(batch, [batch], settings)).toBe('unrelated')
  })

  test('where it names what was paid, it is told of nothing that the detail lacks in it', () => {
    const settings = { learned: learned({ 'ZoneToMain batch items detail': 'equal' }) }
    const [said] = batch.evidence
    const move = { token: '0xcc', from: '0xe5', to: payee, amountRaw: 9n, amount: null, tokenId: '' }
    const main = { chain: 'main', hash: hash('main'), source: 'E13', moves: [move] } as const
    const paid = { ...batch, evidence: said === undefined ? [] : [said, { ...said, ...main }] }
    expect(judgeBatchAction(paid, [paid], settings)).toBeNull()
  })

  describe('what its transaction paid', () => {
    const other = `0x${'bb'.repeat(20)}`
    const action = {
      token: '0xcc',
      payouts: [
        { to: payee, amount: '4' },
        { to: other, amount: '5' },
      ],
    }
    const move = (to: string, amountRaw: bigint) => ({
      token: '0xcc',
      from: '0xe5',
      to,
      amountRaw,
      amount: null,
      tokenId: '',
    })
    const [said] = batch.evidence
    const paidBy = (...moves: ReturnType<typeof move>[]) => ({
      ...batch,
      batchDetail: null,
      evidence:
        said === undefined
          ? []
          : [
              { ...said, action: JSON.stringify(action) },
              { ...said, chain: 'main' as const, hash: hash('main'), source: 'E13' as const, moves },
            ],
    })
    const listed = transferOf([
      toRecord({
        token: '0xcc',
        amountRaw: 7n,
        value: '7',
        targetAddress: other,
        mainHash: hash('main'),
        zoneHash: hash('other'),
      }),
    ])
    const beside = { ...listed, key: 'beside' }
    const settings = { learned: learned({}) }
    const stolen = paidBy(move(payee, 4n), move(`0x${'bad0'.repeat(10)}`, 5n), move(other, 7n))

    test('is told where another payout stands in it, and none of it is that one', () => {
      expect(judgeBatchAction(stolen, [stolen, beside], settings)).toMatchObject({ what: 'items' })
      const honest = paidBy(move(payee, 4n), move(other, 5n), move(other, 7n))
      expect(judgeBatchAction(honest, [honest, beside], settings)).toBeNull()
    })

    test('is nothing to tell where another payout may be any of it', () => {
      const batchBeside = { ...beside, crossType: 'BatchWithdraw' } as const
      const unpaid = { ...beside, amountRaw: 8n }
      for (const one of [batchBeside, unpaid])
        expect(judgeBatchAction(stolen, [stolen, one], settings)).toBeNull()
    })
  })

  test('semantics.md 48: one that was seen before the words came to mean something else is not judged by them', () => {
    const known = learned({ 'ZoneToMain batch items detail': 'equal' })
    const suspendedAt = () => batch.firstSeenAt + 1
    expect(judgeBatchAction(batch, [batch], { learned: { ...known, suspendedAt } })).toBeNull()
  })

  test('each account teaches by itself, and none where one differs', () => {
    const gap = { what: 'items', missing: ['11'] } as const
    expect(
      sampleBatch(
        new Map([
          ['detail', 'unrelated'],
          ['moves', 'equal'],
        ]),
      ),
    ).toEqual([
      { kind: 'action', name: 'ZoneToMain batch items detail', value: 'unrelated' },
      { kind: 'action', name: 'ZoneToMain batch items moves', value: 'equal' },
    ])
    expect(
      sampleBatch(
        new Map<'detail' | 'moves', 'equal' | typeof gap>([
          ['detail', 'equal'],
          ['moves', gap],
        ]),
      ),
    ).toEqual([])
  })
})
