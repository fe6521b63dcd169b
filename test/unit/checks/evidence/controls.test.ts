import { expect, test } from 'vitest'
import { createEvidencePoll } from '../../../../src/checks/evidence/poll.ts'
import type { EvidenceReading } from '../../../../src/ledger/evidence/evidence.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { emptyReads } from '../queuedLegs.ts'
import { createTestKernel, noSignal, setMainHead } from '../support.ts'

const start = 100_000_000

test('semantics.md 39: whoever answers the same whatever is asked is asked for others beside a batch as well', async () => {
  const world = createTestKernel({ start, isManual: true })
  const { clock, commit, db } = world
  setMainHead(db, start / 1_000, start, start)
  const asked: (readonly string[])[] = []
  let same: string | null = null
  const readings = (hashes: readonly string[]): readonly EvidenceReading[] =>
    hashes.map((one) => {
      const of = {
        chain: 'main',
        hash: one,
        source: 'E13',
        requestedAt: clock.now(),
        status: 'success',
      } as const
      return { ...of, errorMessage: '', height: 9, time: 9_000, moves: [] }
    })
  const mainLegs = (hashes: readonly string[]) => {
    asked.push(hashes)
    const shown = hashes.filter((one) => same === null || one === same)
    return Promise.resolve({ requestedAt: clock.now(), readings: readings(shown), bad: [] })
  }
  const poll = createEvidencePoll(
    { ...world, reads: { ...emptyReads, mainLegs } },
    { name: 'evidence', isLate: false, others: [] },
  )
  const pay = (n: number) =>
    commit({
      answers: [
        [
          toRecord({
            id: `id${n}`,
            mainHash: hash(`paid ${n}`),
            mainTime: clock.now(),
            requestedAt: clock.now(),
          }),
        ],
      ],
    })
  for (let n = 0; n < 12; n += 1) {
    if (n === 3) same = hash('paid 2')
    pay(n)
    await clock.advance(15_000)
    await poll(noSignal)
  }
  const others = asked.slice(-6).filter((hashes) => !hashes.includes(hash('paid 2')))
  expect(others.length).toBeGreaterThanOrEqual(2)
})
