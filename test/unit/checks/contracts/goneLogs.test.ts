import { expect, test } from 'vitest'
import type { BridgeLog } from '../../../../src/bridge/bridgeLog.ts'
import { followContract } from '../../../../src/checks/contracts/followContract.ts'
import { readProgress } from '../../../../src/checks/contracts/progressStore.ts'
import type { BlockSpan } from '../../../../src/kernel/reads/contractReads.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import type { Rpcs } from '../../../../src/kernel/rpcs.ts'
import { hash } from '../../../support/records.ts'
import { createTestKernel, noSignal, setMainHead } from '../support.ts'

const contract = `0x${'c0'.repeat(20)}`
const toLog = (name: string, height: number): BridgeLog => ({
  contract,
  hash: hash(name),
  height,
  time: height * 1_000,
  place: '0',
  topics: ['0x01'],
  data: '0x',
})

/** A contract with two acts, of which a reorganisation may take the newer one, and a node. */
function setUp() {
  const world = {
    logs: [toLog('old', 99_980), toLog('act', 99_990)],
    isContradicted: false,
    block: [hash('act'), hash('other')] as readonly string[] | null,
    receipt: { blockNumber: 99_990 } as object | null,
  }
  const kernel = createTestKernel({
    start: 100_000_000,
    rpcs: {
      canonical: {
        call: async () => null,
        callMany: async () => [
          { ok: true, value: world.block && { hashes: world.block, unreadable: [] } },
          { ok: true, value: world.receipt },
        ],
      },
      preconf: null,
    } as unknown as Rpcs,
    contractReads: {
      async logs(_: string, span: BlockSpan, { isKnown }: { readonly isKnown?: boolean }) {
        const records = world.logs.filter(({ height }) => height >= span.first && height <= span.last)
        if (records.length === 0 && isKnown === true)
          throw new MonitorError('source.empty', 'empty where something is known to be')
        return { requestedAt: kernel.clock.now(), records, bad: [], complete: true }
      },
      logsOfTopic: async () => ({ requestedAt: 0, records: [], bad: [] }),
      hasEmitted: async () => null,
      isOutOfBlocks: async () => false,
      verified: async () => null,
    },
  })
  const { clock, db, told } = kernel
  kernel.reads.mainBlock = async (height) => ({ height, blockTime: height * 1_000, requestedAt: clock.now() })
  const named = new Map([['0x01', 'Act']])
  const follow = followContract({
    ...kernel,
    address: contract,
    tellSince: 0,
    administration: new Map(),
    named,
  })
  let head = 100_000
  const tick = async () => {
    setMainHead(db, (head += 15), clock.now())
    await follow({ priority: 'tail', signal: noSignal })
    await clock.advance(15_000)
  }
  const forgotten: string[] = []
  kernel.logListeners.add({
    take: () => undefined,
    goesBy: (_, one) => one === hash('proof'),
    forget: (_, one) => forgotten.push(one),
  })
  const over = () => told.filter(({ isOver }) => isOver).map(({ facts }) => facts['txHash'])
  return { forgotten, over, progress: () => readProgress(db, contract), tick, told, world }
}

test('an act that is in no block any more is taken back after three readings over half a minute, once', async () => {
  const { over, tick, told, world } = setUp()
  await tick()
  Object.assign(world, { logs: world.logs.slice(0, 1), block: [hash('other')], receipt: null })
  await tick()
  await tick()
  expect(over()).toEqual([])
  await tick()
  expect(over()).toEqual([hash('act')])
  for (let n = 0; n < 5; n += 1) await tick()
  expect(told).toHaveLength(3)
})

test('what others go by is forgotten once it is in no block any more, and only that', async () => {
  const { forgotten, tick, world } = setUp()
  world.logs = ['proof', 'other proof'].map((name) => ({ ...toLog(name, 99_995), topics: ['0x02'] }))
  world.logs.unshift({ ...toLog('old', 99_980), topics: ['0x02'] })
  await tick()
  Object.assign(world, { logs: world.logs.slice(0, 1), block: [], receipt: null })
  for (let n = 0; n < 5; n += 1) await tick()
  expect(forgotten).toEqual([hash('proof')])
})

const standing = {
  'its block is shown with it': { block: [hash('act')], receipt: null },
  'it is known elsewhere': { block: [hash('other')], receipt: { blockNumber: 99_992 } },
  'its block is not shown': { block: null, receipt: null },
}

test.each(Object.entries(standing))('an act whose log is not shown stands: %s', async (_, node) => {
  const { over, tick, world } = setUp()
  await tick()
  Object.assign(world, { logs: world.logs.slice(0, 1), ...node })
  for (let n = 0; n < 5; n += 1) await tick()
  expect(over()).toEqual([])
})

test('the newest log is no control question once its transaction is in no block: a contract without others is read on', async () => {
  const { over, progress, tick, world } = setUp()
  world.logs = world.logs.slice(1)
  await tick()
  expect(progress()).toMatchObject({ lastLogHeight: 99_990, lastLogHash: hash('act') })
  world.logs = []
  await expect(tick()).rejects.toThrow('empty where something is known')
  await expect(tick()).rejects.toThrow('empty where something is known')
  Object.assign(world, { block: [], receipt: null })
  await tick()
  expect(progress()).toMatchObject({ lastLogHeight: null, lastLogHash: null })
  for (let n = 0; n < 4; n += 1) await tick()
  expect(over()).toEqual([hash('act')])
  world.logs = [toLog('later', 100_080)]
  await tick()
  expect(progress()).toMatchObject({ lastLogHeight: 100_080 })
})
