/**
 * The outside of bench/alerts.ts in a process of its own: an API whose list shows failed transfers, and a receiver of
 * webhooks. It notes when a record was first shown and when its alert arrived, by the machine's clock.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRecord, toPage } from './records.ts'

/** What the bench may ask of it, and what it answers with. */
export interface Noted {
  /** By the record's hashes: when it was first in an answer, and when it first stood in a message; ms. */
  readonly shown: Readonly<Record<string, number>>
  readonly told: Readonly<Record<string, number>>
  readonly messages: number
  readonly mostItems: number
  readonly mostBytes: number
}

export type Order = { readonly show: number } | { readonly report: true }

interface Body {
  readonly items: readonly unknown[]
}

export function now(): number {
  return performance.timeOrigin + performance.now()
}

if (process.argv[2] === 'world') serve()

function serve(): void {
  const records: Record<string, string>[] = []
  const shown: Record<string, number> = {}
  const told: Record<string, number> = {}
  let [messages, mostItems, mostBytes] = [0, 0, 0]

  function list(url: URL): Record<string, string>[] {
    if (url.pathname.endsWith('/cross/transaction-multi')) {
      const asked = new Set((url.searchParams.get('txId') ?? '').split(','))
      return records.filter((record) => asked.has(record['zoneTxHash'] ?? ''))
    }
    if (!url.pathname.endsWith('/cross/transaction-list')) return []
    const page = records.slice(-100).reverse()
    for (const record of page) shown[record['zoneTxHash'] ?? ''] ??= now()
    return page
  }
  async function receive(request: IncomingMessage): Promise<void> {
    const at = now()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks)
    const { items } = JSON.parse(text.toString()) as Body
    messages += 1
    mostItems = Math.max(mostItems, items.length)
    mostBytes = Math.max(mostBytes, text.length)
    for (const hash of items.flatMap((item) => JSON.stringify(item).match(/0x[0-9a-f]{64}/g) ?? []))
      told[hash] ??= at
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x')
    if (url.pathname === '/hook') return void receive(request).then(() => response.end())
    response.setHeader('content-type', 'application/json')
    const data = list(url)
    response.end(toPage(data, { page: 1, total: data.length }))
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('message', (order: Order) => {
    if ('report' in order) {
      process.send?.({ shown, told, messages, mostItems, mostBytes } satisfies Noted)
      return
    }
    const record = { ...createRecord(order.show, Date.now() - 5_000), status: '0x0' }
    records.push(record)
  })
}
