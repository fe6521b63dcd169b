import { describe, expect, test } from 'vitest'
import type { Message, MessageItem } from '../../../../src/delivery/channels/message.ts'
import { renderDiscord } from '../../../../src/delivery/channels/renderDiscord.ts'
import { renderSlack } from '../../../../src/delivery/channels/renderSlack.ts'
import { renderTeams } from '../../../../src/delivery/channels/renderTeams.ts'
import { measureTelegram, renderTelegram } from '../../../../src/delivery/channels/renderTelegram.ts'
import { toCase, toItem, toMessage } from '../messages.ts'

const hashOf = (n: number) => `0x${(0xa000 + n).toString(16).repeat(16)}`

function failure(n: number): MessageItem {
  const zone = hashOf(n)
  return toItem({
    alertId: (0xe0000000 + n).toString(16),
    kind: 'transfer.failed',
    status: 'event',
    summary: `Withdrawal of 1,${100 + n}.5 USDC failed: nonce too low`,
    subject: `Withdraw, zone ${zone}, main not seen`,
    fields: [
      { label: 'Main transaction', value: 'none seen', href: null, place: 'hash' },
      { label: 'Zone transaction', value: zone, href: `https://zone.example/tx/${zone}`, place: 'hash' },
      { label: 'To', value: `0x${'4f'.repeat(20)}`, href: null, place: 'fact' },
      { label: 'Token', value: `USDC 0x${'1a'.repeat(20)}`, href: null, place: 'detail' },
      { label: 'Evidence', value: 'the record has status 0x0; asked E12', href: null, place: 'detail' },
    ],
  })
}

const storm: Message = toMessage({
  headline: "CRITICAL: 388 withdrawals failed in 1 min, 2,100,000 USDC, all 'nonce too low'",
  items: Array.from({ length: 20 }, (_, n) => failure(n)),
  briefFrom: 3,
  total: 388,
  case: toCase({ members: 388 }),
})

/** As each is sent, in one string, escapes taken away. */
const channels = {
  slack: (message: Message) => JSON.stringify(renderSlack(message).blocks),
  teams: (message: Message) => JSON.stringify(renderTeams(message)),
  discord: (message: Message) => JSON.stringify(renderDiscord(message)).replaceAll('\\', ''),
  telegram: (message: Message) => renderTelegram(message).replaceAll('\u2060', ''),
}

describe.each(Object.entries(channels))('many findings in %s', (_, render) => {
  const sent = render(storm)

  test('three in full, the others in a line each with a hash that leads to the explorer', () => {
    for (const { summary, fields } of storm.items) {
      const [name = ''] = summary.split(':')
      expect(sent.split(name)).toHaveLength(2)
      expect(sent).toContain(fields[1]?.href)
    }
    expect(sent).toContain('0xa000…a000')
    expect(sent.split('What to do: ')).toHaveLength(2)
    expect(sent).toContain('… and 368 more')
  })

  test('all hashes whole, to copy', () => {
    // Beside the one within its address.
    for (let n = 0; n < 20; n += 1) expect(sent.split(hashOf(n)).length).toBeGreaterThan(2)
  })

  test('where to go stands before the details', () => {
    const runbook = sent.indexOf('runbooks.example.com')
    // A card has its buttons at its end.
    if (!sent.includes('AdaptiveCard')) expect(runbook).toBeLessThan(sent.lastIndexOf(hashOf(19)))
    expect(runbook).toBeGreaterThan(0)
  })
})

describe.each(Object.entries(channels))('a digest of more cases than fit, in %s', (name, render) => {
  test('counts those that it does not name', () => {
    const cases = Array.from({ length: 20 }, (_, n) =>
      toCase({
        id: `c${n}x`,
        title: `case ${n} ${'y'.repeat(200)}`,
        url: `https://watch.example.com/cases/c${n}`,
      }),
    )
    const sent = render(toMessage({ cases, caseCount: 31, case: null, items: [toItem()], total: 31 }))
    const named = cases.filter(({ id }) => sent.includes(`(case ${id})`)).length
    expect(named).toBeGreaterThan(0)
    if (name === 'discord' || name === 'telegram') expect(named).toBeLessThan(20)
    expect(sent).toContain(`… and ${31 - named} more cases`)
  })
})

test('what does not fit with its details keeps a line for each of the many, and its whole hash', () => {
  const long = { label: 'Note', value: 'x'.repeat(400), href: null, place: 'fact' } as const
  const items = storm.items.map((item) => ({ ...item, fields: [...item.fields, long] }))
  const html = renderTelegram({ ...storm, items: [...items, ...items.slice(0, 5)], briefFrom: 5 })
  expect(measureTelegram(html).length).toBeLessThanOrEqual(4_096)
  for (const n of [5, 12, 19]) expect(html).toContain(`zone ${hashOf(n)}`)
})
