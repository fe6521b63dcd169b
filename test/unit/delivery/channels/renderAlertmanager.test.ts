import { describe, expect, test } from 'vitest'
import { renderAlertmanager, repeatCase } from '../../../../src/delivery/channels/renderAlertmanager.ts'
import { fc, timesOf, seeds } from '../../../support/fastCheck.ts'
import { toCase, toItem, toMessage } from '../messages.ts'
import { anyMessage } from './anyMessage.ts'

const now = Date.UTC(2026, 0, 5, 9)
const plain = { degraded: false, before: null }
const inADay = '2026-01-06T09:00:00.000Z'
const atOnce = '2026-01-05T09:00:00.000Z'

describe('a description', () => {
  const describeFacts = (value: string) => {
    const fields = Array.from({ length: 20 }, (_, n) => ({ label: `Fact ${n}`, value, href: null }))
    const { alerts } = renderAlertmanager(toMessage({ items: [toItem({ fields })] }), plain, now)
    return alerts[0]?.annotations['description']
  }

  test('says how many fields it leaves out', () => {
    expect(describeFacts('x')).toMatch(/Fact 10: x\n… and 9 more fields\nWhat to do: Ask the relayer\.$/)
  })

  test('that is too long says what to do all the same, and that it was cut', () => {
    const text = describeFacts('🦑'.repeat(1_000))
    expect(text?.length).toBeLessThanOrEqual(4_000)
    expect(text).toMatch(/🦑…\nWhat to do: Ask the relayer\.$/)
  })
})

describe('a case', () => {
  const first = renderAlertmanager(toMessage({ case: toCase() }), plain, now)

  test('is one alert that does not end by itself', () => {
    expect(first.alerts).toEqual([
      {
        labels: {
          alertname: 'transfer.stalled',
          case: 'c42',
          case_key: 'ledger-1:c42:1',
          severity: 'critical',
          rule: 'withdrawal-stalled',
          token: '0xcc',
        },
        annotations: {
          summary:
            'CRITICAL: Withdrawal of 1250000.5 USDC has no origin, 1,250,000.5 USDC (1,250,000.50 USD at the price of the configuration) at risk, 3 findings (case c42)',
          description: expect.stringMatching(
            /^CRITICAL: 1250000.5 USDC has waited[^]*What to do: Ask the relayer\.$/,
          ),
          runbook_url: 'https://runbooks.example.com/stalled',
          money_at_risk: '1,250,000.5 USDC (1,250,000.50 USD at the price of the configuration)',
          findings: '3',
        },
        startsAt: '2026-01-05T08:59:00.000Z',
        endsAt: inADay,
        generatorURL: 'https://watch.example.com/cases/c42',
      },
    ])
  })

  const labels = first.alerts[0]?.labels
  const told = { degraded: false, before: first.thread }

  test('what joins it brings its annotations up to date and changes no label', () => {
    const joined = toItem({
      kind: 'transfer.unbacked',
      rule: 'unbacked',
      labels: { token: '0xdd' },
      summary: 'more',
    })
    const { alerts } = renderAlertmanager(
      toMessage({ items: [joined], case: toCase({ members: 4 }) }),
      told,
      now,
    )
    expect(alerts).toHaveLength(1)
    expect(alerts[0]).toMatchObject({ labels, annotations: { findings: '4' }, endsAt: inADay })
    expect(alerts[0]?.annotations['description']).toContain('more')
  })

  test.each([
    ['handled', toCase({ state: 'handled' }), ['handled'] as const],
    ['closed', toCase({ state: 'closed' }), ['closed'] as const],
    ['merged', toCase(), ['merged'] as const],
  ])('that is %s ends now, by the labels that it was told with', (_, of, changes) => {
    const { alerts } = renderAlertmanager(toMessage({ items: [], changes, case: of }), told, now)
    expect(alerts).toMatchObject([{ labels, endsAt: atOnce }])
  })

  test.each([
    ['worse', toCase({ severity: 'critical' }), toCase({ severity: 'warning' })],
    ['open again under another key', toCase({ key: 'ledger-1:c42:2' }), toCase()],
  ])('that is %s is another alert, in whose place the former one ends', (_, of, former) => {
    const before = renderAlertmanager(toMessage({ case: former }), plain, now)
    const { alerts } = renderAlertmanager(
      toMessage({ case: of }),
      { degraded: false, before: before.thread },
      now,
    )
    expect(alerts).toMatchObject([
      { labels: { severity: of.severity, case_key: of.key }, endsAt: inADay },
      { labels: before.alerts[0]?.labels, endsAt: atOnce },
    ])
  })

  test('that somebody took stays, and says who has it', () => {
    const of = toCase({ state: 'acknowledged', by: 'mia', reason: 'asking the relayer' })
    const { alerts } = renderAlertmanager(
      toMessage({ items: [], changes: ['acknowledged'], case: of }),
      told,
      now,
    )
    expect(alerts).toMatchObject([
      { labels, annotations: { in_hand: 'acknowledged by mia: asking the relayer' }, endsAt: inADay },
    ])
  })

  test('is repeated as it was told, with what is known of it now', () => {
    const standing = { case: toCase({ members: 9 }), thread: first.thread ?? '' }
    expect(repeatCase(standing, now + 60_000)).toMatchObject([
      {
        labels,
        annotations: { findings: '9', runbook_url: 'https://runbooks.example.com/stalled' },
        startsAt: '2026-01-05T08:59:00.000Z',
        endsAt: '2026-01-06T09:01:00.000Z',
      },
    ])
  })

  test('is not repeated as an earlier turn of it was told', () => {
    expect(repeatCase({ case: toCase({ key: 'ledger-1:c42:2' }), thread: first.thread ?? '' }, now)).toEqual(
      [],
    )
  })

  test.each(['', 'x', '{}', '{"labels":3}'])(
    'of which %o was kept is not repeated, and is told anew',
    (before) => {
      expect(repeatCase({ case: toCase(), thread: before }, now)).toEqual([])
      expect(renderAlertmanager(toMessage({ case: toCase() }), { degraded: false, before }, now)).toEqual(
        first,
      )
    },
  )

  test('of which nothing was told has no end to tell', () => {
    const over = toMessage({ items: [], changes: ['closed'], case: toCase({ state: 'closed' }) })
    expect(renderAlertmanager(over, plain, now).alerts).toEqual([])
  })
})

test('without a case each alert stands for itself, and what is over ends now', () => {
  const items = [toItem({ alertId: 'aaaaaaaa' }), toItem({ alertId: 'bbbbbbbb', status: 'ended' })]
  expect(renderAlertmanager(toMessage({ items, total: 14 }), plain, now).alerts).toMatchObject([
    { labels: { alert: 'aaaaaaaa', alertname: 'transfer.stalled' }, endsAt: inADay },
    { labels: { alert: 'bbbbbbbb' }, endsAt: atOnce },
    { labels: { alertname: 'more' }, annotations: { summary: expect.stringContaining('… and 12 more') } },
  ])
})

test('what a correction takes back ends now', () => {
  const items = [
    toItem({ alertId: 'aaaaaaaa', status: 'correction' }),
    toItem({ alertId: 'bbbbbbbb', status: 'correction', isTakenBack: true }),
  ]
  expect(renderAlertmanager(toMessage({ items }), plain, now).alerts).toMatchObject([
    { labels: { alert: 'aaaaaaaa' }, endsAt: inADay },
    { labels: { alert: 'bbbbbbbb' }, endsAt: atOnce },
  ])
})

test.each(seeds())(
  'whatever is said, labels are names and texts, and no alert ends before it begins (seed %i)',
  (seed) => {
    fc.assert(
      fc.property(anyMessage, fc.option(fc.string()), fc.boolean(), (message, before, degraded) => {
        for (const alert of renderAlertmanager(message, { degraded, before }, now).alerts) {
          expect(Object.keys(alert.labels).every((name) => /^[a-zA-Z_]\w*$/.test(name))).toBe(true)
          expect(Date.parse(alert.startsAt)).toBeLessThanOrEqual(Date.parse(alert.endsAt))
          expect(Buffer.byteLength(JSON.stringify(alert))).toBeLessThanOrEqual(64_000)
        }
      }),
      { seed, numRuns: timesOf(300, seed) },
    )
  },
)
