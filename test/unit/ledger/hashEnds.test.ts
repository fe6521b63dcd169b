import { expect, test } from 'vitest'
import { readHashEnds } from '../../../src/ledger/transfers/transferFilter.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { hash, toRecord } from '../../support/records.ts'
import { shortHash } from '../../../src/lib/shortHash.ts'
import { toTextFilter } from '../../../src/web/views/pageLists.ts'

test.each([
  ['0x12AB…cd34', { from: '0x12ab', to: 'cd34' }],
  ['0x12ab...cd34', { from: '0x12ab', to: 'cd34' }],
  ['0x12ab*cd34', null],
  ['0x12%…cd34', null],
  ['0x12abcd34', null],
  ['main 0x12ab…cd34', { from: '0x12ab', to: 'cd34' }],
  ['c42', null],
])('%s is read as %o', (text, expected) => {
  expect(readHashEnds(text)).toEqual(expected)
})

test('a transfer is found by the short form of either hash and of an address, and by no other', () => {
  const ledger = createLedger(openDatabase(':memory:'), {
    tokens: [],
    openIntervalMs: 10_000,
    evidence: { since: 0, holdMs: 15_000, wantsReceipt: null },
  })
  const whole = `0x${'1234'.padEnd(60, '7')}abcd`
  const source = `0x${'99'.repeat(18)}8888`
  ledger.recordAnswer(
    [
      toRecord({ id: 'a', zoneHash: whole, sourceAddress: source }),
      toRecord({ id: 'b', zoneHash: hash('other'), mainHash: hash('else') }),
    ],
    1_000_000,
  )
  const find = (text: string) => ledger.listTransfers(toTextFilter(text)).map(({ id }) => id)
  expect(find(shortHash(whole))).toEqual(['a'])
  expect(find('0x9999…8888')).toEqual(['a'])
  expect(find('0x1234…abce')).toEqual([])
  // As it is copied without its prefix, from a message, and as an explorer's link.
  const link = 'https://explorer.example.com'
  for (const pasted of [
    whole.slice(2).toUpperCase(),
    `zone ${whole}`,
    `${link}/tx/${whole}`,
    `${link}/zone/tx/${whole}?tab=logs#2`,
    `${link}/?tx=${whole}&x=1`,
    `${link}/address/${source}/transfers`,
    `${link}/tx/${whole}?from=0x${'9f'.repeat(20)}`,
  ])
    expect(find(pasted), pasted).toEqual(['a'])
  expect(find(source.slice(2))).toEqual(['a'])
})

test('a configured symbol is its token', () => {
  const tokens = [{ symbol: 'USDC', address: '0xcc' }]
  expect(toTextFilter('usdc', tokens)).toEqual({ token: '0xcc' })
  expect(toTextFilter('dai', tokens)).toEqual({ hash: 'dai' })
})
