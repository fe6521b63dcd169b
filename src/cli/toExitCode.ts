import type { ErrorCode } from '../lib/errors.ts'
import { exitCodes } from './io.ts'

/** The exit code that each kind of failure ends a command with. */
export const exitCodeOf: Readonly<Record<ErrorCode, number>> = {
  'config.invalid': exitCodes.usage,
  usage: exitCodes.usage,
  'state.invalid': exitCodes.usage,
  'state.locked': exitCodes.locked,
  'source.unreachable': exitCodes.unreachable,
  'source.throttled': exitCodes.unreachable,
  'source.rejected': exitCodes.unreachable,
  'source.invalid': exitCodes.unreachable,
  'source.refused': exitCodes.usage,
  'source.mismatched': exitCodes.unreachable,
  'source.empty': exitCodes.unreachable,
  'channel.failed': exitCodes.unreachable,
  not_found: exitCodes.wrong,
  internal: exitCodes.wrong,
}
