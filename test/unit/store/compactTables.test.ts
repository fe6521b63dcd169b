import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { sumAccounts, sumUnmovedSince } from '../../../src/checks/escrow/accounts/accountStore.ts'
import { readEntry, replaceEntry } from '../../../src/checks/escrow/accounts/accountStore.ts'
import { selectFlows, listFlowsOf } from '../../../src/checks/escrow/flows/flowRow.ts'
import { saveFlows } from '../../../src/checks/escrow/flows/flowStore.ts'
import { listMainLegs, listOwedKeysSince, saveOwedLeg } from '../../../src/checks/escrow/owed/owedLegs.ts'
import { listDueTransactions, listLogs, saveLogs } from '../../../src/checks/contracts/logStore.ts'
import { countCopies, listCopies } from '../../../src/ledger/amounts/flow.ts'
import { listFlow } from '../../../src/ledger/amounts/flowSteps.ts'
import { listSlots } from '../../../src/ledger/amounts/flowSlots.ts'
import { listAllLatency, listLatency, purgeLatency } from '../../../src/ledger/lessons/latency.ts'
import { createLearned } from '../../../src/ledger/lessons/learned.ts'
import { listLessonRows } from '../../../src/ledger/lessons/lessonStore.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { hash } from '../../support/records.ts'
import { createOldLedger } from '../../support/oldLedger.ts'

/** The last one before tables were made compact. */
const oldVersion = 47
const token = `0x${'aa'.repeat(20)}`
const escrow = `0x${'ee'.repeat(20)}`
const party = `0x${'bb'.repeat(20)}`
const tx = `0x${'c1'.repeat(32)}`
const huge = '123456789012345678901234567890'

function migrated(rows: Readonly<Record<string, readonly (readonly SQLInputValue[])[]>>): Database {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-old-'))
  const path = join(folder, 'ledger.sqlite')
  const old = createOldLedger(path, oldVersion)
  for (const [into, all] of Object.entries(rows))
    for (const row of all)
      old.prepare(`INSERT INTO ${into} VALUES (${row.map(() => '?').join()})`).run(...row)
  old.close()
  const db = openDatabase(path)
  onTestFinished(() => {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return db
}

test('what crossed by time reads as before, and is counted on', () => {
  const steps = [
    [10_000, '', 'ZoneToMain', 'arrived', 1, huge],
    [10_000, token, 'MainToZone', 'started', 2, '15'],
    [20_000, token, 'ZoneToMain', 'started', 1, '-7'],
  ]
  const latency = [[0, token, 'ZoneToMain', 40, 3]]
  const db = migrated({
    flow_steps: steps,
    flow_slots: [[0, token, 'MainToZone', 'started', 2, '15']],
    flow_amounts: [
      [10_000, token, 'MainToZone', '15', 2],
      [10_000, token, 'MainToZone', '15#7', 1],
      [10_000, '', 'ZoneToMain', huge, 1],
      [10_000, token, 'MainToZone', '1', 9],
      [10_000, token, 'MainToZone', '1#4', 9],
    ],
    latency_steps: latency,
    latency_totals: latency.map((row) => row.slice(1)),
  })
  const inOrder = (of: ReturnType<typeof listFlow>) =>
    of.map(({ at, token, direction, side, count, sum }) => [at, token, direction, side, count, String(sum)])
  expect(inOrder(listFlow(db, 0, 30_000))).toEqual(steps)
  expect(listSlots(db, 0, 1)).toEqual([
    { at: 0, token, direction: 'MainToZone', side: 'started', count: 2, sum: 15n },
  ])
  const copies = listCopies(db, 0, 30_000, 1)
  expect(
    copies.map(({ amountRaw, tokenId, count }) => `${amountRaw} ${tokenId} ${count}`).toSorted(),
  ).toEqual([`${huge}  1`, '15  2', '15 7 1'].toSorted())
  expect(copies.map((one) => countCopies(db, one, 0, 30_000))).toEqual(copies.map(({ count }) => count))
  const known = [{ token, direction: 'ZoneToMain', class: 40, count: 3 }]
  expect(listLatency(db, 0, 1)).toEqual(known)
  expect(listAllLatency(db)).toEqual(known)
  purgeLatency(db, 1, 10)
  expect(listAllLatency(db)).toEqual([])
})

test('legs keep their amounts, however long, and their transactions by the transfers', () => {
  const insert = `transfers (key, loose, main_hash, direction, state, token, source_address, target_address, origin_at,
    first_seen_at, changed_at, read_at, body)`
  const transfer = [
    7,
    0,
    Buffer.from(tx.slice(2), 'hex'),
    'MainToZone',
    'completed',
    token,
    '',
    '',
    0,
    0,
    0,
    0,
    '{}',
  ]
  const db = migrated({
    [insert]: [transfer],
    'escrow_legs (key, token, credit, amount, main_hash, main_height, main_time, zone_time, counted, fee, more)':
      [
        ['t7', token, 1, huge, tx, 12, 1_000, 2_000, 1, '3', '0'],
        ['t8', token, 0, null, null, null, null, 2_500, 0, '0', '0'],
      ],
  })
  const amount = BigInt(huge)
  expect(listMainLegs(db, token, 0, 99)).toEqual([{ hash: tx, least: amount - 3n, most: amount }])
  expect(listOwedKeysSince(db, token, { height: 0, time: 0 })).toEqual(['t7', 't8'])
  saveOwedLeg(db, 't7', null)
  expect(listMainLegs(db, token, 0, 99)).toEqual([])
})

test('lessons keep their parties, and are forgotten by transaction', () => {
  const sample = (kind: string, name: string, value: string, by: string, at: number) =>
    [kind, name, value, by, at, party] as const
  const db = migrated({
    learned_samples: [
      sample('vault', token, escrow, tx, 5),
      sample('vault', token, escrow, hash('v2'), 6),
      sample('action', 'MainToZone kind', 'deposit', tx, 5),
      sample('dissent', 'MainToZone words', 'outlier', tx, 7),
      ['dissent', 'MainToZone words', 'agrees', '', 9, ''],
    ],
  })
  expect(
    listLessonRows(db).map(({ kind, value, hash, party, at }) => [kind, value, hash, party, at]),
  ).toEqual([
    ['dissent', 'agrees', '', '', 9],
    ['dissent', 'outlier', tx, party, 7],
    ['vault', escrow, hash('v2'), party, 6],
    ['vault', escrow, tx, party, 5],
    ['action', 'deposit', tx, party, 5],
  ])
  const learned = createLearned(db)
  expect(learned.vaultsOf(token)).toEqual(new Map([[escrow, 1]]))
  learned.forget(tx)
  expect(listLessonRows(db).map(({ kind, at }) => [kind, at])).toEqual([
    ['dissent', 9],
    ['vault', 6],
  ])
})

test('entries of accounts are found by what they are of, and replaced', () => {
  const db = migrated({
    account_entries: [
      [`main:${token}:${tx}`, token, 12, 1_000, tx, '{"escrow":"-5","toMain":"-5"}', 0],
      ['zone:t7', token, null, 2_000, tx, `{"claims":"${huge}"}`, 0],
      [`gap:${escrow}:${token}:balance:4`, token, 14, 3_000, null, '{"escrow":"2","unmoved":"2"}', 1],
    ],
    account_sums: [[token, `{"escrow":"-3","toMain":"-5","claims":"${huge}","unmoved":"2"}`]],
  })
  const ref = `main:${token}:${tx}`
  expect(readEntry(db, ref)).toMatchObject({
    token,
    height: 12,
    mainHash: tx,
    deltas: { escrow: -5n, toMain: -5n },
  })
  expect(readEntry(db, `main:${escrow}:${tx}`)).toBeNull()
  expect(readEntry(db, 'zone:t7')).toMatchObject({ mainHash: tx, deltas: { claims: BigInt(huge) } })
  expect(readEntry(db, 'open:t7')).toBeNull()
  expect(sumUnmovedSince(db, token, { since: 0 })).toEqual({ came: 0n, left: 2n })
  const entry = { ref, token, height: 13, at: 1_500, mainHash: tx, deltas: { escrow: -4n, lost: -4n } }
  replaceEntry(db, ref, { before: readEntry(db, ref), entry }, 2_000)
  expect(readEntry(db, ref)).toMatchObject({ height: 13, deltas: { escrow: -4n, lost: -4n } })
  expect(sumAccounts(db, token, { height: 12, time: 2_000 })).toMatchObject({ claims: BigInt(huge) })
  expect(sumAccounts(db, token, { height: 13, time: 2_000 })).toMatchObject({ escrow: -4n, lost: -4n })
})

test('movements keep all that was known of them, and one that is read again is no other one', () => {
  const common = [null, null, '', 5_000, 1, null, null] as const
  const db = migrated({
    [`escrow_flows (escrow, token, hash, height, at, seen_at, net, outward, party, verdict, direction, gross,
      from_height, unexplained, reason, checked_at, checks, check_at, absence)`]: [
      [
        escrow,
        token,
        tx,
        5,
        1_000,
        2_000,
        '-0.5',
        '0.5',
        party,
        'explained',
        'out',
        '[["","0","0.5","0"]]',
        ...common,
      ],
      [
        escrow,
        token,
        hash('in'),
        6,
        1_000,
        2_000,
        '2',
        '-2',
        party,
        'explained',
        'in',
        '[["7","2","0","0"]]',
        ...common,
      ],
      [escrow, token, 'moved:0x1', 7, 1_000, 2_000, '2', '0', '', 'explained', 'in', null, ...common],
    ],
  })
  const [out, other, moved] = selectFlows(db, 'ORDER BY height')
  const half = { digits: 5n, scale: 1 }
  const none = { digits: 0n, scale: 0 }
  expect(out).toMatchObject({
    escrow,
    token,
    hash: tx,
    party,
    outward: half,
    verdict: 'explained',
    checks: 1,
  })
  expect(out?.gross).toEqual([{ id: '', in: none, out: half, back: none }])
  expect(other?.gross).toMatchObject([{ id: '7', in: { digits: 2n } }])
  expect(moved).toMatchObject({ hash: 'moved:0x1', party: '', gross: [{ id: '' }] })
  if (out === undefined) return expect.fail('a movement is gone')
  saveFlows(db, [out], 9_000, 0)
  expect(selectFlows(db, 'WHERE check_at IS NOT NULL')).toEqual([])
  saveFlows(db, [{ ...out, height: 8 }], 9_000, 0)
  expect(listFlowsOf(db, tx, token)).toMatchObject([{ height: 8, verdict: 'explained' }])
  expect(selectFlows(db, 'WHERE check_at = 9000')).toHaveLength(1)
})

test('logs of contracts read as before, and one that is read again is known', () => {
  const topic = `0x${'70'.repeat(32)}`
  const word = (of: string) => `0x${of.padStart(64, '0')}`
  const all = [
    { topics: [topic, word('ab'), word('')], data: `0x${'0'.repeat(62)}ff${'1'.repeat(64)}` },
    { topics: [topic], data: '0x' },
    { topics: [topic], data: '0x1234' },
    { topics: [], data: '0x' },
    { topics: [topic, '0xAB'], data: word('') },
  ]
  const body = (of: unknown) => JSON.stringify(of)
  const db = migrated({
    bridge_logs: all.map((log, place) => [
      escrow,
      tx,
      String(place),
      log.topics[0] ?? '',
      5,
      1,
      2,
      3,
      body(log),
    ]),
  })
  const read = () => listLogs(db, tx).map(({ log: { topics, data } }) => ({ topics, data }))
  expect(read()).toEqual(all)
  const again = all.map((log, place) => ({
    ...log,
    contract: escrow,
    hash: tx,
    place: String(place),
    height: 5,
    time: 1,
  }))
  expect(saveLogs(db, again, 9)).toEqual([])
  expect(listDueTransactions(db, 3, 9)).toEqual([tx])
  db.prepare('DELETE FROM bridge_logs').run()
  expect(saveLogs(db, again, 9)).toEqual(again)
  expect(read()).toEqual(all)
  expect(saveLogs(db, again, 9)).toEqual([])
})
