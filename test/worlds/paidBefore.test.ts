import { describe, expect, test } from 'vitest'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { bridge, createEscrowWorld, type EscrowWorld } from '../support/escrowWorld.ts'
import { send, type WireRecord } from '../support/fakeExplorer.ts'

// semantics.md 46: when a second payout claims an origin that history already paid, the first is verified then.

const second = 1_000
const day = 86_400_000
const rules = `
rules:
  - { name: duplicate, on: transfer.duplicate, severity: critical }
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: drift, on: escrow.drift, where: "facts.direction == 'out'", severity: critical }
`
const payoutTopic = `0x${'9a'.repeat(32)}`

type Bare = Parameters<NonNullable<Parameters<typeof createEscrowWorld>[0]['prepare']>>[0]

/** A withdrawal of three days ago, told by its record or by its payout's event. */
function payLongAgo(world: Bare, n: number): WireRecord {
  const at = world.now() - 3 * day
  const height = world.fake.mainHead() - 5_000
  const hash = world.transact({
    height,
    time: at,
    moves: [{ token, from: escrow, to: user(n), amount: String(100 + n) }],
  })
  return world.withdraw(n, {
    mainTxHash: hash,
    mainBlockHeight: String(height),
    mainBlockTime: String(at),
    zoneBlockTime: String(at - 60_000),
  })
}

/** The list's pages end before what is older than a day; by hash all of it is found. */
function keepOutOfThePages({ fake, now }: Pick<EscrowWorld, 'fake' | 'now'>): void {
  const before = fake.intercept
  fake.intercept = (request, response) => {
    const { path, query } = request
    if (!path.endsWith('/cross/transaction-list') || query.get('txid') !== null)
      return before(request, response)
    const since = now() - day
    const rows = fake.records.filter((one) => Number(one['mainBlockTime'] || one['zoneBlockTime']) >= since)
    const page = { page: '1', limit: '100', totalPage: '1', total: String(rows.length), data: rows }
    send(response, 200, { code: '0', msg: '', data: [page] })
    return true
  }
}

async function start(prepare: (world: Bare) => void): Promise<EscrowWorld> {
  const world = await createEscrowWorld({
    rules,
    prepare(bare) {
      keepOutOfThePages(bare)
      for (let n = 70; n < 74; n += 1) bare.withdraw(n)
      prepare(bare)
    },
  })
  await world.pass(60 * second)
  expect(world.told()).toEqual([])
  return world
}

/** One more payout of a withdrawal, with a record that names it. */
function payNow(world: EscrowWorld, first: WireRecord, record: WireRecord = {}): string {
  const { targetAddress = '', value = '' } = first
  const hash = world.transact({ moves: [{ token, from: escrow, to: targetAddress, amount: value }] })
  world.emit(hash, payoutTopic, [first['zoneTxHash'] ?? '', BigInt(first['valueRaw'] ?? 0)])
  world.fake.records.unshift({
    ...first,
    mainTxHash: hash,
    mainBlockHeight: String(world.fake.mainHead()),
    mainBlockTime: String(world.now()),
    ...record,
  })
  return hash
}

describe('a withdrawal that was paid long before the start and is paid again', () => {
  test.each([
    { title: 'under the id of the first', record: {} },
    { title: 'under no id', record: { id: '', zoneEventIndex: '5' } },
  ])('is a duplicate by the record of the first, $title (semantics 46)', async ({ record }) => {
    const old: WireRecord[] = []
    const world = await start((bare) => {
      const first = payLongAgo(bare, 1)
      Object.assign(first, { zoneEventIndex: '5' })
      old.push(first)
    })
    const [first = {}] = old
    const startedAt = world.now()
    payNow(world, first, record)
    await world.until(() => world.told('transfer.duplicate').length > 0, 'the second payout')
    expect(world.now() - startedAt).toBeLessThan(120 * second)
    expect(world.told('transfer.duplicate')[0]?.facts).toMatchObject({
      owed: '101',
      paid: '202',
      payouts: 2,
      otherHashes: first['mainTxHash'],
    })
  })

  test('is a duplicate by the event of the first, where one record names both in turn', async () => {
    const old: WireRecord[] = []
    const world = await start((bare) => {
      const first = payLongAgo(bare, 1)
      bare.emit(first['mainTxHash'] ?? '', payoutTopic, [first['zoneTxHash'] ?? '', 101_000_000n])
      old.push(first)
    })
    const [first = {}] = old
    world.fake.records = world.fake.records.filter((one) => one !== first)
    const startedAt = world.now()
    payNow(world, first)
    await world.until(() => world.told('transfer.duplicate').length > 0, 'the second payout')
    expect(world.now() - startedAt).toBeLessThan(120 * second)
    expect(world.told('transfer.duplicate')[0]?.facts).toMatchObject({ otherHashes: first['mainTxHash'] })
    await world.pass(240 * second)
    expect(world.told('transfer.duplicate')).toMatchObject([{ isOver: false, corrections: 0 }])
  })

  test('is none where it waited all that time and is paid once, whatever else its events tell', async () => {
    const old: WireRecord[] = []
    const world = await start((bare) => {
      for (const n of [1, 2, 3]) {
        const first = payLongAgo(bare, n)
        const { mainTxHash = '', zoneTxHash = '' } = first
        // What was there before was a claim that moved nothing.
        bare.main(mainTxHash, {
          height: bare.fake.mainHead() - 5_000,
          time: bare.now() - 3 * day,
          to: bridge,
        })
        bare.emit(mainTxHash, payoutTopic, [zoneTxHash, 1n])
        old.push(first)
      }
    })
    for (const first of old) {
      world.fake.records = world.fake.records.filter((one) => one !== first)
      payNow(world, first)
    }
    await world.pass(300 * second)
    expect(world.told()).toEqual([])
    expect(world.conditions()).toEqual([])
  })
})

describe('a withdrawal that was paid, is forgotten since, and is paid again', () => {
  async function forget(n: number): Promise<{ readonly world: EscrowWorld; readonly first: WireRecord }> {
    const old: WireRecord[] = []
    let isHidden = false
    const world = await createEscrowWorld({
      rules,
      config: { start: { from: { kind: 'ago', ms: 10 * day } } },
      prepare(bare) {
        const whole = bare.fake.intercept
        keepOutOfThePages(bare)
        const late = bare.fake.intercept
        bare.fake.intercept = (request, response) => (isHidden ? late : whole)(request, response)
        for (let one = 70; one < 74; one += 1) bare.withdraw(one)
        old.push(payLongAgo(bare, n))
      },
    })
    await world.pass(120 * second)
    const { ledger } = world.monitor.app.parts
    const [first = {}] = old
    const hash = first['zoneTxHash'] ?? ''
    expect(ledger.listTransfers({ hash, limit: 5 })).toMatchObject([{ state: 'completed' }])
    isHidden = true
    ledger.purge({ before: world.now() - day, shownBefore: Infinity, limit: 200 })
    expect(ledger.listTransfers({ hash, limit: 5 })).toEqual([])
    expect(world.told()).toEqual([])
    return { world, first }
  }

  test.each([
    { title: 'under the id of the first', record: {} },
    { title: 'under no id', record: { id: '', zoneEventIndex: '5' } },
  ])('is a duplicate by the record of the first, $title (semantics 46)', async ({ record }) => {
    const { world, first } = await forget(1)
    Object.assign(first, { zoneEventIndex: '5' })
    const startedAt = world.now()
    payNow(world, first, record)
    await world.until(() => world.told('transfer.duplicate').length > 0, 'the second payout')
    expect(world.now() - startedAt).toBeLessThan(120 * second)
    expect(world.told('transfer.duplicate')[0]?.facts).toMatchObject({ owed: '101', payouts: 2 })
  })
})
