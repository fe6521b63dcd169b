import { describe, expect, test } from 'vitest'
import type { Facts } from '../../../../src/checks/index.ts'
import { noStages } from '../../../../src/checks/stages/facts.ts'
import { proposalOverdue } from '../../../../src/checks/stages/proposalOverdue.ts'
import { transferStalled } from '../../../../src/checks/transfers/stalled.ts'
import type { Standing } from '../../../../src/kernel/stages.ts'
import { toFacts, toHead } from '../../rules/facts.ts'
import { pendingSince } from '../../rules/transfers.ts'

const minute = 60_000
const after = 30 * minute
const now = 600 * minute

const judge = (standing: Standing | null, logsAt: number | null = now, more: Partial<Facts> = {}) => {
  const facts = toFacts(now, {
    transfers: [pendingSince(0, now)],
    standingOf: () => standing,
    heads: [toHead({ chain: 'main', blockTime: now, advancedAt: now, readAt: now })],
    pollers: [
      { poller: 'contracts', intervalMs: 1_000, startedAt: 0, lastSuccessAt: logsAt, lastError: null },
    ],
    ...more,
  })
  const { findings, unknown } = transferStalled.judge(facts, {
    after,
    floor: 1,
    minSamples: 1,
    otherwise: after,
  })
  return { stalled: findings.length, unknown: unknown.length }
}
const until = (end: number | null): Standing => ({
  stage: 'proven',
  since: minute,
  until: end,
  isAgain: false,
})

test.each([
  { title: 'without stages it is stalled after its time', standing: null, stalled: 1, unknown: 0 },
  { title: 'in a stage that is not over it is not', standing: until(now + 1), stalled: 0, unknown: 0 },
  { title: 'in a stage without an end it is not', standing: until(null), stalled: 0, unknown: 0 },
  { title: 'nor within its time after the end', standing: until(now - after + 1), stalled: 0, unknown: 0 },
  { title: 'beyond that it is', standing: until(now - after), stalled: 1, unknown: 0 },
])('$title', ({ standing, stalled, unknown }) => {
  expect(judge(standing)).toEqual({ stalled, unknown })
})

test('where the logs are not read beyond the end of its stage nothing is said', () => {
  const over = until(now - 2 * after)
  expect(judge(over, now - 2 * after)).toEqual({ stalled: 0, unknown: 1 })
  expect(judge(over, null)).toEqual({ stalled: 0, unknown: 1 })
  expect(judge(over, now - 2 * after + 1_001)).toEqual({ stalled: 1, unknown: 0 })
})

describe('while the logs of the contracts stand still', () => {
  const lag = (endpoint: string) => ({
    endpointLags: [
      { endpoint, list: 'logs of 0xb1', since: now - 200 * minute, lagMs: 200 * minute, hashes: [] },
    ],
  })

  test('a withdrawal whose stage was over since then is not called stalled', () => {
    const over = until(now - 2 * after)
    expect(judge(over, now, lag('E19'))).toEqual({ stalled: 0, unknown: 1 })
    expect(judge(over, now, lag('E13'))).toEqual({ stalled: 1, unknown: 0 })
  })

  test('a proposal that is due since then is not said to be missing', () => {
    const judged = (more: Partial<Facts>) =>
      proposalOverdue.judge(
        toFacts(now, {
          pollers: [
            { poller: 'contracts', intervalMs: 1_000, startedAt: 0, lastSuccessAt: now, lastError: null },
          ],
          stages: {
            ...noStages,
            since: 0,
            shownUntil: now,
            everyMs: 60 * minute,
            newestProposalAt: now - 210 * minute,
          },
          ...more,
        }),
        { within: after },
      )
    expect(judged({}).findings).toHaveLength(1)
    expect(judged(lag('E13')).findings).toHaveLength(1)
    expect(judged(lag('E19'))).toEqual({ findings: [], unknown: ['main'] })
  })
})
