import PostalMime, { type Email } from 'postal-mime'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/lib/clock.ts'
import { Secret } from '../../src/lib/secret.ts'
import { createSmtpInbox } from '../../src/sandbox/inbox/smtpInbox.ts'
import { createFakeExplorer, toOpenWire, toWire, type WireRecord } from '../support/fakeExplorer.ts'
import { noBridge } from '../support/appConfig.ts'
import { startMonitor, until } from '../support/startMonitor.ts'

const dayMs = 86_400_000
const token = `0x${'a'.repeat(40)}`

/** Records spread over yesterday and the day before: most arrive, some late, some never, some fail. */
function createRecords(midnight: number): WireRecord[] {
  return Array.from({ length: 240 }, (_, index) => {
    const leftAt = midnight - dayMs * 2 + index * 700_000 + 123
    const isOpen = index % 40 === 7
    const arrivedAt = leftAt + (index % 11) * 3_600_000
    const raw = String(1_000_000 + index * 7)
    const record = (isOpen ? toOpenWire : toWire)({
      tokenContractAddress: token,
      zoneBlockTime: String(leftAt),
      zoneBlockHeight: String(1_000 + index),
      ...(!isOpen && { mainBlockTime: String(arrivedAt), mainBlockHeight: String(500 + index) }),
      status: isOpen || index % 30 !== 3 ? '0x1' : '0x0',
      valueRaw: raw,
      value: `${raw.slice(0, -6)}.${raw.slice(-6)}`,
    })
    return arrivedAt > Date.now()
      ? { ...record, mainTxHash: '', mainBlockTime: '', mainBlockHeight: '' }
      : record
  }).reverse()
}

/** Counted from the records alone. */
function count(records: readonly WireRecord[], from: number, until: number) {
  const times = records.map((record) => ({
    raw: BigInt(record['valueRaw'] ?? 0),
    leftAt: Number(record['zoneBlockTime']),
    arrivedAt: record['mainTxHash'] ? Number(record['mainBlockTime']) : Infinity,
    isFailed: record['status'] === '0x0',
  }))
  const sum = (of: typeof times) => ({
    count: of.length,
    raw: of.reduce((total, { raw }) => total + raw, 0n).toString(),
  })
  const inDay = (at: number) => at >= from && at < until
  return {
    opening: sum(times.filter(({ leftAt, arrivedAt }) => leftAt < from && arrivedAt >= from)),
    started: sum(times.filter(({ leftAt }) => inDay(leftAt))),
    completed: sum(times.filter(({ arrivedAt, isFailed }) => inDay(arrivedAt) && !isFailed)),
    failed: sum(times.filter(({ arrivedAt, isFailed }) => inDay(arrivedAt) && isFailed)),
    closing: sum(times.filter(({ leftAt, arrivedAt }) => leftAt < until && arrivedAt >= until)),
  }
}

test('the daily report arrives by mail once, over a restart, with the numbers of an independent count', async () => {
  const midnight = Math.floor(Date.now() / dayMs) * dayMs
  const api = await createFakeExplorer()
  onTestFinished(() => api.close())
  api.records = createRecords(midnight)
  const inbox = await createSmtpInbox()
  onTestFinished(() => inbox.close())
  const stateDir = mkdtempSync(join(tmpdir(), 'spanwatch-report-'))
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }))
  const system = createSystemClock()
  const start = (shiftMs: number) =>
    startMonitor({
      url: api.url,
      stateDir,
      clock: { ...system, now: () => system.now() + shiftMs },
      rules: 'rules:\n  - { name: failed, on: transfer.failed, severity: warning }\n',
      config: {
        bridge: { ...noBridge, tokens: [{ address: token, symbol: 'USDC', decimals: 6 }] },
        start: { from: { kind: 'ago', ms: 4 * dayMs } },
        channels: [
          {
            name: 'mail',
            type: 'email',
            smtp: new Secret(inbox.url),
            from: 'a@example.com',
            to: ['b@example.com'],
          },
          { name: 'ops', type: 'console' },
        ],
        reports: {
          daily: { cron: '0 0 * * *', timezone: 'UTC', channel: 'mail' },
          weekly: null,
          monthly: null,
        },
      },
    })
  const reports = () => inbox.mails.filter(({ subject }) => subject.includes('reconciliation'))

  // Yesterday was the first day; nothing is due on it.
  const first = await start(-dayMs)
  await until(() => first.app.parts.ledger.listTransfers({ limit: 500 }).length === 240)
  await first.stop()
  expect(reports()).toEqual([])

  const second = await start(0)
  await until(() => reports().length > 0, 20_000)
  await second.stop()
  const third = await start(0)
  await until(
    () => third.app.parts.runner.status().find(({ poller }) => poller === 'report')?.lastSuccessAt != null,
  )
  await third.stop()
  expect(reports()).toHaveLength(1)

  const mail: Email = await PostalMime.parse(reports()[0]?.raw ?? '')
  const day = new Date(midnight - dayMs).toISOString().slice(0, 10)
  expect(mail.messageId).toMatch(new RegExp(`^<report\\.${day}\\.\\d{13}@example\\.com>$`))
  const expected = count(api.records, midnight - dayMs, midnight)
  const csv = mail.attachments.find(({ filename }) => filename === `reconciliation-${day}.csv`)
  const [head = '', line = ''] = Buffer.from(csv?.content as ArrayBuffer)
    .toString()
    .split('\r\n')
  const cells = Object.fromEntries(head.split(',').map((name, index) => [name, line.split(',')[index] ?? '']))
  for (const [part, { count: n, raw }] of Object.entries(expected)) {
    expect([part, cells[`${part}_count`], cells[`${part}_raw`]]).toEqual([part, String(n), raw])
  }
  const images = mail.attachments.filter(({ mimeType }) => mimeType === 'image/png')
  expect(images.map(({ contentId }) => contentId)).toContain('<hours>')
  for (const { contentId } of images) expect(mail.html).toContain(`cid:${contentId?.slice(1, -1)}`)
  expect(mail.text).toContain(`Bridge reconciliation ${day}`)
})
