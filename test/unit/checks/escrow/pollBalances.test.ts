import type { Rpc } from '../../../../src/clients/rpc/createRpc.ts'
import { createSeat } from '../../../../src/clients/seat.ts'
import { expect, test } from 'vitest'
import { pollBalances } from '../../../../src/checks/escrow/pollBalances.ts'
import { listEscrowTokens, saveOwedLeg } from '../../../../src/checks/escrow/owedStore.ts'
import { toStreams } from '../../../../src/checks/escrow/places.ts'
import { openEscrowWatch } from '../../../../src/checks/escrow/watch.ts'
import { saveStream } from '../../../../src/kernel/mainStreams.ts'
import { noBridge } from '../../../support/appConfig.ts'
import { createTestKernel, noSignal, setMainHead } from '../support.ts'

const token = `0x${'aa'.repeat(20)}`
const escrow = `0x${'bb'.repeat(20)}`
const bridge = {
  ...noBridge,
  escrows: [{ address: escrow, token, baseline: null }],
  tokens: [{ address: token, symbol: 'T', decimals: 0 }],
}

/** A reading at each step; deposits and credits go on while the main head that is known stays behind. */
async function judgedAfter(head: { height: number; blockTime: number | null }) {
  const kernel = createTestKernel({ start: 1_000_000, config: { bridge } })
  const { clock, cursors, db, list } = kernel
  const watch = openEscrowWatch(kernel)
  cursors.write({ ...cursors.read(), history: { ...cursors.read().history, done: true } })
  for (const { id } of toStreams(watch)) saveStream(db, { id, cursor: 1_000_000, known: null, deepAt: 1 })
  const balanceAt = (height: number) => BigInt(1_000 + (height - 100) * 5)
  const balances = {
    ...kernel,
    watch,
    balances: {
      read: (_holdings: unknown, height: number | null) => {
        const at = height ?? 0
        return Promise.resolve({ low: at, high: at, readAt: clock.now(), balances: [balanceAt(at)] })
      },
      readAt: (_holding: unknown, height: number) => Promise.resolve(balanceAt(height)),
      readNative: () => Promise.resolve([]),
    },
    seat: { name: 'canonical', seat: createSeat([{ name: 'node', client: {} as Rpc }], clock) } as const,
    isCanonical: true,
    baselineSince: null,
    shorts: new Map(),
  }
  const poll = async () => {
    list.readAt = clock.now()
    await pollBalances(balances, noSignal)
  }
  setMainHead(db, 100, clock.now(), 1_000_000)
  await poll()
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
  await poll()
  await clock.advance(120_000)
  await poll()
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
