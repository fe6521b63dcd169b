import { kinds } from '../../src/checks/index.ts'
import { setImmediate, setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { type AlertSettings, createAlertEngine } from '../../src/alerts/alertEngine.ts'
import { type Dispatcher, startDispatcher } from '../../src/delivery/dispatcher.ts'
import type { Finding } from '../../src/bridge/finding.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { Secret } from '../../src/lib/secret.ts'
import {
  type ChannelConfig,
  type ChannelDeps,
  createChannel,
} from '../../src/delivery/channels/createChannel.ts'
import type { Channel, DeliveryResult } from '../../src/delivery/channels/message.ts'
import type { LoadedRule } from '../../src/rules/types.ts'
import { createAlertStore } from '../../src/alerts/store/alertStore.ts'
import { openDatabase } from '../../src/store/database.ts'
import { createEvent, createRoute, createRule, start } from '../unit/alerts/harness.ts'

/** One attempt at one channel: when it began, by the bench's clock, and what came of it. */
export interface Attempt {
  readonly channel: string
  readonly afterMs: number
  readonly result: DeliveryResult
  readonly total: number
  readonly id: string
  readonly attempt: number
}

export interface WireOptions extends Partial<Pick<AlertSettings, 'routes' | 'fallback'>> {
  readonly channels: readonly ChannelConfig[]
  readonly deps?: Partial<ChannelDeps>
  readonly rules?: readonly LoadedRule[]
  readonly random?: () => number
}

/**
 * Engine, outbox and real channels over real sockets, on a clock that stands still while anything is being sent: hours
 * of retries pass at once and their times can be told to the millisecond.
 */
export function createWireBench(options: WireOptions) {
  const database = openDatabase(':memory:')
  const store = createAlertStore(database)
  const log: string[] = []
  const logger = createLog({ write: (line) => void log.push(line) })
  let dispatcher: Dispatcher | null = null
  const clock = createHaltingClock(() => (dispatcher?.inFlight() ?? 0) > 0)
  const attempts: Attempt[] = []
  const channels = options.channels.map((config) => {
    const deps = { clock, write: () => {}, color: false, timeoutMs: 5_000, ...options.deps }
    return observe(createChannel(deps, config), attempts, clock)
  })
  const rules = options.rules ?? []
  const settings: AlertSettings = {
    routes: options.routes ?? [createRoute({ channels: channels.slice(0, 1).map(({ name }) => name) })],
    inhibit: [],
    channels,
    fallback: options.fallback ?? null,
  }
  const engine = createAlertEngine({ store, log: logger, settings, live: { rules }, kinds })
  dispatcher = startDispatcher({
    store,
    engine,
    log: logger,
    clock,
    channels,
    fallback: options.fallback ?? null,
    random: options.random ?? (() => 0.5),
    live: { rules },
    kinds,
    pageUrl: null,
    links: { main: null, zone: null },
  })
  const running = dispatcher
  onTestFinished(async () => {
    await Promise.all([running.stop(), clock.release()])
    for (const channel of channels) await channel.close()
    database.close()
  })
  const commit = (change: (now: number) => void) => {
    database.transaction(() => change(clock.now()))
    running.wake()
  }
  return {
    clock,
    store,
    engine,
    database,
    log,
    attempts,
    commit,
    /** Attempts at one channel. */
    at: (channel: string) => attempts.filter((attempt) => attempt.channel === channel),
    /** Tells event number `n` by a critical rule, and lets what follows at once happen. */
    async tell(n: number, rule: Partial<LoadedRule> = {}, finding: Finding = createEvent(n)) {
      commit((now) =>
        engine.tellEvents([{ rule: createRule({ severity: 'critical', ...rule }), finding }], now),
      )
      await clock.advance(0)
    },
    advance: (ms: number) => clock.advance(ms),
  }
}

export const slackTo = (url: string, name = 'ops'): ChannelConfig => ({
  name,
  type: 'slack',
  url: new Secret(url),
})

function observe(channel: Channel, attempts: Attempt[], clock: Clock): Channel {
  return {
    ...channel,
    async deliver(message, options) {
      const afterMs = clock.now() - start
      const result = await channel.deliver(message, options)
      const { id, attempt, total } = message
      attempts.push({ channel: channel.name, afterMs, result, total, id, attempt })
      return result
    },
  }
}

interface Timer {
  readonly at: number
  done(): void
}

function createHaltingClock(isBusy: () => boolean) {
  let mono = 0
  let isReleased = false
  const timers = new Set<Timer>()
  const quiet = async () => {
    for (let calm = 0; calm < 6; calm += 1) {
      await setImmediate()
      if (!isBusy()) continue
      await pause(1)
      calm = -1
    }
  }
  return {
    now: () => start + Math.floor(mono),
    monotonicMs: () => mono,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted || isReleased) return resolve()
        const timer = { at: mono + ms, done }
        function done() {
          timers.delete(timer)
          resolve()
        }
        signal?.addEventListener('abort', done, { once: true })
        timers.add(timer)
      }),
    async advance(ms: number) {
      const end = mono + ms
      for (;;) {
        await quiet()
        const next = [...timers].sort((a, b) => a.at - b.at)[0]
        if (!next || next.at > end) break
        mono = Math.max(mono, next.at)
        next.done()
      }
      mono = end
      await quiet()
    },
    /** Ends every sleep, now and later. */
    async release() {
      isReleased = true
      for (const timer of timers) timer.done()
      await setImmediate()
    },
  }
}
