import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLedger } from '../../src/ledger/ledger.ts'
import { openDatabase } from '../../src/store/database.ts'
import { ledgerPath } from '../../src/store/state.ts'
import { hash, toRecord } from '../support/records.ts'
import { type Book, readBook, toUnits } from '../support/reportFiles.ts'
import { createSteppedClock } from '../support/steppedClock.ts'
import { runCommand } from '../unit/cli/testIo.ts'
import { createLoopbackConfig } from '../integration/cli/serveBlocks.ts'

const zone = 'Europe/Berlin'
const tokens = [
  { address: `0x${'a1'.repeat(20)}`, symbol: 'USDC', decimals: 6 },
  { address: `0x${'b2'.repeat(20)}`, symbol: 'WETH', decimals: 18 },
] as const
type Token = (typeof tokens)[number]

/** What happened, as whoever counts by hand would write it down. */
interface Crossing {
  readonly token: Token
  readonly isDeposit: boolean
  readonly amountRaw: bigint
  readonly leftAt: number
  /** Null: still on its way at the end. */
  readonly arrivedAt: number | null
  readonly hasFailed: boolean
}

const berlin = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' })
/** The day in Berlin, by the calendar of the runtime and nothing of ours. */
const berlinDay = (at: number) => berlin.format(at)

/** By a generator of its own, so that a failure can be repeated. */
function createDraws(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

const hour = 3_600_000
const day = 24 * hour

/** All over the month and the days beside it, a third of them within an hour of a midnight. */
function createCrossings(month: string): Crossing[] {
  const draw = createDraws(Date.parse(month) / 1_000_000)
  const from = Date.parse(`${month}-01T00:00:00Z`) - 2 * day
  return Array.from({ length: 1_500 }, (_, index): Crossing => {
    const token = tokens[index % 2] ?? tokens[0]
    const date = Math.floor(draw() * 35) * day
    const leftAt = Math.floor(from + date + (index % 3 === 0 ? 21 * hour + draw() * 3 * hour : draw() * day))
    const fate = draw()
    const hasFailed = fate > 0.97
    return {
      token,
      isDeposit: draw() < 0.5,
      amountRaw: BigInt(Math.floor(draw() * 1e9) + 1) * 10n ** BigInt(token.decimals - 6) + BigInt(index),
      leftAt,
      arrivedAt: hasFailed || fate < 0.02 ? null : leftAt + 1_000 + Math.floor(draw() * 5 * hour),
      hasFailed,
    }
  })
}

/** What the book has to say of a span of days, from its first to its last, counted from the crossings alone. */
function count(crossings: readonly Crossing[], token: Token, [first, last]: readonly [string, string]) {
  const isIn = (at: number | null) => at !== null && berlinDay(at) >= first && berlinDay(at) <= last
  const sum = (fits: (one: Crossing) => boolean) =>
    crossings.reduce((total, one) => total + (one.token === token && fits(one) ? one.amountRaw : 0n), 0n)
  return {
    deposits: sum((one) => one.isDeposit && !one.hasFailed && isIn(one.leftAt)),
    withdrawals: sum((one) => !one.isDeposit && isIn(one.arrivedAt)),
    failed: sum((one) => one.hasFailed && isIn(one.leftAt)),
    in_flight: sum(
      (one) =>
        !one.hasFailed &&
        berlinDay(one.leftAt) <= last &&
        (one.arrivedAt === null || berlinDay(one.arrivedAt) > last),
    ),
  }
}

/** A ledger that read all of it, and the reports that it gives. */
function createMonth(crossings: readonly Crossing[]) {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-month-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'spanwatch.yaml')
  const listed = tokens.map((token) => JSON.stringify(token)).join(', ')
  writeFileSync(
    config,
    `${createLoopbackConfig('http://127.0.0.1:9')}bridge: { tokens: [${listed}] }
reports: { daily: { cron: "0 8 * * *", timezone: ${zone}, channel: console } }
channels: { console: { type: console } }
`,
  )
  mkdirSync(join(folder, 'state'))
  const database = openDatabase(ledgerPath(join(folder, 'state')))
  const ledger = createLedger(database, { tokens, openIntervalMs: 10_000 })
  const now = Math.max(...crossings.map(({ leftAt }) => leftAt)) + 2 * day
  const records = crossings.map((one, index) => toObservation(one, index, now))
  database.transaction(() => ledger.recordAnswer(records, now))
  database.close()
  const clock = createSteppedClock({ start: now })
  return async (date: string) => {
    const out = join(folder, date)
    const { exitCode, err } = await runCommand(['report', '--date', date, '--out', out, '-c', config], {
      clock,
    })
    expect([exitCode, err]).toEqual([0, ''])
    return {
      book: readBook(readFileSync(join(out, `book-${date}.csv`), 'utf8')),
      text: readFileSync(join(out, `report-${date}.txt`), 'utf8'),
    }
  }
}

function toObservation(
  { token, isDeposit, amountRaw, leftAt, arrivedAt, hasFailed }: Crossing,
  index: number,
  now: number,
) {
  const origin = hash(`origin ${index}`)
  const destination = arrivedAt === null ? null : hash(`destination ${index}`)
  const [mainHash, zoneHash] = isDeposit ? [origin, destination] : [destination, origin]
  const [mainTime, zoneTime] = isDeposit ? [leftAt, arrivedAt] : [arrivedAt, leftAt]
  return toRecord({
    source: 'E12',
    direction: isDeposit ? 'MainToZone' : 'ZoneToMain',
    crossType: isDeposit ? 'Deposit' : 'Withdraw',
    status: hasFailed ? 'failed' : 'success',
    mainHash,
    mainTime,
    mainHeight: mainHash === null ? null : 500 + index,
    zoneHash,
    zoneTime,
    zoneHeight: zoneHash === null ? null : 5_000 + index,
    token: token.address,
    amountRaw,
    value: null,
    requestedAt: now,
  })
}

/** 1234567.89 as people read it. */
function separate(amount: string): string {
  const [whole = '', fraction] = amount.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

const columns = ['deposits', 'withdrawals', 'failed', 'in_flight'] as const

function expectBook(book: Book, crossings: readonly Crossing[], span: readonly [string, string]) {
  for (const token of tokens) {
    const counted = count(crossings, token, span)
    const said = Object.fromEntries(
      columns.map((name) => [name, book[token.symbol]?.[`${name}_amount`] ?? '0']),
    )
    const wanted = Object.fromEntries(columns.map((name) => [name, toUnits(counted[name], token.decimals)]))
    expect({ span, symbol: token.symbol, ...said }).toEqual({ span, symbol: token.symbol, ...wanted })
  }
}

/** A month in which the clocks of Berlin change, the day on which they do, and how many hours that day has. */
const months = [
  ['2026-03', '2026-03-29', 23],
  ['2026-10', '2026-10-25', 25],
] as const

test.each(months)(
  '%s: month, week and days agree with a count by hand, %s of %i hours too',
  async (month, changed, hours) => {
    const crossings = createCrossings(month)
    const report = createMonth(crossings)
    const days = Array.from({ length: 31 }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`)
    const ofDay = crossings.filter(({ leftAt }) => berlinDay(leftAt) === changed).map(({ leftAt }) => leftAt)
    expect(Math.max(...ofDay) - Math.min(...ofDay)).toBeLessThan(hours * hour)
    for (const date of ['01', '14', changed.slice(-2), '31'].map((number) => `${month}-${number}`))
      expectBook((await report(date)).book, crossings, [date, date])
    const whole = await report(month)
    const span = [days[0] ?? '', days.at(-1) ?? ''] as const
    expectBook(whole.book, crossings, span)
    const { deposits, withdrawals, failed } = count(crossings, tokens[0], span)
    for (const amount of [deposits, withdrawals]) expect(whole.text).toContain(separate(toUnits(amount, 6)))
    expect(whole.text.slice(0, whole.text.indexOf('=='))).toContain(
      `${separate(toUnits(failed, 6))} USDC failed`,
    )
  },
)
