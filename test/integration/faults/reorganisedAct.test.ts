import { expect, test } from 'vitest'
import {
  type BridgeWorld,
  calmPoll,
  createBridgeWorld,
  escrow,
  token,
  user,
} from '../../support/bridgeWorld.ts'
import type { WireLog } from '../../support/fakeExplorer.ts'

const rules = `
rules:
  - { name: changed, on: contract.changed, severity: critical }
  - { name: overdue, on: monitor.poll_overdue, severity: critical }
  - { name: suspicious, on: source.suspicious, severity: critical }
`
const bridge = `0x${'b1'.repeat(20)}`
const pausedTopic = '0x62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a258'
const actHash = `0x${'ac'.repeat(32)}`

/** A contract that has emitted nothing else is paused, in a block that holds another transaction as well. */
async function pause(): Promise<{ readonly world: BridgeWorld; readonly act: WireLog }> {
  const world = await createBridgeWorld({
    rules,
    config: { poll: calmPoll },
    bridge: { contracts: [bridge], escrows: [{ address: escrow, token, baseline: null }] },
  })
  const { fake } = world
  await world.pass(40_000)
  const height = fake.mainHead() - 1
  for (const hash of [`0x${'0a'.repeat(32)}`, actHash]) world.main(hash, { height, moves: [] })
  const act: WireLog = {
    height: String(height),
    address: bridge,
    topics: [pausedTopic],
    txId: actHash,
    data: `0x${user(1).replace('0x', '').padStart(64, '0')}`,
    transactionTime: String(world.now() - 1_000),
    logIndex: '1',
  }
  fake.logs.push(act)
  await world.until(() => world.told('contract.changed').length === 1, 'the act')
  return { world, act }
}

const firing = ({ monitor }: BridgeWorld) =>
  monitor.app.parts.db
    .prepare("SELECT kind FROM alerts WHERE nature = 'condition' AND state = 'firing'")
    .all()

test('F46: an act of administration whose block is replaced without it is taken back once, and nobody is accused of hiding it', async () => {
  const { world, act } = await pause()
  world.chain.transactions.delete(actHash)
  world.fake.logs = []
  await world.until(() => world.told('contract.changed')[0]?.isOver === true, 'the correction')
  for (let minutes = 0; minutes < 10; minutes += 2) {
    await world.pass(120_000)
    expect(firing(world)).toEqual([])
  }
  expect(world.told()).toMatchObject([{ kind: 'contract.changed', corrections: 1, isOver: true }])

  // It comes after all.
  const height = world.fake.mainHead()
  world.main(actHash, { height, moves: [] })
  world.fake.logs.push({ ...act, height: String(height), transactionTime: String(world.now()) })
  await world.until(() => world.told('contract.changed')[0]?.isOver === false, 'the act that came after all')
}, 120_000)

test('an act that the logs alone do not show any more stands', async () => {
  const { world } = await pause()
  world.fake.logs = []
  await world.pass(300_000)
  expect(world.told()).toMatchObject([{ kind: 'contract.changed', corrections: 0, isOver: false }])
  expect(firing(world)).toContainEqual({ kind: 'source.suspicious' })
}, 120_000)
