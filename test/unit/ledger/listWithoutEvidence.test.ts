import { expect, test } from 'vitest'
import type { EvidenceReading } from '../../../src/ledger/evidence.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { hash, toRecord } from '../../support/records.ts'

const now = 100_000_000
const since = now - 86_400_000

function said(name: string, of: Partial<EvidenceReading>): EvidenceReading {
  return {
    chain: 'zone',
    hash: hash(`zone ${name}`),
    source: 'E9',
    requestedAt: now - 1_000,
    status: 'failed',
    errorMessage: '',
    moves: null,
    ...of,
  }
}

test('of failures those are found that nobody said anything of, however many lie before them', () => {
  const ledger = createLedger(openDatabase(':memory:'), { tokens: [], openIntervalMs: 10_000 })
  const answered = Array.from({ length: 1_200 }, (_, index) => `answered ${index}`)
  const names = [...answered, 'old', 'long ago', 'lately', 'by the node', 'silent']
  ledger.recordAnswer(
    names.map((name) =>
      toRecord({
        id: hash(`id ${name}`),
        source: 'E12',
        status: 'failed',
        mainHash: null,
        mainTime: null,
        mainHeight: null,
        zoneHash: hash(`zone ${name}`),
        // Many left in the same block.
        zoneTime: name === 'old' ? since - 1 : now - 60_000,
        requestedAt: now,
      }),
    ),
    now,
  )
  ledger.recordEvidence(
    [
      ...answered.map((name) => said(name, {})),
      said('long ago', { status: 'unknown', requestedAt: now - 80_000_000 }),
      said('lately', { status: 'unknown' }),
      said('by the node', { source: 'zoneRpc' }),
    ],
    now,
  )
  const find = (limit: number) => ledger.listWithoutEvidence(since, now, limit)
  expect(runAtOnce(find(20)).toSorted()).toEqual(
    ['by the node', 'long ago', 'silent'].map((name) => hash(`zone ${name}`)),
  )
  expect(runAtOnce(find(1))).toHaveLength(1)
  // Others run in between.
  expect([...find(20)].length).toBeGreaterThan(2)
})
