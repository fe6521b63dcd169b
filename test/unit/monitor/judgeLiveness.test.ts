import { expect, test } from 'vitest'
import { type LivenessFacts, judgeLiveness, judgeWork } from '../../../src/monitor/judgeLiveness.ts'

const now = 1_000_000
const poller = { poller: 'transfers', intervalMs: 5_000, startedAt: 0, lastSuccessAt: null, lastError: null }
const background = { ...poller, isBackground: true, runningSince: 1 }
const alive: LivenessFacts = {
  now,
  eventLoopLagMs: 12,
  pollers: [{ ...poller, lastTickAt: now - 15_000 }],
  lastCommitAt: now - 10_000,
  evaluationIntervalMs: 1_000,
  lastGoodAts: [now - 15_000, null],
  startedAt: 0,
  outboxIdleMs: 45_000,
  isVoiceless: false,
}

test.each<{ title: string; facts: Partial<LivenessFacts>; reasons: readonly string[] }>([
  { title: 'green at the limits', facts: { eventLoopLagMs: 4_999 }, reasons: [] },
  {
    title: 'red when the loop lags 5 s',
    facts: { eventLoopLagMs: 5_000 },
    reasons: ['the event loop lags 5s'],
  },
  {
    title: 'red when a poller is a millisecond later than three intervals',
    facts: { pollers: [{ ...poller, lastTickAt: now - 15_001 }] },
    reasons: ['poller transfers has not ticked for 15s'],
  },
  {
    title: 'green while what reads in the background waits for others, six times as long',
    facts: { pollers: [{ ...background, lastTickAt: now - 90_000 }] },
    reasons: [],
  },
  {
    title: 'red when it waits for longer',
    facts: { pollers: [{ ...background, lastTickAt: now - 90_001 }] },
    reasons: ['poller transfers has not ticked for 1m 30s'],
  },
  {
    title: 'red when a poller never ticked since the start',
    facts: { pollers: [{ ...poller, lastTickAt: null }] },
    reasons: ['poller transfers has not ticked for 16m 40s'],
  },
  {
    title: 'red when rules are not evaluated',
    facts: { lastCommitAt: now - 10_001 },
    reasons: ['rules have not been evaluated for 10s'],
  },
  {
    title: 'red when nothing at all could be checked',
    facts: { lastGoodAts: [null, null] },
    reasons: ['no source has been read yet'],
  },
  {
    title: 'red when a source read before has been silent for longer than three intervals',
    facts: { lastGoodAts: [now - 15_001, null] },
    reasons: ['no source has answered for 15s'],
  },
  {
    title: 'green while what asks nobody goes faster than what asks',
    facts: {
      pollers: [
        { ...poller, lastTickAt: now },
        { ...poller, poller: 'checkpoint', intervalMs: 1_000, asksNobody: true, lastTickAt: now },
      ],
    },
    reasons: [],
  },
  {
    title: 'green while one source of two answers',
    facts: { lastGoodAts: [now - 60_000, now] },
    reasons: [],
  },
  {
    title: 'red when the outbox is not looked into',
    facts: { outboxIdleMs: 45_001 },
    reasons: ['messages have not been sent for 45s'],
  },
  {
    title: 'F81: red when no channel takes messages',
    facts: { isVoiceless: true },
    reasons: ['no channel takes messages: nothing can be sent'],
  },
  {
    title: 'red without a source and without a poller',
    facts: { lastGoodAts: [], pollers: [] },
    reasons: ['no source has been read yet', 'no poller is running'],
  },
])('$title', ({ facts, reasons }) => {
  expect(judgeLiveness({ ...alive, ...facts })).toEqual({ ok: reasons.length === 0, reasons })
})

test('F83: a restart may mend rules that are not evaluated and an outbox that is not looked into', () => {
  expect(judgeWork(alive)).toEqual({ ok: true, reasons: [] })
  expect(judgeWork({ ...alive, lastCommitAt: null, outboxIdleMs: 45_001 }).reasons).toEqual([
    'rules have not been evaluated for 16m 40s',
    'messages have not been sent for 45s',
  ])
})
