import { expect, test } from 'vitest'
import { createEvidencePoll } from '../../../../src/checks/evidence/poll.ts'
import { readWhole } from '../../../../src/checks/evidence/readWhole.ts'
import type { LegsRead } from '../../../../src/checks/evidence/legsRead.ts'
import type { EvidenceSource } from '../../../../src/bridge/transfer.ts'
import type { EvidenceReading } from '../../../../src/ledger/evidence/evidence.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { emptyReads } from '../queuedLegs.ts'
import { createTestKernel, noSignal, setMainHead } from '../support.ts'

const second = 1_000
const minute = 60 * second
const native = `0x${'0'.repeat(40)}`
const start = 100_000_000

interface Play {
  /** How far behind each endpoint is, ms. */
  readonly lags: Partial<Record<EvidenceSource, number>>
  /** Whether the newest payout moves what its record says. */
  readonly isPaid?: boolean
  /** All have come to the present by this question of those that are asked once the newest may be missed. */
  readonly endsBy?: number
}

/** Payouts of native currency by calls, two a minute; what is said of the one of `start` within five, and how long after. */
async function play({ lags, isPaid = true, endsBy = Infinity }: Play) {
  const world = createTestKernel({ start: start - 20 * minute })
  const { clock, commit, db } = world
  const paidAt = new Map<string, number>()
  const said: { readonly afterMs: number; readonly what: string }[] = []
  let asked = 0
  const answer = async (
    source: EvidenceSource,
    hashes: readonly string[],
    amounts: readonly string[],
  ): Promise<LegsRead> => {
    if (clock.now() >= start + 65 * second) asked += 1
    const lag = asked < endsBy ? (lags[source] ?? second) : second
    const known = hashes.filter((one) => (paidAt.get(one) ?? Infinity) <= clock.now() - lag)
    const readings = known.map(
      (one): EvidenceReading => ({
        chain: 'main',
        hash: one,
        source,
        requestedAt: clock.now(),
        status: 'success',
        errorMessage: '',
        height: 7,
        time: paidAt.get(one) ?? null,
        moves: (one === hash('pay 0') && !isPaid ? [] : amounts).map((amount) => ({
          token: '',
          from: '0xe5',
          to: '0xbb',
          amount,
          amountRaw: null,
          tokenId: '',
        })),
      }),
    )
    return { requestedAt: clock.now(), readings, bad: [] }
  }
  const reads = {
    ...emptyReads,
    nativeLegs: (hashes: readonly string[]) => answer('E15', hashes, ['1.5']),
    nativeLeg: (one: string) => answer('E16', [one], ['1.5']),
    mainLogs: (one: string) => answer('E21', [one], []),
    ownValue: async (one: string) => (await answer('E7', [one], [])).readings[0] ?? null,
  }
  const poll = createEvidencePoll(
    {
      ...world,
      reads,
      commit: (result) => {
        // Of several answers the newest counts.
        const newest = result.evidence?.findLast((one) => one.hash === hash('pay 0'))
        if (newest) {
          const { source, status, moves } = newest
          said.push({
            afterMs: clock.now() - start,
            what: `${source} ${status} ${moves?.length ?? 'unsaid'}`,
          })
        }
        return commit(result)
      },
    },
    { name: 'evidence', isLate: false, others: [] },
  )
  for (let at = start - 20 * minute; at <= start + 5 * minute; at += 15 * second) {
    await clock.advance(at - clock.now())
    setMainHead(db, 1_000 + at / second, at, at)
    const age = start - at
    if (age % (30 * second) === 0) {
      const [main, zone] = [hash(`pay ${age}`), hash(`left ${age}`)]
      paidAt.set(main, at)
      const leg = { chain: 'zone', hash: zone, source: 'E9', status: 'success', errorMessage: '' } as const
      commit({
        answers: [
          [
            toRecord({
              id: `id${age}`,
              token: native,
              tokenType: '',
              value: '1.5',
              mainHash: main,
              mainTime: at,
              mainHeight: 7,
              zoneHash: zone,
              zoneTime: at - 10 * second,
              targetAddress: '0xbb',
              requestedAt: at,
            }),
          ],
        ],
        evidence: [{ ...leg, moves: null, requestedAt: at }],
      })
    }
    if (age <= minute) await poll(noSignal)
  }
  return said
}

const behind = 180 * second
const lists = { E15: behind, E16: behind }

test.each<[string, Play['lags']]>([
  ['their lists', lists],
  ['their lists and the logs', { ...lists, E21: behind }],
  ['these and the lists of blocks', { ...lists, E21: behind, E7: behind }],
])('semantics.md 41: calls are not taken for none while %s lag', async (_, lags) => {
  const said = await play({ lags })
  expect(said[0]?.afterMs).toBeGreaterThanOrEqual(behind)
  expect(said.at(-1)?.what).toBe('E16 success 1')
})

test('what moved nothing is told once they have come beyond it', async () => {
  const [said] = await play({ lags: lists, isPaid: false })
  expect(said?.what).toMatch(/ success 0$/)
  expect(said?.afterMs).toBeGreaterThanOrEqual(behind)
})

test('what was asked while they lagged says nothing, at whichever question that ends', async () => {
  const wrong: string[] = []
  for (let endsBy = 1; endsBy <= 8; endsBy += 1) {
    const said = await play({ lags: { ...lists, E21: behind, E7: behind }, endsBy })
    wrong.push(...said.map(({ what }) => `${endsBy}: ${what}`).filter((one) => !one.endsWith(' success 1')))
  }
  expect(wrong).toEqual([])
})

test('nor do calls that were asked for just before', async () => {
  let lag = true
  const by = (source: EvidenceSource): EvidenceReading => ({
    chain: 'main',
    hash: '0x1',
    source,
    status: 'success',
    errorMessage: '',
    requestedAt: 1,
    moves: [],
  })
  const reads = {
    mainLogs: () => Promise.resolve({ requestedAt: 1, readings: [by('E21')], bad: [] }),
    ownValue: () => Promise.resolve(by('E7')),
    async nativeLeg() {
      lag = false
      return { requestedAt: 1, readings: [], bad: [] }
    },
  }
  const how = { priority: 'urgent', signal: noSignal, callReads: 2, mayCome: async () => lag } as const
  expect(await readWhole(reads, { hash: '0x1', height: 7, addedAt: 0 }, how, 0)).toBe('unclear')
})
