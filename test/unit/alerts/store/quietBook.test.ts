import { describe, expect, test } from 'vitest'
import { createBench, createCondition, createRule, start } from '../harness.ts'

const rule = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'critical' })
const found = { findings: [createCondition('zone')], unknown: [] }
const nothing = { findings: [], unknown: [] }

describe('which rules have an open alert', () => {
  test('is told of one that opens after there was none, and of one that opens again', () => {
    const { store, engine } = createBench()
    const open = () => store.listActiveOf('stalled').map(({ subject, episode }) => [subject, episode])
    expect(open()).toEqual([])
    engine.applyCondition(rule, found, start)
    expect(open()).toEqual([['zone', 1]])
    engine.applyCondition(rule, nothing, start + 1)
    expect(open()).toEqual([])
    engine.applyCondition(rule, found, start + 2)
    expect(open()).toEqual([['zone', 2]])
  })

  test('is as it was after a transaction that came to nothing', () => {
    const { store, engine } = createBench()
    engine.applyCondition(rule, found, start)
    const end = () =>
      store.transaction(() => {
        engine.applyCondition(rule, nothing, start + 1)
        expect(store.listActiveOf('stalled')).toEqual([])
        throw new Error('disk full')
      })
    expect(end).toThrow('disk full')
    expect(store.listActiveOf('stalled')).toHaveLength(1)
  })

  test('is not asked of the ledger again while no alert opens', () => {
    const { store, engine, database } = createBench()
    engine.applyCondition(createRule({ name: 'other', kind: 'chain.stalled' }), found, start)
    store.listActiveOf('stalled')
    // As nobody does: what is asked again would show it.
    database.prepare("UPDATE alerts SET rule = 'stalled'").run()
    expect(store.listActiveOf('stalled')).toEqual([])
  })
})
