import { expect, test } from 'vitest'
import { createDisputesPoll } from '../../../../src/checks/evidence/check.ts'
import { toRecord } from '../../../support/records.ts'
import { createRule } from '../../alerts/harness.ts'
import { createTestKernel } from '../support.ts'
import { endFindings } from '../../../support/readFinding.ts'

test('a dispute is asked about after a minute and then at ever longer intervals, until it is over', async () => {
  const world = createTestKernel({ isManual: true })
  const { clock, db, engine, ledger } = world
  ledger.recordAnswer([toRecord()], clock.now())
  const [transfer = null] = ledger.listTransfers({})
  const toldAt = clock.now()
  const kind = 'transfer.mismatch'
  const finding = {
    kind,
    subject: 't1',
    title: 'another amount',
    transfer,
    facts: {},
    labels: {},
    evidence: [],
    since: toldAt,
  }
  engine.tellEvents([{ rule: createRule({ kind }), finding }], toldAt)
  const run = createDisputesPoll(world)
  /** Whether its record is to be read again; then it is taken for read. */
  const isAsked = () =>
    db.prepare('UPDATE transfers SET check_at = NULL WHERE check_at IS NOT NULL').run().changes > 0
  isAsked()
  const asked: number[] = []
  for (let second = 0; second < 1_000; second += 10) {
    await run()
    if (isAsked()) asked.push((clock.now() - toldAt) / 1_000)
    await clock.advance(10_000)
  }
  expect(asked).toEqual([60, 120, 240, 480, 960])
  endFindings(db)
  await clock.advance(3_600_000)
  await run()
  expect(isAsked()).toBe(false)
})
