import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/store/database.ts'
import { ledgerPath } from '../../../src/store/state.ts'
import { createCaseWorld, failed, failure, theft, unbacked, usdc } from '../../support/caseWorld.ts'
import { runCommand } from '../../unit/cli/testIo.ts'
import { createLoopbackConfig } from './serveBlocks.ts'

/** A ledger with a theft, and three failures with one text. */
function createLedger() {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-cases-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'spanwatch.yaml')
  const tokens = `bridge: { tokens: [{ address: "${usdc}", symbol: USDC, decimals: 6, usd: "1" }] }\n`
  writeFileSync(config, createLoopbackConfig('http://127.0.0.1:9') + tokens)
  mkdirSync(join(folder, 'state'))
  const database = openDatabase(ledgerPath(join(folder, 'state')))
  const world = createCaseWorld({ database })
  world.tell(unbacked, theft(1, '9750000.5'))
  world.tell(failed, failure(11, '1'), failure(12, '2'), failure(13, '3'))
  database.close()
  const of =
    (group: string) =>
    (...[name = '', ...rest]: string[]) =>
      runCommand([group, name, ...rest, '-c', config], { env: { USER: 'ana' } })
  return Object.assign(of('cases'), { alerts: of('alerts') })
}

test('cases are listed with what is at risk, and shown with what they gather', async () => {
  const run = createLedger()
  const { out, exitCode } = await run('list')
  expect(exitCode).toBe(0)
  expect(out).toContain(
    '9,750,000.5 USDC (9,750,000.50 USD at the price of the configuration) at risk; 1 finding; opened',
  )
  expect(out).toContain('6 USDC (6.00 USD at the price of the configuration) at risk; 3 findings')
  const shown = (await run('show', 'c2')).out
  expect(shown).toMatch(/^c2 {2}critical {2}open\n/)
  expect(shown).toContain('\n  at risk    6 USDC (6.00 USD at the price of the configuration)\n')
  expect(shown).toContain('\n  in hand    nobody has it\n')
  expect(shown).toContain('\n  told       ops (queued)\n')
  expect(shown).toMatch(
    /\n {2}findings\n {4}[0-9a-f]{8} {2}critical new {8}failed, 3 USDC \(3\.00 USD at the price of the configuration\) at risk\n/,
  )
  expect(shown).toMatch(/\n {2}timeline\n {4}\S+ {2}opened: transfer\.failed: /)
  expect(JSON.parse((await run('show', 'c2', '--json')).out)).toMatchObject({ id: 'c2', members: 3 })
  expect(JSON.parse((await run('list', '--json')).out)).toMatchObject([{ id: 'c1' }, { id: 'c2' }])
})

test('a case is taken, given, noted, handled and opened again, by whoever does it', async () => {
  const run = createLedger()
  expect((await run('ack', 'c1')).out).toContain('acknowledged by ana')
  expect((await run('assign', 'c1', '--to', 'ben', '--by', 'eve')).out).toContain('assigned to ben')
  await run('note', 'c1', '--text', 'called the operator', '--by', 'ben')
  const handled = await run('handle', 'c1', '--reason', 'refunded', '--by', 'ben', '--json')
  expect(JSON.parse(handled.out)).toMatchObject({
    id: 'c1',
    state: 'handled',
    by: 'ben',
    reason: 'refunded',
    timeline: [
      { what: 'opened' },
      { by: 'ana' },
      { by: 'eve' },
      { text: 'called the operator' },
      { by: 'ben' },
    ],
  })
  expect((await run('list', '--state', 'handled')).out).toContain('handled by ben: refunded; assigned to ben')
  expect((await run('show', 'c1')).out).toContain(
    'comes back it opens again when something critical joins it',
  )
  expect(JSON.parse((await run('reopen', 'c1', '--json')).out)).toMatchObject({ state: 'open', turn: 2 })
  expect((await run('show', 'c1')).out).toMatch(
    / ago \(opened 2 times; what it is about began \d{4}-\d\d-\d\dT[\d:.]+Z\)\n/,
  )
})

test.each([
  [['show', 'c9'], 'There is no case c9'],
  [['show', 'x'], 'expected the id of a case such as c42, got x'],
  [['list', '--state', 'ended'], '--state: expected open, acknowledged, handled, closed or all, got "ended"'],
  [['handle', 'c1'], "required option '--reason <text>' not specified"],
  [['handle', 'c1', '--reason', ' '], 'expected a reason'],
  [['reopen', 'c1'], 'Case c1 is open'],
])('%j is refused', async (args, problem) => {
  const { exitCode, err } = await createLedger()(...args)
  expect([exitCode === 0, err]).toEqual([false, expect.stringContaining(problem)])
})

test('alerts name their case', async () => {
  const run = createLedger()
  await run('ack', 'c1')
  const [finding] = JSON.parse((await run('show', 'c1', '--json')).out).findings
  expect((await run.alerts('list')).out).toContain('acknowledged by ana; case c1, acknowledged')
  expect((await run.alerts('show', finding.id)).out).toContain('\n  case       c1, acknowledged\n')
})
