import { expect, test } from 'vitest'
import { createConsoleChannel, renderConsole } from '../../../../src/delivery/channels/createChannel.ts'
import { hostileTexts, toItem, toMessage } from '../messages.ts'

const options = { signal: new AbortController().signal, degraded: false, recipients: null }

test('prints headline, finding and id as one block', async () => {
  const written: string[] = []
  const channel = createConsoleChannel(
    { write: (text) => written.push(text), color: false },
    { name: 'console', type: 'console' },
  )
  const items = [
    toItem({
      fields: [{ label: 'Amount', value: '1.5 USDC', href: null }],
      subject: 'zone 0xb2',
      runbook: null,
    }),
  ]
  expect(await channel.deliver(toMessage({ items }), options)).toEqual({ result: 'ack' })
  expect(written.join('')).toMatchInlineSnapshot(`
    "
    CRITICAL: a withdrawal of 1250000.500001 USDC has not arrived
    │ CRITICAL: 1250000.5 USDC has waited 2h 10m
    │   since 06:50:00 UTC (2 h 10 min ago)
    │   What to do: Ask the relayer.
    │   Amount: 1.5 USDC
    │
    │ Status page: http://127.0.0.1:9464/
    │
    │   About: zone 0xb2
    │   rule withdrawal-stalled (transfer.stalled), sent 2026-01-05 09:00:00 UTC
    message #a1b2c3
    "
  `)
})

test('a console that cannot be written to is tried again', async () => {
  const write = () => {
    throw new Error('EPIPE')
  }
  const channel = createConsoleChannel({ write, color: false }, { name: 'console', type: 'console' })
  expect((await channel.deliver(toMessage(), options)).result).toBe('transient')
})

test.each(hostileTexts)('prints no control but line ends: %j', (text) => {
  const evil = toItem({ summary: text, subject: text, fields: [{ label: text, value: text, href: text }] })
  expect(renderConsole(toMessage({ headline: text, items: [evil] }), false)).not.toMatch(/[^\n\P{Cc}]/u)
})

test('has colours only when told so', () => {
  expect(renderConsole(toMessage(), false)).not.toContain('\u001b')
  expect(renderConsole(toMessage(), true)).toContain('\u001b[31m')
})
