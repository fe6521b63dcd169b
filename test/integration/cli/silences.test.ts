import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { insertSilence } from '../../../src/alerts/store/silenceRows.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { ledgerPath } from '../../../src/store/openState.ts'
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
