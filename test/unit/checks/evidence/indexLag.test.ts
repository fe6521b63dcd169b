import { expect, test } from 'vitest'
import { mostLagMs, readComeTo } from '../../../../src/checks/evidence/indexLag.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import type { ZoneShown } from '../../../../src/kernel/reads/zoneTransactionBy.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { emptyReads } from '../queuedLegs.ts'
import { createTestKernel, noSignal } from '../support.ts'

const until = 100_000_000

interface Play {
  readonly isProven?: boolean
  readonly ask?: 'zone' | 'main'
  readonly fails?: boolean
}

/** Up to how long before an endpoint has come, of deposits that were credited so long before; of these `known` are shown. */
async function comesTo(
  ages: readonly number[],
  known: readonly number[],
  { isProven = true, ask = 'zone', fails = false }: Play = {},
) {
  const { commit, endpointLags, ledger } = createTestKernel({ start: until })
  const isZone = ask === 'zone'
  for (const age of ages) {
    const time = until - age
    const [arrived, left] = [hash(`arrived ${age}`), hash(`left ${age}`)]
    commit({
      answers: [
        [
          toRecord({
            direction: isZone ? 'MainToZone' : 'ZoneToMain',
            crossType: isZone ? 'Deposit' : 'Withdraw',
            id: `id${age}`,
            mainHash: isZone ? left : arrived,
            mainTime: isZone ? time - 1_000 : time,
            zoneHash: isZone ? arrived : left,
            zoneTime: isZone ? time : time - 1_000,
            requestedAt: until,
          }),
        ],
      ],
      ...(isProven && {
        evidence: [
          {
            chain: isZone ? 'main' : 'zone',
            hash: left,
            source: isZone ? 'E13' : 'E9',
            status: 'success',
            errorMessage: '',
            moves: isZone
              ? [
                  {
                    token: '0xcc',
                    from: '0xaa',
                    to: '0xe5',
                    amount: null,
                    amountRaw: 1_500_000n,
                    tokenId: '',
                  },
                ]
              : null,
            requestedAt: until,
          },
        ],
      }),
    })
  }
  const shown = known.map((age) => hash(`arrived ${age}`))
  const answer = async (hashes: readonly string[]) => {
    if (fails) throw new MonitorError('source.unreachable', 'E9 failed (HTTP 500)')
    return {
      requestedAt: until,
      bad: [],
      readings: hashes
        .filter((one) => shown.includes(one))
        .map((one) => ({
          chain: 'zone' as const,
          hash: one,
          time: until - (known[shown.indexOf(one)] ?? 0),
          source: 'E9' as const,
          requestedAt: until,
          status: 'success' as const,
          errorMessage: '',
          moves: null,
        })),
    }
  }
  const reads = { ...emptyReads, zoneLegs: answer, mainLegs: answer }
  return (
    until -
    (await readComeTo(
      { endpointLags, ledger, reads, signal: noSignal, zoneShown: [], lastShown: new Map() },
      ask,
      until,
    ))
  )
}

const old = mostLagMs + 60_000

test.each(['zone', 'main'] as const)(
  'an endpoint that knows what is older and not what is newer lags: %s',
  async (ask) => {
    expect(await comesTo([old, 60_000, 30_000], [old], { ask })).toBe(old)
  },
)

test.each([
  ['it knows the newest', [old, 60_000, 30_000], [old, 30_000]],
  ['it knows the one before', [old, 60_000, 30_000], [old, 60_000]],
  ['it knows none at all: it may never show them', [old, 60_000, 30_000], []],
  ['a single one is unknown', [old, 30_000], [old]],
  ['nothing is older', [60_000, 30_000], []],
  ['what is unknown need not be known yet', [old, -1_000, -2_000], [old]],
] as const)('it does not where %s', async (_, ages, known) => {
  expect(await comesTo(ages, known)).toBe(-Infinity)
})

test('what nothing proves to have left may be as forged as the leg', async () => {
  expect(await comesTo([old, 60_000, 30_000], [old], { isProven: false })).toBe(-Infinity)
})

test('it has come as far as the newest of what it knows, to within a minute', async () => {
  const ages = [old, ...Array.from({ length: 60 }, (_, n) => n * 10_000)]
  const shown = ages.filter((age) => age >= 180_000)
  const age = await comesTo(ages, shown)
  expect(age).toBeGreaterThanOrEqual(180_000)
  expect(age).toBeLessThan(240_000)
})

test.each(['zone', 'main'] as const)(
  'semantics.md 8: beside what it showed last an empty answer is none: %s',
  async (ask) => {
    const { commit, endpointLags, ledger } = createTestKernel({ start: until })
    for (const age of [old, 60_000, 30_000]) {
      const arrived = { Hash: hash(`arrived ${age}`), Time: until - age }
      const left = { Hash: hash(`left ${age}`), Time: until - age - 1_000 }
      const [main, zone] = ask === 'zone' ? [left, arrived] : [arrived, left]
      const direction = ask === 'zone' ? 'MainToZone' : 'ZoneToMain'
      const legs = { mainHash: main.Hash, mainTime: main.Time, zoneHash: zone.Hash, zoneTime: zone.Time }
      const proof = { status: 'success', errorMessage: '', requestedAt: until } as const
      const moves = [
        { token: '0xcc', from: '0xaa', to: '0xe5', amount: null, amountRaw: 1_500_000n, tokenId: '' },
      ]
      commit({
        answers: [[toRecord({ direction, id: `id${age}`, ...legs, requestedAt: until })]],
        evidence: [
          ask === 'zone'
            ? { chain: 'main', hash: left.Hash, source: 'E13', ...proof, moves }
            : { chain: 'zone', hash: left.Hash, source: 'E9', ...proof, moves: null },
        ],
      })
    }
    const asked: [boolean, boolean | undefined][] = []
    const answer: typeof emptyReads.zoneLegs = async (hashes, options) => {
      asked.push([hashes.includes('0xlast'), options.isKnown])
      return { requestedAt: until, readings: [], bad: [] }
    }
    const zoneTransactionBy = async (by: number) =>
      ask === 'zone' ? { hash: hash(`at ${by}`), height: by, time: by } : null
    const reads = { ...emptyReads, zoneLegs: answer, mainLegs: answer, zoneTransactionBy }
    const lastShown = new Map([[ask, ['0xlast', '0xbefore']]])
    await readComeTo({ endpointLags, ledger, reads, signal: noSignal, zoneShown: [], lastShown }, ask, until)
    expect(asked[0]).toEqual([true, true])
  },
)

test('while it does not answer it keeps nothing back that others say', async () => {
  expect(await comesTo([old, 60_000, 30_000], [old], { fails: true })).toBe(-Infinity)
})

test('of the zone its own blocks say how far it has come, though no transfer does', async () => {
  const { commit, endpointLags, ledger } = createTestKernel({ start: until })
  const credited = { direction: 'MainToZone', zoneHash: hash('old'), zoneTime: until - old } as const
  commit({ answers: [[toRecord({ ...credited, crossType: 'Deposit', mainTime: until - old })]] })
  const zoneShown: ZoneShown[] = []
  let comesTo = until - 180_000
  let isMeasure = true
  const at = (now: number) => {
    const zoneTransactionBy = async (by: number) => ({ hash: hash(`at ${by}`), height: by, time: by })
    const zoneLegs = async (hashes: readonly string[]) => ({
      requestedAt: now,
      bad: [],
      readings: [
        ...zoneShown.filter(() => isMeasure),
        { hash: hash('old'), time: until - old },
        ...(isMeasure ? [{ hash: hash(`at ${now - mostLagMs}`), time: now - mostLagMs }] : []),
      ]
        .filter((one) => hashes.includes(one.hash) && one.time <= comesTo)
        .map((one) => ({
          chain: 'zone' as const,
          hash: one.hash,
          source: 'E9' as const,
          requestedAt: now,
          status: 'success' as const,
          errorMessage: '',
          moves: null,
        })),
    })
    const reads = { ...emptyReads, zoneTransactionBy, zoneLegs }
    return readComeTo(
      { endpointLags, ledger, reads, signal: noSignal, zoneShown, lastShown: new Map() },
      'zone',
      now,
    )
  }
  expect(await at(until)).toBe(until - 85_000)
  comesTo += 240_000
  expect(await at(until + 240_000)).toBe(until + 35_000)
  comesTo = Infinity
  expect(await at(until + 300_000)).toBe(Infinity)
  // It knows none of what blocks hold, however old: that is no lag.
  isMeasure = false
  expect(await at(until + 360_000)).toBe(Infinity)
})
