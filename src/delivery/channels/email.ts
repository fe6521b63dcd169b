import { createHash } from 'node:crypto'
import type { ConnectionOptions } from 'node:tls'
import type { NodemailerError, Transporter, SMTPSentMessageInfo } from 'nodemailer'
import { MonitorError } from '../../lib/errors.ts'
import { Secret } from '../../lib/secret.ts'
import { classifySmtpError, classifySmtpSuccess, type SmtpContext } from './classifySmtp.ts'
import { createThreads } from './createThreads.ts'
import {
  type Channel,
  type DeliveryOptions,
  type DeliveryResult,
  type Message,
  moot,
  type RenderedReport,
} from './message.ts'
import { type Mail, renderBareMail, renderMail, renderPlainMail, renderShortMail } from './renderMail.ts'
import { headerId, part } from './textParts.ts'
import { isIPv4 } from 'node:net'
import { domainToASCII } from 'node:url'
import { decodePart } from './parseChannelUrl.ts'

export interface EmailConfig {
  readonly name: string
  readonly type: 'email'
  readonly smtp: Secret
  readonly from: string
  readonly to: readonly string[]
}

export interface EmailDeps {
  /** Trust beyond the system's, for a mail server with a certificate of its own. */
  readonly tls?: ConnectionOptions
  readonly smtpTimeouts?: SmtpTimeouts
}

interface SmtpTimeouts {
  readonly connectionMs: number
  readonly greetingMs: number
  readonly socketMs: number
}

const defaultTimeouts: SmtpTimeouts = { connectionMs: 10_000, greetingMs: 10_000, socketMs: 60_000 }

/**
 * Mail over SMTP: one envelope for all recipients, no pool, a Message-ID that stays the same over attempts so that a
 * mail which arrives twice is dropped by the reader's side. The mails of a case are one conversation, under the subject
 * of the first. In clear only to this machine and without credentials.
 */
export function createEmailChannel(deps: EmailDeps, config: EmailConfig): Channel {
  const server = parseSmtpUrl(config.name, config.smtp.reveal())
  const from = parseAddress(config.name, config.from)
  const to = config.to.map((address) => parseAddress(config.name, address))
  if (to.length === 0) throw new MonitorError('config.invalid', `channel ${config.name}: to names nobody`)
  const transport = openTransport(transportOptions(server, deps))
  const context = { host: server.host, secrets: secretsOf(config.smtp, server) }
  const { inThread } = createThreads()
  return {
    name: config.name,
    type: 'email',
    deliver: (message, options) =>
      inThread(message, options, async (before) => {
        const recipients = stillOwed(to, options.recipients)
        // Whoever was still owed this mail is no longer configured: nothing is left to do.
        if (recipients.length === 0) return moot
        const parties = { from, to, recipients: recipients.map(({ address }) => address) }
        const of = { ...context, owed: options.recipients }
        const mail = toMail(message, { ...options, thread: before }, parties)
        const sent = await send(await transport, mail, of)
        const result =
          options.degraded && sent.result === 'bad_message'
            ? await sendBare(await transport, { ...mail, ...renderBareMail(message) }, of)
            : sent
        return message.case !== null &&
          before === null &&
          (result.result === 'ack' || result.result === 'partial')
          ? { ...result, thread: `${headerId(message.case.root)} ${mail.subject}` }
          : result
      }),
    async deliverReport(report, options) {
      const recipients = stillOwed(to, options.recipients)
      if (recipients.length === 0) return moot
      const parties = { from, to, recipients: recipients.map(({ address }) => address) }
      return send(await transport, toReportMail(report, options, parties), {
        ...context,
        owed: options.recipients,
      })
    },
    async close() {
      ;(await transport).close()
    },
  }
}

/** The library is loaded where there is such a channel, and at once: an alert depends on no file that is there by then. */
async function openTransport(options: ReturnType<typeof transportOptions>) {
  const { createTransport } = await import('nodemailer')
  return createTransport(options)
}

/**
 * Connects, greets and logs in, and sends nothing.
 * @throws whatever the mail server or the network has against it
 */
export async function verifyEmail(deps: EmailDeps, config: EmailConfig): Promise<void> {
  const transport = await openTransport(
    transportOptions(parseSmtpUrl(config.name, config.smtp.reveal()), deps),
  )
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

interface Address {
  readonly name: string
  readonly address: string
}

function transportOptions(server: SmtpServer, deps: EmailDeps) {
  const timeouts = deps.smtpTimeouts ?? defaultTimeouts
  return {
    host: server.host,
    port: server.port,
    secure: server.implicitTls,
    requireTLS: server.tlsRequired && !server.implicitTls,
    // A mail server on this machine may offer STARTTLS with a certificate that nobody could check.
    ignoreTLS: !server.tlsRequired,
    connectionTimeout: timeouts.connectionMs,
    dnsTimeout: timeouts.connectionMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.socketMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(server.auth === null ? {} : { auth: server.auth, forceAuth: true }),
    ...(deps.tls === undefined ? {} : { tls: deps.tls }),
  }
}

interface MailParties {
  readonly from: Address
  readonly to: readonly Address[]
  readonly recipients: readonly string[]
}

function toMail(message: Message, options: DeliveryOptions, parties: MailParties) {
  const host = domainOf(parties.from.address)
  const mail = renderSafely(message, options.degraded)
  const thread = readThread(message, options.thread)
  return {
    ...mail,
    ...(thread.root !== null && answerTo(thread.root, host)),
    subject: thread.subject === null ? mail.subject : `Re: ${part(thread.subject, 200)}`,
    from: parties.from,
    to: [...parties.to],
    envelope: { from: parties.from.address, to: [...parties.recipients] },
    messageId: messageIdOf(message, host),
    date: new Date(message.createdAt),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Spanwatch-Id': headerId(message.id),
      ...(message.case && { 'X-Spanwatch-Case': headerId(message.case.id) }),
    },
    signal: options.signal,
  }
}

/** The conversation that a mail belongs to: after two cases turned out to be one, that of the one which was told. */
function readThread({ case: of }: Message, thread: string | null | undefined) {
  const own = of?.root ?? null
  if (!thread) return { root: own, subject: null }
  // Before, the subject alone was kept; a channel of this name may have been of another type.
  const [, root = own, subject = null] = /^(?:([\w.-]+) )?(\[spanwatch\] .*)$/s.exec(thread) ?? []
  return { root, subject }
}

/**
 * All mails of a case answer one that was never sent: readers show them as one conversation, in whatever order they
 * come, after a restart too, and where the first one was lost.
 */
function answerTo(root: string, host: string) {
  const id = `<case.${headerId(root)}@${host}>`
  return { inReplyTo: id, references: id }
}

/** One Message-ID for a report, whatever the attempt: a mail that arrives twice is dropped by the reader's side. */
function toReportMail(report: RenderedReport, options: DeliveryOptions, parties: MailParties) {
  const host = domainOf(parties.from.address)
  const files = report.csv.map(({ name, content }) => ({
    filename: name,
    content,
    contentType: 'text/csv; charset=utf-8',
  }))
  const charts = report.charts.map(({ name, png }) => ({
    filename: `${name}.png`,
    content: png,
    cid: name,
    contentDisposition: 'inline' as const,
  }))
  return {
    subject: report.subject,
    text: report.text,
    ...(!options.degraded && { html: report.html, attachments: [...charts, ...files] }),
    from: parties.from,
    to: [...parties.to],
    envelope: { from: parties.from.address, to: [...parties.recipients] },
    messageId: `<report.${headerId(report.id)}@${host}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Spanwatch-Id': headerId(`report-${report.day}`) },
    signal: options.signal,
  }
}

/** A finding that breaks the rich form must not hold up the mail. */
function renderSafely(message: Message, degraded: boolean): Mail {
  if (degraded) return renderShortMail(message)
  try {
    return renderMail(message)
  } catch {
    return renderPlainMail(message)
  }
}

/**
 * The same for every attempt at the same content. The short id alone would not do: two messages that share it by
 * chance, or one that findings have joined between attempts, would be dropped by mail readers as seen already.
 */
function messageIdOf(message: Message, host: string): string {
  const content = [...message.items, ...message.rest].map((item) => `${item.alertId} ${item.status}`).sort()
  const digest = createHash('sha256').update(content.join('\n')).digest('hex').slice(0, 16)
  return `<${headerId(message.id)}.${digest}@${host}>`
}

async function send(
  transport: Transporter<SMTPSentMessageInfo>,
  mail: ReturnType<typeof toMail> | ReturnType<typeof toReportMail>,
  context: SmtpContext,
): Promise<DeliveryResult> {
  try {
    return classifySmtpSuccess(await transport.sendMail(mail), context)
  } catch (error) {
    return classifySmtpError(error as NodemailerError, context)
  }
}

/** A server that takes not even our own words takes nothing. */
async function sendBare(...given: Parameters<typeof send>): Promise<DeliveryResult> {
  const answer = await send(...given)
  return answer.result === 'bad_message' ? { result: 'dead', reason: answer.reason } : answer
}

function parseAddress(channel: string, text: string): Address {
  const match = /^(?:(?<name>[^<>\r\n]*)<(?<bracketed>[^<>\s]+)>|(?<bare>[^<>\s]+))$/.exec(text.trim())
  const address = match?.groups?.['bracketed'] ?? match?.groups?.['bare'] ?? ''
  if (!/^[^@,;:]+@[^@,;:]+$/.test(address)) {
    throw new MonitorError(
      'config.invalid',
      `channel ${channel}: ${JSON.stringify(text)} is not a mail address`,
    )
  }
  return { name: (match?.groups?.['name'] ?? '').trim().replace(/^"|"$/g, ''), address }
}

/** The recipients who have yet to get a mail. They come back as they were spelt on the wire: in small letters, and those of ASCII. */
function stillOwed(to: readonly Address[], owed: readonly string[] | null): readonly Address[] {
  const names = owed?.map(spell)
  return to.filter(({ address }) => names?.includes(spell(address)) ?? true)
}

function spell(address: string): string {
  return `${address.slice(0, address.lastIndexOf('@')).replaceAll('"', '')}@${domainOf(address)}`
}

/** As every mail server takes it, also in a Message-ID. */
function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1)
  return domainToASCII(domain) || domain
}

function secretsOf(url: Secret, server: SmtpServer): Secret[] {
  return server.auth === null ? [url] : [url, new Secret(server.auth.pass), new Secret(server.auth.user)]
}

interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte (`smtps:`), instead of STARTTLS. */
  readonly implicitTls: boolean
  /** Whether a mail may only travel encrypted: credentials are sent, or the host is another machine. */
  readonly tlsRequired: boolean
  readonly auth: { readonly user: string; readonly pass: string } | null
}

/**
 * Reads `smtp://user:password@host:port` or `smtps://…`. `?requireTLS=true` demands encryption even where it could be
 * done without; nothing in the address can lift the demand.
 * @throws MonitorError `config.invalid`, without repeating the address
 */
export function parseSmtpUrl(channel: string, text: string): SmtpServer {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || url.hostname === '') {
    throw invalid(channel, 'smtp is not an address like smtp://user:password@host:587 or smtps://…')
  }
  const unknown = [...url.searchParams.keys()].find((key) => key !== 'requireTLS' && key !== 'ignoreTLS')
  if (unknown !== undefined) throw invalid(channel, 'smtp takes no parameter but requireTLS=true')
  const implicitTls = url.protocol === 'smtps:'
  const auth =
    url.username === '' && url.password === ''
      ? null
      : { user: decodePart(url.username), pass: decodePart(url.password) }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return {
    host,
    port: url.port === '' ? (implicitTls ? 465 : 587) : Number(url.port),
    implicitTls,
    tlsRequired: auth !== null || !isLoopback(host) || url.searchParams.get('requireTLS') === 'true',
    auth,
  }
}

/** By name or number only: a name that merely resolves to this machine could resolve elsewhere tomorrow. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

function invalid(channel: string, message: string): MonitorError {
  return new MonitorError('config.invalid', `channel ${channel}: ${message}`)
}
