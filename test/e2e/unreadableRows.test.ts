import { expect, test } from 'vitest'
import { toOpenWire, toWire } from '../support/fakeExplorer.ts'
import { createLeapingApi } from '../support/leapingApi.ts'

const rules = `
rules:
  - { name: failed, on: transfer.failed, severity: critical, summary: "failed {{ transfer.amount }}" }
  - { name: stalled, on: transfer.stalled, with: { direction: ZoneToMain, after: 3s }, severity: critical, summary: "waits {{ transfer.amount }}" }
  - { name: drift, on: escrow.drift, severity: critical, summary: "drift" }
  - { name: recovered, on: monitor.state_recovered, severity: warning, summary: "{{ facts.reason }}" }
`

/** A monitor that watches with a silence, a case and a channel that it has sent to. */
async function setUp() {
  const { api, clock, until, watch } = await createLeapingApi()
  const before = toOpenWire({ status: '0x0' })
  api.records = [before, ...Array.from({ length: 5 }, () => toWire())]
  const { app, naming } = await watch({ rules })
  const { db, evaluate, operations } = app.parts
  await until(() => naming(before['zoneTxHash']).length > 0)
  operations.addSilence(
    {
      matchers: ['rule=drift'],
      startsAt: null,
      endsAt: clock.now() + 3_600_000,
      author: 'ana',
      comment: 'moving',
    },
    { by: 'ana', from: { via: 'cli', address: null, role: null, session: null } },
  )
  return { api, db, evaluate, naming, until }
}

test.each([
  ['of a head', "UPDATE heads SET below = '{[', ahead = '{['"],
  ['of a chain that nobody knows', "UPDATE heads SET chain = 'mian' WHERE chain = 'main'"],
  ['of a silence', "UPDATE silences SET matchers = '{['"],
  ['of a channel', "UPDATE channels SET refused = '{['"],
  ['of a delivery', "UPDATE deliveries SET recipients = '{['"],
  ['of an alert', "UPDATE alerts SET labels = '{['"],
  ['of a member of a case', 'UPDATE case_members SET loss = 7'],
  [
    'of a movement',
    `INSERT INTO escrow_flows (id, escrow, token, hash, height, at, seen_at, net, outward, party, verdict, direction, unexplained, reason, checks)
      SELECT 1, id, id, x'01', 1, 0, 0, '5', '{[', x'02', 'unexplained', 'out', '5', '', 0 FROM names LIMIT 1`,
  ],
])('a row %s that cannot be read stops no evaluation, and what happens is told', async (_, sql) => {
  const { api, db, evaluate, naming, until } = await setUp()
  const { total, failed } = evaluate.counts()
  db.prepare(sql).run()
  const after = toOpenWire({ status: '0x0' })
  const waiting = toOpenWire({})
  api.records.unshift(after, waiting)
  await until(() => naming(after['zoneTxHash']).length > 0 && naming(waiting['zoneTxHash']).length > 0)
  await until(() => evaluate.counts().total > total + 2)
  expect(evaluate.counts().failed).toBe(failed)
})
