import { describe, expect, test, vi } from 'vitest'
import { decideDoubt } from '../../../../src/checks/evidence/decideDoubt.ts'
import type { Doubt, Outcome } from '../../../../src/checks/evidence/doubt.ts'
import { chooseBatch, createEvidencePoll } from '../../../../src/checks/evidence/poll.ts'
import type { EvidenceReads } from '../../../../src/checks/evidence/reads.ts'
import type { LegsRead } from '../../../../src/checks/evidence/legsRead.ts'
import { readWhole } from '../../../../src/checks/evidence/readWhole.ts'
import { createEmptyGuard } from '../../../../src/clients/explorer/emptyGuard.ts'
import { recordHead } from '../../../../src/kernel/heads/heads.ts'
import type { EvidenceReading } from '../../../../src/ledger/evidence/evidence.ts'
import type { QueuedLeg } from '../../../../src/ledger/evidence/evidenceQueue.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import { toRecord } from '../../../support/records.ts'
import { createTestKernel, noSignal } from '../support.ts'
import { emptyReads, putQueued, queuedLeg } from '../queuedLegs.ts'

const leg = (overrides: Partial<QueuedLeg> = {}) => queuedLeg({ dueAt: 60_000, ...overrides })
const legs = (count: number) => Array.from({ length: count }, (_, n) => leg({ hash: `0x${n}` }))

/** What is said of transactions instead of being kept, and the commit that says so. */
function collect({ commit }: ReturnType<typeof createTestKernel>) {
  const said: EvidenceReading[] = []
  return {
    said,
    commit: ({ evidence, ...rest }: Parameters<typeof commit>[0]) => {
      said.push(...(evidence ?? []))
      return commit(rest)
    },
  }
}

const move = { token: '0xcc', from: '0xa', to: '0xb', amount: '1', amountRaw: null, tokenId: '' }

describe('chooseBatch', () => {
  test('nineteen wait for a twentieth (semantics 25)', () => {
    expect(chooseBatch(legs(19), 59_999)).toBeNull()
    expect(chooseBatch(legs(20), 0)).toHaveLength(20)
  })

  test('one that has to be asked takes all along', () => {
    expect(chooseBatch(legs(3), 60_000)).toHaveLength(3)
  })

  test('no more than twenty', () => {
    expect(chooseBatch(legs(21), 60_000)).toHaveLength(20)
  })
})

describe('a leg that an answer does not hold (semantics 8)', () => {
  const none: LegsRead = { requestedAt: 0, readings: [], bad: [] }
  const world = createTestKernel()
  const long = 10 ** 12
  for (const chain of ['main', 'zone'] as const)
    recordHead(world.db, chain, { height: 1_000, blockTime: long, at: long })
  const at = (time: number, overrides: Partial<Doubt> = {}): Doubt => ({
    ...world,
    clock: { ...world.clock, now: () => time },
    reads: emptyReads,
    signal: noSignal,
    singles: { left: 9 },
    lags: new Map(),
    zoneShown: [],
    denials: new Map(),
    aloneLags: new Map(),
    lastShown: new Map(),
    at: time,
    hasControl: true,
    control: null,
    comeTo: Infinity,
    serviceAheadMs: 0,
    ...overrides,
  })
  const third = (lastMs: number, overrides: Partial<Doubt> = {}) =>
    decideDoubt(
      at(lastMs, overrides),
      leg({ time: -60_000, reads: 2, firstAt: 0, lastAt: 15_000, controlAt: 15_000 }),
    )

  test('is absent by the third reading, half a minute after the first', async () => {
    expect((await third(30_000)).readings).toMatchObject([{ status: 'absent', source: 'E9', reads: 3 }])
    expect((await third(29_999)).readings).toEqual([])
  })

  test('semantics.md 41: is not absent until a minute after its block: the endpoint may lag behind the head', async () => {
    const young = leg({ time: 0, reads: 2, firstAt: 0, lastAt: 15_000, controlAt: 15_000 })
    expect(await decideDoubt(at(64_999), young)).toMatchObject({ readings: [], saves: [{ reads: 3 }] })
    expect((await decideDoubt(at(65_000), young)).readings).toMatchObject([{ status: 'absent' }])
  })

  test('semantics.md 41: is absent once an endpoint that lags has come half a minute beyond it, however far it lags behind', async () => {
    const lacking = leg({
      time: 100_000,
      addedAt: 100_000,
      reads: 2,
      firstAt: 0,
      lastAt: 15_000,
      controlAt: 15_000,
    })
    const by = (comeTo: number | null) => decideDoubt(at(400_000, { comeTo }), lacking)
    // What was found out after it was asked says nothing of the answer.
    expect(await by(null)).toMatchObject({ readings: [], saves: [{ reads: 3, dueAt: 405_000 }] })
    expect(await by(129_999)).toMatchObject({ readings: [], saves: [{ reads: 3 }] })
    expect((await by(130_000)).readings).toMatchObject([{ status: 'absent' }])
  })

  test("semantics.md 42: that minute is the service's, though our clock is ahead of it", async () => {
    const seen = { reads: 2, firstAt: 0, lastAt: 15_000, controlAt: 15_000, addedAt: 22_000 }
    const ahead = { serviceAheadMs: -20_000 }
    const young = leg({ ...seen, time: 0 })
    expect(await decideDoubt(at(84_999, ahead), young)).toMatchObject({ readings: [], saves: [{ reads: 3 }] })
    expect((await decideDoubt(at(85_000, ahead), young)).readings).toMatchObject([{ status: 'absent' }])
    // A service that tells a wrong time puts nothing off.
    const wrong = { serviceAheadMs: -86_400_000 }
    expect((await decideDoubt(at(87_000, wrong), young)).readings).toMatchObject([{ status: 'absent' }])
  })

  test('semantics.md 42: is absent in the same time where requests are numbered on from before the clock was set back', async () => {
    const day = 86_400_000
    let absent = leg({ time: -60_000 })
    let said: readonly EvidenceReading[] = []
    for (const [asked, now] of [0, 15_000, 30_000].entries()) {
      const { readings, saves } = await decideDoubt(
        at(day + asked, { clock: { ...world.clock, now: () => now } }),
        absent,
      )
      absent = saves[0] ?? absent
      said = readings
    }
    expect(said).toMatchObject([{ status: 'absent', reads: 3, requestedAt: day + 2 }])
  })

  test('is no reading without something known in the answer, or below the head', async () => {
    const unread = createTestKernel()
    for (const missing of [{ hasControl: false }, { db: unread.db }]) {
      const { readings, saves } = await third(30_000, missing)
      expect([readings, saves[0]?.reads]).toEqual([[], 2])
    }
  })

  test('its own logs were asked with a control, or the answer says that they were not', async () => {
    const seen = { time: -60_000, reads: 2, firstAt: 0, lastAt: 15_000, controlAt: 15_000 }
    const lacking = leg({ ...seen, ask: 'main' })
    const by = async (overrides: Partial<Doubt>) =>
      (await decideDoubt(at(30_000, overrides), lacking)).readings.map(({ status, unasked }) => [
        status,
        unasked,
      ])
    const found = { chain: 'main', hash: '0x2', source: 'E21', requestedAt: 1, status: 'success' } as const
    const mainLogs: EvidenceReads['mainLogs'] = (hash) =>
      Promise.resolve({
        ...none,
        readings: hash === '0x2' ? [{ ...found, errorMessage: '', moves: [] }] : [],
      })
    const reads = { ...emptyReads, mainLogs }
    expect(await by({ reads, control: '0x2' })).toEqual([['absent', undefined]])
    expect(await by({ reads })).toEqual([['absent', 'E21']])
    expect(await by({ reads, control: '0x2', singles: { left: 0 } })).toEqual([['absent', 'E21']])
  })

  test('is absent by three answers about it alone where no list shows native currency', async () => {
    const native = createTestKernel()
    recordHead(native.db, 'main', { height: 1_000, blockTime: long, at: long })
    native.commit({ answers: [[toRecord({ token: '', mainHash: '0x1' })]] })
    const found = { chain: 'main', hash: '0x1', source: 'E21', requestedAt: 1, status: 'success' } as const
    const logs = { ...none, readings: [{ ...found, errorMessage: '', moves: [] }] }
    const denials: Doubt['denials'] = new Map()
    const play = async (shown: string) => {
      let asked: QueuedLeg | undefined = leg({ ask: 'main', time: -60_000 })
      for (let n = 0; asked; n += 1) {
        const reads = {
          ...emptyReads,
          mainLogs: (hash: string) => Promise.resolve(hash === '0x2' || shown[n] === '1' ? logs : none),
          ownValue: () => Promise.resolve('unclear' as const),
        }
        const { clock } = at(n * 15_000)
        const doubt = at(n * 15_000, { ...native, clock, reads, denials, control: '0x2' })
        const { readings, saves }: Outcome = await decideDoubt(doubt, asked)
        if (readings.length > 0) return `${readings[0]?.status} by ${n + 1}`
        asked = saves[0]
      }
      return null
    }
    expect(await play('000000')).toBe('absent by 4')
    // Of three answers about it alone one showed it, or the one between them did.
    expect(await play('010000')).toBe('absent by 5')
    expect(await play('001000')).toBe('absent by 6')
  })

  test('is absent where a reorganisation took it after its logs were shown, and no question is set aside for that', async () => {
    const guard = createEmptyGuard()
    const found = { chain: 'main', source: 'E21', requestedAt: 1, status: 'success' } as const
    const judge = (hash: string, isEmpty: boolean, time: number) =>
      guard.judge(
        { endpoint: 'E21', family: 'logs', params: { txId: hash } },
        { isEmpty, isKnown: false, at: time },
      )
    judge('0x1', false, -60_000)
    let asked: QueuedLeg | undefined = leg({ ask: 'main', time: -60_000 })
    let said: Outcome['readings'] = []
    for (let time = 0; asked && said.length === 0 && time < 300_000; time += 15_000) {
      const mainLogs: EvidenceReads['mainLogs'] = async (hash) => {
        if (judge(hash, hash === '0x1', time)) throw new MonitorError('source.empty', 'known to be there')
        return { ...none, readings: hash === '0x1' ? [] : [{ ...found, hash, errorMessage: '', moves: [] }] }
      }
      const doubt = at(time, { reads: { ...emptyReads, mainLogs }, control: '0x2' })
      const outcome = await decideDoubt(doubt, asked)
      said = outcome.readings
      asked = outcome.saves[0]
    }
    expect(said.map(({ status, unasked }) => [status, unasked])).toEqual([['absent', undefined]])
    expect(guard.listAside(300_000)).toEqual([])
  })

  test('is there when the endpoint for single transactions knows it', async () => {
    const found = { chain: 'zone', hash: '0x1', source: 'E14', requestedAt: 1, status: 'success' } as const
    const zoneLeg = () =>
      Promise.resolve({ ...none, readings: [{ ...found, errorMessage: '', moves: null }] })
    const outcome = await third(30_000, { reads: { ...at(0).reads, zoneLeg } })
    expect(outcome).toMatchObject({ readings: [{ status: 'success' }], drops: ['0x1'] })
  })

  test('moved native currency that its logs do not show, however often its calls were held back', async () => {
    const reading = (source: 'E21' | 'E16' | 'E7', token: string | null): EvidenceReading => ({
      chain: 'main',
      hash: '0x1',
      source,
      requestedAt: 1,
      status: 'success',
      errorMessage: '',
      moves:
        token === null ? [] : [{ token, from: '0xa', to: '0xb', amount: '1', amountRaw: null, tokenId: '' }],
    })
    const say = (found: EvidenceReading | null) => () =>
      Promise.resolve({ ...none, readings: found === null ? [] : [found] })
    const readsOf = (calls: EvidenceReading | null) => ({
      ...at(0).reads,
      mainLogs: say(reading('E21', null)),
      nativeLeg: say(calls),
      ownValue: () => Promise.resolve(reading('E7', null)),
    })
    const ask = (reads: number, calls: EvidenceReading | null) =>
      decideDoubt(
        at(65_000, { reads: readsOf(calls) }),
        leg({ ask: 'main', height: 7, reads, firstAt: 0, lastAt: 45_000, controlAt: 45_000 }),
      )
    expect(await ask(2, reading('E16', ''))).toMatchObject({ readings: [{ moves: [{ token: '' }] }] })
    // Asked when it was missed twice, and two times more.
    expect(await ask(1, null)).toMatchObject({ readings: [], saves: [{ reads: 2, dueAt: 80_000 }] })
    expect(await ask(2, null)).toMatchObject({ readings: [], saves: [{ reads: 3 }] })
    expect(await ask(3, null)).toMatchObject({ readings: [{ moves: [] }], drops: ['0x1'] })
  })

  test('is looked for again, ever more rarely, and told once', async () => {
    const absent = { reads: 3, firstAt: 0, lastAt: 30_000, controlAt: 30_000 }
    const again = await decideDoubt(at(60_000), leg({ rests: 3, ...absent }))
    expect(again).toMatchObject({ readings: [], saves: [{ rests: 4, dueAt: 540_000 }] })
  })

  test('is told as absent though it was shown before, without a status', async () => {
    expect((await third(30_000)).readings).toMatchObject([{ status: 'absent' }])
    const shown = leg({ time: -60_000, rests: 2, reads: 2, firstAt: 0, lastAt: 15_000, controlAt: 15_000 })
    expect((await decideDoubt(at(30_000), shown)).readings).toMatchObject([{ status: 'absent', reads: 3 }])
  })

  test.each([
    ['zone', 'zoneLeg'],
    ['main', 'mainLogs'],
    ['main', 'mainLeg'],
  ] as const)(
    'semantics.md 38: is not absent where %s shows a row of it by %s that cannot be read',
    async (ask, by) => {
      const bad = { ...none, bad: [{ endpoint: 'E14', problem: 'bad', raw: '0x1' }] }
      const reads = { ...at(0).reads, [by]: () => Promise.resolve(bad) }
      const third = leg({ ask, time: -60_000, reads: 2, firstAt: 0, lastAt: 15_000, controlAt: 15_000 })
      for (const tries of [0, 2, 9]) {
        const outcome = await decideDoubt(at(30_000, { reads, saysStatus: () => true }), {
          ...third,
          tries,
          rests: 3,
        })
        expect(outcome).toMatchObject({
          readings: [{ status: 'unknown', reads: 4 }],
          saves: [{ rests: 4, reads: 0 }],
          drops: [],
        })
      }
    },
  )
})

describe('half of what a transaction moved is not the whole of it (semantics 8)', () => {
  const reading = (source: 'E7' | 'E16' | 'E21', token: string): EvidenceReading => ({
    chain: 'main',
    hash: '0x1',
    source,
    requestedAt: 1,
    status: 'success',
    errorMessage: '',
    moves: [{ token, from: '0xa', to: '0xb', amount: '1', amountRaw: null, tokenId: '' }],
    height: 7,
    time: 1,
  })
  const readOf = (
    answers: { logs?: boolean; calls?: boolean },
    callReads = 0,
    callControl: string | null = null,
  ) => {
    const known: [string, boolean | undefined][] = []
    const say =
      (name: string, found: EvidenceReading | null) => (_: unknown, options: { isKnown?: boolean }) => {
        known.push([name, options.isKnown])
        return Promise.resolve({ requestedAt: 1, readings: found === null ? [] : [found], bad: [] })
      }
    const asks = {
      mainLogs: say('logs', answers.logs === false ? null : reading('E21', '0xcc')),
      nativeLeg: say('calls', answers.calls === false ? null : reading('E16', '')),
      ownValue: () => Promise.resolve({ ...reading('E7', ''), moves: [] }),
    } satisfies Pick<EvidenceReads, 'mainLogs' | 'nativeLeg' | 'ownValue'>
    const how = { callReads, callControl, known: { logs: true } }
    const options = { priority: 'urgent', signal: noSignal, ...how } as const
    return readWhole(asks, leg({ ask: 'main', height: 7 }), options, 0).then((whole) => ({
      whole,
      known,
    }))
  }

  test('logs and calls are', async () => {
    const { whole, known } = await readOf({})
    expect(whole).toMatchObject({ isWhole: true, moves: [{ token: '0xcc' }, { token: '' }] })
    expect(known).toEqual([
      ['logs', true],
      ['calls', false],
    ])
  })

  test('one answer without calls says nothing; three of them do', async () => {
    expect((await readOf({ calls: false }, 1)).whole).toBe('unclear')
    expect((await readOf({ calls: false }, 2)).whole).toMatchObject({
      isWhole: true,
      moves: [{ token: '0xcc' }],
    })
  })

  test('semantics.md 8: where a transaction with calls is known it has to be shown beside', async () => {
    const { known } = await readOf({ calls: false }, 2, '0x2')
    expect(known.at(-1)).toEqual(['calls', true])
    expect((await readOf({}, 2, '0x2')).known.at(-1)).toEqual(['calls', false])
  })

  test('calls without logs show native currency, and say nothing of tokens', async () => {
    const { whole } = await readOf({ logs: false })
    expect(whole).toMatchObject({ source: 'E7', moves: [{ token: '' }] })
    expect(whole).not.toHaveProperty('isWhole')
  })
})

test.each([true, false])(
  'of a transaction with a row that cannot be read its logs say what moved: %s',
  async (hasLogs) => {
    const world = createTestKernel()
    const { clock, db } = world
    const leg = { chain: 'main', hash: '0x1', requestedAt: 1, status: 'success', errorMessage: '' } as const
    const moves = [move]
    const { said, commit } = collect(world)
    const run = createEvidencePoll(
      {
        ...world,
        commit,
        reads: {
          ...emptyReads,
          mainLegs: async () => ({
            requestedAt: 1,
            readings: [{ ...leg, source: 'E13', moves: null }],
            bad: [{ endpoint: 'E13', problem: 'bad', raw: '0x1' }],
          }),
          mainLogs: async () => ({
            requestedAt: 1,
            readings: hasLogs ? [{ ...leg, source: 'E21', moves }] : [],
            bad: [],
          }),
        },
      },
      { name: 'evidence', isLate: false, others: [] },
    )
    putQueued(db, queuedLeg({ ask: 'main', addedAt: clock.now() }))
    await run(noSignal)
    expect(said).toMatchObject([hasLogs ? { source: 'E21', moves } : { source: 'E13', moves: null }])
  },
)

test.each([
  ['once', 1, { source: 'E21' }],
  ['twice as well', 2, { source: 'E21' }],
  ['not at all', 0, undefined],
  ['they cannot be asked', null, undefined],
])(
  'semantics.md 17: a movement that is given twice moved as often as its logs say: %s',
  async (_, times, told) => {
    const world = createTestKernel()
    const of = { chain: 'main', hash: '0x1', requestedAt: 1, status: 'success', errorMessage: '' } as const
    const moves = (count: number) => Array.from({ length: count }, () => move)
    const answer = (source: 'E13' | 'E21', count: number | null) => async () => {
      if (count === null) throw new MonitorError('source.unreachable', 'failed (HTTP 404)')
      return {
        requestedAt: 1,
        readings: count === 0 ? [] : [{ ...of, source, moves: moves(count) }],
        bad: [],
      }
    }
    const { said, commit } = collect(world)
    const run = createEvidencePoll(
      {
        ...world,
        commit,
        reads: { ...emptyReads, mainLegs: answer('E13', 2), mainLogs: answer('E21', times) },
      },
      { name: 'evidence', isLate: false, others: [] },
    )
    putQueued(world.db, queuedLeg({ ask: 'main', addedAt: world.clock.now() }))
    await run(noSignal)
    expect(said).toEqual(told === undefined ? [] : [{ ...of, ...told, moves: moves(times ?? 0) }])
    if (told !== undefined) return
    for (const _again of [1, 2]) {
      await world.clock.advance(15_000)
      await run(noSignal)
    }
    expect(said).toMatchObject([{ source: 'E13', moves: moves(2) }])
  },
)

test('semantics.md 17: of more that are given twice than can be asked for alone none counts twice meanwhile', async () => {
  const world = createTestKernel()
  const of = { chain: 'main', requestedAt: 1, status: 'success', errorMessage: '' } as const
  const { said, commit } = collect(world)
  const run = createEvidencePoll(
    {
      ...world,
      commit,
      reads: {
        ...emptyReads,
        mainLegs: async (hashes) => ({
          requestedAt: 1,
          readings: hashes.map((one) => ({ ...of, hash: one, source: 'E13' as const, moves: [move, move] })),
          bad: [],
        }),
        mainLogs: async (one) => ({
          requestedAt: 1,
          readings: [{ ...of, hash: one, source: 'E21' as const, moves: [move] }],
          bad: [],
        }),
      },
    },
    { name: 'evidence', isLate: false, others: [] },
  )
  for (let n = 1; n <= 30; n += 1)
    putQueued(world.db, queuedLeg({ ask: 'main', hash: `0x${n}`, addedAt: world.clock.now() }))
  for (let runs = 0; runs < 4; runs += 1) {
    await run(noSignal)
    await world.clock.advance(15_000)
  }
  expect(said.map(({ source }) => source)).toEqual(Array.from({ length: 30 }, () => 'E21'))
})

test.each([true, false])(
  'one that an endpoint for many stumbles over holds up no other, whether it is answered alone or not: %s',
  async (hasSingle) => {
    const world = createTestKernel({ isManual: true })
    const { clock, db } = world
    const reading = (hash: string, source: 'E9' | 'E14'): EvidenceReading => {
      return { chain: 'zone', hash, source, requestedAt: 1, status: 'success', errorMessage: '', moves: null }
    }
    const said: string[] = []
    const asked: string[] = []
    const answer = async (
      hashes: readonly string[],
      source: 'E9' | 'E14',
      isWell = false,
    ): Promise<LegsRead> => {
      asked.push(`${source} ${hashes.join()}`)
      if (!isWell && hashes.includes('0x2'))
        throw new MonitorError('source.unreachable', 'failed (HTTP 500)', { details: { status: 500 } })
      return { requestedAt: 1, readings: hashes.map((hash) => reading(hash, source)), bad: [] }
    }
    const run = createEvidencePoll(
      {
        ...world,
        commit: ({ evidence, ...rest }) => {
          said.push(...(evidence ?? []).map(({ hash }) => hash))
          return world.commit(rest)
        },
        reads: {
          ...emptyReads,
          zoneLegs: (hashes) => answer(hashes, 'E9'),
          zoneLeg: (hash) => answer([hash], 'E14', hasSingle),
        },
      },
      { name: 'evidence', isLate: false, others: [] },
    )
    world.commit({ evidence: [reading('0xa', 'E9')], apply: () => [] })
    const queue = (...hashes: string[]) => {
      for (const hash of hashes) putQueued(db, queuedLeg({ hash, addedAt: clock.now() }))
    }
    queue('0x1', '0x2', '0x3')
    await run(noSignal).catch(() => {})
    expect(said.toSorted()).toEqual(hasSingle ? ['0x1', '0x2', '0x3'] : ['0x1', '0x3'])
    // Each endpoint is seen to answer after it failed.
    expect(asked.findLast((one) => one.startsWith('E9'))).toBe('E9 0xa')
    expect(asked.filter((one) => one === 'E14 0xa')).toHaveLength(hasSingle ? 1 : 2)
    queue('0x4')
    await run(noSignal)
    expect(said).toContain('0x4')
  },
)

test('an endpoint that takes long to answer holds up no question to another', async () => {
  const world = createTestKernel({ isManual: true })
  const slow = Promise.withResolvers<LegsRead>()
  const asked: string[] = []
  const run = createEvidencePoll(
    {
      ...world,
      reads: {
        ...emptyReads,
        mainLegs: () => slow.promise,
        zoneLegs: async (hashes) => {
          asked.push(...hashes)
          return { requestedAt: 1, readings: [], bad: [] }
        },
      },
    },
    { name: 'evidence', isLate: false, others: [] },
  )
  const queue = (ask: 'zone' | 'main', hash: string) =>
    putQueued(world.db, queuedLeg({ ask, hash, addedAt: world.clock.now() }))
  queue('main', '0x1')
  const running = run(noSignal)
  await world.clock.advance(1_500)
  queue('zone', '0x2')
  await world.clock.advance(1_000)
  expect(asked).toEqual(['0x2'])
  slow.resolve({ requestedAt: 1, readings: [], bad: [] })
  await running
})

test('a run that an endpoint holds up asks single transactions as often as several runs would', async () => {
  const world = createTestKernel({ isManual: true })
  const { clock, db } = world
  const slow = Promise.withResolvers<LegsRead>()
  const asked = new Set<string>()
  const none: LegsRead = { requestedAt: clock.now(), readings: [], bad: [] }
  const shown = { chain: 'zone', source: 'E9', requestedAt: 1, status: 'success', moves: null } as const
  const readings = [{ ...shown, hash: '0xshown', errorMessage: '' }]
  const reads: EvidenceReads = {
    ...emptyReads,
    mainLegs: () => slow.promise,
    zoneLegs: async () => ({ ...none, requestedAt: clock.now(), readings }),
    zoneLeg: async (hash) => {
      asked.add(hash)
      return none
    },
  }
  const run = createEvidencePoll({ ...world, reads }, { name: 'evidence', isLate: false, others: [] })
  const queue = (names: readonly string[]) => {
    const now = clock.now()
    const doubted = { reads: 2, firstAt: now - 60_000, lastAt: now - 15_000, controlAt: now - 15_000 }
    for (const name of names)
      putQueued(db, queuedLeg({ ...doubted, hash: name, time: now - 600_000, addedAt: now - 600_000 }))
  }
  const listNames = (first: number) => Array.from({ length: 12 }, (_, n) => `0x${first + n}`)
  recordHead(db, 'zone', { height: 1_000, blockTime: clock.now(), at: clock.now() })
  putQueued(db, queuedLeg({ ask: 'main', hash: '0xslow', addedAt: clock.now() }))
  queue(listNames(10))
  const running = run(noSignal)
  await clock.advance(1_500)
  await vi.waitFor(() => expect(asked.size).toBe(12))
  queue(listNames(30))
  await clock.advance(1_000)
  slow.resolve(none)
  await running
  expect(asked.size).toBe(24)
})
