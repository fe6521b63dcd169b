import { expect, test } from 'vitest'
import { createEscrowBalancesPoll } from '../../../../src/checks/escrow/pollBalances.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { listEscrowTokens, saveOwedLeg } from '../../../../src/checks/escrow/owedStore.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'
import { noSignal, setMainHead } from '../support.ts'

const token = `0x${'aa'.repeat(20)}`
const escrow = `0x${'bb'.repeat(20)}`

/** A reading at each step; deposits and credits go on while the main head that is known stays behind. */
async function judgedAfter(head: { height: number; blockTime: number | null }) {
  const clock = createSteppedClock({ start: 1_000_000 })
  const db = openDatabase(':memory:')
  const known = { height: 100, time: 1_000_000 as number | null }
  const balanceAt = (height: number) => BigInt(1_000 + (height - 100) * 5)
  const poll = createEscrowBalancesPoll({
    clock,
    db,
    reads: {
      read: (_holdings, height) => {
        const at = height ?? 0
        return Promise.resolve({ low: at, high: at, readAt: clock.now(), balances: [balanceAt(at)] })
      },
      readAt: (_holding, height) => Promise.resolve(balanceAt(height)),
      readNative: () => Promise.resolve([]),
    },
    commit: ({ apply }) => {
      apply?.(clock.now())
      return { news: 0, hasUrgent: false }
    },
    isCanonical: true,
    listHoldings: () => [{ address: escrow, token }],
    readMainTime: () => known.time,
    partingMs: () => 0,
    listReadAt: () => clock.now(),
    isReady: () => true,
    flowsReadTo: () => 1_000_000,
    requestDeepRead: () => {},
    reviseOwed: () => {},
    decimalsOf: () => 0,
    baselineOf: () => null,
    baselineSince: null,
  })
  setMainHead(db, known.height, clock.now())
  await poll(noSignal)
  // A deposit of 5 in each block of a second, credited five seconds later.
  for (let n = 1; n <= 400; n += 1)
    saveOwedLeg(db, `t${n}`, {
      key: `t${n}`,
      token,
      isCredit: true,
      less: 0n,
      more: 0n,
      amount: 5n,
      mainHash: `0x${n}`,
      mainHeight: 100 + n,
      mainTime: 1_000_000 + n * 1_000,
      zoneTime: 1_005_000 + n * 1_000,
    })
  await clock.advance(200_000)
  setMainHead(db, head.height, clock.now(), head.blockTime)
  known.time = head.blockTime
  await poll(noSignal)
  await clock.advance(120_000)
  await poll(noSignal)
  const [judged] = listEscrowTokens(db)
  db.close()
  return judged?.judged
}

test('balances of a head that was not read for minutes are held against what was owed then', async () => {
  expect(await judgedAfter({ height: 110, blockTime: 1_010_000 })).toMatchObject({
    height: 110,
    holdings: 1_050n,
    owed: 1_025n,
  })
})

test('balances of a fresh head are held against what is owed now', async () => {
  expect(await judgedAfter({ height: 300, blockTime: 1_200_000 })).toMatchObject({
    height: 300,
    holdings: 2_000n,
    owed: 1_975n,
  })
})
