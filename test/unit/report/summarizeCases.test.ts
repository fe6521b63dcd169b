import { expect, test } from 'vitest'
import { sayCases, summarizeCases } from '../../../src/report/summarizeCases.ts'
import { createCaseWorld, theft, unbacked, usdc } from '../../support/caseWorld.ts'
import { start } from '../alerts/harness.ts'

const day = { from: start - 3_600_000, until: start + 3_600_000 }
const symbolOf = (token: string) => (token === usdc ? 'USDC' : null)

test('a day in one line: what was opened, what was handled and why, what is open with what is at risk', () => {
  const world = createCaseWorld()
  const summarize = () => summarizeCases(world.database, day, symbolOf)
  expect(sayCases(summarize())).toBe('Cases: 0 opened; none handled; 0 open.')
  world.tell(unbacked, theft(1, '10.5'), theft(2, '5', { targetAddress: `0x${'9'.repeat(40)}` }))
  world.by('c1', 'ack')
  expect(sayCases(summarize())).toBe('Cases: 2 opened; none handled; 2 open, 15.5 USDC at risk.')
  world.by('c1', 'handle', 'refunded')
  expect(sayCases(summarize())).toBe(
    'Cases: 2 opened; handled: c1 by ana (refunded); 1 open, 5 USDC at risk.',
  )
  const atRisk = ['USDC', 'WETH', 'ACME', 'X'].map((symbol) => ({ amount: '1', symbol }))
  expect(sayCases({ opened: 0, handled: [], open: 1, atRisk })).toBe(
    'Cases: 0 opened; none handled; 1 open, 1 USDC, 1 WETH, 1 ACME and 1 more token at risk.',
  )
  const before = { from: day.from - 86_400_000, until: day.from }
  expect(summarizeCases(world.database, before, symbolOf)).toMatchObject({ opened: 0, handled: [] })
})
