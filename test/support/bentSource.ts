import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export const faults = [
  'honest',
  'dead',
  'slow',
  'lagging',
  'reorganised',
  'lying',
  'miscounting',
  'empty',
  'hiding',
  'throttled',
] as const
/** `hiding`: transactions and receipts that are not shown. `throttled`: in disguise, three of five answers are empty. */
export type SourceFault = (typeof faults)[number]

/**
 * What accuses falsely, or takes an accusation back: half of every balance, twice of what exists, and a transaction that
 * is there though nobody knows it. And a node that stands still.
 */
export type AccusingFault = 'halving' | 'doubling' | 'claiming' | 'standing'

/** Where a source's answers come from, and what is done to them. */
interface Bending {
  readonly target: string
  readonly fault: SourceFault | AccusingFault
}

/** What a source remembers of its answers. */
interface Memory {
  /** By path: an answer that holds something, and the hash that it was about. */
  readonly whole: Map<string, { readonly hash: string; readonly text: string }>
  standsAt: number | null
  asked: number
}

/**
 * A source of its own address before a sandbox that answers truly: it does to the answers what its fault says. Both are
 * looked up at every request.
 */
export async function startBentSource(bending: Bending) {
  const memory: Memory = { whole: new Map(), standsAt: null, asked: 0 }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      void forward({ ...bending, memory }, request.method ?? 'GET', request.url ?? '/', chunks, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function forward(
  { target, fault, memory }: Bending & { readonly memory: Memory },
  method: string,
  path: string,
  chunks: readonly Buffer[],
  response: ServerResponse,
): Promise<void> {
  if (fault === 'dead') return void response.socket?.destroy()
  // No answer: whoever asks gives up.
  if (fault === 'slow') return
  const { pathname } = new URL(target)
  const own = pathname === '/' ? path : pathname
  const answer = await fetch(new URL(own, target), {
    method,
    ...(method === 'POST' && {
      body: Buffer.concat(chunks),
      headers: { 'content-type': 'application/json' },
    }),
  })
  const asked = { path: own, body: Buffer.concat(chunks).toString() }
  const text = bend(await answer.text(), { fault, memory, ...asked })
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
}

interface Asked extends Pick<Bending, 'fault'> {
  readonly memory: Memory
  readonly path: string
  readonly body: string
}

function bend(text: string, asked: Asked): string {
  const { fault } = asked
  if (fault === 'hiding') return hide(text, asked)
  if (fault === 'claiming') return claim(text, asked)
  if (fault === 'standing') return stand(text, asked)
  if (fault === 'halving') return scale(text, (raw) => raw / 2n)
  if (fault === 'doubling') return scale(text, (raw) => raw * 2n)
  if (fault === 'reorganised') return text.replaceAll(/"hash":"0x[0-9a-f]{8}/g, '"hash":"0xdeadbeef')
  if (fault === 'lying')
    return text
      .replaceAll('"status":"0x1"', '"status":"0x0"')
      .replaceAll(/"valueRaw":"(\d+)"/g, (_, raw: string) => `"valueRaw":"${BigInt(raw) + 1n}"`)
  if (fault === 'miscounting')
    return text.replaceAll(/"result":"(0x[0-9a-f]{64})"/g, (_, raw: string) => {
      const more = (BigInt(raw) + 1n).toString(16).padStart(64, '0')
      return `"result":"0x${more}"`
    })
  asked.memory.asked += 1
  if (fault === 'empty' || (fault === 'throttled' && asked.memory.asked % 5 > 1))
    return text
      .replaceAll(/"result":("[^"]*"|\{.*\}(?=\})|\[.*\](?=\}))/g, '"result":null')
      .replace(/"data":\[.*\]/s, '"data":[]')
  return text
}

const hidden = /^0x[0-9a-f]*[0-3]$/i

/** One in four of the zone's transactions, by their hash alone, and of the receipts; records stay as they are. */
function hide(text: string, { path, body }: Asked): string {
  if (body === '') {
    if (!/transaction/i.test(path) || /cross/i.test(path)) return text
    const answer = JSON.parse(text) as { data?: unknown }
    if (!Array.isArray(answer.data)) return text
    const isShown = (row: object) =>
      !Object.entries(row).some(
        ([key, value]) => /^(txId|txid|hash|txHash)$/.test(key) && hidden.test(String(value)),
      )
    // A detail is the row itself, a list holds its rows.
    const pages = answer.data
      .filter(isShown)
      .map((page: object) =>
        Object.fromEntries(
          Object.entries(page).map(([key, value]) => [
            key,
            Array.isArray(value) ? value.filter((row: object) => isShown(row)) : value,
          ]),
        ),
      )
    return JSON.stringify({ ...answer, data: pages })
  }
  return eachCall(text, body, ({ method, params }, result) =>
    method === 'eth_getTransactionReceipt' && hidden.test(String(params[0])) ? null : result,
  )
}

/** Whatever it does not know is what it showed last, under another hash. */
function claim(text: string, { memory, path }: Asked): string {
  const { pathname, searchParams } = new URL(path, 'http://source')
  const [hash, ...others] = [...searchParams.values()].filter((value) => /^0x[0-9a-f]{64}$/.test(value))
  if (hash === undefined || others.length > 0) return text
  const isEmpty = !text.slice(0).includes(hash)
  if (!isEmpty) memory.whole.set(pathname, { hash, text })
  const other = memory.whole.get(pathname)
  return isEmpty && other ? other.text.replaceAll(other.hash, hash) : text
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** A node that shows nothing above the block at which it was asked first. */
function stand(text: string, { memory, body }: Asked): string {
  return eachCall(text, body, ({ method, params }, result) => {
    const height = Number((result as { number?: string } | null)?.number)
    if (method === 'eth_getBlockByNumber' && params[0] === 'latest') {
      memory.standsAt ??= height
      return { ...(result as object), number: `0x${memory.standsAt.toString(16)}`, timestamp: '0x1' }
    }
    const at = memory.standsAt ?? 0
    if (method === 'eth_blockNumber') return `0x${at.toString(16)}`
    const block = Number((result as { blockNumber?: string } | null)?.blockNumber ?? params[1] ?? 0)
    return block > at ? null : result
  })
}

function scale(text: string, to: (raw: bigint) => bigint): string {
  return text.replaceAll(/"result":"(0x[0-9a-f]{64})"/g, (whole, raw: string) =>
    BigInt(raw) < 1_000n ? whole : `"result":"0x${to(BigInt(raw)).toString(16).padStart(64, '0')}"`,
  )
}

function eachCall(text: string, body: string, bendOne: (call: Call, result: unknown) => unknown): string {
  const asked = JSON.parse(body) as Call | Call[]
  const answers = JSON.parse(text) as { id: unknown; result?: unknown } | { id: unknown; result?: unknown }[]
  const calls = new Map([asked].flat().map((call) => [call.id, call]))
  const bent = [answers].flat().map((answer) => {
    const call = calls.get(answer.id)
    return call && 'result' in answer ? { ...answer, result: bendOne(call, answer.result) } : answer
  })
  return JSON.stringify(Array.isArray(answers) ? bent : bent[0])
}
