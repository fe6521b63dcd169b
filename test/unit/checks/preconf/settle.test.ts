import { fc, timesOf } from '../../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { createHeldReceipts, takePending } from '../../../../src/checks/preconf/heldReceipts.ts'
import { createRecent } from '../../../../src/checks/preconf/recent.ts'
import type { CanonicalTransaction, Found, Outcome } from '../../../../src/checks/preconf/receipt.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import type { CanonicalSource } from '../../../../src/checks/preconf/canonicalSource.ts'
import { createSettling, settlePreconf } from '../../../../src/checks/preconf/settle.ts'
import {
  listPreconfHours,
  noPreconfCounts,
  type PreconfCounts,
} from '../../../../src/checks/preconf/store.ts'
import { createRpc } from '../../../../src/clients/rpc/createRpc.ts'
import type { Database } from '../../../../src/store/database.ts'
import { toRecord } from '../../../support/records.ts'
import { createTestKernel } from '../support.ts'

const fine: Outcome = { status: 'success', gasUsed: 21_000n, logs: '' }
const signal = new AbortController().signal

interface Placed {
  readonly height: number
  readonly outcome?: Outcome
}

/** A canonical chain made of where each transaction ended, and a poller that settles against it. */
function createWorld(options: { perBlock?: number; total?: number; readsAhead?: boolean } = {}) {
  const kernel = createTestKernel({ start: 1_000_000 })
  const { clock, db, told: findings } = kernel
  const held = createHeldReceipts({ perBlock: options.perBlock ?? 2_000, total: options.total ?? 100_000 })
  const chain = new Map<string, Placed>()
  const unreadable = new Set<number>()
  const world = { head: 0 as number | null, isDown: false, isFindDown: false, isForeign: false }
  /** The source gives no answer to a question with one of these blocks in it. */
  const stumbles = new Set<number>()
  const toTransaction = (hash: string, outcome: Outcome = fine): CanonicalTransaction => ({
    hash,
    index: null,
    isSystem: false,
    ...outcome,
  })
  const source: CanonicalSource = {
    name: 'canonical',
    settleAfter: 3,
    absence: { reads: 2, spanMs: 2_000 },
    readingSize: 1_000,
    readsAhead: options.readsAhead ?? false,
    head: () => Promise.resolve(world.head),
    blocks(heights) {
      if (world.isDown) return Promise.reject(new MonitorError('source.unreachable', 'down'))
      if (heights.some((height) => stumbles.has(height)))
        return Promise.reject(new MonitorError('source.empty', 'again and again'))
      const readable = heights.filter((height) => !unreadable.has(height) && height <= (world.head ?? 0))
      return Promise.resolve(
        new Map(
          readable.map((height) => {
            const inside = [...chain].filter(([, placed]) => placed.height === height)
            const transactions = new Map(
              inside.map(([hash, { outcome }]) => [hash, toTransaction(hash, outcome)]),
            )
            return [height, { height, time: null, requestedAt: clock.now(), transactions }]
          }),
        ),
      )
    },
    find(hashes) {
      return Promise.resolve(
        new Map(
          hashes.map((hash): [string, Found] => {
            const placed = chain.get(hash)
            if (world.isFindDown) return [hash, { at: 'unknown' }]
            if (!placed || placed.height > (world.head ?? 0)) return [hash, { at: 'nowhere' }]
            return [
              hash,
              { at: 'block', height: placed.height, transaction: toTransaction(hash, placed.outcome) },
            ]
          }),
        ),
      )
    },
  }
  const node = createRpc({ source: 'preconf', url: 'http://127.0.0.1:9', clock })
  const foreign = { at: 0, height: 1, says: '' }
  const rpc = { health: () => ({ ...node.health(), foreign: world.isForeign ? foreign : null }) }
  const settling = createSettling({
    ...kernel,
    rules: () => [],
    rpc,
    source,
    held,
    complete: createRecent(600),
  })
  kernel.commit({ answers: [[toRecord({ mainHash: 'leg' })]] })
  return {
    advance: kernel.clock.advance,
    held,
    chain,
    unreadable,
    stumbles,
    world,
    told: () => findings.map(({ kind, subject }) => `${kind} ${subject}`).sort(),
    findings,
    counts: () => countHours(db),
    see(height: number, hashes: readonly string[], outcome: Outcome = fine) {
      const receipts = hashes.map((hash, index) => ({ hash, height, index, isBridge: false, ...outcome }))
      takePending(held, { height, receipts, system: [] }, clock.now())
    },
    async run(times = 1) {
      for (let at = 0; at < times; at += 1) {
        await settlePreconf(settling, signal).catch((error: unknown) => {
          if (!(error instanceof MonitorError)) throw error
        })
        await kernel.clock.advance(1_000)
      }
    },
  }
}

/** All that was counted. */
function countHours(db: Database): Omit<PreconfCounts, 'leadsMs'> {
  const { leadsMs: _, ...none } = noPreconfCounts
  const add = (sum: typeof none, hour: typeof none): typeof none => ({
    taken: sum.taken + hour.taken,
    kept: sum.kept + hour.kept,
    moved: sum.moved + hour.moved,
    indexMoved: sum.indexMoved + hour.indexMoved,
    flipped: sum.flipped + hour.flipped,
    dropped: sum.dropped + hour.dropped,
    unknown: sum.unknown + hour.unknown,
    hits: sum.hits + hour.hits,
    unseen: sum.unseen + hour.unseen,
    unwatched: sum.unwatched + hour.unwatched,
    late: sum.late + hour.late,
  })
  return listPreconfHours(db, 0, Infinity).reduce(add, none)
}

describe('what becomes of a preconfirmed transaction', () => {
  test('in its block it is kept, and nothing is told', async () => {
    const world = createWorld()
    world.see(10, ['a', 'b'])
    world.chain.set('a', { height: 10 }).set('b', { height: 10 })
    world.world.head = 13
    await world.run(5)
    expect(world.told()).toEqual([])
    expect(world.counts()).toMatchObject({ taken: 2, kept: 2, dropped: 0, unknown: 0 })
  })

  test('nothing is judged before the canonical head is three blocks beyond', async () => {
    const world = createWorld()
    world.see(10, ['a'])
    world.world.head = 12
    await world.run(10)
    expect(world.told()).toEqual([])
    expect(world.held.byHash.size).toBe(1)
  })

  test.each([1, 2])(
    'invariant 20: a transaction found %i blocks later has moved, not vanished',
    async (by) => {
      const world = createWorld()
      world.see(10, ['a'])
      world.chain.set('a', { height: 10 + by })
      world.world.head = 13
      await world.run(10)
      expect(world.told()).toEqual(['preconf.moved a'])
      expect(world.findings[0]?.facts).toMatchObject({ by, height: 10, heightAfter: 10 + by })
    },
  )

  test('invariant 20: one found later still, by its hash, has moved as well', async () => {
    const world = createWorld()
    world.see(10, ['a'])
    world.chain.set('a', { height: 15 })
    world.world.head = 16
    await world.run(10)
    expect(world.told()).toEqual(['preconf.moved a'])
  })

  test('by a node of another chain it was never promised on this one', async () => {
    const world = createWorld()
    world.see(10, ['a'])
    Object.assign(world.world, { head: 13, isForeign: true })
    await world.run(10)
    expect(world.told()).toEqual([])
    expect(world.held.byHash.size).toBe(0)
  })

  test('in no block it is dropped, once, after two readings that agree', async () => {
    const world = createWorld()
    world.see(10, ['a', 'leg'])
    world.world.head = 13
    await world.run(1)
    expect(world.told()).toEqual([])
    await world.run(5)
    expect(world.told()).toEqual(['preconf.dropped a', 'preconf.dropped leg'])
    expect(world.findings.map(({ facts }) => [facts['hash'], facts['bridge'], facts['transferKey']])).toEqual(
      [
        ['a', false, ''],
        ['leg', true, 't1'],
      ],
    )
  })

  test('a search by hash that cannot be asked keeps it from being called dropped', async () => {
    const world = createWorld()
    world.see(10, ['a'])
    world.world.head = 13
    world.world.isFindDown = true
    await world.run(20)
    expect(world.told()).toEqual([])
    world.world.isFindDown = false
    await world.run(5)
    expect(world.told()).toEqual(['preconf.dropped a'])
  })

  test('an unread later block keeps it from being called dropped', async () => {
    const world = createWorld()
    world.see(10, ['a'])
    world.world.head = 20
    world.unreadable.add(12)
    await world.run(20)
    expect(world.told()).toEqual([])
    world.unreadable.clear()
    await world.run(8)
    expect(world.told()).toEqual(['preconf.dropped a'])
  })

  test.each([
    [
      'status',
      { ...fine, status: 'failed' },
      { statusChanged: true, gasUsedChanged: false, logsChanged: false },
    ],
    ['gas', { ...fine, gasUsed: 1n }, { statusChanged: false, gasUsedChanged: true, logsChanged: false }],
    ['logs', { ...fine, logs: 'x' }, { statusChanged: false, gasUsedChanged: false, logsChanged: true }],
  ] as const)('another %s in the end is flipped', async (_, outcome, facts) => {
    const world = createWorld()
    world.see(10, ['a'])
    world.chain.set('a', { height: 10, outcome })
    world.world.head = 13
    await world.run(2)
    expect(world.told()).toEqual(['preconf.flipped a'])
    expect(world.findings[0]?.facts).toMatchObject(facts)
  })

  test('an outcome that was preconfirmed first and then corrected is flipped too', async () => {
    const world = createWorld()
    world.see(10, ['a'], { ...fine, status: 'failed' })
    world.see(10, ['a'])
    world.chain.set('a', { height: 10 })
    world.world.head = 13
    await world.run(2)
    expect(world.told()).toEqual(['preconf.flipped a'])
  })

  test('what a source does not say is no difference', async () => {
    const world = createWorld()
    world.see(10, ['a'])
    world.chain.set('a', { height: 10, outcome: { status: null, gasUsed: null, logs: null } })
    world.world.head = 13
    await world.run(2)
    expect(world.told()).toEqual([])
  })
})

describe('invariant 19: a reconnect or a gap discards nothing silently', () => {
  test('what was pending before a long outage of the canonical chain is settled afterwards', async () => {
    const world = createWorld()
    world.see(10, ['kept', 'lost'])
    world.chain.set('kept', { height: 10 })
    world.world.head = 13
    world.world.isDown = true
    await world.run(300)
    expect(world.told()).toEqual([])
    world.world.isDown = false
    await world.run(6)
    expect(world.told()).toEqual(['preconf.dropped lost'])
    expect(world.counts()).toMatchObject({ taken: 2, kept: 1, dropped: 1, unknown: 0 })
  })

  test('blocks that the source stumbles over hold up none of those that come long after them', async () => {
    const world = createWorld({ readsAhead: true })
    world.see(10, ['stumbled over'])
    world.see(100, ['dropped'])
    world.see(101, ['kept'])
    world.chain.set('kept', { height: 101 })
    world.stumbles.add(10)
    world.world.head = 200
    await world.run(9)
    expect(world.told()).toEqual(['preconf.dropped dropped'])
    expect(world.counts()).toMatchObject({ taken: 3, kept: 1, dropped: 1, unknown: 0 })
    world.stumbles.clear()
    await world.run(9)
    expect(world.told()).toEqual(['preconf.dropped dropped', 'preconf.dropped stumbled over'])
  })

  test('what cannot be settled for an hour is counted as unknown, and not told', async () => {
    const world = createWorld()
    world.see(10, ['a'])
    world.world.head = null
    await world.run(1)
    await world.advance(3_600_001)
    await world.run(1)
    expect(world.told()).toEqual([])
    expect(world.counts()).toMatchObject({ taken: 1, unknown: 1 })
    expect(world.held.byHash.size).toBe(0)
  })

  test('what there was no room for is counted as unknown', async () => {
    const world = createWorld({ perBlock: 2 })
    world.see(10, ['a', 'b', 'c', 'd', 'e'])
    world.see(10, ['a', 'b', 'c', 'd', 'e'])
    world.chain.set('a', { height: 10 }).set('b', { height: 10 })
    world.world.head = 13
    await world.run(3)
    expect(world.counts()).toMatchObject({ taken: 5, kept: 2, unknown: 3 })
  })

  test('a node that goes on telling of a settled block brings nothing up again', async () => {
    const world = createWorld()
    world.see(10, ['a'])
    world.chain.set('a', { height: 10 })
    for (let head = 13; head < 40; head += 1) {
      world.world.head = head
      await world.run(1)
      world.see(10, ['a'])
    }
    expect(world.counts()).toMatchObject({ taken: 1, kept: 1, hits: 1 })
    expect(world.held.byHash.size).toBe(0)
  })

  test('every block of a step back is settled once', async () => {
    const world = createWorld()
    for (const height of [10, 11, 10, 12, 11, 13]) world.see(height, [`t${height}`])
    for (const height of [10, 11, 12, 13]) world.chain.set(`t${height}`, { height })
    world.world.head = 20
    await world.run(5)
    expect(world.told()).toEqual([])
    expect(world.counts()).toMatchObject({ taken: 4, kept: 4 })
  })
})

const story = fc.record({
  height: fc.integer({ min: 0, max: 20 }),
  fate: fc.constantFrom('kept', 'moved', 'later', 'dropped', 'flipped'),
  isSeen: fc.boolean(),
})

test('invariants 19 and 20: whatever drops, moves and gaps there are, each transaction ends once and as it did', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(story, { maxLength: 40 }),
      fc.array(fc.constantFrom('fine', 'down', 'unreadable', 'blind', 'stale'), {
        minLength: 30,
        maxLength: 30,
      }),
      fc.boolean(),
      async (stories, conditions, readsAhead) => {
        const world = createWorld({ readsAhead })
        const expected: string[] = []
        for (const [at, { height, fate }] of stories.entries()) {
          const hash = `t${at}`
          const by = { kept: 0, flipped: 0, moved: 1 + (at % 2), later: 4, dropped: null }[fate]
          if (by !== null)
            world.chain.set(hash, {
              height: height + by,
              ...(fate === 'flipped' && { outcome: { ...fine, status: 'failed' as const } }),
            })
        }
        const seen = new Set<string>()
        for (const [height, condition] of conditions.entries()) {
          world.world.isDown = condition === 'down'
          world.unreadable.clear()
          if (condition === 'unreadable') world.unreadable.add(height - 3).add(height - 2)
          world.world.head = condition === 'stale' ? height - 8 : height
          // While nobody looks, nothing of that block is seen; what was seen before stays held.
          const here = stories.flatMap((one, at) => (one.height === height && one.isSeen ? [`t${at}`] : []))
          if (condition !== 'blind') {
            world.see(height, here)
            for (const hash of here) seen.add(hash)
          }
          await world.run(1)
        }
        Object.assign(world.world, { isDown: false, head: 60 })
        world.unreadable.clear()
        await world.run(12)
        for (const [at, { fate }] of stories.entries()) {
          if (!seen.has(`t${at}`)) continue
          if (fate === 'moved' || fate === 'later') expected.push(`preconf.moved t${at}`)
          if (fate === 'dropped' || fate === 'flipped') expected.push(`preconf.${fate} t${at}`)
        }
        const { taken, kept, moved, dropped, unknown } = world.counts()
        // A transaction that comes later than two blocks may be missed meanwhile: then it was told before it came.
        const late = new Set(stories.flatMap(({ fate }, at) => (fate === 'later' ? [`t${at}`] : [])))
        const isCertain = (line: string) => !late.has(line.split(' ')[1] ?? '')
        expect(world.told().filter(isCertain)).toEqual(expected.filter(isCertain).sort())
        expect(new Set(world.findings.map(({ subject }) => subject)).size).toBe(world.findings.length)
        expect(taken).toBe(seen.size)
        expect(kept + moved + dropped + unknown).toBe(seen.size)
        expect(world.held.byHash.size).toBe(0)
      },
    ),
    { numRuns: timesOf(60) },
  )
})
