import { describe, expect, test } from 'vitest'
import type { CaseChange } from '../../../../../src/delivery/channels/message.ts'
import {
  changeLine,
  readRootParts,
  renderCasePlain,
  renderReply,
  renderRoot,
  renderRootAgain,
} from '../../../../../src/delivery/channels/slackApp/renderCase.ts'
import { checkSlackPayload, readSlackText } from '../../../../../src/sandbox/inbox/slackInbox.ts'
import { fc, timesOf, seeds } from '../../../../support/fastCheck.ts'
import { toCase, toItem, toMessage } from '../../messages.ts'
import { anyMessage } from '../anyMessage.ts'

const options = { hasButtons: true }

test('the first message says how its case stands, then the findings', () => {
  const of = toCase({ title: 'Withdrawal of 1250000.5 USDC has no origin' })
  const { payload } = renderRoot(toMessage({ case: of }), of, options)
  expect(readSlackText({ blocks: payload.blocks?.slice(0, 5) })).toMatchInlineSnapshot(`
    "🔴 CRITICAL: Withdrawal of 1250000.5 USDC has no origin
    At risk: 1,250,000.5 USDC (1,250,000.50 USD at the price of the configuration) · 3 findings · case c42 · nobody has it yet
    Acknowledge
    Silence this transfer
    Handled
    Runbook
    Explorer
    Case
    CRITICAL: 1250000.5 USDC has waited 2h 10m
    since 06:50:00 UTC (2 h 10 min ago)"
  `)
  expect(payload.blocks?.map(({ type }) => type)).toMatchInlineSnapshot(`
    [
      "header",
      "section",
      "actions",
      "section",
      "context",
      "section",
      "section",
      "context",
      "context",
    ]
  `)
})

test('what the title says in full is not said twice', () => {
  const item = toItem({ summary: 'Withdrawal of 1 USDC has no origin' })
  const of = toCase({ title: item.summary })
  const { payload } = renderRoot(toMessage({ case: of, items: [item] }), of, options)
  expect(readSlackText(payload).split(item.summary).length).toBe(2)
})

test('another state replaces the first lines and keeps all others', () => {
  const of = toCase()
  const { payload, parts } = renderRoot(toMessage({ case: of }), of, options)
  const closed = toCase({ state: 'closed', closedAt: of.openedAt + 60_000 })
  const again = renderRootAgain(closed, parts, options)
  expect(again.blocks?.slice(3)).toEqual(payload.blocks?.slice(3))
  expect(readSlackText(again).split('\n').slice(0, 2)).toMatchInlineSnapshot(`
    [
      "⚪ CRITICAL: Withdrawal of 1250000.5 USDC has no origin",
      "At risk: 1,250,000.5 USDC (1,250,000.50 USD at the price of the configuration) · 3 findings · case c42 · closed after 1m",
    ]
  `)
})

test('what Slack gives back of a first message are the parts that were sent', () => {
  const of = toCase()
  const { payload, parts } = renderRoot(toMessage({ case: of }), of, options)
  expect(readRootParts(JSON.parse(JSON.stringify(payload.blocks)))).toEqual(parts)
})

describe('a finding whose words were the title', () => {
  const item = toItem({ summary: `Withdrawal of 77 <b>&WETH ${'has no origin '.repeat(20).trim()}` })
  const of = toCase({ title: item.summary })
  const { payload, parts } = renderRoot(toMessage({ case: of, items: [item] }), of, options)

  test('is said above its facts once the case has another title', () => {
    const worse = toCase({ title: 'Withdrawal of 9 USDC was paid twice' })
    const again = renderRootAgain(worse, parts, options)
    const [said, ...facts] = again.blocks?.slice(3) ?? []
    expect(readSlackText({ blocks: said && [said] })).toBe(`CRITICAL: ${item.summary}`)
    expect(facts).toEqual(parts.details)
    expect(renderRootAgain(of, parts, options).blocks).toEqual(payload.blocks)
  })

  test('is read back from Slack', () => {
    expect(readRootParts(JSON.parse(JSON.stringify(payload.blocks)))).toEqual(parts)
  })
})

test.each([
  [null],
  ['x'],
  [[]],
  [[null, 1, 'x']],
  [[{ type: 'section' }]],
  [[{ type: 'actions', elements: 7 }]],
])('%j is no first message of ours', (blocks) => {
  expect(readRootParts(blocks)).toBeNull()
})

describe('what happened to a case, in one line', () => {
  const of = toCase({
    by: 'ann',
    reason: 'known relayer',
    assignee: 'bob',
    closedAt: toCase().openedAt + 3_600_000,
  })
  const lines = (
    [
      'acknowledged',
      'assigned',
      'noted',
      'handled',
      'closed',
      'opened again',
      'merged',
      'written off',
    ] satisfies CaseChange[]
  ).map((change) => changeLine(change, of))
  test('names who did it, and why', () => {
    expect(lines).toMatchInlineSnapshot(`
      [
        "👀 Acknowledged by ann: known relayer",
        "👤 Assigned to bob",
        "📝 A note was added",
        "✅ Handled by ann: known relayer",
        "⚪ Closed after 1h",
        "🔴 Opened again: CRITICAL: Withdrawal of 1250000.5 USDC has no origin",
        "🔀 Went into another case: what follows is told there",
        "🧾 A break was written off",
      ]
    `)
  })
})

test('a message of changes alone is their lines', () => {
  const message = toMessage({ items: [], total: 0, changes: ['acknowledged', 'closed'] })
  const of = toCase({ by: 'ann', closedAt: toCase().openedAt + 60_000 })
  expect(readSlackText(renderReply(message, of))).toMatchInlineSnapshot(`
    "👀 Acknowledged by ann
    ⚪ Closed after 1m
    message #a1b2c3"
  `)
  expect(renderCasePlain(message, of).text.split('\n')[0]).toBe('👀 Acknowledged by ann')
})

test('what was written of a case is quoted, each with who wrote it', () => {
  const message = toMessage({
    items: [],
    total: 0,
    changes: ['noted', 'assigned', 'written off'],
    notes: [
      { what: 'noted', by: 'ann', text: 'asked the <!channel> operator' },
      { what: 'written off', by: 'bob', text: 'e3: a fee; t1: 2.5 USDC, open too long' },
      { what: 'noted', by: 'bob', text: 'they answered' },
    ],
  })
  expect(readSlackText(renderReply(message, toCase({ assignee: 'bob' })))).toMatchInlineSnapshot(`
    "📝 Note by ann: asked the <!channel> operator
    📝 Note by bob: they answered
    👤 Assigned to bob
    🧾 A break was written off by bob: e3: a fee; t1: 2.5 USDC, open too long
    message #a1b2c3"
  `)
})

test.each(seeds())(
  'every message is within what Slack takes, and activates nothing of its data (seed %i)',
  (seed) => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const of = message.case ?? toCase()
        const { payload, parts } = renderRoot(message, of, options)
        for (const one of [
          payload,
          renderRootAgain(of, parts, options),
          renderReply(message, of),
          renderCasePlain(message, of),
        ]) {
          const body = JSON.stringify(one)
          expect(checkSlackPayload(body)).toBeNull()
          expect(body).not.toMatch(/<[!@#]/)
          expect(one.text.length).toBeLessThanOrEqual(4_000)
        }
      }),
      { seed, numRuns: timesOf(100, seed) },
    )
  },
)
