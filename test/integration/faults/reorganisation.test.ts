import { expect, test } from 'vitest'
import {
  type BridgeWorld,
  calmPoll,
  createBridgeWorld,
  escrow,
  token,
  user,
} from '../../support/bridgeWorld.ts'
import type { WireLog, WireRecord } from '../../support/fakeExplorer.ts'

const rules = `
rules:
  - { name: failed, on: transfer.failed, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: duplicate, on: transfer.duplicate, severity: critical }
  - { name: rewritten, on: transfer.rewritten, severity: critical, summary: "rewritten {{ transfer.amount }}" }
  - { name: vanished, on: transfer.vanished, severity: critical }
  - { name: order, on: transfer.out_of_order, severity: critical }
  - { name: changed, on: contract.changed, severity: critical }
  - { name: incomplete, on: ledger.incomplete, severity: critical }
  - { name: stalled, on: transfer.stalled, with: { after: 10m }, severity: critical }
  - { name: stands, on: chain.stalled, severity: critical }
  - { name: overdue, on: monitor.poll_overdue, severity: critical }
`
const bridge = `0x${'b1'.repeat(20)}`
const paidTopic = `0x${'9a'.repeat(32)}`
const pausedTopic = '0x62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a258'
const word = (hex: string) => hex.replace('0x', '').padStart(64, '0')

interface Payout {
  readonly record: WireRecord
  readonly log: WireLog
}

/** Payouts of the newest blocks, one in each, with their records, transactions, events and an act of administration. */
function pay(world: BridgeWorld, depth: number): Payout[] {
  const head = world.fake.mainHead()
  return Array.from({ length: depth }, (_, n): Payout => {
    const height = head - depth + 1 + n
    const time = String(world.now() - (depth - n) * 1_000)
    const record = world.withdraw(n + 1, {
      mainBlockHeight: String(height),
      mainBlockTime: time,
      zoneBlockTime: String(Number(time) - 20_000),
    })
    const { mainTxHash = '', zoneTxHash = '', valueRaw = '', targetAddress = '' } = record
    world.main(mainTxHash, {
      height,
      moves: [{ token, from: escrow, to: targetAddress, amount: String(101 + n) }],
    })
    const data = [zoneTxHash, token, targetAddress, BigInt(valueRaw).toString(16)].map(word).join('')
    const log: WireLog = {
      height: String(height),
      address: bridge,
      topics: [paidTopic],
      data: `0x${data}`,
      txId: mainTxHash,
      transactionTime: time,
      logIndex: '7',
    }
    world.fake.logs.push(log)
    return { record, log }
  })
}

/** The blocks are made again: other heights, times and places; what is in them is the same, but for what is left out. */
function reorganise(world: BridgeWorld, payouts: readonly Payout[], gone: Payout): void {
  for (const { record, log } of payouts) {
    const { mainTxHash = '' } = record
    if (record === gone.record) continue
    const height = Number(record['mainBlockHeight']) + 2
    const time = String(Number(record['mainBlockTime']) + 2_500)
    const before = world.chain.transactions.get(mainTxHash)
    world.main(mainTxHash, { ...before, height })
    Object.assign(record, {
      mainBlockHeight: String(height),
      mainBlockTime: time,
      updateTime: String(world.now()),
    })
    Object.assign(log, { height: String(height), transactionTime: time, logIndex: '3' })
  }
  world.chain.transactions.delete(gone.record['mainTxHash'] ?? '')
  world.fake.logs = world.fake.logs.filter((log) => log !== gone.log)
  Object.assign(gone.record, {
    mainTxHash: '',
    mainBlockHeight: '',
    mainBlockTime: '',
    updateTime: String(world.now()),
  })
}

test.each([1, 30])(
  'F46: a reorganisation of depth %i: what is in other blocks is told once, what is gone is taken back once',
  async (depth) => {
    const world = await createBridgeWorld({
      rules,
      config: { poll: calmPoll },
      bridge: { contracts: [bridge], escrows: [{ address: escrow, token, baseline: null }] },
    })
    const { fake, monitor } = world
    const { ledger } = monitor.app.parts
    await world.pass(40_000)
    const payouts = pay(world, depth)
    const act: WireLog = {
      ...(payouts[0] as Payout).log,
      topics: [pausedTopic],
      txId: `0x${'ac'.repeat(32)}`,
      data: `0x${word(user(1))}`,
      logIndex: '1',
    }
    fake.logs.push(act)
    await world.until(() => ledger.countByState().completed === depth, 'the payouts')
    await world.until(() => world.told('contract.changed').length === 1, 'the act')
    // Evidence, events and lists have all been read by now.
    await world.pass(90_000)
    expect(world.told().map(({ kind }) => kind)).toEqual(['contract.changed'])

    const honest = fake.mainHead
    fake.mainHead = () => honest() - depth
    const gone = payouts[Math.floor(depth / 2)] as Payout
    const goneHash = gone.record['mainTxHash'] ?? ''
    reorganise(world, payouts, gone)
    Object.assign(act, { height: String(Number(act.height) + 2), logIndex: '0' })
    await world.until(() => world.told('transfer.rewritten').length === 1, 'the payout that is gone')
    expect(ledger.countByState()).toMatchObject({ completed: depth - 1, pending: 1 })
    fake.mainHead = honest
    await world.pass(300_000)
    expect(world.told()).toMatchObject([
      { kind: 'contract.changed', corrections: 0 },
      { kind: 'transfer.rewritten', corrections: 0, facts: { mainHashBefore: goneHash, mainHashAfter: '' } },
    ])
    const states = ledger.listTransfers({ limit: 100 })
    expect(states).toHaveLength(depth)
    // Legs say where they are now.
    const moved = states.find(({ main }) => main !== null)
    if (depth > 1)
      expect(payouts.map(({ record }) => record['mainBlockHeight'])).toContain(String(moved?.main?.height))

    // The origin is paid after all, by another transaction.
    const again = `0x${'a9'.repeat(32)}`
    const n = payouts.indexOf(gone)
    world.main(again, {
      height: fake.mainHead(),
      moves: [{ token, from: escrow, to: gone.record['targetAddress'] ?? '', amount: String(101 + n) }],
    })
    const paid = { mainBlockHeight: String(fake.mainHead()), mainBlockTime: String(world.now()) }
    Object.assign(gone.record, { mainTxHash: again, ...paid, updateTime: String(world.now()) })
    fake.logs.push({
      ...gone.log,
      txId: again,
      height: paid.mainBlockHeight,
      transactionTime: paid.mainBlockTime,
    })
    await world.until(() => ledger.countByState().completed === depth, 'the second payout')
    await world.pass(300_000)
    expect(world.told().map(({ kind }) => kind)).toEqual(['contract.changed', 'transfer.rewritten'])
    const open = monitor.app.parts.db.prepare(
      "SELECT kind FROM alerts WHERE nature = 'condition' AND state = 'firing'",
    )
    expect(open.all()).toEqual([])
  },
  240_000,
)
