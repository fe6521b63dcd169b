import { expect, test } from 'vitest'
import { countOf, judgeVerdict } from '../../../../src/web/judgeVerdict.ts'
import { readStatusCases } from '../../../../src/web/views/readStatusCases.ts'
import { toAlertView } from '../../../../src/web/views/toAlertView.ts'
import { createCaseWorld, failed, failure, stalled, theft, unbacked } from '../../../support/caseWorld.ts'
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
    ...readStatusCases({ ...views, db: world.database }),
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

test('a case for which the list has no room counts by its alerts', () => {
  const world = createCaseWorld()
  world.tell(unbacked, theft(9, '100'))
  const { facts } = judge(world)
  expect(judgeVerdict({ ...facts, cases: [] }).level).toBe('critical')
  expect(countOf({ ...facts, cases: [] }, 'critical')).toBe('1 alert')
})
