import { findingText } from '../support/readFinding.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/lib/secret.ts'
import { createLeapingApi, type LeapingApi } from '../support/leapingApi.ts'
import { hash } from '../support/records.ts'
import { answerEach, startRpcStub } from '../support/rpcStub.ts'
import type { Monitor } from '../support/startMonitor.ts'

/** A chain that can be cut back, and goes on with other blocks. */
function createChain() {
  let blocks = Array.from({ length: 1_000 }, (_, height) => hash(`block ${height}`))
  return {
    grow: (name: string, count: number) => {
      blocks = [...blocks, ...Array.from({ length: count }, (_, n) => hash(`${name} ${blocks.length + n}`))]
    },
    cut: (count: number) => {
      blocks = blocks.slice(0, -count)
    },
    height: () => blocks.length - 1,
    read: (tag: unknown) => {
      const height = typeof tag === 'string' && tag.startsWith('0x') ? Number(tag) : blocks.length - 1
      const own = blocks[height]
      if (own === undefined) return { result: null }
      const number = `0x${height.toString(16)}`
      return { result: { number, hash: own, parentHash: blocks[height - 1] ?? null, transactions: [] } }
    },
  }
}

async function setUp() {
  const chain = createChain()
  const rpc = await startRpcStub((body) => answerEach(body, ({ params }) => chain.read(params[0])))
  const stateDir = mkdtempSync(join(tmpdir(), 'spanwatch-reorg-'))
  onTestFinished(async () => {
    await rpc[Symbol.asyncDispose]()
    rmSync(stateDir, { recursive: true, force: true })
  })
  const canonical = { url: new Secret(rpc.url), confirmations: 3, verifyAbove: '0', sample: 0 }
  // Made last, ended first: hooks run the other way round.
  const world = await createLeapingApi()
  const start = () => world.watch({ stateDir, config: { canonical } })
  return { chain, start, world }
}

const shown = ({ app }: Monitor) => {
  const open = app.parts.opened.get('reorg')
  return open?.panel?.(0).lines.map(({ name, value }) => `${name}: ${value}`) ?? []
}
const told = ({ app }: Monitor) =>
  app.parts.db
    .prepare("SELECT finding FROM alerts WHERE kind = 'chain.reorg'")
    .all()
    .map(({ finding }) => JSON.parse(findingText(finding)).facts)

/** Lets each block be read before the next one comes. */
async function growSlowly(
  { app }: Monitor,
  { chain, world: { clock, until } }: { chain: ReturnType<typeof createChain>; world: LeapingApi },
  count: number,
) {
  for (let n = 0; n < count; n += 1) {
    chain.grow('first', 1)
    await until(() => app.parts.nodeHeads.main?.height === chain.height(), 10_000)
  }
  const readAt = clock.now()
  const comparedAt = () =>
    app.parts.pollerStatus().find(({ poller }) => poller === 'reorg')?.lastSuccessAt ?? 0
  await until(() => comparedAt() > readAt, 10_000)
}

test('chain.reorg: four replaced blocks are told, with the count; three are counted alone', async () => {
  const { chain, start, world } = await setUp()
  const { until } = world
  const monitor = await start()
  await growSlowly(monitor, { chain, world }, 4)
  chain.cut(3)
  chain.grow('second', 4)
  await until(() => shown(monitor).includes('Seen by canonical: 1'), 10_000)
  expect(told(monitor)).toEqual([])
  chain.cut(4)
  chain.grow('third', 5)
  await until(() => told(monitor).length > 0, 10_000)
  expect(told(monitor)).toMatchObject([{ depth: 4, depthAtMost: 4, source: 'canonical' }])
  expect(shown(monitor)[0]).toBe('Seen by canonical: 2')
  expect(shown(monitor)[1]).toMatch(/^Newest: 4 blocks from \d+ on, at .* UTC, by canonical$/)
  expect(monitor.app.parts.opened.get('reorg')?.metrics?.()).toEqual({
    spanwatch_main_reorgs_total: [[{ source: 'canonical' }, 2]],
    spanwatch_main_reorg_depth_blocks: [[{ source: 'canonical' }, 4]],
  })
})

test('chain.reorg: blocks that were replaced while nobody looked are told after a restart', async () => {
  const { chain, start, world } = await setUp()
  const first = await start()
  await growSlowly(first, { chain, world }, 6)
  await first.stop()
  chain.cut(6)
  chain.grow('second', 40)
  const second = await start()
  await world.until(() => told(second).length > 0, 20_000)
  expect(told(second)).toMatchObject([{ depth: 6, source: 'canonical' }])
})
