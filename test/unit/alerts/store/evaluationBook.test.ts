import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../../../src/store/database.ts'
import { createAlertStore } from '../../../../src/alerts/store/alertStore.ts'
import type { RuleEvaluation } from '../../../../src/alerts/store/alertGroups.ts'

const at = 1_000_000
const good = (evaluatedAt: number, overrides: Partial<RuleEvaluation> = {}): RuleEvaluation => ({
  rule: 'r',
  evaluatedAt,
  errors: 0,
  failingSince: null,
  reason: null,
  unknownSince: null,
  asks: null,
  ...overrides,
})

function setUp() {
  const db = openDatabase(':memory:')
  const store = createAlertStore(db)
  const stored = () => db.prepare('SELECT evaluated_at FROM rule_evaluations').get()?.['evaluated_at']
  return { db, store, stored }
}

describe('how evaluations went', () => {
  test('is written every five seconds while nothing changes, and known all the time', () => {
    const { store, stored } = setUp()
    store.saveEvaluation(good(at))
    store.saveEvaluation(good(at + 4_999))
    expect([stored(), store.getEvaluation('r')?.evaluatedAt]).toEqual([at, at + 4_999])
    store.saveEvaluation(good(at + 5_000))
    expect(stored()).toBe(at + 5_000)
  })

  test.each([
    ['fails', { errors: 1, failingSince: at, reason: 'no such field' }],
    ['has nothing to judge by', { unknownSince: at }],
    ['asks for something else', { asks: 'more' }],
  ])('is written at once when a rule %s', (_, overrides) => {
    const { store, stored } = setUp()
    store.saveEvaluation(good(at))
    store.saveEvaluation(good(at + 1_000, overrides))
    expect(stored()).toBe(at + 1_000)
  })

  test('is written at once when the clock went back', () => {
    const { store, stored } = setUp()
    store.saveEvaluation(good(at))
    store.saveEvaluation(good(at - 1_000))
    expect(stored()).toBe(at - 1_000)
  })

  test('is as it was stored after a transaction that came to nothing', () => {
    const { store } = setUp()
    store.saveEvaluation(good(at))
    const fail = () =>
      store.transaction(() => {
        store.saveEvaluation(good(at + 9_000))
        throw new Error('disk full')
      })
    expect(fail).toThrow('disk full')
    expect(store.listEvaluations()).toEqual([good(at)])
  })

  test('follows the wall clock when that was set', () => {
    const { store } = setUp()
    store.saveEvaluation(good(at))
    store.rebaseTimes(60_000)
    expect(store.getEvaluation('r')?.evaluatedAt).toBe(at + 60_000)
  })

  test('is forgotten with its rule', () => {
    const { store } = setUp()
    store.saveEvaluation(good(at))
    store.deleteEvaluation('r')
    expect([store.getEvaluation('r'), store.listEvaluations()]).toEqual([null, []])
  })
})
