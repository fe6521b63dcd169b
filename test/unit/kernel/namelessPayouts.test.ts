import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../src/bridge/observation.ts'
import { transferDuplicate } from '../../../src/checks/transfers/duplicate.ts'
import { createRelated } from '../../../src/kernel/related.ts'
import { hash, toRecord } from '../../support/records.ts'
import { createTestKernel } from '../checks/support.ts'
import { eventContext } from '../rules/transfers.ts'

/*
 * A deployment that gives neither id nor event index. How many equal withdrawals a zone transaction holds one answer of E12 says
 * (semantics.md 1); one origin proves one payout (semantics.md 43).
 */

const first = toRecord({ mainHash: hash('first') })
const second = toRecord({ mainHash: hash('second'), mainTime: 950_000 })
const detail = (record: Observation): Observation => ({ ...record, source: 'E12' })

function open() {
  const kernel = createTestKernel({ start: 1_000_000 })
  const { clock, commit, ledger, stakes } = kernel
  /** So many seconds after the first one was seen. */
  const read = async (second: number, ...records: Observation[]) => {
    await clock.advance(1_000_000 + second * 1_000 - clock.now())
    commit({ answers: [records.map((record) => ({ ...record, requestedAt: clock.now() }))] })
  }
  const prove = () => {
    const answer = { chain: 'main', source: 'E13', requestedAt: clock.now(), status: 'success' } as const
    const hashes = [hash('first'), hash('second')]
    commit({ evidence: hashes.map((one) => ({ ...answer, hash: one, errorMessage: '', moves: null })) })
  }
  const judge = () => {
    const all = ledger.listTransfers({ limit: 9 })
    const context = eventContext({ related: createRelated({ ledger, stakes }, all), now: clock.now() })
    return all.flatMap((one) => transferDuplicate.detect(one, {}, context)?.transfer?.main?.hash ?? [])
  }
  return { ...kernel, read, prove, judge }
}

describe('two payouts of equal withdrawals without names', () => {
  test.each([
    { title: 'the second', shown: [detail(second)] },
    { title: 'the first', shown: [detail(first)] },
  ])(
    'are one too many where the detail shows $title alone, long after both were seen (semantics 43)',
    async (of) => {
      const { read, prove, judge } = open()
      await read(0, first)
      await read(10, second)
      prove()
      await read(60, ...of.shown)
      expect(judge()).toEqual([])
      await read(101, ...of.shown)
      expect(judge()).toEqual([hash('second')])
    },
  )

  test('are two where one answer of the detail shows both', async () => {
    const { read, prove, judge } = open()
    await read(0, first)
    await read(10, second)
    prove()
    await read(60, detail(first))
    await read(101, detail(first), detail(second))
    expect(judge()).toEqual([])
  })

  test('are not one too many by answers in which a row could not be read, and are by the next one without', async () => {
    const { read, prove, judge, ledger } = open()
    const crowded = { ...detail(second), unsaid: '?' }
    await read(0, first)
    await read(10, second)
    prove()
    await read(60, crowded)
    await read(101, crowded)
    expect(judge()).toEqual([])
    const due = ledger.listDueChecks(1_000_000 + 300_000, { byZone: 9, alone: 9 })
    expect(due.map(({ mainHash }) => mainHash)).toContain(hash('second'))
    await read(300, detail(second))
    expect(judge()).toEqual([hash('second')])
    await read(301, crowded)
    expect(judge()).toEqual([hash('second')])
  })

  test('the detail is asked for once more where it showed each alone', async () => {
    const { read, ledger } = open()
    await read(0, first)
    await read(1, detail(first))
    await read(10, second)
    await read(12, detail(second))
    const due = (second: number) =>
      ledger.listDueChecks(1_000_000 + second * 1_000, { byZone: 9, alone: 9 }).length
    expect([due(99), due(101)]).toEqual([0, 1])
    await read(101, detail(second))
    expect(due(1_000)).toBe(0)
  })
})
