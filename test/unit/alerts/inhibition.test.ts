import { expect, test } from 'vitest'
import { createInhibitor, type InhibitRule, listInhibitions } from '../../../src/alerts/inhibition.ts'
import type { Labels } from '../../../src/alerts/routing.ts'
import { kinds } from '../../../src/checks/index.ts'

const rule = (source: string, target: string, equal: readonly string[] = []): InhibitRule => ({
  source: (labels) => labels['rule'] === source,
  target: (labels) => labels['rule'] === target,
  equal,
})
const [a, b, c]: readonly Labels[] = [{ rule: 'a' }, { rule: 'b' }, { rule: 'c' }]
const inhibitorsOf = (rules: readonly InhibitRule[], firing: readonly Labels[]) => {
  const inhibit = createInhibitor(rules, firing)
  return firing.map((labels) => inhibit(labels)?.['rule'] ?? null)
}

test('a source inhibits its target while it fires, not after', () => {
  expect(inhibitorsOf([rule('a', 'b')], [a, b] as Labels[])).toEqual([null, 'a'])
  expect(inhibitorsOf([rule('a', 'b')], [b] as Labels[])).toEqual([null])
})

test('F58: of two that inhibit each other both are told', () => {
  expect(inhibitorsOf([rule('a', 'b'), rule('b', 'a')], [a, b] as Labels[])).toEqual([null, null])
})

test('F58: so are three in a ring, and what only hangs on it is inhibited still', () => {
  const ring = [rule('a', 'b'), rule('b', 'c'), rule('c', 'a')]
  expect(inhibitorsOf(ring, [a, b, c] as Labels[])).toEqual([null, null, null])
  expect(inhibitorsOf([...ring, rule('a', 'd')], [a, b, c, { rule: 'd' }] as Labels[])).toEqual([
    null,
    null,
    null,
    'a',
  ])
})

test('a chain without a ring inhibits all but its first', () => {
  expect(inhibitorsOf([rule('a', 'b'), rule('b', 'c')], [a, b, c] as Labels[])).toEqual([null, 'a', 'b'])
})

test('what matches both sides inhibits neither itself nor its like, and all else that is a target', () => {
  const any: InhibitRule = { source: ({ rule }) => rule !== 'c', target: () => true, equal: [] }
  expect(inhibitorsOf([any], [a, b, c] as Labels[])).toEqual([null, null, 'a'])
})

test('equal labels have to be equal, a missing one is an empty one', () => {
  const rules = [rule('a', 'b', ['chain'])]
  expect(
    inhibitorsOf(rules, [
      { rule: 'a', chain: 'main' },
      { rule: 'b', chain: 'zone' },
    ]),
  ).toEqual([null, null])
  expect(
    inhibitorsOf(rules, [
      { rule: 'a', chain: 'main' },
      { rule: 'b', chain: 'main' },
    ]),
  ).toEqual([null, 'a'])
  expect(inhibitorsOf(rules, [{ rule: 'a', chain: '' }, { rule: 'b' }])).toEqual([null, 'a'])
})

test('what is labelled `inhibit: never` is never inhibited', () => {
  expect(inhibitorsOf([rule('a', 'b')], [{ rule: 'a' }, { rule: 'b', inhibit: 'never' }])).toEqual([
    null,
    null,
  ])
})

test('semantics.md 41: no silence of a source inhibits what says that an escrow lost something, but what waits for its list', () => {
  const outage = { kind: 'source.unavailable', source: 'explorer' }
  const isInhibited = (kind: string) =>
    [outage, { ...outage, endpoint: 'E3' }].some(
      (one) => createInhibitor(listInhibitions(kinds), [one])({ kind, chain: 'main' }) !== null,
    )
  const losses = kinds.all.filter((kind) => kind.nature === 'condition' && kind.joins?.of === 'escrow')
  expect(losses.filter(({ kind }) => isInhibited(kind)).map(({ kind }) => kind)).toEqual([])
  expect(losses.map(({ kind }) => kind)).toContain('escrow.drift')
  expect(isInhibited('transfer.stalled')).toBe(true)
})
