import type {
  ItemField,
  Message,
  MessageCase,
  MessageItem,
} from '../../../../src/delivery/channels/message.ts'
import { fc } from '../../../support/fastCheck.ts'
import { hostileTexts, mainHash, toCase, toItem, toMessage, zoneHash } from '../messages.ts'

/** Texts from the chain: short, hostile, huge, and mixtures of them. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(...hostileTexts),
  fc.constantFrom(
    '<at>all</at>',
    '@everyone',
    '[x](https://evil.example)',
    '&amp;lt;',
    '\\_*~`|>#',
    '"'.repeat(3_000),
  ),
  fc
    .array(fc.constantFrom(...hostileTexts, '<b>', '</b>', '&', '"', '\\', '🦑'), { maxLength: 60 })
    .map((some) => some.join('')),
)

const anyInstant = fc.oneof(fc.integer({ min: 0, max: 4e12 }), fc.constantFrom(-8.64e15, 8.64e15, 1e20))
const severities = ['critical', 'warning', 'info'] as const
const statuses = ['event', 'firing', 'update', 'resolved', 'ended', 'correction', 'repeat'] as const
const anyHref = fc.constantFrom(
  null,
  'https://explorer.example.com/tx/0xab?a=1&b=(2)',
  'javascript:alert(1)',
  `https://x.example/${'a'.repeat(900)}`,
  'https://x.example/"><b>',
)

const anyHash = fc.constantFrom(mainHash, zoneHash, 'none seen', '0xabc|<!channel>')
const anyField: fc.Arbitrary<ItemField> = fc.oneof(
  fc.record({ label: anyText, value: anyText, href: anyHref }),
  fc.record({
    label: anyText,
    value: fc.oneof(anyText, anyHash),
    href: anyHref,
    place: fc.constantFrom('fact', 'hash', 'detail', 'said'),
  }),
  fc.record({
    label: fc.constantFrom('Main transaction', 'Zone transaction'),
    value: anyHash,
    href: anyHref,
    place: fc.constant('hash'),
  }),
)

const anyItem: fc.Arbitrary<MessageItem> = fc
  .record({
    alertId: fc.constantFrom('a1b2c3d4', '00000000', 'ffffffff'),
    rule: anyText,
    kind: anyText,
    severity: fc.constantFrom(...severities),
    status: fc.constantFrom(...statuses),
    summary: anyText,
    subject: anyText,
    fields: fc.array(anyField, { maxLength: 40 }),
    labels: fc.dictionary(fc.oneof(fc.constantFrom('token', 'direction', '__proto__'), anyText), anyText, {
      maxKeys: 5,
    }),
    remedy: fc.option(anyText),
    runbook: anyHref,
    since: anyInstant,
    lastedMs: fc.option(fc.nat()),
  })
  .map((some) => toItem(some))

const anyCase: fc.Arbitrary<MessageCase> = fc
  .record({
    id: fc.constantFrom('c1', 'c42'),
    key: fc.oneof(
      fc.constant('ledger:c1:1'),
      anyText.filter((text) => text !== ''),
    ),
    state: fc.constantFrom('open', 'acknowledged', 'handled', 'closed'),
    severity: fc.constantFrom(...severities),
    title: anyText,
    money: fc.array(
      fc.record({
        token: anyText,
        symbol: anyText,
        amount: fc.constantFrom('1', '1250000.5', '9'.repeat(78)),
        usd: fc.constantFrom(null, '12.50'),
      }),
      { maxLength: 5 },
    ),
    members: fc.nat(),
    openedAt: anyInstant,
    turnAt: anyInstant,
    keyBefore: fc.constantFrom(null, 'ledger:c1:0'),
    mergedInto: fc.constantFrom(null, 'c7'),
    root: anyText,
    assignee: fc.option(anyText),
    by: fc.option(anyText),
    reason: fc.option(anyText),
    url: anyHref,
  })
  .map((some) => toCase(some as Partial<MessageCase>))

const written = ['noted', 'matched', 'written off', 'taken back'] as const
const changes = [
  ...written,
  'acknowledged',
  'assigned',
  'handled',
  'closed',
  'opened again',
  'merged',
] as const

/** Whatever a channel may be handed: up to 25 items, of one case, of none, or a case without items. */
export const anyMessage: fc.Arbitrary<Message> = fc
  .record({
    items: fc.array(anyItem, { maxLength: 25 }),
    rest: fc.array(anyItem, { maxLength: 3 }),
    case: fc.option(anyCase),
    cases: fc.array(anyCase, { maxLength: 20 }),
    briefFrom: fc.nat(25),
    changes: fc.array(fc.constantFrom(...changes), { maxLength: 3 }),
    notes: fc.array(fc.record({ what: fc.constantFrom(...written), by: fc.option(anyText), text: anyText }), {
      maxLength: 10,
    }),
    headline: anyText,
    severity: fc.constantFrom(...severities),
    untold: fc.constantFrom(0, 1, 100_000),
    pageUrl: anyHref,
    createdAt: anyInstant,
    attempt: fc.integer({ min: 1, max: 99 }),
  })
  .map(({ untold, ...some }) => toMessage({ ...some, total: some.items.length + some.rest.length + untold }))
