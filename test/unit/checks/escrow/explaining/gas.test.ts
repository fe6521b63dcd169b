import { expect, test } from 'vitest'
import { formatDecimal } from '../../../../../src/bridge/decimal.ts'
import { readAccounts } from '../../../../../src/checks/escrow/accounts/readAccounts.ts'
import { accountFlows } from '../../../../../src/checks/escrow/explaining/keepAccounts.ts'
import { checkFlows } from '../../../../../src/checks/escrow/explaining/pollChecks.ts'
import { sumFlows } from '../../../../../src/checks/escrow/flows/flow.ts'
import { listFlowsOf } from '../../../../../src/checks/escrow/flows/flowRow.ts'
import { saveFlows } from '../../../../../src/checks/escrow/flows/flowStore.ts'
import { gasOf } from '../../../../../src/checks/escrow/flows/gas.ts'
import { sumGas } from '../../../../../src/checks/escrow/flows/gasStore.ts'
import { noteEscrowToken, saveHoldings, startOwed } from '../../../../../src/checks/escrow/owed/owedStore.ts'
import { openEscrowWatch } from '../../../../../src/checks/escrow/watched/watch.ts'
import type { FlowRow } from '../../../../../src/kernel/reads/flowReads.ts'
import { noBridge } from '../../../../support/appConfig.ts'
import { hash } from '../../../../support/records.ts'
import { createTestKernel, noSignal } from '../../support.ts'

const escrow = `0x${'bb'.repeat(20)}`
const stranger = `0x${'cc'.repeat(20)}`
const unit = 10n ** 18n
const hour = 3_600_000
const place = { escrow, own: new Set([escrow]), wrapper: null }

/** A wallet that holds 1,000 units, and what its own transactions cost, an hour apart unless it says otherwise. */
async function judge(fees: readonly string[], everyMs = hour) {
  const tokens = [{ address: '', symbol: 'NAT', decimals: 18 }]
  const bridge = { ...noBridge, escrows: [{ address: escrow, token: '', baseline: null }], tokens }
  const kernel = createTestKernel({ config: { bridge }, start: 1_790_000_000_000 })
  const { clock, cursors, db } = kernel
  const watch = openEscrowWatch(kernel)
  const begin = clock.now()
  noteEscrowToken(db, '', '')
  startOwed(db, '', { height: 100, time: begin - 1 }, 1_000n * unit)
  saveHoldings(db, '', 1_000n * unit, begin)
  cursors.write({ ...cursors.read(), history: { ...cursors.read().history, done: true } })
  const verdicts: (string | undefined)[] = []
  for (const [n, fee] of fees.entries()) {
    const now = clock.now()
    const row: FlowRow = {
      hash: hash(`payout ${n}`),
      height: 101 + n,
      time: now,
      from: escrow,
      to: stranger,
      token: '',
      amount: '0',
      tokenId: '',
      fee,
    }
    const changed = saveFlows(db, sumFlows([row], place, now), now, 0)
    accountFlows({ ...kernel, watch }, changed, now)
    kernel.list.readAt = now
    await checkFlows({ ...kernel, watch }, noSignal)
    verdicts.push(listFlowsOf(db, gasOf(row.hash), '')[0]?.verdict)
    await clock.advance(everyMs)
  }
  const height = 101 + fees.length
  const paid = fees.reduce((sum, fee) => sum + BigInt(Math.round(Number(fee) * 1e6)) * 10n ** 12n, 0n)
  const accounts = readAccounts(
    db,
    { token: '', baseline: 1_000n * unit },
    { height, time: clock.now(), holdings: 1_000n * unit - paid },
  )
  return { verdicts, accounts, counted: formatDecimal(sumGas(db, '', { from: begin })) }
}

const all = (count: number, verdict: string) => Array.from({ length: count }, () => verdict)

test('what its transactions cost is gas, in an account of its own', async () => {
  const { verdicts, accounts, counted } = await judge(['0.01', '0.02', '0.01'])
  expect(verdicts).toEqual(all(3, 'explained'))
  expect(counted).toBe('0.04')
  expect(accounts).toEqual({
    holdings: 999_960_000_000_000_000_000n,
    claims: 1_000n * unit,
    toZone: 0n,
    toMain: 0n,
    fees: 0n,
    gas: -40_000_000_000_000_000n,
    open: 0n,
    lost: 0n,
    found: 0n,
  })
})

test.each([
  ['20 times what the others cost', '0.2', 'explained'],
  ['more than that, though next to nothing', '0.1', 'explained'],
  ['more than 20 times what the others cost', '0.200001', 'unexplained'],
])('one that costs %s is %s: %s', async (_, fee, verdict) => {
  const usual = fee === '0.1' ? '0.001' : '0.01'
  const { verdicts, accounts } = await judge([...Array.from({ length: 5 }, () => usual), fee])
  expect(verdicts).toEqual([...all(5, 'explained'), verdict])
  expect(accounts.lost < 0n).toBe(verdict === 'unexplained')
})

test.each([
  ['5', 'explained'],
  ['5.001', 'unexplained'],
])('a first one of %s is %s', async (fee, verdict) => {
  expect((await judge([fee])).verdicts).toEqual([verdict])
})

test('more than one in a hundred of what is held is a loss within a day, and gas over two', async () => {
  const fees = Array.from({ length: 11 }, () => '1')
  expect((await judge(fees)).verdicts).toEqual([...all(10, 'explained'), 'unexplained'])
  expect((await judge(fees, 3 * hour)).verdicts).toEqual(all(11, 'explained'))
})

test('a row whose sender is another costs the escrow nothing', () => {
  const row = { hash: hash('a'), height: 1, time: 1, from: stranger, to: escrow, token: '', tokenId: '' }
  expect(sumFlows([{ ...row, amount: '0', fee: '1' }], place, 2)).toEqual([])
})
