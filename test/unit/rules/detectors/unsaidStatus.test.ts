import { expect, test } from 'vitest'
import type { LegEvidence } from '../../../../src/bridge/transfer.ts'
import { transferUnbacked } from '../../../../src/checks/transfers/unbacked.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { eventContext, transferOf } from '../transfers.ts'

// semantics.md 38: whether a record failed is told by its status; where no record has the key, nothing rests on it.

const zone: LegEvidence = {
  chain: 'zone',
  hash: hash('zone'),
  source: 'E9',
  at: 1_500_000,
  status: 'failed',
  errorMessage: '',
  moves: null,
}
const arrived: LegEvidence = { ...zone, chain: 'main', hash: hash('main'), source: 'E13', status: 'success' }
const both = (status: 'unknown' | 'success', unsaid?: string) =>
  (['E3', 'E12'] as const).map((source) =>
    toRecord({ source, status, ...(unsaid !== undefined && { unsaid }) }),
  )

test.each([
  {
    title: 'whose status nobody says is no payout',
    records: both('unknown', 'status'),
    evidence: [zone],
    state: 'pending',
    told: null,
  },
  {
    title: 'whose status nobody says was paid where the main chain shows it',
    records: both('unknown', 'status'),
    evidence: [zone, arrived],
    state: 'unbacked',
    told: 'failed',
  },
  {
    title: 'that is good by its record is unbacked',
    records: both('success'),
    evidence: [zone],
    state: 'unbacked',
    told: 'failed',
  },
])('a transfer with a failed origin $title', ({ records, evidence, state, told }) => {
  const transfer = transferOf(records, evidence)
  expect(transfer.state).toBe(state)
  expect(transferUnbacked.detect(transfer, {}, eventContext())?.facts['reason'] ?? null).toBe(told)
})
