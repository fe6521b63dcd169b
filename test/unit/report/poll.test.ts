import { expect, test } from 'vitest'
import type { Finding } from '../../../src/bridge/finding.ts'
import { createReport } from './render/sampleReport.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import type { DeliveryOptions, DeliveryResult } from '../../../src/delivery/channels/message.ts'
import { createDailyReportPoll } from '../../../src/report/poll.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createReportStore } from '../../../src/report/store.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'

const hour = 3_600_000
const fiveMinutes = 300_000

function setUp(start: string, answers: DeliveryResult[] = []) {
  const db = openDatabase(':memory:')
  const store = createReportStore(db)
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  const clock = createSteppedClock({ start: Date.parse(start), isManual: true })
  const sent: { day: string; id: string; recipients: DeliveryOptions['recipients']; degraded: boolean }[] = []
  const told: Finding[] = []
  const broken: { send: Error | null; build: Error | null } = { send: null, build: null }
  const errors: unknown[] = []
  const list: { readAt: number | null } = { readAt: Infinity }
  const create = () =>
    createDailyReportPoll({
      clock,
      store,
      log: createSilentLog(),
      settings: { cron: '0 8 * * *', timezone: 'Europe/Berlin' },
      period: 'day',
      pageUrl: null,
      commit: ({ apply }) => {
        db.transaction(() => told.push(...(apply?.(clock.now()) ?? [])))
        return { news: 0, hasUrgent: false }
      },
      channel: {
        name: 'mail',
        type: 'email',
        deliver: () => Promise.reject(new Error('a report is no message')),
        deliverReport: async (report, { recipients, degraded }) => {
          sent.push({ day: report.day, id: report.id, recipients, degraded })
          if (broken.send !== null) throw broken.send
          return answers.shift() ?? { result: 'ack' }
        },
        close: async () => {},
      },
      db,
      ledger: {
        ...ledger,
        listUnderWay(...asked) {
          if (broken.build !== null) throw broken.build
          return ledger.listUnderWay(...asked)
        },
      },
      tokens: [],
      list,
    })
  let poll = create()
  const run = () => poll(new AbortController().signal)
  /** Every so often for a while. */
  const pass = async (ms: number, everyMs = 30_000) => {
    for (let passed = 0; passed < ms; passed += everyMs) {
      await clock.advance(everyMs)
      await run().catch((error: unknown) => errors.push(error))
    }
  }
  return { broken, clock, errors, list, store, sent, told, run, pass, restart: () => void (poll = create()) }
}

test('the day of the first start is the first that is reported, once, at its time', async () => {
  const monitor = setUp('2026-05-01T12:00:00Z')
  await monitor.run()
  await monitor.pass(17.9 * hour, fiveMinutes)
  // 08:00 in Berlin is 06:00 UTC.
  expect(monitor.sent).toEqual([])
  await monitor.pass(0.2 * hour)
  expect(monitor.sent.map(({ day }) => day)).toEqual(['2026-05-01'])
  monitor.restart()
  await monitor.pass(23 * hour, fiveMinutes)
  expect(monitor.sent).toHaveLength(1)
})

test('F67: a clock that was a year ahead at the first start silences no report of today', async () => {
  const monitor = setUp('2027-05-02T05:59:00Z')
  await monitor.run()
  await monitor.clock.advance(-365 * 24 * hour)
  monitor.restart()
  await monitor.pass(73 * hour, fiveMinutes)
  expect(monitor.sent.map(({ day }) => day)).toEqual(['2026-05-02', '2026-05-03', '2026-05-04'])
})

test.each([1, 30])(
  'F67: a clock that was ahead by %id after a restart takes no day for reported that is not over, or was not due',
  async (days) => {
    const monitor = setUp('2026-05-01T12:00:00Z')
    await monitor.run()
    await monitor.pass(40 * hour, fiveMinutes)
    // In Berlin it is six in the morning; at eight the report of yesterday would be due.
    const aheadMs = days * 24 * hour + 3 * hour
    await monitor.clock.advance(aheadMs)
    monitor.restart()
    await monitor.run()
    await monitor.clock.advance(-aheadMs)
    monitor.restart()
    const before = monitor.sent.splice(0).map(({ id }) => id)
    await monitor.pass(52 * hour, fiveMinutes)
    expect(monitor.sent.map(({ day }) => day)).toEqual(
      days === 1 ? ['2026-05-03', '2026-05-04'] : ['2026-05-02', '2026-05-03', '2026-05-04'],
    )
    // Mail readers drop what bears the Message-ID of another mail.
    for (const { id } of monitor.sent) expect(before).not.toContain(id)
  },
)

test('F68, invariant 13: one report on each day around both DST changes', async () => {
  for (const [start, first] of [
    ['2026-03-27T12:00:00Z', '2026-03-27'],
    ['2026-10-23T12:00:00Z', '2026-10-23'],
  ] as const) {
    const monitor = setUp(start)
    await monitor.run()
    await monitor.pass(4 * 24 * hour, fiveMinutes)
    expect(monitor.sent.map(({ day }) => day)).toEqual(
      [0, 1, 2, 3].map((shift) => new Date(Date.parse(first) + shift * 24 * hour).toISOString().slice(0, 10)),
    )
  }
})

test('F69: three days down are caught up once each; more are told as missed', async () => {
  const monitor = setUp('2026-05-01T12:00:00Z')
  await monitor.run()
  await monitor.clock.advance(4 * 24 * hour)
  monitor.restart()
  await monitor.run()
  await monitor.run()
  expect(monitor.sent.map(({ day }) => day)).toEqual(['2026-05-02', '2026-05-03', '2026-05-04'])
  expect(monitor.told.map(({ kind, facts }) => [kind, facts['day']])).toEqual([
    ['monitor.report_missed', '2026-05-01 to 2026-05-01'],
  ])
})

test('after an outage a report waits until the list was read since its day ended', async () => {
  const monitor = setUp('2026-05-03T12:00:00Z')
  monitor.store.startAfter('2026-04-30')
  monitor.list.readAt = null
  await monitor.pass(10 * 60_000)
  // A reading that began the day before.
  monitor.list.readAt = Date.parse('2026-05-02T20:00:00Z')
  await monitor.pass(60_000)
  expect(monitor.sent.map(({ day }) => day)).toEqual(['2026-05-01'])
  monitor.list.readAt = monitor.clock.now()
  await monitor.run()
  expect(monitor.sent.map(({ day }) => day)).toEqual(['2026-05-01', '2026-05-02'])
})

test('where the list cannot be read a report waits for an hour at most', async () => {
  const monitor = setUp('2026-05-02T12:00:00Z')
  monitor.store.startAfter('2026-04-30')
  monitor.list.readAt = null
  await monitor.pass(hour - 60_000)
  expect(monitor.sent).toEqual([])
  await monitor.pass(60_000)
  expect(monitor.sent.map(({ day }) => day)).toEqual(['2026-05-01'])
})

test('F34: a mail that is deferred is tried again after 1 and 5 minutes, alone to whom it is owed', async () => {
  const monitor = setUp('2026-05-02T05:59:00Z', [
    { result: 'transient', reason: 'greylisted' },
    { result: 'partial', retry: ['b@example.com'], refused: [] },
  ])
  monitor.store.startAfter('2026-04-30')
  await monitor.pass(60_000)
  expect(monitor.sent).toHaveLength(1)
  await monitor.pass(60_000)
  expect(monitor.sent).toHaveLength(2)
  await monitor.pass(270_000)
  expect(monitor.sent).toHaveLength(2)
  await monitor.pass(60_000)
  expect(monitor.sent.map(({ recipients }) => recipients)).toEqual([null, null, ['b@example.com']])
  await monitor.pass(24 * hour - 600_000)
  expect(monitor.sent).toHaveLength(3)
})

test('F67: a mail that is deferred is tried again in time after a start with the wall clock set back', async () => {
  const monitor = setUp('2026-05-02T12:00:00Z', [{ result: 'transient', reason: 'greylisted' }])
  monitor.store.startAfter('2026-04-30')
  await monitor.run()
  await monitor.clock.advance(-5 * hour)
  monitor.restart()
  await monitor.pass(60_000)
  expect(monitor.sent.map(({ day }) => day)).toEqual(['2026-05-01', '2026-05-01'])
})

test('F39: a mail that is refused as it is goes out as plain text', async () => {
  const monitor = setUp('2026-05-02T06:00:00Z', [{ result: 'bad_message', reason: 'too large' }])
  monitor.store.startAfter('2026-04-30')
  await monitor.run()
  expect(monitor.sent.map(({ degraded }) => degraded)).toEqual([false, true])
})

test('a report that nobody takes for a day is told as missed, and the next ones are tried anew', async () => {
  const down: DeliveryResult = { result: 'transient', reason: 'connection refused' }
  const monitor = setUp(
    '2026-05-02T06:00:00Z',
    Array.from({ length: 40 }, () => down),
  )
  monitor.store.startAfter('2026-04-30')
  await monitor.run()
  await monitor.pass(23 * hour, fiveMinutes)
  expect(monitor.told).toEqual([])
  await monitor.pass(2 * hour)
  expect(monitor.told.map(({ facts }) => facts['day'])).toEqual(['2026-05-01'])
  expect(monitor.sent.at(-1)?.day).toBe('2026-05-02')
})

test('invariant 13: a process that died while it sent tries again, and counts the attempt', async () => {
  const monitor = setUp('2026-05-02T06:00:00Z')
  monitor.store.startAfter('2026-04-30')
  const builtAt = monitor.clock.now()
  monitor.store.queue(createReport({ builtAt, hours: [], latencies: [] }), builtAt + hour)
  monitor.store.beginAttempt('2026-10-25', monitor.clock.now() + 120_000)
  await monitor.run()
  expect(monitor.sent.filter(({ day }) => day === '2026-10-25')).toEqual([])
  await monitor.pass(150_000)
  expect(monitor.sent.filter(({ day }) => day === '2026-10-25')).toHaveLength(1)
})

test('a report whose making or sending throws is told as missed within a day, with the reason, and each throw fails a run', async () => {
  const monitor = setUp('2026-05-02T05:59:00Z')
  monitor.store.startAfter('2026-04-30')
  monitor.broken.send = new Error('Cannot find native binding')
  await monitor.pass(25 * hour, fiveMinutes)
  expect(monitor.errors.length).toBeGreaterThan(3)
  expect(monitor.errors[0]).toBe(monitor.broken.send)
  expect(monitor.told.map(({ kind, facts }) => [kind, facts['day'], facts['reason']])).toEqual([
    ['monitor.report_missed', '2026-05-01', expect.stringContaining('Cannot find native binding')],
  ])
  monitor.broken.send = null
  monitor.sent.length = 0
  await monitor.pass(hour)
  expect(monitor.sent.map(({ day }) => day)).toEqual(['2026-05-02'])
})

test('a report that cannot be built is told as missed within a day, and holds up no other', async () => {
  const monitor = setUp('2026-05-02T05:59:00Z')
  monitor.store.startAfter('2026-04-30')
  monitor.broken.build = new TypeError('no such column')
  await monitor.pass(23 * hour, fiveMinutes)
  expect(monitor.told).toEqual([])
  await monitor.pass(2 * hour)
  expect(monitor.told.map(({ facts }) => [facts['day'], facts['reason']])).toEqual([
    ['2026-05-01', 'it could not be made within a day: no such column'],
  ])
  monitor.broken.build = null
  monitor.sent.length = 0
  await monitor.pass(hour)
  expect(monitor.sent.map(({ day }) => day)).toEqual(['2026-05-02'])
})
