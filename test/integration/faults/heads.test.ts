import { expect, test } from 'vitest'
import { type BridgeWorld, calmPoll, createBridgeWorld } from '../../support/bridgeWorld.ts'
import type { WireLog } from '../../support/fakeExplorer.ts'

const rules = `
rules:
  - { name: stands, on: chain.stalled, with: { after: 2m }, severity: critical, summary: "{{ labels.chain }} stands" }
  - { name: changed, on: contract.changed, severity: critical, summary: "changed" }
  - { name: stalled, on: transfer.stalled, with: { after: 10m }, severity: critical, summary: "stalled" }
  - { name: order, on: transfer.out_of_order, severity: critical, summary: "out of order" }
  - { name: unbacked, on: transfer.unbacked, severity: critical, summary: "unbacked" }
`
const contract = `0x${'c0'.repeat(20)}`
const pausedTopic = '0x62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a258'

const setUp = () =>
  createBridgeWorld({ rules, config: { poll: calmPoll }, bridge: { contracts: [contract] } })

/** The contract is paused at a height. */
function pause({ fake, now }: BridgeWorld, height: number): void {
  const log: WireLog = {
    height: String(height),
    address: contract,
    data: `0x${'00'.repeat(32)}`,
    topics: [pausedTopic],
    txId: `0x${height.toString(16).padStart(64, '0')}`,
    transactionTime: String(now()),
    logIndex: '0',
  }
  fake.logs.push(log)
}

const firing = ({ monitor }: BridgeWorld, kind: string) =>
  monitor.app.parts.db
    .prepare("SELECT subject FROM alerts WHERE kind = ? AND state = 'firing'")
    .all(kind)
    .map(({ subject }) => String(subject))
const episodes = ({ monitor }: BridgeWorld) =>
  monitor.told().filter((text) => text.includes(' stands')).length

test('F47: a head far in the future, read once, moves no cursor: nothing below it is lost, nothing is told', async () => {
  const world = await setUp()
  const { fake, now } = world
  const honest = { main: fake.mainHead, zone: fake.zoneHead }
  world.withdraw(1)
  await world.pass(60_000)
  fake.mainHead = () => 10 ** 9
  fake.zoneHead = () => 10 ** 9
  const liedUntil = now() + 20_000
  await world.until(() => now() >= liedUntil, 'one reading')
  fake.mainHead = honest.main
  fake.zoneHead = honest.zone
  pause(world, honest.main() + 30)
  await world.until(() => world.told('contract.changed').length > 0, 'the pause')
  await world.pass(300_000)
  expect(firing(world, 'chain.stalled')).toEqual([])
  expect(world.told()).toHaveLength(1)
  const asked = fake.requests.filter(({ path }) => path.endsWith('/log/by-block-and-address'))
  expect(asked.filter(({ query }) => Number(query.get('endBlockHeight')) > 100_000)).toEqual([])
})

test('F47: a head that goes back and stands there is told in time; what happens below the old one is seen', async () => {
  const world = await setUp()
  const { fake, now } = world
  const honest = fake.mainHead
  world.withdraw(1)
  await world.pass(60_000)
  fake.mainHead = () => 9_500
  const since = now()
  await world.until(() => firing(world, 'chain.stalled').includes('main'), 'the main chain stands')
  // Where it stands is known 30 s after it went there.
  expect(now() - since).toBeLessThan(120_000 + 60_000)
  pause(world, 9_480)
  await world.until(() => world.told('contract.changed').length > 0, 'the pause')
  fake.mainHead = honest
  await world.until(() => firing(world, 'chain.stalled').length === 0, 'it goes on')
  expect(episodes(world)).toBeLessThanOrEqual(2)
})

test('F47, F71: a head that goes back and moves on from there is no alarm, and blocks from the future set no timer', async () => {
  const world = await setUp()
  const { fake, now } = world
  const honest = fake.mainHead
  world.withdraw(1)
  await world.pass(60_000)
  fake.mainHead = () => honest() - 400
  // Every block says that it was made two hours from now.
  fake.now = () => now() + 7_200_000
  const inTwoHours = String(now() + 7_200_000)
  world.withdraw(2, { zoneBlockTime: inTwoHours, mainTxHash: '', mainBlockTime: '', mainBlockHeight: '' })
  const since = now()
  pause(world, fake.mainHead() + 60)
  await world.until(() => world.told('contract.changed').length > 0, 'the pause')
  await world.until(() => firing(world, 'transfer.stalled').length > 0, 'the withdrawal waits too long')
  expect(now() - since).toBeGreaterThanOrEqual(600_000)
  expect(now() - since).toBeLessThan(660_000)
  expect(firing(world, 'chain.stalled')).toEqual([])
  expect(
    world
      .told()
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual(['contract.changed', 'transfer.out_of_order'])
})
