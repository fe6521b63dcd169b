import { describe, expect, test } from 'vitest'
import { countOf, judgeVerdict } from '../../../../src/web/judgeVerdict.ts'
import { readStatusCases } from '../../../../src/web/views/readStatusCases.ts'
import { listCaseViews } from '../../../../src/web/views/toCaseView.ts'
import { toAlertView } from '../../../../src/web/views/toAlertView.ts'
import {
  createCaseWorld,
  failed,
  failure,
  stalled,
  theft,
  unbacked,
  usdc,
} from '../../../support/caseWorld.ts'
import { quiet } from '../support/fakeWeb.ts'

const hour = 3_600_000

type World = ReturnType<typeof createCaseWorld>

/** The verdict over what the ledger holds, with all else quiet. */
function judge(world: World) {
  const views = world.views()
  const facts = {
    ...quiet,
    now: world.clock.now(),
    coverage: [],
    pollers: [],
    ...readStatusCases({ ...views, db: world.database, riskOf: () => 0 }),
    openAlerts: world.store.listAlerts({ state: 'open', limit: 200 }).map((row) => toAlertView(views, row)),
    recentEvents: world.store
      .listAlerts({ nature: 'event', limit: 200 })
      .map((row) => toAlertView(views, row)),
  }
  return { ...judgeVerdict(facts), said: countOf(facts, 'critical'), facts }
}

async function pass(world: World, ms: number) {
  await world.clock.advance(ms)
  world.engine.flush(world.clock.now())
}

test('the verdict counts cases, and names them by id and title', () => {
  const world = createCaseWorld()
  world.tell(failed, failure(1, '1'), failure(2, '2'), failure(3, '3'))
  world.tell(unbacked, theft(9, '100'))
  const { level, reasons, said } = judge(world)
  expect([level, said]).toEqual(['critical', '2 cases'])
  expect(reasons).toEqual([
    expect.stringMatching(/^c2: Withdrawal of 100 USDC/),
    expect.stringMatching(/^c1: Withdrawal of 3 USDC/),
  ])
})

test('what is at risk in all of them is summed by token, the most valuable first', () => {
  const world = createCaseWorld()
  const native = { address: '', symbol: 'ETH', name: '', type: '', decimals: 18, id: '' }
  world.tell(failed, failure(1, '1.5'))
  world.tell(unbacked, theft(9, '100'), theft(8, '3', { token: native }))
  expect(judge(world).facts.moneyAtRisk).toEqual({
    critical: [
      { token: usdc, symbol: 'USDC', amount: '101.5', usd: '50.75' },
      { token: '', symbol: expect.any(String), amount: '3', usd: null },
    ],
  })
})

test('what is acknowledged counts, and says by whom', () => {
  const world = createCaseWorld()
  world.tell(unbacked, theft(9, '100'))
  world.by('c1', 'ack')
  const { level, reasons, said } = judge(world)
  expect([level, said]).toEqual(['critical', '1 case, acknowledged'])
  expect(reasons).toEqual([expect.stringMatching(/^c1: .* \(acknowledged by ana\)$/)])
})

test('what is handled does not count, nor what is in it, until it opens again', () => {
  const world = createCaseWorld()
  world.tell(unbacked, theft(9, '100'))
  world.by('c1', 'handle', 'refunded')
  expect(judge(world)).toMatchObject({
    level: 'fine',
    reasons: [],
    facts: { handledCases: [{ id: 'c1', reason: 'refunded', comesBack: expect.any(String) }] },
  })
  world.by('c1', 'reopen')
  expect(judge(world).level).toBe('critical')
})

test('a reason or a note that would be cut is refused, one that fits is kept whole', () => {
  const world = createCaseWorld()
  world.tell(unbacked, theft(9, '100'))
  expect(() => world.by('c1', 'handle', 'x'.repeat(501))).toThrow('at most 500 characters, got 501')
  expect(() => world.by('c1', 'note', 'x'.repeat(2_001))).toThrow('at most 2000 characters, got 2001')
  world.by('c1', 'handle', 'x'.repeat(500))
  expect(judge(world).facts.handledCases[0]?.reason).toBe('x'.repeat(500))
})

test('a loss keeps the page red until somebody handles it, however old', async () => {
  const world = createCaseWorld()
  world.tell(unbacked, theft(9, '100'))
  await pass(world, 30 * 24 * hour)
  expect(judge(world).level).toBe('critical')
  world.by('c1', 'ack')
  expect(judge(world).level).toBe('critical')
  world.by('c1', 'handle', 'refunded')
  expect(judge(world).level).toBe('fine')
})

test('other events count for a day since they were found', async () => {
  const world = createCaseWorld()
  world.tell(failed, failure(1, '1', world.clock.now()))
  await pass(world, 24 * hour - 1)
  expect(judge(world).level).toBe('critical')
  await pass(world, 2)
  expect(judge(world).level).toBe('fine')
})

test('an event that was found late counts as long as its case is open, and no longer', async () => {
  const world = createCaseWorld()
  const at = world.clock.now()
  await pass(world, 30 * hour)
  world.tell(failed, failure(1, '1', at))
  expect(judge(world)).toMatchObject({
    level: 'critical',
    said: '1 case',
    facts: { cases: [{ id: 'c1', counts: 'critical' }] },
  })
  await pass(world, 24 * hour - 1)
  expect(judge(world).level).toBe('critical')
  await pass(world, 1)
  expect(judge(world)).toMatchObject({ level: 'fine', facts: { cases: [] } })
})

test('an event that was found late and is in no case counts for a day since', async () => {
  const world = createCaseWorld()
  const at = world.clock.now()
  await pass(world, 30 * hour)
  world.tell(failed, failure(1, '1', at))
  const loose = () => {
    const { facts } = judge(world)
    const recentEvents = facts.recentEvents.map((alert) => ({ ...alert, case: null }))
    return judgeVerdict({ ...facts, recentEvents, cases: [] }).level
  }
  expect(loose()).toBe('critical')
  await pass(world, 24 * hour + 1)
  expect(loose()).toBe('fine')
})

test('a case counts by the worst of what holds in it, not by what is over', async () => {
  const world = createCaseWorld()
  const urgent = { ...stalled, name: 'urgent', severity: 'critical' as const }
  world.judge(urgent, world.stall('zone'))
  world.judge(stalled, world.stall('zone'))
  expect(judge(world)).toMatchObject({ level: 'critical', said: '1 case' })
  world.judge(urgent)
  expect(judge(world)).toMatchObject({
    level: 'attention',
    facts: { cases: [{ severity: 'critical', counts: 'warning' }] },
  })
})

describe('of equal severity', () => {
  const dai = { ...theft(1, '1').transfer!.token, address: `0x${'d'.repeat(40)}` }
  const apart = (n: number) => ({ targetAddress: `0x${String(n).repeat(40)}` })
  const order = (world: World, riskOf: (token: string, amount: { digits: bigint }) => number = () => 0) =>
    readStatusCases({ ...world.views(), db: world.database, riskOf }).cases.map(({ id }) => id)

  test('losses stand before what failed, the most money before the newest', async () => {
    const world = createCaseWorld()
    world.tell(unbacked, theft(1, '10', apart(1)))
    await pass(world, hour)
    world.tell(unbacked, theft(2, '37606', apart(2)))
    await pass(world, hour)
    world.tell(unbacked, theft(3, '10', apart(3)))
    await pass(world, hour)
    world.tell(failed, failure(4, '1000000', world.clock.now()))
    expect(order(world)).toEqual(['c2', 'c3', 'c1', 'c4'])
  })

  test('the list of cases has them as the status page, however few are asked for', async () => {
    const world = createCaseWorld()
    for (const [n, amount] of [
      [1, '10'],
      [2, '37606'],
      [3, '10'],
    ] as const) {
      world.tell(unbacked, theft(n, amount, apart(n)))
      await pass(world, hour)
    }
    world.tell(failed, failure(4, '1000000', world.clock.now()))
    const source = { ...world.views(), db: world.database, riskOf: () => 0 }
    const list = (state: 'live' | 'open' | 'handled', limit = 10) =>
      listCaseViews(source, { state, limit }).map(({ id }) => id)
    for (const limit of [1, 2, 3, 4]) expect(list('live', limit)).toEqual(order(world).slice(0, limit))
    expect(list('open')).toEqual(['c2', 'c3', 'c1', 'c4'])
    world.by('c3', 'handle', 'refunded')
    world.by('c2', 'ack')
    expect(list('live')).toEqual([...order(world), 'c3'])
    expect([list('open'), list('handled')]).toEqual([['c1', 'c4'], ['c3']])
  })

  test('where a token has no price the share of the escrow orders all', () => {
    const world = createCaseWorld()
    world.tell(unbacked, theft(1, '100', apart(1)), theft(2, '50', { token: dai, ...apart(2) }))
    const shares = { [usdc]: 0.1, [dai.address]: 0.5 }
    expect(order(world, (token) => shares[token] ?? 0)).toEqual(['c2', 'c1'])
    expect(order(world)).toEqual(['c1', 'c2'])
  })

  test('what somebody has taken stands behind what nobody has', () => {
    const world = createCaseWorld()
    world.tell(unbacked, theft(1, '100', apart(1)), theft(2, '50', apart(2)))
    world.by('c1', 'ack')
    expect(order(world)).toEqual(['c2', 'c1'])
  })
})

test('a case for which the list has no room counts by its alerts', () => {
  const world = createCaseWorld()
  world.tell(unbacked, theft(9, '100'))
  const { facts } = judge(world)
  expect(judgeVerdict({ ...facts, cases: [] }).level).toBe('critical')
  expect(countOf({ ...facts, cases: [] }, 'critical')).toBe('1 alert')
})
