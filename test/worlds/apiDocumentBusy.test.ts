import { expect, test } from 'vitest'
import { playBesideApi, readAll } from '../support/playBesideApi.ts'

/** One of each fault of a transfer, names that try to be more, a storm, and in the end an API that is silent. */
const busy = `name: busy
description: all that can go wrong, within minutes
seed: 77
timeline:
  - { at: 10s, fault: transfer.failed }
  - { at: 12s, fault: transfer.failed, direction: MainToZone, legs: both }
  - { at: 14s, fault: transfer.stalled }
  - { at: 16s, fault: transfer.unbacked }
  - { at: 18s, fault: transfer.unbacked, record: none }
  - { at: 20s, fault: transfer.duplicate }
  - { at: 22s, fault: transfer.mismatch, moved: "1" }
  - { at: 24s, fault: transfer.late, behind: 20m }
  - { at: 26s, fault: record.rewritten }
  - { at: 28s, fault: batch.bad, how: unpaid }
  - at: 30s
    fault: token.name
    failed: true
    names: ["<script>alert(1)</script>", "=HYPERLINK(1)", "\\u202ECDSU\\u0000\\u001B[31m", "{{ 7 | times: 6 }}"]
  - { at: 60s, fault: transfer.failed, count: 80, spacing: 20ms, errorMessage: "execution reverted" }
  - { at: 200s, for: 10m, fault: api.reset }
`

test('a bridge with all that can go wrong: what is read, and done, is as the document says', async () => {
  const played = await playBesideApi(busy, 240_000)
  const { get, post, run } = played
  const { alerts, cases, breaks } = await readAll(played)
  expect([alerts.length > 5, cases.length > 3, breaks.length > 3]).toEqual([true, true, true])

  const by = { by: 'ana' }
  const open = alerts.find(({ state }) => state !== 'resolved') ?? expect.fail()
  await post(`/api/alerts/${String(open['id'])}/ack`, by)
  // Who acknowledges an alert may acknowledge its case by that.
  const acked = (open['case'] as { readonly id: string } | null)?.id
  const other = cases.find(({ id, state }) => state === 'open' && id !== acked)
  const theCase = `/api/cases/${String(other?.['id'])}`
  await post(`${theCase}/ack`, by)
  await post(`${theCase}/assign`, { ...by, text: 'ben' })
  await post(`${theCase}/note`, { ...by, text: 'asked <b>the operator</b>' })
  await post(`${theCase}/handle`, { ...by, text: 'refunded' })
  await post(`${theCase}/reopen`, by)
  const endsAt = run.app.parts.clock.now() + 3_600_000
  const wide = { matchers: [`rule=${String(open['rule'])}`], endsAt }
  const signed = { author: 'ana', comment: 'known' }
  const failed = alerts.find(({ transferKey }) => transferKey !== null) ?? expect.fail()
  const narrow = { transfer: { name: String(failed['transferKey']), untilOver: true } }
  await post('/api/silences/preview', wide)
  await post('/api/silences/preview', narrow)
  const made = await post('/api/silences', { ...wide, ...signed })
  await post('/api/silences', { ...narrow, ...signed })
  for (const list of ['silences', 'alerts', 'cases', 'status']) await get(`/api/${list}`)
  await post(`/api/silences/${String(made['id'])}/expire`, by)
  const [first] = breaks.filter(({ isOpen }) => isOpen)
  const entry = await post('/api/breaks/write-off', { ...by, name: String(first?.['name']), reason: 'small' })
  await get('/api/breaks?state=settled')
  await post('/api/breaks/undo', { ...by, entry: String(entry['id']), reason: 'not small' })
  await post('/api/outbox/dead/retry', by)
  await post('/api/cursors/rewind', { ...by, until: endsAt - 7_200_000 })
  await readAll(played)
  expect(new Set(played.held.map((path) => path.replace(/\?.*/, ''))).size).toBeGreaterThan(60)
})
