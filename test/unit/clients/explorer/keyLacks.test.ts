import { expect, test } from 'vitest'
import { describeLacks } from '../../../../src/clients/explorer/describeLacks.ts'
import { neutralDialect } from '../../../../src/clients/explorer/dialect.ts'
import { crossTransactions } from '../../../../src/clients/explorer/endpoints/crossRecords.ts'
import { createKeyBook } from '../../../../src/clients/explorer/keyBook.ts'
import { readAnswer } from '../../../../src/clients/explorer/readAnswer.ts'

const hashOf = (digit: string) => `0x${digit.repeat(64)}`

const whole = {
  id: '',
  txType: 'ZoneToMain',
  crossType: 'Withdraw',
  status: '0x1',
  mainTxHash: hashOf('a'),
  mainBlockHeight: '5',
  mainBlockTime: '1700000000000',
  zoneTxHash: hashOf('b'),
  zoneBlockHeight: '6',
  zoneBlockTime: '1700000000000',
  ...Object.fromEntries(['from', 'to', 'sourceAddress', 'targetAddress'].map((key) => [key, ''])),
  ...Object.fromEntries(
    ['value', 'valueRaw', 'tokenContractAddress', 'tokenType', 'tokenName'].map((key) => [key, '']),
  ),
}
/** It names no origin, and no kind. */
const {
  txType: _,
  zoneTxHash: __,
  zoneBlockHeight: ___,
  zoneBlockTime: ____,
  ...bare
} = {
  ...whole,
  mainTxHash: hashOf('C'),
}

function describe(data: readonly object[]) {
  const body = { code: '0', msg: '', data: [{ page: '1', limit: '100', totalPage: '1', data }] }
  const answer = readAnswer(
    {
      status: 200,
      retryAfter: null,
      date: null,
      contentType: 'application/json',
      json: { value: body },
      looks: 'text',
    },
    {
      endpoint: crossTransactions,
      reader: crossTransactions.createReader(neutralDialect),
      params: {},
      requestedAt: 1_700_000_100_000,
      clockAheadMs: 0,
      label: 'E3',
      chains: { main: 'MAIN', zone: 'ZONE' },
      scrub: (text) => text,
    },
  )
  const book = createKeyBook()
  book.note(answer, 7)
  return describeLacks(neutralDialect, book.list()).map(({ key, hashes }) => `${key} ${hashes.join()}`)
}

test('the transactions are named whose rows lack what others have: what one of them hides may be a theft', () => {
  expect(describe([whole, bare])).toEqual([
    `txType ${hashOf('c')}`,
    `zoneTxHash ${hashOf('c')}`,
    `zoneBlockHeight ${hashOf('c')}`,
    `zoneBlockTime ${hashOf('c')}`,
  ])
  expect(describe([bare])).toContain(`txType ${hashOf('c')}`)
})

test('where all rows lack it none is named', () => {
  expect(describe([bare, bare])).toContain('txType ')
})
