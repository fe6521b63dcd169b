import { describe, expect, test } from 'vitest'
import { choosesReceipt } from '../../../src/ledger/evidence/evidence.ts'
import { Secret } from '../../../src/lib/secret.ts'
import { hash } from '../../support/records.ts'
import { completed } from '../rules/transfers.ts'

const canonical = { url: new Secret('http://x'), verifyAbove: '2', sample: 0.25, confirmations: 3 }
const transfer = completed()
const hashes = Array.from({ length: 2_000 }, (_, n) => hash(`leg-${n}`))
const chosenBy = (key: string) => hashes.filter((one) => choosesReceipt(canonical, key)(transfer, one))

describe('which receipts are asked for', () => {
  test('of what lies below the bound, the share that was asked for (semantics 24)', () => {
    const share = chosenBy('a').length / hashes.length
    expect(share).toBeGreaterThan(0.21)
    expect(share).toBeLessThan(0.29)
  })

  test('the same ones after a restart, and others for a ledger with another key', () => {
    const chosen = new Set(chosenBy('a'))
    expect(new Set(chosenBy('a'))).toEqual(chosen)
    const both = chosenBy('b').filter((one) => chosen.has(one))
    expect(both.length).toBeLessThan(chosen.size / 2)
  })

  test('everything at the bound, or without a known amount', () => {
    const always = choosesReceipt({ ...canonical, sample: 0 }, 'a')
    expect(always({ ...transfer, amount: '2' }, hash('x'))).toBe(true)
    expect(always({ ...transfer, amount: '1.999999' }, hash('x'))).toBe(false)
    expect(always({ ...transfer, amount: null }, hash('x'))).toBe(true)
  })
})
