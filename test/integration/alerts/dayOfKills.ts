import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

interface Told {
  readonly id: string
  readonly attempt: number
  readonly items: readonly { readonly alertId: string; readonly status: string; readonly at: string }[]
}

export interface Day {
  readonly messages: readonly Told[]
  /** Alert, transition and the minute of the day. */
  readonly transitions: ReadonlySet<string>
  /** Messages that arrived more than once. */
  readonly repeated: number
  readonly kills: number
  readonly tookMs: number
}

export interface DayOptions {
  readonly steps: number
  readonly kills: number
  /** From 0 to 1. */
  readonly random: () => number
  /** Where a process kills itself instead of being killed at a random time. */
  readonly dieAt?: 'before-commit' | 'after-commit'
  /** Up to how long after its first message or its start a process lives. */
  readonly livesMs?: number
}

const script = fileURLToPath(new URL('killedDay.ts', import.meta.url))

/** Lives a scripted day in processes that are killed, each at a random time, and lets the last one come to its end. */
export async function liveDay(options: DayOptions): Promise<Day> {
  const begunAt = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-day-'))
  const messages: Told[] = []
  let onMessage = () => {}
  const server = createServer((request, response) => {
    json(request).then(
      (body) => {
        messages.push(body as Told)
        onMessage()
        response.end('ok')
      },
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const run = (dieAt = 'never') =>
    spawn(process.execPath, [script, join(folder, 'ledger.sqlite'), url, String(options.steps), dieAt], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  try {
    let kills = 0
    for (; kills < options.kills; kills += 1) {
      const child = run(options.dieAt)
      const ended = once(child, 'exit')
      if (options.dieAt === undefined) {
        // From its first message on, so that most of them die while there is something to lose.
        const first = new Promise<void>((resolve) => (onMessage = resolve))
        await Promise.race([first, ended])
        const timer = setTimeout(() => child.kill('SIGKILL'), options.random() * (options.livesMs ?? 30))
        await ended
        clearTimeout(timer)
      } else await ended
      if (child.exitCode !== null) break
    }
    const [code] = (await once(run(), 'exit')) as [number | null]
    if (code !== 0) throw new Error(`the last process ended with ${code}`)
    return summarize(messages, kills, performance.now() - begunAt)
  } finally {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function summarize(messages: readonly Told[], kills: number, tookMs: number): Day {
  const transitions = new Set(
    messages.flatMap(({ items }) => items.map(({ alertId, status, at }) => `${alertId} ${status} ${at}`)),
  )
  const repeated = messages.length - new Set(messages.map(({ id }) => id)).size
  return { messages, transitions, repeated, kills, tookMs }
}
