import { describe, expect, test } from 'vitest'
import { createQuietBridge } from '../support/quietBridge.ts'

const second = 1_000
const minute = 60 * second
const history = 2_909

describe('semantics.md 40: an honest empty answer is no throttling', () => {
  test('on a quiet bridge every poller keeps its interval at the shipped pace, and the history is filled', async () => {
    const world = await createQuietBridge(history)
    const troubles = new Set<string>()
    const { explorer, ledger } = world.monitor.app.parts
    for (let at = 0; at < 15 * minute; at += 5 * second) {
      await world.pass(5 * second)
      if (at < 2 * minute) continue
      for (const one of world.late()) troubles.add(`${at / second} s: ${one}`)
      for (const reason of world.verdict().reasons) troubles.add(`${at / second} s: ${reason}`)
    }
    expect(explorer.paceMetrics().throttleSigns).toBe(0)
    expect(explorer.empties.count(0).contradicted).toBe(0)
    expect([...troubles]).toEqual([])
    expect(ledger.countByState().completed).toBe(history)
    expect(world.alerts()).toEqual([])
  })
})
