import { expect, test } from 'vitest'
import { confirmMoves, isCovered } from '../../../../src/checks/evidence/confirmMoves.ts'
import { decideDoubt } from '../../../../src/checks/evidence/decideDoubt.ts'
import type { Doubt, Outcome } from '../../../../src/checks/evidence/doubt.ts'
import { recordHead } from '../../../../src/kernel/heads/heads.ts'
import type { EvidenceReading } from '../../../../src/ledger/evidence/evidence.ts'
import type { QueuedLeg } from '../../../../src/ledger/evidence/evidenceQueue.ts'
import { hash, toMove, toRecord } from '../../../support/records.ts'
import { emptyReads, queuedLeg } from '../queuedLegs.ts'
import { createTestKernel, noSignal } from '../support.ts'

const start = 10_000_000
const fresh = queuedLeg({ ask: 'main', addedAt: start, time: start - 1_000_000 })

/** Answers about a leg, in turn: `1` holds it with money that does not fit, `0` does not hold it; no second source does. */
async function answer(pattern: string, before: Partial<QueuedLeg> = {}) {
  const world = createTestKernel({ start })
  const { clock, db, ledger } = world
  ledger.recordAnswer([toRecord({ mainHash: '0x1' })], clock.now())
  recordHead(db, 'main', { height: 1_000, blockTime: start, at: start })
  let leg: QueuedLeg | undefined = { ...fresh, ...before }
  for (let n = 0; leg && n < 100; n += 1) {
    const doubt: Doubt = {
      ...world,
      reads: emptyReads,
      signal: noSignal,
      singles: { left: 9 },
      lags: new Map(),
      zoneShown: [],
      denials: new Map(),
      aloneLags: new Map(),
      lastShown: new Map(),
      at: clock.now(),
      hasControl: true,
      control: null,
      comeTo: Infinity,
      serviceAheadMs: 0,
    }
    const first: EvidenceReading = {
      chain: 'main',
      hash: '0x1',
      source: 'E13',
      requestedAt: clock.now(),
      status: 'success',
      errorMessage: '',
      moves: [{ token: '0xcc', from: '0xaa', to: '0xbb', amount: '0.5', amountRaw: null, tokenId: '' }],
    }
    const holds = pattern[n % pattern.length] === '1'
    const { readings, saves }: Outcome = await (holds
      ? confirmMoves(doubt, leg, first)
      : decideDoubt(doubt, leg))
    const [said] = readings
    if (said) return { said, answers: n + 1, afterMs: clock.now() - start }
    leg = saves[0]
    await clock.advance((leg?.dueAt ?? 0) - clock.now())
  }
  return null
}

test.each([
  { title: 'that was there at once', before: {} },
  {
    title: 'that two answers had not held',
    before: { reads: 2, firstAt: 1, lastAt: 15_001, controlAt: 15_001 },
  },
])('a second answer is asked for three times of a leg $title', async ({ before }) => {
  expect(await answer('1', before)).toMatchObject({ said: { status: 'success', unasked: 'E21' }, answers: 3 })
})

test('a leg is absent by three answers in a row without it', async () => {
  expect(await answer('1000')).toMatchObject({ said: { status: 'absent' }, answers: 4 })
})

test.each([['10'], ['01'], ['110'], ['100'], ['1110']])(
  'a leg that answers hold and do not hold in turn (%s) is told: neither is counted anew by the other',
  async (pattern) => {
    const told = await answer(pattern)
    expect(told).toMatchObject({ said: { status: 'success', unasked: 'E21' } })
    expect(told?.afterMs).toBeLessThanOrEqual(120_000)
  },
)

test.each([150, 600])(
  'of %i payouts in one transaction the last one lacks its movement (semantics 8)',
  (count) => {
    const kernel = createTestKernel()
    const payouts = Array.from({ length: count }, (_, n) =>
      toRecord({ id: `r${n}`, zoneHash: hash(`z${n}`) }),
    )
    kernel.commit({ answers: [payouts] })
    const asking = {
      ...kernel,
      reads: emptyReads,
      signal: noSignal,
      singles: { left: 0 },
      lags: new Map(),
      zoneShown: [],
      denials: new Map(),
      aloneLags: new Map(),
      lastShown: new Map(),
      serviceAheadMs: 0,
    }
    const answer = { chain: 'main', hash: hash('main'), source: 'E13', status: 'success' } as const
    const covers = (paid: number) =>
      isCovered(asking, {
        ...answer,
        requestedAt: 1,
        errorMessage: '',
        moves: payouts.slice(0, paid).map(toMove),
      })
    expect([covers(count), covers(count - 1)]).toEqual([true, false])
  },
)
