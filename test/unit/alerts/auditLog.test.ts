import { expect, test } from 'vitest'
import { createOperations } from '../../../src/alerts/operations.ts'
import { kinds } from '../../../src/checks/index.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import { ana, createBench, createEvent, createFakeChannel, createRule, start, vocabulary } from './harness.ts'

function run() {
  const bench = createBench({ fakes: [createFakeChannel('ops')] })
  const operations = createOperations({
    following: new Set(),
    store: bench.store,
    kinds,
    vocabulary,
    log: createSilentLog(),
    clock: bench.clock,
    onChanged: () => undefined,
  })
  bench.engine.tellEvents([{ rule: createRule(), finding: createEvent(1) }], start)
  const alert = bench.store.listAlerts({ limit: 1 })[0]
  const logged = () =>
    bench.store
      .listChanges({ limit: 99 })
      .map(({ who, via, what, about, aboutId, detail }) =>
        [who, via, what, about, aboutId, detail].join(' | '),
      )
  return { ...bench, operations, logged, id: alert?.fingerprint.slice(0, 8) ?? '' }
}

const silence = {
  matchers: ['rule=failed'],
  startsAt: null,
  endsAt: start + 3_600_000,
  author: 'ana',
  comment: 'known',
}

test('each change by a person is an entry of the audit log: who, from where, what, about what', () => {
  const { operations, store, logged, id } = run()
  operations.ackAlert(id, ana)
  operations.addSilence(silence, ana)
  operations.expireSilence(1, { ...ana, by: '' })
  operations.retryOutbox(1, ana)
  operations.retryOutbox('dead', ana)
  operations.dropOutbox(1, ana)
  expect(store.listDecisions({ limit: 9 }).length).toBeGreaterThan(0)
  expect(logged()).toMatchInlineSnapshot(`
    [
      "ana | cli | dropped | outbox | 1 | event of failed: t1, to ops",
      "ana | cli | retried | outbox | dead | all 0 that were set aside",
      "ana | cli | retried | outbox | 1 | event of failed: t1, to ops",
      " | cli | ended | silence | 1 | rule="failed", of ana: known",
      "ana | cli | made | silence | 1 | rule="failed" until 2026-09-21T15:13:20.000Z, by ana: known",
      "ana | cli | acknowledged | case | c1 | it opens again when something critical joins it, or when its money at risk grows by a tenth",
      "ana | cli | acknowledged | alert | 2a17ef27 | failed: t1",
    ]
  `)
})

test('what is refused changes nothing, and is no entry', () => {
  const { operations, logged, id } = run()
  expect(() => operations.ackAlert('00000000', ana)).toThrow('no alert')
  expect(() => operations.ackAlert(id, { ...ana, by: '\u200b' })).toThrow('who')
  expect(() => operations.addSilence({ ...silence, comment: '' }, ana)).toThrow('refused')
  expect(() => operations.expireSilence(9, ana)).toThrow('no silence')
  expect(() => operations.retryOutbox(9, ana)).toThrow('no outbox item')
  expect(() => operations.dropOutbox(9, ana)).toThrow('no outbox item')
  expect(logged()).toEqual([])
})
