import { expect, test } from 'vitest'
import { tokenOf } from '../../../../src/bridge/describeTransfer.ts'
import { tokenLabel } from '../../../../src/report/render/tokenLabel.ts'
import { toRecord } from '../../../support/records.ts'
import { transferOf } from '../../rules/transfers.ts'

const bare = { address: '0xcc', symbol: null, name: '', decimals: null }

test.each([
  ['USDC', { ...bare, symbol: 'USDC', name: 'Whatever' }],
  ['[Whatever]', { ...bare, name: 'Whatever' }],
  ['0xcc', bare],
  ['native currency', { ...bare, address: '' }],
  ['native currency', { ...bare, address: `0x${'ee'.repeat(20)}` }],
  ['unknown token', { ...bare, address: 'unknown' }],
])('%s', (label, token) => expect(tokenLabel(token)).toBe(label))

test.each([
  ['the native currency', { token: '' }, 'native currency'],
  ['a kind of contract that a record does not name', { token: '', tokenType: 'ERC20' }, '[unnamed token]'],
  ['a token that no record names', { token: '', unsaid: 'token' }, '[unnamed token]'],
])('a transfer says what it is of: %s', (_, record, said) => {
  expect(tokenOf(transferOf([toRecord({ tokenName: '', tokenType: '', ...record })]))).toBe(said)
})
