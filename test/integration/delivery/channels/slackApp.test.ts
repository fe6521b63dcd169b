import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { DeliveryOptions, Message } from '../../../../src/delivery/channels/message.ts'
import { createSlackAppChannel } from '../../../../src/delivery/channels/slackApp/createSlackApp.ts'
import type { SlackAppConfig } from '../../../../src/delivery/channels/slackApp/openApp.ts'
import { createSystemClock } from '../../../../src/lib/clock.ts'
import {
  type FakeSlack,
  type FakeSlackOptions,
  startFakeSlack,
} from '../../../support/fakeSlack/fakeSlack.ts'
import { slackAppTo } from '../../../support/fakeSlack/slackAppTo.ts'
import { hostileTexts, toCase, toItem, toMessage, zoneHash } from '../../../unit/delivery/messages.ts'

const now = Date.UTC(2026, 0, 5, 9)
const clock = { ...createSystemClock(), now: () => now }
const plain: DeliveryOptions = { signal: new AbortController().signal, degraded: false, recipients: null }

let slack: FakeSlack
async function start(options: FakeSlackOptions = {}) {
  slack = await startFakeSlack({ now: () => now, ...options })
  const started = slack
  onTestFinished(() => started.close())
}
beforeEach(() => start())

const done = () => ({ ok: true }) as const
const actions = { ack: done, handle: done, silenceTransfer: done }

interface OpenOptions extends Partial<SlackAppConfig> {
  readonly buttons?: boolean
  readonly timeoutMs?: number
}

function open({ timeoutMs = 5_000, ...config }: OpenOptions = {}) {
  const logged: string[] = []
  const write = (facts: object | string, text?: string) => void logged.push(JSON.stringify([facts, text]))
  const channel = createSlackAppChannel(
    { clock, timeoutMs, log: { info: write, warn: write } },
    slackAppTo(slack, config),
  )
  channel.listen?.(actions)
  onTestFinished(() => channel.close())
  return { channel, logged }
}

/** A case that opened after this process began. */
const fresh = toCase({ openedAt: now + 1 })
const news = (overrides: Partial<Message> = {}) => toMessage({ case: fresh, ...overrides })
const quiet = { items: [], total: 0 }

async function deliverTo(channel: ReturnType<typeof open>['channel'], message: Message, options = plain) {
  const result = await channel.deliver(message, options)
  // An edit follows an acknowledgement.
  for (let turn = 0; turn < 200; turn += 1) await setImmediate()
  return result
}

describe('a case', () => {
  test('has one thread: what follows its first message is told there', async () => {
    const { channel } = open()
    const first = await deliverTo(channel, news())
    const second = await deliverTo(channel, news({ id: 'b2', items: [toItem({ summary: 'and another' })] }))
    const [root, ...others] = slack.posts()
    expect(others.filter(({ isBroadcast }) => !isBroadcast)).toEqual([])
    expect(root?.text).toContain(zoneHash)
    expect(slack.thread(root?.ts ?? '').map(({ text }) => text.includes('and another'))).toEqual([true])
    const thread = `${slack.channelId} ${root?.ts} ${slack.channelId}`
    expect([first, second]).toEqual([
      { result: 'ack', thread },
      { result: 'ack', thread },
    ])
  })

  test('finds its thread again after a restart, by what it gave back', async () => {
    const first = await deliverTo(open().channel, news())
    const thread = first.result === 'ack' ? first.thread : undefined
    await deliverTo(open().channel, news({ id: 'b2' }), { ...plain, thread: thread ?? null })
    expect(slack.posts().filter(({ isBroadcast }) => !isBroadcast).length).toBe(1)
    expect(slack.callsOf('conversations.replies')).toEqual([])
  })

  test('opened before a restart that lost the acknowledgement: its first message is found by what it carries', async () => {
    await deliverTo(open().channel, news())
    await deliverTo(open().channel, news({ id: 'b2', case: toCase(), ...quiet, changes: ['acknowledged'] }))
    expect(slack.posts().length).toBe(1)
    expect(slack.thread(slack.posts()[0]?.ts ?? '').length).toBe(1)
  })

  test.each([
    [['closed'], 0],
    [['merged'], 0],
    [['acknowledged', 'closed'], 1],
    [['opened again'], 1],
  ] as const)('that was told among many, and is %j, is %i posts', async (changes, posts) => {
    const message = news({ ...quiet, changes, case: { ...fresh, state: 'closed' } })
    expect(await deliverTo(open().channel, message)).toMatchObject({ result: 'ack' })
    expect(slack.posts()).toHaveLength(posts)
  })

  test('told by both lanes at once makes one thread', async () => {
    const { channel } = open()
    const results = await Promise.all(
      ['a1', 'a2', 'a3'].map((id) => channel.deliver(news({ id, severity: 'warning', ...quiet }), plain)),
    )
    expect(results.map(({ result }) => result)).toEqual(['ack', 'ack', 'ack'])
    expect(slack.posts().length).toBe(1)
    expect(slack.thread(slack.posts()[0]?.ts ?? '').length).toBe(2)
  })

  test('in another channel than before gets another thread', async () => {
    const thread = 'C0OLD00001 1700000000.000100 C0OLD00001'
    const result = await deliverTo(open().channel, news(), { ...plain, thread })
    expect(result).toMatchObject({ result: 'ack', thread: expect.stringContaining(slack.channelId) })
    expect(slack.posts().length).toBe(1)
  })

  test('whose first message is gone gets another one, once', async () => {
    const { channel } = open()
    await deliverTo(channel, news())
    slack.remove(slack.posts()[0]?.ts ?? '')
    await deliverTo(channel, news({ id: 'b2' }))
    await deliverTo(channel, news({ id: 'b3', ...quiet, changes: ['noted'] }))
    expect(slack.posts().length).toBe(1)
    expect(slack.thread(slack.posts()[0]?.ts ?? '').length).toBe(1)
  })
})

describe('what the channel sees of a thread', () => {
  const item = (severity: 'critical' | 'warning', status: 'event' | 'resolved' | 'repeat') => [
    toItem({ severity, status }),
  ]
  test.each([
    { title: 'critical news', message: { items: item('critical', 'event') }, isSeen: true },
    { title: 'a warning', message: { items: item('warning', 'event') }, isSeen: false },
    { title: 'an end', message: { items: item('critical', 'resolved') }, isSeen: false },
    { title: 'a reminder that nobody took', message: { items: item('critical', 'repeat') }, isSeen: true },
    {
      title: 'a reminder of what somebody took',
      message: { items: item('critical', 'repeat'), case: { ...fresh, state: 'acknowledged' as const } },
      isSeen: false,
    },
    { title: 'an acknowledgement', message: { ...quiet, changes: ['acknowledged' as const] }, isSeen: false },
    {
      title: 'a case that opened again',
      message: { ...quiet, changes: ['opened again' as const] },
      isSeen: true,
    },
  ])('$title: $isSeen', async ({ message, isSeen }) => {
    const { channel } = open()
    await deliverTo(channel, news())
    await deliverTo(channel, news({ id: 'b2', ...message }))
    expect(slack.thread(slack.posts()[0]?.ts ?? '').map(({ isBroadcast }) => isBroadcast)).toEqual([isSeen])
  })
})

describe('the first message', () => {
  const acknowledged = { ...fresh, state: 'acknowledged' as const, by: 'ann', members: 7 }
  test('is brought up to date, and keeps the findings that it told', async () => {
    const { channel } = open()
    await deliverTo(channel, news())
    await deliverTo(channel, news({ id: 'b2', case: acknowledged, ...quiet, changes: ['acknowledged'] }))
    const [root] = slack.posts()
    expect(root?.text).toContain('acknowledged by ann')
    expect(root?.text).toContain('7 findings')
    expect(root?.text).toContain(zoneHash)
    expect(root?.raw.edits).toBe(1)
    expect(slack.thread(root?.ts ?? '')[0]?.text).toContain('👀 Acknowledged by ann')
  })

  test('is brought up to date after a restart as well, its findings read from Slack', async () => {
    await deliverTo(open().channel, news())
    const thread = `${slack.channelId} ${slack.posts()[0]?.ts} ${slack.channelId}`
    const message = news({ id: 'b2', case: acknowledged, ...quiet, changes: ['acknowledged'] })
    await deliverTo(open().channel, message, { ...plain, thread })
    const [root] = slack.posts()
    expect(root?.text).toContain('acknowledged by ann')
    expect(root?.text).toContain(zoneHash)
    expect(root?.buttons).toEqual(['link-runbook', 'link-explorer', 'link-case'])
  })

  test('stays as it is where nothing can be read: an edit would take its findings away', async () => {
    await deliverTo(open().channel, news())
    slack.world.scopes.delete('channels:history')
    const thread = `${slack.channelId} ${slack.posts()[0]?.ts} ${slack.channelId}`
    const { channel, logged } = open()
    for (const id of ['b2', 'b3']) {
      const message = news({ id, case: acknowledged, ...quiet, changes: ['acknowledged'] })
      expect((await deliverTo(channel, message, { ...plain, thread })).result).toBe('ack')
    }
    expect(slack.posts()[0]?.raw.edits).toBe(0)
    expect(logged.length).toBe(1)
  })

  test.each([
    { title: 'a broken connection', answer: 'reset' as const },
    { title: 'a rate limit', answer: { status: 429, headers: { 'retry-after': '0' } } },
    { title: "Slack's own trouble", answer: { error: 'internal_error' } },
  ])(
    'after $title is brought up to date with the next message, and the delivery succeeds',
    async ({ answer }) => {
      let monotonic = 0
      const moving = { ...clock, monotonicMs: () => (monotonic += 60_000) }
      const channel = createSlackAppChannel({ clock: moving }, slackAppTo(slack))
      onTestFinished(() => channel.close())
      await deliverTo(channel, news())
      slack.respond('chat.update', answer)
      const message = news({ id: 'b2', case: acknowledged, ...quiet, changes: ['acknowledged'] })
      expect((await deliverTo(channel, message)).result).toBe('ack')
      expect(slack.posts()[0]?.text).not.toContain('acknowledged')
      // Another case's message is the next one.
      await deliverTo(channel, news({ id: 'b3' }))
      expect(slack.posts()[0]?.text).toContain('3 findings')
      expect(slack.callsOf('chat.update').length).toBe(2)
    },
  )

  test('that Slack no longer lets anybody edit is given up, and said once', async () => {
    const { channel, logged } = open()
    await deliverTo(channel, news())
    slack.respond('chat.update', { error: 'edit_window_closed' }, { error: 'edit_window_closed' })
    for (const id of ['b2', 'b3']) await deliverTo(channel, news({ id, ...quiet, changes: ['noted'] }))
    expect(logged.length).toBe(1)
  })

  test('in plain form is not edited: its text is all it has', async () => {
    const { channel } = open()
    await deliverTo(channel, news(), { ...plain, degraded: true })
    await deliverTo(channel, news({ id: 'b2', ...quiet, changes: ['noted'] }))
    expect(slack.posts()[0]?.raw).toMatchObject({ edits: 0, blocks: [] })
    expect(slack.posts()[0]?.text).toContain(zoneHash)
  })

  test('has buttons where somebody listens, by the state of its case', async () => {
    const { channel } = open({ buttons: true })
    const links = ['link-runbook', 'link-explorer', 'link-case']
    await deliverTo(channel, news())
    expect(slack.posts()[0]?.buttons).toEqual(['case-ack', 'case-silence', 'case-handle', ...links])
    await deliverTo(channel, news({ id: 'b2', case: acknowledged, ...quiet, changes: ['acknowledged'] }))
    expect(slack.posts()[0]?.buttons).toEqual(['case-silence', 'case-handle', ...links])
    const handled = { ...fresh, state: 'handled' as const, by: 'ann', reason: 'refunded' }
    await deliverTo(channel, news({ id: 'b3', case: handled, ...quiet, changes: ['handled'] }))
    expect(slack.posts()[0]?.buttons).toEqual(links)
    expect(slack.posts()[0]?.text).toContain('handled by ann: refunded')
  })

  test('of a case of several transfers has nothing to silence', async () => {
    await deliverTo(open({ buttons: true }).channel, news({ case: { ...fresh, transferKey: null } }))
    expect(slack.posts()[0]?.buttons).not.toContain('case-silence')
  })
})

describe('F111: a message that may have arrived', () => {
  test.each([
    { title: 'of no case', message: { case: null } },
    { title: 'the first one of a case', message: {} },
  ])('$title is looked for, found and acknowledged', async ({ message }) => {
    slack.respond('chat.postMessage', 'lost')
    expect((await deliverTo(open().channel, news(message))).result).toBe('transient')
    const again = await deliverTo(open().channel, news({ attempt: 2, ...message }))
    expect(again.result).toBe('ack')
    expect(slack.posts().length).toBe(1)
    if (again.result === 'ack' && message.case !== null)
      expect(again.thread).toBe(`${slack.channelId} ${slack.posts()[0]?.ts} ${slack.channelId}`)
  })

  test('in a thread is looked for there, beyond one page', async () => {
    const { channel } = open()
    await deliverTo(channel, news())
    slack.respond('chat.postMessage', 'lost')
    const message = news({ id: 'b2', ...quiet, changes: ['noted'] })
    expect((await deliverTo(channel, message)).result).toBe('transient')
    for (let n = 0; n < 60; n += 1)
      await channel.deliver(news({ id: `x${n}`, ...quiet, changes: ['noted'] }), plain)
    expect((await deliverTo(channel, { ...message, attempt: 2 })).result).toBe('ack')
    expect(slack.thread(slack.posts()[0]?.ts ?? '').length).toBe(61)
  })

  test('and did not is posted, marked with its attempt', async () => {
    slack.respond('chat.postMessage', 'reset')
    const { channel } = open()
    await deliverTo(channel, news())
    await deliverTo(channel, news({ attempt: 2 }))
    expect(slack.posts().map(({ text }) => text.includes('message #a1b2c3 · attempt 2'))).toEqual([true])
  })

  test('where reading is not permitted is posted again, marked with its attempt', async () => {
    slack.world.scopes.delete('channels:history')
    slack.respond('chat.postMessage', 'lost')
    await deliverTo(open().channel, news())
    expect((await deliverTo(open().channel, news({ attempt: 2 }))).result).toBe('ack')
    expect(slack.posts().map(({ text }) => text.includes('attempt 2'))).toEqual([false, true])
  })

  test('by a name of the channel that is not known by its id yet is posted again', async () => {
    slack.respond('chat.postMessage', 'lost')
    await deliverTo(open({ channel: '#bridge-alerts' }).channel, news())
    await deliverTo(open({ channel: '#bridge-alerts' }).channel, news({ attempt: 2 }))
    expect(slack.posts().length).toBe(2)
  })

  test('while it cannot be looked up waits, and after four attempts is posted all the same', async () => {
    const { channel } = open()
    for (const attempt of [2, 3, 4]) {
      slack.respond('conversations.history', { error: 'internal_error' })
      expect((await deliverTo(channel, news({ attempt }))).result).toBe('transient')
    }
    slack.respond('conversations.history', { error: 'internal_error' }, { error: 'internal_error' })
    expect((await deliverTo(channel, news({ attempt: 4 }))).result).toBe('transient')
    expect((await deliverTo(channel, news({ attempt: 5 }))).result).toBe('ack')
  })

  test('of another app that carries the same name is not taken for ours', async () => {
    await deliverTo(open().channel, news())
    const [message] = slack.world.messages
    if (message) slack.world.messages.splice(0, 1, { ...message, bot_id: 'B0OTHER001' })
    await deliverTo(open().channel, news({ attempt: 2 }))
    expect(slack.posts().length).toBe(2)
  })
})

describe('limits', () => {
  test('a storm of hostile names passes what Slack takes, as first message and as reply', async () => {
    const { channel } = open({ buttons: true })
    const items = hostileTexts.map((text) =>
      toItem({ summary: text, subject: text, fields: [{ label: text, value: text, href: text }] }),
    )
    const hostile = hostileTexts.join(' ')
    const of = toCase({ openedAt: now + 1, title: hostile, assignee: hostile, by: hostile, reason: hostile })
    const message = news({ case: of, items, total: 5_000, changes: ['acknowledged', 'handled', 'assigned'] })
    for (const id of ['a1', 'a2']) {
      expect((await deliverTo(channel, { ...message, id, headline: hostile })).result).toBe('ack')
    }
    const texts = JSON.stringify(
      slack.callsOf('chat.postMessage').map(({ args }) => [args['blocks'], args['text']]),
    )
    expect(texts).not.toMatch(/<!|<@|<#|<https:\/\/evil/)
    expect(slack.posts()[0]?.raw.edits).toBe(1)
  })

  test('an answer that repeats a large message is read to its end', async () => {
    const items = Array.from({ length: 25 }, () => toItem({ summary: '🦑'.repeat(200) }))
    expect((await deliverTo(open().channel, news({ items, total: 25 }))).result).toBe('ack')
  })

  test('a plain form is text alone, without metadata', async () => {
    await deliverTo(open().channel, news(), { ...plain, degraded: true })
    const [call] = slack.callsOf('chat.postMessage')
    expect([call?.args['blocks'], call?.args['metadata']]).toEqual([undefined, undefined])
    expect(Object.keys(call?.args ?? {})).toContain('text')
  })
})

test('a message without a case is a plain post', async () => {
  const result = await deliverTo(open().channel, toMessage())
  expect(result).toEqual({ result: 'ack' })
  expect(slack.posts().length).toBe(1)
  expect(slack.callsOf('conversations.history')).toEqual([])
})

describe('how Slack refuses', () => {
  test.each([
    { answer: 'hang' as const, result: 'transient' },
    { answer: 'drip' as const, result: 'transient' },
    { answer: 'reset' as const, result: 'transient' },
    { answer: { status: 503 }, result: 'transient' },
    { answer: { status: 302, headers: { location: 'http://127.0.0.1:9/' } }, result: 'dead' },
    { answer: { status: 200, body: '<html>fine</html>' }, result: 'suspicious' },
    { answer: { status: 200, body: '{"ok":true}' }, result: 'suspicious' },
    { answer: { status: 429, headers: { 'retry-after': '30' } }, result: 'throttled' },
    { answer: { error: 'ratelimited' }, result: 'throttled' },
    { answer: { error: 'not_in_channel' }, result: 'dead' },
    { answer: { error: 'invalid_blocks' }, result: 'bad_message' },
    { answer: { error: 'some_new_word' }, result: 'suspicious' },
  ])('$answer means $result, of one request', async ({ answer, result }) => {
    slack.respond('chat.postMessage', answer)
    // Only what never answers is waited for in vain.
    const { channel } = open({ timeoutMs: answer === 'hang' || answer === 'drip' ? 300 : 10_000 })
    expect((await channel.deliver(news(), plain)).result).toBe(result)
    expect(slack.callsOf('chat.postMessage').length).toBe(1)
  })

  test('a scope that is missing is named, with what to do', async () => {
    slack.world.scopes.delete('chat:write')
    expect(await open().channel.deliver(news(), plain)).toEqual({
      result: 'dead',
      reason: `${new URL(slack.url).host} answered missing_scope (chat:write): add the scope to the app's bot token and install it again`,
    })
  })

  test('a revoked token is said without the token', async () => {
    const { channel } = open()
    slack.world.tokens.bot = 'xoxb-another'
    const result = await channel.deliver(news(), plain)
    expect(result).toMatchObject({ result: 'dead' })
    expect(JSON.stringify(result)).not.toContain('aVerySecret')
  })

  test('a stop ends a delivery in flight', async () => {
    slack.respond('chat.postMessage', 'hang')
    const stop = new AbortController()
    const pending = open().channel.deliver(news(), { ...plain, signal: stop.signal })
    setTimeout(() => stop.abort(), 20)
    expect((await pending).result).toBe('transient')
  })
})
