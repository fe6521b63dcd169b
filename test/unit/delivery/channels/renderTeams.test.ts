import { expect, test } from 'vitest'
import { renderTeams, renderTeamsPlain } from '../../../../src/delivery/channels/renderTeams.ts'
import { fc, timesOf, seeds } from '../../../support/fastCheck.ts'
import { hostileTexts, mainHash, toCase, toItem, toMessage, zoneHash } from '../messages.ts'
import { anyMessage } from './anyMessage.ts'

const cardOf = (message = toMessage(), render = renderTeams) => render(message).attachments[0].content
const textsOf = (message = toMessage(), render = renderTeams) =>
  cardOf(message, render).body.map(({ inlines }) => inlines.map(({ text }) => text).join(''))

test('a case: the verdict, what is at risk, the finding in full, and where to go', () => {
  const message = toMessage({ case: toCase({ state: 'acknowledged', by: 'mia' }) })
  expect(textsOf(message)).toEqual([
    'CRITICAL: a withdrawal of 1250000.500001 USDC has not arrived',
    'At risk: 1,250,000.5 USDC (1,250,000.50 USD at the price of the configuration) · 3 findings · case c42 · acknowledged by mia',
    'The case: Withdrawal of 1250000.5 USDC has no origin',
    `CRITICAL: 1250000.5 USDC has waited 2h 10m
since 06:50:00 UTC (2 h 10 min ago)
What to do: Ask the relayer.
Amount: 1250000.500001 USDC
Token: USDC 0xcccccccccccccccccccccccccccccccccccccccc
Direction: ZoneToMain
Zone transaction: ${zoneHash}`,
    `Main transaction: –
Evidence: E12 at 08:59:58 UTC: no main transaction
rule withdrawal-stalled (transfer.stalled), sent 2026-01-05 09:00:00 UTC`,
    'message #a1b2c3',
  ])
  expect(cardOf(message).actions).toEqual([
    { type: 'Action.OpenUrl', title: 'Runbook', url: 'https://runbooks.example.com/stalled' },
    { type: 'Action.OpenUrl', title: 'Case', url: 'https://watch.example.com/cases/c42' },
  ])
})

test('a storm names each finding with its hashes, and counts the others', () => {
  const items = Array.from({ length: 25 }, (_, index) =>
    toItem({ alertId: `${index}`.padStart(8, 'a'), subject: `transfer ${zoneHash} ${mainHash} ${index}` }),
  )
  const texts = textsOf(toMessage({ items, total: 388 }))
  expect(texts.filter((text) => text.includes(zoneHash) && text.includes(mainHash))).toHaveLength(25)
  expect(texts).toContain('… and 363 more: see the status page')
})

test('what is over and well is green', () => {
  const color = (status: 'resolved' | 'ended') =>
    cardOf(toMessage({ items: [toItem({ status })] })).body[0]?.inlines[0]?.color
  expect([color('resolved'), color('ended')]).toEqual(['Good', 'Attention'])
})

test('the plain form is text alone', () => {
  expect(textsOf(toMessage({ total: 3 }), renderTeamsPlain)).toEqual([
    'CRITICAL: a withdrawal of 1250000.500001 USDC has not arrived',
    'CRITICAL: 1250000.5 USDC has waited 2h 10m',
    expect.stringContaining(zoneHash),
    expect.stringContaining('Amount 1250000.500001 USDC'),
    '… and 2 more',
    'message #a1b2c3',
  ])
  expect(cardOf(toMessage(), renderTeamsPlain).actions).toBeUndefined()
})

test.each([
  '<at>all</at>',
  '</AT>',
  '{{{{DATE(2017-02-14T06:00:00Z)}}',
  '{{{TIME(2017-02-14T06:00:00Z)}}}',
  '[pay here](https://evil.example)',
  ...hostileTexts,
])('case %#: a hostile text formats nothing, mentions nobody and links nowhere', (hostile) => {
  const item = toItem({
    summary: hostile,
    subject: hostile,
    fields: [{ label: hostile, value: hostile, href: hostile }],
  })
  const text = JSON.stringify([renderTeams(toMessage({ headline: hostile, items: [item] }))])
  expect(text).not.toMatch(/<\/?at\b|\{\{/i)
  // Markdown is known to TextBlock and FactSet: there is none.
  expect(text).not.toMatch(/"TextBlock"|"FactSet"/)
  expect(text).not.toMatch(/"url":"(?!https?:)/)
})

test.each(seeds())('whatever is said, the card is within 28 kB by either count (seed %i)', (seed) => {
  fc.assert(
    fc.property(anyMessage, fc.boolean(), (message, degraded) => {
      const text = JSON.stringify(degraded ? renderTeamsPlain(message) : renderTeams(message))
      expect(Math.max(Buffer.byteLength(text), text.length * 2)).toBeLessThanOrEqual(27_000)
      expect(text.isWellFormed()).toBe(true)
    }),
    { seed, numRuns: timesOf(300, seed) },
  )
})
