import { type ErrorCode, MonitorError } from '../../lib/errors.ts'
import { cleanText } from '../../lib/text.ts'

/** What a refused answer means: our error code, whether a retry can help, and what to do about it. */
interface Verdict {
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly says: string
}

const throttled = (says: string): Verdict => ({ code: 'source.throttled', retryable: true, says })
const unreachable = (says: string): Verdict => ({ code: 'source.unreachable', retryable: true, says })
const refused = (says: string): Verdict => ({ code: 'source.refused', retryable: false, says })
const rejected = (says: string): Verdict => ({ code: 'source.rejected', retryable: false, says })
const invalid = (says: string): Verdict => ({ code: 'source.invalid', retryable: false, says })

const header = rejected('an access header is missing or wrong: check explorer.auth and dialect.headerPrefix')

/** The service's own codes, judged apart from the HTTP status: they also come with HTTP 200. */
const byCode: Readonly<Record<string, Verdict>> = {
  '50001': unreachable('the service is unavailable'),
  '50004': unreachable('the service timed out'),
  '50026': unreachable('the service had a system error'),
  '50011': throttled('too many requests'),
  '50013': throttled('the service is busy'),
  '50014': refused('a parameter is empty'),
  '50015': refused('a parameter is wrong'),
  '50016': refused('a parameter is wrong'),
  '50024': refused('too many values in one parameter'),
  '50025': refused('too many values in one parameter'),
  '50036': refused('a parameter has a value that is not allowed'),
  '50030': rejected('the key has no permission for this endpoint'),
  '50102': rejected('the timestamp is more than 30 s off: check the clock of this machine'),
  '50103': header,
  '50104': header,
  '50105': header,
  '50106': header,
  '50107': header,
  '50111': rejected('the access key is not valid: check explorer.auth.key'),
  '50112': rejected('the timestamp is not valid: check the clock of this machine'),
  '50113': rejected('the signature is not valid: check explorer.auth.secret and explorer.auth.signer'),
}

const byStatus: Readonly<Record<number, Verdict>> = {
  401: rejected('the credentials were refused: check explorer.auth'),
  402: rejected('the quota is used up'),
  403: rejected('access is forbidden: check explorer.auth and the permissions of the key'),
  404: refused('there is no such path: check explorer.baseUrl and dialect.path'),
  408: unreachable('the service timed out'),
  429: throttled('too many requests'),
}

/** Nothing exists for this block height. */
export const beyondHeadCode = '50040'

export interface AnswerFacts {
  readonly status: number
  /** The envelope's `code`; null when the body is no envelope. */
  readonly code: string | null
  readonly message: string
  readonly retryAfter: string | null
  /** Names endpoint and host. */
  readonly label: string
}

/**
 * The error that an answer stands for; null when it is a success (HTTP 2xx and code `0`, or no envelope at all,
 * which the reader of the body judges).
 */
export function classifyAnswer(facts: AnswerFacts): MonitorError | null {
  const { status, code } = facts
  const isHttpOk = status >= 200 && status < 300
  if (isHttpOk && (code === '0' || code === null)) return null
  const verdict = (code === null ? undefined : byCode[code]) ?? verdictOfStatus(status) ?? unknownCode(facts)
  const number =
    code === null || code === '0' ? `HTTP ${status}` : `HTTP ${status}, code ${cleanText(code, 16)}`
  return new MonitorError(verdict.code, `${facts.label}: ${verdict.says} (${number})`, {
    retryable: verdict.retryable,
    details: {
      status,
      ...(code === null ? {} : { code: cleanText(code, 16) }),
      ...namePrefix(verdict, facts.message),
      ...(facts.retryAfter === null ? {} : { retryAfter: cleanText(facts.retryAfter, 64) }),
    },
  })
}

/** Services that miss a header name it: the beginning that all of them have is `dialect.headerPrefix`. */
function namePrefix({ code }: Verdict, message: string): { readonly headerPrefix?: string } {
  const [, headerPrefix] = /\b([A-Z][A-Z0-9]{0,31})[-_]ACCESS[-_]/.exec(message) ?? []
  return code === 'source.rejected' && headerPrefix !== undefined ? { headerPrefix } : {}
}

function verdictOfStatus(status: number): Verdict | null {
  const known = byStatus[status]
  if (known) return known
  if (status >= 500) return unreachable('the service or a gateway before it failed')
  if (status >= 400) return refused('the request was refused')
  return status >= 300
    ? invalid('the service redirects, which is not followed: check explorer.baseUrl')
    : null
}

function unknownCode(facts: AnswerFacts): Verdict {
  const message = cleanText(facts.message, 120)
  return invalid(message === '' ? 'the service gave an error' : `the service gave an error, "${message}"`)
}
