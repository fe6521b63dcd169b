import { expect, test } from 'vitest'
import type { Finding } from '../../../../src/bridge/finding.ts'
import type { Found } from '../../../../src/checks/preconf/receipt.ts'
import { type DroppedWatch, pollDropped, watchDropped } from '../../../../src/checks/preconf/pollDropped.ts'
import { createTestKernel, noSignal } from '../support.ts'

const hash = `0x${'ab'.repeat(32)}`
const dropped: Finding = {
  kind: 'preconf.dropped',
  subject: hash,
  title: `transaction ${hash}`,
  transfer: null,
  facts: { hash, height: 7 },
  labels: {},
  evidence: [],
  since: 1,
}

function setUp() {
  const kernel = createTestKernel()
  const { clock, db, told: found } = kernel
  const world = { answer: { at: 'nowhere' } as Found, asked: 0 }
  const watch: DroppedWatch = {
    ...kernel,
    source: {
      name: 'canonical',
      find: (hashes) => {
        world.asked += 1
        return Promise.resolve(new Map(hashes.map((one) => [one, world.answer])))
      },
    },
  }
  watchDropped(db, [dropped], clock.now())
  const pass = async (ms: number) => {
    for (let at = 0; at < ms; at += 10_000) {
      await kernel.clock.advance(10_000)
      await pollDropped(watch, noSignal)
    }
  }
  return { world, found, pass }
}

test('a transaction that was dropped and is mined after all ends what was told, once', async () => {
  const { world, found, pass } = setUp()
  await pass(120_000)
  expect(found).toEqual([])
  const transaction = {
    hash,
    index: 0,
    isSystem: false,
    status: 'success',
    gasUsed: null,
    logs: null,
  } as const
  world.answer = { at: 'block', height: 12, transaction }
  await pass(300_000)
  expect(found).toMatchObject([{ subject: hash, isOver: true, since: 1 }])
  expect(found[0]?.evidence.at(-1)?.says).toContain('block 12')
})

test('one that nobody mines is looked for ever more rarely, and no more after two days', async () => {
  const { world, found, pass } = setUp()
  await pass(3_600_000)
  expect(world.asked).toBeLessThan(9)
  await pass(50 * 3_600_000)
  const { asked } = world
  expect(asked).toBeLessThan(70)
  await pass(10 * 3_600_000)
  expect(world.asked).toBe(asked)
  expect(found).toEqual([])
})
