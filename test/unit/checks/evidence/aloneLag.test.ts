import { expect, test } from 'vitest'
import { createEvidencePoll } from '../../../../src/checks/evidence/poll.ts'
import type { LegsRead } from '../../../../src/checks/evidence/legsRead.ts'
import type { EvidenceReading } from '../../../../src/ledger/evidence/evidence.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { emptyReads } from '../queuedLegs.ts'
import { createTestKernel, noSignal, setMainHead } from '../support.ts'

const second = 1_000
const minute = 60 * second
const start = 100_000_000

type Endpoint = 'E2' | 'E13' | 'E21'

interface Play {
  /** Since how long before the start each endpoint stands still, ms; the others show everything. */
  readonly stands: Partial<Record<Endpoint, number>>
  /** By how much E13 is late, ms. */
  readonly late?: number
  /** Whether the newest deposit was made. */
  readonly isMade: boolean
  /** So many more are paid at the start. */
  readonly crowd?: number
  /** The share of answers about single transactions that are throttled, and look empty. */
  readonly throttled?: number
}

/** Withdrawals that are paid, two a minute, and one deposit, credited at `start`: what is said of it, and how long after. */
async function play({ late = 0, stands, isMade, crowd = 0, throttled = 0 }: Play) {
  let asked = 0
  const world = createTestKernel({ start: start - 20 * minute })
  const { clock, commit, db, endpointLags } = world
  const happenedAt = new Map<string, number>()
  const proven = new Set<string>()
  const denied = new Set<string>()
  const said: { readonly afterMs: number; readonly what: string }[] = []
  const answer = async (source: Endpoint, hashes: readonly string[]): Promise<LegsRead> => {
    asked += 1
    const chance = (Math.imul(asked, 2_654_435_761) >>> 0) / 2 ** 32
    if (source !== 'E13' && chance < throttled) return { requestedAt: clock.now(), readings: [], bad: [] }
    const lateMs = source === 'E13' ? late : 0
    const shownTo = stands[source] === undefined ? clock.now() - lateMs : start - stands[source]
    const readings = hashes.flatMap((one): EvidenceReading[] => {
      const time = happenedAt.get(one)
      if (time === undefined || time > shownTo) return []
      const move = { token: '0xcc', from: '0xe5', to: '0xbb', amount: '1.5', amountRaw: null, tokenId: '' }
      const of = { chain: 'main', hash: one, source, requestedAt: clock.now(), status: 'success' } as const
      return [{ ...of, errorMessage: '', height: time / second, time, moves: [move] }]
    })
    return { requestedAt: clock.now(), readings, bad: [] }
  }
  const poll = createEvidencePoll(
    {
      ...world,
      reads: {
        ...emptyReads,
        mainLegs: (hashes) => answer('E13', hashes),
        mainLeg: (one) => answer('E2', [one]),
        mainLogs: (one) => answer('E21', [one]),
      },
      commit: (result) => {
        for (const { hash: one, source, status, unasked } of result.evidence ?? []) {
          if (status === 'success') proven.add(one)
          if (status === 'absent') denied.add(one)
          if (one === hash('deposit'))
            said.push({
              afterMs: clock.now() - start,
              what: `${source} ${status}${unasked === undefined ? '' : `, not ${unasked}`}`,
            })
        }
        return commit(result)
      },
    },
    { name: 'evidence', isLate: false, others: [] },
  )
  const pay = (age: number | string, at: number) => {
    const [main, zone] = [hash(`pay ${age}`), hash(`left ${age}`)]
    happenedAt.set(main, at)
    const leg = { chain: 'zone', hash: zone, source: 'E9', status: 'success', errorMessage: '' } as const
    const legs = { mainHash: main, mainTime: at, mainHeight: at / second, zoneHash: zone }
    commit({
      answers: [
        [
          toRecord({
            id: `id${age}`,
            ...legs,
            zoneTime: at - 10 * second,
            targetAddress: '0xbb',
            requestedAt: at,
          }),
        ],
      ],
      evidence: [{ ...leg, moves: null, requestedAt: at }],
    })
  }
  for (let at = start - 20 * minute; at <= start + 6 * minute; at += 15 * second) {
    await clock.advance(at - clock.now())
    setMainHead(db, at / second, at, at)
    const age = start - at
    if (age % (30 * second) === 0) pay(age, at)
    if (age === 0) {
      for (let n = 0; n < crowd; n += 1) pay(`crowd ${n}`, at)
      const main = { mainHash: hash('deposit'), mainTime: at - second, mainHeight: at / second - 1 }
      if (isMade) happenedAt.set(hash('deposit'), main.mainTime)
      const of = {
        direction: 'MainToZone',
        crossType: 'Deposit',
        zoneHash: hash('credit'),
        zoneTime: at,
      } as const
      commit({ answers: [[toRecord({ id: 'deposit', ...main, ...of, requestedAt: at })]] })
    }
    if (age <= 5 * minute) await poll(noSignal)
  }
  const unproven = [...happenedAt.keys()].filter((one) => !proven.has(one)).length
  return {
    said,
    unproven,
    denied: denied.size,
    lags: endpointLags.list().flatMap(({ endpoint, lagMs }) => (lagMs > 90 * second ? endpoint : [])),
  }
}

const minutes = 4 * minute

test('while the endpoint for many stands still, what the one for single ones denies is absent', async () => {
  const { said, lags } = await play({ stands: { E13: minutes }, isMade: false })
  expect(said[0]?.what).toBe('E2 absent, not E13')
  expect(said[0]?.afterMs).toBeLessThan(2 * minute)
  expect(lags).toEqual(['E13'])
})

test('semantics.md 41: while both stand still nothing is absent, and it is said who lags', async () => {
  const { said, lags } = await play({ stands: { E13: minutes, E21: minutes, E2: minutes }, isMade: true })
  expect(said).toEqual([])
  expect(lags).toEqual(['E13'])
})

test('what the one for single ones shows is proven by that, and the other one lags', async () => {
  const { said, lags } = await play({ stands: { E13: minutes }, isMade: true })
  expect(said[0]?.what).toBe('E21 success')
  expect(lags).toEqual(['E13'])
})

test('who shows everything lags in nothing', async () => {
  const { said, lags } = await play({ stands: {}, isMade: true })
  expect(said[0]?.what).toBe('E13 success')
  expect(lags).toEqual([])
})

test('what single ones show is no control of the one for many: many of them are proven all the same', async () => {
  const { unproven } = await play({ stands: { E13: minutes, E21: minutes }, isMade: true, crowd: 40 })
  expect(unproven).toBeLessThan(5)
})

test.each([0, 0.15])(
  'semantics.md 8: where more are in doubt than can be asked for alone none is absent by few answers, a share of %d throttled',
  async (throttled) => {
    const { denied } = await play({ stands: { E13: minutes }, isMade: true, crowd: 200, throttled })
    expect(denied).toBe(0)
  },
)

test('who shows everything less than a minute late lags in nothing, though others are asked before', async () => {
  const { said, lags } = await play({ stands: {}, late: 50 * second, isMade: true })
  expect(said[0]?.what).toBe('E21 success')
  expect(lags).toEqual([])
})
