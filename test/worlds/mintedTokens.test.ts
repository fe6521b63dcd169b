import { expect, test } from 'vitest'
import { readEscrowDays } from '../../src/report/readEscrowDays.ts'
import { dayOf, windowOf } from '../../src/report/reportDay.ts'
import { readEscrows } from '../../src/web/views/readEscrows.ts'
import { mint, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld, listLosses } from '../support/escrowWorld.ts'

// A token that the bridge mints on the main chain is held nowhere: the null address stands for its escrow.

const second = 1_000
const minute = 60 * second
const stranger = `0x${'bad0'.repeat(10)}`
const other = `0x${'0e'.repeat(20)}`

test.each([false, true])(
  'what is minted without a withdrawal is told, and nothing else; with a node: %s',
  async (hasNode) => {
    const world = await createEscrowWorld({
      bridge: { escrows: [{ address: mint, token, baseline: null }] },
      ...(hasNode && { balances: { [mint]: { [token]: 0n } } }),
    })
    await world.pass(minute)
    for (let n = 0; n < 6; n += 1) {
      world.deposit(n, {
        amount: `5${n}`,
        main: { moves: [{ token, from: user(n), to: mint, amount: `5${n}` }] },
      })
      const mainTxHash = world.transact({
        moves: [{ token, from: mint, to: user(20 + n), amount: `12${n}` }],
      })
      world.withdraw(20 + n, { mainTxHash })
      // Others mint and burn tokens of their own.
      world.transact({ moves: [{ token: other, from: mint, to: stranger, amount: '9000' }] })
      await world.pass(20 * second)
    }
    await world.pass(2 * minute)
    expect(world.conditions().map(({ kind }) => kind)).toEqual([])
    expect(world.told()).toEqual([])
    world.transact({ moves: [{ token, from: mint, to: stranger, amount: '7' }] })
    await world.until(() => listLosses(world).length > 0, 'what was minted')
    expect(listLosses(world)).toEqual(['escrow.drift 7'])
    const { config, db } = world.monitor.app.parts
    expect(readEscrows(db, config.bridge.tokens)).toMatchObject([
      { token: { address: token }, at: null, isHeld: false },
    ])
    const window = windowOf(dayOf(world.now(), 'UTC'), 'UTC') ?? expect.fail()
    expect(readEscrowDays(db, config.bridge.tokens, window, world.now())).toBeNull()
  },
  120_000,
)
