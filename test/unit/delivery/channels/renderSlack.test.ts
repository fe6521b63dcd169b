import { fc, timesOf } from '../../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import type { Message, MessageItem } from '../../../../src/delivery/channels/message.ts'
import {
  renderSlack,
  renderSlackPlain,
  type SlackPayload,
} from '../../../../src/delivery/channels/renderSlack.ts'
import { checkSlackPayload, readSlackText } from '../../../../src/sandbox/inbox/slackInbox.ts'
import { hostileTexts, mainHash, toItem, toMessage, zoneHash } from '../messages.ts'

const many = (count: number, overrides: Partial<MessageItem> = {}) =>
  Array.from({ length: count }, (_, index) => {
    const hash = `0x${index.toString(16).padStart(64, 'c')}`
    return toItem({
      alertId: `alert-${index}`,
      subject: `withdrawal, zone ${hash}, main ${mainHash}`,
      ...overrides,
    })
  })

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

/** Every text that Slack reads as Markdown. */
function listMarkdown(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'type' in value && value.type === 'mrkdwn' && 'text' in value ? [String(value.text)] : []
  return [...own, ...Object.values(value).flatMap(listMarkdown)]
}

/** Every `<…>` that Slack would act on. */
const activeParts = (payload: SlackPayload) =>
  textsOf(payload).flatMap((text) => text.match(/<[^>]*>/g) ?? [])

describe('one finding', () => {
  const shown = readSlackText(renderSlack(toMessage()))

  test('shows severity, both texts, exact amount, whole hash, evidence, runbook, page and id', () => {
    for (const wanted of [
      'CRITICAL: a withdrawal of 1250000.500001 USDC has not arrived',
      '1250000.5 USDC has waited 2h 10m',
      '`1250000.500001 USDC`',
      `\`${zoneHash}\``,
      'E12 at 08:59:58 UTC: no main transaction',
      'Runbook: https://runbooks.example.com/stalled',
      'Status page: http://127.0.0.1:9464/',
      'since 06:50:00 UTC (2 h 10 min ago)',
      '#a1b2c3',
    ]) {
      expect(shown).toContain(wanted)
    }
  })

  test('does not say resolved, nor the attempt when it is the first', () => {
    expect(shown).not.toMatch(/resolved|attempt/)
  })

  test('says the attempt from the second on', () => {
    expect(readSlackText(renderSlack(toMessage({ attempt: 2 })))).toContain('#a1b2c3 · attempt 2')
  })

  test('says resolved and how long it lasted in a resolution', () => {
    const items = [toItem({ status: 'resolved', lastedMs: 3_600_000 })]
    const text = readSlackText(renderSlack(toMessage({ items })))
    expect(text).toContain('CRITICAL, resolved: 1250000.5 USDC')
    expect(text).toContain('lasted 1 h')
  })

  test('says once that it is over, after how long and how severe it was', () => {
    const items = [toItem({ status: 'resolved', summary: 'Resolved after 21s: the source answers' })]
    const headline = 'CRITICAL, resolved after 21s: the source answers'
    expect(readSlackText(renderSlack(toMessage({ items, headline }))).split('resolved').length - 1).toBe(1)
  })

  test('names the severity when the headline does not', () => {
    expect(readSlackText(renderSlack(toMessage({ headline: 'zone stands still' })))).toContain(
      'CRITICAL: zone stands still',
    )
  })
})

describe('links', () => {
  const linksOf = (href: string | null) =>
    activeParts(renderSlack(toMessage({ pageUrl: null, items: [toItem({ runbook: href, fields: [] })] })))

  test('an address with & and | becomes one inert link', () => {
    expect(linksOf('https://x.example/a?b=1&c=2|d')).toEqual([
      '<https://x.example/a?b=1&amp;c=2%7Cd|Runbook>',
    ])
  })

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'not an address',
    'https://user:pw@x.example/',
    '!channel',
    null,
  ])('%s is no link', (href) => {
    expect(linksOf(href)).toEqual([])
  })
})

describe('limits', () => {
  test('25 findings are all listed with both whole hashes, within 13,000 characters and 45 blocks', () => {
    const payload = renderSlack(toMessage({ items: many(25), total: 25 }))
    const text = readSlackText(payload)
    for (const item of many(25)) expect(text).toContain(item.subject)
    expect(text.split('1250000.500001 USDC').length - 1).toBeGreaterThanOrEqual(25)
    expect(text).not.toContain(' more')
    expect(JSON.stringify(payload).length).toBeLessThanOrEqual(13_000)
    expect(payload.blocks?.length).toBeLessThanOrEqual(45)
  })

  test('in a digest what to do is said once where it is the same for all, and not where it differs', () => {
    const remedies = (...some: string[]) => {
      const items = many(20).map((item, index) => ({ ...item, remedy: some[index % some.length] ?? null }))
      return readSlackText(renderSlack(toMessage({ items, total: 20 }))).split('What to do:').length - 1
    }
    expect(remedies('Look it up.')).toBe(1)
    expect(remedies('Look it up.', 'Ask the operator.')).toBe(0)
  })

  test('what is not listed is counted exactly', () => {
    const shown = readSlackText(renderSlack(toMessage({ items: many(10), total: 322 })))
    expect(shown).toContain('… and 312 more')
  })

  test('more findings than fit are told as far as possible, and the rest counted exactly', () => {
    const payload = renderSlack(toMessage({ items: many(60), total: 200 }))
    const shown = readSlackText(payload)
    const told = many(60).filter((item) => shown.includes(item.subject)).length
    expect(told).toBeGreaterThanOrEqual(25)
    expect(shown).toContain(`… and ${200 - told} more`)
    expect(checkSlackPayload(JSON.stringify(payload))).toBeNull()
  })

  test('a finding with 23 fields keeps them all, ten to a section', () => {
    const fields = Array.from({ length: 23 }, (_, index) => ({
      label: `Fact ${index}`,
      value: `value-${index}.`,
      href: null,
    }))
    const payload = renderSlack(toMessage({ items: [toItem({ fields })] }))
    for (const { value } of fields) expect(readSlackText(payload)).toContain(value)
    expect(checkSlackPayload(JSON.stringify(payload))).toBeNull()
  })

  const text = fc.oneof(
    fc.constantFrom(...hostileTexts),
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.string({
      unit: fc.constantFrom('&', '<', '"', '\\', '👩‍👧', '`', 'x'),
      minLength: 200,
      maxLength: 4_000,
    }),
  )
  const item: fc.Arbitrary<MessageItem> = fc
    .record({
      summary: text,
      subject: text,
      rule: text,
      kind: text,
      runbook: fc.oneof(text, fc.webUrl(), fc.constant(null)),
      status: fc.constantFrom('event', 'firing', 'update', 'resolved', 'ended', 'correction', 'repeat'),
      fields: fc.array(
        fc.record({ label: text, value: text, href: fc.oneof(text, fc.webUrl(), fc.constant(null)) }),
        {
          maxLength: 25,
        },
      ),
    })
    .map((parts) => toItem(parts))
  const message: fc.Arbitrary<Message> = fc
    .record({ headline: text, id: text, items: fc.array(item, { maxLength: 30 }), extra: fc.nat(1_000_000) })
    .map(({ headline, id, items, extra }) => toMessage({ headline, id, items, total: items.length + extra }))

  test('hold for every message, and nothing in it is active but our own links', () => {
    fc.assert(
      fc.property(message, (one) => {
        const payload = renderSlack(one)
        const body = JSON.stringify(payload)
        expect(body.length).toBeLessThanOrEqual(13_000)
        expect(payload.blocks?.length).toBeLessThanOrEqual(45)
        expect(checkSlackPayload(body)).toBeNull()
        for (const part of activeParts(payload))
          expect(part).toMatch(
            /^<https?:\/\/[^<>|]+\|(Runbook|Status page|Explorer|open|0x[0-9a-f]{4}…[0-9a-f]{4})>$/,
          )
        const told = payload.blocks?.filter(({ block_id }) => block_id?.startsWith('finding-')).length ?? 0
        const counted = Number(/… and (\d+) more/.exec(body)?.[1] ?? 0)
        if (counted > 0) expect(told + counted).toBe(one.total)
      }),
      { numRuns: timesOf(60) },
    )
  })

  test('hold for every message in plain form: at most 3,000 characters, nothing active', () => {
    fc.assert(
      fc.property(message, (one) => {
        const payload = renderSlackPlain(one)
        expect(payload.blocks).toBeUndefined()
        expect(payload.text.length).toBeLessThanOrEqual(3_000)
        expect(payload.text).not.toMatch(/[<>]/)
        expect(checkSlackPayload(JSON.stringify(payload))).toBeNull()
      }),
      { numRuns: timesOf(60) },
    )
  })
})

describe('hostile text', () => {
  test.each(hostileTexts)('in every place of a message formats, mentions and links nothing: %j', (text) => {
    const evil = toItem({
      summary: text,
      subject: text,
      fields: [{ label: text, value: text, href: text }],
      runbook: text,
      rule: text,
      remedy: null,
    })
    const payload = renderSlack(toMessage({ headline: text, items: [evil], pageUrl: text }))
    expect(activeParts(payload)).toEqual([])
    const formatted = listMarkdown(payload.blocks).filter((one) => one.startsWith('*'))
    expect(formatted.length).toBeGreaterThan(0)
    for (const one of formatted) expect(one).toMatch(/^\*[^*_~`\n]+:\* `[^`\n]+`$/)
    expect(payload).toMatchObject({
      mrkdwn: false,
      link_names: false,
      unfurl_links: false,
      unfurl_media: false,
    })
  })

  test('every piece of markdown is verbatim, so that Slack links no names by itself', () => {
    const payload = JSON.stringify(renderSlack(toMessage()))
    expect(payload.split('"type":"mrkdwn"').length).toBe(payload.split('"verbatim":true').length)
  })
})

test('the plain form keeps headline, hash, amount and id', () => {
  const { text } = renderSlackPlain(toMessage({ attempt: 3 }))
  for (const wanted of ['has not arrived', zoneHash, '1250000.500001 USDC', '#a1b2c3 · attempt 3']) {
    expect(text).toContain(wanted)
  }
})

test('the plain form counts what it leaves out', () => {
  const { text } = renderSlackPlain(toMessage({ items: many(25), total: 100 }))
  const told = text.split('CRITICAL: 1250000.5').length - 1
  expect(told).toBeGreaterThan(1)
  expect(text).toContain(`… and ${100 - told} more`)
})

test.each([
  ['3,000 characters', 'x'.repeat(3_000), 1],
  ['3,001 characters', 'x'.repeat(3_001), 1],
  ['an emoji on the cut', `${'x'.repeat(1_396)}👩‍👩‍👧‍👦`.repeat(3), 1],
  ['right-to-left text', 'שלום \u202Eعالم'.repeat(400), 3],
  ['16 findings of three blocks each', 'x', 16],
  ['13,000 characters in all', 'y'.repeat(600), 25],
  ['escapes only', '<&>"\\'.repeat(400), 25],
])('F32: %s: a message that Slack takes', (_title, text, count) => {
  const items = Array.from({ length: count }, (_, n) =>
    toItem({ alertId: String(n), summary: text, subject: text }),
  )
  const message = toMessage({ headline: text, items, total: count + 7 })
  for (const payload of [renderSlack(message), renderSlackPlain(message)]) {
    expect(checkSlackPayload(JSON.stringify(payload))).toBeNull()
    expect(JSON.stringify(payload).isWellFormed()).toBe(true)
  }
})
