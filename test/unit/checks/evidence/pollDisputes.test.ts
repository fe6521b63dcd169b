import { expect, test } from 'vitest'
import { createDisputesPoll } from '../../../../src/checks/evidence/check.ts'
import { hash, toRecord } from '../../../support/records.ts'
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

test('of more disputes than are asked about at once each has its turn, the oldest included', async () => {
  const world = createTestKernel({ isManual: true })
  const { clock, db, engine, ledger } = world
  const rows = Array.from({ length: 300 }, (_, n) => toRecord({ id: `r${n}`, zoneHash: hash(`z${n}`) }))
  ledger.recordAnswer(rows, clock.now())
  const kind = 'transfer.mismatch'
  for (const transfer of ledger.listTransfers({ limit: 1_000 })) {
    const finding = { kind, subject: transfer.key, title: 'another amount', transfer, since: clock.now() }
    engine.tellEvents(
      [{ rule: createRule({ kind }), finding: { ...finding, facts: {}, labels: {}, evidence: [] } }],
      clock.now(),
    )
    await clock.advance(1)
  }
  db.prepare('UPDATE transfers SET check_at = NULL').run()
  const run = createDisputesPoll(world)
  for (let minute = 0; minute < 16; minute += 1) {
    await clock.advance(60_000)
    await run()
  }
  const asked = db.prepare('SELECT key FROM transfers WHERE check_at IS NOT NULL').all()
  expect(asked).toHaveLength(300)
})
