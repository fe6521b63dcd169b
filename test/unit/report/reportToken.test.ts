import { expect, test } from 'vitest'
import { toReportToken } from '../../../src/report/reportToken.ts'

const bare = { symbol: null, name: '', type: '', id: '', decimals: null }

test.each([
  ['the native currency', { ...bare, address: '' }, 18],
  ['under another spelling', { ...bare, address: `0x${'e'.repeat(40)}` }, 18],
  ['as it is configured', { ...bare, address: '', decimals: 8 }, 8],
  ['one of which nothing is known', { ...bare, address: '', isUnknown: true as const }, null],
  ['one that was never described', { ...bare, address: '0xcc' }, null],
])('decimals of %s', (_, token, decimals) => expect(toReportToken(token).decimals).toBe(decimals))
