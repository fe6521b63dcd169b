import { negate, noAmount, toDecimal } from '../../../../src/bridge/decimal.ts'
import { noteCourse } from '../../../../src/checks/escrow/owed/courseStore.ts'
import { saveFlows } from '../../../../src/checks/escrow/flows/flowStore.ts'
import {
  noteEscrowToken,
  saveOwedJudgement,
  startOwed,
} from '../../../../src/checks/escrow/owed/owedStore.ts'
import { saveAnchor } from '../../../../src/checks/escrow/flows/readingStore.ts'
import { insertSilence } from '../../../../src/alerts/store/silenceRows.ts'
import { createReportStore } from '../../../../src/report/store.ts'
import { type Database, openDatabase } from '../../../../src/store/database.ts'
import type { Actor } from '../../../../src/store/actor.ts'
import type { Transfer } from '../../../../src/bridge/transfer.ts'
import type { Clock } from '../../../../src/lib/clock.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import { Registry } from 'prom-client'
import type { TransferFilter, TransferStory, WebDeps } from '../../../../src/web/types.ts'
import type { StatusFacts } from '../../../../src/web/statusFacts.ts'
import type { AlertStory, AlertView, CaseStory } from '../../../../src/web/caseTypes.ts'
import { toPageOf } from '../../../../src/web/readBreakQuery.ts'
import { caseView } from '../../../../src/web/api/schemas/case.ts'
import { judgeVerdict } from '../../../../src/web/judgeVerdict.ts'
import type { BreakList } from '../../../../src/breaks/listBreaks.ts'
import { createChartDrawer } from '../../../../src/lib/drawChart.ts'
import type { ShownEntry } from '../../../../src/breaks/showEntry.ts'
import { entry, now, openBreak, outbox, report, rules, series } from './fakeViews.ts'
import { toGateView } from '../../../../src/web/gate/toGateView.ts'
import { clearFacts, knownTransfer } from '../../../support/gateFacts.ts'
import { toRecord } from '../../../support/records.ts'

export { now }
const minute = 60_000

export const zoneHash = `0x${'5a'.repeat(32)}`
export const mainHash = `0x${'c3'.repeat(32)}`

export const transfer: Transfer = {
  key: 't42',
  id: '9001',
  direction: 'ZoneToMain',
  crossType: 'Withdraw',
  state: 'pending',
  status: 'success',
  firstStatus: 'success',
  confirmedStatus: 'success',
  main: null,
  zone: { chain: 'zone', hash: zoneHash, height: 812_345, time: now - 47 * minute },
  zoneEventIndex: '3',
  from: `0x${'11'.repeat(20)}`,
  to: `0x${'22'.repeat(20)}`,
  sourceAddress: `0x${'11'.repeat(20)}`,
  targetAddress: `0x${'33'.repeat(20)}`,
  token: {
    address: `0x${'ab'.repeat(20)}`,
    symbol: 'USDC',
    name: 'USD Coin',
    type: 'ERC20',
    id: '',
    decimals: 6,
  },
  amountRaw: (1n << 255n) + 1n,
  amount: '57896044618658097711785492504343953926634992332820282019728792003956564.819969',
  recordDecimals: 6,
  batchDetail: null,
  updateTime: now - 46 * minute,
  originAt: now - 47 * minute,
  destinationAt: null,
  firstSeenAt: now - 46 * minute,
  changedAt: now - 40 * minute,
  readAt: now - 4_000,
  evidence: [
    {
      chain: 'zone',
      source: 'E9',
      hash: zoneHash,
      moves: null,
      at: now - 45 * minute,
      status: 'success',
      errorMessage: '',
    },
  ],
  rewrites: [],
  originProof: 'unverified',
  ambiguous: 0,
  isListed: true,
}

export const observation = toRecord({
  requestedAt: now - 46 * minute,
  id: '9001',
  status: 'unknown',
  mainHash: null,
  mainHeight: null,
  mainTime: null,
  zoneHash,
  zoneHeight: 812_345,
  zoneTime: now - 47 * minute,
  from: transfer.from,
  to: transfer.to,
  sourceAddress: transfer.sourceAddress,
  targetAddress: transfer.targetAddress,
  value: null,
  amountRaw: transfer.amountRaw,
  token: transfer.token.address,
})

export const stalled: AlertView = {
  id: 'a1b2c3',
  rule: 'withdrawal-stalled',
  kind: 'transfer.stalled',
  severity: 'warning',
  state: 'firing',
  title: `Withdrawal t42, zone transaction ${zoneHash}, no main transaction`,
  summary: '1500.25 USDC has waited 47m',
  since: now - 17 * minute,
  leadMs: 0,
  foundAt: now - 17 * minute,
  toldAt: now - 16 * minute,
  resolvedAt: null,
  endedBadly: false,
  untold: null,
  transferKey: 't42',
  facts: { waitedMs: 47 * minute },
  evidence: [],
  runbook: 'https://runbooks.example.com/stalled',
  told: [
    { channel: 'ops-slack', at: now - 16 * minute },
    { channel: 'ops-email', at: null },
  ],
  labels: { rule: 'withdrawal-stalled', kind: 'transfer.stalled', severity: 'warning', symbol: 'USDC' },
  ack: null,
  silence: null,
  case: null,
}

/** What both alerts are part of. */
export const theft: CaseStory = {
  id: 'c42',
  state: 'open',
  severity: 'critical',
  title: 'Withdrawal of 9,750,000.5 USDC without an origin',
  money: [{ token: `0x${'ab'.repeat(20)}`, symbol: 'USDC', amount: '9750000.5', usd: '9750000.50' }],
  members: 3,
  openedAt: now - 47 * minute,
  closedAt: null,
  assignee: null,
  by: null,
  byAt: null,
  reason: null,
  transferKey: 't42',
  turn: 1,
  turnAt: now - 47 * minute,
  changedAt: now - 40 * minute,
  comesBack: null,
  remedy: 'Stop the operator, then see who signed it',
  runbook: 'https://runbooks.example.com/unbacked',
  kind: 'transfer.unbacked',
  fields: [{ label: 'Amount', value: '9,750,000.5 USDC', href: null, place: 'fact' }],
  findings: [{ ...stalled, atRisk: null }],
  timeline: [
    { at: now - 47 * minute, what: 'opened', by: null, text: 'transfer.unbacked: zone transaction' },
    { at: now - 40 * minute, what: 'noted', by: 'ana', text: 'called the operator' },
  ],
  told: [{ channel: 'ops-slack', at: now - 47 * minute }],
  escalations: [{ dueAt: now + 3 * minute, route: 'routes[0]', channels: ['pager'] }],
  endsAt: null,
}

/** An alert with all that is kept of it. */
export function toStory(alert: AlertView): AlertStory {
  return {
    ...alert,
    remedy: 'Ask the relayer why it does not pay',
    fields: [
      { label: 'Amount', value: '1,500.25 USDC', href: null, place: 'fact' },
      { label: 'Age', value: '47 min, usually 4 min', href: null, place: 'fact' },
      {
        label: 'Zone transaction',
        value: zoneHash,
        href: `https://zone.example.com/tx/${zoneHash}`,
        place: 'hash',
      },
      { label: 'Token', value: `USDC 0x${'ab'.repeat(20)}`, href: null, place: 'detail' },
      { label: 'Direction', value: 'ZoneToMain', href: null, place: 'said' },
    ],
    subject: alert.transferKey ?? alert.rule,
    episode: 1,
    firedAt: alert.since,
    heldFor: [],
    messages: [
      {
        item: 17,
        channel: 'ops-slack',
        what: 'firing',
        state: 'sent',
        message: 'f3a9c1',
        queuedAt: alert.since,
        sentAt: alert.since + 800,
      },
    ],
    decisions: [
      { at: alert.since, what: 'firing', reason: 'no destination leg after 30m' },
      { at: alert.since, what: 'told', reason: 'to ops-slack' },
    ],
  }
}

export const failed: AlertView = {
  ...stalled,
  id: 'd4e5f6',
  rule: 'transfer-failed',
  kind: 'transfer.failed',
  severity: 'critical',
  state: 'delivered',
  title: `Deposit t40, main transaction ${mainHash}`,
  summary: 'A deposit of 12 ETH failed on the zone',
  since: now - 3 * 60 * minute,
  foundAt: now - 3 * 60 * minute,
  toldAt: now - 3 * 60 * minute,
  transferKey: 't40',
  told: [{ channel: 'ops-slack', at: now - 3 * 60 * minute }],
}

/** Everything was looked at and nothing is wrong. */
export const quiet: StatusFacts = {
  now,
  startedAt: now - 26 * 60 * minute,
  version: '0.1.0',
  heads: [
    {
      chain: 'main',
      height: 21_400_123,
      blockTime: now - 3_000,
      advancedAt: now - 2_000,
      readAt: now - 2_000,
    },
    { chain: 'zone', height: 812_999, blockTime: now - 2_000, advancedAt: now - 2_000, readAt: now - 2_000 },
  ],
  sources: [
    {
      source: 'explorer',
      host: 'explorer.example.com',
      startedAt: now - 26 * 60 * minute,
      endpoints: ['E3', 'E5', 'E9', 'E12'].map((endpoint) => ({
        endpoint,
        firstAskedAt: now - 26 * 60 * minute,
        lastGoodAt: now - 4_000,
        lastFailureAt: null,
        lastFailure: null,
        failingSince: null,
        ownFailures: 0,
        isThrottling: false,
        backAt: null,
        intervalMs: 5_000,
      })),
      backAt: null,
      rejected: null,
    },
  ],
  pollers: (
    [
      ['transfers', 5_000],
      ['openTransfers', 10_000],
      ['heads', 10_000],
    ] as const
  ).map(([poller, intervalMs]) => ({
    poller,
    intervalMs,
    startedAt: now - 26 * 60 * minute,
    lastSuccessAt: now - 3_000,
    lastError: null,
  })),
  coverage: [{ source: 'explorer', lastGoodAt: now - 4_000, staleAfterMs: 15_000 }],
  cases: [],
  moneyAtRisk: {},
  handledCases: [],
  caseCounts: [],
  openAlerts: [],
  openAlertCount: 0,
  deadMessages: 0,
  silences: [],
  preconf: {
    pendingAgeMs: 400,
    latestAgeMs: 1_400,
    gap: 0,
    held: 12,
    missedTicks: 0,
    outcomes: { kept: 301, moved: 0, flipped: 0, dropped: 0, unknown: 0 },
    hitRate: 0.9991,
    meanLeadMs: 512,
  },
  escrows: [
    {
      token: { address: `0x${'ab'.repeat(20)}`, symbol: 'USDC', name: '', decimals: 6 },
      holds: '1200000.5',
      owes: '1199000.25',
      inTransit: '0',
      at: now - 20_000,
      isHeld: true,
      accounts: {
        claims: '1190000',
        toZone: '8000.25',
        toMain: '1000',
        fees: '0',
        open: '0',
        unexplained: '1000.25',
      },
    },
    {
      token: { address: `0x${'cd'.repeat(20)}`, symbol: null, name: '', decimals: null },
      holds: null,
      owes: null,
      inTransit: null,
      at: null,
      isHeld: true,
      accounts: null,
    },
  ],
  recentEvents: [],
  inFlight: [
    {
      direction: 'MainToZone',
      buckets: toBuckets([4, 1, 0, 0]),
      oldestAt: now - 3 * minute,
      normal: null,
      late: null,
    },
    {
      direction: 'ZoneToMain',
      buckets: toBuckets([7, 3, 1, 0]),
      oldestAt: now - 47 * minute,
      normal: { samples: 5_210, p50: 4 * minute, p95: 9 * minute, p99: 14 * minute },
      late: 1,
    },
  ],
  totals: { pending: 16, completed: 18_230, failed: 0, unbacked: 0 },
  channels: [
    {
      channel: 'ops-slack',
      queued: 0,
      oldestAt: null,
      circuit: 'closed',
      lastAckAt: now - 16 * minute,
      lastError: null,
      refused: [],
    },
    {
      channel: 'ops-email',
      queued: 0,
      oldestAt: null,
      circuit: 'closed',
      lastAckAt: null,
      lastError: null,
      refused: [],
    },
  ],
  quarantined: 0,
  probes: [
    {
      address: `0x${'ab'.repeat(20)}`,
      direction: 'ZoneToMain',
      everyMs: 60 * minute,
      since: now - 26 * 60 * minute,
      last: { key: 't40', leftAt: now - 20 * minute, arrivedAt: now - 16 * minute, latencyMs: 4 * minute },
      open: null,
      day: { count: 24, p50: 4 * minute, p95: 6 * minute, most: 7 * minute },
    },
  ],
  panels: [],
}

function toBuckets(counts: readonly number[]) {
  const ends = [2 * minute, 10 * minute, 60 * minute, null]
  return counts.map((count, index) => ({
    fromMs: ends[index - 1] ?? 0,
    toMs: ends[index] ?? null,
    count,
  }))
}

export interface FakeWeb {
  readonly deps: WebDeps
  readonly filters: TransferFilter[]
  readonly logged: string[]
  /** What it was asked to change. */
  readonly operated: string[]
  /** Who did each. */
  readonly actors: Actor[]
  status: StatusFacts
  stories: readonly TransferStory[]
  cases: readonly CaseStory[]
  next: string | null
  breaks: BreakList
  entries: readonly ShownEntry[]
  now: number
  change(): void
  readonly listeners: Set<() => void>
}

/** A monitor that does its work, with when its source answered and when its rules were evaluated. */
export function healthOf(of: {
  readonly lastGoodAt: number | null
  readonly evaluatedAt?: number | null
}): WebDeps['health'] {
  const { lastGoodAt, evaluatedAt = now } = of
  const [source] = quiet.sources
  if (!source) throw new Error('the quiet status has a source')
  const endpoints = source.endpoints.map((endpoint) => ({ ...endpoint, lastGoodAt }))
  const counts = { total: 1, failed: 0, missed: 0, lastAt: evaluatedAt, clockJumps: 0 }
  return {
    startedAt: quiet.startedAt,
    explorer: { health: () => ({ ...source, endpoints, clockAheadMs: null }) },
    evaluate: { counts: () => counts },
    pollers: () =>
      quiet.pollers.map((poller) => ({
        ...poller,
        failedAt: null,
        lastTickAt: now,
        failures: 0,
        runs: 1,
        errors: 0,
        missedTicks: 0,
      })),
    sending: { idleMs: () => 0 },
    voice: { isVoiceless: () => false },
  }
}

/** Writes down what it was asked to do. */
function createFakeOperations(operated: string[], actors: Actor[]): WebDeps['operations'] {
  const draft = {
    matchers: [],
    startsAt: 0,
    endsAt: 0,
    author: '',
    comment: '',
    createdAt: 0,
    transfer: null,
  }
  const silence = { ...draft, id: 3, expiredAt: null }
  return {
    ackAlert: (id, actor) => {
      const { by } = actor
      actors.push(actor)
      operated.push(`ack ${id} by ${by}`)
      if (id === 'none') throw new MonitorError('not_found', 'There is no alert none')
      return { id, rule: 'r', ackedBy: by, ackedAt: now }
    },
    changeCase: (command, actor) => {
      actors.push(actor)
      operated.push(`${command.do} ${command.id} ${command.text ?? ''}`)
      if (command.text?.startsWith('refuse')) throw new MonitorError('usage', 'expected a better reason')
      if (command.id !== 'c42') throw new MonitorError('not_found', 'There is no such case')
      return { ...theft, state: command.do === 'handle' ? 'handled' : theft.state }
    },
    addSilence: (input, actor) => (
      actors.push(actor), operated.push(`silence ${JSON.stringify(input)}`), silence
    ),
    previewSilence: (input) => {
      const { transfer } = input
      const matched = { count: 0, isAtLeast: false, critical: 0, rules: [], first: [], largest: [] }
      const kinds = [
        { kind: 'transfer.stalled', severity: 'critical', amount: '18250.75', token: '', symbol: 'USDC' },
      ] as const
      const made = transfer ? { key: transfer.name, untilOver: transfer.untilOver, kinds } : null
      return { silence: { ...draft, transfer: made }, now: matched, week: matched }
    },
    expireSilence: (id, actor) => (actors.push(actor), operated.push(`expire ${id}`), silence),
    retryOutbox: (id, actor) => (actors.push(actor), operated.push(`retry ${id}`), { count: 1 }),
    dropOutbox: (id, actor) => (actors.push(actor), operated.push(`drop ${id}`), { count: 1 }),
    matchBreaks: (input, actor) => {
      if (input.reason === '') throw new MonitorError('usage', 'expected a reason')
      actors.push(actor)
      operated.push(`match ${JSON.stringify(input)}`)
      return entry
    },
    writeOffBreak: (input, actor) => (
      actors.push(actor), operated.push(`write off ${JSON.stringify(input)}`), entry
    ),
    undoEntry: (input, actor) => (actors.push(actor), operated.push(`undo ${JSON.stringify(input)}`), entry),
    rewindCursors: (until, actor) => (actors.push(actor), operated.push(`rewind ${until}`), { until }),
  }
}

/** A state with two daily reports, one of them undelivered, and the silences of a status. */
function createState({ silences }: StatusFacts): Database {
  const db = openDatabase(':memory:')
  const store = createReportStore(db)
  for (const { id, ...silence } of silences) {
    const row = insertSilence(db, silence)
    db.prepare('UPDATE silences SET id = ? WHERE id = ?').run(id, row)
  }
  const before = { ...report.window, day: '2026-03-06' }
  store.queue({ ...report, window: before, builtAt: report.builtAt - 24 * 60 * minute }, now)
  store.settle(before.day, { state: 'dead', error: '550 no such mailbox' })
  store.queue(report, now)
  store.settle(report.window.day, { state: 'sent', at: report.builtAt + 900 })
  return db
}

/** The token's escrow lacked something for a minute; one payout of it is explained and one movement is not. */
function addEscrow(db: Database): void {
  noteEscrowToken(db, usdc, 'ERC20')
  startOwed(db, usdc, { height: 100, time: now - 60 * minute }, 1_000_000_000n)
  for (let n = 9; n >= 0; n -= 1) {
    const judged = {
      owed: 999_000_000n,
      holdings: n === 4 ? 998_000_000n : 1_200_000_000n,
      openOut: 0n,
      height: 200 - n,
      at: now - n * minute,
    }
    saveOwedJudgement(db, usdc, judged)
    noteCourse(db, usdc, judged)
  }
  const anchor = { height: 200, balance: 1_200_000_000n, readAt: now - minute, misses: 0, missedAt: null }
  saveAnchor(db, `0x${'ee'.repeat(20)}`, usdc, anchor)
  const nets = { [mainHash]: '-1500.25', [`0x${'d4'.repeat(32)}`]: '-40.5', [`0x${'d5'.repeat(32)}`]: '75' }
  for (const [hash, text] of Object.entries(nets)) {
    const net = toDecimal(text) ?? noAmount
    const of = { escrow: `0x${'ee'.repeat(20)}`, token: usdc, hash, height: 150, at: now - 30 * minute }
    const flow = { ...of, net, outward: negate(net), party: `0x${'33'.repeat(20)}`, gross: [] }
    saveFlows(db, [flow], now, now)
  }
  db.prepare(
    "UPDATE escrow_flows SET verdict = 'unexplained', unexplained = '40.5', reason = 'no transfer names it' WHERE net = '-40.5'",
  ).run()
}

const usdc = `0x${'ab'.repeat(20)}`
const watchedEscrows = {
  tokens: [{ address: usdc, symbol: 'USDC', decimals: 6 }],
  hasNode: true,
}

// One thread for all: each loads the library of charts anew.
const charts = createChartDrawer()

/** A monitor made of what a test says. */
export function createFakeWeb(
  given: Partial<Pick<FakeWeb, 'status' | 'stories' | 'cases'> & Pick<WebDeps, 'health'>> = {},
): FakeWeb {
  const { health = healthOf({ lastGoodAt: now - 4_000 }), ...parts } = given
  const listeners = new Set<() => void>()
  const filters: TransferFilter[] = []
  const logged: string[] = []
  const operated: string[] = []
  const actors: Actor[] = []
  const log = (fields: object, text?: string) => {
    logged.push(text === undefined ? JSON.stringify(fields) : `${text} ${JSON.stringify(fields)}`)
  }
  const clock: Clock = {
    now: () => fake.now,
    monotonicMs: () => fake.now,
    sleep: (ms, signal) => sleepShort(ms, signal),
  }
  const db = createState(parts.status ?? quiet)
  addEscrow(db)
  const fake: FakeWeb = {
    status: quiet,
    stories: [
      { transfer, standing: null, observations: [observation], alerts: [toStory(stalled)], givenBack: [] },
    ],
    cases: [theft],
    ...parts,
    next: null,
    breaks: { breaks: [openBreak], total: 1, sums: [], isCut: false },
    entries: [entry],
    now,
    filters,
    logged,
    operated,
    actors,
    listeners,
    change: () => listeners.forEach((listener) => listener()),
    deps: {
      clock,
      log: { error: log, warn: log, info: log },
      accesses: new Map(),
      charts,
      registry: new Registry(),
      links: { main: null, zone: 'https://zone.example.com/tx/{hash}' },
      db,
      escrows: {
        db,
        ledger: { listTransfers: ({ hash }) => (hash === mainHash ? [transfer] : []) },
        ...watchedEscrows,
      },
      readStatus: () => ({ ...fake.status, verdict: judgeVerdict(fake.status) }),
      listTransfers: (filter) => {
        filters.push(filter)
        return { transfers: fake.stories.map((story) => story.transfer), next: fake.next }
      },
      showTransfer: (key) =>
        fake.stories.filter((story) => [story.transfer.key, story.transfer.zone?.hash].includes(key)),
      askGate: (name, asked) =>
        toGateView({
          ...clearFacts,
          name,
          asked,
          transfers: fake.stories
            .filter((story) => [story.transfer.key, story.transfer.zone?.hash].includes(name))
            .map((story) => ({ ...knownTransfer, transfer: story.transfer })),
        }),
      listAlerts: ({ nature, text, case: caseId, limit = 500, offset = 0 }) => {
        const page = (list: readonly AlertView[]) => list.slice(offset, offset + limit)
        if (caseId !== undefined) return page(fake.cases.find(({ id }) => id === caseId)?.findings ?? [])
        if (text !== undefined) return fake.stories.length > 0 && text === stalled.id ? [stalled] : []
        return page(nature === 'event' ? fake.status.recentEvents : fake.status.openAlerts)
      },
      showAlert: (id) => {
        const found = [stalled, failed, ...fake.status.openAlerts].find(
          (alert) => alert.id === id.replace('#', ''),
        )
        if (!found) throw new MonitorError('not_found', `There is no alert ${id}`)
        return toStory({ ...found, ...fake.status.openAlerts.find((alert) => alert.id === found.id) })
      },
      listCases: ({ state }) =>
        fake.cases
          .filter(
            (one) => state === 'all' || one.state === state || (state === 'live' && one.state !== 'closed'),
          )
          .map((story) => caseView.parse(story)),
      showCase: (id) => {
        const found = fake.cases.find((one) => one.id === id || (id === 'c43' && one.id === 'c42'))
        if (!found) throw new MonitorError('not_found', `There is no case ${id}`)
        return found
      },
      series: { now: { value: series, at: Infinity }, lifeMs: 0 },
      readRules: () => ({
        rules,
        unwatched: [
          { setting: 'preconf', what: 'preconfirmations', write: 'preconf: { url: … }', kinds: [] },
        ],
      }),
      dailyReport: { cron: '0 8 * * *', timezone: 'UTC', channel: 'ops-email' },
      listOutbox: (state) => outbox.filter((item) => item.state === state),
      readBreaks: async (query) => ({ page: query && toPageOf(query, fake.breaks), entries: fake.entries }),
      operations: createFakeOperations(operated, actors),
      listeners,
      replica: null,
      health,
      loopLag: { read: () => 0 },
    },
  }
  return fake
}

/** A hundredth of the time, so that a test of the event stream ends soon. */
function sleepShort(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const timer = setTimeout(resolve, ms / 100)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
