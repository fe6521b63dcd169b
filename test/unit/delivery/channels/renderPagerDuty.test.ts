import { describe, expect, test } from 'vitest'
import { renderPagerDuty } from '../../../../src/delivery/channels/renderPagerDuty.ts'
import { fc, timesOf, seeds } from '../../../support/fastCheck.ts'
import { toCase, toItem, toMessage, zoneHash } from '../messages.ts'
import { anyMessage } from './anyMessage.ts'

const plain = { degraded: false }

function actionsOf(message = toMessage(), options: Parameters<typeof renderPagerDuty>[1] = plain) {
  return renderPagerDuty(message, options).events.map(
    ({ event_action, dedup_key }) => `${event_action} ${dedup_key}`,
  )
}

const key = 'ledger-1:c42:1'
const ended = toItem({ status: 'resolved' })
const inState = (state: 'open' | 'acknowledged' | 'handled' | 'closed') => toCase({ state })

describe('a case', () => {
  test('triggers with its worst finding, what is at risk, and where to look', () => {
    const { events, key: thread } = renderPagerDuty(toMessage({ case: toCase() }), plain)
    expect(thread).toBe(key)
    expect(events).toEqual([
      {
        event_action: 'trigger',
        dedup_key: key,
        payload: {
          summary:
            'CRITICAL: Withdrawal of 1250000.5 USDC has no origin, 1,250,000.5 USDC (1,250,000.50 USD at the price of the configuration) at risk, 3 findings (case c42)',
          source: '127.0.0.1:9464',
          severity: 'critical',
          timestamp: '2026-01-05T08:59:00.000Z',
          component: 'transfer',
          group: 'withdrawal-stalled',
          class: 'transfer.stalled',
          custom_details: expect.objectContaining({
            'Money at risk': '1,250,000.5 USDC (1,250,000.50 USD at the price of the configuration)',
            Case: 'c42, 3 findings',
            'Zone transaction': zoneHash,
            'What to do': 'Ask the relayer.',
            Message: 'message #a1b2c3',
          }),
        },
        client: 'spanwatch',
        client_url: 'https://watch.example.com/cases/c42',
        links: [
          { href: 'https://watch.example.com/cases/c42', text: 'Status page' },
          { href: 'https://runbooks.example.com/stalled', text: 'Runbook' },
          { href: 'https://explorer.example.com/tx/1?a=1&b=2', text: 'Zone transaction' },
        ],
      },
    ])
  })

  test.each([
    ['what somebody took is acknowledged', [], 'acknowledged', ['acknowledged'], [`acknowledge ${key}`]],
    ['what somebody handled is resolved', [], 'handled', ['handled'], [`resolve ${key}`]],
    ['what is over is resolved', [ended], 'closed', ['closed'], [`resolve ${key}`]],
    ['what went into another case is resolved', [], 'open', ['merged'], [`resolve ${key}`]],
    ['a note rings nobody', [], 'open', ['noted'], []],
    ['an assignment rings nobody', [], 'open', ['assigned'], []],
    ['the end of one finding leaves the others open', [ended], 'open', [], []],
    [
      'what joins a case that is taken stays taken',
      [toItem()],
      'acknowledged',
      [],
      [`trigger ${key}`, `acknowledge ${key}`],
    ],
    [
      'what was found and over before it was sent rings nobody',
      [toItem()],
      'closed',
      ['closed'],
      [`resolve ${key}`],
    ],
  ] as const)('%s', (_, items, state, changes, expected) => {
    expect(actionsOf(toMessage({ items, changes, case: inState(state) }))).toEqual(expected)
  })

  test('that opens again rings under its new key, and only then the old one is resolved', () => {
    const again = toMessage({ items: [], changes: ['opened again'], case: toCase({ key: 'ledger-1:c42:2' }) })
    expect(renderPagerDuty(again, { degraded: false, thread: key })).toMatchObject({
      key: 'ledger-1:c42:2',
      events: [
        { event_action: 'trigger', dedup_key: 'ledger-1:c42:2' },
        { event_action: 'resolve', dedup_key: key },
      ],
    })
  })
})

test('a case that opened again, of which nothing was kept, resolves the key before', () => {
  const of = toCase({ key: 'ledger-1:c42:2', keyBefore: key })
  expect(actionsOf(toMessage({ items: [], changes: ['opened again'], case: of }))).toEqual([
    'trigger ledger-1:c42:2',
    `resolve ${key}`,
  ])
})

describe('without a case', () => {
  test('each alert stands for itself, and the rest is counted', () => {
    const items = [toItem({ alertId: 'aaaaaaaa' }), toItem({ alertId: 'bbbbbbbb', status: 'ended' })]
    expect(actionsOf(toMessage({ items, total: 14 }))).toEqual([
      'trigger spanwatch-alert-aaaaaaaa',
      'resolve spanwatch-alert-bbbbbbbb',
      'trigger spanwatch-message-a1b2c3',
    ])
  })

  test('a correction rings on, and one that takes everything back ends', () => {
    const status = 'correction'
    const items = [
      toItem({ alertId: 'aaaaaaaa', status }),
      toItem({ alertId: 'bbbbbbbb', status, isTakenBack: true }),
    ]
    expect(actionsOf(toMessage({ items }))).toEqual([
      'trigger spanwatch-alert-aaaaaaaa',
      'resolve spanwatch-alert-bbbbbbbb',
    ])
  })

  test('a test leaves nothing open', () => {
    const items = [toItem({ alertId: '00000000', labels: { test: 'true' } })]
    expect(actionsOf(toMessage({ items }))).toEqual([
      'trigger spanwatch-alert-00000000',
      'resolve spanwatch-alert-00000000',
    ])
  })
})

describe.each([null, toCase()])('the details of a finding (case %j)', (of) => {
  const detailsOf = (...fields: [string, string][]) => {
    const item = toItem({ fields: fields.map(([label, value]) => ({ label, value, href: null })) })
    return renderPagerDuty(toMessage({ items: [item], case: of }), plain).events[0]?.payload?.custom_details
  }

  test('hold each of several fields of one name, and take the place of no other', () => {
    const details = detailsOf(
      ['Evidence', 'no record at 08:59'],
      ['Evidence', 'no receipt at 09:00'],
      ['Evidence 2', 'no block at 09:01'],
      ['Message', 'out of gas'],
    )
    expect(details).toMatchObject({
      Evidence: 'no record at 08:59',
      'Evidence 2': 'no receipt at 09:00',
      'Evidence 2 2': 'no block at 09:01',
      'Message 2': 'out of gas',
      Message: 'message #a1b2c3',
    })
  })

  test('say how many fields they leave out', () => {
    const details = detailsOf(...Array.from({ length: 40 }, (_, n): [string, string] => [`Fact ${n}`, 'x']))
    expect(details).toMatchObject({ 'Left out': expect.stringMatching(/^1[01] more fields$/) })
  })
})

test('the plain form has the line alone', () => {
  const { events } = renderPagerDuty(toMessage({ case: toCase() }), { degraded: true })
  expect(Object.keys(events[0]?.payload ?? {})).not.toContain('custom_details')
  expect(events[0]?.links).toEqual([{ href: 'https://watch.example.com/cases/c42', text: 'Status page' }])
})

test('keys that are too long stay different', () => {
  const keys = ['a', 'b'].map(
    (last) => actionsOf(toMessage({ case: toCase({ key: `${'x'.repeat(400)}${last}` }) }))[0],
  )
  expect(new Set(keys).size).toBe(2)
})

test.each(seeds())('whatever is said, every event is within the limits (seed %i)', (seed) => {
  fc.assert(
    fc.property(anyMessage, fc.boolean(), fc.option(fc.constant(key)), (message, degraded, thread) => {
      for (const event of renderPagerDuty(message, { degraded, thread }).events) {
        expect(event.dedup_key.length).toBeLessThanOrEqual(255)
        expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThanOrEqual(500_000)
        if (event.event_action !== 'trigger') continue
        const { summary, source, severity } = event.payload ?? {}
        expect(summary?.length).toBeLessThanOrEqual(1_024)
        expect([source, severity, summary].every(Boolean)).toBe(true)
        expect(event.links?.length ?? 0).toBeLessThanOrEqual(10)
        expect(event.links?.every(({ href }) => /^https?:/.test(href)) ?? true).toBe(true)
      }
    }),
    { seed, numRuns: timesOf(300, seed) },
  )
})
