import { expect, test } from 'vitest'
import type { EvidenceReading } from '../../../../src/ledger/evidence/evidence.ts'
import { createLedger } from '../../../../src/ledger/ledger.ts'
import type { FailurePlace } from '../../../../src/ledger/transfers/listWithoutEvidence.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { hash, toRecord } from '../../../support/records.ts'

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

function fail(name: string, zoneTime: number) {
  const [id, zoneHash] = [hash(`id ${name}`), hash(`zone ${name}`)]
  const unpaid = { mainHash: null, mainTime: null, mainHeight: null }
  return toRecord({ id, source: 'E12', status: 'failed', ...unpaid, zoneHash, zoneTime, requestedAt: now })
}

test('of failures those are found that nobody said anything of, however many lie before them', () => {
  const ledger = createLedger(openDatabase(':memory:'), { tokens: [], openIntervalMs: 10_000 })
  const answered = Array.from({ length: 1_200 }, (_, index) => `answered ${index}`)
  const names = [...answered, 'old', 'long ago', 'lately', 'by the node', 'silent']
  ledger.recordAnswer(
    // Many left in the same block.
    names.map((name) => fail(name, name === 'old' ? since - 1 : now - 60_000)),
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
  const find = (limit: number, after: FailurePlace | null = null) =>
    ledger.listWithoutEvidence({ since, after, limit }, now)
  const all = runAtOnce(find(20))
  expect(all.hashes.toSorted()).toEqual(
    ['by the node', 'long ago', 'silent'].map((name) => hash(`zone ${name}`)),
  )
  expect(all.next).toBeNull()
  const first = runAtOnce(find(1))
  expect(first.hashes).toHaveLength(1)
  // Those beyond the limit are found from where it stopped.
  expect(runAtOnce(find(20, first.next)).hashes.toSorted()).toEqual(all.hashes.toSorted())
  // Others run in between.
  expect([...find(20)].length).toBeGreaterThan(2)
})

test('of a storm so many are looked at, and the next look goes on behind them', () => {
  const ledger = createLedger(openDatabase(':memory:'), { tokens: [], openIntervalMs: 10_000 })
  const names = [...Array.from({ length: 2_100 }, (_, index) => `answered ${index}`), 'silent']
  ledger.recordAnswer(
    names.map((name, index) => fail(name, now - 60_000 + index)),
    now,
  )
  ledger.recordEvidence(
    names.slice(0, -1).map((name) => said(name, {})),
    now,
  )
  const find = (after: FailurePlace | null) =>
    runAtOnce(ledger.listWithoutEvidence({ since, after, limit: 20 }, now))
  const first = find(null)
  expect(first.hashes).toEqual([])
  expect(find(first.next)).toEqual({ hashes: [hash('zone silent')], next: null })
})
