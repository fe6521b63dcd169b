import { expect, test } from 'vitest'
import { fitsExactly, fitsHeights, fitsOneOf } from '../../../../src/clients/explorer/fits.ts'

type Row = readonly (string | null)[]

const says = (row: Row, params: Record<string, string>) =>
  fitsOneOf<Row>('txId', (values) => values)(row, params, [row])

test('semantics.md 39: a row fits that names one of what was asked for, in any case, or names nothing', () => {
  const asked = { txId: '0xAA,0xbb' }
  expect(says(['0xaa'], asked)).toBeNull()
  expect(says(['0xcc', '0xBB'], asked)).toBeNull()
  expect(says([null, ''], asked)).toBeNull()
  expect(says(['0xcc'], {})).toBeNull()
  expect(says(['0xcc'], asked)).toContain('0xcc')
})

test('semantics.md 39: a value that cannot be left out does not fit where it is', () => {
  const check = fitsExactly<string>('txId', (value) => value)
  expect(check('0xAA', { txId: '0xaa' }, [])).toBeNull()
  expect(check('', { txId: '0xaa' }, [])).not.toBeNull()
})

test('semantics.md 39: a height fits at either end of the range, on either leg, or where there is none yet', () => {
  const check = fitsHeights<readonly (number | null)[]>((heights) => heights)
  const fits = (...heights: (number | null)[]) =>
    check(heights, { startBlockHeight: '5', endBlockHeight: '7' }, []) === null
  expect([fits(5), fits(7), fits(4, 6), fits(null)]).toEqual([true, true, true, true])
  expect([fits(4), fits(8), fits(4, 8), fits(4, null)]).toEqual([false, false, false, false])
})
