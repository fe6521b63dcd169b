import { expect, test } from 'vitest'
import { describeLacks } from '../../../../src/clients/explorer/describeLacks.ts'
import { neutralDialect } from '../../../../src/clients/explorer/dialect.ts'

const now = 10_000_000
const minute = 60_000

/** What is said of a key that these rows of the newest answer lacked, which rows had `seenAt`. */
function isWholly(rows: number, seenAt: number | null): boolean | undefined {
  const use = 'judged' as const
  const lack = {
    endpoint: 'E3' as const,
    field: 'valueRaw',
    key: 'valueRaw',
    use,
    problem: null,
    rows,
    of: 20,
    hashes: [],
  }
  const times = { firstAt: now - 30 * minute, lastAt: now, isStill: true, seenAt }
  return describeLacks(neutralDialect, [{ ...lack, ...times, keys: [] }])[0]?.isWhole
}

test('a key is gone where no row of an answer has it, and none had it in the ten minutes before', () => {
  expect(isWholly(20, null)).toBe(true)
  expect(isWholly(19, null)).toBe(false)
  expect(isWholly(20, now - 10 * minute)).toBe(false)
  expect(isWholly(20, now - 10 * minute - 1)).toBe(true)
})
