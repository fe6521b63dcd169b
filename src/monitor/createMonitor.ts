import type { Clock, UnixMs } from '../lib/clock.ts'
import { type CorrectedClock, createCorrectedClock } from '../lib/correctedClock.ts'
import type { Logger } from '../lib/log.ts'
import { createTimings, type Timings } from '../lib/timings.ts'
import type { ChannelConfig } from '../delivery/channels/createChannel.ts'
import type { LoadedRule } from '../rules/types.ts'
import { openState, type State } from '../store/openState.ts'
import type { AppConfig } from '../kernel/settings.ts'
import { createBase } from './openKernel.ts'
import { createJudging, tellFinding } from './judging.ts'
import { createWatching } from './watching.ts'
import { toRecovered } from '../checks/monitor/ownFindings.ts'
import { readLiveness } from '../checks/monitor/liveness.ts'
import { historySince } from './startTimes.ts'

export interface AppDeps {
  readonly clock: Clock
  readonly log: Logger
  /** The console channel's sink. */
  readonly write: (text: string) => void
  readonly random: () => number
  /** A channel's settings as they are on disk now, for secrets that are replaced there. */
  readonly rereadChannel?: (name: string) => ChannelConfig | null
}

/** The same with the clock that everything inside goes by. */
export interface PartDeps extends AppDeps {
  readonly clock: CorrectedClock
}

export interface AppOptions {
  readonly config: AppConfig
  readonly rules: readonly LoadedRule[]
  readonly version: string
  /** Sets the present state aside and begins anew. */
  readonly resetState?: boolean
}

export interface App {
  readonly parts: AppParts
  start(): Promise<void>
  /** A new set of rules, whole; or why the newest edit was refused, which keeps the old ones. */
  setRules(loaded: { readonly rules: readonly LoadedRule[] } | { readonly problems: readonly string[] }): void
  stop(): Promise<void>
}

export type AppParts = ReturnType<typeof createParts>

/**
 * The whole monitor, put together: configuration in, something that starts and stops out. Takes the state folder at
 * once, before anything is asked or sent.
 * @throws MonitorError `state.locked`, `state.invalid`, `config.invalid`
 */
export function createApp(given: AppDeps, options: AppOptions): App {
  const { config } = options
  const deps = { ...given, clock: createCorrectedClock(given.clock) }
  const now = deps.clock.now()
  const timings = createTimings(deps.clock)
  const state = openState({
    folder: config.stateDir,
    since: historySince(config, now),
    now,
    reset: options.resetState ?? false,
    timing: { clock: deps.clock, commit: (seconds) => timings.commit(seconds) },
  })
  try {
    const parts = createParts(deps, options, { state, timings }, now)
    return toApp(deps, parts, state)
  } catch (error) {
    state.close()
    throw error
  }
}

function createParts(
  deps: PartDeps,
  options: AppOptions,
  of: { readonly state: State; readonly timings: Timings },
  startedAt: UnixMs,
) {
  const base = createBase(deps, options, of, startedAt)
  // The heartbeat is one of the pollers and says how the judging goes, which comes after them.
  const isAlive = () =>
    readLiveness(
      { ...base, evaluate: judging.evaluate, pollers: () => watching.runner.status(), voice: watching.voice },
      deps.clock.now(),
      0,
    ).ok
  const watching = createWatching(deps, base, isAlive)
  const judging = createJudging(deps, base, watching)
  return { ...base, ...watching, ...judging }
}

function toApp(deps: AppDeps, parts: AppParts, state: State): App {
  let stopping: Promise<void> | null = null
  return {
    parts,
    async start() {
      const now = deps.clock.now()
      parts.db.transaction(() => {
        parts.engine.start(now)
        if (state.recovered !== null)
          tellFinding(parts.engine, parts.live.rules, toRecovered(state.recovered, now), now)
      })
      parts.sending.start()
      // Whatever the last run left unread lies between the newest complete reading and now.
      const { tail } = parts.cursors.read()
      if (!state.isFirstStart && tail.completeAt !== null) parts.pollers.reopenHistory()
      parts.runner.start()
      parts.preconf.start()
      parts.evaluate.start()
    },
    setRules(loaded) {
      if ('rules' in loaded) {
        parts.live.rules = loaded.rules
        parts.live.rejected = null
      } else parts.live.rejected = { at: deps.clock.now(), problems: loaded.problems }
      parts.evaluate.wake()
    },
    stop() {
      stopping ??= stop(deps, parts, state)
      return stopping
    },
  }
}

/** In the reverse order of the data: no new readings, then no new judgements, then the messages under way. */
async function stop({ log }: AppDeps, parts: AppParts, state: State): Promise<void> {
  await Promise.all([parts.runner.stop(), parts.preconf.stop()])
  await parts.evaluate.stop()
  await parts.sending.stop()
  await parts.explorer.close()
  await parts.rpcs.preconf?.close()
  await parts.rpcs.canonical?.close()
  const waiting = parts.alerts.listDepths().reduce((sum, { queued }) => sum + queued, 0)
  if (waiting > 0) log.warn({ waiting }, 'messages are not delivered yet: they are sent after the next start')
  state.close()
}
