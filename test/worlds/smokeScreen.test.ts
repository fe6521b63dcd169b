import { findingText } from '../support/readFinding.ts'
import { describe, expect, test } from 'vitest'
import { escrow, otherToken, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld } from '../support/escrowWorld.ts'
import { shippedPoll } from '../support/incidents.ts'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRun } from '../support/runScenario.ts'

// Many small thefts beside a large one, at the shipped pace: money at risk comes first, and the sum is told at once.

const second = 1_000
const theftAt = 150 * second
const pace = { maxRequestsPerSecond: 4, concurrency: 8 }

async function start(timeline: string): Promise<ScenarioRun> {
  return runLeaping({ scenario: `name: smoke\ntimeline:\n${timeline}\n`, pace })
}

const drained = (token: string, amount: string, count = 1, at = 150) =>
  `  - { at: ${at}s, fault: escrow.drained, token: ${token}, amount: "${amount}", count: ${count} }\n`

interface Told {
  readonly facts: Readonly<Record<string, unknown>>
  readonly afterMs: number
}

function drifts(run: ScenarioRun): Told[] {
  const afterOf = new Map(run.alerts().map(({ subject, afterMs }) => [subject, afterMs]))
  return run.app.parts.db
    .prepare("SELECT subject, finding FROM alerts WHERE kind = 'escrow.drift' ORDER BY id")
    .all()
    .map(({ subject, finding }) => ({
      facts: (JSON.parse(findingText(finding)) as { facts: Told['facts'] }).facts,
      afterMs: afterOf.get(String(subject)) ?? Infinity,
    }))
}

async function untilDrift(run: ScenarioRun, fits: (one: Told) => boolean): Promise<Told> {
  for (let waited = 0; waited < 400 * second; waited += second) {
    const found = drifts(run).find(fits)
    if (found) return found
    await run.pass(second)
  }
  throw new Error('it was not told')
}

describe('semantics.md 44: a smoke screen hides nothing', () => {
  test('a single theft is told, with its amount, long before 80 s', async () => {
    const run = await start(drained('WETH', '31337'))
    const told = await untilDrift(run, ({ facts }) => facts['amount'] === '31337')
    expect(told.afterMs - theftAt).toBeLessThan(75 * second)
  })

  test('300 drains of 0.5 USDC do not hide one of 31,337 WETH, and the sum names all', async () => {
    const smoke = [0, 1, 2].map((n) => drained('USDC', '0.5', 100, 50 + n)).join('')
    const run = await start(`${smoke}${drained('WETH', '31337')}`)
    const told = await untilDrift(run, ({ facts }) => facts['amount'] === '31337' && facts['sum'] === '')
    expect(told.afterMs - theftAt).toBeLessThan(120 * second)
    const sum = await untilDrift(run, ({ facts }) => facts['sum'] !== '')
    expect(sum.facts['sum']).toMatch(/movements, 31,337 WETH and [\d.]+ USDC$/)
    expect(sum.afterMs - theftAt).toBeLessThan(120 * second)
  })
})

const worthless = `0x${'bad0'.repeat(10)}`
const stranger = `0x${'5714'.repeat(10)}`
const thirdToken = `0x${'ef'.repeat(20)}`

/** So many transfers of a token of the thief's own, in and out, some of nothing. */
function addSmoke(world: EscrowWorld, count: number): void {
  for (let n = 0; n < count; n += 1) {
    const [from, to] = n % 2 === 0 ? [stranger, escrow] : [escrow, stranger]
    const amount = n % 5 === 0 ? '0' : '1000000'
    const height = world.fake.mainHead() - (n % 20)
    world.transact({ height, moves: [{ token: worthless, from, to, amount, decimals: 18 }] })
  }
}

interface Counted {
  readonly name: string
  readonly escrows: readonly string[]
  readonly tokens: readonly string[]
  readonly drained: string
}

const worlds: readonly Counted[] = [
  { name: 'the only token of the escrows', escrows: [token], tokens: [token], drained: token },
  { name: 'one of two', escrows: [token, otherToken], tokens: [token, otherToken], drained: otherToken },
  {
    name: 'one that only bridge.tokens names',
    escrows: [token],
    tokens: [token, thirdToken],
    drained: thirdToken,
  },
  { name: 'one that a deposit brought', escrows: [token], tokens: [], drained: otherToken },
  { name: 'one of the contracts, without escrows', escrows: [], tokens: [], drained: otherToken },
]

async function startSmoke({ escrows, tokens }: Counted): Promise<EscrowWorld> {
  const world = await createEscrowWorld({
    pace,
    bridge: {
      contracts: [escrow],
      escrows: escrows.map((address) => ({ address: escrow, token: address, baseline: null })),
      tokens: tokens.map((address, n) => ({ address, symbol: `T${n}`, decimals: 6 })),
    },
    config: { poll: shippedPoll },
    prepare(bare) {
      for (let n = 0; n < 3; n += 1) bare.deposit(n, { amount: '500' })
      for (let n = 3; n < 6; n += 1) bare.deposit(n, { amount: '700', token: otherToken })
    },
  })
  await world.pass(100 * second)
  return world
}

describe('semantics.md 44: 5,000 transfers of a token of the thief’s own hide nothing', () => {
  test.each(worlds)(
    'beside a drain of $name',
    async (of) => {
      const world = await startSmoke(of)
      addSmoke(world, 5_000)
      await world.pass(10 * second)
      const drainedAt = world.now()
      const moves = [{ token: of.drained, from: escrow, to: user(77), amount: '313' }]
      const hash = world.transact({ moves })
      const told = () => world.conditions().filter(({ kind }) => kind === 'escrow.drift')
      await world.until(() => told().some(({ facts }) => facts['mainTxHash'] === hash), 'the drift')
      expect(world.now() - drainedAt).toBeLessThan(120 * second)
      await world.pass(300 * second)
      expect(told().map(({ facts }) => [facts['mainTxHash'], facts['amount']])).toEqual([[hash, '313']])
      const foreign = world.monitor.app.parts.db
        .prepare("SELECT subject, severity FROM alerts WHERE kind = 'escrow.foreign_token'")
        .all()
      expect(foreign).toEqual([{ subject: `${escrow}:${worthless}`, severity: 'warning' }])
      const late = world.monitor.app.parts.runner
        .status()
        .filter(({ isBackground, missedTicks }) => isBackground !== true && missedTicks > 1)
      expect(late).toEqual([])
    },
    120_000,
  )
})

describe('semantics.md 44: many thefts of one size', () => {
  test('60 drains of one size are each told within 120 s', async () => {
    const world = await startSmoke({ name: '', escrows: [token], tokens: [token], drained: token })
    const drainedAt = world.now()
    const hashes = Array.from({ length: 60 }, (_, n) =>
      world.transact({
        height: world.fake.mainHead() - (n % 20),
        moves: [{ token, from: escrow, to: user(77), amount: '3' }],
      }),
    )
    const told = () => {
      const drifts = world.conditions().filter(({ kind }) => kind === 'escrow.drift')
      return new Set(drifts.map(({ facts }) => facts['mainTxHash']))
    }
    await world.until(() => hashes.every((hash) => told().has(hash)), 'every drift')
    expect(world.now() - drainedAt).toBeLessThan(120 * second)
  }, 120_000)
})

const smokes: readonly { readonly name: string; readonly add: (world: EscrowWorld) => void }[] = [
  { name: '5,000 transfers of a token of the thief’s own', add: (world) => addSmoke(world, 5_000) },
  {
    name: '100 drains of another token',
    add(world) {
      for (let n = 0; n < 100; n += 1)
        world.transact({ moves: [{ token, from: escrow, to: user(77), amount: '3' }] })
    },
  },
]

/** An escrow that held a token which nobody names before it was first read, and a drain of it beside the smoke. */
async function startHeld(): Promise<EscrowWorld> {
  const world = await createEscrowWorld({
    pace,
    config: { poll: shippedPoll },
    prepare(bare) {
      for (let n = 0; n < 3; n += 1) bare.deposit(n, { amount: '500' })
      const moves = [{ token: otherToken, from: user(9), to: escrow, amount: '9000' }]
      bare.transact({ height: 100, time: bare.now() - 30 * 86_400_000, moves })
    },
  })
  await world.pass(100 * second)
  return world
}

async function untilHeldIsTold(world: EscrowWorld, hash: string): Promise<void> {
  const told = () =>
    world.conditions().some(({ kind, facts }) => kind === 'escrow.drift' && facts['mainTxHash'] === hash)
  await world.until(told, 'the drift')
}

function drainHeld(world: EscrowWorld): string {
  return world.transact({ moves: [{ token: otherToken, from: escrow, to: user(77), amount: '313' }] })
}

describe('semantics.md 44: a token that the escrow held at its first reading counts', () => {
  test.each(smokes)(
    'its drain is told within 180 s beside $name',
    async ({ add }) => {
      const world = await startHeld()
      const drainedAt = world.now()
      add(world)
      await world.pass(10 * second)
      await untilHeldIsTold(world, drainHeld(world))
      expect(world.now() - drainedAt).toBeLessThan(180 * second)
    },
    120_000,
  )

  test('its drain is told within 180 s after the list was seen to be crowded', async () => {
    const world = await startHeld()
    addSmoke(world, 5_000)
    await world.pass(100 * second)
    const drainedAt = world.now()
    await untilHeldIsTold(world, drainHeld(world))
    expect(world.now() - drainedAt).toBeLessThan(180 * second)
  }, 120_000)

  test('its drain is told within 180 s with smoke above and below it', async () => {
    const world = await startHeld()
    addSmoke(world, 3_000)
    const drainedAt = world.now()
    const hash = drainHeld(world)
    addSmoke(world, 500)
    await untilHeldIsTold(world, hash)
    expect(world.now() - drainedAt).toBeLessThan(180 * second)
  }, 120_000)
})
