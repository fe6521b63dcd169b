import { expect, test } from 'vitest'
import { kinds } from '../../../src/checks/index.ts'
import { encodeFinding } from '../../../src/alerts/findingJson.ts'
import { rankAmount } from '../../../src/bridge/amount.ts'
import { toRisk } from '../../../src/cases/money.ts'
import { toMessageItem, type Wording } from '../../../src/delivery/wording.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import type { AlertRow } from '../../../src/alerts/store/alertRows.ts'
import { createCondition, createEvent, createRule, createTransfer, start } from '../alerts/harness.ts'

function rowOf(finding: Finding, overrides: Partial<AlertRow> = {}): AlertRow {
  return {
    id: 1,
    fingerprint: 'a1b2c3d4e5f6',
    rule: 'failed',
    kind: finding.kind,
    nature: 'event',
    severity: 'critical',
    labels: '{"rule":"failed"}',
    subject: finding.subject,
    transferKey: null,
    state: 'new',
    episode: 1,
    activeAt: start,
    firedAt: start,
    keepSince: null,
    resolvedAt: null,
    resolvedReason: null,
    refreshedAt: start,
    material: '[]',
    amountRank: '',
    runbook: 'https://runbook.example',
    ackedBy: null,
    ackedAt: null,
    changedAt: start,
    sinceAt: finding.since,
    finding: encodeFinding(finding),
    ...overrides,
  }
}

function word(finding: Finding, overrides: Partial<Wording> = {}, now = start) {
  const links = { main: 'https://scan.example/main/{hash}', zone: 'https://scan.example/zone/{hash}' }
  const alert = rowOf(finding)
  const kind = kinds.find(finding.kind)
  const wording = { alert, what: 'event', episode: 1, finding, kind, rule: null, links } as const
  return toMessageItem({ ...wording, ...overrides }, now)
}

const hash = (digit: string) => `0x${digit.repeat(64)}`
const bothLegs = {
  main: { chain: 'main' as const, hash: hash('1'), height: 5, time: start },
  zone: { chain: 'zone' as const, hash: hash('2'), height: 6, time: start },
}

test.each([
  ['0x0', 'failed'],
  ['not known', 'does not exist'],
])('a status %s says in words what is wrong', (found, said) => {
  const facts = { what: 'status', leg: 'main', expected: '0x1', found }
  const { summary } = word({ ...createEvent(7, bothLegs), kind: 'transfer.mismatch', facts })
  expect(summary).toContain(`its main transaction ${said}, and its record says that it succeeded`)
})

test('an item says verdict, exact amount, token, direction, age and both hashes with links', () => {
  expect(word(createEvent(7, bothLegs))).toMatchInlineSnapshot(`
    {
      "alertId": "a1b2c3d4",
      "at": 1790000000000,
      "facts": {
        "amount": "7",
        "amountRaw": "7000000",
        "mainTxHash": "0x1111111111111111111111111111111111111111111111111111111111111111",
        "token": "0xcccccccccccccccccccccccccccccccccccccccc",
        "transfer": "t7",
        "zoneTxHash": "0x2222222222222222222222222222222222222222222222222222222222222222",
      },
      "fields": [
        {
          "href": null,
          "label": "Amount",
          "place": "said",
          "value": "7 USDC",
        },
        {
          "href": null,
          "label": "Token",
          "place": "detail",
          "value": "USDC 0xcccccccccccccccccccccccccccccccccccccccc",
        },
        {
          "href": null,
          "label": "Direction",
          "place": "said",
          "value": "ZoneToMain (withdrawal)",
        },
        {
          "href": null,
          "label": "Age",
          "place": "said",
          "value": "1 min",
        },
        {
          "href": "https://scan.example/main/0x1111111111111111111111111111111111111111111111111111111111111111",
          "label": "Main transaction",
          "place": "hash",
          "value": "0x1111111111111111111111111111111111111111111111111111111111111111",
        },
        {
          "href": "https://scan.example/zone/0x2222222222222222222222222222222222222222222222222222222222222222",
          "label": "Zone transaction",
          "place": "hash",
          "value": "0x2222222222222222222222222222222222222222222222222222222222222222",
        },
        {
          "href": null,
          "label": "From",
          "place": "detail",
          "value": "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        },
        {
          "href": null,
          "label": "To",
          "place": "fact",
          "value": "0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
        },
      ],
      "joined": [],
      "kind": "transfer.failed",
      "labels": {
        "rule": "failed",
      },
      "lastedMs": null,
      "remedy": "Read why it failed, check whether the sender was refunded, and let the bridge's operator retry or refund it.",
      "rule": "failed",
      "runbook": "https://runbook.example",
      "severity": "critical",
      "since": 1789999940000,
      "status": "event",
      "subject": "main 0x1111111111111111111111111111111111111111111111111111111111111111 zone 0x2222222222222222222222222222222222222222222222222222222222222222",
      "summary": "Withdrawal of 7 USDC failed",
    }
  `)
})

test('the age is that of the time it is rendered', () => {
  const ages = [0, 3_600_000].map(
    (later) => word(createEvent(1), {}, start + later).fields.find(({ label }) => label === 'Age')?.value,
  )
  expect(ages).toEqual(['1 min', '1 h 1 min'])
})

test('a token that is not listed is named in brackets', () => {
  const token = { address: '0xdd', symbol: null, name: 'USDC', type: 'ERC20', id: '', decimals: 18 }
  expect(word(createEvent(1, { token })).summary).toBe('Withdrawal of 1 [USDC] failed')
})

test('2^255+1 is printed to the last unit', () => {
  const amountRaw = 2n ** 255n + 1n
  const amount = '57896044618658097711785492504343953926634992332820282019728.792003956564819969'
  expect(word(createEvent(1, { amountRaw, amount })).facts).toMatchObject({
    amount,
    amountRaw: amountRaw.toString(),
  })
})

test('an amount that cannot be converted is given in base units', () => {
  expect(word(createEvent(1, { amount: null })).summary).toBe(
    'Withdrawal of 1,000,000 base units of USDC failed',
  )
})

test('a hash that is none never becomes a link', () => {
  const main = { ...bothLegs.main, hash: 'javascript:alert(1)' }
  const field = word(createEvent(1, { main })).fields.find(({ label }) => label === 'Main transaction')
  expect(field).toEqual({
    label: 'Main transaction',
    value: 'javascript:alert(1)',
    href: null,
    place: 'hash',
  })
})

test("a rule's summary goes before the kind's words, and one that throws does not keep the message back", () => {
  const own = createRule({ summarize: () => 'my words' })
  const broken = createRule({
    summarize: () => {
      throw new Error('template')
    },
  })
  const summaries = [own, broken].map((rule) => word(createEvent(1), { rule }).summary)
  expect(summaries).toEqual(['my words', 'Withdrawal of 1 USDC failed'])
})

test('a resolution says how long it lasted and what is true now', () => {
  const finding = { ...createEvent(1, { ...bothLegs, state: 'completed' }), since: start }
  const alert = rowOf(finding, { nature: 'condition', state: 'resolved', resolvedAt: start + 90_000 })
  const item = word(finding, { alert, what: 'resolved' })
  expect([item.summary, item.lastedMs]).toEqual([
    'Resolved at 14:14:50 UTC after 1 min 30 s: Withdrawal of 1 USDC has arrived',
    90_000,
  ])
})

test('an end counts from the time that the message calls its beginning, not from when it was first judged', () => {
  const finding = { ...createCondition('explorer'), since: start - 15_000 }
  const alert = rowOf(finding, { nature: 'condition', state: 'resolved', resolvedAt: start + 12_000 })
  const item = word(finding, { alert, what: 'resolved' })
  expect([item.since, item.lastedMs]).toEqual([start - 15_000, 27_000])
})

test('a beginning that is sent when it is over says how long it was so, not how long ago it began', () => {
  const rule = createRule({ summarize: ({ since }, now) => `silent for ${(now - since) / 1_000} s` })
  const finding = { ...createCondition('explorer'), since: start }
  const over = { nature: 'condition', state: 'resolved', resolvedAt: start + 24_000 } as const
  const sent = (alert: AlertRow) => word(finding, { alert, rule, what: 'firing' }, start + 175_000).summary
  expect(sent(rowOf(finding, over))).toBe('silent for 24 s')
  expect(sent(rowOf(finding, { nature: 'condition' }))).toBe('silent for 175 s')
  expect(sent(rowOf(finding, { ...over, episode: 2 }))).toBe('silent for 175 s')
})

test('an end keeps the facts as what was so while it was open, and no evidence of what is over', () => {
  const finding = {
    ...createCondition('explorer'),
    facts: { notJudged: 5, whole: true },
    evidence: [{ source: 'E3', at: start, says: 'HTTP 500' }],
  }
  const labels = (what: Wording['what']) =>
    word(finding, { what }).fields.map(({ label, value }) => `${label}: ${value}`)
  expect(labels('resolved')).toEqual([
    'Not judged (while open): 5 transfers',
    'The whole source (while open): yes',
  ])
  const one = { ...finding, facts: { notJudged: 1 } }
  expect(word(one, { what: 'firing' }).fields.map(({ value }) => value)).toContain('1 transfer')
  expect(labels('firing').join('\n')).toMatch(
    /Not judged: 5 transfers\n.*Evidence: HTTP 500; asked E3 \(list of transfers\) at 14:13:20 UTC/s,
  )
})

test('the age is told beside the usual one where it is known', () => {
  const facts = { usualMs: 240_000, p99Ms: 720_000 }
  const ageOf = (finding: Finding) =>
    word(finding, {}, start + 2_520_000).fields.filter(({ label }) => /age|usual|p99/i.test(label))
  const since = { since: start }
  expect(ageOf({ ...createEvent(1), ...since, facts })).toMatchObject([
    { label: 'Age', value: '42 min, usually 4 min (99 % within 12 min)' },
  ])
  expect(ageOf({ ...createEvent(1), ...since, facts: { usualMs: null, p99Ms: null } })).toMatchObject([
    { label: 'Age', value: '42 min' },
  ])
})

test('only a resolution contains the word resolved (semantics 32)', () => {
  const finding = createCondition('zone')
  const texts = (['event', 'firing', 'repeat', 'correction'] as const).map((what) =>
    JSON.stringify(word(finding, { what })),
  )
  expect(texts.filter((text) => /resolved/i.test(text))).toEqual([])
})

test('amounts rank as text in their exact order', () => {
  const amounts = [
    '0',
    '0.000001',
    '0.5',
    '9.5',
    '10',
    '10.25',
    '99999999999999999999.1',
    '100000000000000000000',
  ]
  expect(amounts.toReversed().map(rankAmount).sort()).toEqual(amounts.map(rankAmount))
})

const movement: Finding = {
  ...createCondition('0xe5'),
  kind: 'escrow.drift',
  title: `escrow 0x${'e5'.repeat(20)}, WBTC, main ${hash('1')}`,
  facts: {
    direction: 'out',
    amount: '231',
    moved: '231',
    token: 'WBTC',
    mainTxHash: hash('1'),
    party: `0x${'7f'.repeat(20)}`,
    count: 1,
    total: '231',
  },
  labels: { chain: 'main' },
  evidence: [{ source: 'E6, E8', at: start, says: 'left: 231 WBTC' }],
}

test('of one movement its party is told, and neither that it is one nor its amount a second time', () => {
  const rule = createRule({ summarize: () => '231 WBTC left the escrow' })
  const { fields } = word(movement, { rule })
  const shown = fields.filter(({ place }) => place !== 'said').map(({ label, value }) => `${label}: ${value}`)
  expect(shown).toEqual([
    `Main transaction: ${hash('1')}`,
    `To: 0x${'7f'.repeat(20)}`,
    'Evidence: left: 231 WBTC; asked E6 (transactions of an address), E8 (internal movements of an address) at 14:13:20 UTC',
  ])
})

test('amounts name their token, and what the headline gives without it is not said again', () => {
  const facts = { missing: '2500000', holdings: '177190851.595829', baseline: '5.5', token: 'USDC' }
  const rule = createRule({ summarize: () => '2,500,000 USDC are missing: 177,190,851.595829 held' })
  const { fields } = word({ ...createCondition('e'), facts }, { rule })
  expect(fields.map(({ value, place }) => `${place}: ${value}`)).toEqual([
    'said: 0 ms',
    'said: 2,500,000 USDC',
    'said: 177,190,851.595829 USDC',
    'detail: 5.5 USDC',
    'said: USDC',
  ])
})

test('what is not so, and which sources were asked beside what they said, are no lines of a message', () => {
  const facts = {
    reason: 'absent',
    asked: 'E9',
    statusSources: 'E9',
    fewSamples: false,
    firstTimeRecipient: false,
  }
  const labels = word({ ...createEvent(1), facts }).fields.map(({ label }) => label)
  expect(labels.filter((label) => /asked|status|sample|recipient never/i.test(label))).toEqual([])
})

test('where no address leads to the runbook, what to do says where it stands', () => {
  const failed = createEvent(1)
  const own = rowOf(failed)
  const bare = rowOf(failed, { runbook: null })
  const remedyOf = (overrides: Partial<Wording>) => word(failed, overrides).remedy
  expect(remedyOf({ alert: bare })).toMatch(/refund it\. Runbook: docs\/runbooks\.md, transfer\.failed$/)
  expect(remedyOf({ alert: bare, pageUrl: 'https://watch.example' })).toMatch(/refund it\.$/)
  expect(remedyOf({ alert: own })).toMatch(/refund it\.$/)
  // Renderers take 300 characters of it.
  for (const { kind, remedy } of kinds.all)
    expect(`${remedy} Runbook: docs/runbooks.md, ${kind}`.length).toBeLessThan(300)
})

test('a correction says whether anything of what was sent holds', () => {
  const finding = { ...createEvent(7, bothLegs), kind: 'transfer.mismatch' }
  const correct = (isOver: boolean) =>
    word({ ...finding, isOver }, { what: 'correction' }).isTakenBack ?? false
  expect([correct(false), correct(true)]).toEqual([false, true])
})

test('a record that is shown again takes back that it was gone', () => {
  const gone = {
    ...createEvent(7, { ...bothLegs, readAt: start - 60_000 }),
    kind: 'transfer.vanished',
    since: start,
  }
  const back = { ...gone, transfer: { ...createTransfer(7, bothLegs), readAt: start + 1 } }
  expect(word(gone, { what: 'event' }).status).toBe('event')
  expect(word(back, { what: 'correction' }).isTakenBack).toBe(true)
  expect(word(back, { what: 'event' })).toMatchObject({
    status: 'correction',
    summary: expect.stringContaining('taken back before it was sent: its record is shown again'),
  })
})

test('the correction of a payout that was suspected before its block does not read as a withdrawal', () => {
  const title = '7 USDC out of escrow 0xe: explained by withdrawal t7'
  const explained = { ...createEvent(7), kind: 'preconf.unbacked', transfer: null, title, isOver: true }
  expect(word(explained, { what: 'correction' }).summary).toBe(`Correction: no longer suspect: ${title}`)
})

test.each(['other', 'doubtful'])(
  'an origin that is there and no withdrawal is no proof that takes anything back (%s)',
  (reason) => {
    const completed = createEvent(7, { ...bothLegs, state: 'completed', originProof: 'proven' })
    const finding = { ...completed, kind: 'transfer.unbacked', facts: { reason } }
    const kind = kinds.find('transfer.unbacked')
    expect(word(finding, { what: 'event' })).toMatchObject({
      status: 'event',
      summary: expect.stringContaining('arrived without proof that it left'),
    })
    expect(toRisk(kind, finding)?.amount).toBe('7')
    const corrected = word(finding, { what: 'correction' })
    expect(corrected.isTakenBack ?? false).toBe(false)
    expect(corrected.summary).not.toContain('proven')
    expect(word({ ...finding, isOver: true }, { what: 'correction' }).isTakenBack).toBe(true)
  },
)

test.each(['event', 'joined'] as const)(
  'what was disproved before it was sent accuses nobody (%s)',
  (what) => {
    const unbacked = createEvent(7, { ...bothLegs, state: 'completed', originProof: 'proven' })
    const waited = { ...unbacked, kind: 'transfer.unbacked', facts: { reason: 'absent' } }
    expect(word(waited, { what })).toMatchObject({
      status: 'correction',
      remedy: null,
      summary:
        'Transfer unbacked, taken back before it was sent: its origin is proven by now: Withdrawal of 7 USDC has arrived',
    })
    const over = { ...createEvent(7, bothLegs), kind: 'transfer.vanished', isOver: true }
    expect(word(over, { what })).toMatchObject({ status: 'correction', remedy: null })
    expect(word(over, { what }).isTakenBack).toBe(true)
    expect(word({ ...waited, transfer: null }, { what })).toMatchObject({ status: 'event' })
  },
)
