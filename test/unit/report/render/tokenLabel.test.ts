import { expect, test } from 'vitest'
import { tokenOf } from '../../../../src/bridge/describeTransfer.ts'
import { tokenLabel } from '../../../../src/report/render/tokenLabel.ts'
import { toRecord } from '../../../support/records.ts'
import { transferOf } from '../../rules/transfers.ts'

const coin = { address: '', symbol: null, name: '', decimals: 18 }

test.each([
  ['the native currency', coin, 'native currency'],
  ['the same by another spelling', { ...coin, address: `0x${'ee'.repeat(20)}` }, 'native currency'],
  ['the same with a symbol', { ...coin, symbol: 'COIN' }, 'COIN'],
  ['the same with a name from the chain', { ...coin, name: 'Coin' }, '[Coin]'],
  ['one that nothing is known of', { ...coin, decimals: null }, '[unnamed token]'],
  ['a contract', { ...coin, address: '0xaa' }, '0xaa'],
])('%s has a label', (_, token, label) => {
  expect(tokenLabel(token)).toBe(label)
})

test.each([
  ['the native currency', { token: '' }, 'native currency'],
  ['a kind of contract that a record does not name', { token: '', tokenType: 'ERC20' }, '[unnamed token]'],
  ['a token that no record names', { token: '', unsaid: 'token' }, '[unnamed token]'],
])('a transfer says what it is of: %s', (_, record, said) => {
  expect(tokenOf(transferOf([toRecord({ tokenName: '', tokenType: '', ...record })]))).toBe(said)
})
