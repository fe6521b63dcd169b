import { describe, expect, test } from 'vitest'
import { bridge, createQuietBridge } from '../support/quietBridge.ts'

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

  test('an endpoint that hides what it has shown holds up no other, is set aside and named', async () => {
    const world = await createQuietBridge(30)
    await world.pass(3 * minute)
    const { explorer } = world.monitor.app.parts
    const isHidden = (path: string) => path.endsWith('/address/transaction-list')
    world.setFault(({ path }) => (isHidden(path) ? 'hidden' : null))
    await world.pass(9 * minute)
    const asked = world.fake.requests.filter(({ path }) => isHidden(path)).length
    await world.pass(5 * minute)
    expect(world.late().filter((one) => !one.startsWith('challenge'))).toEqual([])
    expect(world.verdict()).toEqual({ ok: true, reasons: [] })
    expect(explorer.paceMetrics().throttleSigns).toBe(0)
    // Polls of challenges are late while what they know of is hidden: told or not by the second of the minute.
    const others = world.alerts().filter(({ subject }) => !subject.startsWith('challenge'))
    expect(others).toMatchObject([{ kind: 'source.suspicious', subject: 'explorer E6' }])
    expect(world.monitor.told().join()).toContain(`address=${bridge}`)
    // What nothing contradicts is asked on: of the same blocks once more, because the first answer was empty.
    const questions = world.fake.requests.filter(({ path }) => isHidden(path)).slice(asked)
    const most = (key: (question: URLSearchParams) => string) =>
      Math.max(...[...Map.groupBy(questions, ({ query }) => key(query)).values()].map((same) => same.length))
    expect(most((query) => [...query].join())).toBeLessThanOrEqual(2)
    // Of other blocks a stretch of the past each 20 seconds, and one of the present each minute.
    const stretches = (5 * minute) / (20 * second) + 5
    const ofNoBlocks = (query: URLSearchParams) =>
      [...query].filter(([name]) => !name.endsWith('BlockHeight'))
    expect(most((query) => ofNoBlocks(query).join())).toBeLessThanOrEqual(2 * stretches)
  })

  test('60 % of an endpoint empty in disguise hold up no other, and accuse nobody', async () => {
    const world = await createQuietBridge(30)
    await world.pass(3 * minute)
    let count = 0
    world.setFault(({ path }) =>
      path.endsWith('/address/transaction-list') && (count += 1) % 5 > 1 ? 'hidden' : null,
    )
    const late = new Set<string>()
    for (let at = 0; at < 10 * minute; at += 10 * second) {
      await world.pass(10 * second)
      for (const one of world.late()) late.add(one)
    }
    expect([...late]).toEqual([])
    expect(world.monitor.app.parts.explorer.paceMetrics().throttleSigns).toBe(0)
    expect(world.alerts()).toEqual([])
  })

  test('an explorer that does not know the filter by sides is called silent at no endpoint', async () => {
    const world = await createQuietBridge(30)
    world.setFault(() => 'unfiltered')
    await world.pass(10 * minute)
    expect(world.fake.requests.some(({ path }) => path.endsWith('/address/transaction-list'))).toBe(true)
    expect(world.alerts()).toEqual([])
    expect(world.verdict()).toEqual({ ok: true, reasons: [] })
  })
})
