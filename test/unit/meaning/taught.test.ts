import { expect, test } from 'vitest'
import { createLearned } from '../../../src/ledger/lessons/learned.ts'
import { taughtByAction, taughtByMoney } from '../../../src/meaning/taught.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { hash, toRecord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

const payee = `0x${'aa'.repeat(20)}`

/** A batch of two ids whose zone action names neither. */
const batch = transferOf(
  [
    toRecord({
      crossType: 'BatchWithdraw',
      source: 'E12',
      token: '0xcc',
      amountRaw: 9n,
      value: '9',
      targetAddress: payee,
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
      action: JSON.stringify({ token: '0xcc', amount: '9', destination: payee, nonce: '3' }),
    },
  ],
)

test('semantics.md 48: what is about to be reported teaches nothing that it is judged by; what is of the past does', () => {
  const db = openDatabase(':memory:')
  const learned = createLearned(db)
  const name = 'ZoneToMain batch items detail'
  for (const party of ['0xa', '0xb', '0xc', '0xd'])
    learned.learn([{ kind: 'action', name, value: 'equal' }], { hash: party, party }, 1)
  const example = {
    transfer: batch,
    related: { sharing: () => [batch], allSharing: () => [batch] },
    learned,
    bridge: { fees: [] },
    now: 2,
  }
  const unrelated = { kind: 'action', name, value: 'unrelated' }
  expect(taughtByAction(example, true)).toEqual([])
  expect(taughtByAction(example, false)).toContainEqual(unrelated)
  db.close()
})

test('a failed transfer teaches nothing of money, and nobody who shares its transaction is read for that', () => {
  const db = openDatabase(':memory:')
  const sharing = () => {
    throw new Error('read')
  }
  const [learned, bridge] = [createLearned(db), { fees: [] }]
  const failed = { ...batch, status: 'failed' } as const
  expect(failed.evidence).not.toEqual([])
  expect(
    taughtByMoney(
      { transfer: failed, related: { sharing, allSharing: sharing }, learned, bridge, now: 2 },
      true,
    ),
  ).toEqual({
    samples: [],
    isHeld: false,
  })
  db.close()
})
