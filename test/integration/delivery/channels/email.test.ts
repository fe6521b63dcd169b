import { createServer, type Server } from 'node:net'
import type { AddressInfo } from 'node:net'
import PostalMime from 'postal-mime'
import { afterEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../../src/lib/secret.ts'
import {
  createEmailChannel,
  type EmailConfig,
  type EmailDeps,
} from '../../../../src/delivery/channels/email.ts'
import type { Message } from '../../../../src/delivery/channels/message.ts'
import {
  createSmtpInbox,
  type SmtpInbox,
  type SmtpInboxOptions,
} from '../../../../src/sandbox/inbox/smtpInbox.ts'
import { hostileTexts, toCase, toItem, toMessage, zoneHash } from '../../../unit/delivery/messages.ts'
import { selfSigned } from '../selfSigned.ts'

const plain = {
  signal: new AbortController().signal,
  degraded: false,
  recipients: null as readonly string[] | null,
  thread: null as string | null,
}
// smtp-server waits 100 ms before it greets: what is not under test is far above that.
const quickGreeting = { connectionMs: 5_000, greetingMs: 150, socketMs: 60_000 }
const quickSocket = { connectionMs: 5_000, greetingMs: 5_000, socketMs: 300 }
const open: { close(): Promise<void> | Server }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function startInbox(options: SmtpInboxOptions = {}): Promise<SmtpInbox> {
  const inbox = await createSmtpInbox(options)
  open.push(inbox)
  return inbox
}

interface Delivery {
  readonly config?: Partial<EmailConfig>
  readonly deps?: EmailDeps
  readonly message?: Message
  readonly options?: Partial<typeof plain>
}

async function deliver(url: string, delivery: Delivery = {}) {
  const config: EmailConfig = {
    name: 'mail',
    type: 'email',
    smtp: new Secret(url),
    from: 'Bridge watch <bridge@example.com>',
    to: ['ops@example.com', 'Finance <finance@example.com>', 'third@example.com'],
    ...delivery.config,
  }
  const channel = createEmailChannel(delivery.deps ?? {}, config)
  const result = await channel.deliver(delivery.message ?? toMessage(), { ...plain, ...delivery.options })
  await channel.close()
  return result
}

describe('a mail', () => {
  test('arrives as text and HTML, in one envelope for all', async () => {
    const inbox = await startInbox()
    expect(await deliver(inbox.url)).toEqual({ result: 'ack' })
    expect(inbox.mails.map(({ from, to }) => ({ from, to }))).toEqual([
      { from: 'bridge@example.com', to: ['ops@example.com', 'finance@example.com', 'third@example.com'] },
    ])
    const mail = await PostalMime.parse(inbox.mails[0]?.raw ?? '')
    expect(mail.subject).toBe('[spanwatch] CRITICAL: a withdrawal of 1250000.500001 USDC has not arrived')
    expect(mail.text).toContain(zoneHash)
    expect(mail.html).toContain(zoneHash)
    expect(mail.from).toMatchObject({ name: 'Bridge watch', address: 'bridge@example.com' })
    expect(mail.attachments).toEqual([])
  })

  test('keeps its Message-ID over attempts, and has another when its content differs', async () => {
    const inbox = await startInbox()
    await deliver(inbox.url)
    await deliver(inbox.url, { message: toMessage({ attempt: 2 }) })
    await deliver(inbox.url, { message: toMessage({ items: [toItem(), toItem({ alertId: 'alert-2' })] }) })
    const mails = await Promise.all(inbox.mails.map(({ raw }) => PostalMime.parse(raw)))
    const [first, again, joined] = mails.map(({ messageId }) => messageId)
    expect(first).toMatch(/^<a1b2c3\.[0-9a-f]{16}@example\.com>$/)
    expect(again).toBe(first)
    expect(joined).not.toBe(first)
  })

  test('of a case joins its conversation: one root for its life, and the subject of the first', async () => {
    const inbox = await startInbox()
    const first = await deliver(inbox.url, { message: toMessage({ case: toCase() }) })
    const subject = '[spanwatch] CRITICAL: a withdrawal of 1250000.500001 USDC has not arrived (case c42)'
    expect(first).toEqual({ result: 'ack', thread: `ledger-1c42 ${subject}` })
    const thread = first.result === 'ack' ? (first.thread ?? null) : null
    // Another process, another turn of the case, a worse headline.
    const later = toMessage({
      id: 'd4e5f6',
      headline: 'CRITICAL: escrow short',
      items: [toItem({ alertId: 'alert-2' })],
      case: toCase({ key: 'ledger-1:c42:2' }),
    })
    expect(await deliver(inbox.url, { message: later, options: { thread } })).toEqual({ result: 'ack' })
    const other = toMessage({ id: 'a7b8c9', case: toCase({ id: 'c43', root: 'ledger-1:c43' }) })
    await deliver(inbox.url, { message: other })
    const mails = await Promise.all(inbox.mails.map(({ raw }) => PostalMime.parse(raw)))
    const root = '<case.ledger-1c42@example.com>'
    expect(mails.map(({ inReplyTo, references }) => [inReplyTo, references])).toEqual([
      [root, root],
      [root, root],
      ['<case.ledger-1c43@example.com>', '<case.ledger-1c43@example.com>'],
    ])
    expect(mails.map(({ subject }) => subject)).toEqual([
      subject,
      `Re: ${subject}`,
      '[spanwatch] CRITICAL: a withdrawal of 1250000.500001 USDC has not arrived (case c43)',
    ])
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(3)
    expect(mails[0]?.headers.find(({ key }) => key === 'x-spanwatch-case')?.value).toBe('c42')
  })

  test.each([
    [
      'of a case that another one went into stays in the conversation of that one',
      'ledger-1c42 ',
      'ledger-1c42',
    ],
    ['of a case that was told by a version before stays in its own', '', 'ledger-1c7'],
  ])('%s', async (_, before, root) => {
    const inbox = await startInbox()
    const subject = '[spanwatch] CRITICAL: a theft (case c42)'
    const message = toMessage({ case: toCase({ id: 'c7', root: 'ledger-1:c7' }) })
    await deliver(inbox.url, { message, options: { thread: `${before}${subject}` } })
    const mail = await PostalMime.parse(inbox.mails[0]?.raw ?? '')
    expect([mail.inReplyTo, mail.subject]).toEqual([`<case.${root}@example.com>`, `Re: ${subject}`])
  })

  test('of a case that its channel told as another type before has a subject of its own', async () => {
    const inbox = await startInbox()
    await deliver(inbox.url, { message: toMessage({ case: toCase() }), options: { thread: '101 -1001234' } })
    expect(inbox.mails[0]?.subject).toMatch(/^\[spanwatch\] CRITICAL: /)
  })

  test('without a case is no conversation', async () => {
    const inbox = await startInbox()
    expect(await deliver(inbox.url)).toEqual({ result: 'ack' })
    const mail = await PostalMime.parse(inbox.mails[0]?.raw ?? '')
    expect([mail.inReplyTo, mail.references]).toEqual([undefined, undefined])
  })

  test.each(hostileTexts)('stays one subject line and one root of %j', async (hostile) => {
    const inbox = await startInbox()
    const message = toMessage({ case: toCase({ id: hostile, root: hostile }) })
    await deliver(inbox.url, { message, options: { thread: `[spanwatch] ${hostile}` } })
    const mail = await PostalMime.parse(inbox.mails[0]?.raw ?? '')
    expect(mail.headers.map(({ key }) => key)).not.toContain('bcc')
    expect(mail.inReplyTo).toMatch(/^<case\.[\w.-]{1,64}@example\.com>$/)
    expect(mail.subject).toMatch(/^Re: [^\r\n]{0,201}$/u)
  })

  test('in plain form has no HTML', async () => {
    const inbox = await startInbox()
    await deliver(inbox.url, { options: { degraded: true } })
    expect((await PostalMime.parse(inbox.mails[0]?.raw ?? '')).html).toBeUndefined()
  })

  test.each(hostileTexts)('gets no header and no recipient from %j', async (text) => {
    const inbox = await startInbox()
    const message = toMessage({ id: text, headline: text, items: [toItem({ summary: text, subject: text })] })
    expect(await deliver(inbox.url, { message })).toEqual({ result: 'ack' })
    const mail = await PostalMime.parse(inbox.mails[0]?.raw ?? '')
    expect(mail.headers.map(({ key }) => key).sort()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
      'x-spanwatch-id',
    ])
    expect(inbox.mails[0]?.to.length).toBe(3)
  })
})

test('a domain of another script stands in no header as it is written', async () => {
  const inbox = await startInbox()
  await deliver(inbox.url, {
    config: { from: 'bridge@bücher.example' },
    message: toMessage({ case: toCase() }),
  })
  const raw = inbox.mails[0]?.raw ?? ''
  expect(raw).toMatch(/^[\0-\x7f]+$/)
  expect(raw).toMatch(/^Message-ID: <.*@xn--bcher-kva\.example>/m)
})

test('the files of a report say in which encoding they are', async () => {
  const inbox = await startInbox()
  const config: EmailConfig = {
    name: 'mail',
    type: 'email',
    smtp: new Secret(inbox.url),
    from: 'bridge@example.com',
    to: ['ops@example.com'],
  }
  const channel = createEmailChannel({}, config)
  const csv = [{ name: 'book.csv', content: 'token\r\nÜSD\r\n' }]
  const report = {
    day: '2026-01-05',
    id: '2026-01-05.1',
    subject: 's',
    text: 't',
    html: 'h',
    charts: [],
    csv,
  }
  await channel.deliverReport?.(report, plain)
  await channel.close()
  const raw = inbox.mails[0]?.raw ?? ''
  expect(raw).toMatch(/Content-Type: text\/csv; charset=utf-8/)
  expect((await PostalMime.parse(raw)).attachments[0]).toMatchObject({ filename: 'book.csv' })
})

describe('recipients', () => {
  test('one refused and one deferred: the third has it, once', async () => {
    const inbox = await startInbox()
    inbox.script(
      { at: 'rcpt', code: 550, recipient: 'finance@example.com', text: 'no such user' },
      { at: 'rcpt', code: 451, recipient: 'third@example.com' },
    )
    expect(await deliver(inbox.url)).toEqual({
      result: 'partial',
      retry: ['third@example.com'],
      refused: [{ recipient: 'finance@example.com', reason: '127.0.0.1: 550 no such user' }],
    })
    expect(inbox.mails.map(({ to }) => to)).toEqual([['ops@example.com']])
  })

  test.each(['third@Example.COM', 'third@bücher.example', 'dritte-ä@bücher.example', 'third@[192.0.2.1]'])(
    '%s, who deferred it, gets the next attempt',
    async (third) => {
      const inbox = await startInbox()
      inbox.script({ at: 'rcpt', code: 451, recipient: await nameInInbox(third) })
      const config = { to: ['ops@example.com', third] }
      const first = await deliver(inbox.url, { config })
      const recipients = first.result === 'partial' ? first.retry : []
      await deliver(inbox.url, { config, options: { recipients } })
      expect(inbox.mails.map(({ to }) => to.length)).toEqual([1, 1])
    },
  )

  /** What an inbox hears an address as. */
  async function nameInInbox(address: string): Promise<string> {
    const inbox = await startInbox()
    await deliver(inbox.url, { config: { to: [address] } })
    return inbox.mails[0]?.to[0] ?? ''
  }

  test('only those still owed get the next attempt, under the same Message-ID', async () => {
    const inbox = await startInbox()
    await deliver(inbox.url)
    expect(await deliver(inbox.url, { options: { recipients: ['third@example.com'] } })).toEqual({
      result: 'ack',
    })
    expect(inbox.mails[1]?.to).toEqual(['third@example.com'])
    const [one, two] = await Promise.all(inbox.mails.map(({ raw }) => PostalMime.parse(raw)))
    expect(two?.messageId).toBe(one?.messageId)
  })

  test('all refused is a channel that reaches nobody', async () => {
    const inbox = await startInbox()
    const to = ['ops@example.com']
    inbox.script({ at: 'rcpt', code: 550, text: 'no such user' })
    expect(await deliver(inbox.url, { config: { to } })).toEqual({
      result: 'dead',
      reason: '127.0.0.1: 550 no such user',
    })
  })

  test('those no longer configured get nothing', async () => {
    const inbox = await startInbox()
    expect(await deliver(inbox.url, { options: { recipients: ['left@example.com'] } })).toEqual({
      result: 'ack',
      isMoot: true,
    })
    expect(inbox.mails).toEqual([])
  })

  test('greylisting defers the whole mail, which is taken later', async () => {
    const inbox = await startInbox()
    inbox.script({ at: 'rcpt', code: 451 }, { at: 'rcpt', code: 451 }, { at: 'rcpt', code: 451 })
    expect((await deliver(inbox.url)).result).toBe('transient')
    expect(await deliver(inbox.url)).toEqual({ result: 'ack' })
  })
})

test.each([
  { at: 'connect', code: 421, expected: 'transient' },
  { at: 'connect', code: 554, expected: 'dead' },
  { at: 'mail', code: 450, expected: 'transient' },
  { at: 'mail', code: 530, expected: 'dead' },
  { at: 'data', code: 451, expected: 'transient' },
  { at: 'data', code: 452, expected: 'transient' },
  { at: 'data', code: 554, expected: 'bad_message' },
] as const)('$code at $at is $expected', async ({ at, code, expected }) => {
  const inbox = await startInbox()
  inbox.script({ at, code })
  expect((await deliver(inbox.url)).result).toBe(expected)
})

describe('a mail whose content is refused', () => {
  const hostile = 'Claim your prize at https://evil.example'
  const message = toMessage({ headline: hostile, items: [toItem({ summary: hostile, subject: hostile })] })
  const refused = { at: 'data', code: 554, text: 'content rejected' } as const

  test('goes out in plain form without a word of others', async () => {
    const inbox = await startInbox()
    inbox.script(refused)
    expect(await deliver(inbox.url, { message, options: { degraded: true } })).toEqual({ result: 'ack' })
    const mail = await PostalMime.parse(inbox.mails[0]?.raw ?? '')
    expect([mail.subject, mail.text?.trim()]).toMatchInlineSnapshot(`
      [
        "[spanwatch] CRITICAL: 1 finding",
        "The mail server refused this message for what it says. Without names and texts of others:
      CRITICAL · rule withdrawal-stalled (transfer.stalled), sent 2026-01-05 09:00:00 UTC
      message #a1b2c3",
      ]
    `)
  })

  test('as such too, is a server that refuses us', async () => {
    const inbox = await startInbox()
    inbox.script(refused, refused)
    expect(await deliver(inbox.url, { message, options: { degraded: true } })).toEqual({
      result: 'dead',
      reason: '127.0.0.1: 554 content rejected',
    })
  })
})

describe('a server that stops talking', () => {
  test.each([
    { at: 'connect', smtpTimeouts: quickGreeting, reason: '127.0.0.1: GREETING_TIMEOUT' },
    { at: 'mail', smtpTimeouts: quickSocket, reason: '127.0.0.1: SOCKET_TIMEOUT' },
    { at: 'data', smtpTimeouts: quickSocket, reason: '127.0.0.1: SOCKET_TIMEOUT' },
  ] as const)('at $at is transient', async ({ at, smtpTimeouts, reason }) => {
    const inbox = await startInbox()
    inbox.script({ at, stall: true })
    expect(await deliver(inbox.url, { deps: { smtpTimeouts } })).toEqual({ result: 'transient', reason })
  })

  test('after the final dot may have taken the mail: transient, and the same Message-ID again', async () => {
    const inbox = await startInbox()
    inbox.script({ at: 'data', drop: true, taken: true })
    expect((await deliver(inbox.url)).result).toBe('transient')
    expect(await deliver(inbox.url, { message: toMessage({ attempt: 2 }) })).toEqual({ result: 'ack' })
    const ids = await Promise.all(inbox.mails.map(async ({ raw }) => (await PostalMime.parse(raw)).messageId))
    expect(new Set(ids).size).toBe(1)
    expect(ids.length).toBe(2)
  })

  test('and never greeted is transient', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    open.push({ close: () => silent.close() })
    const url = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`
    expect((await deliver(url, { deps: { smtpTimeouts: quickGreeting } })).result).toBe('transient')
  })

  test('is left when the daemon stops', async () => {
    const inbox = await startInbox()
    inbox.script({ at: 'data', stall: true })
    const stop = new AbortController()
    const pending = deliver(inbox.url, { options: { signal: stop.signal } })
    setTimeout(() => stop.abort(), 30)
    expect((await pending).result).toBe('transient')
  })
})

test('a refused connection is transient', async () => {
  const inbox = await createSmtpInbox()
  await inbox.close()
  expect((await deliver(inbox.url)).result).toBe('transient')
})

describe('TLS and credentials', () => {
  const user = { name: 'bob', password: 'hunter2hunter2' }
  const withUser = (inbox: SmtpInbox, scheme = 'smtp') =>
    `${scheme}://bob:hunter2hunter2@127.0.0.1:${inbox.port}`
  const trusting: EmailDeps = { tls: { ca: selfSigned.cert } }

  test('a password is never sent to a server without TLS (semantics 36)', async () => {
    const inbox = await startInbox({ user })
    expect(await deliver(withUser(inbox))).toEqual({
      result: 'dead',
      reason: '127.0.0.1 offers no trusted TLS, and this mail may not travel in clear',
    })
    expect(inbox.mails).toEqual([])
  })

  test('nor to one whose certificate nobody signed', async () => {
    const inbox = await startInbox({ user, startTls: true, tls: selfSigned })
    expect(await deliver(withUser(inbox))).toEqual({
      result: 'dead',
      reason:
        '127.0.0.1 offers no trusted TLS (DEPTH_ZERO_SELF_SIGNED_CERT), and this mail may not travel in clear',
    })
    expect(inbox.mails).toEqual([])
  })

  test('nor with TLS from the first byte', async () => {
    const inbox = await startInbox({ user, implicitTls: true, tls: selfSigned })
    expect((await deliver(withUser(inbox, 'smtps'))).result).toBe('dead')
  })

  test.each([
    { title: 'STARTTLS', options: { startTls: true }, scheme: 'smtp' },
    { title: 'TLS from the first byte', options: { implicitTls: true }, scheme: 'smtps' },
  ])('with $title and a trusted certificate the mail is taken', async ({ options, scheme }) => {
    const inbox = await startInbox({ user, tls: selfSigned, ...options })
    expect(await deliver(withUser(inbox, scheme), { deps: trusting })).toEqual({ result: 'ack' })
    expect(inbox.mails.map((mail) => ({ secure: mail.secure, user: mail.user }))).toEqual([
      { secure: true, user: 'bob' },
    ])
  })

  test('a wrong password is dead, and stays out of the reason', async () => {
    const inbox = await startInbox({ user, startTls: true, tls: selfSigned })
    const url = withUser(inbox).replace('hunter2hunter2', 'wrongwrongwrong')
    expect(await deliver(url, { deps: trusting })).toEqual({
      result: 'dead',
      reason: '127.0.0.1 refused the credentials (535)',
    })
  })

  test('a server on this machine is spoken to in clear, though its STARTTLS has a certificate of its own', async () => {
    const inbox = await startInbox({ startTls: true, tls: selfSigned })
    expect(await deliver(inbox.url)).toEqual({ result: 'ack' })
  })
})

test.each([
  { to: [] },
  { to: ['nobody'] },
  { to: ['a@example.com\r\nBcc: b@example.com'] },
  { from: 'x <a@example.com> <b@example.com>' },
])('an address that is none is refused: %j', async (config) => {
  await expect(deliver('smtp://127.0.0.1:1', { config })).rejects.toThrow(/^channel mail: /)
})
