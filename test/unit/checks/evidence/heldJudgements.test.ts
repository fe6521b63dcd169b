import { expect, onTestFinished, test } from 'vitest'
import { evidence } from '../../../../src/checks/evidence/check.ts'
import type { Explorer } from '../../../../src/clients/explorer/createExplorer.ts'
import { createRunner } from '../../../../src/kernel/runner.ts'
import { holdJudgement, takeHeldJudgements } from '../../../../src/ledger/learned.ts'
import { createSilentLog } from '../../../../src/lib/log.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { putQueued, queuedLeg } from '../queuedLegs.ts'
import { createTestKernel } from '../support.ts'

test('what was held is judged when its time has come, although a source does not answer', async () => {
  const asked: string[] = []
  const silent = (signal: AbortSignal | undefined) =>
    new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(new Error('ended'))))
  const kernel = createTestKernel({
    isManual: true,
    explorer: {
      callNonEmpty: async ({ id }: { id: string }, _: unknown, how: { signal?: AbortSignal }) => {
        asked.push(id)
        return silent(how.signal)
      },
      health: () => ({ clockAheadMs: null }),
    } as unknown as Explorer,
  })
  const { clock, db, ledger } = kernel
  ledger.recordAnswer([toRecord()], clock.now())
  putQueued(db, queuedLeg({ ask: 'main', hash: hash('main') }))
  const runner = createRunner({ clock, log: createSilentLog() }, evidence.open(kernel).pollers)
  onTestFinished(() => runner.stop())
  runner.start()
  holdJudgement(db, 't1', clock.now() + 10_000)
  for (let second = 0; second < 30; second += 1) await clock.advance(1_000)
  expect(asked).toContain('E13')
  expect(takeHeldJudgements(db, clock.now(), 9, () => 0)).toEqual([])
})
