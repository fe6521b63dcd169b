import type { UnixMs } from '../lib/clock.ts'
import { toCorrectedClock } from '../lib/correctedClock.ts'
import { createTimings, type Timings } from '../lib/timings.ts'
import type { LoadedRule } from '../rules/types.ts'
import { commitOnFullDisk, openState, toFull } from '../store/openState.ts'
import type { State } from '../store/state.ts'
import { learnNames } from '../store/names.ts'
import { checks } from '../checks/index.ts'
import { toRecovered } from '../checks/monitor/stateRecovered.ts'
import type { Check } from '../kernel/check.ts'
import { tellFinding } from '../kernel/evaluate.ts'
import { createCaseActions } from './caseActions.ts'
import { assertOwner, claimLedger } from './claimLedger.ts'
import { createJudging } from './judging.ts'
import { readLiveness } from './liveness.ts'
import { openKernel } from './openKernel.ts'
import type { AppDeps, AppOptions, PartDeps, Replica } from './options.ts'
import { historySince } from './startTimes.ts'
import { createVoice } from './voice.ts'
import { createWatching } from './watching.ts'

export interface App {
  readonly parts: AppParts
  /** Aborted with a DamagedLedger: there is nothing left to stand on. */
  readonly damage: AbortSignal
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
  const deps = { ...given, clock: toCorrectedClock(given.clock) }
  const now = deps.clock.now()
  const timings = createTimings(deps.clock)
  const state = openState({
    folder: config.stateDir,
    since: historySince(config, now),
    now,
    reset: options.resetState ?? false,
    ...(options.replica && { replica: options.replica.role }),
    timing: { clock: deps.clock, commit: (seconds) => timings.commit(seconds) },
  })
  try {
    if (options.replica?.role.role === 'follower') assertOwner(state.db, config)
    else claim(deps, state, options)
    const parts = createParts(deps, options, { state, timings, startedAt: now })
    return toApp(deps, { parts, state, replica: options.replica ?? null })
  } catch (error) {
    state.close()
    throw toFull(config.stateDir, error)
  }
}

/** Says in the ledger which bridge it is of, and names what its rows are going to name. */
function claim({ log }: PartDeps, { db }: State, { config, adoptState = false }: AppOptions): void {
  const { moved } = claimLedger(db, config, adoptState)
  const { contracts, escrows, tokens } = config.bridge
  const addresses = [...contracts, ...[...escrows, ...tokens].map(({ address }) => address)]
  db.transaction(() => learnNames(db, [...addresses, ...tokens.flatMap((token) => token.zoneAddress ?? [])]))
  if (moved !== null) log.warn(`${moved}; it is taken for the same bridge`)
}

/** The kernel is opened, then each check on it; then what asks, and what judges. */
function createParts(
  deps: PartDeps,
  options: AppOptions,
  of: { readonly state: State; readonly timings: Timings; readonly startedAt: UnixMs },
) {
  const kernel = openKernel(deps, options, of, (poller) => watching.runner.trigger(poller))
  const opened = new Map(checks.map((check) => [check.name, check.open(kernel)]))
  kernel.hooks.push(...opened.values())
  const voice = createVoice(kernel)
  // The heartbeat is one of the pollers and says how the judging goes, which comes after them.
  const isAlive = () =>
    readLiveness(
      { ...kernel, evaluate: judging.evaluate, pollers: () => watching.runner.status(), voice },
      deps.clock.now(),
      0,
    ).ok
  const watching = createWatching(kernel, [...opened.values()], { voice, isAlive })
  const judging = createJudging(kernel, [...opened.values()], watching)
  /** What one check brings to the snapshot of a tick. */
  const partOf = <Part extends object>(check: Check<Part>, now: UnixMs): Part =>
    // Opened by this very check.
    opened.get(check.name)?.facts(now) as Part
  return { ...kernel, ...watching, ...judging, opened, partOf, voice }
}

interface Opened {
  readonly parts: AppParts
  readonly state: State
  readonly replica: Replica | null
}

function toApp(deps: PartDeps, opened: Opened): App {
  const { parts, state } = opened
  let stopping: Promise<void> | null = null
  let isStarted = false
  return {
    parts,
    damage: state.damage,
    async start() {
      isStarted = true
      const now = deps.clock.now()
      if (state.warning !== null) deps.log.warn(state.warning)
      commitOnFullDisk(parts.db, () => {
        parts.engine.start(now)
        if (state.recovered !== null)
          tellFinding(parts.engine, parts.live.rules, toRecovered('cursors.json', state.recovered, now), now)
      })
      state.noteTold()
      parts.sending.start(createCaseActions({ operations: parts.operations, store: parts.alerts }))
      for (const check of parts.opened.values()) check.start?.()
      parts.runner.start()
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
      stopping ??= stop(deps, { ...opened, isStarted })
      return stopping
    },
  }
}

/** In the reverse order of the data: no new readings, then no new judgements, then the messages under way. */
async function stop(
  { log }: AppDeps,
  { parts, state, replica, isStarted }: Opened & { readonly isStarted: boolean },
): Promise<void> {
  try {
    // What never began, as on a follower, has nothing to save.
    if (isStarted) {
      await Promise.all([parts.runner.stop(), ...[...parts.opened.values()].map((check) => check.stop?.())])
      await parts.evaluate.stop()
    }
    await parts.sending.stop()
    await parts.explorer.close()
    await parts.rpcs.preconf?.close()
    await parts.rpcs.canonical?.close()
    await parts.rpcs.zoneRpc?.close()
    if (state.damage.aborted || !isStarted) return
    const waiting = parts.alerts.listDepths().reduce((sum, { queued }) => sum + queued, 0)
    if (waiting > 0)
      log.warn({ waiting }, 'messages are not delivered yet: they are sent after the next start')
  } finally {
    await replica?.stop()
    state.close()
  }
}
