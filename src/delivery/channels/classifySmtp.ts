import type { NodemailerError, SMTPSentMessageInfo } from 'nodemailer'
import { createScrubber, type Secret } from '../../lib/secret.ts'
import { cleanText } from '../../lib/text.ts'
import type { DeliveryResult } from './message.ts'
import { isTlsCode } from '../../lib/isTlsCode.ts'

export interface SmtpContext {
  readonly host: string
  /** The credentials: covered in what a server says. */
  readonly secrets: readonly Secret[]
  /** Who has yet to get it, the others having it; null while nobody has. */
  readonly owed: readonly string[] | null
}

interface RecipientError {
  readonly recipient?: string | undefined
  readonly responseCode?: number | undefined
  readonly response?: string | undefined
}

/** A mail that the server took: nodemailer also resolves when only some of the recipients were. */
export function classifySmtpSuccess(
  info: Pick<SMTPSentMessageInfo, 'rejected' | 'rejectedErrors'>,
  context: SmtpContext,
): DeliveryResult {
  return info.rejected.length === 0
    ? { result: 'ack' }
    : splitRecipients(info.rejected, info.rejectedErrors ?? [], context)
}

/** The delivery table's SMTP half. After the final dot nobody knows: that is `transient`, with the same Message-ID. */
export function classifySmtpError(error: NodemailerError, context: SmtpContext): DeliveryResult {
  const code = error.responseCode
  const reason = describe(error, context)
  if (error.command === 'RCPT TO' && error.rejected !== undefined) {
    const split = splitRecipients(error.rejected, error.rejectedErrors ?? [], context)
    if (context.owed !== null && split.refused.length > 0) return split
    // Nobody took it: while somebody may yet, the whole mail simply waits, as for a greylist.
    return { result: split.retry.length > 0 ? 'transient' : 'dead', reason }
  }
  if (code !== undefined && !isPermanent(code)) return { result: 'transient', reason }
  // Of this mail and not of the channel: another form of it may pass, and what is behind it must not wait.
  if (code !== undefined && (tooLarge.has(code) || error.command === 'DATA'))
    return { result: 'bad_message', reason }
  if (code !== undefined || isRefusal(error)) return { result: 'dead', reason }
  // The server announced a size in its greeting that this mail exceeds: a shorter one may pass.
  if (error.code === 'EMESSAGE' && error.command === 'MAIL FROM') return { result: 'bad_message', reason }
  return { result: 'transient', reason }
}

const tooLarge = new Set([523, 552])

/** Every 5xx but 503, which says that the session went astray and not that the mail is refused. */
function isPermanent(code: number): boolean {
  return code >= 500 && code !== 503
}

function isRefusal(error: NodemailerError): boolean {
  // A connection that closes while TLS is agreed on is a broken connection, not an untrusted one.
  if (error.code === 'ETLS') return !error.message.startsWith('Connection closed')
  return (
    ['EAUTH', 'ENOAUTH', 'EREQUIRETLS', 'ECONFIG'].includes(error.code ?? '') ||
    isTlsCode(error.originalCode ?? '')
  )
}

function splitRecipients(
  rejected: readonly string[],
  errors: readonly RecipientError[],
  context: SmtpContext,
): Extract<DeliveryResult, { result: 'partial' }> {
  const verdicts = rejected.map((recipient) => {
    const error = errors.find((candidate) => candidate.recipient === recipient)
    return { recipient, code: error?.responseCode ?? 450, reason: serverText(error?.response ?? '', context) }
  })
  return {
    result: 'partial',
    retry: verdicts.filter(({ code }) => !isPermanent(code)).map(({ recipient }) => recipient),
    refused: verdicts
      .filter(({ code }) => isPermanent(code))
      .map(({ recipient, reason }) => ({ recipient, reason: `${context.host}: ${reason}` })),
  }
}

function describe(error: NodemailerError, context: SmtpContext): string {
  if (isTlsDemand(error)) {
    const why = error.originalCode === undefined ? '' : ` (${error.originalCode})`
    return `${context.host} offers no trusted TLS${why}, and this mail may not travel in clear`
  }
  if (error.code === 'EAUTH' || error.command?.startsWith('AUTH') === true) {
    // What a server says of a failed login may quote it.
    return `${context.host} refused the credentials (${error.responseCode ?? 'no usable login method'})`
  }
  if (error.response !== undefined) return `${context.host}: ${serverText(error.response, context)}`
  return `${context.host}: ${error.timeoutType ?? error.originalCode ?? error.code ?? 'failed'}`
}

function isTlsDemand(error: NodemailerError): boolean {
  return (
    (error.code === 'ETLS' && isRefusal(error)) ||
    isTlsCode(error.originalCode ?? '') ||
    error.message.includes('does not support required STARTTLS')
  )
}

function serverText(response: string, context: SmtpContext): string {
  return cleanText(createScrubber(context.secrets)(response), 160)
}
