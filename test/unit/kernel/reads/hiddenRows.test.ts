import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { isClean, isCleanOf, isHiding } from '../../../../src/kernel/reads/hiddenRows.ts'
import { mayBeUnread } from '../../../../src/kernel/reads/unreadRows.ts'
import { hash, toRecord } from '../../../support/records.ts'

/** An answer with these records, and with rows that were set aside. */
function toRead({ records = [], bad = [], isUnfiltered = false }: Partial<Parts>) {
  return { records, bad: bad.map((raw) => ({ endpoint: 'E3', problem: 'no amount', raw })), isUnfiltered }
}

interface Parts {
  records: readonly Observation[]
  bad: readonly string[]
  isUnfiltered: boolean
}

describe('semantics.md 38: a row that was set aside counts as present wherever absence is judged', () => {
  test.each([
    ['nothing but records', { records: [toRecord()] }, [false, true]],
    ['a row that cannot be read', { bad: ['{}'] }, [true, false]],
    ['a row outside the filter', { bad: ['{}'], isUnfiltered: true }, [false, false]],
    [
      'a record that does not say its main transaction',
      { records: [toRecord({ unsaid: 'mainHash' })] },
      [true, false],
    ],
    [
      'a record that does not say its zone transaction',
      { records: [toRecord({ unsaid: 'zoneHash' })] },
      [true, false],
    ],
    ['a record that does not say its amount', { records: [toRecord({ unsaid: 'value' })] }, [false, true]],
  ] as const)('an answer with %s', (_, of, expected) => {
    const read = toRead(of)
    expect([isHiding(read), isClean(read)]).toEqual(expected)
  })

  test('of several hashes only the one that a row names is hidden, by a row that names none each of them', () => {
    const [first, second] = [hash('first'), hash('second')]
    const of = (rows: readonly string[]) => {
      const isCleanFor = isCleanOf(toRead({ bad: rows }), [first, second])
      const isUnread = mayBeUnread(toRead({ bad: rows }).bad, [first, second])
      return [first, second].map((one) => [isCleanFor(one), isUnread(one)])
    }
    expect(of([])).toEqual([
      [true, false],
      [true, false],
    ])
    expect(of([`{"txId":"${first.toUpperCase()}"}`])).toEqual([
      [false, true],
      [true, false],
    ])
    expect(of([`{"txId":"${first}"}`, '{"txId":"0x3"}'])).toEqual([
      [false, true],
      [false, true],
    ])
  })
})
