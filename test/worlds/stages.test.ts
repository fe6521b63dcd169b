import { encodeAbiParameters, toEventSelector } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { calmPoll, createBridgeWorld } from '../support/bridgeWorld.ts'
import { loadGood, smallest } from '../unit/config/loadInMemory.ts'

const minute = 60_000
const contract = `0x${'c0'.repeat(20)}`
const unpaid = { mainTxHash: '', mainBlockHeight: '', mainBlockTime: '' }

/** Proposed every five minutes, disputed for fifteen once proven, claimable for twenty. */
const { stages } = loadGood(`${smallest}bridge:
  stages:
    - { stage: proposed, event: "Proposed(uint256 zoneHeight)", height: zoneHeight, every: 5m }
    - { stage: proven, event: "Proven(bytes32 indexed withdrawal)", names: withdrawal, lasts: 15m }
    - { stage: claimable, lasts: 20m }
    - { stage: removed, event: "Removed(uint256 zoneHeight)", height: zoneHeight }
`).config.bridge

const rules = `
rules:
  - { name: stalled, on: transfer.stalled, with: { after: 10m }, severity: critical }
  - { name: late, on: transfer.stage_overdue, with: { stage: left, after: 3m }, severity: warning }
  - { name: expires, on: transfer.stage_overdue, with: { stage: claimable, before: 5m }, severity: critical }
  - { name: again, on: transfer.prove_again, severity: warning }
  - { name: proposer, on: proposal.overdue, with: { within: 4m }, severity: critical }
`

async function open() {
  const world = await createBridgeWorld({
    rules,
    bridge: { contracts: [contract], stages },
    config: { poll: calmPoll },
  })
  let count = 0
  const emit = (signature: string, topics: string[], height: number | null) => {
    count += 1
    world.fake.logs.push({
      height: String(world.fake.mainHead()),
      address: contract,
      topics: [toEventSelector(signature), ...topics],
      data: height === null ? '0x' : encodeAbiParameters([{ type: 'uint256' }], [BigInt(height)]),
      txId: `0x${String(count).padStart(64, 'e')}`,
      transactionTime: String(world.now()),
      logIndex: '0',
    })
  }
  const propose = () => emit('Proposed(uint256)', [], world.fake.zoneHead())
  const prove = (hash: string) => emit('Proven(bytes32)', [hash], null)
  const remove = (height: number) => emit('Removed(uint256)', [], height)
  const { db } = world.monitor.app.parts
  const firing = () =>
    db
      .prepare("SELECT rule FROM alerts WHERE state = 'firing' ORDER BY rule")
      .all()
      .map(({ rule }) => String(rule))
  const ever = () =>
    db
      .prepare('SELECT DISTINCT rule FROM alerts ORDER BY rule')
      .all()
      .map(({ rule }) => String(rule))
  // The first record tells how far the main chain is.
  world.withdraw(9, { mainBlockHeight: String(world.fake.mainHead()) })
  await world.pass(minute)
  const leave = () => {
    const height = world.fake.zoneHead()
    const record = world.withdraw(1, {
      ...unpaid,
      zoneBlockTime: String(world.now()),
      zoneBlockHeight: String(height),
    })
    return { hash: record['zoneTxHash'] ?? '', height }
  }
  /** Proposals go on meanwhile, as they should. */
  const passProposing = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 5 * minute) {
      propose()
      await world.pass(Math.min(5 * minute, ms - passed))
    }
  }
  return { ...world, propose, prove, remove, firing, ever, leave, passProposing }
}

describe('a withdrawal with stages', () => {
  test('that waits by rule is told by nobody, and is told before its claim expires', async () => {
    const world = await open()
    const { hash } = world.leave()
    await world.passProposing(7 * minute)
    world.prove(hash)
    // Until then it is disputed, then claimable: held by rule, not stalled.
    await world.passProposing(28 * minute)
    expect(world.ever()).toEqual([])
    await world.passProposing(5 * minute)
    expect(world.firing()).toEqual(['expires'])
  })

  test('that no proposal covers in time is told, and so is the proposer', async () => {
    const world = await open()
    world.leave()
    await world.pass(7 * minute)
    expect(world.ever()).toEqual([])
    await world.pass(4 * minute)
    expect(world.firing()).toEqual(['late', 'proposer'])
  })

  test('whose proposal is removed has to be proven again, until it is', async () => {
    const world = await open()
    const { hash, height } = world.leave()
    await world.passProposing(2 * minute)
    world.prove(hash)
    await world.passProposing(2 * minute)
    expect(world.ever()).toEqual([])
    world.remove(height)
    await world.pass(minute)
    expect(world.firing()).toEqual(['again'])
    await world.passProposing(minute)
    world.prove(hash)
    await world.pass(minute)
    expect(world.firing()).toEqual([])
  })
})
