import { readFinding } from '../support/readFinding.ts'
import { expect, test } from 'vitest'
import { calmPoll, createBridgeWorld, user } from '../support/bridgeWorld.ts'
import { send } from '../support/fakeExplorer.ts'

const second = 1_000
const minute = 60_000
const prober = user(7)

/** A bridge that is tried every ten minutes by one withdrawal, which may take five. */
async function openProbed() {
  const world = await createBridgeWorld({
    rules: 'rules:\n  - { name: missed, on: probe.missed, with: { within: 5m }, severity: critical }\n',
    bridge: { probes: [{ address: prober, direction: 'ZoneToMain', everyMs: 10 * minute }] },
    config: { poll: calmPoll },
  })
  const { parts } = world.monitor.app
  let count = 0
  const probe = (record: Record<string, string> = {}) => {
    count += 1
    world.withdraw(7, {
      id: `0x${String(count).padStart(64, '0')}`,
      zoneTxHash: `0x${String(count).padStart(64, 'a')}`,
      mainTxHash: `0x${String(count).padStart(64, 'b')}`,
      zoneBlockTime: String(world.now()),
      mainBlockTime: String(world.now() + 20 * second),
      ...record,
    })
  }
  const missed = () =>
    parts.db
      .prepare("SELECT state, finding FROM alerts WHERE kind = 'probe.missed'")
      .all()
      .map((row) => `${String(row['state'])}: ${String(readFinding(row).facts['state'])}`)
  const latency = () => parts.opened.get('probes')?.metrics?.()['spanwatch_probe_last_latency_seconds']
  return { ...world, probe, missed, latency }
}

test('none for longer than its period and what it may take is told, and is over with the next', async () => {
  const world = await openProbed()
  for (let sent = 0; sent < 2; sent += 1) {
    world.probe()
    await world.pass(10 * minute)
  }
  await world.pass(4 * minute)
  expect(world.missed()).toEqual([])
  await world.pass(4 * minute)
  expect(world.missed()).toEqual(['firing: none'])
  world.probe()
  await world.pass(2 * minute)
  expect(world.missed()).toEqual(['resolved: none'])
  expect(world.latency()).toEqual([[{ address: prober, direction: 'ZoneToMain' }, 20]])
})

test('one that left and is slow is told as under way', async () => {
  const world = await openProbed()
  world.probe()
  await world.pass(10 * minute)
  world.probe({ mainTxHash: '', mainBlockHeight: '', mainBlockTime: '' })
  await world.pass(8 * minute)
  expect(world.missed()).toEqual(['firing: under way'])
})

test('while the list cannot be read nothing is said, and nothing is missed that it shows later', async () => {
  const world = await openProbed()
  world.probe()
  await world.pass(2 * minute)
  const { intercept } = world.fake
  world.fake.intercept = (request, response) => {
    if (!request.path.endsWith('/cross/transaction-list')) return intercept(request, response)
    send(response, 503, 'no')
    return true
  }
  await world.pass(8 * minute)
  world.probe()
  await world.pass(10 * minute)
  expect(world.missed()).toEqual([])
  world.fake.intercept = intercept
  await world.pass(3 * minute)
  expect(world.missed()).toEqual([])
})
