import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRpc } from '../src/clients/rpc/createRpc.ts'
import {
  createHeldReceipts,
  forgetBlock,
  listHeights,
  listHeld,
  release,
  takePending,
} from '../src/checks/preconf/heldReceipts.ts'
import { createSystemClock } from '../src/lib/clock.ts'
import { createLog } from '../src/lib/log.ts'
import { createPreconfLoop, startLoop, stopLoop } from '../src/checks/preconf/loop.ts'
import { listPlaces } from '../src/checks/preconf/payoutWatch.ts'
import { readPending } from '../src/checks/preconf/reads.ts'

// The preconfirmation loop against a node with 2,000 receipts in every block, a block a second made in five steps.
// The node is a process of its own; the CPU counted is that of the loop's process alone.
const intervalMs = 200
const perBlock = 2_000
const steps = 5
const bridge = `0x${'b1'.repeat(20)}`
const places = listPlaces({ contracts: [bridge], escrows: [] })
const blocks = new Map<number, Row[]>()
const measuredMs = Number(process.argv[2] ?? 15_000)

if (process.send) await serve()
else await measure()

async function measure(): Promise<void> {
  const child = fork(import.meta.filename)
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  const clock = createSystemClock()
  const rpc = createRpc({ source: 'preconf', url, clock })
  const held = createHeldReceipts({ perBlock, total: 1_000_000 })
  let answers = 0
  let receipts = 0
  const loop = createPreconfLoop({
    clock,
    log: createLog({ write: () => {} }),
    intervalMs,
    async read(signal) {
      const answer = await readPending({ rpc, clock, places }, signal)
      const { pending, requestedAt } = answer
      if (pending === null) return answer
      answers += 1
      receipts += pending.receipts.length
      takePending(held, pending, requestedAt)
      // What settling would take away again.
      for (const height of listHeights(held, pending.height - 4)) {
        for (const { hash } of listHeld(held, height)) release(held, hash)
        forgetBlock(held, height)
      }
      return answer
    },
  })
  startLoop(loop)
  await clock.sleep(2_000)
  const before = { cpu: process.cpuUsage(), at: performance.now(), ...loop.status, answers, receipts }
  await clock.sleep(measuredMs)
  const cpu = process.cpuUsage(before.cpu)
  const elapsedMs = performance.now() - before.at
  const { runs, missedTicks, errors } = loop.status
  const share = (cpu.user + cpu.system) / 1_000 / elapsedMs
  const lines: [string, string][] = [
    ['ticks', String(runs - before.runs)],
    ['missed ticks', String(missedTicks - before.missedTicks)],
    ['answers', String(answers - before.answers)],
    ['errors', String(errors - before.errors)],
    ['receipts an answer', String(Math.round((receipts - before.receipts) / (answers - before.answers)))],
    ['share of a core', `${(share * 100).toFixed(1)} %`],
    ['resident memory', `${Math.round(process.memoryUsage.rss() / 1_048_576)} MB`],
  ]
  for (const [name, value] of lines) process.stdout.write(`${name.padEnd(24)}${value.padStart(12)}\n`)
  await stopLoop(loop)
  await rpc.close()
  child.kill()
}

async function serve(): Promise<void> {
  const startedAt = Date.now()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const calls = JSON.parse(Buffer.concat(chunks).toString()) as {
        id: number
        method: string
        params: [string]
      }[]
      const elapsed = (Date.now() - startedAt) / 1_000
      const height = 5_000_000 + Math.floor(elapsed)
      const step = Math.floor((elapsed % 1) * steps) + 1
      const parts = calls.map(({ id, method, params: [tag] }) => {
        const at = tag === 'latest' ? height - 1 : height
        const rows = blockOf(at).slice(0, tag === 'latest' ? perBlock : (perBlock * step) / steps)
        const result =
          method === 'eth_getBlockReceipts' ? `[${rows.map(({ text }) => text).join(',')}]` : header(at, rows)
        return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
      })
      response.writeHead(200, { 'content-type': 'application/json' }).end(`[${parts.join(',')}]`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

interface Row {
  readonly hash: string
  readonly text: string
}

function blockOf(height: number): Row[] {
  const known = blocks.get(height)
  if (known) return known
  const rows = Array.from({ length: perBlock }, (_, index) => receipt(height, index))
  blocks.set(height, rows)
  blocks.delete(height - 5)
  return rows
}

function header(height: number, rows: readonly Row[]): string {
  const hashes = rows.map(({ hash }) => `"${hash}"`).join(',')
  return `{"number":"0x${height.toString(16)}","hash":"0x${'cd'.repeat(32)}","timestamp":"0x0","transactions":[${hashes}]}`
}

/** A receipt of usual size: two logs, the bloom filter written out. */
function receipt(height: number, index: number): Row {
  const hash = `0x${(BigInt(height) * 1_000_000n + BigInt(index)).toString(16).padStart(64, '0')}`
  const blockNumber = `0x${height.toString(16)}`
  const log = (at: number) => ({
    address: `0x${'a1'.repeat(20)}`,
    topics: [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`, `0x${'33'.repeat(32)}`],
    data: `0x${index.toString(16).padStart(64, '0')}`,
    blockNumber,
    blockHash: `0x${'cd'.repeat(32)}`,
    transactionHash: hash,
    transactionIndex: `0x${index.toString(16)}`,
    logIndex: `0x${at.toString(16)}`,
    removed: false,
  })
  const text = JSON.stringify({
    transactionHash: hash,
    transactionIndex: `0x${index.toString(16)}`,
    blockHash: `0x${'cd'.repeat(32)}`,
    blockNumber,
    from: `0x${'f0'.repeat(20)}`,
    to: `0x${'a1'.repeat(20)}`,
    cumulativeGasUsed: '0xffffff',
    gasUsed: '0x5208',
    effectiveGasPrice: '0x47868c00',
    contractAddress: null,
    logs: [log(0), log(1)],
    logsBloom: `0x${'0'.repeat(512)}`,
    status: '0x1',
    type: '0x2',
  })
  return { hash, text }
}
