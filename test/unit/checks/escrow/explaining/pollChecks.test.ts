import { saveLogs } from '../../../../../src/checks/contracts/logStore.ts'
import { expect, test } from 'vitest'
import { negate, noAmount, toDecimal } from '../../../../../src/bridge/decimal.ts'
import type { Observation } from '../../../../../src/bridge/observation.ts'
import type { LegEvidence } from '../../../../../src/bridge/transfer.ts'
import type { Shown } from '../../../../../src/meaning/horizon.ts'
import { checkFlows } from '../../../../../src/checks/escrow/explaining/pollChecks.ts'
import { listFlowsOf } from '../../../../../src/checks/escrow/flows/flowRow.ts'
import { saveFlows, settleFlow } from '../../../../../src/checks/escrow/flows/flowStore.ts'
import { noteEscrowToken, saveHoldings } from '../../../../../src/checks/escrow/owed/owedStore.ts'
import { openEscrowWatch } from '../../../../../src/checks/escrow/watched/watch.ts'
import { hash, toRecord } from '../../../../support/records.ts'
import { noBridge } from '../../../../support/appConfig.ts'
import { kindsName } from '../../../../../src/meaning/doubtOrigin.ts'
import { createTestKernel, noSignal } from '../../support.ts'

const token = '0xcc'
const escrow = `0x${'bb'.repeat(20)}`
const tokens = [{ address: token, symbol: 'USDC', decimals: 6 }]
const bridge = { ...noBridge, escrows: [{ address: escrow, token, baseline: null }], tokens }
const hour = 3_600_000

/**
 * An escrow that a movement of 1.5 left, of a token id if one is named, told as what nothing explains unless `isNew`; and
 * `others` beside it that are new.
 */
function setUp({
  id = null as string | null,
  isNew = false,
  age = 0,
  oldestAge = null as number | null,
  isIn = false,
  /** Of what the escrow holds. */
  share = 0,
  isHistoryRead = true,
  isListRead = true,
  others = 0,
  settles = 60_000,
} = {}) {
  const asked: string[] = []
  const feedByHash = async (of: string) => {
    asked.push(of)
    return { requestedAt: kernel.clock.now(), records: [], bad: [] }
  }
  const opened = createTestKernel({ config: { bridge }, start: 1_790_000_000_000 })
  const triggered: string[] = []
  const trigger = (poller: string) => void triggered.push(poller)
  const settleMs = () => settles
  const kernel = { ...opened, trigger, settleMs, reads: { ...opened.reads, feedByHash } }
  const { clock, commit, cursors, db, learned, list } = kernel
  const watch = openEscrowWatch(kernel)
  /** What left is such a share of what the escrow holds. */
  const hold = (share: number) => {
    noteEscrowToken(db, token, 'ERC20')
    saveHoldings(db, token, BigInt(Math.round(1_500_000 / share)), clock.now())
  }
  if (share > 0) hold(share)
  const oldestAt = oldestAge === null ? null : clock.now() - oldestAge
  cursors.write({ ...cursors.read(), history: { ...cursors.read().history, done: isHistoryRead, oldestAt } })
  for (const one of ['a', 'b', 'c'])
    learned.learn(
      [{ kind: 'action', name: kindsName('ZoneToMain'), value: 'withdraw' }],
      { hash: one, party: one },
      1,
    )
  const amount = toDecimal('1.5') ?? noAmount
  const at = clock.now() - age
  const gross = id === null ? [] : [{ id, in: noAmount, out: amount, back: noAmount }]
  const flow = { escrow, token, hash: hash('main'), height: 500, at, party: '', gross }
  const sums = isIn ? { net: amount, outward: negate(amount) } : { net: negate(amount), outward: amount }
  const beside = Array.from({ length: others }, (_, n) => ({ ...flow, ...sums, hash: hash(`other ${n}`) }))
  saveFlows(db, [{ ...flow, ...sums }, ...beside], at, 0)
  const told = { verdict: 'unexplained', direction: 'out', unexplained: amount } as const
  if (!isNew) settleFlow(db, flow, { ...told, reason: '', checkAt: at, absence: null, waitsFor: null }, at)
  const world: { standing: Shown | null } = { standing: null }
  // An origin of before the movement is proven, and the list does not show it: that stands still.
  kernel.horizons.follow(() => ({
    newestListedAt: null,
    provenUnlisted: world.standing === 'list' ? [at - 1] : [],
    listings: [],
    unlisted: [],
    lateMs: null,
  }))
  const readOn = () => {
    const now = clock.now()
    const heads = (['main', 'zone'] as const).filter((chain) => chain !== world.standing)
    // Read twice, because one reading of a leap is not believed.
    for (const chain of [...heads, ...heads])
      commit({ heads: [{ chain, height: 1_000 + now / 1_000, blockTime: now, requestedAt: now }] })
    list.readAt = isListRead ? now : null
  }
  const look = async (times: number, everyMs = hour) => {
    for (let n = 0; n < times; n += 1) {
      await clock.advance(everyMs)
      readOn()
      await checkFlows({ ...kernel, watch }, noSignal)
    }
    return listFlowsOf(db, flow.hash, token)[0]?.verdict
  }
  /** A record of the movement, or an event of the chain. */
  const show = (overrides: Partial<Observation> = {}) => {
    const times = { requestedAt: clock.now(), mainTime: at, zoneTime: at - 60_000 }
    commit({ answers: [[toRecord({ ...times, ...overrides })]] })
  }
  const prove = (overrides: Partial<LegEvidence> = {}) => {
    const said = { chain: 'zone', hash: hash('zone'), source: 'E9', status: 'success' } as const
    const reading = { ...said, errorMessage: '', moves: null, requestedAt: clock.now(), ...overrides }
    commit({ evidence: [reading] })
  }
  const wake = () => db.prepare('UPDATE escrow_flows SET check_at = 0').run()
  /** The list shows an older record than before. */
  const showOlder = (age: number) => {
    const { history } = cursors.read()
    cursors.write({ ...cursors.read(), history: { ...history, oldestAt: clock.now() - age } })
  }
  return { db, world, show, prove, look, wake, triggered, asked, showOlder, hold }
}

test.each([
  [9, []],
  [10, ['escrowChecks']],
])('what one run did not ask for is asked for at once: %i beside it', async (others, expected) => {
  const { look, triggered } = setUp({ isNew: true, others })
  await look(1, 15_000)
  expect(triggered).toEqual(expected)
})

test.each([
  [60_000, ['open', 'open', 'open', 'unexplained', 'unexplained', 'unexplained']],
  [85_000, ['open', 'open', 'open', 'open', 'open', 'unexplained']],
  [30_000, ['open', 'open', 'open', 'unexplained', 'unexplained', 'unexplained']],
])(
  'what left waits for its record as long as records take, and for a minute: they take up to %i ms',
  async (settles, expected) => {
    const { look } = setUp({ isNew: true, settles })
    const verdicts: unknown[] = []
    for (let n = 0; n < expected.length; n += 1) verdicts.push(await look(1, 15_000))
    expect(verdicts).toEqual(expected)
  },
)

test('what left is told until the origin of its record is proven, however often it was looked at', async () => {
  const { show, prove, look, wake } = setUp()
  show()
  expect(await look(24)).toBe('unexplained')
  prove()
  wake()
  expect(await look(1)).toBe('explained')
})

test('what left is told while its record waits for the zone', async () => {
  const { world, show, prove, look } = setUp()
  show()
  world.standing = 'zone'
  expect(await look(1)).toBe('unexplained')
  world.standing = null
  prove()
  expect(await look(1)).toBe('explained')
})

test('what left is told while the answer about the origin that its event names is under way', async () => {
  const { show, prove, look } = setUp()
  show({ source: 'chain' })
  expect(await look(1, 15_000)).toBe('unexplained')
  show()
  prove()
  expect(await look(1)).toBe('explained')
})

test('semantics.md 41: of a payout whose record is not listed yet nobody says that it names no token id', async () => {
  const { world, show, prove, look } = setUp({ id: '7', isNew: true })
  show({ source: 'chain' })
  prove({ actionType: 'withdraw', amount: '1.5', amountRaw: 1_500_000n })
  world.standing = 'list'
  // However long the list stands still: it is looked at again once that goes on.
  expect(await look(24)).toBe('explained')
  world.standing = null
  expect(await look(1)).toBe('unjudged')
})

test.each([null, 'zone', 'list'] as const)(
  'what left for a payout whose record says that it failed waits for nothing, as for: %s',
  async (standing) => {
    const { world, show, look } = setUp({ isNew: true })
    show({ status: 'failed' })
    world.standing = standing
    expect(await look(24)).toBe('unexplained')
  },
)

test('what left for a payout whose record says that it failed waits for no event of it that is to be set beside it', async () => {
  const { db, show, look } = setUp({ isNew: true })
  show({ status: 'failed' })
  db.prepare('INSERT INTO bridge_topics VALUES (?, ?, 1, ?, 0)').run(
    '0xb',
    '0xt',
    '{"direction":"ZoneToMain"}',
  )
  const log = { contract: '0xb', hash: hash('main'), place: '0', topics: ['0xt'], data: '0x' }
  saveLogs(db, [{ ...log, height: 500, time: 0 }], 0)
  expect(await look(24, 15_000)).toBe('unexplained')
})

test.each([
  {
    title: 'since the start is judged while history is being read',
    age: 0,
    isHistoryRead: false,
    verdict: 'unexplained',
  },
  {
    title: 'before the start is not, while history is being read',
    age: 60_000,
    isHistoryRead: false,
    verdict: 'open',
  },
  {
    title: 'before the start is once history was read',
    age: 60_000,
    isHistoryRead: true,
    verdict: 'unexplained',
  },
])('what left $title', async ({ age, isHistoryRead, verdict }) => {
  const { look } = setUp({ isNew: true, age, isHistoryRead })
  expect(await look(24, 15_000)).toBe(verdict)
})

test('what left while nothing ran is not asked about one by one while what the tail left out is being read', async () => {
  const { look, asked } = setUp({ isNew: true, age: hour, isListRead: false })
  expect(await look(24, 15_000)).toBe('open')
  expect(asked).toEqual([])
})

const day = 86_400_000

test.each([
  { title: 'long before the oldest record', age: 20 * hour, oldestAge: 5 * hour, verdict: 'unjudged' },
  {
    title: 'soon after it, of a record that may have been older',
    age: 5 * hour - 599_000,
    oldestAge: 5 * hour,
    verdict: 'unjudged',
  },
  { title: 'later', age: 5 * hour - 600_000, oldestAge: 5 * hour, verdict: 'unexplained' },
  {
    title: 'before it, where the list reaches back as far as was asked for',
    age: 20 * hour,
    oldestAge: 2 * day,
    verdict: 'unexplained',
  },
  { title: 'since the first start', age: 0, oldestAge: 60_000, verdict: 'unexplained' },
])('what left $title is $verdict', async ({ age, oldestAge, verdict }) => {
  const { look, asked } = setUp({ isNew: true, age, oldestAge })
  expect(await look(24, 15_000)).toBe(verdict)
  expect(asked.length > 0).toBe(verdict === 'unexplained')
})

test('what left before the oldest record is asked for by its hash where it is much', async () => {
  const { look, asked } = setUp({ isNew: true, age: 20 * hour, oldestAge: 5 * hour, share: 0.01 })
  // Whether the filter finds a record that is there is not known: that the list shows none says nothing of what is older.
  expect(await look(24, 15_000)).toBe('open')
  expect(asked.length).toBeGreaterThan(2)
})

test('what left before the oldest record is asked for once what the escrow holds shows that it was much', async () => {
  const { look, asked, hold } = setUp({ isNew: true, age: 20 * hour, oldestAge: 5 * hour })
  expect(await look(4, 15_000)).toBe('unjudged')
  expect(asked).toEqual([])
  hold(9)
  await look(24, 60_000)
  expect(asked.length).toBeGreaterThan(2)
})

test.each([0, 0.5])(
  'what came in before the oldest record is no matter, be it %d of what is there',
  async (share) => {
    const { look, asked } = setUp({ isNew: true, isIn: true, age: 20 * hour, oldestAge: 5 * hour, share })
    expect(await look(4, 15_000)).toBe('explained')
    expect(asked).toEqual([])
  },
)

test.each([4, 200])(
  'what left before the oldest record is judged once the list shows older ones, after %i looks',
  async (looks) => {
    const { look, showOlder } = setUp({ isNew: true, age: 20 * hour, oldestAge: 5 * hour })
    expect(await look(looks, 60_000)).toBe('unjudged')
    showOlder(2 * day)
    expect(await look(24, 15_000)).toBe('unexplained')
  },
)

test('what left before the oldest record is explained by a record that is shown of it', async () => {
  const { look, show, prove } = setUp({ isNew: true, age: 20 * hour, oldestAge: 5 * hour })
  expect(await look(4, 15_000)).toBe('unjudged')
  show()
  prove()
  expect(await look(4, 15_000)).toBe('explained')
})
