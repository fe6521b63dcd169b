import { expect, test } from 'vitest'
import type { TokenMove } from '../../../src/bridge/transfer.ts'
import { judgeMoney } from '../../../src/meaning/judgeMoney.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { hash, toMove, toRecord } from '../../support/records.ts'

const payouts = Array.from({ length: 600 }, (_, n) =>
  toRecord({ id: `r${n}`, zoneHash: hash(`z${n}`), targetAddress: `0xb${n}` }),
)
const paid = payouts.map(toMove)
const others = Array.from(
  { length: 3_000 },
  (_, n): TokenMove => ({
    token: '0xdust',
    from: '0xe',
    to: '0xf',
    amountRaw: BigInt(n),
    amount: null,
    tokenId: '',
  }),
)

const dust = others.map((move) => ({ ...move, token: '0xcc', amountRaw: 1n }))
const gift = dust.map((move) => ({ ...move, to: '0xb0' }))

test.each([
  { title: 'all were paid behind 3,000 movements of dust', moves: [...dust, ...paid], unpaid: [] },
  {
    title: 'all were paid behind 3,000 movements of dust to one of them',
    moves: [...gift, ...paid],
    unpaid: [],
  },
  { title: 'one was not paid among dust', moves: [...dust, ...paid.slice(0, -1)], unpaid: ['r599'] },
  {
    title: 'all may have been paid where one movement cannot be read among dust',
    moves: [...dust, ...paid.slice(0, -1), { ...(paid[0] as TokenMove), from: '', to: '', amountRaw: null }],
    unpaid: [],
  },
  { title: 'all of them were paid', moves: paid, unpaid: [] },
  { title: 'all were paid behind 3,000 movements of another token', moves: [...others, ...paid], unpaid: [] },
  { title: 'one was not paid', moves: [...others, ...paid.slice(0, -1)], unpaid: ['r599'] },
])('of 600 payouts in one transaction $title', ({ moves, unpaid }) => {
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  ledger.recordAnswer(payouts, 1_000_000)
  const answer = { chain: 'main', source: 'E13', status: 'success', errorMessage: '' } as const
  ledger.recordEvidence([{ ...answer, hash: hash('main'), requestedAt: 1_000_000, moves }], 1_000_000)
  const settings = { fees: [], vaultsOf: () => [] }
  const judged = ledger
    .listSharing('main', hash('main'), 1_000)
    .filter((one) => (judgeMoney(one, [one], settings)?.gap ?? 'covered') !== 'covered')
  expect(judged.map(({ id }) => id)).toEqual(unpaid)
  db.close()
})

test('a payout whose record comes after its evidence was paid behind 3,000 movements of another token', () => {
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  const [first, later] = [
    toRecord({ id: 'first' }),
    toRecord({ id: 'later', token: '0xdd', zoneHash: hash('z2') }),
  ]
  const moves = [
    ...others,
    ...[first, later].map(({ token }) => ({ ...(paid[0] as TokenMove), token, to: '0xbb' })),
  ]
  ledger.recordAnswer([first], 1_000_000)
  const answer = { chain: 'main', source: 'E13', status: 'success', errorMessage: '' } as const
  ledger.recordEvidence([{ ...answer, hash: hash('main'), requestedAt: 1_000_000, moves }], 1_000_000)
  ledger.recordAnswer([later], 1_001_000)
  const all = ledger.listSharing('main', hash('main'), 9)
  expect(all.map((one) => judgeMoney(one, [one], { fees: [], vaultsOf: () => [] })?.gap)).toEqual([
    'covered',
    'covered',
  ])
  db.close()
})
