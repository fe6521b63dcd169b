import { describe, expect, test } from 'vitest'
import { kinds } from '../../../src/checks/index.ts'
import { joinText, renderText } from '../../../src/delivery/channels/renderText.ts'
import { renderSlack } from '../../../src/delivery/channels/renderSlack.ts'
import { renderReply, renderRoot } from '../../../src/delivery/channels/slackApp/renderCase.ts'
import { readSlackText } from '../../../src/sandbox/inbox/slackInbox.ts'
import type { Message } from '../../../src/delivery/channels/message.ts'
import { createBench, createEvent, createRule } from '../alerts/harness.ts'
import { mainHash, toCase, toItem, toMessage, zoneHash } from './messages.ts'

const failed = createRule({ severity: 'critical' })

async function tellMany(count: number, agoMs = 60_000): Promise<Message> {
  const { engine, clock, startSending, ops } = createBench()
  const matches = Array.from({ length: count }, (_, n) => {
    const finding = createEvent(n === 3 ? 9_750_000 : n + 1)
    const facts = { errorMessage: 'nonce too low' }
    return { rule: failed, finding: { ...finding, facts, since: clock.now() - agoMs + n * 1_000 } }
  })
  engine.tellEvents(matches, clock.now())
  const dispatcher = startSending()
  await clock.advance(0)
  await dispatcher.stop()
  const [message] = ops.sent
  if (!message) throw new Error('nothing was told')
  return message
}

describe('many of one kind', () => {
  test('are one sentence: how many, in what time, what they put at risk, and why', async () => {
    const { headline } = await tellMany(40)
    expect(headline).toMatch(
      /^CRITICAL: 40 withdrawals failed in 39 s, 9,750,816 0xcccc…cccc, all 'nonce too low'$/,
    )
  })

  test.each([
    [3_600_000, / in 39 s, the first at \d\d:\d\d:\d\d UTC \(1 h ago\), 9,750,816 /],
    [3_599_999, / in 39 s, 9,750,816 /],
  ])('of which the first happened %i ms ago say so when that is an hour or more', async (agoMs, said) => {
    expect((await tellMany(40, agoMs)).headline).toMatch(said)
  })

  test('what is large by itself stands first and in full, the ten largest in a line each', async () => {
    const { items, briefFrom, total } = await tellMany(40)
    expect(items[0]?.summary).toBe('Withdrawal of 9,750,000 USDC failed: nonce too low')
    expect([items.length, briefFrom, total]).toEqual([10, 1, 40])
  })

  test('four of a kind are each told in full', async () => {
    const { briefFrom, headline } = await tellMany(4)
    expect(briefFrom).toBeUndefined()
    expect(headline).toContain('4 withdrawals failed')
  })

  test('what the headline says of all is not said of each', async () => {
    const text = joinText(renderText(await tellMany(40), { withRest: false }))
    // The headline, and the one that is told in full.
    expect(text.split('nonce too low')).toHaveLength(3)
    expect(text).toContain('… and 30 more')
  })
})

test('every kind of a transfer says what is said of many', () => {
  for (const { kind, hasTransfer, words } of kinds.all)
    if (hasTransfer) expect(words?.many, kind).toMatch(/^[a-z]/)
})

const placed = toItem({
  summary: 'Withdrawal of 1,250,000.5 USDC has not arrived',
  fields: [
    { label: 'Amount', value: '1,250,000.5 USDC', href: null, place: 'said' },
    { label: 'Age', value: '42 min, limit 30 min, from rule withdrawal-stalled', href: null, place: 'fact' },
    {
      label: 'Main transaction',
      value: mainHash,
      href: `https://scan.example/tx/${mainHash}`,
      place: 'hash',
    },
    { label: 'Zone transaction', value: zoneHash, href: null, place: 'hash' },
    { label: 'From', value: '0xaa', href: null, place: 'said' },
    { label: 'To', value: '0xaa', href: null, place: 'said' },
    { label: 'Sender and recipient', value: '0xaa', href: null, place: 'fact' },
    { label: 'Asked of', value: 'E9', href: null, place: 'detail' },
  ],
  subject: `Withdraw, zone ${zoneHash}, main ${mainHash}`,
})
const one = toMessage({
  headline: `CRITICAL: ${placed.summary}`,
  items: [placed],
  case: toCase({ title: placed.summary }),
})

test('money first, what to do second, then facts, then links, whole hashes last, and no line twice', () => {
  const text = joinText(renderText(one, { withRest: false }))
  expect(text).toMatchInlineSnapshot(`
    "CRITICAL: Withdrawal of 1,250,000.5 USDC has not arrived
    At risk: 1,250,000.5 USDC (1,250,000.50 USD at the price of the configuration) · 3 findings · case c42 · nobody has it yet

      since 06:50:00 UTC (2 h 10 min ago) · main 0xa1a1…a1a1 <https://scan.example/tx/0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1> · zone 0xb2b2…b2b2
      What to do: Ask the relayer.
      Age: 42 min, limit 30 min, from rule withdrawal-stalled
      Sender and recipient: 0xaa

    Runbook: https://runbooks.example.com/stalled
    Case: https://watch.example.com/cases/c42

    details:
      Main transaction: 0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1
      Zone transaction: 0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2
      Asked of: E9
      rule withdrawal-stalled (transfer.stalled), sent 2026-01-05 09:00:00 UTC

    message #a1b2c3"
  `)
  const lines = text.split('\n').filter((line) => line !== '')
  expect(new Set(lines).size).toBe(lines.length)
})

test('in Slack the same', () => {
  expect(readSlackText(renderSlack(one))).toMatchInlineSnapshot(`
    "🔴 CRITICAL: Withdrawal of 1,250,000.5 USDC has not arrived
    At risk: 1,250,000.5 USDC (1,250,000.50 USD at the price of the configuration) · 3 findings · case c42 · nobody has it yet
    since 06:50:00 UTC (2 h 10 min ago)
    main 0xa1a1…a1a1: https://scan.example/tx/0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1
    zone \`0xb2b2…b2b2\`
    What to do: Ask the relayer.
    *Age:* \`42 min, limit 30 min, from rule withdrawal-stalled\`
    *Sender and recipient:* \`0xaa\`
    Runbook: https://runbooks.example.com/stalled
    Case: https://watch.example.com/cases/c42
    Explorer: https://scan.example/tx/0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1
    Main transaction: 0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1
    Zone transaction: 0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2
    Asked of: E9
    rule withdrawal-stalled (transfer.stalled), sent 2026-01-05 09:00:00 UTC
    message #a1b2c3"
  `)
})

test('of nine facts four are read, the others are details', () => {
  const fields = Array.from({ length: 9 }, (_, n) => ({
    label: `Fact ${n}`,
    value: `value ${n}`,
    href: null,
    place: 'fact' as const,
  }))
  const { items, details } = renderText(toMessage({ items: [toItem({ fields })] }), { withRest: false })
  expect(items.flat().filter((line) => line.includes('Fact '))).toHaveLength(4)
  expect(details.flat().filter((line) => line.includes('Fact '))).toHaveLength(5)
})

test('a digest is a line a case, the worst first', () => {
  const cases = [toCase(), toCase({ id: 'c43', title: 'the zone stands still', money: [], members: 1 })]
  const text = renderText(toMessage({ cases, case: null }), { withRest: false }).head.slice(1)
  expect(text).toEqual([
    '- CRITICAL: Withdrawal of 1250000.5 USDC has no origin, 1,250,000.5 USDC (1,250,000.50 USD at the price of the configuration) at risk, 3 findings (case c42) <https://watch.example.com/cases/c42>',
    '- CRITICAL: the zone stands still (case c43) <https://watch.example.com/cases/c42>',
  ])
})

describe('details', () => {
  const lines = (overrides: Parameters<typeof toItem>[0]) =>
    renderText(toMessage({ items: [toItem(overrides)] }), { withRest: false })
      .details.flat()
      .join('\n')
  const hashField = (value: string) =>
    ({ label: 'Main transaction', value, href: null, place: 'hash' }) as const

  test('name a transaction that was not seen once, beneath the headline', () => {
    const message = toMessage({ items: [toItem({ fields: [hashField('none seen')], subject: zoneHash })] })
    const text = joinText(renderText(message, { withRest: false }))
    expect(text.split('none seen')).toHaveLength(2)
    expect(text).toContain('main none seen')
  })

  test('say what it is about where an address of it stands nowhere else, and only there', () => {
    const escrow = `0x${'e5'.repeat(20)}`
    const subject = `escrow ${escrow}, USDC, main ${mainHash}`
    expect(lines({ subject, fields: [hashField(mainHash)] })).toContain(`About: escrow ${escrow}, USDC\n`)
    const named = { label: 'Escrow', value: escrow, href: null, place: 'fact' } as const
    expect(lines({ subject, fields: [hashField(mainHash), named] })).not.toContain('About')
    expect(lines({ subject: `USDC at ${escrow}`, fields: [named] })).not.toContain('About')
  })
})

describe('a headline that no header of Slack holds', () => {
  const summary = `Withdrawal of 1 USDC failed ${'for a long reason '.repeat(12)}in the end`
  const item = toItem({ summary, fields: [] })
  const message = toMessage({
    headline: `CRITICAL: ${summary}`,
    items: [item],
    case: toCase({ title: summary }),
  })

  test.each([
    ['the webhook', renderSlack(message)],
    ['a first message', renderRoot(message, toCase({ title: summary }), { hasButtons: true }).payload],
    ['a reply', renderReply(message, toCase())],
  ])('goes on below it in %s, and is told once', (_, { blocks = [] }) => {
    const [header, rest] = blocks.map((block) => ('text' in block ? block.text.text : ''))
    expect(header?.length).toBeLessThanOrEqual(150)
    expect(header).toMatch(/\w …$/)
    expect(`${header?.slice(0, -1)}${rest?.slice(2)}`).toBe(`🔴 CRITICAL: ${summary}`)
    expect(JSON.stringify(blocks).split('in the end')).toHaveLength(2)
  })

  test('without a space is cut all the same', () => {
    const long = 'A'.repeat(400)
    const { blocks = [] } = renderSlack({ ...message, headline: `CRITICAL: ${long}` })
    expect(readSlackText({ blocks: blocks.slice(0, 2) }).match(/A/g)).toHaveLength(400 + 1)
  })
})
