import { expect, test } from 'vitest'
import { createOperatorsPoll, isSilenceProven } from '../../../../src/checks/operators/poll.ts'
import { listOperators } from '../../../../src/checks/operators/store.ts'
import type { SentTransaction } from '../../../../src/kernel/reads/mainReads.ts'
import { noBridge, plainConfig } from '../../../support/appConfig.ts'
import { toFacts } from '../../rules/facts.ts'
import { operators } from '../../../../src/checks/operators/check.ts'
import { operatorLowBalance } from '../../../../src/checks/operators/lowBalance.ts'
import { createTestKernel, noSignal, setMainHead } from '../support.ts'

const address = `0x${'0e'.repeat(20)}`
const day = 86_400_000
const other = `0x${'0f'.repeat(20)}`
const sent = (height: number, from: string): SentTransaction => ({
  hash: `0x${height}`,
  height,
  time: height * 1_000,
  from,
})

/** Two operators, and what the service and the node say of them. */
function setUp() {
  const kernel = createTestKernel()
  const { clock, db } = kernel
  const world = { rows: [sent(9_000, address), sent(9_001, other)], isWhole: true }
  const run = createOperatorsPoll({
    ...kernel,
    addresses: [address, other],
    balances: { readNative: async () => [5n, null] },
    reads: {
      async sent(_, { from, to }) {
        const rows = world.rows.filter(({ height }) => height >= from && height <= to)
        return { requestedAt: clock.now(), rows, isWhole: world.isWhole, problem: '', bad: [] }
      },
    },
  })
  const poll = async () => {
    await run(noSignal)
    await clock.advance(30_000)
    return listOperators(db)
  }
  const tick = (head: number) => {
    setMainHead(db, head, clock.now())
    return poll()
  }
  return { world, clock, tick, poll }
}

test('what operators hold and sent last is kept; what could not be read stays unknown', async () => {
  const { tick } = setUp()
  expect(await tick(9_100)).toMatchObject([
    { address, balance: 5n, last: { height: 9_000, at: 9_000_000 }, absence: null },
    { address: other, balance: null, last: { height: 9_001 } },
  ])
})

test('silence is proven by three readings over 30 s that show another, and ends with the next transaction', async () => {
  const { world, tick } = setUp()
  const proven: boolean[] = []
  for (const head of [9_100, 9_101, 9_102, 9_103]) {
    const [first] = await tick(head)
    proven.push(first !== undefined && isSilenceProven(first))
  }
  expect(proven).toEqual([false, false, false, true])
  world.rows.push(sent(9_104, address))
  expect((await tick(9_104))[0]).toMatchObject({ absence: null, last: { height: 9_104 } })
})

test('an answer that is not whole proves no silence', async () => {
  const { world, tick } = setUp()
  await tick(9_100)
  world.isWhole = false
  for (const head of [9_101, 9_102, 9_103]) await tick(head)
  expect((await tick(9_104))[0]?.absence).toBeNull()
})

test('after days in which nothing ran the head of before proves no silence, and what was sent meanwhile is read first', async () => {
  const { world, clock, tick, poll } = setUp()
  for (const head of [9_100, 9_101, 9_102, 9_103]) await tick(head)
  const stoppedAt = clock.now()
  await clock.advance(3 * day)
  /** Whether nothing is known of it to have been sent since, by answers that show that. */
  const isSilent = (list: ReturnType<typeof listOperators>) =>
    list[0] !== undefined && isSilenceProven(list[0]) && (list[0].readAt ?? 0) > stoppedAt
  expect(isSilent(await poll())).toBe(false)
  // It went on for a day, and then it fell silent.
  world.rows.push(sent(95_000, address))
  const head = 9_103 + 259_200
  for (let n = 0; n < 27; n += 1) expect(isSilent(await tick(head + n))).toBe(false)
  for (const n of [27, 28]) await tick(head + n)
  const after = await tick(head + 29)
  expect(after[0]?.last).toMatchObject({ height: 95_000 })
  expect(isSilent(after)).toBe(true)
})

/** One operator, what a reorganisation makes of what it sent last, and a node. */
function setUpReorganised() {
  const act = sent(9_050, address)
  const world = { rows: [sent(9_000, address), act], block: [act.hash] as readonly string[] }
  const kernel = createTestKernel({
    rpcs: {
      canonical: {
        callMany: async () => [
          { ok: true, value: { hashes: world.block, unreadable: [] } },
          { ok: true, value: null },
        ],
      },
    } as never,
  })
  const { clock, db } = kernel
  const run = createOperatorsPoll({
    ...kernel,
    addresses: [address],
    balances: null,
    reads: {
      async sent(_, { from, to }, { isKnown }) {
        const rows = world.rows.filter(({ height }) => height >= from && height <= to)
        const isWhole = rows.length > 0 || isKnown !== true
        return { requestedAt: clock.now(), rows, isWhole, problem: '', bad: [] }
      },
    },
  })
  const tick = async (head: number) => {
    setMainHead(db, head, clock.now())
    await run(noSignal)
    await clock.advance(30_000)
    return listOperators(db)[0]
  }
  return { act, tick, world }
}

test('silence is proven behind a transaction that a reorganisation left out: what was sent before it is the last', async () => {
  const { tick, world } = setUpReorganised()
  await tick(9_060)
  Object.assign(world, { rows: world.rows.slice(0, 1), block: [] })
  await tick(9_090)
  for (const head of [9_120, 9_150, 9_180]) await tick(head)
  const operator = await tick(9_210)
  expect(operator?.last).toEqual({ hash: '0x9000', height: 9_000, at: 9_000_000 })
  expect(operator && isSilenceProven(operator)).toBe(true)
})

test('one that was taken into an earlier block is where it is now', async () => {
  const { act, tick, world } = setUpReorganised()
  await tick(9_060)
  Object.assign(world, { rows: [{ ...act, height: 9_048 }], block: [] })
  for (const head of [9_090, 9_120, 9_150]) await tick(head)
  const operator = await tick(9_180)
  expect(operator?.last).toMatchObject({ hash: act.hash, height: 9_048 })
  expect(operator && isSilenceProven(operator)).toBe(true)
})

test('what an answer hides while its block holds it is no proof of silence', async () => {
  const { tick, world } = setUpReorganised()
  await tick(9_060)
  world.rows = []
  for (const head of [9_090, 9_120, 9_150, 9_180]) await tick(head)
  const operator = await tick(9_210)
  expect(operator).toMatchObject({ last: { height: 9_050 }, absence: null })
})

/** A day of readings of an operator that spends a unit every ten minutes, and what the kind says of it. */
async function readDay(start: bigint, topUp: bigint) {
  const config = {
    bridge: { ...noBridge, operators: [{ address, minBalance: null }] },
    poll: { ...plainConfig.poll, escrows: '*/30 * * * * *' },
  }
  const kernel = createTestKernel({ config })
  const { clock } = kernel
  const began = clock.now()
  const world = { balance: start }
  const run = createOperatorsPoll({
    ...kernel,
    addresses: [address],
    balances: { readNative: async () => [world.balance * 10n ** 18n] },
    reads: {
      sent: async () => ({ requestedAt: clock.now(), rows: [], isWhole: true, problem: '', bad: [] }),
    },
  })
  const open = operators.open(kernel)
  const judge = () => {
    const now = clock.now()
    const facts = { ...toFacts(now), ...open.facts(now) }
    return operatorLowBalance.judge(facts, operatorLowBalance.params.parse({ days: 3 }))
  }
  const told: number[] = []
  for (let step = 0; step < 300; step += 1) {
    if (step % 2 === 0) world.balance -= 1n
    if (step === 100) world.balance += topUp
    setMainHead(kernel.db, 9_100 + step, clock.now())
    await run(noSignal)
    if (judge().findings.length > 0) told.push(clock.now() - began)
    await clock.advance(300_000)
  }
  return { firstToldMs: told[0] ?? null, last: judge().findings[0]?.facts }
}

test('gas money for less than three days is told once nearly a day was measured, whatever was topped up', async () => {
  const { firstToldMs, last } = await readDay(400n, 20n)
  // The five minutes of the top-up are not measured.
  expect(firstToldMs).toBe(20 * 3_600_000 + 300_000)
  expect(last).toMatchObject({ balance: '270', enoughFor: 'enough for about 2 days' })
})

test('gas money for more than three days is not', async () => {
  expect((await readDay(700n, 0n)).firstToldMs).toBeNull()
})
