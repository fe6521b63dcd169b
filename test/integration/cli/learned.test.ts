import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { MoneySample } from '../../../src/meaning/learnedActions.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createLearned } from '../../../src/ledger/lessons/learned.ts'
import { ledgerPath } from '../../../src/store/state.ts'
import { runCommand } from '../../unit/cli/testIo.ts'
import { createLoopbackConfig } from './serveBlocks.ts'

let folder: string
let config: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-learned-'))
  config = join(folder, 'spanwatch.yaml')
  writeFileSync(config, createLoopbackConfig('http://127.0.0.1:9'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const learned = (...more: string[]) => runCommand(['learned', '-c', config, ...more])

/** A ledger to which so many transactions, each of another party, taught this. */
function teach(...lessons: (MoneySample & { readonly times: number })[]): void {
  mkdirSync(join(folder, 'state'), { recursive: true })
  const db = openDatabase(ledgerPath(join(folder, 'state')))
  const book = createLearned(db)
  let count = 0
  for (const { times, ...sample } of lessons)
    for (let n = 0; n < times; n += 1) {
      count += 1
      book.learn([sample], { hash: `0x${count}`, party: `0xa${n}` }, 1_000)
    }
  db.close()
}

test('before the daemon ran there is nothing to show', async () => {
  const { exitCode, err } = await learned()
  expect([exitCode, err]).toEqual([1, expect.stringContaining('There is no ledger')])
})

test('a bridge that taught nothing is said to', async () => {
  teach()
  expect(await learned()).toMatchObject({ exitCode: 0, out: 'Nothing was learned yet.\n' })
})

test('moved tokens, vaults and what is kept are shown beside what the zone says', async () => {
  teach(
    { kind: 'zone', name: 'ZoneToMain', value: 'equal', times: 4 },
    { kind: 'token', name: '0xcc', value: '0xdd', times: 3 },
    { kind: 'token', name: '0xee', value: '0xee', times: 3 },
    { kind: 'vault', name: '0xcc', value: '0xe5', times: 20 },
    { kind: 'vault', name: '0xcc', value: '0x66', times: 1 },
    { kind: 'vault', name: '', value: '0xe5', times: 2 },
    { kind: 'fee', name: 'ZoneToMain 0xcc', value: '2000', times: 30 },
    { kind: 'fee', name: 'MainToZone 0xcc', value: '0', times: 30 },
  )
  const { exitCode, out } = await learned()
  expect(exitCode).toBe(0)
  expect(out).toMatchInlineSnapshot(`
    "in use      0xcc moves as 0xdd: 3 of 3 samples agree, of 3 parties
    accuses     deposits of 0xcc go to 0xe5: 20 of 21 samples agree, of 20 parties
                otherwise 0x31
    warns       ZoneToMain amount of the transaction: 4 of 4 samples agree, of 4 parties
    in use      ZoneToMain of 0xcc: 0.2 % less to 0 % more than the record says may come: 24 of 24 samples agree, of 24 parties
    "
  `)
  const json: unknown = JSON.parse((await learned('--json')).out)
  expect(json).toHaveLength(4)
  expect(json).toContainEqual({
    meaning: 'deposits of 0xcc go to 0xe5',
    state: 'accuses',
    agree: 20,
    samples: 21,
    parties: 20,
    outliers: ['0x31'],
  })
})
