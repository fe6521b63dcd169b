import { expect, test } from 'vitest'
import { createOpenTransfersPoll } from '../../../../src/checks/transfers/pollOpen.ts'
import { formatDecimal, noAmount } from '../../../../src/bridge/decimal.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import { hash, toPending, toRecord } from '../../../support/records.ts'
import { noSignal, setUp, stumbleOver } from '../support.ts'

const pendings = (count: number) =>
  Array.from({ length: count }, (_, n) => toPending({ id: `p${n}`, zoneHash: hash(`z${n}`) }))

test('open transfers are read in twenties and complete once their far leg is there (semantics 25)', async () => {
  const world = setUp(pendings(45))
  world.commit({ answers: [world.feed.rows] })
  await world.clock.advance(10_000)
  world.feed.rows = world.feed.rows.map((row, n) => toRecord({ ...row, mainHash: hash(`m${n}`) }))
  const sizes: number[] = []
  const asked = { ...world.reads }
  world.reads.details = (hashes, options) => {
    sizes.push(hashes.length)
    return asked.details(hashes, options)
  }
  await createOpenTransfersPoll(world)(noSignal)
  expect(sizes).toEqual([20, 20, 5])
  expect(world.ledger.countByState()).toMatchObject({ completed: 45, pending: 0 })
})

test('a hash that E12 does not know stays open and is asked again later', async () => {
  const world = setUp(pendings(1))
  world.commit({ answers: [world.feed.rows] })
  await world.clock.advance(10_000)
  world.feed.rows = []
  await createOpenTransfersPoll(world)(noSignal)
  expect(world.ledger.countByState()).toMatchObject({ pending: 1 })
  expect(world.ledger.listDueChecks(world.clock.now(), { byZone: 9, alone: 9 })).toEqual([])
  expect(world.ledger.listDueChecks(world.clock.now() + 10_000, { byZone: 9, alone: 9 })).toHaveLength(1)
})

test('semantics.md 38: what may be in a row that could not be read was not looked for, what the others lack was', async () => {
  const world = setUp(pendings(2))
  world.commit({ answers: [world.feed.rows] })
  await world.clock.advance(10_000)
  const requestedAt = world.clock.now()
  const bad = [{ endpoint: 'E12', problem: 'valueRaw: -5', raw: `{"zoneTxHash":"${hash('z0')}"}` }]
  world.reads.details = () => Promise.resolve({ requestedAt, records: [], bad })
  await createOpenTransfersPoll(world)(noSignal)
  const soughtAt = (name: string) => world.ledger.listTransfers({ hash: hash(name) })[0]?.soughtAt
  expect([soughtAt('z0'), soughtAt('z1')]).toEqual([undefined, requestedAt])
})

test.each([
  { title: 'where it holds another that is known', isShown: true },
  { title: 'not where it holds nothing at all', isShown: false },
])('what an answer lacks was looked for, $title (semantics 8)', async ({ isShown }) => {
  const control = toRecord({ id: 'known', zoneHash: hash('known'), mainHash: hash('known main') })
  const world = setUp([...pendings(1), control])
  world.commit({ answers: [world.feed.rows] })
  await world.clock.advance(10_000)
  const asked: string[][] = []
  world.reads.details = async (hashes) => {
    asked.push([...hashes])
    const requestedAt = world.clock.now()
    const known = { ...control, source: 'E12', requestedAt } as const
    return { requestedAt, records: isShown && hashes.length > 1 ? [known] : [], bad: [] }
  }
  const poll = createOpenTransfersPoll(world)
  const soughtAt = () => world.ledger.listTransfers({ hash: hash('z0') })[0]?.soughtAt
  await poll(noSignal)
  expect(soughtAt()).toBeUndefined()
  await world.clock.advance(10_000)
  const secondAt = world.clock.now()
  await poll(noSignal)
  expect(asked).toEqual([[hash('z0')], [hash('z0'), hash('known')]])
  expect(soughtAt()).toBe(isShown ? secondAt : undefined)
})

test('a batch that cannot be asked for waits behind the others', async () => {
  const world = setUp(pendings(1))
  world.commit({ answers: [world.feed.rows] })
  await world.clock.advance(10_000)
  world.reads.details = () => Promise.reject(new Error('503'))
  await expect(createOpenTransfersPoll(world)(noSignal)).rejects.toThrow('503')
  expect(world.ledger.listDueChecks(world.clock.now(), { byZone: 9, alone: 9 })).toEqual([])
})

test('a hash that E12 stumbles over takes none of the others along', async () => {
  const world = setUp(pendings(45))
  world.commit({ answers: [world.feed.rows] })
  await world.clock.advance(10_000)
  world.feed.rows = world.feed.rows.map((row, n) => toRecord({ ...row, mainHash: hash(`m${n}`) }))
  stumbleOver(world, new Set([hash('z3'), hash('z17'), hash('z30')]))
  await expect(createOpenTransfersPoll(world)(noSignal)).rejects.toThrow('HTTP 500')
  expect(world.ledger.countByState()).toMatchObject({ completed: 42, pending: 3 })
  expect(world.ledger.listDueChecks(world.clock.now(), { byZone: 9, alone: 9 })).toEqual([])
})

test('E12 that fails whatever it is asked is asked five times in a run, not of each', async () => {
  const world = setUp(pendings(100))
  world.commit({ answers: [world.feed.rows] })
  await world.clock.advance(10_000)
  const asked = stumbleOver(world, new Set(pendings(100).map(({ zoneHash }) => zoneHash ?? '')))
  await expect(createOpenTransfersPoll(world)(noSignal)).rejects.toThrow('HTTP 500')
  expect(asked()).toBe(5)
})

test('E9 or E12 that fails holds up neither the other nor what is asked for by its main hash', async () => {
  const failing = ['details', 'zoneTransactions'] as const
  for (const name of failing) {
    const deposit = toPending({ id: 'd', direction: 'MainToZone', mainHash: hash('d') })
    const failed = toRecord({ id: 'f', zoneHash: hash('f'), status: 'failed' })
    const world = setUp([...pendings(1), deposit, failed])
    world.commit({ answers: [world.feed.rows] })
    await world.clock.advance(10_000)
    const asked = new Set<string>()
    const reads = { ...world.reads }
    const fail = () =>
      Promise.reject(new MonitorError('source.unreachable', `${name} failed`, { details: { status: 503 } }))
    world.reads.details = (...of) => (
      asked.add('details'), name === 'details' ? fail() : reads.details(...of)
    )
    world.reads.zoneTransactions = (...of) => (
      asked.add('zoneTransactions'), name === 'zoneTransactions' ? fail() : reads.zoneTransactions(...of)
    )
    const lookUp: typeof world.lookUp = async (wanted) => {
      asked.add(wanted.hash)
      return { requestedAt: world.clock.now(), records: [], bad: [], isAnswer: true, isHidden: false }
    }
    await expect(createOpenTransfersPoll({ ...world, lookUp })(noSignal)).rejects.toThrow(`${name} failed`)
    expect([...asked].sort()).toEqual([hash('d'), 'details', 'zoneTransactions'].sort())
  }
})

/** Deposits on their way, none of which is found where they are asked for one by one. */
async function onTheirWay(count: number) {
  const rows = Array.from({ length: count }, (_, n) =>
    toPending({
      id: `d${n}`,
      direction: 'MainToZone',
      mainHash: hash(`d${n}`),
      amountRaw: BigInt(n + 1) * 1_000_000n,
      value: String(n + 1),
    }),
  )
  const world = setUp(rows)
  world.commit({ answers: [world.feed.rows] })
  await world.clock.advance(10_000)
  const asked: string[] = []
  const lookUp: typeof world.lookUp = async (wanted) => {
    asked.push(wanted.hash)
    return { requestedAt: world.clock.now(), records: [], bad: [], isAnswer: true, isHidden: false }
  }
  const poll = createOpenTransfersPoll({ ...world, lookUp })
  return { ...world, asked, run: () => poll(noSignal) }
}

test('deposits that are still open take turns', async () => {
  const world = await onTheirWay(10)
  await world.run()
  await world.clock.advance(10_000)
  await world.run()
  expect(new Set(world.asked).size).toBe(10)
})

test('deposits are asked for one by one at most five in ten seconds, however often the poll runs', async () => {
  const world = await onTheirWay(30)
  for (let run = 0; run < 4; run += 1) await world.run()
  expect(world.asked).toHaveLength(5)
  await world.clock.advance(9_999)
  await world.run()
  expect(world.asked).toHaveLength(5)
  await world.clock.advance(1)
  await world.run()
  expect(world.asked).toHaveLength(10)
})

test('deposits of most value come first, and each tenth turn is of the one due longest, however many there are', async () => {
  const world = await onTheirWay(100)
  world.stakes.follow({
    reserveOf: () => null,
    riskOf: (_, amount) => Number(formatDecimal(amount)),
    netOf: () => null,
    lockedOf: () => noAmount,
  })
  for (let round = 0; round < 40; round += 1) {
    await world.run()
    await world.clock.advance(10_000)
  }
  expect(world.asked.slice(0, 5)).toEqual([99, 98, 97, 96, 95].map((n) => hash(`d${n}`)))
  // Each is asked for again and again: some twenty of most value fill all other turns.
  expect(world.asked).toContain(hash('d19'))
})

test('thousands of deposits that can be asked for one by one alone hold up no withdrawal', async () => {
  const world = await onTheirWay(2_500)
  const [withdrawal] = pendings(1)
  world.feed.rows = withdrawal ? [withdrawal] : []
  world.commit({ answers: [world.feed.rows] })
  await world.clock.advance(10_000)
  world.feed.rows = world.feed.rows.map((row) => toRecord({ ...row, mainHash: hash('paid') }))
  await world.run()
  expect(world.ledger.countByState()).toMatchObject({ completed: 1, pending: 2_500 })
})

test('what was worth nothing before the escrows were read is ordered by its value once they were', async () => {
  const world = await onTheirWay(100)
  await world.run()
  world.stakes.follow({
    reserveOf: () => null,
    riskOf: (_, amount) => Number(formatDecimal(amount)),
    netOf: () => null,
    lockedOf: () => noAmount,
  })
  world.asked.length = 0
  await world.clock.advance(10_000)
  await world.run()
  expect(world.asked).toContain(hash('d99'))
})

test('records without any hash, which nobody can be asked about, take no turns from deposits', async () => {
  const world = await onTheirWay(100)
  world.commit({
    answers: [
      Array.from({ length: 200 }, (_, n) => toPending({ id: `n${n}`, zoneHash: null, zoneTime: null })),
    ],
  })
  for (let round = 0; round < 40; round += 1) {
    await world.clock.advance(10_000)
    await world.run()
  }
  expect(world.asked).toHaveLength(200)
})

test('behind thousands of others that were due before, the one of most value is asked for at once', async () => {
  const world = await onTheirWay(2_500)
  world.stakes.follow({
    reserveOf: () => null,
    riskOf: (_, amount) => Number(formatDecimal(amount)),
    netOf: () => null,
    lockedOf: () => noAmount,
  })
  world.commit({
    answers: [
      [
        toPending({
          id: 'large',
          direction: 'MainToZone',
          mainHash: hash('large'),
          amountRaw: 9_000_000_000n,
          value: '9000',
        }),
      ],
    ],
  })
  await world.clock.advance(20_000)
  await world.run()
  expect(world.asked).toContain(hash('large'))
})

test('a deposit known by its main hash alone is read through the list', async () => {
  const deposit = toPending({ id: 'd', direction: 'MainToZone' })
  const world = setUp([deposit])
  world.commit({ answers: [world.feed.rows] })
  await world.clock.advance(10_000)
  world.feed.rows = [toRecord({ ...deposit, zoneHash: hash('credited') })]
  await createOpenTransfersPoll(world)(noSignal)
  expect(world.ledger.countByState()).toMatchObject({ completed: 1, pending: 0 })
})
