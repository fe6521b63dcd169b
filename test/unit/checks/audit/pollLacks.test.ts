import { expect, test } from 'vitest'
import { noteListed, noteTransfers, openListings } from '../../../../src/checks/audit/listings.ts'
import { lookAgain } from '../../../../src/checks/audit/pollLacks.ts'
import {
  addLack,
  listDueLacks,
  saveLack,
  summarizeTold,
  toLack,
  toUnlistedLack,
} from '../../../../src/checks/audit/store.ts'
import { hash, toPending, toRecord } from '../../../support/records.ts'
import { noSignal, setUp, stumbleOver } from '../support.ts'

test('beside 200 transfers that were reported, and older, the record of an action is asked for all the same', async () => {
  const world = setUp([], { start: 100_000_000 })
  const { clock, db, ledger } = world
  const rows = Array.from({ length: 200 }, (_, n) =>
    toPending({ direction: 'MainToZone', source: 'chain', mainHash: hash(`d${n}`), zoneEventIndex: `${n}` }),
  )
  world.commit({ answers: rows.map((row) => [row]) })
  const now = clock.now()
  const told = ledger.listTransfers({ limit: 300 }).map((one) => toUnlistedLack(one, now))
  for (const lack of told) saveLack(db, { ...lack, state: 'told', toldAt: now, dueAt: now })
  saveLack(db, toLack(toPending({ zoneHash: hash('action'), zoneTime: now }), 'action', now))
  const asked = new Set<string>()
  const details: typeof world.reads.details = async (hashes) => {
    for (const one of hashes) asked.add(one)
    return { requestedAt: clock.now(), records: [], bad: [] }
  }
  const looking = { ...world, reads: { ...world.reads, details }, listings: openListings(world) }
  for (let run = 0; run < 12; run += 1) {
    await lookAgain(looking, noSignal)
    await clock.advance(10_000)
  }
  expect([told.length, [...asked]]).toEqual([200, [hash('action')]])
})

test('what E12 stumbles over holds up no other record of an action', async () => {
  const world = setUp([], { start: 100_000_000 })
  const { clock, db } = world
  const now = clock.now()
  const rows = Array.from({ length: 12 }, (_, n) => toPending({ zoneHash: hash(`z${n}`), zoneTime: now }))
  for (const row of rows) saveLack(db, toLack(row, 'action', now))
  world.feed.rows = rows.map((row) => ({ ...row, requestedAt: now }))
  stumbleOver(world, new Set([hash('z4')]))
  await expect(lookAgain({ ...world, listings: openListings(world) }, noSignal)).rejects.toThrow('HTTP 500')
  expect(world.ledger.countByState()).toMatchObject({ pending: 11 })
})

test('invariant 5: a record of E12 that cannot be read hides no other that is not there', async () => {
  const world = setUp([], { start: 100_000_000 })
  const { clock, db } = world
  const now = clock.now()
  world.commit({ answers: [[toRecord({ zoneHash: hash('known'), requestedAt: now, zoneTime: now })]] })
  for (const name of ['unread', 'gone'])
    saveLack(db, toLack(toPending({ zoneHash: hash(name), id: name, zoneTime: now }), 'action', now))
  const bad = [{ endpoint: 'E12', problem: 'value', raw: JSON.stringify({ zoneTxHash: hash('unread') }) }]
  const details: typeof world.reads.details = async (asked) => {
    const records = [toRecord({ zoneHash: hash('known'), requestedAt: clock.now(), zoneTime: now })]
    return { requestedAt: clock.now(), records, bad: asked.includes(hash('unread')) ? bad : [] }
  }
  const looking = { ...world, reads: { ...world.reads, details }, listings: openListings(world) }
  for (let run = 0; run < 12; run += 1) {
    await lookAgain(looking, noSignal)
    await clock.advance(10_000)
  }
  const kept = (name: string) => world.ledger.listTransfers({ hash: hash(name), limit: 1 }).length
  expect([kept('unread'), kept('gone')]).toEqual([0, 1])
})

test('of more records than are looked for at once the next audit finds the rest; what no audit finds again is kept', () => {
  const { db, clock } = setUp()
  const now = clock.now()
  const lack = (n: number, source: 'list' | 'action') =>
    toLack(toPending({ zoneHash: hash(`z${n}`), id: `r${n}` }), source, now)
  db.transaction(() => {
    for (let n = 0; n < 5_000; n += 1) addLack(db, lack(n, 'list'))
  })
  expect([addLack(db, lack(5_000, 'list')), addLack(db, lack(5_001, 'action'))]).toEqual([false, true])
  expect(listDueLacks(db, now, 10_000)).toHaveLength(5_001)
})

test('a deposit that its event alone shows is reported where the list takes no transaction as a filter, by its address', async () => {
  const world = setUp([], { start: 100_000_000 })
  const { clock, db, ledger } = world
  const now = clock.now()
  const control = toRecord({ zoneHash: hash('known'), zoneTime: now, mainTime: now, requestedAt: now })
  const deposit = {
    direction: 'MainToZone',
    source: 'chain',
    mainHash: hash('paid in'),
    logIndex: '0',
  } as const
  world.commit({ answers: [[control], [toPending({ ...deposit, mainTime: now, requestedAt: now })]] })
  world.feed.rows = [control]
  world.reads.feedByHash = async () => ({
    requestedAt: clock.now(),
    records: [],
    bad: [],
    isUnfiltered: true,
  })
  const [transfer] = ledger.listTransfers({ hash: hash('paid in'), limit: 1 })
  expect(transfer).toBeDefined()
  if (transfer) addLack(db, toUnlistedLack(transfer, now))
  const looking = { ...world, listings: openListings(world) }
  for (let run = 0; run < 40; run += 1) {
    await lookAgain(looking, noSignal)
    await clock.advance(3_600_000)
  }
  expect(summarizeTold(db)).toMatchObject([{ source: 'event', count: 1, hashes: [hash('paid in')] }])
})

test('semantics.md 41: while the list shows nothing newer and lacks others too, no record is missing', async () => {
  const world = setUp([], { start: 100_000_000 })
  const { clock, db, ledger } = world
  const start = clock.now()
  const listings = openListings(world)
  const listed = (name: string, zoneTime: number) =>
    noteListed(
      listings,
      {
        answers: [[toRecord({ source: 'E3', zoneHash: hash(name), zoneTime, mainTime: zoneTime })]],
        changes: [],
      },
      clock.now(),
    )
  listed('known', start - 2_000)
  const withdrawals = ['one', 'two'].map((name) =>
    toPending({ source: 'chain', zoneHash: hash(name), zoneTime: start - 1_000, requestedAt: start }),
  )
  world.commit({ answers: withdrawals.map((row) => [row]) })
  const transfers = ledger.listTransfers({ limit: 10 })
  for (const transfer of transfers) addLack(db, toUnlistedLack(transfer, start))
  noteTransfers(listings, transfers, [])
  for (const direction of ['ZoneToMain', 'MainToZone'] as const) listings.open.set(direction, 3)
  const told = async (afterMs: number) => {
    await clock.advance(afterMs)
    await lookAgain({ ...world, listings }, noSignal)
    return summarizeTold(db).map(({ source, count }) => [source, count])
  }
  expect(await told(5 * 60_000)).toEqual([])
  listed('newer', start + 120_000)
  expect(await told(20_000)).toEqual([['zone', 2]])
})

test('a record that was found late is reported once its origin is proven, or could not be, and not as a theft too', async () => {
  const told = async (status: 'absent' | 'success' | null) => {
    const world = setUp([], { start: 100_000_000 })
    const { clock, db, ledger } = world
    const now = clock.now()
    const record = toRecord({ zoneHash: hash('late'), zoneTime: now, mainTime: now, requestedAt: now })
    world.commit({ answers: [[record]] })
    const [transfer] = ledger.listTransfers({ hash: hash('late'), limit: 1 })
    const lack = {
      ...toLack(record, 'list', now),
      state: 'recorded',
      transferKey: transfer?.key ?? '',
    } as const
    saveLack(db, { ...lack, lastAt: now })
    const leg = { chain: 'zone', hash: hash('late'), source: 'E9', errorMessage: '', moves: null } as const
    if (status !== null) world.commit({ evidence: [{ ...leg, status, requestedAt: now }] })
    const counts: number[] = []
    for (const ms of [0, 160_000, 20_000]) {
      await clock.advance(ms)
      await lookAgain({ ...world, listings: openListings(world) }, noSignal)
      counts.push(summarizeTold(db).length)
    }
    return counts
  }
  expect(await told('success')).toEqual([1, 1, 1])
  expect(await told(null)).toEqual([0, 0, 1])
  expect(await told('absent')).toEqual([0, 0, 0])
})

test('a credit without a record is looked for once the list has shown something newer, or stood still for a quarter of an hour', async () => {
  const world = setUp([], { start: 100_000_000 })
  const { clock, db, ledger } = world
  const start = clock.now()
  const listings = openListings(world)
  const control = toRecord({
    zoneHash: hash('known'),
    requestedAt: start,
    zoneTime: start - 1,
    mainTime: start - 1,
  })
  world.commit({ answers: [[control]] })
  const credit = toPending({
    direction: 'MainToZone',
    source: 'chain',
    mainHash: null,
    zoneHash: hash('credit'),
    zoneTime: start,
  })
  saveLack(db, toLack(credit, 'action', start))
  const shown = () => ledger.listTransfers({ hash: hash('credit'), limit: 1 }).length
  const details: typeof world.reads.details = async () => ({
    requestedAt: clock.now(),
    records: [control],
    bad: [],
  })
  const looking = { ...world, reads: { ...world.reads, details }, listings }
  const until = async (ms: number) => {
    while (clock.now() < start + ms) {
      await lookAgain(looking, noSignal)
      await clock.advance(10_000)
    }
    return shown()
  }
  expect([await until(890_000), await until(1_000_000)]).toEqual([0, 1])
})
