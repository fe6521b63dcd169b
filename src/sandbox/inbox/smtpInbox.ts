import { portOf } from '../../lib/portOf.ts'
import {
  SMTPServer,
  type SMTPServerDataStream,
  type SMTPServerOptions,
  type SMTPServerSession,
} from 'smtp-server'

/** A mail that the inbox took. `raw` is the message as sent, headers and all. */
interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
  readonly subject: string
  readonly secure: boolean
  readonly user: string | null
}

type SmtpStage = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data'

/** One scripted misbehaviour: used up by the first command of its stage (and recipient) that it fits. */
type SmtpAnswer =
  | {
      readonly at: SmtpStage
      readonly code: number
      readonly text?: string
      /** Only for this recipient, at stage `rcpt`. */
      readonly recipient?: string
    }
  /** No answer at this stage, ever. At `data`: after the final dot. */
  | { readonly at: SmtpStage; readonly stall: true }
  /** Breaks the connection after the final dot, the mail being taken or not. */
  | { readonly at: 'data'; readonly drop: true; readonly taken: boolean }

export interface SmtpInboxOptions {
  readonly port?: number
  readonly onMail?: (mail: ReceivedMail) => void
  /** Offers STARTTLS, by the certificate given or smtp-server's own, which nobody trusts. */
  readonly startTls?: boolean
  /** TLS from the first byte. */
  readonly implicitTls?: boolean
  readonly tls?: { readonly key: string; readonly cert: string }
  /** The only user who may send; without it anyone may. */
  readonly user?: { readonly name: string; readonly password: string }
  /** The largest mail that it takes, in bytes; announced in its greeting. */
  readonly size?: number
  readonly keep?: number
}

export interface SmtpInbox {
  readonly port: number
  /** `smtp://127.0.0.1:port`, without credentials. */
  readonly url: string
  readonly mails: readonly ReceivedMail[]
  script(...answers: SmtpAnswer[]): void
  close(): Promise<void>
}

interface InboxState {
  readonly mails: ReceivedMail[]
  readonly answers: SmtpAnswer[]
}

type Done = (error?: Error | null) => void

/** A mail server for the demo and for tests: takes everything, keeps it, misbehaves as configured. Loopback only. */
export async function createSmtpInbox(options: SmtpInboxOptions = {}): Promise<SmtpInbox> {
  const state: InboxState = { mails: [], answers: [] }
  const server = new SMTPServer({ ...serverOptions(options), ...handlers(state, options, () => server) })
  // A client that breaks off is business as usual here.
  server.on('error', () => undefined)
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const port = portOf(server.server)
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    mails: state.mails,
    script: (...answers) => void state.answers.push(...answers),
    close: () => close(server),
  }
}

function serverOptions(options: SmtpInboxOptions): SMTPServerOptions {
  return {
    name: 'inbox.sandbox',
    logger: false,
    secure: options.implicitTls ?? false,
    disableReverseLookup: true,
    disabledCommands: [
      ...(options.startTls === true ? [] : ['STARTTLS']),
      ...(options.user === undefined ? ['AUTH'] : []),
    ],
    authOptional: options.user === undefined,
    allowInsecureAuth: true,
    closeTimeout: 10,
    size: options.size ?? 10 * 1024 * 1024,
    ...options.tls,
  }
}

function handlers(state: InboxState, options: SmtpInboxOptions, server: () => SMTPServer): SMTPServerOptions {
  const follow = (stage: SmtpStage, done: Done, recipient?: string) => {
    const answer = take(state.answers, stage, recipient)
    if (answer === null) return done()
    if ('code' in answer) done(smtpError(answer.code, answer.text))
  }
  return {
    onConnect: (_session, done) => follow('connect', done),
    onMailFrom: (_address, _session, done) => follow('mail', done),
    onRcptTo: (address, _session, done) => follow('rcpt', done, address.address),
    onAuth(auth, _session, done) {
      const known = auth.username === options.user?.name && auth.password === options.user?.password
      const refuse = () => done(smtpError(535, 'Authentication credentials invalid'))
      follow('auth', (error) =>
        error ? done(error) : known ? done(null, { user: auth.username }) : refuse(),
      )
    },
    onData(stream, session, done) {
      // Reading fails only when the client is gone, and then nobody waits for an answer.
      receive(state, options, { stream, session, done, server: server() }).catch(() => undefined)
    },
  }
}

interface Incoming {
  readonly stream: SMTPServerDataStream
  readonly session: SMTPServerSession
  readonly done: Done
  readonly server: SMTPServer
}

async function receive(state: InboxState, options: SmtpInboxOptions, incoming: Incoming): Promise<void> {
  const raw = await readAll(incoming.stream)
  if (incoming.stream.sizeExceeded) return incoming.done(smtpError(552, 'message size exceeds the limit'))
  const answer = take(state.answers, 'data')
  const dropped = answer !== null && 'drop' in answer
  if (answer === null || (dropped && answer.taken)) keepMail(state, options, toMail(incoming.session, raw))
  if (dropped) return dropConnection(incoming.server, incoming.session)
  if (answer !== null && 'stall' in answer) return
  incoming.done(answer === null ? null : smtpError(answer.code, answer.text))
}

function keepMail(state: InboxState, options: SmtpInboxOptions, mail: ReceivedMail): void {
  state.mails.push(mail)
  const keep = options.keep ?? 1_000
  if (state.mails.length > keep) state.mails.splice(0, state.mails.length - keep)
  options.onMail?.(mail)
}

function toMail(session: SMTPServerSession, raw: string): ReceivedMail {
  const head = raw.slice(0, raw.search(/\r?\n\r?\n/)).replace(/\r?\n[ \t]+/g, ' ')
  return {
    from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
    to: session.envelope.rcptTo.map(({ address }) => address),
    raw,
    subject: /^subject: *(.*)$/im.exec(head)?.[1]?.trim() ?? '',
    secure: session.secure,
    user: typeof session.user === 'string' ? session.user : null,
  }
}

function take(answers: SmtpAnswer[], stage: SmtpStage, recipient?: string): SmtpAnswer | null {
  const index = answers.findIndex((answer) => {
    const only = 'recipient' in answer ? answer.recipient : undefined
    return answer.at === stage && (only === undefined || only === recipient)
  })
  return index === -1 ? null : (answers.splice(index, 1)[0] ?? null)
}

function smtpError(code: number, text = 'scripted answer'): Error {
  return Object.assign(new Error(text), { responseCode: code })
}

function dropConnection(server: SMTPServer, session: SMTPServerSession): void {
  for (const connection of server.connections) {
    if (connection.session.id === session.id) connection._socket.destroy()
  }
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function close(server: SMTPServer): Promise<void> {
  for (const connection of server.connections) connection._socket.destroy()
  return new Promise((resolve) => server.close(() => resolve()))
}
