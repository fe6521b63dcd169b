import { describe, expect, test } from 'vitest'
import { kinds } from '../../../src/checks/index.ts'
import { digestMaterial, reconsider as reconsiderAs, settlingOf } from '../../../src/alerts/material.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { createEvent, createTransfer } from './harness.ts'

const of = (kind: Finding['kind'], overrides: Parameters<typeof createEvent>[1] = {}): Finding => ({
  ...createEvent(1, overrides),
  kind,
})
const digest = (one: Finding) => digestMaterial(kinds.find(one.kind), one)
const isSame = (a: Finding, b: Finding) => digest(a) === digest(b)
const reconsider = (told: Finding, transfer: Transfer, isFound: boolean | null) =>
  reconsiderAs(kinds.find(told.kind), told, { transfer, isFound })

describe('what a told event says changes', () => {
  test('for a comparison when it finds no difference any more, and by nothing else', () => {
    const told = of('transfer.mismatch', { state: 'pending' })
    const arrived = createTransfer(1, { state: 'completed' })
    expect(isSame(told, reconsider(told, arrived, null))).toBe(true)
    expect(isSame(told, reconsider(told, arrived, false))).toBe(false)
    const over = reconsider(told, arrived, false)
    expect(isSame(over, reconsider(over, arrived, null))).toBe(true)
    expect(isSame(over, reconsider(over, arrived, false))).toBe(true)
  })

  test('for a payout without an origin by its proof alone', () => {
    const told = of('transfer.unbacked', { state: 'unbacked', originProof: 'absent' })
    const named = createTransfer(1, { state: 'completed', originProof: 'unverified' })
    expect(isSame(told, reconsider(told, named, false))).toBe(true)
    expect(isSame(told, reconsider(told, { ...named, originProof: 'proven' }, false))).toBe(false)
  })

  test.each([
    { kind: 'transfer.mismatch', before: { found: '100' }, after: { found: '1000000' } },
    { kind: 'batch.mismatch', before: { problem: 'a' }, after: { problem: 'b' } },
    { kind: 'source.disagreement', before: { node: 'succeeded' }, after: { node: 'does not exist' } },
    { kind: 'transfer.out_of_order', before: { beforeOriginMs: 0 }, after: { beforeOriginMs: 9_000 } },
  ])('for $kind by what it found, and by no other fact', ({ kind, before, after }) => {
    const told = { ...of(kind), facts: before }
    expect(isSame(told, { ...told, facts: { ...before, asked: 'E13', aheadMs: 1 } })).toBe(true)
    expect(isSame(told, { ...told, facts: after })).toBe(false)
  })

  test('for an origin paid more than once by another payout of it, not by those that others are told for', () => {
    const payout = (hash: string) => ({ main: { chain: 'main', hash, height: 9, time: 1 } }) as const
    const told = { ...of('transfer.duplicate', payout('0x01')), facts: { otherHashes: '0x02' } }
    const third = { ...of('transfer.duplicate', payout('0x03')), facts: { otherHashes: '0x02' } }
    expect(isSame(told, { ...told, facts: { otherHashes: '0x02, 0x03' } })).toBe(true)
    expect(isSame(told, third)).toBe(false)
  })

  test('for a large amount by the amount, not by its arrival', () => {
    const told = of('transfer.large', { state: 'pending' })
    expect(isSame(told, reconsider(told, createTransfer(1, { state: 'completed' }), false))).toBe(true)
    expect(isSame(told, reconsider(told, createTransfer(1, { amountRaw: 7n }), false))).toBe(false)
  })
})

test.each([
  { title: 'what was sent last is not sent', told: 'a', digest: 'a', expected: null },
  { title: 'what changed is sent at once', told: 'a', digest: 'b', expected: 0 },
  { title: 'what holds after all is sent at once', told: 'ab', digest: 'a', expected: 0 },
  { title: 'so is that it does not', told: 'aba', digest: 'b', expected: 0 },
  { title: 'then it has to stand for five minutes', told: 'abab', digest: 'a', expected: 300_000 },
  { title: 'and then for ten', told: 'ababab', digest: 'a', expected: 600_000 },
  { title: 'what is new after so many others waits as long', told: 'abcd', digest: 'e', expected: 300_000 },
  { title: 'for an hour at most', told: 'ab'.repeat(10), digest: 'a', expected: 3_600_000 },
])('$title', ({ told, digest, expected }) => {
  expect(settlingOf(told.split(''), digest)).toBe(expected)
})
