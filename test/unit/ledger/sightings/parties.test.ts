import { describe, expect, test } from 'vitest'
import { readLastThrough, readOpen } from '../../../../src/checks/probes/store.ts'
import { createLedger } from '../../../../src/ledger/ledger.ts'
import { type Database, openDatabase } from '../../../../src/store/database.ts'
import { hash, toRecord } from '../../../support/records.ts'

const [alice, bob] = [`0x${'a1'.repeat(20)}`, `0x${'b0'.repeat(20)}`]

function open() {
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  const record = (name: string, sourceAddress: string, targetAddress: string, at: number) =>
    toRecord({
      id: name,
      zoneHash: hash(`zone ${name}`),
      mainHash: hash(`main ${name}`),
      sourceAddress,
      targetAddress,
      direction: 'ZoneToMain',
      zoneTime: at,
      mainTime: at + 1,
    })
  ledger.recordAnswer(
    [
      record('to herself', alice, alice, 1_000),
      record('to bob', alice, bob, 2_000),
      record('from bob', bob, alice, 3_000),
      record('bob alone', bob, bob, 4_000),
    ],
    1_000_000,
  )
  return { db, ledger }
}

/** As a version before kept addresses. */
function writeText(db: Database): void {
  for (const [column, text] of [
    ['source_address', "iif(source_address = x'', target_address, source_address)"],
    ['target_address', 'target_address'],
  ] as const)
    db.prepare(
      `UPDATE transfers SET ${column} = '0x' || lower(hex(${text})) WHERE typeof(${text}) = 'blob'`,
    ).run()
}

describe.each([
  { form: 'as bytes', write: () => undefined },
  { form: 'as text, of a version before', write: writeText },
])('addresses $form', ({ write }) => {
  test('a transfer is found by whoever sent it or is to get it', () => {
    const { db, ledger } = open()
    write(db)
    const find = (address: string) => ledger.listTransfers({ address }).map(({ id }) => id)
    expect(find(alice)).toEqual(['from bob', 'to bob', 'to herself'])
    expect(find(bob)).toEqual(['bob alone', 'from bob', 'to bob'])
    expect(ledger.listTransfers({}).map((one) => [one.sourceAddress, one.targetAddress])).toEqual([
      [bob, bob],
      [bob, alice],
      [alice, bob],
      [alice, alice],
    ])
  })

  test('a prober is whoever sent, to himself or to another', () => {
    const { db } = open()
    write(db)
    const prober = { address: alice, direction: 'ZoneToMain' } as const
    expect(readLastThrough(db, prober)).toMatchObject({ leftAt: 2_000 })
    expect(readLastThrough(db, prober, 1_500)).toMatchObject({ leftAt: 1_000 })
    expect(readOpen(db, prober, 0, 1_001)).toMatchObject({ count: 1 })
  })
})
