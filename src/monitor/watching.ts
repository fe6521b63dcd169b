import { type Dispatcher, request } from 'undici'
import type { OpenCheck } from '../kernel/check.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { createRunner, type Poller } from '../kernel/running/runner.ts'
import { codeOf, errorText, MonitorError } from '../lib/errors.ts'
import type { Secret } from '../lib/secret.ts'
import { cleanText } from '../lib/text.ts'
import { createReporting } from '../report/poll.ts'
import type { Voice } from './voice.ts'
import type { AlertStore } from '../alerts/store/alertStore.ts'
import { kinds } from '../checks/index.ts'
import { toRecovered } from '../checks/monitor/stateRecovered.ts'
import { repackAlerts } from '../alerts/repackAlerts.ts'
import { createPackingByTime } from '../ledger/amounts/packByTime.ts'
import { createSettling, repackSome } from '../ledger/transfers/repack.ts'
import { purgeFlow } from '../ledger/amounts/flow.ts'
import { purgeSamples } from '../ledger/lessons/lessonStore.ts'
import { purgeOpenLessons } from '../ledger/lessons/openLessons.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import { keepBackups } from '../store/backups.ts'
import type { Database } from '../store/database.ts'
import { attempt, takeMisread } from '../store/misread.ts'
import { lastNumber } from '../store/requestNumbers.ts'
import { tellFinding } from '../kernel/evaluate.ts'
import { purgeCoverage } from '../kernel/running/coverage.ts'
import { listHeads } from '../kernel/heads/heads.ts'
import type { AppConfig } from '../kernel/settings.ts'

const upkeepMs = 60_000

/** What a lost write-ahead log takes along at most, as when somebody copies the file of the ledger alone. */
const checkpointMs = 5_000

interface Heartbeat {
  readonly url: Secret
  /** Whether the monitor really checked and committed of late. */
  readonly isAlive: boolean
  readonly dispatcher?: Dispatcher
}

const timeoutMs = 10_000

/** Everything that asks: one runner with the pollers of all checks, and what the process does beside them. */
export function createWatching(
  kernel: Kernel,
  opened: readonly OpenCheck[],
  of: { readonly voice: Voice; readonly isAlive: () => boolean },
) {
  const { heartbeat } = kernel.config
  const upkeep = createUpkeep(kernel, opened)
  const tellMisread = createMisreadTeller(kernel)
  const runner = createRunner(kernel, [
    ...opened.flatMap(({ pollers }) => pollers),
    ...createReporting(kernel),
    {
      name: 'checkpoint',
      schedule: checkpointMs,
      asksNobody: true,
      run(signal) {
        kernel.state.settle()
        return kernel.state.logCopies.run(signal)
      },
    },
    ...listBackupPolls(kernel),
    createRepacking(kernel.db),
    { name: 'upkeep', schedule: upkeepMs, run: async () => (of.voice.note(), tellMisread(), upkeep()) },
    ...(heartbeat
      ? [
          {
            name: 'heartbeat',
            schedule: heartbeat.everyMs,
            run: (signal: AbortSignal) => beat({ url: heartbeat.url, isAlive: of.isAlive() }, signal),
          },
        ]
      : []),
  ])
  return {
    runner,
    pollerStatus: () => [...runner.status(), ...opened.flatMap((check) => check.status?.() ?? [])],
  }
}

const repackMs = 500
/** Rows in one step: a few milliseconds. */
const repackRows = 100

const pagesAtOnce = 100
/** Where nothing was left to do it is looked again so many turns later: two minutes. */
const restingTurns = 240

/** A ledger of before takes on the form of now while it is watched with, and what is settled takes less room. */
function createRepacking(db: Database): Poller {
  const settle = createSettling(db)
  const packByTime = createPackingByTime(db)
  let isDone = false
  let rests = 0
  return {
    name: 'repack',
    schedule: repackMs,
    asksNobody: true,
    run: async () => {
      if (!isDone) isDone = !repackSome(db, repackRows) && !repackAlerts(db, repackRows)
      else if (rests > 0) rests -= 1
      else if (settle(repackRows) && !packByTime() && !db.giveBack(pagesAtOnce)) rests = restingTurns
    },
  }
}

/** Named in a message; the log has all of them. */
const mostNamed = 10

/** A file with many such rows shows them over hours, a few in each minute. */
const misreadMs = 3_600_000

/** What stands in for rows that cannot be read holds nothing up: the file is looked through, and it is said once an hour at most. */
export function createMisreadTeller(
  kernel: Pick<Kernel, 'db' | 'engine' | 'live' | 'clock' | 'log' | 'state'>,
) {
  const { db, engine, live, clock, log, state } = kernel
  let toldAt = -Infinity
  let untold: string[] = []
  return (): void => {
    const rows = takeMisread(db)
    untold = [...untold, ...rows]
    if (rows.length > 0) {
      log.error({ rows }, 'rows of the ledger cannot be read')
      void state.integrity.look().catch(() => undefined)
    }
    if (untold.length === 0 || clock.monotonicMs() - toldAt < misreadMs) return
    const named = untold.slice(0, mostNamed).join(', ')
    const reason = `${untold.length} ${untold.length === 1 ? 'row' : 'rows'} of it cannot be read (${named}${untold.length > mostNamed ? ', …' : ''}): until they are read anew, their other columns stand in for transfers, nothing for answers, and what rests on others keeps its state`
    const now = clock.now()
    db.transaction(() => tellFinding(engine, live.rules, toRecovered('ledger.sqlite', reason, now), now))
    toldAt = clock.monotonicMs()
    untold = []
  }
}

const backupLookMs = 60_000

function listBackupPolls({ clock, config, state }: Pick<Kernel, 'clock' | 'config' | 'state'>): Poller[] {
  const settings = config.backups
  if (settings === null) return []
  const of = { folder: config.stateDir, integrity: state.integrity, settings }
  return [
    {
      name: 'backups',
      schedule: backupLookMs,
      isBackground: true,
      asksNobody: true,
      run: () => keepBackups(of, clock.now()),
    },
  ]
}

/**
 * Calls an outside dead man's switch while the monitor works, and its `/fail` when it runs but cannot do its work. Any
 * other failure shows there as no call at all.
 */
export async function beat(heartbeat: Heartbeat, signal: AbortSignal): Promise<void> {
  const url = new URL(heartbeat.url.reveal())
  if (!heartbeat.isAlive) url.pathname = `${url.pathname.replace(/\/+$/, '')}/fail`
  const status = await ping(heartbeat, url, signal)
  if (status >= 300)
    throw new MonitorError('channel.failed', `the heartbeat at ${url.host} answered HTTP ${status}`)
}

async function ping({ dispatcher }: Heartbeat, url: URL, signal: AbortSignal): Promise<number> {
  try {
    const { statusCode, body } = await request(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      ...(dispatcher && { dispatcher }),
    })
    await body.dump({ limit: 65_536 })
    return statusCode
  } catch (error) {
    // The address may hold a key: host and the system's word only.
    const reason = codeOf(error) || cleanText(errorText(error), 80)
    throw new MonitorError('channel.failed', `the heartbeat at ${url.host} cannot be reached: ${reason}`)
  }
}

interface UpkeepDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly db: Database
  readonly ledger: Pick<Ledger, 'purge'>
  readonly alerts: Pick<
    AlertStore,
    'purgeCases' | 'purgeDone' | 'purgeEnded' | 'purgeEvents' | 'purgeSilences' | 'purgeChanges'
  >
  readonly config: Pick<AppConfig, 'retention'>
}

/** The retention of sent messages and past silences, ms. */
const keptMs = 30 * 86_400_000
/** The same of ended conditions and of cases: the report of a month reads them, and may be made some days after it. */
const reportedMs = 35 * 86_400_000
/** How much one run forgets of each kind: a step that delays no poll. */
const stepSize = 200
const flowStepSize = 5_000
/** Of these a subject is told once for ever. */
const toldOnce = kinds.all.flatMap(({ kind, isOncePerSubject }) => (isOncePerSubject ? [kind] : []))
const dayMs = 86_400_000

/** Forgets what is older than its retention, in small steps, so that the state stays bounded without ever stopping a poll. */
export function createUpkeep(
  deps: UpkeepDeps,
  checks: readonly Pick<OpenCheck, 'prune'>[],
): () => Promise<void> {
  return async () => {
    const now = readSoberTime(deps)
    const transfersSince = now - deps.config.retention.transfersMs
    const { alerts, db, ledger } = deps
    // Requests are numbered on from before the clock was set back.
    const shownBefore = Math.max(now, lastNumber(db)) - dayMs
    const parts: (() => unknown)[] = [
      () => ledger.purge({ before: transfersSince, shownBefore, limit: stepSize }),
      () => purgeFlow(db, now, flowStepSize),
      () => purgeSamples(db, transfersSince, stepSize),
      () => purgeOpenLessons(db, transfersSince),
      () => purgeCoverage(db, transfersSince, stepSize),
      () => alerts.purgeCases(now - reportedMs, stepSize),
      () => alerts.purgeDone(now - keptMs),
      () => alerts.purgeEnded(now - reportedMs),
      () => alerts.purgeEvents({ before: transfersSince, kept: toldOnce, limit: stepSize }),
      () => alerts.purgeSilences(now - keptMs),
      () => alerts.purgeChanges(now - deps.config.retention.auditMs, stepSize),
      ...checks.map((check) => () => check.prune?.(now)),
    ]
    // A row that cannot be read keeps what it is among, and lets all else be forgotten.
    db.transaction(() => parts.forEach((part) => attempt(db, part)))
  }
}

/**
 * The present, but at most a day after the newest block that was seen: a clock that was set years ahead must not make
 * the ledger forget what it knows.
 */
function readSoberTime({ clock, db }: Pick<UpkeepDeps, 'clock' | 'db'>): UnixMs {
  const blocks = listHeads(db).flatMap(({ blockTime }) => (blockTime === null ? [] : [blockTime]))
  return blocks.length === 0 ? clock.now() : Math.min(clock.now(), Math.max(...blocks) + dayMs)
}
