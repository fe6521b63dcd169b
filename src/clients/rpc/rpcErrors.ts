import { type ErrorCode, MonitorError } from '../../lib/errors.ts'
import { cleanText } from '../../lib/text.ts'

/** An error object of a JSON-RPC answer. */
interface RpcErrorObject {
  readonly code: number
  readonly message: string
}

/** An error object as it came; a code that is no number reads as 0. */
export function readErrorObject(error: unknown): RpcErrorObject {
  if (typeof error !== 'object' || error === null)
    return { code: 0, message: typeof error === 'string' ? error : '' }
  const code = 'code' in error ? error.code : 0
  const message = 'message' in error ? error.message : ''
  return {
    code: typeof code === 'number' && Number.isFinite(code) ? code : 0,
    message: typeof message === 'string' ? message : '',
  }
}

interface Verdict {
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly says: string
}

const refused = (says: string): Verdict => ({ code: 'source.refused', retryable: false, says })
const unreachable = (says: string): Verdict => ({ code: 'source.unreachable', retryable: true, says })
const reverted = refused('the call was reverted')
const throttled: Verdict = { code: 'source.throttled', retryable: true, says: 'the node asks to slow down' }

// The five that the service documents, those of the standard, and what providers add.
const byCode: Readonly<Record<number, Verdict>> = {
  [-32700]: refused('the node could not parse the request'),
  [-32600]: refused('the node does not take this as a request'),
  [-32601]: refused('the node does not have this method'),
  [-32602]: refused('the node does not take these parameters'),
  [-32603]: unreachable('the node failed inside'),
  [-32015]: refused('the call failed'),
  3: reverted,
  [-32001]: unreachable('the node does not have this at present'),
  [-32002]: unreachable('the node is not available at present'),
  [-32004]: refused('the node does not support this method'),
  [-32005]: throttled,
  [-32029]: throttled,
  429: throttled,
}

/** Codes that say how a contract took the call, not how the node is; some nodes say it in words, under any code. */
const callCodes: ReadonlySet<number> = new Set([-32015, 3])

/** The error that an error object stands for; its number is in `details.rpcCode`. */
export function toRpcError(error: RpcErrorObject, label: string): MonitorError {
  const known = byCode[error.code]
  const isReverted = known !== throttled && /revert/i.test(error.message)
  const verdict = isReverted ? reverted : (known ?? verdictOfMessage(error.message))
  const text = cleanText(error.message, 120)
  const message = `${label}: ${verdict.says} (${error.code}${text === '' ? '' : `, "${text}"`})`
  return new MonitorError(verdict.code, message, {
    retryable: verdict.retryable,
    details: { rpcCode: error.code, ...(isReverted && { call: 'reverted' }) },
  })
}

/** Whether the node answered the call itself: it works, whatever the contract said. */
export function isCallFailure(error: unknown): boolean {
  if (!(error instanceof MonitorError)) return false
  return error.details['call'] === 'reverted' || callCodes.has(Number(error.details['rpcCode'] ?? Number.NaN))
}

/** -32000 and other numbers mean whatever the node's makers chose: the text is all there is to go by. */
function verdictOfMessage(message: string): Verdict {
  if (/\brate|limit|too many|throttl/i.test(message)) return throttled
  return unreachable('the node gave an error')
}

/** The error that an HTTP status stands for; null for one that comes with an answer. */
export function errorOfStatus(
  status: number,
  label: string,
  retryAfter: string | null = null,
): MonitorError | null {
  if (status >= 200 && status < 300) return null
  const verdict = verdictOfStatus(status)
  return new MonitorError(verdict.code, `${label}: ${verdict.says} (HTTP ${status})`, {
    retryable: verdict.retryable,
    details: { status, ...(retryAfter !== null && { retryAfter: cleanText(retryAfter, 64) }) },
  })
}

function verdictOfStatus(status: number): Verdict {
  if (status === 401 || status === 403)
    return { code: 'source.rejected', retryable: false, says: 'the node refuses the credentials' }
  if (status === 402) return { code: 'source.rejected', retryable: false, says: 'the quota is used up' }
  if (status === 429) return throttled
  if (status === 408 || status >= 500) return unreachable('the node or a gateway before it failed')
  if (status >= 400) return refused('the request was refused')
  return {
    code: 'source.invalid',
    retryable: false,
    says: 'the node redirects, which is not followed: check the address',
  }
}
