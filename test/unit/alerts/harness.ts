import { setImmediate } from 'node:timers/promises'
import { createAlertEngine, type AlertSettings } from '../../../src/alerts/alertEngine.ts'
import { startDispatcher } from '../../../src/delivery/dispatcher.ts'
import { defaultRoute, type Route } from '../../../src/alerts/routing.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import { kinds } from '../../../src/checks/index.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import type {
  Channel,
  DeliveryOptions,
  DeliveryResult,
  Message,
} from '../../../src/delivery/channels/message.ts'
import type { LoadedRule } from '../../../src/rules/types.ts'
import { createAlertStore } from '../../../src/alerts/store/alertStore.ts'
import type { Actor } from '../../../src/store/actor.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'

export const start = 1_790_000_000_000

/** Who changes something in these tests. */
export const ana: Actor = { by: 'ana', from: { via: 'cli', address: null, role: null, session: null } }

export interface ManualClock extends Clock {
  /** Moves time from timer to timer, letting what each wakes run to its next wait. */
  advance(ms: number): Promise<void>
  /** Moves time at once, as a machine that sleeps: whose timer came meanwhile wakes once, at its end. */
  leap(ms: number): Promise<void>
  /** The wall alone. */
  step(ms: number): void
}

function createManualClock(): ManualClock {
  let mono = 0
  let offset = start
  const timers = new Set<{ at: number; done: () => void }>()
  async function advance(ms: number): Promise<void> {
    const end = mono + ms
    await settle()
    for (;;) {
      const next = [...timers].sort((a, b) => a.at - b.at)[0]
      if (!next || next.at > end) break
      mono = Math.max(mono, next.at)
      next.done()
      await settle()
    }
    mono = end
    await settle()
  }
  return {
    now: () => Math.floor(mono + offset),
    monotonicMs: () => mono,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const timer = { at: mono + ms, done }
        function done() {
          timers.delete(timer)
          resolve()
        }
        signal?.addEventListener('abort', done, { once: true })
        timers.add(timer)
      }),
    advance,
    leap(ms) {
      mono += ms
      return advance(0)
    },
    step: (ms) => {
      offset += ms
    },
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await setImmediate()
}

function toDetector(kind: string): LoadedRule['detector'] {
  const detector = kinds.find(kind)
  if (detector === null) throw new Error(`no kind ${kind}`)
  return detector
}

export function createRule(overrides: Partial<LoadedRule> = {}): LoadedRule {
  const { kind = 'transfer.failed', params = {} } = overrides
  return {
    name: 'failed',
    kind,
    detector: toDetector(kind),
    params,
    asks: JSON.stringify(params),
    forMs: 0,
    keepFiringForMs: 0,
    severity: 'warning',
    labels: {},
    runbook: null,
    matches: () => true,
    isExcused: () => false,
    summarize: () => null,
    origin: 'rules/test.yaml:1',
    ...overrides,
  }
}

/** What the tests' silences may ask for. */
export const vocabulary = {
  rules: ['failed', 'urgent', 'other', 'a', 'b'].map((name) =>
    createRule({ name, labels: { team: 'bridge' } }),
  ),
  channels: ['ops'],
}

const hashOf = (seed: string, n: number) => `0x${seed}${String(n).padStart(64 - seed.length, '0')}`

export function createTransfer(n: number, overrides: Partial<Transfer> = {}): Transfer {
  return {
    key: `t${n}`,
    id: String(n),
    direction: 'ZoneToMain',
    crossType: 'Withdraw',
    state: 'failed',
    status: 'failed',
    confirmedStatus: 'failed',
    firstStatus: 'failed',
    main: null,
    zone: { chain: 'zone', hash: hashOf('2', n), height: 7, time: start - 60_000 },
    zoneEventIndex: null,
    from: '',
    to: '',
    sourceAddress: `0x${'a'.repeat(40)}`,
    targetAddress: `0x${'b'.repeat(40)}`,
    token: {
      address: `0x${'c'.repeat(40)}`,
      symbol: 'USDC',
      name: 'USD Coin',
      type: 'ERC20',
      id: '',
      decimals: 6,
    },
    amountRaw: BigInt(n) * 1_000_000n,
    amount: String(n),
    recordDecimals: 6,
    batchDetail: null,
    updateTime: null,
    originAt: start - 60_000,
    destinationAt: null,
    firstSeenAt: start,
    changedAt: start,
    readAt: start,
    evidence: [],
    originProof: 'unverified',
    rewrites: [],
    ambiguous: 0,
    isListed: true,
    ...overrides,
  }
}

/** An event about transfer `n`. */
export function createEvent(n: number, transfer: Partial<Transfer> = {}): Finding {
  const about = createTransfer(n, transfer)
  return {
    kind: 'transfer.failed',
    subject: about.key,
    title: `main ${about.main?.hash ?? 'none'} zone ${about.zone?.hash ?? 'none'}`,
    transfer: about,
    facts: {},
    labels: { token: about.token.address, symbol: 'USDC', direction: about.direction },
    evidence: [],
    since: about.originAt,
  }
}

/** An event of a kind each of which is a case of its own, however many there are. */
export function createLoneEvent(n: number, transfer: Partial<Transfer> = {}): Finding {
  return { ...createEvent(n, transfer), kind: 'transfer.rewritten' }
}

export function createCondition(subject: string, overrides: Partial<Finding> = {}): Finding {
  return {
    kind: 'chain.stalled',
    subject,
    title: `the ${subject} head stands at 100`,
    transfer: null,
    facts: { height: 100 },
    labels: { chain: subject },
    evidence: [],
    since: start,
    ...overrides,
  }
}

export interface FakeChannel extends Channel {
  readonly sent: Message[]
  readonly options: DeliveryOptions[]
  /** Answers in turn; the last one stays. A promise is a slow answer. */
  answers: (DeliveryResult | Promise<DeliveryResult>)[]
}

export function createFakeChannel(name: string, type: Channel['type'] = 'webhook'): FakeChannel {
  const sent: Message[] = []
  const options: DeliveryOptions[] = []
  const channel: FakeChannel = {
    name,
    type,
    sent,
    options,
    answers: [{ result: 'ack' }],
    async deliver(message, given) {
      sent.push(message)
      options.push(given)
      const answer = channel.answers.length > 1 ? channel.answers.shift() : channel.answers[0]
      return (await answer) ?? { result: 'ack' }
    },
    close: async () => {},
  }
  return channel
}

export function createRoute(overrides: Partial<Route> = {}): Route {
  return { ...defaultRoute(['ops']), id: 'r1', ...overrides }
}

export interface BenchOptions extends Partial<AlertSettings> {
  readonly database?: Database
  readonly rules?: readonly LoadedRule[]
  readonly clock?: ManualClock
  readonly fakes?: readonly FakeChannel[]
}

/** Engine, store and dispatcher over fakes, on a clock that is moved by hand. */
export function createBench(options: BenchOptions = {}) {
  const { database = openDatabase(':memory:'), rules = [], clock = createManualClock() } = options
  const fakes = options.fakes ?? [createFakeChannel('ops')]
  const store = createAlertStore(database)
  const settings: AlertSettings = { routes: [], inhibit: [], channels: fakes, ...options }
  const log = createSilentLog()
  const engine = createAlertEngine({ store, log, settings, live: { rules }, kinds })
  const startSending = (getTransfer?: (key: string) => Transfer | null) =>
    startDispatcher({
      ...(getTransfer && { ledger: { getTransfer } }),
      store,
      engine,
      log,
      clock,
      channels: fakes,
      fallback: options.fallback ?? null,
      random: () => 0.5,
      live: { rules },
      kinds,
      pageUrl: null,
      links: { main: null, zone: null },
    })
  return { database, clock, store, engine, startSending, fakes, ops: fakes[0] as FakeChannel }
}

/** What a label or a subject may hold, from a chain or an answer. */
export const hostileLabels = [
  'line\nbreak',
  'quote " and \\ backslash',
  'NUL \u0000 inside',
  'x'.repeat(10_240),
  '👩‍👩‍👧‍👦',
  'lone \ud83d surrogate',
  '',
]
