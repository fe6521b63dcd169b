import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { noAmount, toDecimal } from '../../../../../src/bridge/decimal.ts'
import { saveFlows, settleFlow } from '../../../../../src/checks/escrow/flows/flowStore.ts'
import {
  noteHeld,
  readEscrowToken,
  saveHoldings,
  startOwed,
} from '../../../../../src/checks/escrow/owed/owedStore.ts'
import { reviseHeld } from '../../../../../src/checks/escrow/watched/held.ts'
import { openEscrowWatch, reserveOf } from '../../../../../src/checks/escrow/watched/watch.ts'
import { createLearned } from '../../../../../src/ledger/lessons/learned.ts'
import { openDatabase } from '../../../../../src/store/database.ts'
import { createOldLedger } from '../../../../support/oldLedger.ts'

const token = `0x${'aa'.repeat(20)}`
const contract = `0x${'bb'.repeat(20)}`

/** A contract that held so much when counting began; of nothing it is empty now. */
function open({ baseline = 0n, isNamed = false } = {}) {
  const db = openDatabase(':memory:')
  onTestFinished(() => db.close())
  const escrows = isNamed ? [{ address: contract, token, baseline: null }] : []
  const bridge = { contracts: [contract], escrows, tokens: [], fees: [] }
  const learned = createLearned(db)
  const watch = openEscrowWatch({ db, learned, config: { bridge } })
  startOwed(db, token, { height: 1, time: 1 }, baseline)
  saveHoldings(db, token, 0n, 1)
  /** What a transaction left behind, or took; nothing of what it passed on. */
  const move = (net: string, verdict: 'explained' | 'unexplained' = 'explained') => {
    const amount = toDecimal(net) ?? noAmount
    const outward = { ...amount, digits: -amount.digits }
    const at = { height: 5, at: 5, hash: `0xf${net}` }
    const flow = { ...at, escrow: contract, token, net: amount, outward, party: '', gross: [] }
    saveFlows(db, [flow], 5, 0)
    const direction = net.startsWith('-') ? ('out' as const) : ('in' as const)
    const judged = { reason: '', checkAt: null, absence: null, waitsFor: null, unexplained: null }
    settleFlow(db, flow, { ...judged, verdict, direction }, 5)
  }
  const read = () => {
    reviseHeld(watch, token)
    return { isHeld: readEscrowToken(db, token)?.isHeld, reserve: reserveOf(watch, token) }
  }
  return { db, learned, move, read }
}

const held = { isHeld: true, reserve: 0n }
const passing = { isHeld: false, reserve: null }

test('a contract that only passes a token on holds none of it', () => {
  const { move, read } = open()
  expect(read()).toEqual(passing)
  move('0')
  expect(read()).toEqual(passing)
})

test.each([
  ['a deposit came to rest', '4'],
  ['a payout left what lay', '-4'],
])('one where %s holds it, for good', (_, net) => {
  const { db, move, read } = open()
  move(net)
  expect(read()).toEqual(held)
  db.prepare('DELETE FROM escrow_flows').run()
  expect(read()).toEqual(held)
})

test('what anybody sends there is no deposit', () => {
  const { move, read } = open()
  move('4', 'unexplained')
  expect(read()).toEqual(passing)
})

test('where deposits are known to come to rest is a place that holds them', () => {
  const { learned, read } = open()
  for (const one of ['a', 'b', 'c'])
    learned.learn([{ kind: 'vault', name: token, value: contract }], { hash: one, party: one }, 1)
  expect(read()).toEqual(held)
})

test('what was there when counting began, or the configuration names, is held from the first on', () => {
  expect(open({ baseline: 1n }).read()).toEqual({ isHeld: true, reserve: 1n })
  expect(open({ isNamed: true }).read()).toEqual(held)
})

test('what a ledger of before saw there was held', () => {
  const folder = mkdtempSync(join(tmpdir(), 'held-'))
  const path = join(folder, 'ledger.sqlite')
  const old = createOldLedger(path, 61)
  const judged = [
    { name: '0x1', now: '5', earlier: '0' },
    { name: '0x2', now: '0', earlier: '5' },
    { name: '0x3', now: '0', earlier: '0' },
  ]
  for (const { name, now, earlier } of judged) {
    old
      .prepare("INSERT INTO escrow_tokens (token, type, total, holdings) VALUES (?, '', '0', ?)")
      .run(name, now)
    old
      .prepare(
        "INSERT INTO escrow_course (token, step, at, holdings, owed, open_out) VALUES (?, 1, 1, ?, '9', '0')",
      )
      .run(name, earlier)
  }
  old.close()
  const db = openDatabase(path)
  onTestFinished(() => {
    db.close()
    rmSync(folder, { recursive: true })
  })
  for (const { name } of judged) noteHeld(db, name, false)
  expect(judged.map(({ name }) => readEscrowToken(db, name)?.isHeld)).toEqual([true, true, false])
})

test('what lies where nothing came to rest is a reserve all the same', () => {
  const { db, read } = open()
  saveHoldings(db, token, 7n, 2)
  expect(read()).toEqual({ isHeld: false, reserve: 7n })
})
