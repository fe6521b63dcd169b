import { findingText } from '../support/readFinding.ts'
import { describe, expect, test } from 'vitest'
import { escrow, token } from '../support/bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld } from '../support/escrowWorld.ts'
import { type FakeRequest, send } from '../support/fakeExplorer.ts'

// semantics.md 40: a question that a finding waits for may be one that is never answered. The finding is told by its
// deadline, marked so; where the question is only late, nothing is told.

const second = 1_000
const stranger = `0x${'bad0'.repeat(10)}`
const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: failed, on: transfer.failed, severity: critical }
  - { name: drift, on: escrow.drift, where: "facts.direction == 'out'", severity: critical }
`

type Answer = 'empty' | 'error'

async function start() {
  const vain: { isMeant: (request: FakeRequest) => boolean; answer: Answer } = {
    isMeant: () => false,
    answer: 'empty',
  }
  const world = await createEscrowWorld({
    rules,
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    bridge: { contracts: [] },
    prepare(bare) {
      for (let n = 0; n < 3; n += 1) bare.deposit(n, { amount: '500' })
      for (let n = 3; n < 6; n += 1) bare.withdraw(n)
      const before = bare.fake.intercept
      bare.fake.intercept = (request, response) => {
        if (!vain.isMeant(request)) return before(request, response)
        if (vain.answer === 'empty') send(response, 200, { code: '0', msg: '', data: [] })
        else send(response, 500, { code: '50026', msg: 'system error', data: [] })
        return true
      }
    },
  })
  await world.pass(90 * second)
  return { world, vain }
}

const asks = ({ path, query }: FakeRequest, ends: readonly string[], hash: string) =>
  ends.some((end) => path.endsWith(end)) && [...query.values()].some((value) => value.includes(hash))

const listings = ['/zone/cross/transaction-list']
const zoneMany = ['/zone/transaction/transaction-multi']
const single = ['/log/by-transaction', '/token-transaction-detail']

function drifts(world: EscrowWorld) {
  return world.conditions().filter(({ kind }) => kind === 'escrow.drift')
}

describe('semantics.md 40: money that leaves without a record', () => {
  test.each(['empty', 'error'] as const)('the list is asked for it in vain: %s', async (answer) => {
    const { world, vain } = await start()
    vain.answer = answer
    vain.isMeant = ({ path, query }) => listings.some((end) => path.endsWith(end)) && query.has('txid')
    const at = world.now()
    const hash = world.transact({ moves: [{ token, from: escrow, to: stranger, amount: '300' }] })
    const other = world.transact({ moves: [{ token, from: escrow, to: stranger, amount: '4' }] })
    const isTold = (one: string) => drifts(world).some(({ facts }) => facts['mainTxHash'] === one)
    await world.until(() => isTold(hash) && isTold(other), 'the drift')
    expect(world.now() - at).toBeLessThan(120 * second)
    for (const { facts } of drifts(world)) expect(facts['reason']).toMatch(/could not be asked/)
  })
})

describe('semantics.md 40: a payout of more than its record says', () => {
  test.each(['empty', 'error'] as const)('a second answer is asked for in vain: %s', async (answer) => {
    const { world, vain } = await start()
    const at = world.now()
    const record = world.withdraw(20)
    const hash = record['mainTxHash'] ?? ''
    world.main(hash, {
      height: world.fake.mainHead(),
      time: world.now(),
      moves: [{ token, from: escrow, to: record['targetAddress'] ?? '', amount: '99000' }],
    })
    vain.answer = answer
    vain.isMeant = (request) => asks(request, single, hash)
    await world.until(() => world.told('transfer.mismatch').length > 0, 'the mismatch')
    expect(world.now() - at).toBeLessThan(120 * second)
    const [told] = world.monitor.app.parts.db
      .prepare("SELECT finding FROM alerts WHERE kind = 'transfer.mismatch'")
      .all()
    expect(findingText(told?.['finding'])).toMatch(/could not be asked/)
  })
})

describe('semantics.md 40: a payout whose origin was never made', () => {
  test('E9 is asked for it in vain, and for what is asked with it', async () => {
    const { world, vain } = await start()
    const at = world.now()
    const forged = world.withdraw(30)
    const zoneHash = forged['zoneTxHash'] ?? ''
    world.fake.zoneTransactions.delete(zoneHash)
    vain.isMeant = (request) => asks(request, zoneMany, zoneHash)
    for (let n = 40; n < 44; n += 1) world.withdraw(n)
    const failing = world.withdraw(45, {
      status: '0x0',
      mainTxHash: '',
      mainBlockHeight: '',
      mainBlockTime: '',
    })
    world.zone(failing['zoneTxHash'] ?? '', { status: '0x0' })
    await world.until(() => world.told('transfer.unbacked').length > 0, 'the forged payout')
    expect(world.now() - at).toBeLessThan(120 * second)
    await world.pass(60 * second)
    const { ledger } = world.monitor.app.parts
    const [transfer] = ledger.listTransfers({ hash: forged['mainTxHash'] ?? '', limit: 1 })
    expect(world.told('transfer.unbacked').map(({ subject }) => subject)).toEqual([transfer?.key])
    expect(world.told('transfer.failed')).toHaveLength(1)
    expect(world.told('transfer.mismatch')).toEqual([])
    const [told] = world.monitor.app.parts.db
      .prepare("SELECT finding FROM alerts WHERE kind = 'transfer.unbacked'")
      .all()
    expect(findingText(told?.['finding'])).toMatch(/could not be asked/)
  })
})

describe('semantics.md 40: what is asked in vain accuses nobody', () => {
  test('an origin that another endpoint shows, and a payout whose record is listed late', async () => {
    const { world, vain } = await start()
    const honest = world.withdraw(50)
    vain.isMeant = (request) =>
      asks(request, zoneMany, honest['zoneTxHash'] ?? '') ||
      (asks(request, listings, '') && request.query.has('txid'))
    const late = world.withdraw(51)
    world.fake.records.shift()
    world.main(late['mainTxHash'] ?? '', {
      height: world.fake.mainHead(),
      time: world.now(),
      moves: [{ token, from: escrow, to: late['targetAddress'] ?? '', amount: late['value'] ?? '' }],
    })
    await world.pass(45 * second)
    world.fake.records.unshift(late)
    await world.pass(180 * second)
    expect(world.told()).toEqual([])
    expect(drifts(world).filter(({ state }) => state === 'firing')).toEqual([])
  })
})
