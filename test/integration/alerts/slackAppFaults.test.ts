import { expect, onTestFinished, test } from 'vitest'
import { createSlackInbox } from '../../../src/sandbox/inbox/slackInbox.ts'
import { type SlackMisbehaviour, startFakeSlack } from '../../support/fakeSlack/fakeSlack.ts'
import { slackAppTo } from '../../support/fakeSlack/slackAppTo.ts'
import { createEvent } from '../../unit/alerts/harness.ts'
import { createWireBench, slackTo } from '../../support/wireBench.ts'

const minute = 60_000

/** A Slack app as `ops`, an incoming webhook as the fallback channel, and the outbox between them. */
async function setUp() {
  let now = () => 0
  const slack = await startFakeSlack({ now: () => now() })
  const spare = await createSlackInbox()
  onTestFinished(async () => {
    await Promise.all([slack.close(), spare.close()])
  })
  const bench = createWireBench({
    channels: [slackAppTo(slack), slackTo(spare.url, 'spare')],
    fallback: 'spare',
    random: () => 0,
  })
  now = () => bench.clock.now()
  const amounts = (texts: readonly { readonly text: string }[]) =>
    texts.flatMap(({ text }) => {
      const amount = /Withdrawal of (\d+) USDC/.exec(text)?.[1]
      return amount === undefined ? [] : [Number(amount)]
    })
  const told = () => amounts(slack.posts())
  return { slack, bench, told, spared: () => amounts(spare.messages), spare }
}

test.each<{ title: string; answer: SlackMisbehaviour; attempts: number }>([
  { title: 'that was taken and not answered is found, not posted again', answer: 'lost', attempts: 2 },
  { title: 'that broke off is posted again', answer: 'reset', attempts: 2 },
  { title: 'that Slack could not serve is posted again', answer: { error: 'internal_error' }, attempts: 2 },
  {
    title: 'that Slack asks to slow down waits',
    answer: { status: 429, headers: { 'retry-after': '30' } },
    attempts: 2,
  },
  {
    title: 'of which Slack dislikes the blocks goes as text',
    answer: { error: 'invalid_blocks' },
    attempts: 2,
  },
])('a message $title', async ({ answer, attempts }) => {
  const { slack, bench, spared } = await setUp()
  slack.respond('chat.postMessage', answer)
  await bench.tell(1)
  await bench.advance(minute)
  expect(slack.posts().length).toBe(1)
  expect(bench.at('ops').length).toBe(attempts)
  expect(JSON.stringify(slack.world.messages)).toContain('1 USDC')
  expect(spared()).toEqual([])
})

test('an app that is put out of the channel is dead: the fallback is told, and it is taken back by itself', async () => {
  const { slack, bench, told, spared, spare } = await setUp()
  slack.world.channel.hasApp = false
  await bench.tell(1)
  await bench.advance(10 * minute)
  expect(spared()).toEqual([1])
  expect(spare.messages.some(({ text }) => text.includes('invite the app to the channel'))).toBe(true)
  expect(bench.store.getChannel('ops').circuit).toBe('open')
  slack.world.channel.hasApp = true
  await bench.advance(10 * minute)
  await bench.tell(2)
  expect(bench.store.getChannel('ops').circuit).toBe('closed')
  expect(told()).toEqual([1, 2])
})

test('a storm of one cause is one thread: its first message at once, few after it, and the first counts all', async () => {
  const { slack, bench } = await setUp()
  for (let n = 1; n <= 130; n += 1) {
    const finding = {
      ...createEvent(n, { amount: '5' }),
      facts: { errorMessage: 'nonce too low' },
      since: bench.clock.now(),
    }
    await bench.tell(n, { severity: 'warning' }, finding)
    await bench.advance(1_000)
  }
  await bench.advance(2 * minute)
  const sent = bench.at('ops')
  expect(sent[0]?.afterMs).toBe(0)
  expect(sent.reduce((sum, { total }) => sum + total, 0)).toBe(130)
  expect(sent.length).toBeLessThanOrEqual(8)
  expect(slack.posts().length).toBe(1)
  expect(slack.thread(slack.posts()[0]?.ts ?? '').length).toBe(sent.length - 1)
  expect(slack.posts()[0]?.text).toMatch(/130 findings/)
})
