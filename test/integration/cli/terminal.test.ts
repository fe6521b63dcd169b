import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { createLogWriter } from '../../../src/cli/createLogWriter.ts'
import type { Screen } from '../../../src/cli/screen.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { createLog } from '../../../src/lib/log.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { ledgerPath } from '../../../src/store/state.ts'
import { createCaseWorld, failed, failure, theft, unbacked, usdc } from '../../support/caseWorld.ts'
import { hasProgram } from '../../support/hasProgram.ts'
import { hash, toPending, toRecord } from '../../support/records.ts'
import { runCommand } from '../../unit/cli/testIo.ts'
import { createLoopbackConfig } from './serveBlocks.ts'

const screenOf = (width: number, hasColor = true): Screen => ({
  isTerminal: true,
  hasColor,
  width: () => width,
})
const escape = '\u001b'

function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-terminal-'))
  const config = join(folder, 'spanwatch.yaml')
  const tokens = `bridge: { tokens: [{ address: "${usdc}", symbol: USDC, decimals: 6 }] }\n`
  writeFileSync(config, createLoopbackConfig('http://127.0.0.1:9') + tokens)
  mkdirSync(join(folder, 'state'))
  const database = openDatabase(ledgerPath(join(folder, 'state')))
  const ledger = createLedger(database, { tokens: [], openIntervalMs: 10_000 })
  const hostile = { token: `0x${'d'.repeat(40)}`, tokenName: `${escape}[31mUSDC${escape}[8m \u202e` }
  const paid = toRecord({
    zoneHash: null,
    zoneHeight: null,
    zoneTime: null,
    amountRaw: 12_345_678_900_000n,
    value: '12345678.9',
    token: usdc,
  })
  const left = toPending({ zoneHash: hash('z2'), ...hostile })
  database.transaction(() => ledger.recordAnswer([paid, left], 2_000_000))
  const world = createCaseWorld({ database })
  world.tell(unbacked, theft(1, '9750000.5'))
  world.tell({ ...failed, severity: 'warning' }, failure(11, '1'), failure(12, '2'))
  database.close()
  return { folder, config }
}

describe('lists on a terminal', () => {
  let at: ReturnType<typeof createFolder>
  beforeAll(() => {
    at = createFolder()
    return () => rmSync(at.folder, { recursive: true })
  })

  const lists = [
    ['transfers', 'KEY'],
    ['alerts', 'ID'],
    ['cases', 'CASE'],
    ['breaks', 'NAME'],
  ] as const

  test.each(lists)('%s are columns that fit its width, in colours', async (name, head) => {
    for (const width of [60, 80, 120, 200]) {
      const { out } = await runCommand([name, 'list', '-c', at.config], { screen: screenOf(width) })
      expect(out).toContain(escape)
      const lines = stripVTControlCharacters(out).split('\n')
      expect(lines[0]).toMatch(new RegExp(`^${head} `))
      expect(Math.max(...lines.slice(0, 3).map((line) => line.length))).toBeLessThanOrEqual(width)
    }
  })

  test.each(lists)('%s have no colours where none are wanted', async (name, head) => {
    const { out } = await runCommand([name, 'list', '-c', at.config], { screen: screenOf(80, false) })
    expect(out).toMatch(new RegExp(`^${head} `))
    expect(out).not.toContain(escape)
  })

  test.each(lists)('%s are whole lines without colours in a pipe', async (name) => {
    const { out } = await runCommand([name, 'list', '-c', at.config])
    expect(out).not.toContain(escape)
    expect(out).not.toMatch(/^[A-Z]+ {2,}[A-Z]/m)
  })

  test.each(['--json', '--csv'])('%s is the same on a terminal', async (format) => {
    const argv = ['transfers', 'list', format, '-c', at.config]
    const piped = await runCommand(argv)
    expect(await runCommand(argv, { screen: screenOf(60) })).toEqual(piped)
  })

  test('amounts are grouped and end below each other', async () => {
    const { out } = await runCommand(['transfers', 'list', '-c', at.config], { screen: screenOf(120, false) })
    const [head = '', ...rows] = out.trimEnd().split('\n')
    const end = head.indexOf('AMOUNT') + 'AMOUNT'.length
    expect(rows.map((row) => row.slice(0, end).split(/ +/).at(-1))).toEqual(['12,345,678.9', '1.5'])
  })

  test('a name from the chain brings no colours of its own', async () => {
    const { out } = await runCommand(['transfers', 'list', '-c', at.config], { screen: screenOf(120, false) })
    expect(out).toContain('[(31mUSDC(8m]')
  })

  test('silences are columns too', async () => {
    const add = [
      'silences',
      'add',
      'rule=failed',
      '--for',
      '2h',
      '--allow-unknown',
      '--comment',
      'a migration that takes long',
    ]
    await runCommand([...add, '--by', 'ana', '-c', at.config])
    const { out } = await runCommand(['silences', 'list', '-c', at.config], { screen: screenOf(60, false) })
    expect(out).toMatch(
      /^ID {2}STATE +SILENCES +BY +COMMENT\n#1 {2}ends in \S+.* +rule="failed" +ana +a migration/,
    )
  })

  describe.skipIf(!hasProgram('script'))('a real terminal', () => {
    const list = () => `"${process.execPath}" bin/spanwatch.js transfers list -c "${at.config}"`
    const run = (command: string, env: Record<string, string>) =>
      execFileSync('script', ['-qec', `stty cols 60; ${command}`, '/dev/null'], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], TERM: 'xterm-256color', ...env },
      })

    test('has its width and its colours', () => {
      const out = run(list(), {})
      expect(out).toContain(escape)
      const lines = stripVTControlCharacters(out).split(/\r?\n/)
      expect(lines[0]).toMatch(/^KEY +STATE/)
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60)
    })

    test.each([
      ['NO_COLOR', { NO_COLOR: '1' }],
      ['a terminal that has none', { TERM: 'dumb' }],
    ])('%s: no colours', (_, env) => {
      const out = run(list(), env)
      expect(out).not.toContain(escape)
      expect(out).toMatch(/^KEY +STATE/)
    })

    test('FORCE_COLOR: colours in a pipe too', () => {
      expect(run(`${list()} | cat`, {})).not.toContain(escape)
      expect(run(`${list()} | cat`, { FORCE_COLOR: '1' })).toContain(escape)
    })
  })
})

describe('logs', () => {
  async function logTo(errScreen: Screen | null): Promise<string> {
    let written = ''
    const write = await createLogWriter({ err: (text) => (written += text), errScreen })
    const log = createLog({ write })
    log.warn({ poller: 'transfers', error: `${escape}[2Jgone` }, 'a poll failed')
    return written
  }

  test('are JSON in a pipe', async () => {
    expect(JSON.parse(await logTo(null))).toMatchObject({
      level: 40,
      poller: 'transfers',
      msg: 'a poll failed',
    })
  })

  test('are one readable line each on a terminal', async () => {
    const line = await logTo(screenOf(80, false))
    expect(line).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: a poll failed \{"poller":"transfers",.*\}\n$/)
    expect(line).not.toContain(escape)
  })

  test('have colours on a terminal that has them, and none of their own', async () => {
    const line = await logTo(screenOf(80))
    expect(line).toContain(`${escape}[33mWARN`)
    expect(line).not.toContain(`${escape}[2J`)
  })
})
