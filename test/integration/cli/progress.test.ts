import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startApiStub } from '../../support/apiStub.ts'
import { createSandbox } from '../../../src/sandbox/createSandbox.ts'
import { loadScenario } from '../../../src/sandbox/scenario.ts'
import { createSystemClock } from '../../../src/lib/clock.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { ledgerPath } from '../../../src/store/state.ts'
import { hash, toRecord } from '../../support/records.ts'
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

/** A ledger with some hundred transfers of one day of a month. */
function fillLedger(config: string, count: number): void {
  const state = join(dirname(config), 'state')
  mkdirSync(state)
  const database = openDatabase(ledgerPath(state))
  const ledger = createLedger(database, { tokens: [], openIntervalMs: 10_000 })
  const at = Date.parse('2026-03-10T12:00:00Z')
  const records = Array.from({ length: count }, (_, index) =>
    toRecord({
      id: hash(`i${index}`),
      mainHash: hash(`m${index}`),
      zoneHash: hash(`z${index}`),
      mainTime: at + index,
      zoneTime: at + index,
      requestedAt: at + 60_000,
    }),
  )
  database.transaction(() => ledger.recordAnswer(records, at + 60_000))
  database.close()
}

test('report draws a bar while it reads a month, and nothing of it stays', async () => {
  const config = writeConfig('http://127.0.0.1:9')
  fillLedger(config, 650)
  const system = createSystemClock()
  let ticks = 0
  // Each look at it is half a second later: every slice is drawn.
  const clock = { ...system, monotonicMs: () => (ticks += 500) }
  const argv = ['report', '--date', '2026-03', '-c', config]
  const { err, out, exitCode } = await runCommand(argv, { errScreen, clock })
  expect([exitCode, out]).toEqual([0, expect.stringContaining('2026-03')])
  expect(drawn(err)).toEqual([
    `${'░'.repeat(24)}   0%  0 transfers read`,
    expect.stringMatching(/^█+░+ {2}30% {2}200 transfers read, 200\/s, 2s left$/),
    expect.stringMatching(/^█+░+ {2}61% {2}400 transfers read, 267\/s, 1s left$/),
    expect.stringMatching(/^█+░+ {2}92% {2}600 transfers read, 300\/s$/),
    `${'█'.repeat(24)} 100%  650 transfers read, 260/s`,
  ])
  expect(err.slice(err.lastIndexOf('\r') + 1)).toBe('')
  const piped = await runCommand(argv)
  expect([piped.err, piped.out.length]).toEqual(['', out.length])
})

test('report in a pipe says now and then how far it is', async () => {
  const config = writeConfig('http://127.0.0.1:9')
  fillLedger(config, 650)
  let ticks = 0
  const clock = { ...createSystemClock(), monotonicMs: () => (ticks += 6_000) }
  const { err, exitCode } = await runCommand(['report', '--date', '2026-03', '-c', config], { clock })
  expect(exitCode).toBe(0)
  expect(err.trimEnd().split('\n')).toEqual([
    '30%  200 transfers read, 17/s, 27s left',
    '92%  600 transfers read, 25/s, 2s left',
  ])
})
