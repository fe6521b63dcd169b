import { describe, expect, test } from 'vitest'
import { toVanished } from '../../../../src/checks/transfers/vanished.ts'
import { findCaseNamed } from '../../../../src/alerts/caseOperations.ts'
import { listCaseViews, toCaseStory } from '../../../../src/web/views/toCaseView.ts'
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
import { createRule, start } from '../../alerts/harness.ts'

const minute = 60_000

function storyOf(world: ReturnType<typeof createCaseWorld>, id = 'c1') {
  return toCaseStory(world.views(), findCaseNamed(world.store, id))
}

describe('the story of a case', () => {
  test('says what is at risk, what it gathers, what was done, who was told and who is next', async () => {
    const world = createCaseWorld()
    const sending = world.startSending()
    world.tell(unbacked, theft(1, '9750000.5'))
    sending.wake()
    const [alert] = world.store.listAlerts({ limit: 1 })
    await world.clock.advance(minute)
    world.by('c1', 'note', 'called the operator')
    const story = storyOf(world)
    await sending.stop()
    expect(story).toMatchObject({
      id: 'c1',
      state: 'open',
      severity: 'critical',
      title: expect.stringContaining('9,750,000.5 USDC'),
      money: [{ token: usdc, symbol: 'USDC', amount: '9750000.5', usd: '4875000.25' }],
      members: 1,
      turn: 1,
      comesBack: null,
      transferKey: 't1',
      remedy: expect.stringMatching(/\w/),
      findings: [
        {
          id: alert?.fingerprint.slice(0, 8),
          rule: 'unbacked',
          state: 'delivered',
          atRisk: { symbol: 'USDC', amount: '9750000.5', usd: '4875000.25' },
        },
      ],
      told: [{ channel: 'ops', at: start }],
      escalations: [{ dueAt: start + 10 * minute, route: 'r1', channels: ['pager'] }],
    })
    expect(story.timeline.map(({ what, by }) => [what, by])).toEqual([
      ['opened', null],
      ['noted', 'ana'],
    ])
  })

  test('says after it was taken what brings it back, and that nobody else is told', () => {
    const world = createCaseWorld()
    world.tell(unbacked, theft(1, '10'))
    world.by('c1', 'ack')
    expect(storyOf(world)).toMatchObject({
      state: 'acknowledged',
      by: 'ana',
      byAt: start,
      escalations: [],
      comesBack: expect.stringContaining('grows by a tenth'),
      endsAt: null,
    })
    world.by('c1', 'handle', 'refunded')
    expect(storyOf(world)).toMatchObject({
      state: 'handled',
      reason: 'refunded',
      comesBack: expect.stringContaining('grows by a tenth'),
      endsAt: expect.any(Number),
    })
  })

  test('says of a channel when it took the newest message, and of one that took none that it waits', async () => {
    const world = createCaseWorld()
    world.tell(unbacked, theft(1, '10'))
    expect(storyOf(world).told).toEqual([{ channel: 'ops', at: null }])
    const sending = world.startSending()
    await world.clock.advance(minute)
    expect(storyOf(world).told).toEqual([{ channel: 'ops', at: start }])
    const later = world.clock.now()
    world.tell(failed, failure(1, '10', later))
    sending.wake()
    await world.clock.advance(minute)
    expect(storyOf(world).told).toEqual([{ channel: 'ops', at: later }])
    await sending.stop()
  })

  test('lists the worst of many findings first, and how many there are', () => {
    const world = createCaseWorld()
    world.tell(failed, ...Array.from({ length: 60 }, (_, index) => failure(index + 1, String(index + 1))))
    const { members, findings } = storyOf(world)
    expect([members, findings.length, findings[0]?.atRisk?.amount, findings[49]?.atRisk?.amount]).toEqual([
      60,
      50,
      '60',
      '11',
    ])
  })

  test('one that fired again in another case is over in this one', async () => {
    const world = createCaseWorld()
    world.judge(stalled, world.stall('zone'))
    await world.clock.advance(minute)
    world.judge(stalled)
    const over = world.clock.now()
    await world.clock.advance(6 * 3_600_000)
    world.engine.flush(world.clock.now())
    world.judge(stalled, world.stall('zone'))
    expect(storyOf(world, 'c1').findings).toMatchObject([{ state: 'resolved', resolvedAt: over }])
    expect(storyOf(world, 'c2').findings).toMatchObject([{ state: 'firing', resolvedAt: null }])
  })
})

test('a case and an alert that turned out otherwise say what is true, and the case what still stands where something does', () => {
  const world = createCaseWorld()
  world.tell(failed, failure(1, '90'), failure(2, '10'))
  const arrive = (n: number, amount: string) => {
    const { transfer } = failure(n, amount)
    if (transfer === null) throw new Error('it has a transfer')
    world.engine.correctEvents([{ ...transfer, state: 'completed' }], () => false, world.clock.now())
  }
  expect(storyOf(world).title).toBe('Withdrawal of 90 USDC failed: nonce too low')
  arrive(1, '90')
  expect(storyOf(world).title).toBe('Withdrawal of 10 USDC failed: nonce too low')
  arrive(2, '10')
  expect(storyOf(world).title).toBe('Correction: Withdrawal of 90 USDC has arrived')
  expect(world.store.listAlerts({ limit: 2 }).map((row) => toAlertView(world.views(), row).summary)).toEqual([
    'Correction: Withdrawal of 10 USDC has arrived',
    'Correction: Withdrawal of 90 USDC has arrived',
  ])
})

test('a case and an alert of which nothing left, as came out later, say that', () => {
  const world = createCaseWorld()
  world.tell(failed, failure(1, '90'))
  const { transfer } = failure(1, '90')
  if (transfer === null) throw new Error('it has a transfer')
  const refused = { ...transfer, originProof: 'failed' as const }
  world.engine.correctEvents([refused], () => null, world.clock.now())
  const said = 'Correction: nothing left: Withdrawal of 90 USDC failed'
  const [row = expect.fail()] = world.store.listAlerts({ limit: 1 })
  expect([storyOf(world).title, toAlertView(world.views(), row).summary]).toEqual([said, said])
})

test('a record that is gone once more says that, in its correction and on the page, and not that it is shown', async () => {
  const world = createCaseWorld()
  const sending = world.startSending()
  const { transfer } = failure(1, '90')
  if (transfer === null) throw new Error('it has a transfer')
  const goneAt = (since: number) =>
    toVanished(
      { ...transfer, state: 'pending', readAt: since - 1 },
      { reads: 3, firstAt: since, lastAt: since, agreement: undefined },
    )
  const vanished = createRule({ name: 'vanished', kind: 'transfer.vanished' })
  const said = async () => {
    sending.wake()
    await world.clock.advance(minute)
    return [world.ops.sent.at(-1)?.items[0]?.summary, storyOf(world).title]
  }
  world.tell(vanished, goneAt(start))
  const gone = 'Withdrawal of 90 USDC: its record is gone'
  expect(await said()).toEqual([gone, gone])
  world.engine.correctEvents(
    [{ ...transfer, state: 'pending', readAt: world.clock.now() }],
    () => null,
    world.clock.now(),
  )
  const back = 'Correction: its record is shown again: Withdrawal of 90 USDC is on its way'
  expect(await said()).toEqual([back, back])
  world.tell(vanished, goneAt(world.clock.now()))
  expect(await said()).toEqual(['Correction: its record is gone: Withdrawal of 90 USDC is on its way', gone])
  await sending.stop()
})

test('cases are listed by state, what wants a look first', async () => {
  const world = createCaseWorld()
  world.judge(stalled, world.stall('zone'))
  world.tell(
    unbacked,
    theft(1, '10'),
    theft(2, '20', {
      token: { ...theft(2, '1').transfer!.token, address: `0x${'d'.repeat(40)}` },
      targetAddress: `0x${'9'.repeat(40)}`,
    }),
  )
  world.by('c3', 'handle', 'done')
  const list = (state: Parameters<typeof listCaseViews>[1]['state']) =>
    listCaseViews({ ...world.views(), db: world.database, riskOf: () => 0 }, { state, limit: 10 }).map(
      ({ id }) => id,
    )
  expect([list('live'), list('open'), list('handled'), list('closed')]).toEqual([
    ['c2', 'c1', 'c3'],
    ['c2', 'c1'],
    ['c3'],
    [],
  ])
  world.judge(stalled)
  await world.clock.advance(25 * 3_600_000)
  world.engine.flush(world.clock.now())
  expect([list('closed'), list('all').toSorted()]).toEqual([
    ['c3', 'c1'],
    ['c1', 'c2', 'c3'],
  ])
})

test('an alert names its case', () => {
  const world = createCaseWorld()
  world.tell(unbacked, theft(1, '10'))
  world.by('c1', 'ack')
  const [row] = world.store.listAlerts({ limit: 1 })
  if (!row) throw new Error('there is no alert')
  expect(toAlertView(world.views(), row).case).toEqual({ id: 'c1', state: 'acknowledged' })
})

test('the worst of a case are read without reading all of it', () => {
  const world = createCaseWorld()
  world.tell(failed, failure(1, '1'))
  const plan = world.database
    .prepare(
      `EXPLAIN QUERY PLAN SELECT a.id FROM case_members m CROSS JOIN alerts a ON a.id = m.alert_id
        WHERE m.case_id = 1 ORDER BY m.rank DESC, m.alert_id LIMIT 50`,
    )
    .all()
    .map(({ detail }) => String(detail))
  expect(plan).toEqual([expect.stringContaining('case_members_rank'), expect.stringContaining('PRIMARY KEY')])
})
