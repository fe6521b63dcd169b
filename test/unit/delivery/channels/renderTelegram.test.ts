import { expect, test } from 'vitest'
import {
  measureTelegram,
  renderTelegram,
  renderTelegramPlain,
} from '../../../../src/delivery/channels/renderTelegram.ts'
import { readHtml } from '../../../support/fakeTelegram.ts'
import { fc, timesOf, seeds } from '../../../support/fastCheck.ts'
import { hostileTexts, mainHash, toCase, toItem, toMessage, zoneHash } from '../messages.ts'
import { anyMessage } from './anyMessage.ts'

const visible = (text: string) => text.replaceAll('\u2060', '')

test('a case: the verdict, what is at risk, the finding in full, and where to go', () => {
  expect(visible(renderTelegram(toMessage({ case: toCase({ state: 'acknowledged', by: 'mia' }) })))).toBe(
    `<b>CRITICAL: a withdrawal of 1250000.500001 USDC has not arrived</b>
At risk: 1,250,000.5 USDC (1,250,000.50 USD at the price of the configuration) · 3 findings · case c42 · acknowledged by mia
The case: Withdrawal of 1250000.5 USDC has no origin

<b>CRITICAL: 1250000.5 USDC has waited 2h 10m</b>
since 06:50:00 UTC (2 h 10 min ago)
What to do: Ask the relayer.
Amount: <code>1250000.500001 USDC</code>
Token: <code>USDC 0xcccccccccccccccccccccccccccccccccccccccc</code>
Direction: <code>ZoneToMain</code>
Zone transaction: <code>${zoneHash}</code>

<a href="https://runbooks.example.com/stalled">Runbook</a> · <a href="https://watch.example.com/cases/c42">Case</a>

Main transaction: <code>–</code>
Evidence: <code>E12 at 08:59:58 UTC: no main transaction</code>
rule withdrawal-stalled (transfer.stalled), sent 2026-01-05 09:00:00 UTC

message #a1b2c3`,
  )
})

test('a storm names findings with their hashes as long as there is room, and counts the others', () => {
  const items = Array.from({ length: 25 }, (_, index) =>
    toItem({ alertId: `${index}`.padStart(8, 'a'), subject: `${zoneHash} ${mainHash} ${index}` }),
  )
  const text = renderTelegram(toMessage({ items, total: 388 }))
  const named = text.split(zoneHash).length - 1
  expect(named).toBeGreaterThanOrEqual(10)
  expect(text).toContain(`… and ${388 - named} more`)
})

test('the plain form is text without tags', () => {
  const text = renderTelegramPlain(toMessage({ total: 3 }))
  expect(text).toContain(zoneHash)
  expect(text).toContain('… and 2 more')
  expect(text).not.toContain('<')
})

/** What Telegram would make active by itself, outside of code and of our own links. */
const active = /[@#/$]\p{L}|\p{L}\.\p{L}/u

test.each(['@channel /start #tag $TAG', 'evil.com https://evil.example', ...hostileTexts])(
  'case %#: a hostile text is no tag, calls nobody and links nowhere',
  (hostile) => {
    const item = toItem({
      summary: hostile,
      subject: hostile,
      remedy: hostile,
      rule: hostile,
      runbook: null,
      fields: [{ label: hostile, value: hostile, href: hostile }],
    })
    const of = toCase({ title: hostile, by: hostile, state: 'acknowledged', url: null })
    const message = toMessage({ headline: hostile, items: [item], case: of, pageUrl: null })
    const html = renderTelegram(message)
    expect(html.replace(/<\/?(b|code)>|<a href="https?:[^"<>]*">open<\/a>/g, '')).not.toMatch(/[<>]/)
    const outside = html.replace(/<code>[^<]*<\/code>|<[^>]*>/g, '')
    expect(outside).not.toMatch(active)
    expect(renderTelegramPlain(message)).not.toMatch(active)
  },
)

test.each(seeds())(
  'whatever is said, it is read without an error and within the limits (seed %i)',
  (seed) => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const html = renderTelegram(message)
        const read = readHtml(html)
        expect(typeof read).toBe('object')
        if (typeof read === 'string') return
        expect(measureTelegram(html)).toEqual({ length: read.text.length, entities: read.tags })
        expect(read.text.length).toBeLessThanOrEqual(4_096)
        expect(read.tags).toBeLessThanOrEqual(100)
        expect(renderTelegramPlain(message).length).toBeLessThanOrEqual(4_096)
        expect(`${html}${renderTelegramPlain(message)}`.isWellFormed()).toBe(true)
      }),
      { seed, numRuns: timesOf(300, seed) },
    )
  },
)
