import { expect, test } from 'vitest'
import type { LegEvidence } from '../../../../src/bridge/transfer.ts'
import { deriveTransfer } from '../../../../src/ledger/deriving/deriveTransfer.ts'
import { toSightings } from '../../../../src/ledger/sightings/toSightings.ts'
import { hash, toRecord } from '../../../support/records.ts'

const hour = 3_600_000
const now = 1_790_000_000_000

/** When a transfer arrived whose record says so of a time, and of whose main transaction the chain says another. */
function arrivedAt(
  direction: 'ZoneToMain' | 'MainToZone',
  said: number,
  byChain: number | null,
  height = 9_000,
) {
  const record = toRecord({ direction, requestedAt: now, mainTime: said, zoneTime: said, mainHeight: 5 })
  const of = { height, chain: 'main', hash: hash('main'), source: 'E13', at: now, time: byChain } as const
  const evidence: LegEvidence[] = [{ ...of, status: 'success', errorMessage: '', moves: [] }]
  const tokens = { find: () => ({ symbol: null, decimals: 6 }) }
  const group = { members: toSightings([record]), ambiguous: [] }
  return deriveTransfer(group, { key: 't1', evidence, tokens, learned: null }).main?.time
}

test('a payout whose record says that it was long before its own block is of its block', () => {
  expect(arrivedAt('ZoneToMain', now - hour - 1, now)).toBe(now)
  expect(arrivedAt('ZoneToMain', now - hour, now)).toBe(now - hour)
  expect(arrivedAt('ZoneToMain', now, now - 2 * hour)).toBe(now)
  expect(arrivedAt('ZoneToMain', now - 2 * hour, null)).toBe(now - 2 * hour)
})

test('a payout that is of long ago by its record and in the same block by its chain is of its record', () =>
  expect(arrivedAt('ZoneToMain', now - 2 * hour, now, 5)).toBe(now - 2 * hour))

test('of what a deposit left by its record says when that was', () =>
  expect(arrivedAt('MainToZone', now - 2 * hour, now)).toBe(now - 2 * hour))
