import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const bin = join(import.meta.dirname, '../../../bin/spanwatch.js')
const start = (...argv: string[]) =>
  spawn(process.execPath, [bin, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] })

async function exitOf(child: ChildProcess): Promise<[number | null, string | null]> {
  const [code, signal] = await once(child, 'exit')
  return [code, signal]
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s ends a command that waits, with 0',
  async (signal) => {
    const child = start('sandbox', '--port', '0')
    const ended = exitOf(child)
    await once(child.stdout, 'data')
    child.kill(signal)
    expect(await ended).toEqual([0, null])
  },
)

test('a reader that goes away is no failure', async () => {
  const child = start('schema', 'scenario')
  const ended = exitOf(child)
  child.stdout.destroy()
  expect(await ended).toEqual([0, null])
})

test('wrong usage ends the process with 2', async () => {
  expect(await exitOf(start('nope'))).toEqual([2, null])
})
