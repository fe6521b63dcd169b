import { expect, test } from 'vitest'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import {
  pageMatching,
  type Place,
  type TransferFilter,
} from '../../../src/ledger/transfers/transferFilter.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { toRecord } from '../../support/records.ts'

const hash = (side: string, index: number) => `0x${side}${index.toString(16).padStart(63, '0')}`
const address = (index: number) => `0x${index.toString().repeat(40)}`

/** Transfers of each state, direction and token; many leave at the same time. */
function openWorld() {
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  const records = Array.from({ length: 120 }, (_, index) => {
    const isDeposit = index % 3 === 0
    const isOpen = index % 4 === 0
    const at = 1_000_000 + Math.floor(index / 7) * 1_000
    return toRecord({
      requestedAt: 9_000_000,
      id: hash('1', index),
      direction: isDeposit ? 'MainToZone' : 'ZoneToMain',
      crossType: isDeposit ? 'Deposit' : 'Withdraw',
      status: isOpen ? 'unknown' : index % 5 === 0 ? 'failed' : 'success',
      mainHash: isOpen && !isDeposit ? null : hash('2', index),
      mainTime: isOpen && !isDeposit ? null : at,
      zoneHash: isOpen && isDeposit ? null : hash('3', index),
      zoneTime: isOpen && isDeposit ? null : at,
      sourceAddress: address(index % 2),
      targetAddress: address(1 + (index % 4)),
      token: address(5 + (index % 2)),
    })
  })
  db.transaction(() => ledger.recordAnswer(records, 9_000_000))
  return { db, ledger, all: ledger.listTransfers({ limit: 1_000 }) }
}

const filters: readonly [string, Omit<TransferFilter, 'minAmount'>, (one: Transfer) => boolean][] = [
  ['nothing', {}, () => true],
  ['an open state', { state: 'pending' }, ({ state }) => state === 'pending'],
  ['the state of most', { state: 'completed' }, ({ state }) => state === 'completed'],
  [
    'direction and token',
    { direction: 'MainToZone', token: address(5) },
    ({ direction, token }) => direction === 'MainToZone' && token.address === address(5),
  ],
  ['a token of which there is nothing', { token: address(9) }, () => false],
  ['the sender or the recipient', { address: address(1) }, (one) => isOf(one, address(1))],
  [
    'one of them in a state',
    { address: address(1), state: 'failed' },
    (one) => isOf(one, address(1)) && one.state === 'failed',
  ],
  [
    'those of a time, and a state',
    { originAtOrBefore: 1_010_000, originAtOrAfter: 1_004_000, state: 'pending' },
    ({ originAt, state }) => originAt <= 1_010_000 && originAt >= 1_004_000 && state === 'pending',
  ],
  [
    'the ends of a hash',
    { ends: { from: '0x2000', to: '1' } },
    (one) => one.main?.hash.startsWith('0x2000') === true && one.main.hash.endsWith('1'),
  ],
]

const isOf = (one: Transfer, who: string) => one.sourceAddress === who || one.targetAddress === who

test.each(filters)(
  'pages of %s are the whole list, each once, though few rows are looked at for each',
  (_, filter, fits) => {
    const { db, ledger, all } = openWorld()
    const byKey = new Map(all.map((one) => [one.key, one]))
    const read = (rows: readonly { readonly key: number }[]) =>
      rows.flatMap(({ key }) => byKey.get(`t${key}`) ?? [])
    const found: string[] = []
    for (let after: Place | null = null, pages = 0; pages < 200; pages += 1) {
      const page = pageMatching(db, { ...filter, limit: 7, after }, { tokens: [], read }, 10)
      found.push(...page.transfers.map(({ key }) => key))
      after = page.next
      if (after === null) break
    }
    const expected = all.filter(fits).map(({ key }) => key)
    expect(found).toEqual(expected)
    expect(ledger.listTransfers({ ...filter, limit: 1_000 }).map(({ key }) => key)).toEqual(expected)
    db.close()
  },
)
