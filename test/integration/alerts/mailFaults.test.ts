import { createServer, type AddressInfo } from 'node:net'
import PostalMime from 'postal-mime'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../../src/lib/secret.ts'
import type { ChannelConfig } from '../../../src/delivery/channels/createChannel.ts'
import type { EmailDeps } from '../../../src/delivery/channels/email.ts'
import { createSlackInbox } from '../../../src/sandbox/inbox/slackInbox.ts'
import { createSmtpInbox, type SmtpInboxOptions } from '../../../src/sandbox/inbox/smtpInbox.ts'
import { createWireBench } from '../../support/wireBench.ts'
import { createEvent, createRule } from '../../unit/alerts/harness.ts'
import { selfSigned } from '../delivery/selfSigned.ts'

const minute = 60_000
const everyone = ['a@example.com', 'b@example.com', 'c@example.com']

interface Options {
  readonly inbox?: SmtpInboxOptions
  readonly deps?: EmailDeps
  /** By default the inbox without credentials. */
  readonly url?: (port: number) => string
}

/** Mail as `mail` to three people, Slack as the fallback channel. */
async function setUp(options: Options = {}) {
  const smtp = await createSmtpInbox(options.inbox)
  const spare = await createSlackInbox()
  onTestFinished(async () => {
    await Promise.all([smtp.close(), spare.close()])
  })
  const url = options.url?.(smtp.port) ?? smtp.url
  const mail: ChannelConfig = {
    name: 'mail',
    type: 'email',
    smtp: new Secret(url),
    from: 'bridge@example.com',
    to: everyone,
  }
  const bench = createWireBench({
    channels: [mail, { name: 'spare', type: 'slack', url: new Secret(spare.url) }],
    fallback: 'spare',
    deps: { timeoutMs: 5_000, ...options.deps },
  })
  const minutes = () => bench.at('mail').map(({ afterMs }) => afterMs / minute)
  const idsOf = async () =>
    Promise.all(smtp.mails.map(async ({ raw }) => (await PostalMime.parse(raw)).messageId))
  const spareTexts = () => spare.messages.map(({ text }) => text).join('\n')
  return { smtp, spare, bench, minutes, idsOf, spareTexts }
}

const greylist = everyone.map((recipient) => ({ at: 'rcpt', code: 451, recipient }) as const)

test('F34: a greylist is asked again after 1 and 5 minutes with the same envelope, and the mail arrives once', async () => {
  const { smtp, spare, bench, minutes } = await setUp()
  smtp.script(...greylist, ...greylist)
  await bench.tell(1)
  await bench.advance(60 * minute)
  expect(minutes()).toEqual([0, 1, 6])
  expect(smtp.mails.map(({ to }) => to)).toEqual([everyone])
  expect(spare.messages).toEqual([])
})

describe('F35: the mail server says no', () => {
  test.each([
    { at: 'connect', code: 421 },
    { at: 'mail', code: 450 },
    { at: 'data', code: 452 },
  ] as const)('$code at $at is tried again a minute later', async ({ at, code }) => {
    const { smtp, spare, bench, minutes } = await setUp()
    smtp.script({ at, code })
    await bench.tell(1)
    await bench.advance(10 * minute)
    expect(minutes()).toEqual([0, 1])
    expect(smtp.mails.length).toBe(1)
    expect(spare.messages).toEqual([])
  })

  test.each([
    { at: 'connect', code: 554 },
    { at: 'mail', code: 530 },
  ] as const)(
    '$code at $at closes the channel, tells the fallback and asks again after 15 minutes',
    async ({ at, code }) => {
      const { smtp, bench, minutes, spareTexts } = await setUp()
      smtp.script({ at, code })
      await bench.tell(1)
      await bench.advance(minute)
      expect(bench.store.getChannel('mail').circuit).toBe('open')
      expect(spareTexts()).toContain('1 USDC')
      expect(spareTexts()).toContain('monitor.channel_dead')
      await bench.advance(20 * minute)
      expect(minutes()).toEqual([0, 15])
      expect(smtp.mails.length).toBe(1)
    },
  )

  test('554 of every mail closes the channel, 554 of one in its rich form does not', async () => {
    const refused = { at: 'data', code: 554, text: 'content rejected' } as const
    const one = await setUp()
    one.smtp.script(refused)
    await one.bench.tell(1)
    await one.bench.advance(minute)
    expect(one.bench.store.getChannel('mail').circuit).toBe('closed')
    expect(one.smtp.mails.length).toBe(1)
    const all = await setUp()
    all.smtp.script(refused, refused, refused)
    await all.bench.tell(1)
    await all.bench.advance(minute)
    expect(all.bench.store.getChannel('mail').circuit).toBe('open')
    expect(all.spareTexts()).toContain('monitor.channel_dead')
  })

  test('552: the message is too large: once more in plain form, and the channel stays open', async () => {
    const { smtp, spare, bench } = await setUp()
    smtp.script({ at: 'data', code: 552, text: 'message size exceeds limit' })
    await bench.tell(1)
    await bench.advance(minute)
    expect(bench.store.getChannel('mail').circuit).toBe('closed')
    expect(smtp.mails.map(({ raw }) => raw.includes('text/html'))).toEqual([false])
    expect(spare.messages).toEqual([])
  })
})

test('F36: of three recipients one is refused and one deferred: the third has it once, the deferred one gets it alone, the refused one is told elsewhere', async () => {
  const { smtp, bench, spareTexts, idsOf } = await setUp()
  smtp.script(
    { at: 'rcpt', code: 550, recipient: 'b@example.com', text: 'no such user' },
    { at: 'rcpt', code: 451, recipient: 'c@example.com' },
  )
  await bench.tell(1)
  await bench.advance(10 * minute)
  expect(smtp.mails.map(({ to }) => to)).toEqual([['a@example.com'], ['c@example.com']])
  expect(new Set(await idsOf()).size).toBe(1)
  expect(spareTexts()).toContain('b@example.com')
  expect(spareTexts()).toContain('no such user')
})

test('a mail that every recipient refuses is at the fallback, and no acknowledgement; once one takes it, it is told', async () => {
  const { smtp, bench, spareTexts } = await setUp()
  smtp.script(...everyone.map((recipient) => ({ at: 'rcpt', code: 550, recipient }) as const))
  await bench.tell(1)
  await bench.advance(minute)
  expect(bench.store.getChannel('mail')).toMatchObject({ circuit: 'open', lastAckAt: null })
  expect(spareTexts()).toContain('1 USDC')
  expect(spareTexts()).toContain('monitor.channel_dead')
  await bench.advance(20 * minute)
  expect(smtp.mails.map(({ to }) => to)).toEqual([everyone])
})

describe('F37: a mail server that falls silent', () => {
  // What answers has to within this as well, on a machine that is busy.
  const quick = { connectionMs: 5_000, greetingMs: 5_000, socketMs: 1_000 }
  test('without a greeting the attempt ends after the greeting timeout', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as AddressInfo
    const { bench } = await setUp({
      url: () => `smtp://127.0.0.1:${port}`,
      deps: { smtpTimeouts: { ...quick, greetingMs: 100 } },
    })
    await bench.tell(1)
    expect(bench.at('mail')[0]?.result).toEqual({
      result: 'transient',
      reason: '127.0.0.1: GREETING_TIMEOUT',
    })
  })

  test.each([
    { title: 'stalling before the mail', script: { at: 'mail', stall: true }, copies: 1 },
    { title: 'stalling after the final dot', script: { at: 'data', stall: true }, copies: 1 },
    {
      title: 'dropping the connection after it took the mail',
      script: { at: 'data', drop: true, taken: true },
      copies: 2,
    },
    {
      title: 'dropping the connection without taking it',
      script: { at: 'data', drop: true, taken: false },
      copies: 1,
    },
  ] as const)('$title: tried again a minute later under the same Message-ID', async ({ script, copies }) => {
    const { smtp, bench, minutes, idsOf, spare } = await setUp(
      'stall' in script ? { deps: { smtpTimeouts: quick } } : {},
    )
    smtp.script(script)
    await bench.tell(1)
    await bench.advance(10 * minute)
    expect(minutes()).toEqual([0, 1])
    const ids = await idsOf()
    expect([ids.length, new Set(ids).size]).toEqual([copies, 1])
    expect(spare.messages).toEqual([])
  })
})

describe('F38: a mail server that cannot be trusted', () => {
  const user = { name: 'bob', password: 'hunter2hunter2' }
  const url = (password: string) => (port: number) => `smtp://bob:${password}@127.0.0.1:${port}`
  const trusting: EmailDeps = { tls: { ca: selfSigned.cert } }
  test.each<Options & { title: string }>([
    { title: 'STARTTLS stripped', inbox: { user }, url: url(user.password) },
    {
      title: 'a certificate that nobody signed',
      inbox: { user, startTls: true, tls: selfSigned },
      url: url(user.password),
    },
    {
      title: 'credentials refused',
      inbox: { user, startTls: true, tls: selfSigned },
      url: url('wrong-wrong-wrong'),
      deps: trusting,
    },
  ])('$title: nothing is sent in clear, the channel closes and the fallback is told', async (options) => {
    const { smtp, bench, spareTexts } = await setUp(options)
    await bench.tell(1)
    await bench.advance(minute)
    expect(smtp.mails).toEqual([])
    expect(bench.store.getChannel('mail').circuit).toBe('open')
    expect(spareTexts()).toContain('1 USDC')
    expect(bench.log.join('') + spareTexts()).not.toMatch(/hunter2|wrong-wrong/)
  })

  test('once STARTTLS is offered with a certificate that is trusted, the mail goes out, encrypted', async () => {
    const inbox = { user, startTls: true, tls: selfSigned }
    const { smtp, bench } = await setUp({ inbox, url: url(user.password), deps: trusting })
    await bench.tell(1)
    expect(smtp.mails.map(({ secure, user: name }) => [secure, name])).toEqual([[true, 'bob']])
  })
})

test('F39: a mail larger than the server takes goes out shortened, says so, and its counts stay true', async () => {
  const { smtp, spare, bench } = await setUp({ inbox: { size: 300_000 } })
  const rule = createRule({ name: 'failed', severity: 'critical' })
  bench.commit((now) =>
    bench.engine.tellEvents(
      Array.from({ length: 1_200 }, (_, index) => ({ rule, finding: createEvent(index + 1) })),
      now,
    ),
  )
  await bench.advance(10 * minute)
  expect(smtp.mails.length).toBe(1)
  const mail = await PostalMime.parse(smtp.mails[0]?.raw ?? '')
  expect(mail.subject).toContain('1200 withdrawals failed')
  const told = new Set(
    [...(mail.text ?? '').matchAll(/Withdrawal of ([\d,]+) USDC/g)].map(([, amount]) =>
      amount?.replace(',', ''),
    ),
  )
  expect(told.has('1200')).toBe(true)
  expect(mail.text).toContain(`… and ${1_200 - told.size} more`)
  expect(spare.messages).toEqual([])
})

describe('F40: a finding that cannot be rendered', () => {
  test('a summary that throws leaves the mail its own words', async () => {
    const summarize = () => {
      throw new Error('no such filter')
    }
    const rule = createRule({ severity: 'critical', summarize })
    const { smtp, bench } = await setUp()
    await bench.tell(1, rule)
    expect(smtp.mails[0]?.subject).toContain('Withdrawal of 1 USDC failed')
  })

  test('a row that cannot be read is told by what is known of it, and what is beside it in full', async () => {
    const { smtp, bench } = await setUp()
    bench.commit((now) => {
      const rule = createRule({ severity: 'critical' })
      bench.engine.tellEvents(
        [1, 2].map((n) => ({ rule, finding: createEvent(n) })),
        now,
      )
      bench.database.prepare(`UPDATE alerts SET finding = '{"half' WHERE subject = 't1'`).run()
    })
    await bench.advance(0)
    const text = await textOf(smtp.mails)
    expect(text).toContain('2 USDC')
    expect(text).toMatch(/t1[\s\S]*cannot be read/)
    expect(text).toContain('CRITICAL')
  })

  test('words of a row that are none hold back neither it nor what is beside it', async () => {
    const { smtp, bench } = await setUp()
    bench.commit((now) => {
      const rule = createRule({ severity: 'critical' })
      bench.engine.tellEvents(
        [1, 2].map((n) => ({ rule, finding: createEvent(n) })),
        now,
      )
      bench.database
        .prepare("UPDATE alerts SET severity = 'half', nature = 'half', state = 'half' WHERE subject = 't1'")
        .run()
      bench.database
        .prepare(
          "UPDATE outbox SET what = 'half' WHERE alert_id = (SELECT id FROM alerts WHERE subject = 't1')",
        )
        .run()
    })
    await bench.advance(0)
    const text = await textOf(smtp.mails)
    expect(text).toContain('1 USDC')
    expect(text).toContain('2 USDC')
  })
})

/** A mail a case: what all of them say. */
async function textOf(mails: readonly { readonly raw: string | Uint8Array }[]): Promise<string> {
  const parsed = await Promise.all(mails.map(({ raw }) => PostalMime.parse(raw)))
  return parsed.map(({ text }) => text ?? '').join('\n')
}
