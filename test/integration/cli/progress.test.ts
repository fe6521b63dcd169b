import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startApiStub } from '../../support/apiStub.ts'
import { createSandbox } from '../../../src/sandbox/createSandbox.ts'
import { loadScenario } from '../../../src/sandbox/scenario.ts'
import { createSystemClock } from '../../../src/lib/clock.ts'
import { runCommand } from '../../unit/cli/testIo.ts'
import { createLoopbackConfig, serveBlocks } from './serveBlocks.ts'

const errScreen = { isTerminal: true, hasColor: false, width: () => 100 }

function writeConfig(url: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-progress-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'spanwatch.yaml')
  writeFileSync(
    config,
    createLoopbackConfig(url).replace(' }\n', ', pace: { maxRequestsPerSecond: 1000, concurrency: 8 } }\n'),
  )
  return config
}

/** Each line that was written over another one. */
const drawn = (err: string) =>
  err
    .split('\r')
    .map((line) => line.trim())
    .filter((line) => line.includes('%'))

test('query --all draws a bar on a terminal, and takes it away before what it says at its end', async () => {
  const stub = await startApiStub(serveBlocks({ perBlock: 5, cap: 10_000 }))
  onTestFinished(() => stub.close())
  const config = writeConfig(stub.url)
  const argv = [
    'query',
    'E7',
    '--startBlockHeight',
    '1',
    '--endBlockHeight',
    '200',
    '--all',
    '--csv',
    '-c',
    config,
  ]
  const { err, out, exitCode } = await runCommand(argv, { errScreen })
  expect(exitCode).toBe(0)
  expect(drawn(err).length).toBeGreaterThan(0)
  expect(drawn(err).every((line) => /^[█░]{24} +\d+% {2}[\d,]+ rows/.test(line))).toBe(true)
  expect(err.slice(err.lastIndexOf('\r') + 1)).toMatch(/^E7: complete, 1,000 rows in /)
  expect(out).not.toMatch(/[█░\r](?!\n)/)
  const piped = await runCommand(argv)
  expect(piped.err).not.toMatch(/[█░\r]/)
  expect(piped.out).toBe(out)
})

test('backfill draws a bar with how far back it is', async () => {
  const scenario = { ...(await loadScenario('healthy')) }
  const sandbox = createSandbox({ clock: createSystemClock(), scenario })
  await sandbox.start()
  onTestFinished(() => sandbox.stop())
  const config = writeConfig(sandbox.url)
  const { err, out, exitCode } = await runCommand(['backfill', '--from', '1h', '-c', config], { errScreen })
  expect([exitCode, out]).toEqual([0, expect.stringMatching(/^Done: \d+ records read\.\n$/)])
  expect(drawn(err).length).toBeGreaterThan(0)
  expect(drawn(err).every((line) => /^[█░]{24} +\d+% {2}[\d,]+ records.*, back to \d{4}-/.test(line))).toBe(
    true,
  )
})
