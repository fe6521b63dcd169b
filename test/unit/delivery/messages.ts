import type { Message, MessageCase, MessageItem } from '../../../src/delivery/channels/message.ts'

export const mainHash = `0x${'a1'.repeat(32)}`
export const zoneHash = `0x${'b2'.repeat(32)}`

export function toItem(overrides: Partial<MessageItem> = {}): MessageItem {
  return {
    alertId: 'alert-1',
    rule: 'withdrawal-stalled',
    kind: 'transfer.stalled',
    severity: 'critical',
    status: 'firing',
    summary: '1250000.5 USDC has waited 2h 10m',
    subject: `withdrawal, zone transaction ${zoneHash}, no main transaction`,
    fields: [
      { label: 'Amount', value: '1250000.500001 USDC', href: null },
      { label: 'Token', value: 'USDC 0xcccccccccccccccccccccccccccccccccccccccc', href: null },
      { label: 'Direction', value: 'ZoneToMain', href: null },
      { label: 'Zone transaction', value: zoneHash, href: 'https://explorer.example.com/tx/1?a=1&b=2' },
      { label: 'Main transaction', value: '', href: null },
      { label: 'Evidence', value: 'E12 at 08:59:58 UTC: no main transaction', href: null },
    ],
    facts: { waitedMs: 7_800_000 },
    labels: { token: '0xcc' },
    runbook: 'https://runbooks.example.com/stalled',
    since: Date.UTC(2026, 0, 5, 6, 50),
    at: Date.UTC(2026, 0, 5, 9),
    lastedMs: null,
    remedy: 'Ask the relayer.',
    joined: [],
    ...overrides,
  }
}

export function toMessage(overrides: Partial<Message> = {}): Message {
  const items = overrides.items ?? [toItem()]
  return {
    id: 'a1b2c3',
    attempt: 1,
    channel: 'ops',
    severity: 'critical',
    headline: 'CRITICAL: a withdrawal of 1250000.500001 USDC has not arrived',
    items,
    rest: [],
    case: null,
    changes: [],
    total: items.length,
    createdAt: Date.UTC(2026, 0, 5, 9),
    pageUrl: 'http://127.0.0.1:9464/',
    ...overrides,
  }
}

/** Strings that a token name or memo can hold, each an attack on some sink. */
export const hostileTexts = [
  '<!channel> <@U012AB3CD> <#C012AB3CD> <!subteam^S1>',
  '<https://evil.example|USDC>',
  '&lt;!here&gt; &amp;',
  '*bold* _it_ ~no~ `code` ```block```',
  ':skull: @here @channel #general',
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '"><style>*{display:none}</style><a href="javascript:alert(1)">x</a>',
  "' onmouseover='alert(1)",
  '=HYPERLINK("https://evil.example")',
  '{{ 7 | times: 6 }} ${7*7}',
  '\u202Egnp.exe\u202C \u200Bx\uFEFF',
  'line\r\nBcc: all@example.com\r\n\r\nbody',
  '\u001b[31mred\u001b[0m\u0007',
  '\ud83d lone \udc00',
  '👩‍👩‍👧‍👦'.repeat(50),
  'A'.repeat(200_000),
]

export function toCase(overrides: Partial<MessageCase> = {}): MessageCase {
  return {
    id: 'c42',
    key: 'ledger-1:c42:1',
    root: 'ledger-1:c42',
    keyBefore: null,
    turn: 1,
    mergedInto: null,
    state: 'open',
    severity: 'critical',
    title: 'Withdrawal of 1250000.5 USDC has no origin',
    money: [{ token: '0xcc', symbol: 'USDC', amount: '1250000.5', usd: '1250000.50' }],
    members: 3,
    openedAt: Date.UTC(2026, 0, 5, 8, 59),
    turnAt: Date.UTC(2026, 0, 5, 9, 1),
    closedAt: null,
    assignee: null,
    by: null,
    reason: null,
    transferKey: 't1',
    url: 'https://watch.example.com/cases/c42',
    ...overrides,
  }
}
