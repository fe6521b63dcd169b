import { expect, test } from 'vitest'
import { toDecimal, noAmount } from '../../../../src/bridge/decimal.ts'
import { confirmCalls } from '../../../../src/checks/evidence/confirmCalls.ts'
import type { Outcome } from '../../../../src/checks/evidence/doubt.ts'
import type { EvidenceReading } from '../../../../src/ledger/evidence/evidence.ts'
import type { QueuedLeg } from '../../../../src/ledger/evidence/evidenceQueue.ts'
import { toRecord } from '../../../support/records.ts'
import { emptyReads, queuedLeg } from '../queuedLegs.ts'
import { createTestKernel, noSignal } from '../support.ts'

const start = 10_000_000
const listedSince = start - 3_600_000
const escrow = '0xe5'
const native = '0x0000000000000000000000000000000000000000'

const reading = (overrides: Partial<EvidenceReading> = {}): EvidenceReading => ({
  chain: 'main',
  hash: '0x1',
  source: 'E15',
  requestedAt: start,
  status: 'success',
  errorMessage: '',
  moves: [
    { token: '', from: '0xaa', to: escrow, amount: '2', amountRaw: null, tokenId: '' },
    { token: '', from: '0xaa', to: '0x99', amount: '0.1', amountRaw: null, tokenId: '' },
  ],
  ...overrides,
})

interface Case {
  /** What the escrow's list shows; null where nobody reads one. */
  readonly listed?: string | null
  /** What E16 says; null for nothing. */
  readonly alone?: EvidenceReading | null
  readonly waitedMs?: number
  readonly singles?: number
  readonly leg?: Partial<QueuedLeg>
  readonly firstStartAt?: number
  /** What was said of it before. */
  readonly known?: EvidenceReading
}

const failed = reading({ source: 'E16', status: 'failed', moves: [] })

async function confirm({
  listed = null,
  alone = null,
  waitedMs = 0,
  singles = 12,
  leg,
  known,
  firstStartAt,
}: Case) {
  const kernel = createTestKernel({ start })
  const { clock, commit, stakes } = kernel
  commit({
    answers: [
      [
        toRecord({
          mainHash: '0x1',
          token: native,
          direction: 'MainToZone',
          value: '2',
          amountRaw: 2n * 10n ** 18n,
        }),
      ],
    ],
  })
  if (known) commit({ evidence: [known] })
  if (listed !== null) {
    const nets = new Map(listed === '' ? [] : [[escrow, toDecimal(listed) ?? { digits: 0n, scale: 0 }]])
    stakes.follow({
      reserveOf: () => null,
      riskOf: () => 0,
      netOf: () => ({ since: listedSince, nets }),
      lockedOf: () => noAmount,
    })
  }
  await clock.advance(waitedMs)
  const asked: string[] = []
  const reads = {
    ...emptyReads,
    nativeLeg: async (hash: string) => {
      asked.push(hash)
      return { requestedAt: clock.now(), readings: alone === null ? [] : [alone], bad: [] }
    },
  }
  const queued = { ...queuedLeg({ ask: 'native', addedAt: start, time: start - 10_000 }), ...leg }
  const asking = {
    ...kernel,
    reads,
    signal: noSignal,
    singles: { left: singles },
    lags: new Map(),
    zoneShown: [],
    denials: new Map(),
    aloneLags: new Map(),
    lastShown: new Map(),
    serviceAheadMs: 0,
    firstStartAt: firstStartAt ?? start,
  }
  const { readings, saves }: Outcome = await confirmCalls(
    asking,
    queued,
    reading({ requestedAt: clock.now() }),
  )
  return {
    said: readings.map(({ source, status }) => `${source} ${status}`),
    again: saves.map(({ dueAt }) => dueAt - start),
    asked: asked.length,
  }
}

test.each<[string, Case, Awaited<ReturnType<typeof confirm>>]>([
  [
    'the list of the escrow shows as much: nothing is asked',
    { listed: '2' },
    { said: ['E15 success'], again: [], asked: 0 },
  ],
  [
    'it shows nothing yet: it is waited for',
    { listed: '' },
    { said: ['E15 success'], again: [45_000], asked: 0 },
  ],
  [
    'it shows less: it is waited for',
    { listed: '0.000001' },
    { said: ['E15 success'], again: [45_000], asked: 0 },
  ],
  [
    'it shows nothing in its time: the list for single transactions decides',
    { listed: '', waitedMs: 45_000, alone: failed },
    { said: ['E15 success', 'E16 failed'], again: [], asked: 1 },
  ],
  [
    'no list of an escrow is read: it decides at once',
    { alone: failed },
    { said: ['E15 success', 'E16 failed'], again: [], asked: 1 },
  ],
  [
    'it says the same',
    { alone: reading({ source: 'E16' }) },
    { said: ['E15 success', 'E16 success'], again: [], asked: 1 },
  ],
  [
    'it says nothing: it is asked again',
    { alone: null },
    { said: ['E15 success'], again: [15_000], asked: 1 },
  ],
  [
    'nor ever after: the first stands alone',
    { alone: null, leg: { tries: 2 } },
    { said: ['E15 success'], again: [], asked: 1 },
  ],
  ['doubts go first', { alone: failed, singles: 6 }, { said: ['E15 success'], again: [15_000], asked: 0 }],
  [
    'the longer the older it is',
    { alone: failed, singles: 6, waitedMs: 600_000 },
    { said: ['E15 success'], again: [750_000], asked: 0 },
  ],
  [
    'and a day at most',
    { alone: failed, singles: 6, waitedMs: 86_400_001 },
    { said: ['E15 success'], again: [], asked: 0 },
  ],
  [
    'once it said that it failed, it is asked each time',
    { listed: '', alone: failed, known: failed },
    { said: ['E15 success', 'E16 failed'], again: [], asked: 1 },
  ],
  [
    'and what leaves that out is no word against it',
    { listed: '', alone: null, known: failed },
    { said: [], again: [15_000], asked: 1 },
  ],
  [
    'nor when it is not answered any more',
    { listed: '', alone: null, known: failed, leg: { tries: 2 } },
    { said: [], again: [], asked: 1 },
  ],
  [
    'of before the lists of escrows begin it is taken as it is',
    { listed: '', alone: failed, waitedMs: 45_000, leg: { time: listedSince - 1 } },
    { said: ['E15 success'], again: [], asked: 0 },
  ],
  [
    'from then on it is asked for, however late it is seen',
    { listed: '', alone: failed, waitedMs: 45_000, leg: { isLate: true, time: listedSince } },
    { said: ['E15 success', 'E16 failed'], again: [], asked: 1 },
  ],
  [
    'of long before the start, where no list is read, it is taken as it is',
    { alone: failed, leg: { time: start - 900_001 } },
    { said: ['E15 success'], again: [], asked: 0 },
  ],
  [
    'what happened while nothing ran is asked for as well',
    { alone: failed, leg: { time: start - 7_200_000 }, firstStartAt: start - 86_400_000 },
    { said: ['E15 success', 'E16 failed'], again: [], asked: 1 },
  ],
])('calls of which nobody said whether they failed: %s', async (_, given, expected) => {
  expect(await confirm(given)).toEqual(expected)
})
