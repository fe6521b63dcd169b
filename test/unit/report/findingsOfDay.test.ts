import { expect, test } from 'vitest'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import { kinds } from '../../../src/checks/index.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { buildDailyReport } from '../../../src/report/buildDailyReport.ts'
import type { DailyReport } from '../../../src/report/dailyReport.ts'
import { type DayWindow, windowOf } from '../../../src/report/reportDay.ts'
import { createBench, createCondition, createEvent, createRule } from '../alerts/harness.ts'

const hour = 3_600_000
const monday = windowOf('2026-10-26', 'Europe/Berlin') as DayWindow
const tuesday = windowOf('2026-10-27', 'Europe/Berlin') as DayWindow
const failed = createRule({ severity: 'critical' })

function failure(n: number, since: number): Finding {
  return { ...createEvent(n, { originAt: since, amount: String(n) }), since }
}

function world() {
  const { database, engine } = createBench()
  const ledger = createLedger(database, { tokens: [], openIntervalMs: 10_000 })
  return {
    tell: (at: number, ...findings: Finding[]) =>
      engine.tellEvents(
        findings.map((finding) => ({ rule: failed, finding })),
        at,
      ),
    judge: (at: number, finding: Finding) =>
      engine.applyCondition(
        createRule({ name: finding.subject, kind: finding.kind, severity: 'critical' }),
        { findings: [finding], unknown: [] },
        at,
      ),
    correct: (at: number, transfer: Transfer) => engine.correctEvents([transfer], () => false, at),
    corrupt: () => void database.prepare("UPDATE alerts SET finding = 'x'").run(),
    report: (
      window: DayWindow,
      now: number,
      before: DailyReport | null = null,
      since: number | null = before?.builtAt ?? null,
    ) => buildDailyReport({ db: database, ledger, kinds, before, since, knows: {} }, window, now),
    reportCut: (window: DayWindow, isCut: boolean) =>
      buildDailyReport(
        {
          db: database,
          ledger,
          kinds,
          before: null,
          knows: { judged: { judged: [], isCut, givenBack: new Map() } },
        },
        window,
        window.until,
      ),
  }
}

const counts = ({ findings }: DailyReport) => findings.map(({ kind, count }) => `${kind} ${count}`)

test('a finding belongs to the day of its transfer, whenever it was told', async () => {
  const { tell, judge, report } = world()
  // Told after midnight, before the report is made.
  tell(tuesday.from + hour, failure(1, monday.until - 1), failure(2, tuesday.from))
  judge(tuesday.from + 2 * hour, createCondition('zone', { since: monday.until - hour }))
  const made = tuesday.from + 8 * hour
  expect(counts(await report(monday, made))).toEqual(['chain.stalled 1', 'transfer.failed 1'])
  const next = await report(tuesday, tuesday.until + 8 * hour, await report(monday, made))
  expect(counts(next)).toEqual(['transfer.failed 1'])
  expect(next.corrections).toEqual([])
})

test('what was learned of a day after its report is a correction of the next one, naming the day', async () => {
  const { tell, report } = world()
  const made = tuesday.from + 8 * hour
  const first = await report(monday, made)
  expect(first.findings).toEqual([])
  tell(made + hour, failure(5, monday.from + hour), failure(7, monday.from + 2 * hour))
  const next = await report(tuesday, tuesday.until + 8 * hour, first)
  expect(next.findings).toEqual([])
  expect(next.corrections).toMatchObject([
    { day: '2026-10-26', kind: 'transfer.failed', severity: 'critical', count: 2, money: [{ amount: '12' }] },
  ])
  // Of the day itself it is known by now.
  expect(counts(await report(monday, tuesday.until))).toEqual(['transfer.failed 2'])
  expect((await report(monday, tuesday.until)).corrections).toEqual([])
})

test('what was learned since the last report is a correction, whatever days were left without one', async () => {
  const { tell, report } = world()
  const made = monday.from + 8 * hour
  tell(made - hour, failure(3, monday.from - 2 * hour))
  tell(made + hour, failure(5, monday.from + hour))
  const { corrections } = await report(tuesday, tuesday.until + 8 * hour, null, made)
  expect(corrections).toMatchObject([{ day: '2026-10-26', kind: 'transfer.failed', count: 1 }])
})

test('of reports that are made together after an outage, only the one of its day has a finding', async () => {
  const { tell, report } = world()
  const made = tuesday.until + 8 * hour
  tell(made - hour, failure(5, monday.from + hour))
  const first = await report(monday, made)
  expect(counts(first)).toEqual(['transfer.failed 1'])
  expect((await report(tuesday, made + 1, first)).corrections).toEqual([])
})

test('a report before that was made by a clock far ahead hides nothing', async () => {
  const { tell, report } = world()
  const made = tuesday.until + 8 * hour
  tell(made - hour, failure(5, monday.from + hour))
  const { corrections } = await report(tuesday, made, null, made + 9_000 * hour)
  expect(corrections).toMatchObject([{ day: '2026-10-26', kind: 'transfer.failed', count: 1 }])
})

test('of what was learned money is named once: as of the transfer, and what beside it left as of the movement', async () => {
  const { tell, judge, report } = world()
  const made = tuesday.from + 8 * hour
  const first = await report(monday, made)
  const since = monday.from + hour
  const main = { chain: 'main', hash: `0x${'cd'.repeat(32)}`, height: 5, time: since } as const
  const theft = { ...createEvent(5, { amount: '5', direction: 'ZoneToMain', main }), since }
  tell(made + hour, theft)
  const moved = (subject: string, hash: string, amount: string) =>
    judge(made + hour, {
      ...createCondition(subject),
      kind: 'escrow.drift',
      facts: { direction: 'out', amount, mainTxHash: hash, sum: '' },
      labels: { token: theft.transfer?.token.address ?? '' },
      since,
    })
  moved('payout', main.hash, '7')
  moved('other', `0x${'ab'.repeat(32)}`, '3')
  const { corrections = [] } = await report(tuesday, tuesday.until + 8 * hour, first)
  expect(corrections.map(({ kind, count, money }) => [kind, count, money[0]?.amount])).toEqual([
    ['escrow.drift', 2, '5'],
    ['transfer.failed', 1, '5'],
  ])
})

test('what was taken back is no more than information, and corrects no day', async () => {
  const { tell, correct, report } = world()
  const [stays, goes] = [failure(1, monday.from + hour), failure(2, monday.from + hour)]
  const first = await report(monday, tuesday.from + hour)
  tell(tuesday.from + 2 * hour, stays, goes)
  if (goes.transfer)
    correct(tuesday.from + 3 * hour, { ...goes.transfer, state: 'completed', status: 'success' })
  const { findings } = await report(monday, tuesday.until)
  expect(
    findings.map(
      ({ kind, severity, count, examples }) =>
        `${severity} ${kind} ${count}: ${examples[0]?.title.replace(/0x20+/, '#')}`,
    ),
  ).toEqual([
    'critical transfer.failed 1: main none zone #1',
    'info transfer.failed 1: taken back: main none zone #2',
  ])
  expect((await report(tuesday, tuesday.until, first)).corrections).toMatchObject([{ count: 1 }])
})

test('a finding that cannot be read any more is counted all the same', async () => {
  const { tell, corrupt, report } = world()
  tell(monday.from + hour, failure(1, monday.from + hour))
  corrupt()
  expect(counts(await report(monday, monday.until))).toEqual(['transfer.failed 1'])
})

test('a list of breaks that was cut makes the report incomplete', async () => {
  const { reportCut } = world()
  const missing = async (isCut: boolean) => (await reportCut(monday, isCut)).missing.join()
  expect(await missing(true)).toContain('more does not reconcile than is read at once')
  expect(await missing(false)).not.toContain('more does not reconcile')
})

test('of tokens that nobody locked it is said how many there are', async () => {
  const { judge, report } = world()
  const labels = { chain: 'zone', token: '0xc0', symbol: 'USDC' }
  judge(
    monday.from + hour,
    createCondition('0xc0', {
      kind: 'supply.excess',
      facts: { excess: '777.5' },
      labels,
      since: monday.from + hour,
    }),
  )
  const { findings } = await report(monday, tuesday.from + hour)
  expect(findings).toMatchObject([
    { kind: 'supply.excess', examples: [{ amount: '777.5', token: { address: '0xc0' } }] },
  ])
})
