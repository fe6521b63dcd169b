import { describe, expect, test } from 'vitest'
import { prepareParams, rpcMethods, type RpcMethodName } from '../../../../src/clients/rpc/rpcMethods.ts'

const hash = `0x${'aB'.repeat(32)}`
const lower = hash.toLowerCase()
const address = `0x${'11'.repeat(20)}`
const minimal = { transactionHash: hash, transactionIndex: '0x0', status: '0x1' }

const read = (name: RpcMethodName, value: unknown) => {
  const parsed = rpcMethods[name].result.safeParse(value)
  return parsed.success
    ? parsed.data
    : `${parsed.error.issues[0]?.path.join('.')}: ${parsed.error.issues[0]?.message}`
}

test('there are the 17 methods of the document, and the logs of a range', () => {
  expect(Object.keys(rpcMethods)).toHaveLength(18)
})

describe('parameters', () => {
  test.each([
    ['eth_blockNumber', [], ['pending']],
    ['eth_blockNumber', ['latest'], ['latest']],
    ['eth_call', [{ to: address, data: '0x12' }], [{ to: address, data: '0x12' }, 'pending']],
    ['eth_estimateGas', [{ to: address }], [{ to: address }, 'pending']],
    ['eth_getBalance', [address], [address, 'pending']],
    ['eth_getTransactionCount', [address], [address, 'pending']],
    ['eth_getCode', [address, 5], [address, '0x5']],
    ['eth_getStorageAt', [address, 0], [address, '0x0', 'pending']],
    ['eth_getBlockByHash', [hash], [hash, false]],
    ['eth_getBlockByNumber', [], ['pending', false]],
    ['eth_getBlockByNumber', ['0x10', true], ['0x10', true]],
    ['eth_getBlockReceipts', [], ['pending']],
    ['eth_getBlockTransactionCountByNumber', [], ['pending']],
    ['eth_getTransactionByBlockNumberAndIndex', ['pending', 3], ['pending', '0x3']],
    ['eth_getTransactionByBlockHashAndIndex', [hash, '0x3'], [hash, '0x3']],
  ] as const)('%s %j is sent as %j', (name, given, sent) => {
    expect(prepareParams(name, given)).toEqual({ params: sent })
  })

  test.each([
    ['eth_getBalance', [], 'address is missing'],
    ['eth_getBalance', ['0x1'], 'address: expected an address'],
    ['eth_getBalance', [address, 'newest'], 'block: expected a block number or one of pending'],
    ['eth_getBlockByNumber', [-1], 'block: expected a block number'],
    ['eth_getBlockByNumber', [1, 'yes'], 'full: expected true or false'],
    ['eth_call', [{ to: address, data: '0x123' }], 'call.data: expected hex data'],
    ['eth_getTransactionByHash', [hash, 1], 'takes at most 1 parameters'],
    ['eth_getTransactionByBlockNumberAndIndex', ['pending'], 'index is missing'],
  ] as const)('%s %j is refused: %s', (name, given, problem) => {
    const prepared = prepareParams(name, given)
    expect('problem' in prepared ? prepared.problem : prepared.params).toContain(problem)
  })
})

describe('results', () => {
  test('a block with only what is promised is read, all else is null', () => {
    expect(read('eth_getBlockByNumber', { number: '0x10', hash, transactions: [hash] })).toEqual({
      number: 16,
      hash: lower,
      hashes: [lower],
      full: null,
      unreadable: [],
      parentHash: null,
      timestamp: null,
      miner: null,
      gasUsed: null,
      gasLimit: null,
      baseFeePerGas: null,
      size: null,
      stateRoot: null,
    })
  })

  test('full transactions give hashes too; nonce and s are promised, no other field is', () => {
    const block = { number: '0x10', hash, transactions: [{ hash, nonce: '0x7', s: '0x0', extra: 1 }] }
    expect(read('eth_getBlockByNumber', block)).toMatchObject({
      hashes: [lower],
      full: [{ hash: lower, nonce: 7, s: '0x0', to: null, value: null }],
    })
  })

  test('a transaction that breaks the contract is kept aside and the others are read', () => {
    const block = {
      number: '0x10',
      hash,
      transactions: [
        { hash, nonce: 7, s: '0x0' },
        { hash, nonce: '0x7', s: '0x1' },
      ],
    }
    expect(read('eth_getBlockByNumber', block)).toMatchObject({
      full: [{ nonce: 7, s: '0x1' }],
      unreadable: [{ index: 0, problem: 'nonce: expected a hex quantity below 2^53, got a number' }],
    })
  })

  test('a block being made may have null for its number and hash, but not leave them out', () => {
    expect(read('eth_getBlockByNumber', { number: null, hash: null, transactions: [] })).toMatchObject({
      number: null,
      hash: null,
    })
    expect(read('eth_getBlockByNumber', { hash, transactions: [] })).toBe(
      'number: expected a hex quantity below 2^53, got nothing',
    )
    expect(read('eth_getBlockByNumber', { number: '0x1', hash })).toBe('transactions: expected an array')
  })

  test('a receipt with only what is promised is read, and logs left out are not "no logs"', () => {
    expect(read('eth_getTransactionReceipt', minimal)).toMatchObject({
      status: 'success',
      logs: null,
      to: null,
    })
    expect(read('eth_getTransactionReceipt', { ...minimal, logs: [] })).toMatchObject({ logs: [] })
    expect(read('eth_getTransactionReceipt', { ...minimal, status: '0x0' })).toMatchObject({
      status: 'failed',
    })
  })

  test.each([
    ['left out', undefined, []],
    ['without a bit', `0x${'00'.repeat(256)}`, []],
    ['with a bit', `0x${'00'.repeat(255)}04`, null],
    ['no hex', 'none', []],
  ])(
    'logs of none are some that the node does not keep where their filter says so: %s',
    (_, logsBloom, logs) => {
      expect(read('eth_getTransactionReceipt', { ...minimal, logs: [], logsBloom })).toMatchObject({ logs })
    },
  )

  test.each([
    ['status', '0x2', 'status: expected 0x1 or 0x0'],
    ['status', 1, 'status: expected 0x1 or 0x0, got a number'],
    ['status', undefined, 'status: expected 0x1 or 0x0, got nothing'],
    ['transactionIndex', '0x', 'transactionIndex: expected a hex quantity below 2^53'],
    ['transactionHash', '0x12', 'transactionHash: expected a hash'],
    ['logs', [{ address, topics: ['0x1'], data: '0x' }], 'logs.0.topics.0: expected a hash'],
    [
      'logs',
      [{ address, topics: [], data: '0x', removed: true }],
      'logs.0.removed: expected a log that stands, got one of a block that was replaced',
    ],
    ['logs', [{ topics: [], data: '0x' }], 'logs.0.address: expected an address, got nothing'],
    ['logs', [{ address: null, topics: [], data: '0x' }], 'logs.0.address: expected an address, got nothing'],
    ['logs', [{ address: '0x12', topics: [], data: '0x' }], 'logs.0.address: expected an address'],
  ])('a receipt whose %s is %j is not read', (field, value, problem) => {
    expect(read('eth_getTransactionReceipt', { ...minimal, [field]: value })).toBe(problem)
  })

  test('logs of a range with one of a block that was replaced are not read', () => {
    const log = { address, topics: [], data: '0x', blockNumber: '0x1', transactionHash: hash }
    expect(read('eth_getLogs', [{ ...log, removed: false }, log])).toHaveLength(2)
    expect(read('eth_getLogs', [log, { ...log, removed: true }])).toBe(
      '1.removed: expected a log that stands, got one of a block that was replaced',
    )
  })

  test('a field that is not promised and unreadable is null', () => {
    expect(read('eth_getTransactionReceipt', { ...minimal, gasUsed: 21000, blockNumber: 'x' })).toMatchObject(
      {
        gasUsed: null,
        blockNumber: null,
      },
    )
  })

  test('receipts of a block are read one by one', () => {
    expect(read('eth_getBlockReceipts', [minimal, { ...minimal, status: null }])).toMatchObject({
      items: [{ status: 'success' }],
      unreadable: [{ index: 1, problem: 'status: expected 0x1 or 0x0, got nothing' }],
    })
    expect(read('eth_getBlockReceipts', null)).toBeNull()
  })

  test('amounts are exact to the last of 256 bits, counts stop where numbers stop being exact', () => {
    const max = `0x${'f'.repeat(64)}`
    expect(read('eth_getBalance', max)).toBe(2n ** 256n - 1n)
    expect(read('eth_getBalance', `${max}f`)).toBe(': expected a hex quantity')
    expect(read('eth_blockNumber', '0x1fffffffffffff')).toBe(2 ** 53 - 1)
    expect(read('eth_blockNumber', '0x20000000000000')).toBe(': expected a hex quantity below 2^53')
  })

  test('raw bytes of an unknown transaction are null, however the node says so', () => {
    expect([read('eth_getRawTransactionByHash', null), read('eth_getRawTransactionByHash', '0x')]).toEqual([
      null,
      null,
    ])
  })
})
