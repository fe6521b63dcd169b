import { noAmount } from '../../../src/bridge/decimal.ts'
import { deriveTransfer } from '../../../src/ledger/deriving/deriveTransfer.ts'
import type { Observation } from '../../../src/bridge/observation.ts'
import { toSightings } from '../../../src/ledger/sightings/toSightings.ts'
import type { LegEvidence, Transfer } from '../../../src/bridge/transfer.ts'
import type { EventContext } from '../../../src/ledger/context.ts'
import { toPending, toRecord } from '../../support/records.ts'

/** A transfer as the ledger derives it from these answers, one record each. */
export function transferOf(records: readonly Observation[], evidence: readonly LegEvidence[] = []): Transfer {
  return deriveTransfer(
    { members: records.flatMap((record) => toSightings([record])), ambiguous: [] },
    {
      key: 't1',
      evidence,
      tokens: {
        find: (address) =>
          address === '0xcc' ? { symbol: 'USDC', decimals: 6 } : { symbol: null, decimals: null },
      },
      learned: null,
    },
  )
}

/** A monitor that has always been watching, of a bridge that the configuration says nothing of. */
export const eventContext = (overrides: Partial<EventContext> = {}): EventContext => ({
  now: 2_000_000,
  tellSince: 0,
  bridge: { tokens: [], fees: [] },
  related: {
    sharing: () => [],
    allSharing: () => [],
    ofOrigin: () => [],
    isFirstTo: () => false,
    joinedByAmount: () => null,
    firstOriginTime: () => null,
    escrowBalance: () => null,
    locked: () => noAmount,
  },
  clockAheadMs: 0,
  ...overrides,
})

/** A withdrawal that left at `originAt` and was last read, still pending, at `readAt`. */
export function pendingSince(originAt: number, readAt: number, overrides: Partial<Transfer> = {}): Transfer {
  const record = toPending({ zoneTime: originAt, requestedAt: readAt })
  return { ...transferOf([record]), readAt, ...overrides }
}

export const completed = (overrides: Partial<Observation> = {}) => transferOf([toRecord(overrides)])
