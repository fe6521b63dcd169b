import type { Finding } from '../../../src/bridge/finding.ts'
import type { LoadedRule } from '../../../src/rules/types.ts'
import {
  type BenchOptions,
  createBench,
  createCondition,
  createRoute,
  createRule,
  type FakeChannel,
} from './harness.ts'

const minute = 60_000

export const zone = createCondition('zone')
export const stalled = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'critical' })

/** All of a rule to one channel at once, and again each hour. */
export const hourly = createRoute({ groupBy: ['rule'], groupWaitMs: 0, repeatMs: 60 * minute })

/** A monitor that judges a rule each minute and sends. */
export function watch(options: BenchOptions = {}) {
  const bench = createBench({ routes: [hourly], ...options })
  const dispatcher = bench.startSending()
  const flush = async (minutes = 1) => {
    for (let at = 0; at < minutes; at += 1) {
      bench.engine.flush(bench.clock.now())
      dispatcher.wake()
      await bench.clock.advance(minute)
    }
  }
  return {
    ...bench,
    flush,
    async judge(rule: LoadedRule, findings: readonly Finding[], minutes = 1) {
      for (let at = 0; at < minutes; at += 1) {
        bench.engine.applyCondition(rule, { findings, unknown: [] }, bench.clock.now())
        await flush()
      }
    },
    stop: () => dispatcher.stop(),
  }
}

/** The same ledger and channels, with other settings. */
export async function restart(
  before: ReturnType<typeof watch>,
  options: BenchOptions,
): Promise<ReturnType<typeof watch>> {
  await before.stop()
  const { database, clock, fakes } = before
  const world = watch({ database, clock, fakes, ...options })
  world.engine.start(clock.now())
  world.engine.releaseStart()
  return world
}

/** What a channel was sent, each alert as `status severity`. */
export function listSaid({ sent }: FakeChannel): string[] {
  return sent.flatMap(({ items }) => items.map(({ status, severity }) => `${status} ${severity}`))
}
