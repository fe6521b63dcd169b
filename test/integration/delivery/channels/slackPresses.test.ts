import { setTimeout as pause } from 'node:timers/promises'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { CaseActions, CaseAnswer } from '../../../../src/delivery/channels/caseActions.ts'
import { createRotatingChannel } from '../../../../src/delivery/channels/createChannel.ts'
import { createSlackAppChannel } from '../../../../src/delivery/channels/slackApp/createSlackApp.ts'
import { Secret } from '../../../../src/lib/secret.ts'
import { createSleepers } from '../../../support/createSleepers.ts'
import { type FakeSlack, startFakeSlack } from '../../../support/fakeSlack/fakeSlack.ts'
import { slackAppTo } from '../../../support/fakeSlack/slackAppTo.ts'
import { hostileTexts, toCase, toMessage } from '../../../unit/delivery/messages.ts'

const now = Date.UTC(2026, 0, 5, 9)
const plain = { signal: new AbortController().signal, degraded: false, recipients: null }
const ann = { id: 'U0ANN00001', name: 'ann' }
const bob = { id: 'U0BOB00001', name: 'bob' }

let slack: FakeSlack
let elapsed: number
let sleepers: ReturnType<typeof createSleepers>
beforeEach(async () => {
  slack = await startFakeSlack({ now: () => now + elapsed })
  elapsed = 0
  sleepers = createSleepers(() => elapsed)
})

function advance(ms: number): void {
  elapsed += ms
  sleepers.wakeDue()
}

/** Until something is so, which takes turns of the event loop and no time of the clock. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 5_000 && !isSo(); turn += 1) await pause(1)
  expect(isSo()).toBe(true)
}

function open({ answer = { ok: true }, config = {} }: { answer?: CaseAnswer; config?: object } = {}) {
  const asked: string[][] = []
  const note =
    (name: string) =>
    (...args: string[]) => {
      asked.push([name, ...args])
      return answer
    }
  const actions: CaseActions = { ack: note('ack'), handle: note('handle'), silenceTransfer: note('silence') }
  const logged: string[] = []
  const write = (facts: object | string, text?: string) => void logged.push(JSON.stringify([text, facts]))
  const clock = {
    now: () => now + elapsed,
    monotonicMs: () => elapsed,
    sleep: (ms: number, stop?: AbortSignal) => sleepers.sleep(ms, stop),
  }
  const deps = { clock, log: { info: write, warn: write } }
  const channel = createSlackAppChannel(deps, slackAppTo(slack, { buttons: true, ...config }))
  const close = async () => {
    const closed = channel.close()
    for (let turn = 0; turn < 50; turn += 1) {
      advance(1_000)
      await pause(1)
    }
    await closed
  }
  onTestFinished(async () => {
    await close()
    await slack.close()
  })
  return { asked, logged, channel, actions, close, deps }
}

/** A channel that listens, with a case whose first message is posted. */
async function listen(options: Parameters<typeof open>[0] = {}) {
  const opened = open(options)
  opened.channel.listen?.(opened.actions)
  await slack.sockets.until(1)
  await until(() => opened.channel.listening?.()?.state === 'connected')
  await opened.channel.deliver(toMessage({ case: toCase({ openedAt: now + 1 }) }), plain)
  const ts = slack.posts()[0]?.ts ?? ''
  return { ...opened, ts }
}

describe('a button', () => {
  test.each([
    { actionId: 'case-ack', name: 'ack' },
    { actionId: 'case-silence', name: 'silence' },
  ])('$actionId does what it says, in the name of who pressed it', async ({ actionId, name }) => {
    const { asked, ts } = await listen()
    const { payload } = await slack.press(ann, { ts, actionId })
    expect(payload).toEqual({})
    await until(() => asked.length > 0)
    expect(asked).toEqual([[name, 'c42-1', 'ann', 'T0FAKE0001/U0ANN00001']])
    expect(slack.ephemerals).toEqual([])
  })

  test('Silence is written down in the thread, by whom and until when', async () => {
    const { ts } = await listen()
    await slack.press(ann, { ts, actionId: 'case-silence' })
    await until(() => slack.thread(ts).length === 1)
    expect(slack.thread(ts)[0]?.text).toBe(
      '🔕 ann silenced this transfer until it is over. What goes beyond what is known of it is told all the same.',
    )
  })

  test('Handled asks for the reason, and takes none that is empty', async () => {
    const { asked, ts } = await listen()
    await slack.press(ann, { ts, actionId: 'case-handle' })
    await until(() => slack.views.length === 1)
    const view = slack.views[0] ?? {}
    const refused = await slack.submit(ann, view, { reason: ' \u200b \n' })
    expect(refused.payload).toMatchObject({
      response_action: 'errors',
      errors: { reason: expect.any(String) },
    })
    expect(slack.views.length).toBe(1)
    expect((await slack.submit(ann, view, { reason: 'refunded\nby hand' })).payload).toEqual({})
    await until(() => asked.length > 0)
    expect(asked).toEqual([['handle', 'c42-1', 'ann', 'T0FAKE0001/U0ANN00001', 'refunded by hand']])
    expect(slack.views).toEqual([])
  })

  test('that is a link is acknowledged, and nothing else', async () => {
    const { asked, ts } = await listen()
    await slack.press(ann, { ts, actionId: 'link-runbook' })
    await slack.press(ann, { ts, actionId: 'case-ack' })
    await until(() => asked.length > 0)
    expect(asked.length).toBe(1)
  })

  test.each(['case-ack', 'case-silence'])(
    '%s pressed twice, and told twice by Slack, is done once',
    async (actionId) => {
      const { asked, ts } = await listen()
      const { envelope } = await slack.press(ann, { ts, actionId })
      await slack.sockets.deliver(envelope)
      await slack.sockets.deliver({ ...envelope, envelope_id: 'another', retry_attempt: 1 })
      await slack.press(ann, { ts, actionId })
      await slack.press(bob, { ts, actionId })
      await until(() => asked.length === 2)
      expect(asked.map(([, , by]) => by)).toEqual(['ann', 'bob'])
      expect(slack.sockets.acknowledged.length).toBe(5)
      advance(10_001)
      await slack.press(ann, { ts, actionId })
      await until(() => asked.length === 3)
    },
  )

  test('a form that Slack tells twice is done once', async () => {
    const { asked, ts } = await listen()
    await slack.press(ann, { ts, actionId: 'case-handle' })
    await until(() => slack.views.length === 1)
    const { envelope } = await slack.submit(ann, slack.views[0] ?? {}, { reason: 'done' })
    await slack.sockets.deliver({ ...envelope, envelope_id: 'again' })
    await until(() => asked.length > 0)
    await pause(20)
    expect(asked.length).toBe(1)
  })

  test('whose case is closed says so to that person alone, who may press again', async () => {
    const { asked, ts } = await listen({ answer: { ok: false, reason: 'it is closed already' } })
    await slack.press(ann, { ts, actionId: 'case-ack' })
    await until(() => slack.ephemerals.length === 1)
    expect(slack.ephemerals).toEqual([{ user: ann.id, text: 'Case c42: it is closed already' }])
    expect(slack.thread(ts)).toEqual([])
    advance(1)
    await slack.press(ann, { ts, actionId: 'case-ack' })
    await until(() => asked.length === 2)
  })

  test('whose deed fails says so, without the reason', async () => {
    const { actions, ts, logged } = await listen()
    const fail = () => {
      throw new Error('disk full at /secret')
    }
    Object.assign(actions, { ack: fail })
    await slack.press(ann, { ts, actionId: 'case-ack' })
    await until(() => slack.ephemerals.length === 1)
    expect(slack.ephemerals[0]?.text).toBe(
      'Case c42: this could not be done now: try again, or use the status page',
    )
    expect(logged.join('')).toContain('disk full')
  })

  test('in a form that cannot be opened says so', async () => {
    const { ts } = await listen()
    slack.respond('views.open', { error: 'expired_trigger_id' })
    await slack.press(ann, { ts, actionId: 'case-handle' })
    await until(() => slack.ephemerals.length === 1)
    expect(slack.ephemerals[0]?.text).toContain('press again')
  })

  test('pressed by somebody of a hostile name is done in that name, cleaned and cut', async () => {
    const { asked, ts } = await listen()
    for (const [index, name] of hostileTexts.entries()) {
      await slack.press({ id: `U0<!here>${index}`, name }, { ts, actionId: 'case-silence' })
      await until(() => asked.length === index + 1)
    }
    for (const [, , by = '', from = ''] of asked) {
      expect(Array.from(by).length).toBeLessThanOrEqual(64)
      expect(by).not.toMatch(/[\n\r\u202e\u200b]/)
      expect(from).toMatch(/^T0FAKE0001\/U0\d+$/)
    }
    await until(() => slack.thread(ts).length === hostileTexts.length)
    expect(JSON.stringify(slack.thread(ts).map(({ raw }) => raw))).not.toMatch(/<[!@#]/)
  })
})

test('what is no press is acknowledged, passed over, and ends nothing', async () => {
  const { asked, ts } = await listen()
  const envelopes = [
    {},
    null,
    { type: 'block_actions' },
    {
      type: 'block_actions',
      user: ann,
      actions: [{ action_id: 'case-ack', value: 'c42-1', action_ts: '1.1' }],
    },
    {
      type: 'view_submission',
      user: ann,
      view: { callback_id: 'case-handle', private_metadata: '{}', state: null },
    },
    { type: 'shortcut' },
  ]
  for (const [index, payload] of envelopes.entries()) {
    await slack.sockets.deliver({ envelope_id: `e${index}`, type: 'interactive', payload })
  }
  for (const text of ['null', '7', '{', '{"type":"events_api"}', '{"type":"hello"}', '[]'])
    slack.sockets.say(text)
  await slack.press(ann, { ts, actionId: 'case-ack' })
  await until(() => asked.length === 1)
  expect(slack.sockets.count()).toBe(1)
})

describe('F112: the socket', () => {
  test('is not opened before it is to be heard, nor without an app token', async () => {
    const { channel } = open()
    await channel.deliver(toMessage(), plain)
    expect(channel.listening?.()).toBeNull()
    const deaf = open({ config: { appToken: undefined } }).channel
    expect(Object.keys(deaf)).not.toContain('listen')
    expect(slack.callsOf('apps.connections.open')).toEqual([])
  })

  test('that Slack refreshes is made again at once', async () => {
    const { asked, ts } = await listen()
    advance(3_600_000)
    slack.sockets.refresh()
    await slack.sockets.until(0)
    await slack.sockets.until(1)
    await slack.press(ann, { ts, actionId: 'case-ack' })
    await until(() => asked.length === 1)
  })

  test('that breaks is made again, later each time, and a warning is said once', async () => {
    const { channel, logged, asked, ts } = await listen()
    slack.respond('apps.connections.open', ...Array.from({ length: 3 }, () => ({ status: 503 })))
    slack.sockets.drop()
    for (const waitMs of [1_000, 2_000, 4_000, 8_000]) {
      await until(() => channel.listening?.()?.state === 'waiting')
      const calls = slack.callsOf('apps.connections.open').length
      advance(waitMs - 1)
      await pause(5)
      expect(slack.callsOf('apps.connections.open').length).toBe(calls)
      advance(1)
      await until(() => slack.callsOf('apps.connections.open').length === calls + 1)
      await until(() => channel.listening?.()?.state !== 'connecting')
    }
    await slack.sockets.until(1)
    await until(() => channel.listening?.()?.state === 'connected')
    expect(logged.filter((line) => line.includes('do not work now')).length).toBe(1)
    await slack.press(ann, { ts, actionId: 'case-ack' })
    await until(() => asked.length === 1)
  })

  test.each(['invalid_auth', 'not_allowed_token_type', 'account_inactive', 'token_revoked', 'missing_scope'])(
    'whose token is refused (%s) is a warning, stops no message, and is tried again rarely',
    async (error) => {
      slack.respond('apps.connections.open', { error })
      const { channel, logged, actions } = open()
      channel.listen?.(actions)
      await until(() => channel.listening?.()?.state === 'refused')
      expect(channel.listening?.()?.reason).toContain(`${error}: check \`appToken\``)
      expect(logged.length).toBe(1)
      const message = toMessage({ case: toCase({ openedAt: now + 1 }) })
      expect((await channel.deliver(message, plain)).result).toBe('ack')
      expect(slack.posts()[0]?.buttons).not.toContain('case-ack')
      advance(15 * 60_000)
      await slack.sockets.until(1)
    },
  )

  test('over which no hello comes is given up', async () => {
    const { channel, actions } = open()
    // An address that takes connections and is no socket: the Web API itself.
    slack.respond('apps.connections.open', {
      status: 200,
      body: JSON.stringify({ ok: true, url: `${slack.url.replace('http', 'ws')}auth.test` }),
    })
    channel.listen?.(actions)
    await until(() => channel.listening?.()?.state === 'waiting')
    advance(1_000)
    await slack.sockets.until(1)
  })

  test('is closed with the channel', async () => {
    const { channel, close } = await listen()
    await close()
    expect(slack.sockets.count()).toBe(0)
    expect(channel.listening?.()?.state).toBe('closed')
  })

  test('that is being opened is closed as well', async () => {
    slack.respond('apps.connections.open', 'hang')
    const { channel, close, actions } = open()
    channel.listen?.(actions)
    await until(() => slack.callsOf('apps.connections.open').length === 1)
    await close()
    expect(channel.listening?.()?.state).toBe('closed')
  })

  test('of a token that was replaced is another one, once a message is sent', async () => {
    const { deps, actions } = open()
    let token = 'xapp-wrong-token'
    const config = () => slackAppTo(slack, { appToken: new Secret(token) })
    const rotating = createRotatingChannel(
      { ...deps, write: () => {}, color: false, reread: config },
      config(),
    )
    onTestFinished(() => rotating.close())
    rotating.listen?.(actions)
    await until(() => rotating.listening?.()?.state === 'refused')
    token = slack.tokens.app
    await rotating.deliver(toMessage(), plain)
    await slack.sockets.until(1)
    await until(() => rotating.listening?.()?.state === 'connected')
  })

  test('says its tokens to nobody', async () => {
    const { channel, logged, actions } = open()
    slack.world.tokens.app = 'xapp-another'
    channel.listen?.(actions)
    await until(() => channel.listening?.()?.state === 'refused')
    expect(JSON.stringify([logged, channel.listening?.()])).not.toContain('aVerySecret')
  })
})
