import { describe, expect, test } from 'vitest'
import { renderMail, renderPlainMail } from '../../../../src/delivery/channels/renderMail.ts'
import { hostileTexts, toItem, toMessage, zoneHash } from '../messages.ts'

const withEverything = (text: string) =>
  toMessage({
    headline: text,
    pageUrl: text,
    items: [
      toItem({
        summary: text,
        subject: text,
        rule: text,
        runbook: text,
        fields: [{ label: text, value: text, href: text }],
      }),
    ],
    rest: [toItem({ summary: text, subject: text })],
  })

test('both parts carry severity, texts, exact amount, whole hash, evidence, runbook and id', () => {
  const { subject, text, html } = renderMail(toMessage({ attempt: 2 }))
  expect(subject).toBe('[spanwatch] CRITICAL: a withdrawal of 1250000.500001 USDC has not arrived')
  for (const wanted of [
    'CRITICAL',
    '1250000.5 USDC has waited 2h 10m',
    '1250000.500001 USDC',
    zoneHash,
    'E12 at 08:59:58 UTC: no main transaction',
    'https://runbooks.example.com/stalled',
    'since 06:50:00 UTC (2 h 10 min ago)',
    'rule withdrawal-stalled (transfer.stalled), sent 2026-01-05 09:00:00 UTC',
    '#a1b2c3 · attempt 2',
  ]) {
    expect(text).toContain(wanted)
    expect(html).toContain(wanted)
  }
})

test('findings that other channels only count are listed, and what is beyond them is counted', () => {
  const rest = [toItem({ summary: 'the eleventh' }), toItem({ summary: 'the twelfth' })]
  const mail = renderMail(toMessage({ rest, total: 315 }))
  for (const part of [mail.text, mail.html ?? '']) {
    expect(part).toContain('the eleventh')
    expect(part).toContain('the twelfth')
    expect(part).toContain('… and 312 more')
  }
})

describe('hostile text', () => {
  // The same mail with harmless words: data may change words, never the tags and attributes around them.
  const skeleton = (html: string) => (html.match(/<[^>]*>/g) ?? []).join('')
  const harmless = skeleton(renderMail(withEverything('harmless')).html ?? '')

  test.each(hostileTexts)('adds no tag and no attribute: %j', (text) => {
    const html = renderMail(withEverything(text)).html ?? ''
    expect(skeleton(html).replace(/<title>.*?<\/title>/s, '<title></title>')).toBe(
      harmless.replace(/<title>.*?<\/title>/s, '<title></title>'),
    )
    expect(html).not.toMatch(/href="(?!https?:)/)
  })

  test.each(hostileTexts)('leaves the subject one line without controls: %j', (text) => {
    const { subject } = renderMail(withEverything(text))
    expect(subject).not.toMatch(/\p{Cc}|[\u202a-\u202e\u200b\ufeff]/u)
    expect(subject.length).toBeLessThan(300)
  })
})

test('an alert is named, and linked where the page has an address', () => {
  const items = [toItem({ alertId: '1ee67920' })]
  const linked = renderMail(toMessage({ items, pageUrl: 'https://page.example/' }))
  expect(linked.text).toMatch(
    /alert #1ee67920, rule .*\n {2}Whole story: https:\/\/page\.example\/alerts\/1ee67920\n/,
  )
  expect(linked.html).toContain('href="https://page.example/alerts/1ee67920"')
  const bare = renderMail(toMessage({ items, pageUrl: null }))
  expect(bare.text).toContain('alert #1ee67920, rule ')
  expect(bare.text).not.toContain('Whole story')
})

test('what is no alert names and links none', () => {
  const mail = renderMail(
    toMessage({ items: [toItem({ alertId: '00000000' })], pageUrl: 'https://page.example' }),
  )
  expect(mail.text).not.toMatch(/alert #|Whole story/)
})

test('one finding that is the headline is not said twice', () => {
  const summary = 'nothing arrives'
  const one = toMessage({ headline: `CRITICAL: ${summary}`, items: [toItem({ summary })], total: 1 })
  expect(renderMail(one).text.match(/nothing arrives/g)).toHaveLength(1)
  const two = { ...one, items: [toItem({ summary }), toItem({ summary })], total: 2 }
  expect(renderMail(two).text.match(/nothing arrives/g)).toHaveLength(3)
})

test('the HTML loads nothing and runs nothing', () => {
  const html = renderMail(toMessage()).html ?? ''
  expect(html).not.toMatch(/<(img|script|link|iframe|object)\b|url\(|@import/i)
})

test('the plain form has the text and no HTML', () => {
  const mail = renderPlainMail(toMessage())
  expect(mail.html).toBeUndefined()
  expect(mail.text).toContain(zoneHash)
})

test('on a phone the details keep the margin of their card', () => {
  const { html = '' } = renderMail(toMessage())
  expect(html).toContain('<td class="muted detail" valign="top"')
  expect(html).toMatch(
    /td\.detail\[valign=top\] \{ padding-left: 16px !important; padding-right: 16px !important; \}/,
  )
})
