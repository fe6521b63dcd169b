/** Every way in which spanwatch fails on purpose; what each means stands in docs/errors.md. */
export type ErrorCode =
  | 'config.invalid' // a configuration, rule or scenario file cannot be honoured: exit 2
  | 'usage' // a command line cannot be understood: exit 2
  | 'state.invalid' // the state folder cannot be used as it is: exit 2
  | 'state.full' // the state folder's disk takes nothing: exit 1, a later start can work
  | 'state.locked' // another process holds the state folder: exit 75
  | 'source.unreachable' // network, timeout, 5xx: a retry can help
  | 'source.throttled' // 429 and its kin: a retry after a pause helps
  | 'source.rejected' // credentials refused: only the operator can help
  | 'source.invalid' // an answer that breaks the contract
  | 'source.refused' // the request itself was refused (parameters): our mistake
  | 'source.mismatched' // an answer to another question than was asked: could not ask
  | 'source.empty' // an empty answer that something known contradicts: could not ask
  | 'replica.follower' // a change that is asked of a node which follows another
  | 'replica.diverged' // a copy of the ledger is not the holder's: it is built anew
  | 'replica.unreachable' // PostgreSQL does not answer: a retry can help
  | 'replica.refused' // PostgreSQL does not do what is asked: rights, schema
  | 'replica.newer' // what is there is of a newer version
  | 'replica.lost' // another node holds the lease
  | 'channel.failed' // a channel did not take a message
  | 'not_found' // a command or page names something that the ledger does not hold
  | 'internal' // a bug

export interface MonitorErrorOptions {
  readonly cause?: unknown
  readonly details?: Readonly<Record<string, string | number>>
  readonly retryable?: boolean
}

/** Code for programs, message for people, details for logs, `cause` for the chain. */
export class MonitorError extends Error {
  override readonly name: string = 'MonitorError'
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, string | number>>
  readonly retryable: boolean

  constructor(code: ErrorCode, message: string, options: MonitorErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details ?? {}
    this.retryable = options.retryable ?? false
  }
}

/** The same error, with more of what is known of it. */
export function withDetails(error: MonitorError, details: MonitorError['details']): MonitorError {
  const { code, message, cause, retryable } = error
  return new MonitorError(code, message, { cause, retryable, details: { ...error.details, ...details } })
}

/** Whether a question was not sent, because it was contradicted again and again. */
export function isSetAside(error: unknown): boolean {
  return error instanceof MonitorError && 'asideUntil' in error.details
}

/** The message of anything thrown, for people; never a stack. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The code that the system or a library gives an error, such as `ECONNREFUSED`; a number, as of a timeout, is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
