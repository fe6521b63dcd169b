import { expect, test } from 'vitest'
import {
  noteEscrowToken,
  readEscrowToken,
  saveHoldings,
  saveOwedJudgement,
  startOwed,
} from '../../../src/checks/escrow/owedStore.ts'
import { readEscrowDays } from '../../../src/report/readEscrowDays.ts'
import { createTestKernel } from '../checks/support.ts'

test('what an escrow holds of the native currency is reported, whether or not the configuration names it', () => {
  const at = 1_000_000
  const { db } = createTestKernel({ start: at })
  const holdings = 5n * 10n ** 18n
  noteEscrowToken(db, '', '')
  startOwed(db, '', { height: 1, time: at - 600_000 }, holdings)
  saveHoldings(db, '', holdings, at)
  saveOwedJudgement(db, '', { owed: holdings, holdings, openOut: 0n, height: 100, at })
  expect(readEscrowToken(db, '')?.judged?.holdings).toBe(holdings)
  const coin = { address: `0x${'Ee'.repeat(20)}`, symbol: 'COIN', decimals: 18 }
  const days = (tokens: readonly (typeof coin)[]) =>
    readEscrowDays(db, tokens, { from: at - 300_000, until: at + 60_000 }, at + 60_000)
  expect(days([])).toMatchObject([{ token: { symbol: null }, opening: '5', closing: '5', owed: '5' }])
  expect(days([coin])).toMatchObject([{ token: { symbol: 'COIN' }, closing: '5' }])
})
