import { describe, expect, test } from 'vitest'
import { kinds } from '../../../src/checks/index.ts'
import { digestMaterial, isNews, reconsider as reconsiderAs } from '../../../src/alerts/material.ts'
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

  test('for a large amount by the amount, not by its arrival', () => {
    const told = of('transfer.large', { state: 'pending' })
    expect(isSame(told, reconsider(told, createTransfer(1, { state: 'completed' }), false))).toBe(true)
    expect(isSame(told, reconsider(told, createTransfer(1, { amountRaw: 7n }), false))).toBe(false)
  })
})

test('what was corrected and holds after all is news once more, and then never again', () => {
  expect(isNews(['a'], 'a')).toBe(false)
  expect(isNews(['a'], 'b')).toBe(true)
  expect(isNews(['a', 'b'], 'a')).toBe(true)
  expect(isNews(['a', 'b', 'a'], 'b')).toBe(true)
  expect(isNews(['a', 'b', 'a', 'b'], 'a')).toBe(false)
})
