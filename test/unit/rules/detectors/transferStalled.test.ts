import { describe, expect, test } from 'vitest'
import { transferStalled } from '../../../../src/rules/detectors/transferStalled.ts'
import { toFacts, toHead } from '../facts.ts'
import { completed, pendingSince } from '../transfers.ts'
import { hash } from '../../../support/records.ts'

const minute = 60_000
const origin = 10 * minute
const deadline = origin + 30 * minute
const params = transferStalled.params.parse({ direction: 'ZoneToMain', after: '30m' })
const judge = (now: number, ...transfers: ReturnType<typeof pendingSince>[]) =>
  transferStalled.judge(toFacts(now, { transfers }), params)
const subjects = (now: number, ...transfers: ReturnType<typeof pendingSince>[]) => {
  const { findings, unknown } = judge(now, ...transfers)
  return { found: findings.map(({ subject }) => subject), unknown }
}

describe('transfer.stalled', () => {
  test('says nothing one millisecond before the limit', () => {
    expect(subjects(deadline - 1, pendingSince(origin, deadline - 1))).toEqual({ found: [], unknown: [] })
  })

  test('fires exactly at the limit', () => {
    const { findings } = judge(deadline, pendingSince(origin, deadline))
    expect(findings).toMatchObject([
      {
        subject: 't1',
        since: origin,
        title: `Withdraw, zone ${hash('zone')}, main not seen`,
        facts: { limitMs: 30 * minute, destinationChain: 'main' },
      },
    ])
  })

  test('says neither while the newest answer is older than the deadline', () => {
    expect(subjects(deadline + minute, pendingSince(origin, deadline - 1))).toEqual({
      found: [],
      unknown: ['t1'],
    })
  })

  test('goes on firing when the source falls silent after it was found', () => {
    expect(subjects(deadline + 600 * minute, pendingSince(origin, deadline)).found).toEqual(['t1'])
  })

  test('is silent about what has arrived, however late', () => {
    expect(subjects(deadline * 9, completed({ zoneTime: origin }))).toEqual({ found: [], unknown: [] })
  })

  test('is silent about the other direction', () => {
    const deposit = pendingSince(origin, deadline, { direction: 'MainToZone' })
    expect(subjects(deadline, deposit).found).toEqual([])
  })

  test('is silent about what has failed', () => {
    expect(subjects(deadline, pendingSince(origin, deadline, { state: 'failed' })).found).toEqual([])
  })

  test.each([
    { title: 'moves', head: { advancedAt: deadline - 1_000, readAt: deadline }, halted: false },
    { title: 'stands still', head: { advancedAt: deadline - 120_000, readAt: deadline }, halted: true },
    { title: 'was not read', head: { advancedAt: deadline - 120_000, readAt: deadline - 1 }, halted: null },
  ])('is found all the same when the destination chain $title, and says so', ({ head, halted }) => {
    const facts = toFacts(deadline, {
      transfers: [pendingSince(origin, deadline)],
      heads: [toHead({ chain: 'main', ...head })],
    })
    const [finding] = transferStalled.judge(facts, params).findings
    expect(finding?.facts).toMatchObject({ destinationHeight: 5_000, destinationHalted: halted })
  })

  test('has a default of half an hour and covers both directions', () => {
    expect(transferStalled.params.parse({})).toEqual({ after: 30 * minute })
  })
})
