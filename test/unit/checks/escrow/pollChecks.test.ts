import { expect, test } from 'vitest'
import { noAmount, toDecimal } from '../../../../src/bridge/decimal.ts'
import { createMostKept } from '../../../../src/meaning/mostKept.ts'
import type { Wait } from '../../../../src/meaning/standing.ts'
import type { Transfer } from '../../../../src/bridge/transfer.ts'
import { createEscrowChecksPoll } from '../../../../src/checks/escrow/pollChecks.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { listFlowsOf, saveFlows, settleFlow } from '../../../../src/checks/escrow/flowStore.ts'
import { hash } from '../../../support/records.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'
import { completed } from '../../rules/transfers.ts'
import { noSignal } from '../support.ts'

const token = '0xcc'
const escrow = `0x${'bb'.repeat(20)}`

/** An escrow that a movement of 1.5 left, of a token id if one is named, told as what nothing explains unless `isNew`. */
function setUp({ id = null as string | null, isNew = false } = {}) {
  const clock = createSteppedClock({ start: 10_000_000 })
  const db = openDatabase(':memory:')
  const amount = toDecimal('1.5') ?? noAmount
  const at = clock.now()
  const gross = id === null ? [] : [{ id, in: noAmount, out: amount, back: noAmount }]
  const flow = { escrow, token, hash: hash('main'), height: 500, at, party: '', gross }
  saveFlows(db, [{ ...flow, net: amount, outward: amount }], at, 0)
  const told = { verdict: 'unexplained', direction: 'out', unexplained: amount } as const
  if (!isNew) settleFlow(db, flow, { ...told, reason: '', checkAt: at, absence: null, waitsFor: null }, at)
  const world: { transfers: readonly Transfer[]; wait: Wait | null } = { transfers: [], wait: null }
  const check = createEscrowChecksPoll({
    clock,
    db,
    mostKept: createMostKept([]),
    judgeToken: () => 'other',
    isReady: () => true,
    listTransfers: () => world.transfers,
    riskOf: () => ({ share: 0, counts: true }),
    waitsFor: () => world.wait,
    fitsWaiting: () => null,
    hasOpenEvent: () => false,
    reads: { feedByHash: async () => ({ requestedAt: clock.now(), records: [], bad: [] }) },
    commit: ({ apply }) => {
      apply?.(clock.now())
      return { news: 0, hasUrgent: false }
    },
    listReadAt: () => clock.now(),
    readControlHash: () => null,
  })
  const look = async (times: number) => {
    for (let n = 0; n < times; n += 1) {
      await clock.advance(3_600_000)
      await check(noSignal)
    }
    return listFlowsOf(db, flow.hash, token)[0]?.verdict
  }
  return { world, look, wake: () => db.prepare('UPDATE escrow_flows SET check_at = 0').run() }
}

test('what left is told until the origin of its record is proven, however often it was looked at', async () => {
  const { world, look, wake } = setUp()
  world.transfers = [completed()]
  expect(await look(24)).toBe('unexplained')
  world.transfers = [{ ...completed(), originProof: 'proven' }]
  wake()
  expect(await look(1)).toBe('explained')
})

test.each(['zone', 'answer'] as const)(
  'what left is told while its record waits for the %s',
  async (wait) => {
    const { world, look } = setUp()
    world.transfers = [completed()]
    world.wait = wait
    expect(await look(1)).toBe('unexplained')
    world.wait = null
    world.transfers = [{ ...completed(), originProof: 'proven' }]
    expect(await look(1)).toBe('explained')
  },
)

test('semantics.md 41: of a payout whose record is not listed yet nobody says that it names no token id', async () => {
  const { world, look } = setUp({ id: '7', isNew: true })
  const named = completed()
  const leg: Transfer = { ...named, isListed: false, token: { ...named.token, id: '' } }
  world.transfers = [{ ...leg, zone: null, claim: { hash: hash('zone'), proof: 'proven' } }]
  world.wait = 'record'
  // However long the list stands still: it is looked at again once that goes on.
  expect(await look(24)).toBe('explained')
  world.wait = null
  expect(await look(1)).toBe('unjudged')
})

test.each([null, 'zone', 'list', 'answer'] as const)(
  'what left for a payout whose record says that it failed waits for nothing, as for: %s',
  async (wait) => {
    const { world, look } = setUp({ isNew: true })
    world.transfers = [{ ...completed(), status: 'failed', state: 'failed' }]
    world.wait = wait
    expect(await look(24)).toBe('unexplained')
  },
)
