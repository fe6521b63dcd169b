import { describe, expect, test } from 'vitest'
import { createEmptyGuard } from '../../../../src/clients/explorer/emptyGuard.ts'

const list = { endpoint: 'E3', family: 'cross', params: { page: '1', limit: '100' } } as const
const byHash = { endpoint: 'E3', family: 'cross', params: { txid: '0xab', limit: '100' } } as const
const full = { isEmpty: false, isKnown: false }
const empty = { isEmpty: true, isKnown: false }

/** A list and a question for one transaction that both had an answer. */
function setUp() {
  const guard = createEmptyGuard()
  guard.judge(list, { ...full, at: 0 })
  guard.judge(byHash, { ...full, at: 0 })
  return {
    guard,
    /** Whether an empty answer is contradicted. */
    isEmptyAt: (at: number, question: typeof list | typeof byHash = byHash) =>
      guard.judge(question, { ...empty, at }),
    control: (at: number) => void guard.judge(list, { ...full, at }),
  }
}

describe('what had an answer and is empty (semantics 8)', () => {
  test('is contradicted until three readings over half a minute agree, a control among them', () => {
    const { isEmptyAt, control } = setUp()
    expect(isEmptyAt(1_000)).toBe(true)
    control(5_000)
    expect(isEmptyAt(15_000)).toBe(true)
    expect(isEmptyAt(31_000)).toBe(false)
    expect(isEmptyAt(32_000)).toBe(false)
  })

  test('is contradicted for as long as no control is answered', () => {
    const { isEmptyAt, control } = setUp()
    for (let at = 1_000; at < 600_000; at += 15_000) expect(isEmptyAt(at)).toBe(true)
    control(600_000)
    expect(isEmptyAt(610_000)).toBe(false)
  })

  test('is contradicted anew once it was answered between', () => {
    const { guard, isEmptyAt, control } = setUp()
    isEmptyAt(1_000)
    isEmptyAt(15_000)
    guard.judge(byHash, { ...full, at: 20_000 })
    control(21_000)
    expect(isEmptyAt(40_000)).toBe(true)
    expect(isEmptyAt(55_000)).toBe(true)
  })

  test('is no later page of a list: a list that is pushed anew may have fewer', () => {
    const { guard } = setUp()
    const page = { ...list, params: { page: '7', limit: '100' } }
    guard.judge(page, { ...full, at: 0 })
    expect(guard.judge(page, { ...empty, at: 60_000 })).toBe(false)
  })

  test('is read once by attempts that follow each other at once', () => {
    const { isEmptyAt, control } = setUp()
    for (const at of [1_000, 1_500, 2_500, 4_500]) expect(isEmptyAt(at)).toBe(true)
    control(5_000)
    for (const at of [40_000, 40_500, 41_500]) expect(isEmptyAt(at)).toBe(true)
    expect(isEmptyAt(51_000)).toBe(false)
  })

  test('is contradicted for ever when it is the list itself, or whoever asks knows better', () => {
    const { guard, isEmptyAt, control } = setUp()
    for (let at = 1_000; at < 600_000; at += 15_000) {
      guard.judge({ ...byHash, params: { txid: '0xcd' } }, { ...full, at })
      guard.judge({ ...byHash, params: { txid: '0xcd' } }, { ...full, at: at + 1 })
      expect(isEmptyAt(at + 2, list)).toBe(true)
    }
    for (let at = 600_000; at < 1_200_000; at += 15_000) {
      control(at)
      expect(guard.judge(byHash, { isEmpty: true, isKnown: true, at: at + 1 })).toBe(true)
    }
  })
})

test('semantics.md 40: a later page that is not there any more contradicts nothing', () => {
  const { guard } = setUp()
  const second = { ...list, params: { page: '2', limit: '100' } }
  guard.judge(second, { ...full, at: 1_000 })
  expect(guard.judge(second, { ...empty, at: 20_000 })).toBe(false)
  expect(guard.judge(second, { isEmpty: true, isKnown: true, at: 40_000 })).toBe(true)
})

test('F67: after the machine slept, the answers of the last minutes are still those', () => {
  const { guard, isEmptyAt } = setUp()
  isEmptyAt(1_000)
  const [now, byMs] = [3_602_000, 3_600_000]
  expect(guard.count(now - 300_000)).toMatchObject({ answers: 0 })
  guard.rebaseClock({ byMs, now })
  expect(guard.count(now - 300_000)).toEqual({ answers: 3, contradicted: 1, since: expect.any(Number) })
})

describe('semantics.md 40: a question that is contradicted again and again', () => {
  const inRange = (from: number, params: Readonly<Record<string, string>> = {}) =>
    ({
      endpoint: 'E6',
      family: 'main',
      params: {
        address: '0xb1',
        startBlockHeight: String(from),
        endBlockHeight: String(from + 9),
        ...params,
      },
    }) as const
  const contradict = (guard: ReturnType<typeof createEmptyGuard>, readings: number, from = 0) => {
    for (let n = 0; n < readings; n += 1) {
      // Attempts that follow each other at once are one reading.
      for (const ms of [0, 250, 750])
        guard.judge(inRange(from + n), { isEmpty: true, isKnown: true, at: n * 10_000 + ms })
    }
  }
  const known = (at: number) => ({ isKnown: true, at })

  test('is set aside for ten minutes after five readings, whatever the range of blocks, and is named', () => {
    const guard = createEmptyGuard()
    contradict(guard, 4)
    expect(guard.asideUntil(inRange(77), known(39_000))).toBeNull()
    contradict(guard, 5)
    expect(guard.asideUntil(inRange(77), known(41_000))).toBe(640_000)
    expect(guard.asideUntil(inRange(77), known(640_000))).toBeNull()
    expect(guard.listAside(41_000)).toEqual([
      { endpoint: 'E6', question: 'address=0xb1', since: 0, until: 640_000 },
    ])
  })

  test('is asked all the same where nothing known lies, and of another address', () => {
    const guard = createEmptyGuard()
    contradict(guard, 5)
    expect(guard.asideUntil(inRange(77), { isKnown: false, at: 41_000 })).toBeNull()
    expect(guard.asideUntil(inRange(77, { address: '0xb2' }), known(41_000))).toBeNull()
  })

  test('is asked again once it was answered', () => {
    const guard = createEmptyGuard()
    contradict(guard, 5)
    guard.judge(inRange(99), { isEmpty: false, isKnown: false, at: 42_000 })
    expect(guard.asideUntil(inRange(77), known(43_000))).toBeNull()
  })

  test('is no sign against the whole service, but contradictions of several endpoints are', () => {
    const guard = createEmptyGuard()
    contradict(guard, 5)
    expect(guard.isSpread(41_000)).toBe(false)
    guard.judge(list, { isEmpty: true, isKnown: true, at: 41_500 })
    expect(guard.isSpread(42_000)).toBe(true)
    expect(guard.isSpread(80_000)).toBe(false)
  })

  test('is no sign against the whole service where endpoints show nothing any more while another does', () => {
    const guard = createEmptyGuard()
    const logs = { endpoint: 'E18', family: 'logs', params: { address: '0xb1' } } as const
    const moves = { endpoint: 'E13', family: 'main', params: { txId: '0xab' } } as const
    const contradictBoth = (times: number, from: number) => {
      for (let n = 0; n < times; n += 1)
        for (const question of [logs, moves])
          guard.judge(question, { isEmpty: true, isKnown: true, at: from + n * 100 })
    }
    contradictBoth(9, 1_000)
    guard.judge(list, { ...full, at: 2_000 })
    expect(guard.isSpread(2_000)).toBe(true)
    contradictBoth(1, 2_100)
    expect(guard.isSpread(2_200)).toBe(false)
    expect(guard.isSpread(32_050)).toBe(true)
  })
})

test('contradicted empties are there since the first of them, not for all of the time that is looked at', () => {
  const { guard } = setUp()
  guard.judge(byHash, { ...full, at: 1_000 })
  expect(guard.count(0)).toEqual({ answers: 3, contradicted: 0, since: 0 })
  for (const at of [50_000, 70_000]) guard.judge(byHash, { isEmpty: true, isKnown: true, at })
  expect(guard.count(0)).toEqual({ answers: 5, contradicted: 2, since: 50_000 })
})
