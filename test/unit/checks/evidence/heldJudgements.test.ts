import { expect, onTestFinished, test } from 'vitest'
import { evidence } from '../../../../src/checks/evidence/check.ts'
import type { Explorer } from '../../../../src/clients/explorer/createExplorer.ts'
import { createRunner } from '../../../../src/kernel/running/runner.ts'
import { holdJudgement, takeHeldJudgements } from '../../../../src/ledger/lessons/learned.ts'
import { createSilentLog } from '../../../../src/lib/log.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { putQueued, queuedLeg } from '../queuedLegs.ts'
import { createTestKernel } from '../support.ts'

test('what was held is judged when its time has come, although a source does not answer', async () => {
  const asked: string[] = []
  const silent = (signal: AbortSignal | undefined) =>
    new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(new Error('ended'))))
  const explorer = {
    callNonEmpty: async ({ id }: { id: string }, _: unknown, how: { signal?: AbortSignal }) => {
      asked.push(id)
      return silent(how.signal)
    },
    session: () => explorer,
    health: () => ({ clockAheadMs: null }),
  } as unknown as Explorer
  const kernel = createTestKernel({ isManual: true, explorer })
  const { clock, db, ledger } = kernel
  ledger.recordAnswer([toRecord()], clock.now())
  putQueued(db, queuedLeg({ ask: 'main', hash: hash('main') }))
  const runner = createRunner({ clock, log: createSilentLog() }, evidence.open(kernel).pollers)
  onTestFinished(() => runner.stop())
  runner.start()
  holdJudgement(db, 't1', clock.now() + 10_000)
  for (let second = 0; second < 30; second += 1) await clock.advance(1_000)
  expect(asked).toContain('E13')
  expect(takeHeldJudgements(db, clock.now(), 9, { known: new Map(), of: () => 0 })).toEqual([])
})

test('of thousands that are held the one of most value is judged first, and what they are worth is found out once', () => {
  const { db } = createTestKernel()
  for (let n = 0; n < 6_000; n += 1) holdJudgement(db, `t${n}`, n)
  const looked: string[] = []
  const risks = {
    known: new Map<string, number>(),
    of: (key: string) => (looked.push(key), key === 't5999' ? 1 : 0),
  }
  const taken = takeHeldJudgements(db, 10_000, 100, risks)
  expect([taken[0], looked.length]).toEqual(['t5999', 500])
  for (let run = 0; run < 20; run += 1) takeHeldJudgements(db, 10_000, 100, risks)
  expect(looked).toHaveLength(new Set(looked).size)
})

test('what was long over is asked of in the background: others go before it', () => {
  const { pollers } = evidence.open(createTestKernel())
  const names = pollers.flatMap(({ name, isBackground }) => (isBackground ? [name] : []))
  expect(names).toEqual(['evidenceHistory'])
})
