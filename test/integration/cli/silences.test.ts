import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { insertSilence } from '../../../src/alerts/store/silenceRows.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { ledgerPath } from '../../../src/store/state.ts'
import { runCommand } from '../../unit/cli/testIo.ts'
import { createLoopbackConfig } from './serveBlocks.ts'

const now = Date.now()
const silence = { startsAt: now, endsAt: now + 3_600_000, author: 'ana', createdAt: now }

/** A ledger with these silences. */
function createLedger(...silences: { matchers: string[]; comment: string }[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-silences-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'spanwatch.yaml')
  writeFileSync(config, createLoopbackConfig('http://127.0.0.1:9'))
  mkdirSync(join(folder, 'state'))
  const db = openDatabase(ledgerPath(join(folder, 'state')))
  for (const one of silences) insertSilence(db, { ...silence, ...one })
  db.close()
  return config
}

test('issue 12.1: a silence that cannot be read any more is listed as set aside, with why', async () => {
  const config = createLedger(
    { matchers: ['rule="a"'], comment: 'holds' },
    { matchers: ['rule=~"(?!a)"'], comment: 'of an older version' },
  )
  const { out } = await runCommand(['silences', 'list', '-c', config])
  expect(out.split('\n').filter((line) => /comment|holds|older|aside/.test(line))).toEqual([
    expect.stringContaining('by ana: of an older version'),
    expect.stringContaining('set aside, silences nothing: rule=~"(?!a)": invalid or unsupported Perl syntax'),
    expect.stringContaining('by ana: holds'),
  ])
  const json: unknown = JSON.parse((await runCommand(['silences', 'list', '-c', config, '--json'])).out)
  expect(json).toMatchObject([{ problem: expect.stringContaining('Perl syntax') }, { problem: null }])
})

/** Alerts of one rule, one of them critical. */
function addAlerts(config: string): void {
  const db = openDatabase(ledgerPath(join(config, '..', 'state')))
  for (const [n, severity] of [
    [1, 'critical'],
    [2, 'warning'],
  ] as const)
    db.prepare(
      `INSERT INTO alerts (fingerprint, rule, kind, nature, severity, labels, subject, state, episode, active_at, refreshed_at,
        material, amount_rank, changed_at, finding, transfer_key) VALUES (?, 'withdrawal-stalled', 'transfer.stalled', 'condition', ?,
        '{"rule":"withdrawal-stalled"}', ?, 'firing', 1, ?4, ?4, '', '', ?4, '{}', ?3)`,
    ).run(String(n).repeat(64), severity, `t${n}`, now)
  db.close()
}

test('a preview says what a silence would match, and makes none', async () => {
  const config = createLedger()
  addAlerts(config)
  const { out, exitCode } = await runCommand(['silences', 'preview', 'rule=withdrawal-stalled', '-c', config])
  expect(exitCode).toBe(0)
  expect(out).toMatchInlineSnapshot(`
    "rule="withdrawal-stalled"
      now          2 alerts, 1 critical
        11111111  critical withdrawal-stalled  t1
        22222222  warning  withdrawal-stalled  t2
      past week    2 alerts, 1 critical
             2  withdrawal-stalled (transfer.stalled)
    Nothing was made.
    "
  `)
  expect((await runCommand(['silences', 'list', '-c', config])).out).toBe('No silence holds.\n')
  const add = ['silences', 'add', 'rule=withdrawal-stalled', '--for', '1h', '--by', 'ana', '-c', config]
  expect((await runCommand([...add, '--preview'])).out).toBe(out)
  expect((await runCommand(add)).err).toContain('--comment')
  const made = await runCommand([...add, '--comment', 'known'])
  expect(made.out).toContain('matches now 2 alerts, 1 critical; of the past week 2 alerts, 1 critical')
  expect((await runCommand(['audit', 'list', '-c', config])).out).toMatch(/ana made silence 1 \(cli\)/)
})

test('what does not exist is refused with what was meant', async () => {
  const config = createLedger()
  const add = ['silences', 'add', 'rule=withdrawal-staled', '--for', '1h', '--comment', 'x', '--by', 'ana']
  const refused = await runCommand([...add, '-c', config])
  expect([refused.exitCode, refused.err]).toEqual([
    2,
    expect.stringContaining('did you mean `withdrawal-stalled`?'),
  ])
  expect((await runCommand([...add, '--allow-unknown', '-c', config])).exitCode).toBe(0)
})
