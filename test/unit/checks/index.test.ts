import { expect, test } from 'vitest'
import { checks } from '../../../src/checks/index.ts'

test('hooks inside a commit run in this order: what the escrows owe before the audits, and words last', () => {
  const order = ['transfers', 'contracts', 'evidence', 'preconf', 'escrow', 'audit', 'sources']
  expect(checks.map(({ name }) => name).slice(0, order.length)).toEqual(order)
})

test('no two checks have one name', () => {
  const names: readonly string[] = checks.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})
