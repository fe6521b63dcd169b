import { describe, expect, test } from 'vitest'
import { formatDecimal, noAmount, toDecimal } from '../../../../../src/bridge/decimal.ts'
import type { TokenMove } from '../../../../../src/bridge/transfer.ts'
import type { FlowRow } from '../../../../../src/kernel/reads/flowReads.ts'
import { createFlowReader, type FlowReader } from '../../../../../src/checks/escrow/reading/flowReader.ts'
import { readFlows, readNewFlows, readPastFlows } from '../../../../../src/checks/escrow/reading/pollFlows.ts'
import { noteType, openEscrowWatch } from '../../../../../src/checks/escrow/watched/watch.ts'
import { listFlowsOf, selectFlows } from '../../../../../src/checks/escrow/flows/flowRow.ts'
import { listDueFlows, saveGap, settleFlow } from '../../../../../src/checks/escrow/flows/flowStore.ts'
import { restOfGap, sumListed } from '../../../../../src/checks/escrow/flows/flowSums.ts'
import { saveAnchor } from '../../../../../src/checks/escrow/flows/readingStore.ts'
import { lowestCursor, readStream } from '../../../../../src/kernel/reads/mainStreams.ts'
import type { Database } from '../../../../../src/store/database.ts'
import { noBridge } from '../../../../support/appConfig.ts'
import { createTestKernel, noSignal, setMainHead } from '../../support.ts'

const token = `0x${'aa'.repeat(20)}`
const escrow = `0x${'bb'.repeat(20)}`
const other = `0x${'dd'.repeat(20)}`
const payout = (name: string, height: number, amount = '10'): FlowRow => ({
  hash: `0x${name}`,
  height,
  time: height * 1_000,
  from: escrow,
  to: `0x${'cc'.repeat(20)}`,
  token,
  tokenId: '',
  amount,
})

const judged = {
  direction: 'out',
  unexplained: null,
  reason: '',
  checkAt: null,
  absence: null,
  waitsFor: null,
} as const

const listGaps = (db: Database) => selectFlows(db, 'WHERE from_height IS NOT NULL ORDER BY height')

/** An escrow's list of movements, read every 15 s; `other` may be another escrow's, whose list comes first. */
function setUp(rows: FlowRow[], escrows = [{ address: escrow, token, baseline: null }]) {
  const tokens = [{ address: token, symbol: 'T', decimals: 18 }]
  const contracts = escrows.length > 0 ? [] : [escrow]
  const bridge = { ...noBridge, escrows, contracts, tokens }
  const kernel = { ...createTestKernel({ start: 1_000_000, config: { bridge } }), tellSince: 0 }
  const { clock, db } = kernel
  const world = {
    rows,
    head: 1_000,
    isDisguised: false,
    hasCome: [] as boolean[],
    moves: null as readonly TokenMove[] | null,
    moved: [] as string[],
    unread: [] as Readonly<Record<string, unknown>>[],
  }
  const asked: string[] = []
  const watch = openEscrowWatch(kernel)
  const main: FlowReader['main'] = {
    hasCome: async () => world.hasCome.shift() ?? false,
    moves: async (hash) => {
      world.moved.push(hash)
      return world.moves
    },
    flows: async ({ kind, token: of }, { from, to }, { nativeFrom }) => {
      if (of === other) throw new Error('it fails')
      const isList = kind === 'token_20' && (of === token || of === undefined)
      if (kind === 'token_20' && of === token) asked.push(`${from} to ${to}`)
      const isShown = (row: FlowRow) => (row.token === '' ? kind === 'native' : isList)
      const isIn = ({ height }: FlowRow) => (height ?? 0) >= from && (height ?? 0) <= to
      const isOf = (row: FlowRow) =>
        isIn(row) ||
        (kind === 'native' && (row.height ?? 0) >= (nativeFrom?.[row.isCall ? 'calls' : 'outer'] ?? from))
      const found = world.isDisguised ? [] : world.rows.filter((row) => isShown(row) && isOf(row))
      const said = { requestedAt: clock.now(), isWhole: true, problem: '', bad: [], isCrowded: false }
      const bad = isList ? world.unread.filter(({ height }) => isIn({ height } as FlowRow)) : []
      return {
        ...said,
        rows: found,
        unread: bad.map((row) => ({ endpoint: 'E6', raw: JSON.stringify(row) })),
      }
    },
  }
  noteType(watch, token, 'ERC20')
  const reader = createFlowReader({ ...kernel, crowds: new Map(), main, watch })
  const setHead = (height: number) => {
    world.head = height
    setMainHead(db, height, clock.now())
  }
  setHead(world.head)
  /** @returns how many of the readings failed */
  const read = async (times: number) => {
    let failures = 0
    for (let n = 0; n < times; n += 1) {
      await clock.advance(15_000)
      setHead(world.head + 15)
      await readNewFlows(reader, noSignal).catch(() => (failures += 1))
      await readPastFlows(reader, noSignal).catch(() => {})
    }
    return failures
  }
  const stored = (name: string, of = token) => listFlowsOf(db, `0x${name}`, of)[0] ?? null
  const sumSince = (height: number) => formatDecimal(sumListed(db, { escrow, token }, height, 10_000).sum)
  return {
    db,
    reader,
    world,
    setHead,
    asked,
    read,
    stored,
    sumSince,
    stream: () => readStream(db, `flows:${escrow}:token_20:${token}`),
  }
}

test('F46: a payout that a reorganisation left out is forgotten after three readings, and holds up none after', async () => {
  const { world, read, stored, stream } = setUp([payout('01', 990), payout('02', 1_000)])
  await read(2)
  expect(stored('02')).not.toBeNull()
  world.rows = [payout('01', 990)]
  const failures = await read(6)
  expect(stored('02')).toBeNull()
  expect(stored('01')).not.toBeNull()
  expect(failures).toBeLessThanOrEqual(3)
  expect(stream()?.cursor).toBe(world.head)
})

test('native currency that left counts, however it came: nobody can make it up', async () => {
  const { read, stored } = setUp([{ ...payout('01', 990), token: '' }])
  await read(6)
  expect(stored('01', '')).not.toBeNull()
})

test('what one list of native currency shows of a transaction is added to what the other did, however far they lie apart', async () => {
  const paidIn = { ...payout('01', 960, '5'), token: '', from: other, to: escrow }
  const wayOut: FlowRow = { ...payout('01', 960, '5'), token: '', isCall: true }
  const { world, read, stored } = setUp([paidIn, wayOut])
  const net = () => formatDecimal(stored('01', '')?.net ?? { digits: -1n, scale: 0 })
  await read(2)
  expect(net()).toBe('0')
  // The one list comes further, the other is read from where it came last.
  world.rows = [...world.rows, { ...payout('02', 1_030, '1'), token: '' }]
  await read(10)
  expect(net()).toBe('0')
  world.rows = [...world.rows, { ...wayOut, amount: '3' }]
  await read(2)
  expect(net()).toBe('-3')
})

test('whether a token was there from the first is asked three times before it is believed that it was not', async () => {
  const foreign = `0x${'ee'.repeat(20)}`
  const { world, read, stored } = setUp([{ ...payout('01', 1_010), token: foreign }], [])
  world.hasCome = [false, false, true]
  await read(2)
  expect(stored('01', foreign)).toBeNull()
  await read(4)
  expect(world.hasCome).toEqual([])
  expect(stored('01', foreign)).not.toBeNull()
})

test('a token that was not there from the first is asked about three times, and rests then', async () => {
  const foreign = `0x${'ee'.repeat(20)}`
  const { world, read } = setUp([{ ...payout('01', 1_010), token: foreign }], [])
  world.hasCome = Array.from({ length: 20 }, () => false)
  await read(30)
  expect(world.hasCome).toHaveLength(17)
})

test('F46: one that is in another block is the same, there', async () => {
  const { world, read, stored, sumSince } = setUp([payout('01', 990), payout('02', 1_000)])
  await read(2)
  world.rows = [payout('01', 990), payout('02', 1_003)]
  expect(await read(6)).toBe(0)
  expect(stored('02')?.height).toBe(1_003)
  expect(sumSince(900)).toBe('-20')
})

test('F46: one that is in an earlier block now is looked for there ever after', async () => {
  const { world, read, stored, stream } = setUp([payout('01', 990), payout('02', 1_000)])
  await read(2)
  world.rows = [payout('01', 990), payout('02', 996)]
  expect(await read(40)).toBe(0)
  expect(stored('02')?.height).toBe(996)
  expect(stream()).toMatchObject({ cursor: world.head, known: { hash: '0x02', height: 996 } })
})

test('F46: empty answers take nothing back: there is no other row to show that the list was read', async () => {
  const { world, read, stored, stream } = setUp([payout('01', 990), payout('02', 1_000)])
  await read(2)
  const cursor = stream()?.cursor
  world.isDisguised = true
  expect(await read(8)).toBe(8)
  expect(stored('02')).not.toBeNull()
  expect(stream()?.cursor).toBe(cursor)
})

test.each([
  { title: 'is gone', after: [payout('01', 990)], sum: '10' },
  { title: 'went to a later block', after: [payout('01', 990), payout('02', 1_020)], sum: '0' },
])('F46: what a balance held of a payout that $title is made up for after it', async ({ after, sum }) => {
  const { db, world, read, sumSince } = setUp([payout('01', 990), payout('02', 1_000)])
  await read(1)
  const anchor = { height: 1_010, balance: 80n, readAt: 0, misses: 0, missedAt: null }
  saveAnchor(db, escrow, token, anchor)
  world.rows = after
  await read(6)
  // From the balance of block 1,010, which the payout had left, to the one that the chain holds now.
  expect(sumSince(anchor.height)).toBe(sum)
})

test.each([
  { title: 'is gone', before: 1_000, after: [], change: '10' },
  { title: 'went to an earlier block', before: 1_025, after: [payout('02', 1_000)], change: '-10' },
])(
  'F46: a change of balance that was told is the payout that $title, which the list shows later than the node',
  async ({ before, after, change }) => {
    const { db, world, read, sumSince } = setUp([payout('01', 990), payout('02', before)])
    await read(3)
    const place = { escrow, token, at: 1_020_000 }
    // The balance of block 1,020 is of the other blocks, that of 1,010 was not; what comes after is compared with 1,030.
    saveGap(db, { ...place, fromHeight: 1_010, height: 1_020, change: toDecimal(change) ?? noAmount }, 0)
    settleFlow(db, { ...place, hash: 'balance:1010' }, { ...judged, verdict: 'unexplained' }, 0)
    // As much as is said to have left there, and did not.
    saveGap(db, { ...place, fromHeight: 1_024, height: 1_026, change: noAmount }, 0)
    saveAnchor(db, escrow, token, { height: 1_030, balance: 90n, readAt: 0, misses: 0, missedAt: null })
    world.rows = [payout('01', 990), ...after]
    await read(6)
    expect(listGaps(db).map((gap) => formatDecimal(restOfGap(db, gap)))).toEqual(['0', '0'])
    expect(sumSince(1_030)).toBe('0')
    // They are judged anew.
    expect(listDueFlows(db, Infinity).filter(({ fromHeight }) => fromHeight === 1_010)).toHaveLength(1)
  },
)

test.each([
  { title: 'that is gone', before: 1_000, after: [], change: '0' },
  { title: 'that went to an earlier block', before: 1_040, after: [payout('02', 1_000)], change: '-10' },
])(
  'F46: a balance that a node showed of the other blocks from the first is made up for in nothing, of a payout $title',
  async ({ before, after, change }) => {
    const { db, world, read, sumSince } = setUp([payout('01', 990), payout('02', before)])
    await read(3)
    const gap = { escrow, token, at: 1_000_000, fromHeight: 999, height: 1_000 }
    saveGap(db, { ...gap, change: toDecimal(change) ?? noAmount }, 0)
    settleFlow(db, { ...gap, hash: 'balance:999' }, { ...judged, verdict: 'unexplained' }, 0)
    saveAnchor(db, escrow, token, { height: 1_030, balance: 90n, readAt: 0, misses: 0, missedAt: null })
    world.rows = [payout('01', 990), ...after]
    await read(6)
    expect(listGaps(db).map((one) => formatDecimal(restOfGap(db, one)))).toEqual(['0'])
    expect(sumSince(1_030)).toBe('0')
    expect(listDueFlows(db, Infinity).filter(({ fromHeight }) => fromHeight === 999)).toHaveLength(1)
  },
)

/** Changes of balance, one after the other: from a height to one, and by how much. */
const gapsOf = (db: Database, gaps: readonly (readonly [number, number, string])[]) => {
  for (const [fromHeight, height, change] of gaps) {
    const gap = { escrow, token, at: height * 1_000, fromHeight, height }
    saveGap(db, { ...gap, change: toDecimal(change) ?? noAmount }, 0)
    settleFlow(db, { ...gap, hash: `balance:${fromHeight}` }, { ...judged, verdict: 'unexplained' }, 0)
  }
  return listGaps(db).map((one) => formatDecimal(restOfGap(db, one)))
}

const deposit = { ...payout('02', 990), from: other, to: escrow }

test.each<readonly [string, FlowRow[], (readonly [number, number, string])[], string[]]>([
  // Of a node that stood still on the old blocks, which hold none of them.
  [
    'one payout',
    [payout('02', 990)],
    [
      [989, 990, '0'],
      [1_000, 1_001, '-10'],
    ],
    ['0', '0'],
  ],
  [
    'a deposit',
    [deposit],
    [
      [989, 990, '0'],
      [1_000, 1_001, '10'],
    ],
    ['0', '0'],
  ],
  [
    'two payouts',
    [payout('02', 990), payout('03', 995, '4')],
    [
      [989, 990, '0'],
      [994, 995, '0'],
      [1_000, 1_001, '-14'],
    ],
    ['0', '0', '0'],
  ],
  // It held the payout in a block before the one in which the list shows it.
  [
    'one that the node showed before',
    [payout('02', 995)],
    [
      [989, 990, '-10'],
      [994, 995, '0'],
    ],
    ['0', '0'],
  ],
  [
    'more than that',
    [payout('02', 990)],
    [
      [989, 990, '0'],
      [1_000, 1_001, '-11'],
    ],
    ['10', '-11'],
  ],
  [
    'none that is listed',
    [],
    [
      [989, 990, '10'],
      [1_000, 1_001, '-10'],
    ],
    ['10', '-10'],
  ],
  [
    'one that came in besides',
    [payout('02', 990)],
    [
      [989, 990, '5'],
      [1_000, 1_001, '-15'],
    ],
    ['15', '-15'],
  ],
])(
  'F46: what a node left out that stood still on other blocks is made up for once it shows these: %s',
  async (_title, rows, gaps, rests) => {
    const { db, read, sumSince } = setUp(rows)
    await read(3)
    expect(gapsOf(db, gaps)).toEqual(rests)
    expect(sumSince(1_001)).toBe('0')
  },
)

test('F46: a change of balance that a payout explains stays explained where that is in another block', async () => {
  const { db, world, read } = setUp([payout('01', 990), payout('02', 1_000)])
  await read(3)
  const gap = { escrow, token, hash: 'balance:999', at: 1_000_000, fromHeight: 999, height: 1_000 }
  saveGap(db, { ...gap, change: toDecimal('-10') ?? noAmount }, 0)
  settleFlow(db, gap, { ...judged, verdict: 'explained' }, 0)
  saveAnchor(db, escrow, token, { height: 1_030, balance: 80n, readAt: 0, misses: 0, missedAt: null })
  world.rows = [payout('01', 990), payout('02', 1_003)]
  await read(6)
  expect(listDueFlows(db, Infinity).filter(({ fromHeight }) => fromHeight !== null)).toEqual([])
})

test('what is new is read at once, and the hour before by itself: it may take minutes', async () => {
  const { db, world, setHead, reader, asked, stored, stream } = setUp([
    payout('01', 200),
    payout('02', 9_990),
  ])
  setHead(10_000)
  await readNewFlows(reader, noSignal)
  expect(asked).toEqual(['9880 to 10000'])
  expect(stored('01')).toBeNull()
  // Balances are set beside what moved only when that is known, too.
  expect(lowestCursor(db, [stream()?.id ?? ''])).toBeNull()
  world.rows = [payout('01', 7_000), ...world.rows]
  await readPastFlows(reader, noSignal)
  expect(asked.slice(1)).toEqual(['6400 to 10000'])
  expect(stored('01')).not.toBeNull()
  expect(lowestCursor(db, [stream()?.id ?? ''])).toBe(10_000)
  await readPastFlows(reader, noSignal)
  expect(asked).toHaveLength(2)
})

test('a reading of the past that ends late sets back nothing that was read meanwhile', async () => {
  const { world, setHead, reader, stream } = setUp([payout('01', 990)])
  await readNewFlows(reader, noSignal)
  const past = readPastFlows(reader, noSignal)
  setHead(1_100)
  world.rows = [...world.rows, payout('02', 1_090)]
  await readNewFlows(reader, noSignal)
  await past
  expect(stream()).toMatchObject({ cursor: 1_100, known: { hash: '0x02', height: 1_090 } })
})

test('a list that cannot be read keeps the past of no other from being read', async () => {
  const broken = { address: `0x${'01'.repeat(20)}`, token: other, baseline: null }
  const { reader, setHead, asked } = setUp(
    [payout('01', 7_000), payout('02', 9_990)],
    [broken, { address: escrow, token, baseline: null }],
  )
  setHead(10_000)
  await expect(readFlows(reader, noSignal)).rejects.toThrow('it fails')
  expect(asked).toEqual(['9880 to 10000', '6400 to 10000'])
})

describe('semantics.md 1: rows of a list that are equal', () => {
  const move = {
    token,
    from: escrow,
    to: `0x${'cc'.repeat(20)}`,
    amount: null,
    amountRaw: 10n ** 19n,
    tokenId: '',
  }
  const outwardOf = (world: ReturnType<typeof setUp>) => {
    const flow = world.stored('01')
    return flow && formatDecimal(flow.outward)
  }

  test('are as many movements as the answer about their transaction has, which is asked for once', async () => {
    const set = setUp([payout('01', 1_010), payout('01', 1_010), payout('01', 1_010)])
    set.world.moves = [move, move, { ...move, to: other }, { ...move, amountRaw: 1n }]
    await set.read(4)
    expect(outwardOf(set)).toBe('20')
    expect(set.world.moved).toEqual(['0x01'])
  })

  test('are no more than the list shows', async () => {
    const set = setUp([payout('01', 1_010), payout('01', 1_010)])
    set.world.moves = [move, move, move]
    await set.read(1)
    expect(outwardOf(set)).toBe('20')
  })

  test('are one at first where nobody says it, and what the list shows 45 s after their block', async () => {
    const at = 1_000_000 + 20_000
    const row = { ...payout('01', 1_010), time: at }
    const set = setUp([row, row])
    await set.read(4)
    expect(outwardOf(set)).toBe('10')
    await set.read(1)
    expect(outwardOf(set)).toBe('20')
    set.world.moves = [move]
    await set.read(1)
    expect(outwardOf(set)).toBe('10')
  })
})

describe('semantics.md 38: a row of a list that cannot be read', () => {
  const hash = `0x${'5'.repeat(64)}`
  const bad = { txId: hash, height: 1_010, amount: 'much', tokenContractAddress: token, state: 'success' }
  const move = { token, from: escrow, to: other, amount: null, amountRaw: 7n * 10n ** 18n, tokenId: '' }
  const flowOf = ({ db }: ReturnType<typeof setUp>) => {
    const [flow] = listFlowsOf(db, hash, token)
    return flow && formatDecimal(flow.outward)
  }

  test('counts as what its transaction moved, which is asked for once', async () => {
    const set = setUp([payout('01', 990)])
    set.world.unread = [bad]
    set.world.moves = [move, { ...move, from: other, to: `0x${'ee'.repeat(20)}` }]
    expect(await set.read(4)).toBe(0)
    expect(flowOf(set)).toBe('7')
    expect(set.world.moved).toEqual([hash])
    expect(set.stream()?.cursor).toBe(set.world.head)
  })

  test('is a list that is not whole while nobody says it, for a quarter of an hour, and hides nothing behind it', async () => {
    const set = setUp([payout('01', 990)])
    set.world.unread = [bad]
    expect(await set.read(20)).toBe(20)
    const held = set.stream()?.cursor ?? 0
    expect(held).toBeLessThan(bad.height)
    set.setHead(held + 6_000)
    set.world.rows = [...set.world.rows, payout('02', held + 5_900)]
    await set.read(1)
    expect(set.stored('02')).not.toBeNull()
    expect(set.stream()?.cursor).toBe(held)
    await set.read(60)
    expect(set.stream()?.cursor).toBe(set.world.head)
  })

  test.each([
    ['of a token that is not the bridge’s', { tokenContractAddress: other }],
    ['of a transaction that failed', { state: 'fail' }],
  ])('%s is none to wait for', async (_, of) => {
    const set = setUp([payout('01', 990)])
    set.world.unread = [{ ...bad, ...of }]
    expect(await set.read(2)).toBe(0)
    expect(set.world.moved).toEqual([])
  })
})

test.each([90, 140])(
  'what left while a list stood still for %i minutes is found once it goes on',
  async (minutes) => {
    const { world, read, stored } = setUp([payout('01', 990)])
    await read(4 * minutes)
    world.rows = [payout('01', 990), payout('02', 1_100), payout('03', world.head)]
    await read(1)
    expect(stored('02')).not.toBeNull()
  },
)
