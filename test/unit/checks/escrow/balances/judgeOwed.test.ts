import { describe, expect, test } from 'vitest'
import { toDecimal } from '../../../../../src/bridge/decimal.ts'
import { saveFlows } from '../../../../../src/checks/escrow/flows/flowStore.ts'
import { judgeOwed } from '../../../../../src/checks/escrow/balances/judgeOwed.ts'
import { startOwed } from '../../../../../src/checks/escrow/owed/owedStore.ts'
import { saveOwedLeg } from '../../../../../src/checks/escrow/owed/owedLegs.ts'
import { openEscrowWatch } from '../../../../../src/checks/escrow/watched/watch.ts'
import { hash } from '../../../../support/records.ts'
import { noBridge } from '../../../../support/appConfig.ts'
import { createTestKernel, noSignal } from '../../support.ts'

const token = `0x${'aa'.repeat(20)}`
const escrow = `0x${'bb'.repeat(20)}`
const bridge = {
  ...noBridge,
  escrows: [{ address: escrow, token, baseline: null }],
  tokens: [{ address: token, symbol: 'T', decimals: 0 }],
}

/**
 * An escrow that owed 1,000 before a withdrawal of 200 set out, from which 300 were taken and `left` went out that
 * nobody has judged yet; what readings in a row say of it.
 */
async function judgeAfter(left: number) {
  const kernel = createTestKernel({ start: 1_000_000, config: { bridge } })
  const { clock, db } = kernel
  const watch = openEscrowWatch(kernel)
  startOwed(db, token, { height: 1, time: 1 }, 1_000n)
  saveOwedLeg(db, 't1', {
    key: 't1',
    token,
    isCredit: false,
    less: 0n,
    more: 0n,
    amount: 200n,
    mainHash: null,
    mainHeight: null,
    mainTime: null,
    zoneTime: clock.now(),
  })
  const net = toDecimal(String(left))
  const flow = { escrow, token, hash: hash('left'), height: 50, at: clock.now(), party: '', gross: [] }
  if (net !== null && left > 0) saveFlows(db, [{ ...flow, net, outward: net }], clock.now(), 0)
  const balance = BigInt(700 - left)
  const comparing = {
    ...kernel,
    watch,
    balances: {
      read: () => Promise.reject(new Error('reads one block alone')),
      readAt: () => Promise.resolve(balance),
      timeOf: () => Promise.resolve(null),
      readNative: () => Promise.resolve([]),
    },
    shorts: new Map(),
  }
  const read = () => {
    const readAt = clock.now()
    const reading = {
      id: 1,
      token,
      low: 100,
      high: 100,
      readAt,
      newestAt: readAt,
      balances: { [escrow]: balance },
    }
    return judgeOwed(comparing, { reading, places: [{ address: escrow, token }] }, noSignal)
  }
  const judged = []
  for (let n = 0; n < 3; n += 1) {
    await clock.advance(5 * 60_000)
    judged.push(await read())
  }
  const last = judged.at(-1)
  return {
    isMissing: last ? last.holdings + last.openOut < last.owed : null,
    missing: last ? last.owed - last.holdings : null,
  }
}

test('a withdrawal that is on its way is owed until it is paid', async () => {
  expect(await judgeAfter(0)).toEqual({ isMissing: true, missing: 300n })
})

test('what left and may have paid it is not missed beside what was taken', async () => {
  expect(await judgeAfter(200)).toEqual({ isMissing: true, missing: 300n })
  expect(await judgeAfter(150)).toEqual({ isMissing: true, missing: 300n })
})

test('what left beyond what is on its way is missed', async () => {
  expect(await judgeAfter(250)).toEqual({ isMissing: true, missing: 350n })
})

describe('semantics.md 22: a balance against what is owed', () => {
  /** An escrow that owes 1,000, of which a withdrawal of 200 is on its way, and 100 are paid out at block 101. */
  function open() {
    const kernel = createTestKernel({ start: 1_000_000, config: { bridge } })
    const { clock, db } = kernel
    startOwed(db, token, { height: 1, time: 1 }, 1_000n)
    const leg = { token, less: 0n, more: 0n, mainTime: null, zoneTime: clock.now() }
    const open = { isCredit: false, amount: 200n, mainHash: null, mainHeight: null }
    const paid = { isCredit: false, amount: 100n, mainHash: hash('paid'), mainHeight: 101 }
    saveOwedLeg(db, 't1', { key: 't1', ...leg, ...open })
    saveOwedLeg(db, 't2', { key: 't2', ...leg, ...paid })
    const again: bigint[] = []
    const comparing = {
      ...kernel,
      watch: openEscrowWatch(kernel),
      balances: {
        read: () => Promise.reject(new Error('reads one block alone')),
        readAt: () => Promise.resolve(again.shift() ?? null),
        timeOf: () => Promise.resolve(null),
        readNative: () => Promise.resolve([]),
      },
      shorts: new Map(),
    }
    return {
      again,
      /** Whether it is missing by a reading a minute later, of the blocks from `low` to `high`. */
      async isMissing(balance: bigint, [low, high] = [100, 100]) {
        await clock.advance(60_000)
        const readAt = clock.now()
        const reading = { id: 1, token, low, high, readAt, newestAt: readAt, balances: { [escrow]: balance } }
        const judged = await judgeOwed(comparing, { reading, places: [{ address: escrow, token }] }, noSignal)
        return judged && judged.holdings + judged.openOut < judged.owed
      },
    }
  }

  test('lacks what is on its way at the third reading in a row that lacks it', async () => {
    const world = open()
    const said = []
    for (const balance of [900n, 900n, 1_000n, 900n, 900n, 900n]) said.push(await world.isMissing(balance))
    expect(said).toEqual([false, false, false, false, false, true])
  })

  test('lacks nothing where the node says otherwise when it is asked once more about the same block', async () => {
    const world = open()
    world.again.push(1_000n, 1_000n, 1_000n)
    const said = []
    for (const balance of [900n, 900n, 900n]) said.push(await world.isMissing(balance))
    expect(said).toEqual([false, false, false])
  })

  test('equals what was owed at one of the blocks that the reading may be of', async () => {
    const said = async (blocks: [number, number]) => {
      const world = open()
      const three = []
      for (let n = 0; n < 3; n += 1) three.push(await world.isMissing(900n, blocks))
      return three.at(-1)
    }
    expect([await said([100, 100]), await said([100, 101]), await said([101, 101])]).toEqual([
      true,
      false,
      false,
    ])
  })
})
