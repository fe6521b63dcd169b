import { expect, test } from 'vitest'
import { kinds } from '../../src/checks/index.ts'
import { readEscrowToken } from '../../src/checks/escrow/owed/owedStore.ts'
import { buildDailyReport } from '../../src/report/buildDailyReport.ts'
import { readReportKnowledge } from '../../src/report/readReportKnowledge.ts'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld } from '../support/escrowWorld.ts'

// What a second payout took is missing in the escrow accounts, for as long as it stands.

const minute = 60_000

test('a payout made twice is missing at the escrow, in its report and once in what is told, until it is gone', async () => {
  const world = await createEscrowWorld({
    balances: { [escrow]: { [token]: 9_621_000_000n } },
    prepare(bare) {
      for (let n = 1; n <= 6; n += 1) bare.withdraw(n)
    },
  })
  await world.pass(2 * minute)
  const from = world.now()
  const pay = (n: number, names: Record<string, string>) => {
    const mainTxHash = world.transact({
      moves: [{ token, from: escrow, to: user(n), amount: String(100 + n) }],
    })
    const main = { mainTxHash, mainBlockHeight: String(world.fake.mainHead()) }
    world.withdraw(n, { ...names, ...main, mainBlockTime: String(world.now()) })
    return mainTxHash
  }
  const { db, ledger, config } = world.monitor.app.parts
  const accounts = () => readEscrowToken(db, token)?.accounts
  const firing = () =>
    world.conditions().filter(({ kind, state }) => kind.startsWith('escrow') && state === 'firing')
  const origin = { zoneTxHash: `0x${'5a'.repeat(32)}`, zoneEventIndex: '3' }
  pay(20, origin)
  await world.pass(3 * minute)
  expect(accounts()).toMatchObject({ claims: 8_880_000_000n, toMain: 0n, lost: 0n })
  expect(firing()).toEqual([])

  const second = pay(20, { ...origin, id: '987654' })
  await world.until(() => world.told('transfer.duplicate').length === 1, 'the second payout')
  await world.until(() => firing().length > 0, 'what is missing')
  await world.pass(2 * minute)
  const until = world.now()
  await world.pass(2 * minute)
  expect(accounts()).toMatchObject({ claims: 8_880_000_000n, toMain: 0n, open: 0n, lost: -120_000_000n })
  expect(firing()).toMatchObject([{ kind: 'escrow.shortfall', facts: { missing: '120' } }])
  // It joins what was told of the payout.
  const missing = world.monitor
    .told()
    .flatMap((text) => text.split('\n'))
    .filter((line) => /missing/.test(line))
  expect(missing.filter((line) => line.includes('CRITICAL') && !line.includes('update'))).toEqual([])

  const window = { day: '2026-01-01', zone: 'UTC', from, until }
  const knows = await readReportKnowledge({ db, ledger, tokens: config.bridge.tokens }, window, world.now())
  const report = await buildDailyReport({ db, ledger, kinds, before: null, knows }, window, world.now())
  expect(report.book?.find((line) => line.token.address === token)).toMatchObject({
    withdrawals: { count: 1, amount: '120' },
    unbacked: { count: 1, amount: '120' },
    escrowChange: '-240',
    difference: '-120',
  })
  expect(report.escrows?.find((line) => line.token.address === token)).toMatchObject({
    closing: '8760',
    owed: '8880',
    accounts: { claims: '8880', toMain: '0', unexplained: '-120' },
  })

  world.chain.transactions.delete(second)
  await world.until(() => world.told('transfer.duplicate')[0]?.corrections === 1, 'its correction')
  await world.until(() => firing().length === 0, 'the end of the shortfall')
}, 300_000)
