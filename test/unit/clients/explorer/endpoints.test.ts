import { describe, expect, test } from 'vitest'
import { neutralDialect } from '../../../../src/clients/explorer/dialect.ts'
import { endpoints, findEndpoint } from '../../../../src/clients/explorer/endpoints.ts'

const hash = `0x${'a'.repeat(64)}`
const hashes = (count: number) => Array<string>(count).fill(hash)

function at(id: string) {
  const endpoint = findEndpoint(id)
  if (!endpoint) throw new Error(id)
  return endpoint
}

test('there are 21 endpoints, each with a name and a path of its own', () => {
  expect(endpoints.map(({ id }) => id)).toEqual(Array.from({ length: 21 }, (_, index) => `E${index + 1}`))
  expect(new Set(endpoints.map(({ name }) => name)).size).toBe(21)
  expect(new Set(endpoints.map(({ path }) => path)).size).toBe(21)
})

test('an endpoint is found by number and by name, in any case', () => {
  expect(findEndpoint('e3')?.id).toBe('E3')
  expect(findEndpoint('Main-Block')?.id).toBe('E11')
  expect(findEndpoint('E22')).toBeNull()
})

describe('parameters', () => {
  const range = (start: number, end: number) => ({ startBlockHeight: start, endBlockHeight: end })
  test.each([
    ['E1', { tokenContractAddress: '0xcc', limit: 50 }, { tokenContractAddress: '0xcc', limit: 51 }],
    ['E2', { txId: hash, limit: 100 }, { txId: hash, limit: 101 }],
    ['E3', { limit: 100 }, { limit: 101 }],
    ['E4', { height: 5, limit: 100 }, { limit: 100 }],
    ['E5', { limit: 100 }, { limit: 101 }],
    ['E6', { address: '0xaa', limit: 50 }, { address: '0xaa', limit: 51 }],
    ['E6', { address: '0xaa', protocolType: 'token_20' }, { address: '0xaa', protocolType: 'token_21' }],
    ['E7', { ...range(1, 2), limit: 100 }, { ...range(1, 2), limit: 101 }],
    ['E8', { address: '0xaa', isFromOrTo: 'to' }, { address: '0xaa', isFromOrTo: 'both' }],
    ['E9', { txId: hashes(20) }, { txId: hashes(21) }],
    ['E10', { address: ['0xaa'], ...range(5, 10_005) }, { address: ['0xaa'], ...range(5, 10_006) }],
    [
      'E10',
      { address: Array(20).fill('0xaa'), ...range(1, 2) },
      { address: Array(21).fill('0xaa'), ...range(1, 2) },
    ],
    ['E11', { height: '12' }, { height: '12.5' }],
    ['E12', { txId: hashes(20) }, { txId: hashes(21) }],
    ['E13', { txId: hashes(20) }, { txId: hashes(21) }],
    ['E14', { txid: hash }, { txId: hash }],
    ['E15', { txId: hashes(20) }, { txId: hashes(21) }],
    ['E16', { txId: hash }, { txId: 'hello' }],
    ['E17', { contractAddress: '0xaa' }, { contractAddress: '' }],
    ['E18', { address: '0xaa', topic0: hash }, { address: '0xaa' }],
    ['E19', { address: '0xaa', ...range(1, 9) }, { address: '0xaa' }],
    ['E20', { address: '0xaa' }, { address: '0xaa,0xbb' }],
    ['E21', { txId: hash }, { txId: `${hash},${hash}` }],
  ])('of %s: %j is sent, %j is not', (id, good, bad) => {
    expect(at(id).params.safeParse(good).success).toBe(true)
    expect(at(id).params.safeParse(bad).success).toBe(false)
  })
})

describe('records', () => {
  const transfer = { txId: hash.toUpperCase().replace('0X', '0x'), from: '0xAA', to: '0xBB', amount: '1.5' }
  test.each([
    [
      'E1',
      { ...transfer, txId: undefined, txid: hash, transactionSymbol: 'USDC' },
      { hash, symbol: 'USDC', amount: '1.5' },
    ],
    [
      'E2',
      { ...transfer, symbol: 'USDC', isFromContract: true },
      { hash, symbol: 'USDC', isFromContract: true, isToContract: null },
    ],
    [
      'E4',
      { hash, blockHeight: '5', status: '0x1', index: '3', valueRaw: '7' },
      { height: 5, status: 'success', index: 3, amountRaw: 7n },
    ],
    [
      'E6',
      { ...transfer, challengeStatus: 'open', txfee: '0.1' },
      { challengeStatus: 'open', l1OriginHash: null, txFee: '0.1' },
    ],
    ['E7', { ...transfer, state: 'success', transactionTime: '5' }, { state: 'success', time: 5 }],
    ['E8', { ...transfer, operation: 'call', symbol: 'ETH' }, { hash, operation: 'call', symbol: 'ETH' }],
    [
      'E10',
      { ...transfer, from: '0xAA,0xBB', gasPrice: '1000', nonce: '4' },
      { from: '0xaa,0xbb', gasPrice: '1000', nonce: '4' },
    ],
    ['E13', { ...transfer, tokenId: '9', blockHash: hash }, { tokenId: '9', blockHash: hash }],
    ['E15', { ...transfer, operation: 'staticcall' }, { operation: 'staticcall', state: '' }],
    ['E16', { ...transfer, state: 'success' }, { state: 'success' }],
    [
      'E17',
      { contractAbi: '[]', libraryInfo: '', proxy: '1', implementation: '0xAB' },
      { libraries: [], proxy: '1', implementation: '0xab' },
    ],
    [
      'E17',
      { sourceCode: 'x', libraryInfo: [{ libraryName: 'Math', libraryAddress: '0xAB' }] },
      { libraries: [{ name: 'Math', address: '0xab' }] },
    ],
    [
      'E18',
      { txId: hash, height: '7', topics: ['0xAB'], data: '0x01', logIndex: '2' },
      { topics: ['0xab'], data: '0x01', logIndex: 2 },
    ],
    ['E21', { txId: hash, height: '7', topics: [] }, { topics: [], data: '', logIndex: null }],
  ])('of %s: %j', (id, raw, expected) => {
    expect(at(id).createReader(neutralDialect)(raw, 7)).toMatchObject({
      record: { ...expected, requestedAt: 7 },
    })
  })

  test.each([
    ['E1', { txid: hash, amount: 1.5 }, 'amount: expected a plain decimal number, got number 1.5'],
    ['E2', { amount: '1' }, 'txId: expected a hash, got nothing'],
    ['E7', { txId: hash, isToContract: 'yes' }, 'isToContract: expected a boolean, got "yes"'],
    ['E8', { txid: hash, height: 5 }, 'height: expected decimal digits, got number 5'],
    ['E17', {}, 'record: expected source code, an ABI or an implementation, got none'],
    [
      'E17',
      { contractAbi: '[]', libraryInfo: 'Math' },
      'libraryInfo: expected an array of libraries, got "Math"',
    ],
    ['E19', { txId: hash, height: '7', topics: '0xab' }, 'topics: expected an array of strings, got "0xab"'],
    ['E19', { txId: hash, topics: [] }, 'height: expected decimal digits, got nothing'],
  ])('of %s that break the contract: %j', (id, raw, problem) => {
    expect(at(id).createReader(neutralDialect)(raw, 7)).toMatchObject({ problem })
  })
})
