import { expect, test } from 'vitest'
import {
  escapeTo,
  renderDiscord,
  renderDiscordPlain,
} from '../../../../src/delivery/channels/renderDiscord.ts'
import { fc, timesOf, seeds } from '../../../support/fastCheck.ts'
import { hostileTexts, mainHash, toCase, toItem, toMessage, zoneHash } from '../messages.ts'
import { anyMessage } from './anyMessage.ts'

test('a case: the verdict, the finding in full, what is at risk, and where to go', () => {
  const { content, embeds = [], allowed_mentions } = renderDiscord(toMessage({ case: toCase() }))
  expect(content).toBe(
    [
      String.raw`**CRITICAL\: a withdrawal of 1250000.500001 USDC has not arrived**`,
      String.raw`At risk\: 1,250,000.5 USDC \(1,250,000.50 USD at the price of the configuration\) · 3 findings · case c42 · nobody has it yet`,
      String.raw`The case\: Withdrawal of 1250000.5 USDC has no origin`,
    ].join('\n'),
  )
  expect(allowed_mentions).toEqual({ parse: [] })
  expect(embeds[0]).toMatchObject({
    description: expect.stringContaining('What to do: Ask the relayer.'),
    color: 0xd32f2f,
    fields: expect.arrayContaining([
      {
        name: 'Zone transaction',
        value: `\`${zoneHash}\``,
        inline: false,
      },
    ]),
  })
  expect(embeds[1]).toEqual({
    description:
      '[Runbook](<https://runbooks.example.com/stalled>) · [Case](<https://watch.example.com/cases/c42>)',
    color: 0xd32f2f,
  })
  expect(embeds[2]).toMatchObject({
    description: expect.stringContaining('Evidence: `E12 at 08:59:58 UTC: no main transaction`'),
    color: 0xd32f2f,
    footer: { text: 'message #a1b2c3' },
    timestamp: '2026-01-05T09:00:00.000Z',
  })
})

test('a storm names findings with their hashes as long as there is room, and counts the others', () => {
  const items = Array.from({ length: 25 }, (_, index) =>
    toItem({ alertId: `${index}`.padStart(8, 'a'), subject: `transfer ${zoneHash} ${mainHash} ${index}` }),
  )
  const text = JSON.stringify(renderDiscord(toMessage({ items, total: 388 })))
  const named = text.split(zoneHash).length - 1
  expect(named).toBeGreaterThanOrEqual(15)
  expect(text).toContain(`… and ${388 - named} more`)
})

test('the plain form is text alone', () => {
  const { content, embeds } = renderDiscordPlain(toMessage({ total: 3 }))
  expect(embeds).toBeUndefined()
  expect(content).toContain(zoneHash)
  expect(content).toContain('… and 2 more\nmessage \\#a1b2c3')
})

test.each([
  ['@everyone', String.raw`\@everyone`],
  ['<@1> <#2> <t:3>', String.raw`\<\@1\> \<\#2\> \<t\:3\>`],
  ['[x](https://evil.example)', String.raw`\[x\]\(https\://evil.example\)`],
  ['`a` ||b||', String.raw`\`a\` \|\|b\|\|`],
  ['\\*', String.raw`\\\*`],
  ['- list', String.raw`\- list`],
])('%s is escaped', (text, expected) => {
  expect(escapeTo(text, 100)).toBe(expected)
})

test('a text that is cut ends before an escape, not inside one', () => {
  expect(escapeTo('a***', 5)).toBe('a\\*…')
  expect(escapeTo('🦑🦑', 4)).toBe('🦑…')
})

/** What is left once our own links and code spans are taken out, and whatever stands behind a backslash. */
function inertTextsOf(message: ReturnType<typeof renderDiscord>): string[] {
  const { content, embeds = [] } = message
  const texts = [
    content,
    ...embeds.flatMap(({ description = '', fields = [] }) => [
      description,
      ...fields.flatMap(({ name, value }) => [name, value]),
    ]),
  ]
  const ours =
    /\\.|`[^`]*`|\[(?:Case|Status page|Runbook|Explorer|Whole story|0x[0-9a-f]{4}…[0-9a-f]{4})\]\(<https?:\/\/[^()<>\s]*>\)/gsu
  return texts.map((text) => text.replace(ours, '').replace(/^\*\*|\*\*$/gm, ''))
}

test.each(hostileTexts)(
  'case %#: a hostile text formats nothing, mentions nobody and links nowhere',
  (hostile) => {
    const item = toItem({
      summary: hostile,
      subject: hostile,
      fields: [{ label: hostile, value: hostile, href: hostile }],
    })
    const message = toMessage({
      headline: hostile,
      items: [item],
      case: toCase({ title: hostile, by: hostile }),
    })
    for (const text of [
      ...inertTextsOf(renderDiscord(message)),
      ...inertTextsOf(renderDiscordPlain(message)),
    ]) {
      expect(text).not.toMatch(/[`*_~|<>[\]#@]|:\/\//)
    }
  },
)

test.each(seeds())('whatever is said, the texts are inert and well-formed (seed %i)', (seed) => {
  fc.assert(
    fc.property(anyMessage, fc.boolean(), (message, degraded) => {
      const rendered = degraded ? renderDiscordPlain(message) : renderDiscord(message)
      expect(JSON.stringify(rendered).isWellFormed()).toBe(true)
      for (const text of inertTextsOf(rendered)) expect(text).not.toMatch(/[*_~|<>[\]#@]|:\/\//)
    }),
    { seed, numRuns: timesOf(200, seed) },
  )
})
