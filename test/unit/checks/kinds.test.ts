import { expect, test } from 'vitest'
import { kinds } from '../../../src/checks/index.ts'

test('each kind has a name of its own', () => {
  expect(new Set(kinds.names).size).toBe(kinds.names.length)
})

test('what a kind inhibits is a kind', () => {
  const inhibited = kinds.all.flatMap(({ inhibits }) => inhibits ?? [])
  expect(inhibited).toEqual(['source.unavailable'])
  expect(inhibited.filter((kind) => kinds.find(kind) === null)).toEqual([])
})

test('of two that accuse one transfer it is known which says more', () => {
  const ranks = kinds.all.flatMap(({ joins }) => (joins?.of === 'transfer' ? joins.rank : []))
  expect(ranks.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6])
})

test('what lacks at an escrow is said by facts that the kind has', () => {
  const lacking = kinds.all.flatMap(({ kind, facts, joins }) => {
    if (joins?.of !== 'escrow') return []
    const read = [joins.missing, ...(joins.isMovement ? ['direction', 'amount', 'mainTxHash', 'sum'] : [])]
    return read.filter((name) => facts[name] !== 'string').map((name) => `${kind} ${name}`)
  })
  expect(lacking).toEqual([])
})

test('what rests on a chain or a source is inhibited by something', () => {
  const stopped = new Set(kinds.all.flatMap(({ stops }) => stops ?? []))
  expect(kinds.all.flatMap(({ restsOn }) => restsOn ?? []).filter((what) => !stopped.has(what))).toEqual([])
})

test('only a finding of a transfer says what it lost, whether it stands, and how it is compared', () => {
  const ofTransfers = kinds.all.filter(
    ({ joins, stands, material, isComparison }) =>
      joins?.of === 'transfer' || stands || material || isComparison,
  )
  expect(ofTransfers.filter(({ hasTransfer }) => !hasTransfer).map(({ kind }) => kind)).toEqual([])
})
