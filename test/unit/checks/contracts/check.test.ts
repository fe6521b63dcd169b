import { expect, test } from 'vitest'
import type { BridgeLog } from '../../../../src/bridge/bridgeLog.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import { createContractHistory } from '../../../../src/checks/contracts/history.ts'
import type { BlockSpan } from '../../../../src/kernel/reads/contractReads.ts'
import { shownLogs } from '../../../../src/checks/contracts/logLag.ts'
import { followContract } from '../../../../src/checks/contracts/followContract.ts'
import { listGaps, readProgress, saveGap } from '../../../../src/checks/contracts/progressStore.ts'
import type { WatchedContract } from '../../../../src/checks/contracts/takeLogs.ts'
import { createTestKernel, setMainHead } from '../support.ts'

const contract = `0x${'c0'.repeat(20)}`
const signal = new AbortController().signal
const options = { priority: 'tail', signal } as const

const toLog = (height: number): BridgeLog => ({
  contract,
  hash: `0x${height.toString(16)}`,
  height,
  time: height * 1_000,
  place: '0',
  topics: ['0x01'],
  data: '0x',
})

/** A chain of one contract's logs, and a service in front of it. */
function setUp(heights: number[] = []) {
  const world = {
    head: 100_000 as number | null,
    heights,
    refuse: (span: BlockSpan) => span.first < 0,
    isDisguised: false,
  }
  const asked: BlockSpan[] = []
  const topics: string[] = []
  const kernel = createTestKernel({
    start: 100_000_000,
    contractReads: {
      async logs(_, span) {
        asked.push(span)
        if (world.refuse(span)) throw new MonitorError('source.refused', 'too wide')
        const found = world.heights.filter((height) => height >= span.first && height <= span.last)
        const records = world.isDisguised ? [] : found.map(toLog)
        return { requestedAt: clock.now(), records, bad: [], complete: true }
      },
      logsOfTopic: async (_, topic) => {
        topics.push(topic)
        return { requestedAt: 0, records: [], bad: [] }
      },
      hasEmitted: async () => null,
      isOutOfBlocks: async () => false,
      verified: async () => null,
    },
  })
  const { clock, db, told } = kernel
  kernel.reads.mainBlock = async (height) => ({ height, blockTime: height * 1_000, requestedAt: clock.now() })
  const watched: WatchedContract = {
    ...kernel,
    address: contract,
    tellSince: 0,
    administration: new Map(),
    named: new Map([['0x01', 'Act']]),
  }
  const follow = followContract(watched)
  const tick = async () => {
    if (world.head !== null) setMainHead(db, world.head, clock.now())
    await follow(options)
  }
  /** Of the logs that were taken: each tells of an act. */
  const taken = () => told.map(({ facts }) => Number(facts['height']))
  const progress = () => readProgress(db, contract)
  const history = (since = 0) => createContractHistory([{ ...watched, tellSince: since }])(signal)
  const gaps = () => listGaps(db, contract, Infinity, 100).map(({ first, last }) => [first, last])
  return { clock, db, world, watched, asked, topics, taken, tick, progress, history, gaps }
}

test('before the head is known nothing is asked', async () => {
  const { asked, tick, world } = setUp()
  world.head = null
  await tick()
  expect(asked).toEqual([])
})

test('F45: each log is taken once, and one that is indexed late is found by the overlap (semantics 19)', async () => {
  const { world, taken, tick, progress } = setUp([99_990])
  await tick()
  expect(progress().next).toBe(100_001)
  world.head = 100_015
  world.heights.push(99_995, 100_010)
  await tick()
  expect(taken()).toEqual([99_990, 99_995, 100_010])
})

test('F47: throttling in disguise moves nothing: the range begins at a log that is known', async () => {
  const { world, asked, taken, tick, progress } = setUp([98_000])
  await tick()
  world.head = 100_500
  world.heights.push(100_400)
  world.isDisguised = true
  await tick()
  await tick()
  expect(asked.at(-1)?.first).toBe(98_000)
  expect(progress().next).toBe(100_001)
  world.isDisguised = false
  await tick()
  expect(taken()).toEqual([98_000, 100_400])
  expect(progress().next).toBe(100_501)
})

test('F47: a quiet contract is believed after three readings over 30 s, with a control question between them', async () => {
  const { world, clock, tick, progress } = setUp([97_000])
  await tick()
  world.head = 101_000
  const seen: (number | null)[] = []
  for (let round = 0; round < 4; round += 1) {
    await tick()
    seen.push(progress().next)
    await clock.advance(15_000)
  }
  // A log that lies within reach is its own control.
  expect(seen).toEqual([101_001, 101_001, 101_001, 101_001])
  world.heights.length = 0
  world.head = 101_100
  for (let round = 0; round < 6; round += 1) {
    await tick()
    await clock.advance(15_000)
  }
  expect(progress().next).toBe(101_001)
})

test('a log that a reorganisation moved further down is a control question where it is now, not where it was', async () => {
  const { world, clock, asked, tick, progress } = setUp([99_990])
  await tick()
  world.head = 100_004
  world.heights = [99_987]
  await tick()
  world.head = 104_000
  asked.length = 0
  for (let round = 0; round < 4; round += 1) {
    await tick()
    await clock.advance(15_000)
  }
  expect(asked).not.toContainEqual({ first: 99_990, last: 99_990 })
  expect(progress().next).toBe(104_001)
})

test('a log that is hidden while older ones are shown is known again as soon as it is shown', async () => {
  const { world, tick, progress } = setUp([99_950, 99_990])
  await tick()
  world.heights = [99_950]
  await tick()
  world.heights = [99_950, 99_990]
  await tick()
  expect(progress().lastLogHeight).toBe(99_990)
})

test('F48: a range that is refused is halved, and what stays refused is kept and read later', async () => {
  const { world, clock, taken, tick, gaps, history, progress } = setUp([96_500, 99_000, 99_999])
  world.refuse = ({ first, last }) => first <= 99_000 && last >= 99_000
  await tick()
  expect(taken().sort((a, b) => a - b)).toEqual([96_500, 99_999])
  expect(progress().next).toBe(100_001)
  expect(gaps()).toHaveLength(1)
  await history(99_000_000)
  expect(gaps().length).toBeGreaterThan(0)
  world.refuse = () => false
  await clock.advance(3_600_000)
  for (let round = 0; round < 4; round += 1) {
    await history(99_000_000)
    await clock.advance(3_600_000)
  }
  expect(taken()).toContain(99_000)
})

test('when nothing can be read the cursor stays, and the poll fails', async () => {
  const { world, tick, progress } = setUp([99_999])
  await tick()
  world.head = 100_100
  world.refuse = () => true
  await expect(tick()).rejects.toThrow('too wide')
  expect(progress().next).toBe(100_001)
})

test('after a long pause the newest blocks come first, the others are kept for later', async () => {
  const { world, taken, tick, gaps } = setUp([99_999])
  await tick()
  world.head = 125_000
  world.heights.push(105_000, 124_999)
  await tick()
  expect(taken()).toEqual([99_999, 124_999])
  const [[first] = [], ...rest] = gaps()
  expect(first).toBeLessThanOrEqual(100_001)
  expect(rest.at(-1)?.[1]).toBe(115_000)
})

test('the past is read backwards in pieces of 10,000 blocks until it is too old', async () => {
  const { asked, taken, tick, history, progress } = setUp([70_000, 90_000, 99_999])
  await tick()
  for (let round = 0; round < 5; round += 1) await history(85_000_000)
  expect(taken()).toEqual([99_999, 90_000])
  expect(asked.every(({ first, last }) => last - first < 10_000)).toBe(true)
  expect(progress().historyFrom).toBeNull()
})

test('when a contract was first read is noted once', async () => {
  const { clock, tick, progress } = setUp([99_999])
  const firstAt = clock.now()
  await tick()
  await clock.advance(3_600_000)
  await tick()
  expect(progress().followedSince).toBe(firstAt)
})

test('while a range that was missed takes all of the time, the past is read all the same', async () => {
  const { db, watched, tick, progress, world } = setUp([99_990])
  await tick()
  saveGap(db, contract, { first: 97_000, last: 97_100, attempts: 1, retryAt: 0 })
  let run = new AbortController()
  world.refuse = ({ first }) => {
    // Others are asked first until the run ends.
    if (first === 97_000) run.abort(new Error('ended'))
    return first === 97_000
  }
  const before = progress().historyFrom
  const read = createContractHistory([{ ...watched, tellSince: 0 }])
  await expect(read(run.signal)).rejects.toThrow('ended')
  expect(progress().historyFrom).toBe(before)
  run = new AbortController()
  await expect(read(run.signal)).rejects.toThrow('ended')
  expect(progress().historyFrom).toBeLessThan(before ?? 0)
})

test('acts are asked for by their topics while the logs of a contract lag', async () => {
  const { clock, tick, topics, watched } = setUp([99_000])
  await tick()
  for (const height of [99_501, 99_502, 99_503])
    watched.endpointLags.noteHappened(shownLogs(contract), { hash: `0x${height}`, height, time: clock.now() })
  await clock.advance(90_000)
  await tick()
  expect(topics).toEqual([])
  await clock.advance(1)
  await tick()
  expect(topics).toEqual(['0x01'])
})

test('what a contract emitted while its logs stood still for two hours is read once they go on', async () => {
  const { world, taken, tick } = setUp([99_000])
  await tick()
  for (world.head = 100_000; world.head < 107_500; world.head += 500) await tick()
  world.heights.push(100_100, 107_400)
  await tick()
  expect(taken()).toEqual([99_000, 100_100, 107_400])
})
