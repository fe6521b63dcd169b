import { expect, test } from 'vitest'
import { createOperatorsPoll, isSilenceProven } from '../../../../src/checks/operators/poll.ts'
import { listOperators } from '../../../../src/checks/operators/store.ts'
import type { SentTransaction } from '../../../../src/kernel/mainReads.ts'
import { createTestKernel, noSignal, setMainHead } from '../support.ts'

const address = `0x${'0e'.repeat(20)}`
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
  const tick = async (head: number) => {
    setMainHead(db, head, clock.now())
    await run(noSignal)
    await clock.advance(30_000)
    return listOperators(db)
  }
  return { world, tick }
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
