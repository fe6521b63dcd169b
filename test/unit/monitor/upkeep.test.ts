import { expect, test } from 'vitest'
import { createMisreadTeller, createUpkeep } from '../../../src/monitor/watching.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { listWaiting, saveOpenLessons } from '../../../src/ledger/lessons/openLessons.ts'
import { listFound } from '../../../src/report/queries.ts'
import { createAlertStore } from '../../../src/alerts/store/alertStore.ts'
import { listChanges, recordChange } from '../../../src/store/auditLog.ts'
import { recordHead } from '../../../src/kernel/heads/heads.ts'
import { saveMeta } from '../../../src/store/meta.ts'
import { noteMisread, takeMisread } from '../../../src/store/misread.ts'
import { int } from '../../../src/store/table.ts'
import { hash, toPending, toRecord } from '../../support/records.ts'
import { createBench, createCondition, createRule } from '../alerts/harness.ts'
import { setUp } from '../checks/support.ts'

const day = 86_400_000

function setUpUpkeep(transfersMs = 2 * day) {
  const parts = setUp()
  const alerts = createAlertStore(parts.db)
  const retention = { transfersMs, preconfMs: 2 * day, auditMs: 2 * day }
  return { ...parts, upkeep: createUpkeep({ ...parts, alerts, config: { retention } }, []) }
}

test('ended transfers are forgotten once they are older than they are kept; open ones never', async () => {
  const { clock, ledger, commit, upkeep } = setUpUpkeep()
  const at = (time: number) => ({ zoneTime: time, mainTime: time, requestedAt: clock.now() })
  const now = clock.now()
  commit({
    answers: [
      [
        toRecord({ id: 'old', ...at(now) }),
        toPending({ id: 'open', zoneHash: hash('open'), ...at(now) }),
        toRecord({ id: 'young', zoneHash: hash('young'), ...at(now) }),
      ],
    ],
  })
  await clock.advance(2 * day)
  await upkeep()
  expect(ledger.listTransfers({})).toHaveLength(3)
  await clock.advance(1)
  await upkeep()
  expect(ledger.listTransfers({}).map(({ id }) => id)).toEqual(['open'])
  expect(ledger.countByState()).toEqual({ pending: 1, completed: 0, failed: 0, unbacked: 0 })
})

test('a transfer that the list goes on showing is not forgotten, nor what was told of it: a quiet list shows its oldest', async () => {
  const { clock, ledger, commit, upkeep } = setUpUpkeep()
  const shown = toRecord({ id: 'old', zoneTime: clock.now(), mainTime: clock.now() })
  const show = () => commit({ answers: [[{ ...shown, requestedAt: clock.now() }]] })
  show()
  const keys = () => ledger.listTransfers({}).map(({ key }) => key)
  const known = keys()
  for (let hours = 0; hours < 72; hours += 1) {
    await clock.advance(day / 24)
    await upkeep()
    show()
  }
  expect(keys()).toEqual(known)
  await clock.advance(day + 1)
  await upkeep()
  expect(keys()).toEqual([])
})

test('a payout of just now is not forgotten, however long ago its origin was', async () => {
  const { clock, ledger, commit, upkeep } = setUpUpkeep()
  const now = clock.now()
  commit({ answers: [[toRecord({ zoneTime: now - 3 * day, mainTime: now, requestedAt: now })]] })
  await clock.advance(2 * day)
  await upkeep()
  expect(ledger.listTransfers({})).toHaveLength(1)
  await clock.advance(1)
  await upkeep()
  expect(ledger.listTransfers({})).toHaveLength(0)
})

test('where a few transfers come in a month, one waits as long for what others teach as it is kept', async () => {
  const { clock, db, upkeep } = setUpUpkeep(400 * day)
  const lesson = { about: 'amount', direction: 'ZoneToMain', isOfBatches: false, of: '' } as const
  saveOpenLessons(db, { key: 't1', isWaiting: false }, [lesson], clock.now())
  await clock.advance(399 * day)
  await upkeep()
  expect(listWaiting(db, ['t1'])).toEqual(new Set(['t1']))
  await clock.advance(2 * day)
  await upkeep()
  expect(listWaiting(db, ['t1'])).toEqual(new Set())
})

test('F67: answers are as old as the newest, where their numbers go on from a clock that was a year ahead', async () => {
  const { clock, db, ledger, commit, upkeep } = setUpUpkeep()
  const now = clock.now()
  const year = 365 * day
  commit({ answers: [[toRecord({ zoneTime: now, mainTime: now, requestedAt: now + year })]] })
  await clock.advance(2 * day + 1)
  saveMeta(db, 'request_number', String(clock.now() + year))
  await upkeep()
  expect(ledger.listTransfers({})).toHaveLength(0)
})

test('F67: a clock that was set years ahead makes the ledger forget nothing', async () => {
  const { clock, db, ledger, commit, upkeep } = setUpUpkeep()
  const at = { zoneTime: clock.now(), mainTime: clock.now(), requestedAt: clock.now() }
  commit({ answers: [[toRecord({ id: 'old', ...at })]] })
  recordHead(db, 'zone', { height: 1, blockTime: clock.now(), at: clock.now() })
  await clock.advance(3_650 * day)
  await upkeep()
  expect(ledger.listTransfers({})).toHaveLength(1)
})

test('the audit log is forgotten by a retention of its own, some at a time', async () => {
  const { clock, db, upkeep } = setUpUpkeep()
  const change = { what: 'ended', about: 'silence', aboutId: '1', detail: '' } as const
  const actor = { by: 'ana', from: { via: 'cli', address: null, role: null, session: null } } as const
  db.transaction(() => {
    for (let n = 0; n < 300; n += 1) recordChange(db, actor, change, clock.now())
  })
  await clock.advance(2 * day)
  await upkeep()
  expect(listChanges(db, { limit: 999 })).toHaveLength(300)
  await clock.advance(1)
  await upkeep()
  expect(listChanges(db, { limit: 999 })).toHaveLength(100)
})

test('what ended on the first of a month is there for its report, and not for ever', async () => {
  const bench = createBench()
  const { clock, database: db, engine, store: alerts } = bench
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  const retention = { transfersMs: 400 * day, preconfMs: day, auditMs: 400 * day }
  const upkeep = createUpkeep({ clock, db, ledger, alerts, config: { retention } }, [])
  const rule = createRule({ name: 'zone', kind: 'chain.stalled' })
  const from = clock.now()
  const dispatcher = bench.startSending()
  const judge = async (...findings: Finding[]) => {
    engine.applyCondition(rule, { findings, unknown: [] }, clock.now())
    engine.flush(clock.now())
    dispatcher.wake()
    await clock.advance(day / 4)
  }
  await judge(createCondition('zone'))
  await judge()
  await judge()
  engine.flush(clock.now())
  dispatcher.wake()
  const found = () => listFound(db, { from: from - day, until: from + 31 * day }).length
  await clock.leap(32 * day)
  await upkeep()
  expect(found()).toBe(1)
  await clock.leap(3 * day)
  await upkeep()
  expect(found()).toBe(0)
  const stopped = dispatcher.stop()
  await clock.advance(day / 4)
  await stopped
})

test('a row that cannot be read keeps what it is among, and all else is forgotten', async () => {
  const parts = setUp()
  const { clock, db, ledger, commit } = parts
  const unreadable = { prune: () => void int.get(db, "SELECT 'x' FROM heads") }
  let pruned = 0
  const others = [unreadable, { prune: () => void (pruned += 1) }]
  const retention = { transfersMs: 2 * day, preconfMs: 2 * day, auditMs: 2 * day }
  const upkeep = createUpkeep({ ...parts, alerts: createAlertStore(db), config: { retention } }, others)
  const at = { zoneTime: clock.now(), mainTime: clock.now(), requestedAt: clock.now() }
  commit({ answers: [[toRecord({ id: 'old', ...at })]] })
  recordHead(db, 'zone', { height: 1, blockTime: clock.now() + 2 * day, at: clock.now() })
  await clock.advance(2 * day + 1)
  await upkeep()
  expect([ledger.listTransfers({}).length, pruned]).toEqual([0, 1])
  expect(takeMisread(db)).toHaveLength(1)
})

test('rows that cannot be read are told at once, and those that show later once an hour', async () => {
  const { clock, db, log, state, ...parts } = setUp()
  const told: number[] = []
  const engine = { ...parts.engine, tellEvents: () => void told.push(clock.now()) }
  const tell = createMisreadTeller({ clock, db, log, state, live: parts.live, engine })
  const begin = clock.now()
  for (let minutes = 0; minutes < 150; minutes += 1) {
    if (minutes < 100) noteMisread(db, `transfer t${minutes}`)
    tell()
    await clock.advance(60_000)
  }
  expect(told.map((at) => (at - begin) / 60_000)).toEqual([0, 60, 120])
})
