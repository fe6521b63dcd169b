import { expect, test } from 'vitest'
import { toZoneAction } from '../../../../src/checks/audit/zoneAction.ts'
import { transferUnbacked } from '../../../../src/checks/transfers/unbacked.ts'
import { eventContext } from '../../rules/transfers.ts'
import { createZoneAuditPoll } from '../../../../src/checks/audit/pollZone.ts'
import { listDueLacks } from '../../../../src/checks/audit/store.ts'
import { readZoneShare } from '../../../../src/checks/audit/zoneStore.ts'
import type { ZoneBlock } from '../../../../src/clients/explorer/endpoints/blocks.ts'
import { kindsName } from '../../../../src/meaning/doubtOrigin.ts'
import { countAction } from '../../../../src/ledger/lessons/zoneActions.ts'
import { recordHead } from '../../../../src/kernel/heads/heads.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { createTestKernel, noSignal } from '../support.ts'

const start = 1_800_000_000_000
const settle = 60_000
const pageSize = 100

/** A zone of so many blocks a second, a fifth of them empty; each of the others holds one withdrawal. */
function setUp(perSecond = 10) {
  const spacing = 1_000 / perSecond
  const world = createTestKernel({ start })
  const { clock, db } = world
  const asked: { readonly height: number; readonly ageMs: number }[] = []
  const headNow = () => Math.floor((clock.now() - start) / spacing) + 10_000
  const timeOf = (height: number) => start + (height - 10_000) * spacing
  const blockAt = (height: number): ZoneBlock => ({
    requestedAt: clock.now(),
    height,
    hash: null,
    time: timeOf(height),
    miner: '',
    transactionCount: height % 5 === 0 ? 0 : 1,
  })
  const actionAt = (height: number) => ({
    requestedAt: clock.now(),
    hash: hash(`w${height}`),
    height,
    blockHash: null,
    time: timeOf(height),
    status: 'success' as const,
    from: '0xaa',
    actionType: 'withdraw',
    index: 0,
    value: '1',
    amountRaw: 1n,
  })
  const whole = { bad: [], complete: true, contradicted: false, empty: false }
  const reads = {
    zoneBlockPage: (page: number) => {
      const newest = headNow() - (page - 1) * pageSize
      const records = Array.from({ length: pageSize }, (_, at) => blockAt(newest - at))
      return Promise.resolve({ ...whole, requestedAt: clock.now(), records, limit: pageSize })
    },
    zoneBlock: (height: number) => {
      asked.push({ height, ageMs: clock.now() - timeOf(height) })
      return Promise.resolve({ ...whole, requestedAt: clock.now(), records: [actionAt(height)] })
    },
  }
  /** How many withdrawals had each kind of action. */
  const taught = new Map<string, number>()
  const credits = new Map<string, number>()
  const kinds = new Map([
    [kindsName('ZoneToMain'), taught],
    [kindsName('MainToZone'), credits],
  ])
  const learned = { actionsOf: (name: string) => kinds.get(name) ?? new Map() }
  const shown: { list: number | null } = { list: Infinity }
  const horizons = { read: () => shown }
  const ways = { reads: reads as never, learned: learned as never, horizons: horizons as never }
  const zone = { ...world, ...ways, settleMs: () => settle, tellSince: 0, isWhole: false }
  const poll = createZoneAuditPoll(zone)
  return {
    world,
    asked,
    taught,
    credits,
    shown,
    run: async (times: number) => {
      for (let count = 0; count < times; count += 1) {
        recordHead(db, 'zone', { height: headNow(), blockTime: clock.now(), at: clock.now() })
        await poll(noSignal)
        await clock.advance(30_000)
      }
    },
  }
}

test.each([1, 10, 20])(
  'semantics.md 21: of %d blocks a second those that hold something are looked into once, when records have had their time',
  async (perSecond) => {
    const { asked, run } = setUp(perSecond)
    await run(10)
    const heights = asked.map(({ height }) => height)
    expect(heights.length).toBeGreaterThan(50)
    expect(new Set(heights).size).toBe(heights.length)
    expect(heights.filter((height) => height % 5 === 0)).toEqual([])
    expect(Math.min(...asked.map(({ ageMs }) => ageMs))).toBeGreaterThanOrEqual(settle)
  },
)

test('the share of blocks that were looked into counts the empty ones, which need no reading', async () => {
  const { run, world } = setUp()
  await run(10)
  const share = readZoneShare(world.db, start - 3_600_000, start + 3_600_000)
  expect(share).toBeGreaterThan(0.2)
  expect(share).toBeLessThan(0.5)
})

test('an action that is known to be a withdrawal and has no record is looked for, whatever others there are', async () => {
  const { asked, run, taught, world } = setUp()
  const isHidden = (height: number) => height % 50 === 1
  for (let height = 9_000; height < 10_700; height += 1) {
    const legs = { zoneHash: hash(`w${height}`), mainHash: hash(`m${height}`), zoneHeight: height }
    if (!isHidden(height)) world.ledger.recordAnswer([toRecord({ ...legs, id: `${height}` })], start)
  }
  taught.set('withdraw', 3)
  await run(5)
  const lacks = listDueLacks(world.db, world.clock.now(), 9_999).map(({ zoneHash }) => zoneHash)
  const hidden = asked.map(({ height }) => height).filter(isHidden)
  expect(hidden.length).toBeGreaterThan(0)
  expect(new Set(lacks)).toEqual(new Set(hidden.map((height) => hash(`w${height}`))))
})

test.each([
  { deposits: 20, matched: 10_000, isFound: true },
  { deposits: 19, matched: 10_000, isFound: false },
  { deposits: 20, matched: 20, isFound: false },
  { deposits: 20, matched: 10_000, list: null, isFound: false },
])('a credit without a deposit is looked for: %o', async ({ deposits, matched, list, isFound }) => {
  const { asked, run, credits, shown, world } = setUp()
  if (list === null) shown.list = null
  const isHidden = (height: number) => height % 50 === 1
  for (let height = 9_000; height < 10_700; height += 1) {
    const legs = { zoneHash: hash(`w${height}`), mainHash: hash(`m${height}`), zoneHeight: height }
    if (!isHidden(height))
      world.ledger.recordAnswer([toRecord({ ...legs, direction: 'MainToZone', id: `${height}` })], start)
  }
  credits.set('withdraw', deposits)
  countAction(world.db, 'credit withdraw', { matched })
  await run(5)
  const lacks = listDueLacks(world.db, world.clock.now(), 9_999)
  const hidden = asked.map(({ height }) => height).filter(isHidden)
  expect(hidden.length).toBeGreaterThan(0)
  expect(new Set(lacks.map(({ zoneHash }) => zoneHash))).toEqual(
    new Set(isFound ? hidden.map((height) => hash(`w${height}`)) : []),
  )
  expect(lacks.every(({ observation }) => observation?.direction === 'MainToZone')).toBe(true)
})

test('a credit that no record tells of is unbacked', () => {
  const world = createTestKernel({ start })
  const credit = toZoneAction(
    {
      requestedAt: start,
      zoneHash: hash('credit'),
      zoneHeight: 10_000,
      zoneTime: start - settle,
      zoneBlockHash: null,
      sourceAddress: '0xaa',
      value: '400000',
      amountRaw: null,
    },
    'MainToZone',
  )
  world.commit({ answers: [[credit]] })
  const [transfer] = world.ledger.listTransfers({ hash: hash('credit'), limit: 1 })
  expect(transfer).toMatchObject({ state: 'unbacked', direction: 'MainToZone', isListed: false })
  const found = transfer && transferUnbacked.detect(transfer, {}, eventContext({ now: start }))
  expect(found?.facts).toMatchObject({ reason: 'unlisted', asked: 'E12' })
})
