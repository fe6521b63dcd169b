import { describe, expect, test } from 'vitest'
import { judgeReport, sayVerdict } from '../../../src/report/render/headline.ts'
import { createReport } from './render/sampleReport.ts'

const usdc = { address: '0xcc', symbol: 'USDC', name: '', decimals: 6 }
const weth = { address: '', symbol: 'WETH', name: '', decimals: 18 }
const base = createReport({ missing: [], corrections: [], findings: [], problems: [] })
const { window } = base
const hour = 3_600_000
const problem = { count: 1, inBaseUnits: false, unknown: 0, oldestAt: window.until - 15 * hour }

describe('sayVerdict', () => {
  test('says what does not reconcile, with its amounts, the gravest first', () => {
    const problems = [
      { ...problem, kind: 'unbacked' as const, token: weth, amount: '3.5' },
      { ...problem, kind: 'duplicate' as const, token: usdc, amount: '6251.51' },
      { ...problem, kind: 'failed' as const, token: usdc, amount: '12000' },
      { ...problem, kind: 'stalled' as const, token: usdc, amount: '18250.75' },
    ]
    expect(sayVerdict({ ...base, problems })).toBe(
      'not reconciled: 3.5 WETH paid without origin, 6,251.51 USDC paid twice, 12,000 USDC failed, 18,250.75 USDC in flight for 15h',
    )
    expect(judgeReport({ ...base, problems })).toBe('critical')
  })

  test('a finding that is critical and no break is never left out', () => {
    const findings = [{ kind: 'contract.changed', severity: 'critical' as const, count: 2, examples: [] }]
    expect(sayVerdict({ ...base, findings })).toBe('not reconciled: 2 critical findings (contract.changed)')
  })

  test('what is not known is not said to reconcile', () => {
    expect(sayVerdict({ ...base, problems: null })).toBe('what does not reconcile is unknown')
    const unknown = { ...problem, kind: 'failed' as const, token: usdc, amount: '0', unknown: 1 }
    expect(sayVerdict({ ...base, problems: [unknown] })).toBe(
      'not reconciled: 1 transfer of unknown amount of USDC failed',
    )
  })

  test('a day that nobody watched, and of which nothing is known, is not said to reconcile', () => {
    const gaps = [{ from: window.from, until: window.until }]
    const unseen = { source: 'transfers', share: 0, gaps, note: null }
    const sample = { source: 'zone chain', share: 1, gaps: [], note: 'of zone blocks' }
    const says = 'what does not reconcile is unknown: nothing of the day was observed'
    for (const coverage of [[unseen, sample], [], null]) {
      expect(sayVerdict({ ...base, book: [], coverage })).toBe(says)
    }
    const seen = { ...unseen, share: 0.01 }
    expect(sayVerdict({ ...base, book: [], coverage: [unseen, seen] })).toBe(
      'reconciled: 0 deposits, 0 withdrawals',
    )
    expect(sayVerdict({ ...base, coverage: [unseen] })).toBe('reconciled: 119 deposits, 0 withdrawals')
  })

  test('money that was learned of an earlier day is in it, naming the day', () => {
    const correction = { severity: 'critical' as const, count: 1 }
    const corrections = [
      { ...correction, day: '2026-10-23', kind: 'transfer.unbacked', money: [{ token: weth, amount: '2' }] },
      { ...correction, day: '2026-10-24', kind: 'chain.stalled', money: [] },
    ]
    expect(sayVerdict({ ...base, corrections })).toBe(
      'reconciled: 119 deposits, 0 withdrawals; corrected for 2026-10-23: 2 WETH paid without origin',
    )
  })
})
