import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { json } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'

interface Told {
  readonly id: string
  readonly attempt: number
  readonly amounts: readonly string[]
}

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-outbox-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Answers each message after handing it to `onTold`, which may kill the sender first. */
async function startReceiver(onTold: (told: Told) => void) {
  const server = createServer((request, response) => {
    json(request).then(
      (body) => {
        onTold(body as Told)
        response.end('ok')
      },
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${port}/`, close }
}

function startSender(url: string, to: number) {
  const script = fileURLToPath(new URL('killedSender.ts', import.meta.url))
  return spawn(process.execPath, [script, join(folder, 'ledger.sqlite'), url, '1', String(to)], {
    stdio: 'inherit',
  })
}

test('F1: five kill -9 between delivery and acknowledgement lose nothing and repeat only what was in flight', async () => {
  const told: Told[] = []
  let kill: (() => void) | null = null
  const receiver = await startReceiver((message) => {
    told.push(message)
    kill?.()
  })
  for (let round = 0; round < 5; round += 1) {
    let left = 4
    const sender = startSender(receiver.url, 50)
    kill = () => {
      left -= 1
      if (left === 0) sender.kill('SIGKILL')
    }
    await once(sender, 'exit')
  }
  kill = null
  const [code] = await once(startSender(receiver.url, 50), 'exit')
  await receiver.close()

  expect(code).toBe(0)
  const amounts = told.flatMap((message) => message.amounts)
  expect([...new Set(amounts)].map(Number).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 50 }, (_, n) => n + 1),
  )
  const first = told.filter(({ attempt }) => attempt === 1).flatMap((message) => message.amounts)
  expect(new Set(first).size).toBe(first.length)
  const repeats = told.filter(({ attempt }) => attempt > 1)
  expect(repeats.length).toBeLessThanOrEqual(5)
  expect(repeats.every(({ id }) => told.some((message) => message.id === id && message.attempt === 1))).toBe(
    true,
  )
})
