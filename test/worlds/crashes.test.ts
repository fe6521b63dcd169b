import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openState } from '../../src/store/openState.ts'

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-crash-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const cursorWriter = fileURLToPath(new URL('../integration/alerts/cursorWriter.ts', import.meta.url))
const stormSender = fileURLToPath(new URL('../integration/alerts/stormSender.ts', import.meta.url))

test('F5: kill -9 while cursors are written: they load, nothing that was durable is gone, no half file is left', async () => {
  const folder = createFolder()
  let durable = 0
  for (const livesMs of [3, 11, 24, 40]) {
    const child = spawn(process.execPath, [cursorWriter, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'close')
    let said = ''
    const hasBegun = new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text
        if (said.split('\n').length > 5) resolve()
      })
    })
    await Promise.race([hasBegun, ended])
    setTimeout(() => child.kill('SIGKILL'), livesMs)
    await ended
    durable = Math.max(durable, Number(said.trimEnd().split('\n').at(-1)))
    const state = openState({ folder, since: 1_000, now: 5_000 })
    expect(state.recovered).toBeNull()
    expect(state.cursors.read().sweep.page).toBeGreaterThanOrEqual(durable)
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
    state.close()
  }
  expect(durable).toBeGreaterThan(4)
}, 60_000)

test('F11: 10,000 failures at once in a heap of 64 MB: all are told, by few messages', async () => {
  const totals: number[] = []
  const server = createServer((request, response) => {
    json(request).then(
      (body) => {
        totals.push((body as { total: number }).total)
        response.end()
      },
      () => response.destroy(),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const args = ['--max-old-space-size=64', stormSender, join(createFolder(), 'ledger.sqlite'), url, '10000']
  const [code] = (await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit')) as [number | null]
  expect(code).toBe(0)
  expect(totals.reduce((sum, total) => sum + total, 0)).toBe(10_000)
  expect(totals.length).toBeLessThanOrEqual(10)
}, 120_000)
