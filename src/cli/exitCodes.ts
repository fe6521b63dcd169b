import type { ErrorCode } from '../lib/errors.ts'

export const exitCodes = { fine: 0, found: 1, usage: 2, unreachable: 3, locked: 75 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** What a command that failed on purpose ends with. */
export const exitCodeOfError: Readonly<Record<ErrorCode, ExitCode>> = {
  'config.invalid': exitCodes.usage,
  usage: exitCodes.usage,
  'state.invalid': exitCodes.usage,
  'state.locked': exitCodes.locked,
  'source.unreachable': exitCodes.unreachable,
  'source.throttled': exitCodes.unreachable,
  'source.rejected': exitCodes.unreachable,
  'source.invalid': exitCodes.unreachable,
  'source.refused': exitCodes.unreachable,
  'source.empty': exitCodes.unreachable,
  'channel.failed': exitCodes.unreachable,
  not_found: exitCodes.found,
  internal: exitCodes.found,
}
