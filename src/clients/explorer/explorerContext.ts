import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { CorrectedClock } from '../../lib/correctedClock.ts'
import type { Logger } from '../../lib/log.ts'
import type { HttpDeps } from '../http.ts'
import type { Dialect } from './dialect.ts'
import type { EmptyGuard } from './emptyGuard.ts'
import type { Endpoint } from './endpoint.ts'
import type { HealthRecorder } from './health.ts'
import type { MismatchLog } from './mismatchLog.ts'
import type { KeyBook } from './keyBook.ts'
import type { Pace, PaceOptions } from './pace.ts'
import type { RecordReader } from './recordReader.ts'
import type { ExplorerAuth } from './sign.ts'

export interface ExplorerOptions {
  readonly baseUrl: string
  readonly chains: { readonly main: string; readonly zone: string }
  readonly dialect?: Dialect
  /** Null when the deployment asks for no access headers. */
  readonly auth: ExplorerAuth | null
  readonly pace: PaceOptions
  readonly timeoutMs?: number
  readonly clock: Clock
  readonly log: Pick<Logger, 'debug'>
  /** What answers say of the time, where a daemon goes by it. */
  readonly corrected?: Pick<CorrectedClock, 'noteDate' | 'decided' | 'sleptMs'>
  /** Numbers the requests; their times do when left out. */
  readonly numbers?: { next(): UnixMs }
  /** For tests and proxies; the explorer closes only a dispatcher of its own. */
  readonly dispatcher?: HttpDeps['dispatcher']
  /** Memory for answers that others share. */
  readonly budget?: HttpDeps['budget']
}

/** What one deployment's calls share. */
export interface ExplorerContext {
  readonly options: ExplorerOptions
  readonly dialect: Dialect
  readonly origin: string
  readonly host: string
  readonly basePath: string
  readonly http: HttpDeps
  readonly pace: Pace
  readonly health: HealthRecorder
  readonly guard: EmptyGuard
  readonly mismatches: MismatchLog
  readonly keys: KeyBook
  readonly readers: Map<Endpoint, RecordReader<unknown>>
  /** Masks the credentials in the service's own words. */
  readonly scrub: (text: string) => string
}
