import { expect, test } from 'vitest'
import type { AppConfig } from '../../src/kernel/settings.ts'
import { bridge, createEscrowWorld, depositTopic } from '../support/escrowWorld.ts'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { send } from '../support/fakeExplorer.ts'

const second = 1_000
const minute = 60 * second
const rules = `rules:
  - { name: changed, on: contract.changed, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: logs, on: contract.silent, severity: warning }
`
/** `OwnershipTransferred(address,address)` */
const ownerTopic = '0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0'
const word = (address: string) => `0x${address.slice(2).padStart(64, '0')}`

/** An escrow that is none of `bridge.contracts`, and a bridge that goes on as ever. */
async function start(settings: Partial<AppConfig['bridge']> = {}) {
  const world = await createEscrowWorld({
    rules,
    bridge: settings,
    prepare: ({ deposit }) => {
      for (let n = 0; n < 3; n += 1) deposit(n, { amount: '500', event: [user(n), 500_000_000n] })
    },
  })
  const emitAtEscrow = (topics: readonly string[]) => {
    const hash = world.transact({ moves: [] })
    world.fake.logs.push({
      height: String(world.fake.mainHead()),
      address: escrow,
      topics: [...topics],
      data: '0x',
      txId: hash,
      transactionTime: String(world.now()),
      logIndex: String(700 + world.fake.logs.length),
    })
    return hash
  }
  await world.pass(2 * minute)
  return { ...world, emitAtEscrow }
}

test('an escrow that is given another owner is told within three minutes, though it is none of bridge.contracts', async () => {
  const world = await start()
  world.emitAtEscrow([ownerTopic, word(user(1)), word(user(66))])
  await world.pass(3 * minute)
  const told = world
    .told('contract.changed')
    .map(({ subject, facts }) => [facts['group'], facts['after'], subject])
  expect(told).toEqual([['owner', user(66), expect.stringContaining(escrow)]])
})

test('what else an escrow emits says nothing of transfers', async () => {
  const world = await start()
  world.emitAtEscrow([depositTopic, word(user(5))])
  world.emitAtEscrow([`0x${'77'.repeat(32)}`, word(user(5))])
  await world.pass(6 * minute)
  expect(world.told()).toEqual([])
  const { db } = world.monitor.app.parts
  const ofEscrow = db
    .prepare('SELECT count(*) AS n FROM bridge_logs JOIN names ON names.id = contract WHERE name = ?')
    .all(escrow)
  expect(ofEscrow).toEqual([{ n: 0 }])
})

test('of an escrow that emits nothing no source is asked for: it may be a wallet', async () => {
  const world = await start()
  const asked = new Set<string>()
  const before = world.fake.intercept
  world.fake.intercept = (request, response) => {
    if (request.path.endsWith('/verify-contract-info')) asked.add(request.query.get('contractAddress') ?? '')
    return before(request, response)
  }
  await world.pass(4 * minute)
  expect([...asked]).toEqual([bridge])
  world.emitAtEscrow([`0x${'77'.repeat(32)}`, word(user(5))])
  await world.pass(6 * minute)
  expect([...asked].sort()).toEqual([bridge, escrow].sort())
})

test('escrows whose logs cannot be asked for hold up nothing of the bridge', async () => {
  const wallets = [1, 2, 3, 4, 5, 6].map((n) => `0x${`e${n}`.repeat(20)}`)
  const world = await start({ escrows: wallets.map((address) => ({ address, token, baseline: null })) })
  let sources = 0
  const before = world.fake.intercept
  world.fake.intercept = (request, response) => {
    if (request.path.endsWith('/verify-contract-info')) sources += 1
    const isRefused = wallets.includes(request.query.get('address') ?? '') && request.path.includes('/log/')
    if (!isRefused) return before(request, response)
    send(response, 500, {})
    return true
  }
  await world.pass(6 * minute)
  expect(sources).toBeGreaterThan(4)
})
