import { describe, expect, onTestFinished, test } from 'vitest'
import { noAmount } from '../../../../../src/bridge/decimal.ts'
import { saveFlows, settleFlow } from '../../../../../src/checks/escrow/flows/flowStore.ts'
import {
  adoptWrapping,
  decimalsOf,
  isNewWrapping,
  listHoldings,
  noteTransfers,
  openEscrowWatch,
  reserveOf,
  reviseToken,
  symbolOf,
} from '../../../../../src/checks/escrow/watched/watch.ts'
import type { Transfer } from '../../../../../src/bridge/transfer.ts'
import { type Database, openDatabase } from '../../../../../src/store/database.ts'
import {
  listEscrowTokens,
  saveHoldings,
  saveOwedJudgement,
  startOwed,
} from '../../../../../src/checks/escrow/owed/owedStore.ts'
import { readOwed } from '../../../../../src/checks/escrow/owed/owedLegs.ts'
import { saveReading } from '../../../../../src/checks/escrow/flows/readingStore.ts'
import { createLearned, listTokenPairs } from '../../../../../src/ledger/lessons/learned.ts'
import { toRecord } from '../../../../support/records.ts'
import { transferOf } from '../../../rules/transfers.ts'

const token = `0x${'aa'.repeat(20)}`
const escrow = `0x${'bb'.repeat(20)}`

function setUp(
  tokens: { address: string; symbol: string; decimals: number }[] = [],
  { db = openDatabase(':memory:'), wrappedNative }: { db?: Database; wrappedNative?: string } = {},
) {
  const bridge = {
    contracts: [],
    escrows: [{ address: escrow, token, baseline: null }],
    tokens,
    fees: [],
    ...(wrappedNative !== undefined && { wrappedNative }),
  }
  return { db, watch: openEscrowWatch({ db, learned: createLearned(db), config: { bridge } }) }
}

test('the reserve of a token is not known before its balance was read', () => {
  const { db, watch } = setUp()
  expect(reserveOf(watch, token)).toBeNull()
  saveHoldings(db, token, 70n, 1_000)
  expect(reserveOf(watch, token)).toBe(70n)
  db.close()
})

test('what was told and counted before the wrapper was configured is judged and counted anew, once', () => {
  const { db, watch } = setUp()
  expect(isNewWrapping(watch)).toBe(false)
  const deposit = transferOf([toRecord({ direction: 'MainToZone', token: '', amountRaw: 5n, value: '' })])
  noteTransfers(watch, { changed: [deposit], ceased: [] }, 1_000)
  const amount = { digits: 5n, scale: 0 }
  const flow = {
    escrow,
    token,
    hash: '0x1',
    height: 1,
    at: 1_000,
    net: amount,
    outward: amount,
    party: '0x9',
  }
  saveFlows(db, [{ ...flow, gross: [] }], 1_000, 0)
  const told = { direction: 'out', unexplained: amount, reason: '', absence: null, waitsFor: null } as const
  settleFlow(db, flow, { ...told, verdict: 'unexplained', checkAt: null }, 1_000)
  const { watch: wrapping } = setUp([], { db, wrappedNative: token })
  expect(isNewWrapping(wrapping)).toBe(true)
  adoptWrapping(wrapping, 2_000)
  expect(isNewWrapping(wrapping)).toBe(false)
  expect(db.prepare('SELECT check_at FROM escrow_flows').all()).toEqual([{ check_at: 2_000 }])
  const named = 'SELECT n.name FROM escrow_legs l JOIN names n ON n.id = l.token'
  expect(db.prepare(named).all()).toEqual([{ name: token }])
  db.close()
})

test('after a drain the reserve is what is still owed, so that small transfers stay small', () => {
  const { db, watch } = setUp()
  saveHoldings(db, token, 5n, 1_000)
  saveOwedJudgement(db, token, { owed: 900n, holdings: 900n, openOut: 0n, height: 7, at: 500 })
  expect(reserveOf(watch, token)).toBe(900n)
  saveHoldings(db, token, 1_000n, 2_000)
  expect(reserveOf(watch, token)).toBe(1_000n)
  db.close()
})

describe('a token whose records name another address than it moves under', () => {
  const zoneToken = `0x${'cc'.repeat(20)}`
  const deposit = (key: string, movedAs?: string): Transfer => {
    const transfer = transferOf([
      toRecord({ direction: 'MainToZone', token: zoneToken, amountRaw: 1_500_000n, value: '1.5' }),
    ])
    return { ...transfer, key, token: { ...transfer.token, ...(movedAs !== undefined && { movedAs }) } }
  }
  const owed = (db: Database) => readOwed(db, token, { height: 1_000_000, time: 10_000_000_000_000 })

  test('is counted as the one that moves, what was counted before that was known included', () => {
    const { db, watch } = setUp()
    startOwed(db, token, { height: 1, time: 0 }, 7n)
    noteTransfers(watch, { changed: [deposit('t1'), deposit('t2')], ceased: [] }, 1)
    expect(owed(db)).toBe(7n)
    noteTransfers(watch, { changed: [deposit('t3', token)], ceased: [] }, 2)
    expect(owed(db)).toBe(7n + 4_500_000n)
    noteTransfers(watch, { changed: [deposit('t1', token)], ceased: ['t2'] }, 3)
    expect(owed(db)).toBe(7n + 3_000_000n)
    db.close()
  })

  test('has the decimals, the symbol and the reserve of the one that moves', () => {
    const { db, watch } = setUp([{ address: zoneToken, symbol: 'USDZ', decimals: 6 }])
    noteTransfers(watch, { changed: [deposit('t1', token)], ceased: [] }, 1)
    saveHoldings(db, token, 70n, 1_000)
    expect([decimalsOf(watch, token), symbolOf(watch, token), reserveOf(watch, zoneToken)]).toEqual([
      6,
      'USDZ',
      70n,
    ])
    db.close()
  })

  test('is known from the start when it was learned before', () => {
    const db = openDatabase(':memory:')
    const learned = createLearned(db)
    for (const one of ['a', 'b', 'c'])
      learned.learn([{ kind: 'token', name: zoneToken, value: token }], { hash: one, party: one }, 1)
    expect(listTokenPairs(db, learned)).toEqual([{ token: zoneToken, moved: token }])
    db.close()
  })
})

test('what is owed of a token is counted anew where other fees may be kept of it, not at each start', () => {
  const db = openDatabase(':memory:')
  onTestFinished(() => db.close())
  let reads = 0
  const counting: Database = {
    ...db,
    prepare(sql) {
      if (sql.includes('FROM escrow_legs l WHERE token')) reads += 1
      return db.prepare(sql)
    },
  }
  const start = (max: string) => {
    const bridge = {
      contracts: [],
      escrows: [{ address: escrow, token, baseline: null }],
      tokens: [{ address: token, symbol: 'T', decimals: 6 }],
      fees: [{ token, direction: 'ZoneToMain', max }],
    } as const
    const watch = openEscrowWatch({ db: counting, learned: createLearned(db), config: { bridge } })
    reviseToken(watch, token)
    reviseToken(watch, token)
    return reads
  }
  expect([start('1'), start('1'), start('2'), start('2')]).toEqual([1, 1, 2, 2])
})

test('what was held by a reading that was not judged yet counts', () => {
  const { db, watch } = setUp()
  saveReading(db, { token, low: 1, high: 1, readAt: 1_000, newestAt: 1_000, balances: { [escrow]: 800n } })
  saveHoldings(db, token, 5n, 31_000)
  expect(reserveOf(watch, token)).toBe(800n)
  db.close()
})

describe('without configured escrows, of a bridge on which anybody makes tokens', () => {
  const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
  const newest = addressOf(9_999)

  function open(tokens: { address: string; symbol: string; decimals: number }[] = []) {
    const db = openDatabase(':memory:')
    onTestFinished(() => db.close())
    const bridge = { contracts: [escrow], escrows: [], tokens, fees: [] }
    return { db, watch: openEscrowWatch({ db, learned: createLearned(db), config: { bridge } }) }
  }

  function moveAll(db: Database, tokens: readonly string[]) {
    for (const token of tokens) {
      const amount = { digits: 1n, scale: 0 }
      const hash = `0x${token.slice(2).padStart(64, '0')}`
      const flow = {
        escrow,
        token,
        hash,
        height: 1,
        at: 1,
        party: '',
        net: amount,
        outward: noAmount,
        gross: [],
      }
      saveFlows(db, [flow], 1, 0)
      const judged = { verdict: 'explained', direction: 'in', unexplained: null, reason: '' } as const
      settleFlow(db, flow, { ...judged, checkAt: null, absence: null, waitsFor: null }, 1)
    }
  }

  test('what is held of each of 60 tokens is asked for', () => {
    const { db, watch } = open()
    moveAll(
      db,
      Array.from({ length: 60 }, (_, n) => addressOf(n + 1)),
    )
    expect(listHoldings(watch)).toHaveLength(60)
  })

  test('of 600 tokens the holdings of one that is configured are asked for, however late it came', () => {
    const { db, watch } = open([{ address: newest, symbol: 'USDC', decimals: 6 }])
    moveAll(db, [...Array.from({ length: 600 }, (_, n) => addressOf(n + 1)), newest])
    const holdings = listHoldings(watch)
    expect([holdings.length, holdings.some(({ token }) => token === newest)]).toEqual([500, true])
  })

  test('what is owed of a token that is configured is counted behind 500 others, and of no further one', () => {
    const { db, watch } = open([{ address: newest, symbol: 'USDC', decimals: 6 }])
    const deposit = (n: number): Transfer => {
      const transfer = transferOf([toRecord({ direction: 'MainToZone', token: addressOf(n) })])
      return { ...transfer, key: `t${n}`, token: { ...transfer.token, movedAs: addressOf(n) } }
    }
    const others = Array.from({ length: 501 }, (_, n) => deposit(n + 1))
    noteTransfers(watch, { changed: [...others, deposit(9_999)], ceased: [] }, 1)
    const followed = listEscrowTokens(db).map((one) => one.token)
    expect([followed.length, followed.includes(newest)]).toEqual([501, true])
  })
})
