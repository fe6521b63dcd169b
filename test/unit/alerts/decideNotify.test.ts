import { expect, test } from 'vitest'
import { decideNotify, type GroupAlert, type NotifyFacts } from '../../../src/alerts/decideNotify.ts'

const alert = (id: number, overrides: Partial<GroupAlert> = {}): GroupAlert => ({
  id,
  episode: 1,
  isFiring: true,
  isMuted: false,
  isEndHeld: false,
  wasMuted: false,
  isAcked: false,
  joins: null,
  ...overrides,
})
const told = (...entries: [number, number, boolean][]) =>
  new Map(
    entries.map(([id, episode, isResolved]) => [
      id,
      { episode, isResolved, isJoined: false, isWaiting: false },
    ]),
  )
const facts = (overrides: Partial<NotifyFacts>): NotifyFacts => ({
  alerts: [],
  told: new Map(),
  repeatAt: null,
  isRouted: true,
  isReminded: true,
  sendsResolved: true,
  ...overrides,
})
const nothing = { reason: 'nothing', fire: [], join: [], resolve: [], repeat: [], leavesSome: false }

test.each([
  { title: 'a group without a firing alert says nothing', given: {}, expected: nothing },
  {
    title: 'the first firing alert is told',
    given: { alerts: [alert(1)] },
    expected: { ...nothing, reason: 'first', fire: [1] },
  },
  {
    title: 'an alert that joins is told alone',
    given: { alerts: [alert(1), alert(2)], told: told([1, 1, false]) },
    expected: { ...nothing, reason: 'new alerts', fire: [2], leavesSome: true },
  },
  {
    title: 'the end of one of two is told',
    given: { alerts: [alert(1, { isFiring: false }), alert(2)], told: told([1, 1, false], [2, 1, false]) },
    expected: { ...nothing, reason: 'resolved', resolve: [1], leavesSome: true },
  },
  {
    title: 'the end of the last is the end of all',
    given: { alerts: [alert(1, { isFiring: false })], told: told([1, 1, false]) },
    expected: { ...nothing, reason: 'all resolved', resolve: [1] },
  },
  {
    title: 'an end that nobody heard the beginning of is not told',
    given: { alerts: [alert(1, { isFiring: false })] },
    expected: nothing,
  },
  {
    title: 'an end is told once',
    given: { alerts: [alert(1, { isFiring: false })], told: told([1, 1, true]) },
    expected: nothing,
  },
  {
    title: 'firing again after a told end is new',
    given: { alerts: [alert(1, { episode: 2 })], told: told([1, 1, true]) },
    expected: { ...nothing, reason: 'new alerts', fire: [1] },
  },
  {
    title: 'ending and firing again between two looks is nothing new',
    given: { alerts: [alert(1, { episode: 2 })], told: told([1, 1, false]) },
    expected: nothing,
  },
  {
    title: 'a muted alert is not told',
    given: { alerts: [alert(1, { isMuted: true })] },
    expected: nothing,
  },
  {
    title: 'the end of a muted alert is told where its beginning was',
    given: { alerts: [alert(1, { isMuted: true, isFiring: false })], told: told([1, 1, false]) },
    expected: { ...nothing, reason: 'all resolved', resolve: [1] },
  },
  {
    title: 'a reminder is not due a millisecond early',
    given: { alerts: [alert(1)], told: told([1, 1, false]), repeatAt: 1_001 },
    expected: nothing,
  },
  {
    title: 'a reminder is due when its time is reached',
    given: { alerts: [alert(1)], told: told([1, 1, false]), repeatAt: 1_000 },
    expected: { ...nothing, reason: 'repeat', repeat: [1] },
  },
  {
    title: 'an acknowledged alert is not repeated',
    given: { alerts: [alert(1, { isAcked: true })], told: told([1, 1, false]), repeatAt: 1_000 },
    expected: nothing,
  },
  {
    title: 'a channel that the route no longer names hears the end and nothing else',
    given: {
      alerts: [alert(1, { isFiring: false }), alert(2)],
      told: told([1, 1, false]),
      repeatAt: 1_000,
      isRouted: false,
    },
    expected: { ...nothing, reason: 'all resolved', resolve: [1] },
  },
])('$title', ({ given, expected }) => {
  expect(decideNotify(facts(given), 1_000)).toEqual(expected)
})
