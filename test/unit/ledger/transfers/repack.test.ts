import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Transfer } from '../../../../src/bridge/transfer.ts'
import { parseDecimal } from '../../../../src/bridge/amount.ts'
import { readCounted } from '../../../../src/ledger/lessons/counted.ts'
import { createLedger, type Ledger } from '../../../../src/ledger/ledger.ts'
import { listAnswers } from '../../../../src/ledger/evidence/legAnswers.ts'
import { repackSome } from '../../../../src/ledger/transfers/repack.ts'
import { toStored } from '../../../../src/ledger/transfers/transferRows.ts'
import { knownOf } from '../../../../src/ledger/sightings/knownTexts.ts'
import { encodeSightings } from '../../../../src/ledger/sightings/packedSightings.ts'
import { encodeSighting } from '../../../../src/ledger/sightings/sightingCells.ts'
import { type Database, openDatabase } from '../../../../src/store/database.ts'
import { namesOf } from '../../../../src/store/names.ts'
import { pack } from '../../../../src/store/pack.ts'
import { fromHashCell, indexOfHash } from '../../../../src/store/hash.ts'
import { hash, toRecord } from '../../../support/records.ts'

const now = 2_000_000
const settings = {
  tokens: [],
  openIntervalMs: 10_000,
  evidence: { since: 0, holdMs: 15_000, wantsReceipt: null },
}

function fill(db: Database): Ledger {
  const ledger = createLedger(db, settings)
  const records = Array.from({ length: 25 }, (_, index) =>
    toRecord({
      id: index % 3 === 0 ? null : index % 3 === 1 ? `record ${index}` : hash(`id ${index}`),
      zoneHash: hash(`zone ${index}`),
      mainHash: index % 4 === 0 ? null : hash(`main ${index}`),
      zoneEventIndex: String(index),
      value: '1.5',
      amountRaw: 1_500_000n,
      ...(index % 5 === 0 && { tokenId: String(index), tokenType: 'ERC1155' }),
    }),
  )
  ledger.recordAnswer(records, now)
  // Seen in another form, so that a row has more than one.
  ledger.recordAnswer([{ ...(records[7] ?? toRecord({})), status: 'failed' }], now + 1)
  for (let index = 0; index < 25; index += 2)
    ledger.recordEvidence(
      [
        {
          chain: 'zone',
          hash: hash(`zone ${index}`),
          source: 'E9',
          requestedAt: now,
          status: index % 6 === 0 ? 'failed' : 'success',
          errorMessage: index % 6 === 0 ? 'out of gas' : '',
          moves: null,
          action: '{"type":"withdraw","amount":"1500000"}',
        },
      ],
      now,
    )
  return ledger
}

/** The rows as a version before wrote them: text, and a row for each answer. */
function writeOldForm(db: Database): void {
  for (const row of db.prepare('SELECT * FROM transfers').all()) {
    const { group, misses, soughtAt } = toStored(db, row)
    const body = {
      s: group.members.map(encodeSighting),
      ...(group.ambiguous.length > 0 && { a: group.ambiguous.map(encodeSighting) }),
      ...(misses > 0 && { m: misses }),
      ...(soughtAt !== null && { n: soughtAt }),
    }
    const [a, s, e, l, i] = readCounted(String(row['flow']), {
      originAt: Number(row['origin_at']),
      destinationAt: row['destination_at'] === null ? null : Number(row['destination_at']),
    })
    const flow = {
      t: group.members[0]?.token,
      d: row['direction'],
      a,
      s,
      e,
      l,
      ...(i === undefined ? {} : { i }),
    }
    db.prepare(
      `UPDATE transfers SET rec_id = ?, zone_hash = ?, main_hash = ?, target_address = ?, source_address = ?, token = ?, body = ?,
        flow = ?, plain = NULL WHERE key = ?`,
    ).run(
      ...['rec_id', 'zone_hash', 'main_hash', 'target_address'].map(
        (name) => fromHashCell(row[name]) ?? null,
      ),
      group.members[0]?.sourceAddress ?? '',
      group.members[0]?.token ?? '',
      JSON.stringify(body),
      JSON.stringify(flow),
      Number(row['key']),
    )
  }
  const hashes = db
    .prepare('SELECT hash FROM leg_answers')
    .all()
    .map((row) => fromHashCell(row['hash']) ?? '')
  const insert = db.prepare(
    'INSERT INTO leg_evidence (chain, hash, source, requested_at, status, body) VALUES (?, ?, ?, ?, ?, ?)',
  )
  for (const { chain, hash: name, source, at, status, body } of listAnswers(db, hashes))
    insert.run(chain, name, source, at, status, JSON.stringify(body))
  db.prepare('DELETE FROM leg_answers').run()
  db.prepare("DELETE FROM meta WHERE name = 'form' OR name GLOB 'repacked_*'").run()
}

/** The rows as the version before this one wrote them: packed, with tokens as texts, each sighting whole and each answer a list. */
function writePackedForm(db: Database): void {
  for (const row of db.prepare('SELECT * FROM transfers').all()) {
    const { group, misses, soughtAt } = toStored(db, row)
    const [first] = group.members
    const token = first?.token ?? ''
    const named = ['rec_id', 'zone_hash', 'main_hash'].map((name) => fromHashCell(row[name]) ?? '')
    const known = [...named, token, first?.sourceAddress ?? '', first?.targetAddress ?? '']
    const body = {
      s: group.members.map(encodeSighting),
      ...(group.ambiguous.length > 0 && { a: group.ambiguous.map(encodeSighting) }),
      ...(misses > 0 && { m: misses }),
      ...(soughtAt !== null && { n: soughtAt }),
    }
    const update = db.prepare('UPDATE transfers SET token = ?, body = ? WHERE key = ?')
    update.run(token, pack(body, known), Number(row['key']))
  }
  for (const row of db.prepare('SELECT id, hash FROM leg_answers').all()) {
    const name = fromHashCell(row['hash']) ?? ''
    const answers = listAnswers(db, [name]).map((one) => [
      one.chain,
      one.source,
      one.at,
      one.status,
      one.body,
    ])
    const update = db.prepare('UPDATE leg_answers SET answers = ? WHERE id = ?')
    update.run(pack(answers, [name]), Number(row['id']))
  }
  db.prepare("DELETE FROM meta WHERE name GLOB 'repacked_*'").run()
}

/** The rows as version 57 wrote them: all their times and nulls within what is packed, and answers by hash alone. */
function writeUntimedForm(db: Database): void {
  for (const row of db.prepare('SELECT * FROM transfers').all()) {
    const { group } = toStored(db, row)
    const { s, d } = encodeSightings(group)
    const whole = s.map((cells) => Array.from({ length: 31 }, (_, place) => cells[place] ?? null))
    const update = db.prepare('UPDATE transfers SET body = ? WHERE key = ?')
    update.run(pack({ s: whole, ...(d && { d }) }, knownOf(db, row), namesOf(db)), Number(row['key']))
  }
  db.prepare("DELETE FROM meta WHERE name GLOB 'repacked_*'").run()
}

const rowsOf = (db: Database) => ({
  transfers: db.prepare('SELECT * FROM transfers ORDER BY key').all(),
  answers: db.prepare('SELECT hash, telling, answers FROM leg_answers ORDER BY hash').all(),
})
/** As after an update: what the version before left is opened by this one. */
function openAnew(db: Database): Database {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-repack-'))
  const path = join(folder, 'ledger.sqlite')
  db.prepare('VACUUM INTO ?').run(path)
  db.close()
  const opened = openDatabase(path)
  onTestFinished(() => {
    opened.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return opened
}

/** Everything that is asked of it by a name. */
const seenIn = (ledger: Ledger, all: readonly Transfer[]) =>
  all.map(({ key, id, zone, main, token }) => ({
    transfer: ledger.getTransfer(key),
    sightings: ledger.listSightings(key),
    ofToken: [
      { token: token.address },
      { tokens: [token.address] },
      { token: '0xdd' },
      { minAmount: parseDecimal('1.5') ?? { digits: 0n, scale: 0 } },
      { minAmount: parseDecimal('1.6') ?? { digits: 0n, scale: 0 } },
    ].map((filter) => ledger.listTransfers(filter).map((one) => one.key)),
    named: [id, zone?.hash, main?.hash].map((name) =>
      name === null || name === undefined ? [] : ledger.listTransfers({ hash: name }).map((one) => one.key),
    ),
  }))

const forms = [
  ['text', writeOldForm],
  ['packed', writePackedForm],
  ['packed with names', writeUntimedForm],
] as const

test.each(forms)(
  'a ledger of before (%s) is read as it is, part by part takes on the form of now, and says the same all the while',
  (_, writeForm) => {
    const filled = openDatabase(':memory:')
    const ledger = fill(filled)
    const rows = rowsOf(filled)
    const all = ledger.listTransfers({ limit: 100 })
    const seen = seenIn(ledger, all)
    expect(all.length).toBeGreaterThan(20)
    writeForm(filled)
    const db = openAnew(filled)
    expect(rowsOf(db)).not.toEqual(rows)
    expect(seenIn(createLedger(db, settings), all)).toEqual(seen)
    let steps = 1
    for (; repackSome(db, 4); steps += 1) expect(seenIn(createLedger(db, settings), all)).toEqual(seen)
    expect(steps).toBeGreaterThan(4)
    expect(rowsOf(db)).toEqual(rows)
    expect(db.prepare('SELECT count(*) AS n FROM leg_evidence').get()).toEqual({ n: 0 })
  },
)

test('an answer about a transaction of which an older one is kept in the form of before takes its place', () => {
  const filled = openDatabase(':memory:')
  fill(filled)
  const before = listAnswers(filled, [hash('zone 2')])
  writeOldForm(filled)
  const db = openAnew(filled)
  const ledger = createLedger(db, settings)
  const failed = {
    chain: 'zone',
    hash: hash('zone 2'),
    source: 'E9',
    requestedAt: now + 5,
    moves: null,
  } as const
  ledger.recordEvidence([{ ...failed, status: 'failed', errorMessage: 'reverted' }], now + 5)
  expect(before).toHaveLength(1)
  expect(listAnswers(db, [hash('zone 2')])).toMatchObject([{ status: 'failed', at: now + 5 }])
})

test('what retention left behind is come to at once, however many were before it', () => {
  const db = openDatabase(':memory:')
  fill(db)
  writePackedForm(db)
  db.prepare('UPDATE transfers SET key = key + 10000000').run()
  db.prepare('UPDATE leg_answers SET id = id + 10000000').run()
  let steps = 1
  for (; repackSome(db, 10); steps += 1) expect(steps).toBeLessThan(9)
  const left = db.prepare("SELECT count(*) AS n FROM transfers WHERE substr(body, 1, 1) <> x'03'").get()
  const leftAnswers = db
    .prepare("SELECT count(*) AS n FROM leg_answers WHERE substr(answers, 1, 1) = x'01'")
    .get()
  expect([left, leftAnswers]).toEqual([{ n: 0 }, { n: 0 }])
})

test.each([
  ['begin alike', (place: number) => `0x${place.toString(16).padStart(64, '0')}`],
  ['end alike', (place: number) => `0x${(4_096 + place).toString(16).padEnd(64, '0')}`],
])('names that were counted and %s are found without a look at the others', (_, name) => {
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, settings)
  const places = Array.from({ length: 100 }, (__, index) => 3 * (index + 1))
  ledger.recordAnswer(
    places.map((place) =>
      toRecord({ id: name(place), mainHash: name(place + 1), zoneHash: name(place + 2) }),
    ),
    now,
  )
  for (const column of ['rec_id', 'main_hash', 'zone_hash']) {
    const entries = db.prepare(`SELECT count(DISTINCT ${indexOfHash(column)}) AS n FROM transfers`).get()
    expect([column, entries?.['n']]).toEqual([column, places.length])
  }
})

test('a thousand hashes that begin and end alike are a thousand transfers, each found by its own', () => {
  const ledger = createLedger(openDatabase(':memory:'), settings)
  const alike = (start: string, index: number) =>
    `0x${start.repeat(8)}${index.toString(16).padStart(32, '0')}${start.repeat(8)}`
  const names = Array.from({ length: 1_000 }, (_, index) => ({
    id: `same-${index}-same`,
    zoneHash: alike('ab', index),
    mainHash: alike('cd', index),
  }))
  for (let start = 0; start < names.length; start += 100)
    ledger.recordAnswer(
      names.slice(start, start + 100).map((name) => toRecord(name)),
      now,
    )
  for (const name of names) {
    for (const wanted of [name.id, name.zoneHash, name.mainHash])
      expect(ledger.listTransfers({ hash: wanted }).map(({ id }) => id)).toEqual([name.id])
  }
  expect(ledger.listTransfers({ hash: alike('ab', 1_000) })).toEqual([])
})
