import { describe, expect, test } from 'vitest'
import { readFinding } from '../support/readFinding.ts'
import { topicOf, topics } from '../../src/sandbox/chain/abi.ts'
import { addExtra } from '../../src/sandbox/chain/mainChain.ts'
import { mainMove, userLike } from '../../src/sandbox/faults/putIn.ts'
import { runLeaping } from '../support/leapingScenario.ts'
import type { ScenarioRun } from '../support/runScenario.ts'

// What is told while a block is being made, and what becomes of it: semantics.md 41 and 49.

/** So long honest payouts are watched first. */
const learnedMs = 60_000

interface Play {
  readonly traffic?: object
  readonly secondSource?: boolean
}

async function play(
  timeline: string,
  { traffic = {}, secondSource = true }: Play = {},
): Promise<ScenarioRun> {
  const busy = { transfersPerMinute: 40, blockTransactions: 3, ...traffic }
  const run = await runLeaping({
    scenario: `name: one\ntraffic: ${JSON.stringify(busy)}\ntimeline:\n${timeline}\n`,
    preconfIntervalMs: 200,
    secondSource,
  })
  await run.pass(learnedMs)
  return run
}

interface Told {
  readonly subject: string
  readonly severity: string
  /** From the moment that it is about, ms. */
  readonly delayMs: number
  readonly isOver: boolean
  readonly title: string
  readonly caseId: unknown
}

function toldOf(run: ScenarioRun, kind: string): Told[] {
  return run.app.parts.db
    .prepare('SELECT id, subject, severity, active_at, finding FROM alerts WHERE kind = ? ORDER BY id')
    .all(kind)
    .map((row) => {
      const finding = readFinding(row)
      return {
        subject: String(row['subject']),
        severity: String(row['severity']),
        delayMs: Number(row['active_at']) - finding.since,
        isOver: finding.isOver === true,
        title: finding.title,
        caseId: run.app.parts.alerts.findCaseOf(Number(row['id'])),
      }
    })
}

const early = (run: ScenarioRun) => toldOf(run, 'preconf.unbacked')

describe('a payout that nothing explains', () => {
  test('a theft is told within two seconds, while its block is being made', async () => {
    const run = await play(
      `  - { at: 65s, fault: transfer.unbacked, token: USDC, amount: "25500000" }
  - { at: 70s, fault: escrow.drained, token: WETH, amount: "0.5" }`,
    )
    await run.pass(20_000)
    const told = early(run)
    expect(told.map(({ severity }) => severity)).toEqual(['critical', 'warning'])
    for (const { delayMs } of told) expect(delayMs).toBeLessThanOrEqual(2_500)
    expect(told.every(({ isOver }) => !isOver)).toBe(true)
  })

  test('its proof is told by itself, in the same case', async () => {
    const run = await play('  - { at: 65s, fault: transfer.unbacked, token: USDC, amount: "25500000" }')
    await run.untilTold('transfer.unbacked', 150_000)
    const [first] = early(run)
    const proofs = toldOf(run, 'transfer.unbacked')
    expect(proofs).toHaveLength(1)
    expect(first?.caseId).not.toBeNull()
    expect(proofs[0]?.caseId).toBe(first?.caseId)
    const sent = run.app.parts.db
      .prepare(
        "SELECT DISTINCT o.what FROM outbox o JOIN alerts a ON a.id = o.alert_id WHERE a.kind = 'transfer.unbacked'",
      )
      .all()
    expect(sent.map((row) => String(row['what']))).toEqual(['event'])
  })

  test('a withdrawal that is paid once more is told', async () => {
    const run = await play('  - { at: 65s, fault: transfer.duplicate, age: 62s }')
    await run.pass(20_000)
    expect(early(run)).toHaveLength(1)
  })

  test('one whose transaction is dropped is withdrawn', async () => {
    const run = await play('  []')
    const { world } = run.sandbox
    const { escrow } = world.contracts
    const thief = userLike(world, 0)
    const moved = mainMove(world, {
      token: 'USDC',
      amount: '5000000',
      from: escrow,
      to: thief,
      operator: thief,
    })
    addExtra(world, {
      at: world.now + 3_000,
      from: thief,
      to: escrow,
      methodId: '0x51cff8d9',
      ...moved,
      preconf: { dropped: true },
    })
    await run.pass(30_000)
    expect(early(run)).toMatchObject([
      { isOver: true, title: expect.stringContaining('the transaction is in no block') },
    ])
    expect(toldOf(run, 'escrow.drift')).toEqual([])
  })
})

describe('honest payouts', () => {
  const silent = async (timeline: string, forMs: number, how: Play = {}) => {
    const run = await play(timeline, how)
    await run.pass(forMs)
    const rows = run.app.parts.db
      .prepare('SELECT verdict, count(*) AS count FROM preconf_payouts GROUP BY verdict')
      .all()
    expect(early(run)).toEqual([])
    return Object.fromEntries(rows.map((row) => [String(row['verdict']), Number(row['count'])]))
  }

  test('an ordinary bridge tells nothing, with batches, shared payouts and fees', async () => {
    const traffic = { fee: 0.01, sharedPayouts: 0.4, batches: 0.9, bundles: 0.3 }
    const verdicts = await silent('  []', 120_000, { traffic })
    expect(Object.keys(verdicts)).toEqual(['fits'])
    expect(verdicts['fits']).toBeGreaterThan(20)
  })

  test.each([
    ['the zone stands still', '{ at: 62s, for: 60s, fault: head.stall, chain: zone }'],
    ['the list stands still', '{ at: 62s, for: 60s, fault: head.stall, chain: list }'],
    ['the explorer answers nothing', '{ at: 62s, for: 40s, fault: api.error }'],
  ])('while %s, a withdrawal whose zone leg is not shown yet waits', async (_, fault) => {
    await silent(`  - ${fault}`, 120_000)
  })

  test('zone legs that are shown late accuse nobody', async () => {
    await silent('  []', 120_000, { traffic: { listLag: { min: '8s', max: '25s' } } })
  })

  test('a list that shows withdrawals only when they are complete accuses nobody', async () => {
    await silent('  []', 120_000, { traffic: { inFlight: 'hidden' } })
  })
})

describe('acts of administration', () => {
  test.each(['upgraded', 'owner', 'role', 'threshold', 'paused'])(
    '%s is told once, before its block',
    async (what) => {
      const run = await play(`  - { at: 65s, fault: contract.changed, what: ${what} }`)
      await run.pass(60_000)
      const told = toldOf(run, 'contract.changed')
      expect(told).toHaveLength(1)
      expect(told[0]?.delayMs).toBeLessThanOrEqual(1_500)
      const acts = run.app.parts.db
        .prepare(
          "SELECT count(*) AS count FROM outbox o JOIN alerts a ON a.id = o.alert_id WHERE a.kind = 'contract.changed' AND o.what = 'event'",
        )
        .get()
      expect(acts?.['count']).toBe(1)
    },
  )

  test('one whose transaction is dropped is withdrawn', async () => {
    const run = await play('  []')
    const { world } = run.sandbox
    const { bridge, owner } = world.contracts
    const logs = [{ address: bridge, topics: [topics.paused], data: topicOf(owner) }]
    addExtra(world, {
      at: world.now + 3_000,
      from: owner,
      to: bridge,
      methodId: '0x8456cb59',
      logs,
      moves: [],
      preconf: { dropped: true },
    })
    await run.pass(30_000)
    expect(toldOf(run, 'contract.changed')).toMatchObject([
      { isOver: true, title: expect.stringContaining('the transaction is in no block') },
    ])
  })
})
