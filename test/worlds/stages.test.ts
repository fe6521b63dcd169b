import { encodeAbiParameters, toEventSelector } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { calmPoll, createBridgeWorld } from '../support/bridgeWorld.ts'
import { runLeaping } from '../support/leapingScenario.ts'
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

/** Faster than the scenario that is shipped; what nobody claims expires a little more than a day later. */
const quick = `name: x
traffic: { transfersPerMinute: 2 }
history: { for: 30m, transfers: 40 }
stages: { every: 2m, prove: { min: 5s, max: 40s }, dispute: 4m, claim: { min: 5s, max: 40s }, expires: 24h10m }
`

const watch = {
  config: { poll: calmPoll },
  preconfIntervalMs: 30_000,
  secondSource: true,
  zoneRpc: true,
}

async function play(timeline: string, ms: number) {
  const run = await runLeaping({ scenario: `${quick}timeline:${timeline}`, ...watch })
  await run.pass(ms)
  const { db } = run.app.parts
  const count = (sql: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${sql}`).get()?.['n'])
  return {
    told: run.alerts().map(({ kind }) => kind),
    open: () => run.alerts().filter(({ state }) => state === 'firing'),
    rules: () =>
      db
        .prepare('SELECT DISTINCT rule FROM alerts WHERE fired_at IS NOT NULL ORDER BY rule')
        .all()
        .map(({ rule }) => String(rule)),
    eventsOf: (stage: string) => count(`stage_events WHERE stage = '${stage}'`),
    paid: count("transfers WHERE direction = 'ZoneToMain' AND state = 'completed'"),
  }
}

describe('a sandbox with stages, by the shipped rules', () => {
  test('in which all goes well tells nothing, and its withdrawals are paid', async () => {
    const world = await play(' []\n', 25 * minute)
    expect(world.told).toEqual([])
    expect([world.eventsOf('proposed') > 8, world.eventsOf('proven') > 8, world.paid > 8]).toEqual([
      true,
      true,
      true,
    ])
  })

  test('whose proposer stops is told, and what waits for it', async () => {
    const world = await play('\n  - { at: 10m, for: 60m, fault: proposal.stopped }\n', 50 * minute)
    expect(world.rules()).toEqual(['proposal-overdue', 'withdrawal-not-proposed', 'withdrawal-stalled'])
  })

  test('in which proofs become void is told of what has to be proven again, and that it was', async () => {
    const world = await play('\n  - { at: 10m, fault: proposal.removed, back: 4m }\n', 18 * minute)
    expect(world.rules()).toEqual(['withdrawal-prove-again'])
    expect([world.eventsOf('removed'), world.open()]).toEqual([1, []])
  })

  test('in which nobody claims a withdrawal is told before that expires, and of one that nobody proves nothing is', async () => {
    const forgotten = 'fault: withdrawal.forgotten, token: USDC, amount: "4100"'
    const world = await play(
      `\n  - { at: 1m, ${forgotten}, step: claim }\n  - { at: 1m, ${forgotten}, step: prove }\n`,
      25 * minute,
    )
    expect(world.rules()).toEqual(['withdrawal-expires'])
    expect(world.told).toHaveLength(1)
  })
})
