import { describe, expect, test } from 'vitest'
import { neutralDialect } from '../../../../src/clients/explorer/dialect.ts'
import { addressTransactions } from '../../../../src/clients/explorer/endpoints/mainTransactions.ts'
import { manyTransactionsTransfers } from '../../../../src/clients/explorer/endpoints/mainTransfers.ts'

const moment = { requestedAt: 7, latest: 2e12, rows: [] }
const address = (pair: string) => `0x${pair.repeat(20)}`
const transfer = {
  txId: `0x${'ab'.repeat(32)}`,
  blockHash: `0x${'ef'.repeat(32)}`,
  height: '12',
  transactionTime: '1700000000000',
  from: address('aa'),
  to: address('bb'),
  isToContract: false,
  amount: '1.5',
  symbol: 'T',
  tokenContractAddress: address('cc'),
  tokenId: '',
}
const listed = {
  ...transfer,
  state: 'success',
  methodId: '',
  txFee: '1',
  challengeStatus: '',
  l1OriginHash: '',
}
const readTransfer = (raw: object) => manyTransactionsTransfers.createReader(neutralDialect)(raw, moment)
const readListed = (raw: object) => addressTransactions.createReader(neutralDialect)(raw, moment)

describe('semantics.md 38: a row whose vital key says what nobody understands is set aside', () => {
  test.each(['something else', '0xzz', `${address('cc')}00`, address('cc').slice(0, -2), '7'])(
    '%s',
    (text) => {
      const problem = `expected an address of 40 digits: "${text.length > 40 ? `${text.slice(0, 39)}…` : text}"`
      for (const [key, read] of [
        ['tokenContractAddress', readListed({ ...listed, tokenContractAddress: text })],
        ['to', readTransfer({ ...transfer, to: text })],
      ] as const)
        expect(read).toEqual({
          problem: `${key}: ${problem}`,
          path: key,
          flaws: [{ field: key, key, use: 'judged', problem }],
        })
    },
  )

  test('and one that is empty there is taken', () => {
    expect(readListed({ ...listed, tokenContractAddress: '' })).toMatchObject({
      record: { token: '' },
      flaws: [],
    })
    expect(readTransfer({ ...transfer, to: '' })).toMatchObject({ record: { to: '' }, flaws: [] })
  })
})
