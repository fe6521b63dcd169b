import type { Finding } from '../../../src/bridge/finding.ts'
import type { Observation } from '../../../src/bridge/observation.ts'
import { createCommitInSlices } from '../../../src/kernel/commitInSlices.ts'
import { recordHead } from '../../../src/kernel/heads/heads.ts'
import type { Kernel } from '../../../src/kernel/kernel.ts'
import type { Commit, ExplorerReads, FeedPage } from '../../../src/kernel/reads/reads.ts'
import { createRecordLookup } from '../../../src/kernel/reads/recordLookup.ts'
import type { AppConfig } from '../../../src/kernel/settings.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { createMissingRecords } from '../../../src/ledger/transfers/missingRecords.ts'
import type { UnixMs } from '../../../src/lib/clock.ts'
import { createCorrectedClock } from '../../../src/lib/correctedClock.ts'
import { MonitorError } from '../../../src/lib/errors.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import { createTimings } from '../../../src/lib/timings.ts'
import { openKernel } from '../../../src/monitor/openKernel.ts'
import { initialCursors } from '../../../src/store/cursors.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import type { State } from '../../../src/store/state.ts'
import { plainConfig } from '../../support/appConfig.ts'
import { hash, toRecord } from '../../support/records.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'

/** What tests replace: the network and chance. */
type Fakes = Partial<Pick<Kernel, 'reads' | 'contractReads' | 'explorer' | 'rpcs' | 'random' | 'log'>>

export interface TestKernelOptions extends Fakes {
  readonly config?: Partial<AppConfig>
  readonly start?: UnixMs
  /** Sleeps end only as the clock is advanced. */
  readonly isManual?: boolean
}

/**
 * The kernel as the monitor opens it, over a ledger in memory and without rules. The clock is stepped, chance is none,
 * and whoever asks a source gives what it answers: `reads`, `contractReads`, `explorer`, `rpcs`.
 */
export function createTestKernel({ config: given, start, isManual, ...fakes }: TestKernelOptions = {}) {
  const machine = createSteppedClock({ start: start ?? 10_000_000, isManual: isManual ?? false })
  const clock = {
    ...createCorrectedClock(machine),
    slept: machine.slept,
    advance: (ms: number) => machine.advance(ms),
  }
  const config = { ...plainConfig, ...given }
  const db = openDatabase(':memory:')
  let cursors = initialCursors(0)
  const state: State = {
    db,
    cursors: {
      read: () => cursors,
      write: (next) => void (cursors = next),
      advance: (next) => void (cursors = next),
    },
    isFirstStart: true,
    recovered: null,
    noteTold: () => undefined,
    ballast: { hold: () => true, free: () => false },
    isInPlace: () => true,
    isUnsaved: () => false,
    settle: () => undefined,
    commitsFailed: () => 0,
    diskErrors: () => ({ count: 0, last: '' }),
    damage: new AbortController().signal,
    integrity: {
      pending: () => null,
      look: async () => undefined,
      copyTo: async () => undefined,
      stop: () => undefined,
    },
    logCopies: { isDue: () => false, run: async () => undefined },
    warning: null,
    bytes: () => null,
    close: () => db.close(),
  }
  const triggered: string[] = []
  const kernel = openKernel(
    { clock, log: createSilentLog(), write: () => {}, random: () => 0.5 },
    { config, rules: [], version: 'test' },
    { state, timings: createTimings(clock), startedAt: clock.now() },
    (poller) => void triggered.push(poller),
  )
  /** What commits brought by themselves, rules or none. */
  const told: Finding[] = []
  const commit: Commit = (findings) =>
    kernel.commit({
      ...findings,
      apply(now) {
        const found = findings.apply?.(now) ?? []
        told.push(...found)
        return found
      },
    })
  const commitInSlices = createCommitInSlices(commit, { clock, db })
  return { ...kernel, commit, commitInSlices, ...fakes, clock, config, told, triggered }
}

/** The list of transfers, newest first, behind the pollers' questions. */
export interface FakeFeed {
  rows: Observation[]
  pageSize: number
  /** Runs before each page is served. */
  onPage: (page: number) => void
  served: number[]
}

/** A kernel whose explorer answers from a list of records. */
export function setUp(
  rows: Observation[] = [],
  { pageSize = 3, ...options }: TestKernelOptions & { readonly pageSize?: number } = {},
) {
  const feed: FakeFeed = { rows, pageSize, onPage: () => {}, served: [] }
  const at = <T extends object>(record: T) => ({ ...record, requestedAt: clock.now() })
  const reads: ExplorerReads = {
    async feedPage(page): Promise<FeedPage> {
      feed.onPage(page)
      feed.served.push(page)
      const records = feed.rows.slice((page - 1) * feed.pageSize, page * feed.pageSize).map(at)
      const totalPage = Math.ceil(feed.rows.length / feed.pageSize)
      return {
        requestedAt: clock.now(),
        records,
        bad: [],
        totalPage,
        total: feed.rows.length,
        limit: feed.pageSize,
      }
    },
    async feedByHash(wanted) {
      const records = feed.rows.filter((row) => row.mainHash === wanted || row.zoneHash === wanted).map(at)
      return { requestedAt: clock.now(), records, bad: [] }
    },
    async feedByAddress(address) {
      const records = feed.rows
        .filter(({ sourceAddress, targetAddress }) => [sourceAddress, targetAddress].includes(address))
        .map(at)
      return { requestedAt: clock.now(), records, bad: [], totalPage: 1, total: records.length, limit: 100 }
    },
    async details(hashes) {
      const records = feed.rows.filter((row) => hashes.includes(row.zoneHash ?? ''))
      return {
        requestedAt: clock.now(),
        records: records.map((row) => ({
          ...at(row),
          source: 'E12' as const,
          zoneEventIndex: '1',
          updateTime: clock.now(),
        })),
        bad: [],
      }
    },
    zoneTransactions: async () => ({ requestedAt: clock.now(), records: [], bad: [] }),
    zoneHead: async () => null,
    zoneTransactionBy: async () => null,
    mainBlock: async () => 'unknown',
  }
  const kernel = createTestKernel({ ...options, reads })
  const { clock, ledger } = kernel
  const lookUp = createRecordLookup({
    clock,
    reads,
    readControl: () => {
      const known = ledger.listTransfers({ limit: 100 }).find(({ state }) => state === 'completed')
      return known?.main ? { mainHash: known.main.hash, address: known.targetAddress } : null
    },
  })
  const missing = createMissingRecords(kernel.db, (key) => ledger.seenAt(key))
  return { ...kernel, reads, feed, lookUp, missing }
}

/** Records newest first, each with its own hashes; `n` is in the id. */
export function toRows(count: number, from = 0): Observation[] {
  return Array.from({ length: count }, (_, index) => {
    const n = from + count - index
    return toRecord({
      id: `r${n}`,
      zoneHash: hash(`z${n}`),
      mainHash: hash(`m${n}`),
      zoneTime: n * 1_000,
      mainTime: n * 1_000,
    })
  })
}

/** The main head stands there: read twice, because one reading of a leap is not believed. */
export function setMainHead(db: Database, height: number, at: UnixMs, blockTime: UnixMs | null = null) {
  for (let n = 0; n < 2; n += 1) recordHead(db, 'main', { height, blockTime, at })
}

export const known = (ledger: Ledger) => ledger.listTransfers({ limit: 10_000 }).length
export const noSignal = new AbortController().signal

/** An explorer whose E12 fails where one of these is asked about. @returns how often it was asked */
export function stumbleOver(world: { readonly reads: ExplorerReads }, poison: ReadonlySet<string>) {
  const reads = { ...world.reads }
  let asked = 0
  world.reads.details = async (hashes, options) => {
    asked += 1
    if (hashes.some((one) => poison.has(one)))
      throw new MonitorError('source.unreachable', 'E12 failed (HTTP 500)', { details: { status: 500 } })
    return reads.details(hashes, options)
  }
  return () => asked
}
