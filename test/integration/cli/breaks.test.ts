import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { ledgerPath } from '../../../src/store/state.ts'
import { hash, toPending, toRecord } from '../../support/records.ts'
import { runCommand } from '../../unit/cli/testIo.ts'
import { createLoopbackConfig } from './serveBlocks.ts'

/** A withdrawal that did not arrive for two days, and a payout that names no origin. */
function createState(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-breaks-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'spanwatch.yaml')
  writeFileSync(config, createLoopbackConfig('http://127.0.0.1:9'))
  mkdirSync(join(folder, 'state'))
  const db = openDatabase(ledgerPath(join(folder, 'state')))
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  const much = { value: '1500000.5', amountRaw: 1_500_000_500_000n }
  const left = toPending({ ...much, id: 'a', zoneHash: hash('z1') })
  const nowhere = { zoneHash: null, zoneHeight: null, zoneTime: null }
  const paid = toRecord({ ...much, ...nowhere, id: 'b', mainHash: hash('m2') })
  db.transaction(() => ledger.recordAnswer([left, paid], 2_000_000))
  db.close()
  return config
}

test('breaks are listed, matched, written off and taken back', async () => {
  const config = createState()
  const run = (...words: string[]) => runCommand(['breaks', ...words, '-c', config])
  const listed = async (...words: string[]) =>
    JSON.parse((await run('list', '--json', ...words)).out) as { breaks: { name: string; left: string }[] }
  const { breaks } = await listed('--older-than', '1d', '--min', '1500000.5')
  expect(breaks.map(({ name, left }) => [name, left])).toEqual([
    ['t1', '1500000.5'],
    ['t2', '1500000.5'],
  ])
  expect((await listed('--min', '1500000.6')).breaks).toEqual([])
  const { out } = await run('match', hash('m2'), 't1', '--reason', 'the same', '--by', 'ana')
  expect(out).toMatch(/^e1 .* matched by ana \(cli\): the same\n/)
  expect(out).toContain('payout t2: 1,500,000.5 ')
  expect((await run('list')).out).toMatch(/^Nothing like this fails to reconcile\.\n/)
  expect((await listed('--state', 'settled')).breaks).toHaveLength(2)
  await run('undo', 'e1', '--reason', 'it was another', '--by', 'ana')
  await run('write-off', 't1', '--reason', 'refunded', '--by', 'ana')
  const csv = (await run('list', '--state', 'all', '--csv')).out.split('\r\n')
  expect(csv[0]).toContain('name,kind,isOpen')
  expect(csv.slice(1).map((line) => line.split(',').slice(0, 3).join())).toEqual([
    't1,stalled,false',
    't2,unbacked,true',
    '',
  ])
  const text = (await run('list')).out
  expect(text).toContain('1 open, 1,500,000.5; 1 settled by hand, 1,500,000.5')
  expect(text).toContain('taken back (of e1) by ana (cli): it was another')
})

test('a file of some of the breaks does not pass for all of them', async () => {
  const config = createState()
  const run = (...words: string[]) => runCommand(['breaks', 'list', '--csv', ...words, '-c', config])
  const some = await run('--limit', '1')
  expect([some.out.trim().split('\r\n').length - 1, some.err]).toEqual([1, 'and 1 more: --limit\n'])
  const all = await run('--limit', '20000')
  expect([all.out.trim().split('\r\n').length - 1, all.err]).toEqual([2, ''])
})

test('what cannot be is refused, and says why', async () => {
  const config = createState()
  const run = (...words: string[]) => runCommand(['breaks', ...words, '-c', config])
  expect(await run('write-off', 't1', '--reason', ' ', '--by', 'ana')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('expected a reason'),
  })
  expect(await run('match', 't1', 't2', '--reason', 'why', '--by', 'ana')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('t1 is no payout: open too long'),
  })
  expect(await run('list', '--older-than', 'long')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('--older-than: expected a duration'),
  })
  expect(await run('list', '--token', 'USDX')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('--token: bridge.tokens lists no token `USDX`'),
  })
  expect(await run('undo', 'e7', '--reason', 'why', '--by', 'ana')).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('There is no entry e7'),
  })
})
