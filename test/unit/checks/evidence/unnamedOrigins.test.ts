import { expect, test } from 'vitest'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { lookForOrigins } from '../../../../src/checks/evidence/unnamedOrigins.ts'
import { recordHead } from '../../../../src/kernel/heads/heads.ts'
import type { QuarantinedRecord } from '../../../../src/kernel/reads/quarantine.ts'
import type { Commit } from '../../../../src/kernel/reads/reads.ts'
import type { EvidenceReading } from '../../../../src/ledger/evidence/evidence.ts'
import { listQueued } from '../../../../src/ledger/evidence/evidenceQueue.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { putQueued, queuedLeg } from '../queuedLegs.ts'
import { createTestKernel, noSignal } from '../support.ts'

const paid = hash('paid')
const waiting = queuedLeg({ ask: 'record', hash: paid, addedAt: 1_000_000, height: 7, time: 1_000_000 })
const payout = toRecord({
  zoneHash: null,
  zoneHeight: null,
  zoneTime: null,
  mainHash: paid,
  mainTime: 1_000_000,
})

type Lookup = (addresses: readonly string[]) => {
  found: Observation[]
  isAnswer: boolean
  requestedAt: number
  bad?: QuarantinedRecord[]
}

/** The look at a payout that names no origin, which the ledger has from a record that was read, or from its chain. */
function open(
  start: number,
  source: 'E3' | 'chain',
  lookUp: Lookup,
  { headTime = 1_065_000, listReadAt = 1_069_000, isHidden = false, clockAheadMs = 0, leg = waiting } = {},
) {
  const opened = createTestKernel({ start, isManual: true })
  const health = () => ({ ...opened.explorer.health(), clockAheadMs })
  const world = { ...opened, explorer: { ...opened.explorer, health } }
  const { clock, db, ledger, list } = world
  world.reads.details = () => Promise.reject(new MonitorError('source.refused', 'E12 stumbles'))
  ledger.recordAnswer([{ ...payout, source, requestedAt: start }], start)
  putQueued(db, leg)
  for (const chain of ['main', 'zone'] as const)
    recordHead(db, chain, { height: 100, blockTime: headTime, at: 1_069_000 })
  list.readAt = listReadAt
  const judged: string[] = []
  const said: EvidenceReading[] = []
  const commit: Commit = (findings) => {
    judged.push(...(findings.judge ?? []))
    said.push(...(findings.evidence ?? []))
    return world.commit(findings)
  }
  const look = () =>
    lookForOrigins(
      {
        ...world,
        commit,
        lookUp: ({ addresses }) => {
          const { found: records, bad = [], ...answer } = lookUp(addresses)
          return Promise.resolve({ ...answer, records, bad, isHidden })
        },
      },
      noSignal,
    )
  const isDropped = () => listQueued(db, 'record', false, Number.MAX_SAFE_INTEGER, 9).length === 0
  return {
    clock,
    commit: world.commit,
    db,
    list,
    judged,
    said,
    look,
    isDropped,
    transfer: () => ledger.listTransfers({ hash: paid })[0],
  }
}

/** What is judged of a payout whose record names no origin, a minute and more after it; and which addresses were asked. */
async function judgedOf(found: 'it' | 'nothing', readAt: number, clockAheadMs = 0) {
  const asked: (readonly string[])[] = []
  const answer = (addresses: readonly string[]) => {
    asked.push(addresses)
    return { requestedAt: 1_070_000, found: found === 'it' ? [payout] : [], isAnswer: false }
  }
  const { clock, judged, look, isDropped, transfer } = open(readAt, 'E3', answer, { clockAheadMs })
  await clock.advance(1_070_000 - readAt)
  await look()
  return { judged, dropped: isDropped(), asked, key: transfer()?.key }
}

test('a record without an origin is looked for by its addresses too, and judged as it is found', async () => {
  const { judged, dropped, asked, key } = await judgedOf('it', 1_005_000)
  expect([judged, dropped]).toEqual([[key], true])
  expect(asked).toEqual([[payout.targetAddress, payout.sourceAddress]])
})

test('where no filter works it is judged as the list showed it once its time was over', async () => {
  const { judged, dropped, key } = await judgedOf('nothing', 1_060_000)
  expect([judged, dropped]).toEqual([[key], true])
  expect(await judgedOf('nothing', 1_059_999)).toMatchObject({ judged: [], dropped: false })
})

test('semantics.md 42: where the clock of the service is ahead it is no sooner given up than it can be judged', async () => {
  expect(await judgedOf('nothing', 1_059_999, 300)).toMatchObject({ judged: [], dropped: false })
  expect(await judgedOf('nothing', 1_060_000, 300)).toMatchObject({ dropped: true })
})

test('semantics.md 42: a payout without a record is told where requests are numbered on from a day ahead', async () => {
  const day = 86_400_000
  const { clock, said, look, isDropped, transfer } = open(1_100_000, 'chain', () => ({
    requestedAt: day * 30,
    found: [],
    isAnswer: true,
  }))
  expect(transfer()).toMatchObject({ isListed: false })
  for (let turn = 0; turn < 3; turn += 1) {
    await look()
    await clock.advance(15_000)
  }
  expect(said).toMatchObject([{ status: 'absent', reads: 3, requestedAt: day * 30 }])
  expect(transfer()?.evidence).toMatchObject([{ source: 'E3', status: 'absent', at: day * 30 }])
  expect(isDropped()).toBe(true)
})

test('semantics.md 9, 42: records have the time that they take by the clock of the service', async () => {
  const ourAheadMs = 20_000
  const leg = { ...waiting, addedAt: waiting.time + ourAheadMs + 5_000 }
  const answer = () => ({ requestedAt: clock.now(), found: [], isAnswer: true })
  const { clock, said, look } = open(leg.addedAt, 'chain', answer, { clockAheadMs: -ourAheadMs, leg })
  for (let turn = 0; turn < 4; turn += 1) {
    await clock.advance(15_000)
    if (clock.now() < leg.time + ourAheadMs + 60_000) await look()
  }
  expect(said).toEqual([])
  await look()
  expect(said).toMatchObject([{ status: 'absent' }])
})

test('semantics.md 41: what was asked before the chains were seen to have passed a payout does not prove that it has no record', async () => {
  let asked = 0
  const { clock, db, list, said, look } = open(
    1_045_000,
    'chain',
    () => {
      asked += 1
      // Both stood still, the list with them, and go on while the third answer is under way.
      if (asked === 3)
        for (const chain of ['main', 'zone'] as const)
          recordHead(db, chain, { height: 200, blockTime: 1_075_000, at: clock.now() })
      return { requestedAt: clock.now(), found: [], isAnswer: true }
    },
    { headTime: 990_000 },
  )
  for (let turn = 0; turn < 3; turn += 1) {
    await look()
    await clock.advance(15_000)
  }
  expect([asked, said]).toEqual([3, []])
  // What the chains show since they go on is listed in the time that records take.
  await look()
  expect([asked, said]).toEqual([3, []])
  await clock.advance(60_000)
  list.readAt = clock.now()
  await look()
  expect(said).toMatchObject([{ status: 'absent', reads: 4 }])
})

test('semantics.md 41: of a list that is not read on nothing is concluded for three and a half minutes, and then it is', async () => {
  const answer = () => ({ requestedAt: clock.now(), found: [], isAnswer: true })
  const { clock, said, look, isDropped } = open(1_045_000, 'chain', answer, { listReadAt: 1_059_999 })
  while (clock.now() < 1_210_000) {
    await look()
    expect([clock.now(), said, isDropped()]).toEqual([clock.now(), [], false])
    await clock.advance(15_000)
  }
  await look()
  expect([said.map(({ status }) => status), isDropped()]).toEqual([['absent'], true])
})

test('semantics.md 41: as soon as it is read on, the readings that were counted meanwhile are enough', async () => {
  const answer = () => ({ requestedAt: clock.now(), found: [], isAnswer: true })
  const { clock, list, said, look } = open(1_015_000, 'chain', answer, { listReadAt: 1_014_000 })
  for (let turn = 0; turn < 3; turn += 1) {
    await look()
    await clock.advance(15_000)
  }
  list.readAt = clock.now()
  await look()
  expect(said).toMatchObject([{ status: 'absent', reads: 4 }])
})

test('semantics.md 41: a payout that waits for its own origin holds up none of its transaction, and is judged once it may be', async () => {
  const answer = () => ({ requestedAt: clock.now(), found: [], isAnswer: true })
  const { clock, commit, db, judged, said, look, isDropped } = open(1_100_000, 'chain', answer, {
    headTime: 990_000,
  })
  const claims = {
    source: 'chain',
    zoneHash: hash('claimed'),
    targetAddress: '0xc1',
    requestedAt: 1_100_000,
  } as const
  commit({ answers: [[{ ...payout, ...claims }]] })
  for (let turn = 0; turn < 4; turn += 1) {
    await look()
    await clock.advance(20_000)
  }
  expect([said[0]?.status, isDropped()]).toEqual(['absent', false])
  for (const chain of ['main', 'zone'] as const)
    recordHead(db, chain, { height: 200, blockTime: clock.now(), at: clock.now() })
  judged.length = 0
  for (let turn = 0; turn < 8 && !isDropped(); turn += 1) {
    await look()
    await clock.advance(20_000)
  }
  expect([judged.length > 1, isDropped()]).toEqual([true, true])
})

/** A withdrawal that the payout may be of: as much, to the same recipient, and not paid. */
const onItsWay = toRecord({
  ...payout,
  id: '',
  zoneHash: hash('on its way'),
  zoneHeight: 6,
  zoneTime: 990_000,
  mainHash: null,
  mainHeight: null,
  mainTime: null,
})

test('semantics.md 41: a listed payout that fits a withdrawal on its way is judged again once the list has passed it', async () => {
  const answer = () => ({ requestedAt: clock.now(), found: [payout], isAnswer: true })
  const { clock, commit, db, list, judged, look, isDropped, transfer } = open(1_061_000, 'E3', answer, {
    listReadAt: 1_050_000,
  })
  commit({ answers: [[onItsWay]] })
  await look()
  expect(isDropped()).toBe(false)
  for (const chain of ['main', 'zone'] as const)
    recordHead(db, chain, { height: 200, blockTime: 1_120_000, at: 1_120_000 })
  await clock.advance(60_000)
  list.readAt = clock.now()
  judged.length = 0
  await look()
  expect([judged.includes(transfer()?.key ?? ''), isDropped()]).toEqual([true, true])
})

test.each(['E3', 'chain'] as const)(
  'semantics.md 41: nobody is asked of a payout of %s that fits a withdrawal while the zone stands still, and then it is judged',
  async (source) => {
    let asked = 0
    const answer = () => {
      asked += 1
      return { requestedAt: clock.now(), found: source === 'E3' ? [payout] : [], isAnswer: true }
    }
    const { clock, commit, db, list, judged, look, isDropped } = open(1_061_000, source, answer, {
      headTime: 990_000,
    })
    commit({ answers: [[onItsWay]] })
    const pass = async (turns: number) => {
      for (let turn = 0; turn < turns && !isDropped(); turn += 1) {
        list.readAt = clock.now()
        await look()
        await clock.advance(5_000)
      }
    }
    await pass(60)
    expect([asked, isDropped()]).toEqual([0, false])
    for (const chain of ['main', 'zone'] as const)
      recordHead(db, chain, { height: 200, blockTime: clock.now(), at: clock.now() })
    await pass(60)
    expect([asked > 0, judged.length > 0, isDropped()]).toEqual([true, true, true])
  },
)

test.each([99, 100, 300])(
  'a payout without a record is found out beside %i later ones of its transaction that have theirs',
  async (honest) => {
    const records = Array.from({ length: honest }, (_, n) =>
      toRecord({
        id: `r${n}`,
        zoneHash: hash(`z${n}`),
        mainHash: paid,
        zoneTime: 1_050_000,
        targetAddress: `0xc${n}`,
      }),
    )
    const { commit, look, said, isDropped, clock } = open(1_000_000, 'chain', () => ({
      requestedAt: clock.now(),
      found: records,
      isAnswer: true,
    }))
    commit({ answers: [records] })
    await clock.advance(100_000)
    for (let turn = 0; turn < 3; turn += 1) {
      await look()
      await clock.advance(15_000)
    }
    expect([said.map(({ status }) => status), isDropped()]).toEqual([['absent'], true])
  },
)

test.each([
  ['beside a row of its transaction that cannot be read is not said to have no record', true, []],
  ['once all rows of its transaction can be read is said to have no record', false, ['absent']],
] as const)('a payout %s', async (_, isHidden, statuses) => {
  const of = { zoneHash: hash('z'), mainHash: paid, zoneTime: 1_050_000, targetAddress: '0xc1' }
  const record = toRecord({ id: 'r', ...of })
  const row = { endpoint: 'E3', problem: 'valueRaw: 1.5e30', raw: `{"mainTxHash":"${paid}"}` }
  const bad = isHidden ? [row] : []
  const { commit, look, said, clock } = open(1_000_000, 'chain', () => ({
    requestedAt: clock.now(),
    found: [record],
    bad,
    isAnswer: true,
  }))
  commit({ answers: [[record]] })
  await clock.advance(100_000)
  for (let turn = 0; turn < 4; turn += 1) {
    await look()
    await clock.advance(15_000)
  }
  expect(said.map(({ status }) => status)).toEqual(statuses)
})

test('one that the source stumbles over holds up none of the others', async () => {
  const { commit, db, judged, look } = open(1_060_000, 'E3', () => ({
    requestedAt: 1_070_000,
    found: [],
    isAnswer: false,
  }))
  // What is asked by its zone hash is answered with a failure, each time; it is due first.
  const credit = toRecord({
    direction: 'MainToZone',
    mainHash: null,
    zoneHash: hash('credit'),
    requestedAt: 1,
  })
  commit({ answers: [[credit]] })
  putQueued(db, queuedLeg({ ...waiting, hash: hash('credit'), dueAt: -1 }))
  await expect(look()).rejects.toThrow('stumbles')
  expect(judged).toHaveLength(1)
})

const often = { from: 1_015_000, until: 1_180_000 }

test.each([
  ['before records have had their time', { ...often, until: 1_059_999 }, {}, []],
  ['once they have', { ...often, until: 1_060_000 }, {}, ['absent']],
  ['while the heads have not come so far', { ...often, until: 1_089_999 }, { headTime: 999_999 }, []],
  ['once they lagged for too long', { ...often, until: 1_090_000 }, { headTime: 999_999 }, ['absent']],
  ['while a row may be its record', often, { isHidden: true }, []],
  [
    'where no filter works and the list was not read since',
    often,
    { isAnswer: false, listReadAt: 1_059_999 },
    [],
  ],
  ['where the list was read since', often, { isAnswer: false, listReadAt: 1_060_000 }, ['absent']],
] as const)(
  'semantics 9: a payout without a record is said to have none, or not: %s',
  async (_, times, how, statuses) => {
    const { isAnswer, ...rest } = { isAnswer: true, ...how }
    const nothing = () => ({ requestedAt: clock.now(), found: [], isAnswer })
    const { look, said, clock } = open(1_000_000, 'chain', nothing, rest)
    // Whole steps of what a reading rests, the last one at the end of the time.
    await clock.advance(times.from - 1_000_000 - ((times.from - times.until) % 15_000))
    for (; clock.now() <= times.until; await clock.advance(15_000)) await look()
    expect(said.map(({ status }) => status)).toEqual(statuses)
  },
)
