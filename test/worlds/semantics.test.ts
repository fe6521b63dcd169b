import { findingText } from '../support/readFinding.ts'
import { describe, expect, test } from 'vitest'
import { type BridgeWorld, createBridgeWorld, escrow, token, user } from '../support/bridgeWorld.ts'
import { send, toOpenWire, type WireRecord } from '../support/fakeExplorer.ts'

// Sequences that semantics.md names, each through the whole daemon.

const second = 1_000
const minute = 60 * second

const eventKinds = ['failed', 'unbacked', 'mismatch', 'duplicate', 'rewritten', 'vanished', 'out_of_order']
const rules = `rules:
${eventKinds.map((kind) => `  - { name: ${kind}, on: transfer.${kind}, severity: critical }`).join('\n')}
  - { name: stalled, on: transfer.stalled, with: { after: 5m }, severity: critical }
  - { name: unavailable, on: source.unavailable, severity: warning }
  - { name: suspicious, on: source.suspicious, severity: warning }
`
const unnamed = { id: '', zoneTxHash: '', zoneBlockHeight: '', zoneBlockTime: '' }
const unpaid = { mainTxHash: '', mainBlockHeight: '', mainBlockTime: '' }

interface SeenWorld extends BridgeWorld {
  /** What the list shows of a record, in place of it; null: nothing. */
  show: (record: WireRecord) => WireRecord | null
  kinds(): string[]
  states(hash: string | undefined): string[]
  /** Alerts of conditions. */
  conditions(): { kind: string; state: string }[]
}

/** A bridge with some honest withdrawals. */
async function start(): Promise<SeenWorld> {
  const seen = { show: (record: WireRecord): WireRecord | null => record }
  const world = await createBridgeWorld({
    rules,
    prepare({ fake, withdraw }) {
      for (let n = 70; n < 74; n += 1) withdraw(n)
      const before = fake.intercept
      fake.intercept = (request, response) => {
        if (!request.path.endsWith('/cross/transaction-list')) return before(request, response)
        const hash = request.query.get('txid')
        const rows = fake.records
          .map((record) => seen.show(record))
          .filter((record) => record !== null)
          .filter((record) => hash === null || [record['mainTxHash'], record['zoneTxHash']].includes(hash))
        const total = String(rows.length)
        const page = { page: '1', limit: '100', totalPage: '1', total, data: rows }
        send(response, 200, { code: '0', msg: '', data: [page] })
        return true
      }
    },
  })
  const { db, ledger } = world.monitor.app.parts
  const started = Object.assign(seen, world, {
    kinds: () => world.told().map(({ kind }) => kind),
    states: (hash = '') => ledger.listTransfers({ hash, limit: 9 }).map(({ state }) => state),
    conditions: () =>
      db
        .prepare("SELECT kind, state FROM alerts WHERE nature = 'condition' ORDER BY id")
        .all()
        .map(({ kind, state }) => ({ kind: String(kind), state: String(state) })),
  })
  await world.pass(90 * second)
  expect(started.kinds()).toEqual([])
  return started
}

describe('the same id with another main hash (semantics 2)', () => {
  const paid = async () => {
    const world = await start()
    const record = world.withdraw(1)
    await world.pass(2 * minute)
    const first = record['mainTxHash'] ?? ''
    const name = (hash: string) =>
      Object.assign(record, { mainTxHash: hash, updateTime: String(world.now()) })
    const payAgain = (byte: string) => {
      const hash = `0x${byte.repeat(32)}`
      world.main(hash, { moves: [{ token, from: escrow, to: user(1), amount: '101' }] })
      name(hash)
      return hash
    }
    const isTold = (kind: string) =>
      world.until(() => world.kinds().includes(`transfer.${kind}`), 'what is told of it')
    return {
      world,
      record,
      first,
      name,
      payAgain,
      isTold,
      isGone: () => world.chain.transactions.delete(first),
    }
  }
  const replace = async (isGone: boolean) => {
    const { world, payAgain, ...of } = await paid()
    payAgain('1f')
    if (isGone) of.isGone()
    await world.until(() => world.kinds().length > 0, 'what is told of it')
    await world.pass(5 * minute)
    return world.kinds()
  }

  test('is a duplicate while the old transaction stands', async () => {
    expect(await replace(false)).toEqual(['transfer.duplicate'])
  })

  test('is a record written again when the old transaction is gone', async () => {
    expect(await replace(true)).toEqual(['transfer.rewritten'])
  })

  test('is a duplicate while the second of three stands, though the first is gone', async () => {
    const { world, payAgain, isGone, isTold } = await paid()
    isGone()
    const second = payAgain('1f')
    await isTold('rewritten')
    payAgain('2f')
    await isTold('duplicate')
    expect(world.told('transfer.duplicate')).toMatchObject([{ facts: { otherHashes: second } }])
  })

  test('stays a duplicate when the record comes back to the first and both stand', async () => {
    const { world, first, name, payAgain, isTold } = await paid()
    payAgain('1f')
    await isTold('duplicate')
    name(first)
    await world.pass(5 * minute)
    expect(world.told()).toMatchObject([{ kind: 'transfer.duplicate', isOver: false, corrections: 0 }])
  })

  test('is none any more when the record comes back to the first and the second is gone', async () => {
    const { world, first, name, payAgain, isTold } = await paid()
    const second = payAgain('1f')
    await isTold('duplicate')
    world.chain.transactions.delete(second)
    name(first)
    await world.until(() => world.told().some(({ isOver }) => isOver), 'its end')
  })

  test('stays a duplicate while the list alone alternates', async () => {
    const { world, record, first, payAgain, isTold } = await paid()
    payAgain('1f')
    await isTold('duplicate')
    let readings = 0
    world.show = (one) => (one === record && (readings += 1) % 2 === 0 ? { ...one, mainTxHash: first } : one)
    await world.pass(5 * minute)
    expect(readings).toBeGreaterThan(30)
    expect(world.told()).toMatchObject([{ kind: 'transfer.duplicate', isOver: false, corrections: 0 }])
  })
})

describe('records of one event that differ in their main hash (semantics 2)', () => {
  const payTwice = async (first: 'stands' | 'is gone' | 'stands, and cannot be asked about') => {
    const world = await start()
    const record = world.withdraw(1, { id: '' })
    await world.pass(2 * minute)
    const next = `0x${'1f'.repeat(32)}`
    world.main(next, { moves: [{ token, from: escrow, to: user(1), amount: '101' }] })
    const old = record['mainTxHash'] ?? ''
    if (first === 'is gone') world.chain.transactions.delete(old)
    const { ledger } = world.monitor.app.parts
    const isProven = () =>
      ledger
        .listTransfers({ hash: next, limit: 1 })
        .some(({ evidence }) => evidence.some((one) => one.hash === next))
    const before = world.fake.intercept
    world.fake.intercept = (request, response) => {
      const isDown = first === 'stands, and cannot be asked about' && isProven()
      if (!isDown || request.path.includes('/cross/')) return before(request, response)
      send(response, 503, { code: '50001', msg: 'down', data: [] })
      return true
    }
    Object.assign(record, { mainTxHash: next, updateTime: String(world.now()) })
    await world.pass(5 * minute)
    return world.kinds()
  }

  test.each(['stands', 'stands, and cannot be asked about'] as const)(
    'are a duplicate where the first payout %s',
    async (first) => {
      expect(await payTwice(first)).toEqual(['transfer.duplicate'])
    },
  )

  test('are none where the first payout is gone, and that it is gone is told', async () => {
    expect(await payTwice('is gone')).toEqual(['transfer.mismatch'])
  })
})

test('a forged payout of the same amount and recipient completes no honest withdrawal (semantics 3)', async () => {
  const world = await start()
  const honest = world.withdraw(2, unpaid)
  await world.pass(minute)
  world.withdraw(3, {
    ...unnamed,
    sourceAddress: '',
    targetAddress: user(2),
    value: '102',
    valueRaw: '102000000',
    mainBlockTime: String(world.now()),
  })
  await world.until(() => world.kinds().length > 0, 'the payout')
  await world.pass(minute)
  expect(world.kinds()).toEqual(['transfer.unbacked'])
  expect(world.states(honest['zoneTxHash'])).toEqual(['pending'])
})

describe('a list that alternates between an old and a new state (semantics 4)', () => {
  test('tells nothing while the details stay what they were', async () => {
    const world = await start()
    const record = world.withdraw(4)
    let readings = 0
    world.show = (one) => (one === record && (readings += 1) % 2 === 0 ? { ...one, status: '0x0' } : one)
    await world.pass(6 * minute)
    expect(readings).toBeGreaterThan(50)
    expect(world.kinds()).toEqual([])
    expect(world.states(record['zoneTxHash'])).toEqual(['completed'])
  })

  test('tells a failure once when the details confirm it, however it alternates', async () => {
    const world = await start()
    const record = world.withdraw(4)
    await world.pass(minute)
    Object.assign(record, { status: '0x0', updateTime: String(world.now()) })
    let readings = 0
    world.show = (one) => (one === record && (readings += 1) % 2 === 0 ? { ...one, status: '0x1' } : one)
    await world.until(() => world.kinds().includes('transfer.rewritten'), 'the change')
    await world.pass(6 * minute)
    expect(world.kinds().sort()).toEqual(['transfer.failed', 'transfer.rewritten'])
  })
})

describe('a payout that is gone from its record (semantics 5)', () => {
  const emptied = async (lasts: 'for good' | 'in the list' | 'for a moment') => {
    const world = await start()
    const record = world.withdraw(5)
    await world.pass(2 * minute)
    const whole = { ...record }
    const without = { ...unpaid, updateTime: String(world.now()) }
    if (lasts === 'in the list') world.show = (one) => (one === record ? { ...one, ...unpaid } : one)
    else Object.assign(record, without)
    if (lasts === 'for good') world.chain.transactions.delete(whole['mainTxHash'] ?? '')
    if (lasts === 'for a moment') {
      await world.pass(20 * second)
      Object.assign(record, whole, { updateTime: String(world.now()) })
    }
    await world.pass(4 * minute)
    return { kinds: world.kinds(), states: world.states(record['zoneTxHash']) }
  }

  test('is told, and on its way again, once the details gave it empty twice', async () => {
    expect(await emptied('for good')).toEqual({ kinds: ['transfer.rewritten'], states: ['pending'] })
  })

  test.each(['in the list', 'for a moment'] as const)('is not when it is empty %s only', async (lasts) => {
    expect(await emptied(lasts)).toEqual({ kinds: [], states: ['completed'] })
  })
})

test('three failures in one zone transaction are three alerts (semantics 6)', async () => {
  const world = await start()
  const zoneTxHash = `0x${'6f'.repeat(32)}`
  world.zone(zoneTxHash, { status: '0x0', errorMessage: 'limit exceeded' })
  for (const n of [1, 2, 3]) world.withdraw(n, { ...unpaid, zoneTxHash, status: '0x0', id: '' })
  await world.until(() => world.told('transfer.failed').length === 3, 'three of them')
  await world.pass(2 * minute)
  expect(new Set(world.told('transfer.failed').map(({ subject }) => subject)).size).toBe(3)
  expect(world.kinds()).toHaveLength(3)
})

test('what an endpoint that never answered does not show is not absent (semantics 8)', async () => {
  const world = await createBridgeWorld({
    rules,
    prepare({ fake, withdraw }) {
      const before = fake.intercept
      fake.intercept = (request, response) => {
        if (!request.path.endsWith('/transaction/transaction-multi')) return before(request, response)
        send(response, 200, { code: '0', msg: '', data: [] })
        return true
      }
      for (let n = 70; n < 74; n += 1) withdraw(n)
    },
  })
  world.withdraw(8)
  await world.pass(10 * minute)
  expect(world.told()).toEqual([])
})

describe('a withdrawal without its payout (semantics 10)', () => {
  test('is told although the main chain stands still, which the message says', async () => {
    const world = await start()
    const height = world.fake.mainHead()
    world.fake.mainHead = () => height
    world.fake.records.unshift(toOpenWire({ zoneBlockTime: String(world.now()) }, 'halted'))
    await world.until(() => world.conditions().some(({ kind }) => kind === 'transfer.stalled'), 'the stall')
    const { finding } =
      world.monitor.app.parts.db
        .prepare("SELECT finding FROM alerts WHERE kind = 'transfer.stalled'")
        .get() ?? {}
    expect(JSON.parse(findingText(finding))).toMatchObject({
      facts: { destinationChain: 'main', destinationHalted: true },
    })
  })

  test('is told although its record is gone by then', async () => {
    const world = await start()
    const record = world.withdraw(10, unpaid)
    await world.pass(2 * minute)
    world.fake.records = world.fake.records.filter((one) => one !== record)
    await world.until(() => world.conditions().some(({ kind }) => kind === 'transfer.stalled'), 'the stall')
    expect(world.conditions()).toMatchObject([{ kind: 'transfer.stalled', state: 'firing' }])
  })

  test('is not told while nothing can be asked, which is told with the number of those not judged, and then is', async () => {
    const world = await start()
    world.fake.records.unshift(toOpenWire({ zoneBlockTime: String(world.now()) }, 'unasked'))
    await world.pass(minute)
    const before = world.fake.intercept
    world.fake.intercept = (_, response) => (
      send(response, 503, { code: '50001', msg: 'down', data: [] }), true
    )
    await world.pass(10 * minute)
    expect(world.conditions().map(({ kind }) => kind)).toEqual(['source.unavailable'])
    expect(world.monitor.told().join('\n')).toMatch(/Not judged\*?:?\s+`?1\b/)
    world.fake.intercept = before
    await world.until(() => world.conditions().some(({ kind }) => kind === 'transfer.stalled'), 'the stall')
  })
})

test('a complete record whose origin failed on the zone chain is unbacked (semantics 11)', async () => {
  const world = await start()
  const zoneTxHash = `0x${'b1'.repeat(32)}`
  world.zone(zoneTxHash, { status: '0x0', errorMessage: 'reverted', value: '111', valueRaw: '111000000' })
  const record = world.withdraw(11, { zoneTxHash })
  await world.until(() => world.told('transfer.unbacked').length > 0, 'the payout')
  await world.pass(2 * minute)
  expect(world.states(record['zoneTxHash'])).toEqual(['unbacked'])
})

describe('a one-sided 0x0 (semantics 14)', () => {
  test('of the list alone is not told', async () => {
    const world = await start()
    const record = world.withdraw(14, unpaid)
    world.show = (one) => (one === record ? { ...one, status: '0x0' } : one)
    await world.pass(4 * minute)
    expect(world.kinds()).toEqual([])
  })

  test('that the details confirm is told as a failure', async () => {
    const world = await start()
    world.withdraw(14, { ...unpaid, status: '0x0' })
    await world.until(() => world.kinds().length > 0, 'the failure')
    await world.pass(2 * minute)
    expect(world.kinds()).toEqual(['transfer.failed'])
  })

  test('whose status is empty is neither', async () => {
    const world = await start()
    world.withdraw(14, { ...unpaid, status: '' })
    await world.pass(4 * minute)
    expect(world.kinds()).toEqual([])
  })
})

test('a row that a reading lacks ends no alert (semantics 15)', async () => {
  const world = await start()
  const record = world.withdraw(15, unpaid)
  const stalled = () => world.conditions().filter(({ kind }) => kind === 'transfer.stalled')
  await world.until(() => stalled().length > 0, 'the stall')
  world.fake.records = world.fake.records.filter((one) => one !== record)
  await world.pass(8 * minute)
  expect(stalled()).toMatchObject([{ state: 'firing' }])
})
