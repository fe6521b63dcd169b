import { afterEach, describe, expect, test } from 'vitest'
import { createRpc, type Rpc, type RpcOptions } from '../../../src/clients/rpc/createRpc.ts'
import { MonitorError } from '../../../src/lib/errors.ts'
import {
  answerEach,
  type RpcReply,
  type RpcStub,
  startRpcStub,
  type StubCall,
} from '../../support/rpcStub.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function serve(
  reply: (body: StubCall | StubCall[], index: number) => RpcReply,
  options: Partial<RpcOptions> = {},
): Promise<{ readonly rpc: Rpc; readonly stub: RpcStub }> {
  const stub = await startRpcStub(reply)
  const rpc = createRpc({ source: 'preconf', url: stub.url, clock: createSteppedClock(), ...options })
  closers.push(
    () => rpc.close(),
    async () => stub[Symbol.asyncDispose](),
  )
  return { rpc, stub }
}

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const receiptOf = (hash: unknown) => ({ transactionHash: hash, transactionIndex: '0x0', status: '0x1' })
const receiptsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    method: 'eth_getTransactionReceipt' as const,
    params: [hashOf(at + 1)] as [string],
  }))

async function failureOf(promise: Promise<unknown>): Promise<MonitorError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof MonitorError) return error
  throw new Error(`expected a MonitorError, got ${String(error)}`)
}

describe('one call', () => {
  test('what is left out of the parameters is pending, and no full transactions', async () => {
    const { rpc, stub } = await serve((body) => answerEach(body, () => ({ result: null })))
    await rpc.call('eth_getBlockByNumber', [])
    await rpc.call('eth_getBlockByNumber', [18, true])
    await rpc.call('eth_getBlockReceipts', [])
    expect(stub.bodies.map((body) => (body as StubCall).params)).toEqual([
      ['pending', false],
      ['0x12', true],
      ['pending'],
    ])
  })

  test('an unknown hash is null and an error object is an error', async () => {
    const { rpc } = await serve((body) =>
      answerEach(body, ({ params }) =>
        params[0] === hashOf(1) ? { result: null } : { error: { code: -32603, message: 'internal' } },
      ),
    )
    expect(await rpc.call('eth_getTransactionReceipt', [hashOf(1)])).toBeNull()
    const error = await failureOf(rpc.call('eth_getTransactionReceipt', [hashOf(2)]))
    expect(error).toMatchObject({ code: 'source.unreachable', details: { rpcCode: -32603 } })
  })

  test.each([
    [-32700, 'source.refused', false],
    [-32600, 'source.refused', false],
    [-32601, 'source.refused', false],
    [-32602, 'source.refused', false],
    [-32603, 'source.unreachable', true],
    [-32015, 'source.refused', false],
    [-32005, 'source.throttled', true],
    [-32000, 'source.unreachable', true],
  ] as const)('error object %i is %s, retryable: %s', async (code, expected, retryable) => {
    const { rpc } = await serve((body) => answerEach(body, () => ({ error: { code, message: 'x' } })))
    const error = await failureOf(rpc.call('eth_blockNumber', []))
    expect(error).toMatchObject({ code: expected, retryable, details: { rpcCode: code } })
  })

  test.each([
    [401, 'source.rejected'],
    [402, 'source.rejected'],
    [403, 'source.rejected'],
    [404, 'source.refused'],
    [429, 'source.throttled'],
    [302, 'source.invalid'],
    [502, 'source.unreachable'],
  ] as const)('HTTP %i is %s, whatever the body', async (status, expected) => {
    const { rpc } = await serve(() => ({ text: '<html>no</html>', status, headers: { location: '/x' } }))
    expect((await failureOf(rpc.call('eth_blockNumber', []))).code).toBe(expected)
  })

  test.each([
    [402, 'source.rejected'],
    [403, 'source.rejected'],
    [429, 'source.throttled'],
  ] as const)('HTTP %i is about who asks, whatever error object comes with it', async (status, expected) => {
    const error = { code: -32600, message: 'quota exceeded' }
    const { rpc } = await serve((body) => ({ ...answerEach(body, () => ({ error })), status }))
    expect((await failureOf(rpc.call('eth_blockNumber', []))).code).toBe(expected)
  })

  test('an error object says more than the HTTP 500 it comes with', async () => {
    const { rpc } = await serve((body) => ({
      ...answerEach(body, () => ({ error: { code: -32601 } })),
      status: 500,
    }))
    expect((await failureOf(rpc.call('eth_blockNumber', []))).details).toEqual({
      rpcCode: -32601,
      source: 'preconf',
      endpoint: 'eth_blockNumber',
    })
  })

  test.each([
    ['neither result nor error', { json: { jsonrpc: '2.0', id: 1 } }],
    ['the id of another question', { json: { jsonrpc: '2.0', id: 99, result: '0x1' } }],
    ['null where a height is promised', { json: { jsonrpc: '2.0', id: 1, result: null } }],
    ['a number where a string is promised', { json: { jsonrpc: '2.0', id: 1, result: 12 } }],
    ['HTML', { text: '<html>busy</html>' }],
    ['nothing', { text: '' }],
    ['half a JSON', { text: '{"jsonrpc":"2.0","id":1,"res' }],
    ['a number', { text: '12' }],
    ['a million nested arrays', { text: '['.repeat(1_200_000) }],
  ] as const)('an answer with %s is invalid, never a value', async (_, reply) => {
    const { rpc } = await serve(() => reply)
    expect((await failureOf(rpc.call('eth_blockNumber', []))).code).toBe('source.invalid')
  })

  test('a receipt of another transaction is invalid', async () => {
    const { rpc } = await serve((body) => answerEach(body, () => ({ result: receiptOf(hashOf(7)) })))
    const error = await failureOf(rpc.call('eth_getTransactionReceipt', [hashOf(1)]))
    expect(error.message).toContain('transactionHash: is not what was asked for')
  })

  test('a body over 16 MB is refused', async () => {
    const { rpc } = await serve(() => ({ text: `{"id":1,"result":"0x${'0'.repeat(33 * 1024 * 1024)}"}` }))
    const error = await failureOf(rpc.call('eth_call', [{ to: `0x${'1'.repeat(40)}` }]))
    expect([error.code, error.message]).toEqual([
      'source.invalid',
      expect.stringContaining('larger than 16 MB'),
    ])
  })

  test('an answer that does not come ends at the timeout', async () => {
    const { rpc } = await serve(() => ({ raw: () => undefined }), { timeoutMs: 50 })
    const error = await failureOf(rpc.call('eth_blockNumber', []))
    expect([error.code, error.retryable]).toEqual(['source.unreachable', true])
  })

  test('a caller that gives up gets its own reason', async () => {
    const stop = new AbortController()
    const { rpc } = await serve(() => ({ raw: () => stop.abort(new Error('enough')) }))
    await expect(rpc.call('eth_blockNumber', [], { signal: stop.signal })).rejects.toThrow('enough')
  })

  test('no error names the path, where keys are', async () => {
    const { rpc } = await serve((body, index) =>
      index === 0
        ? { text: 'x', status: 500 }
        : index === 1
          ? { text: 'nonsense' }
          : answerEach(body, () => ({})),
    )
    for (let time = 0; time < 3; time += 1) {
      const error = await failureOf(rpc.call('eth_blockNumber', []))
      expect(error.message).not.toContain('k3y')
    }
    await rpc.close()
    expect((await failureOf(rpc.call('eth_blockNumber', []))).message).not.toContain('k3y')
  })

  test('user and password of the address are sent as a header', async () => {
    const stub = await startRpcStub((body) => answerEach(body, () => ({ result: '0x1' })))
    const url = stub.url.replace('http://', 'http://me:secret@')
    const rpc = createRpc({ source: 'preconf', url, clock: createSteppedClock() })
    closers.push(
      () => rpc.close(),
      async () => stub[Symbol.asyncDispose](),
    )
    expect([await rpc.call('eth_blockNumber', []), rpc.host]).toEqual([1, new URL(stub.url).host])
    expect(stub.headers[0]?.authorization).toBe(`Basic ${btoa('me:secret')}`)
  })

  test('attempts are made as asked for, and only when another can help', async () => {
    const { rpc, stub } = await serve((body, index) =>
      index < 2 ? { text: 'busy', status: 503 } : answerEach(body, () => ({ result: '0x5' })),
    )
    expect(await rpc.call('eth_blockNumber', [], { attempts: 3 })).toBe(5)
    expect(stub.bodies).toHaveLength(3)
  })

  test('parameters that the node would refuse are not sent', async () => {
    const { rpc, stub } = await serve((body) => answerEach(body, () => ({ result: null })))
    const error = await failureOf(rpc.call('eth_getTransactionReceipt', ['0x12']))
    expect([error.code, stub.bodies.length]).toEqual(['source.refused', 0])
    expect(error.message).toContain('not sent: hash: expected a hash')
  })
})

describe('many calls', () => {
  test('go in batches and come back in the order of the calls, whatever the order of the answers', async () => {
    const { rpc, stub } = await serve(
      (body) => {
        const calls = body as StubCall[]
        return { json: calls.map(({ id, params }) => ({ id, result: receiptOf(params[0]) })).toReversed() }
      },
      { batchSize: 10 },
    )
    const outcomes = await rpc.callMany(receiptsOf(25))
    expect(outcomes.map((outcome) => outcome.ok && outcome.value?.transactionHash)).toEqual(
      Array.from({ length: 25 }, (_, at) => hashOf(at + 1)),
    )
    expect(stub.bodies.map((body) => (Array.isArray(body) ? body.length : 1))).toEqual([10, 10, 5])
  })

  test('an answer that is left out of a batch is missed alone: no neighbour takes its place', async () => {
    const { rpc } = await serve((body) => {
      const calls = body as StubCall[]
      return { json: calls.slice(1).map(({ id, params }) => ({ id, result: receiptOf(params[0]) })) }
    })
    const outcomes = await rpc.callMany(receiptsOf(3))
    expect(
      outcomes.map((outcome) => (outcome.ok ? outcome.value?.transactionHash : outcome.error.code)),
    ).toEqual(['source.invalid', hashOf(2), hashOf(3)])
  })

  test('one call that fails leaves the others their answers', async () => {
    const { rpc } = await serve((body) =>
      answerEach(body, ({ params }) =>
        params[0] === hashOf(2) ? { error: { code: -32603 } } : { result: receiptOf(params[0]) },
      ),
    )
    const outcomes = await rpc.callMany(receiptsOf(3))
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true])
  })

  test.each([
    ['an error object', { json: { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batch' } } }],
    ['HTTP 400', { text: 'no batches', status: 400 }],
    ['HTTP 413', { text: 'too large', status: 413 }],
  ] as const)(
    'a server that refuses batches with %s is asked one by one, and that is kept',
    async (_, refusal) => {
      const { rpc, stub } = await serve((body) =>
        Array.isArray(body) ? refusal : answerEach(body, ({ params }) => ({ result: receiptOf(params[0]) })),
      )
      expect((await rpc.callMany(receiptsOf(8))).every(({ ok }) => ok)).toBe(true)
      expect(rpc.batchSize()).toBe(1)
      const before = stub.bodies.length
      await rpc.callMany(receiptsOf(3))
      expect(stub.bodies.slice(before).every((body) => !Array.isArray(body))).toBe(true)
    },
  )

  test('a server that took no batches for a while gets them again, a larger one after each 200 requests', async () => {
    let takes = 1
    const { rpc } = await serve(
      (body) =>
        Array.isArray(body) && body.length > takes
          ? answerEach(body[0] as StubCall, ({ params }) => ({ result: receiptOf(params[0]) }))
          : answerEach(body, ({ params }) => ({ result: receiptOf(params[0]) })),
      { batchSize: 4 },
    )
    const ask = (count: number) => rpc.callMany(receiptsOf(count))
    await ask(4)
    await ask(199)
    // One batch of two is tried in vain.
    expect([rpc.batchSize(), (await ask(4)).every(({ ok }) => ok)]).toEqual([2, true])
    expect(rpc.batchSize()).toBe(1)
    takes = 4
    await ask(200)
    expect(rpc.batchSize()).toBe(2)
    await ask(400)
    expect(rpc.batchSize()).toBe(4)
  })

  test('a server that takes small batches gets small batches', async () => {
    const { rpc } = await serve((body) =>
      Array.isArray(body) && body.length > 10
        ? { json: { id: null, error: { code: -32600, message: 'batch too large' } } }
        : answerEach(body, ({ params }) => ({ result: receiptOf(params[0]) })),
    )
    const outcomes = await rpc.callMany(receiptsOf(45))
    expect(outcomes.every(({ ok }) => ok)).toBe(true)
    expect(rpc.batchSize()).toBeGreaterThan(1)
    expect(rpc.batchSize()).toBeLessThanOrEqual(10)
  })

  test('a batch that meets an outage or a rate limit is no refusal of batches', async () => {
    const replies: RpcReply[] = [
      { text: 'down', status: 502 },
      // So is a question alone.
      { text: 'down', status: 502 },
      { text: 'slow down', status: 429 },
      { json: { id: null, error: { code: -32005, message: 'limit' } } },
    ]
    const { rpc } = await serve((_, index) => replies[index] as RpcReply)
    for (const code of ['source.unreachable', 'source.throttled', 'source.throttled']) {
      const outcomes = await rpc.callMany(receiptsOf(2))
      expect(outcomes.map((outcome) => !outcome.ok && outcome.error.code)).toEqual([code, code])
    }
    expect(rpc.batchSize()).toBe(50)
  })
})

test('health tells a node that answers from one that does not, and from one that refuses the key', async () => {
  const { rpc } = await serve((body, index) =>
    index === 0
      ? answerEach(body, () => ({ result: '0x1' }))
      : index === 1
        ? { text: '', status: 401 }
        : answerEach(body, () => ({ error: { code: -32015, message: 'reverted' } })),
  )
  await rpc.call('eth_blockNumber', [])
  const [good] = rpc.health().endpoints
  expect(good).toMatchObject({
    endpoint: 'eth_blockNumber',
    lastGoodAt: expect.any(Number),
    lastFailure: null,
  })
  await failureOf(rpc.call('eth_blockNumber', []))
  expect(rpc.health().rejected?.reason).toContain('refuses the credentials')
  await failureOf(rpc.call('eth_call', [{ to: `0x${'1'.repeat(40)}` }]))
  // A call that reverts was answered.
  expect(rpc.health()).toMatchObject({ rejected: null, source: 'preconf' })
})

test('a node that takes no tag for its height is asked without one, from then on', async () => {
  const { rpc, stub } = await serve((body) =>
    answerEach(body, ({ params }) => (params.length > 0 ? { error: { code: -32602 } } : { result: '0x9' })),
  )
  expect([await rpc.call('eth_blockNumber', []), await rpc.call('eth_blockNumber', [])]).toEqual([9, 9])
  expect(stub.bodies.map((body) => (body as StubCall).params)).toEqual([['pending'], [], []])
})

describe('semantics.md 39: a result of another question is none', () => {
  const address = `0x${'11'.repeat(20)}`
  const transaction = (index: string, more: object = {}) => ({
    hash: hashOf(7),
    nonce: '0x1',
    s: '0x1',
    transactionIndex: index,
    ...more,
  })
  const block = (more: object = {}) => ({ number: '0x10', hash: hashOf(5), transactions: [], ...more })
  const receipt = (more: object = {}) => ({ ...receiptOf(hashOf(7)), blockNumber: '0x10', ...more })

  test.each<{ title: string; call: Parameters<Rpc['callMany']>[0][number]; honest: unknown; other: unknown }>(
    [
      {
        title: 'a block of another hash',
        call: { method: 'eth_getBlockByHash', params: [hashOf(5)] },
        honest: block(),
        other: block({ hash: hashOf(6) }),
      },
      {
        title: 'a block of another number',
        call: { method: 'eth_getBlockByNumber', params: [16] },
        honest: block(),
        other: block({ number: '0x11' }),
      },
      {
        title: 'a block with the transactions of another one',
        call: { method: 'eth_getBlockByNumber', params: ['pending', true] },
        honest: block({ transactions: [transaction('0x0', { blockNumber: '0x10' })] }),
        other: block({ transactions: [transaction('0x0', { blockNumber: '0x11' })] }),
      },
      {
        title: 'receipts of another block',
        call: { method: 'eth_getBlockReceipts', params: [16] },
        honest: [receipt()],
        other: [receipt({ blockNumber: '0x11' })],
      },
      {
        title: 'receipts of two blocks',
        call: { method: 'eth_getBlockReceipts', params: ['pending'] },
        honest: [receipt(), receipt({ transactionHash: hashOf(8), transactionIndex: '0x1' })],
        other: [receipt(), receipt({ blockNumber: '0x11' })],
      },
      {
        title: 'a transaction of another hash',
        call: { method: 'eth_getTransactionByHash', params: [hashOf(7)] },
        honest: transaction('0x0'),
        other: transaction('0x0', { hash: hashOf(8) }),
      },
      {
        title: 'a receipt of another transaction',
        call: { method: 'eth_getTransactionReceipt', params: [hashOf(7)] },
        honest: receipt(),
        other: receipt({ transactionHash: hashOf(8) }),
      },
      {
        title: 'a transaction of another block',
        call: { method: 'eth_getTransactionByBlockNumberAndIndex', params: [16, 2] },
        honest: transaction('0x2', { blockNumber: '0x10' }),
        other: transaction('0x2', { blockNumber: '0x11' }),
      },
      {
        title: 'a transaction of another index',
        call: { method: 'eth_getTransactionByBlockNumberAndIndex', params: ['pending', 2] },
        honest: transaction('0x2'),
        other: transaction('0x3'),
      },
      {
        title: 'a transaction of another block hash',
        call: { method: 'eth_getTransactionByBlockHashAndIndex', params: [hashOf(5), 2] },
        honest: transaction('0x2', { blockHash: hashOf(5) }),
        other: transaction('0x2', { blockHash: hashOf(6) }),
      },
      {
        title: 'a transaction of another index in a block by its hash',
        call: { method: 'eth_getTransactionByBlockHashAndIndex', params: [hashOf(5), 2] },
        honest: transaction('0x2'),
        other: transaction('0x0'),
      },
      {
        title: 'a storage value that is not 32 bytes',
        call: { method: 'eth_getStorageAt', params: [address, 0] },
        honest: `0x${'00'.repeat(32)}`,
        other: '0x00',
      },
    ],
  )('$title', async ({ call, honest, other }) => {
    let result = other
    const { rpc } = await serve((body) => answerEach(body, () => ({ result })))
    const [refused] = await rpc.callMany([call])
    expect(refused).toMatchObject({ ok: false, error: { code: 'source.invalid' } })
    result = honest
    expect(await rpc.callMany([call])).toMatchObject([{ ok: true }])
  })

  test.each([
    { title: 'without an id', json: { jsonrpc: '2.0', result: '0x1' } },
    { title: 'with an id of null', json: { jsonrpc: '2.0', id: null, result: '0x1' } },
  ])('a result $title', async ({ json }) => {
    const { rpc } = await serve(() => ({ json }))
    const error = await failureOf(rpc.call('eth_blockNumber', []))
    expect(error.message).toContain('the answer belongs to no question that was asked')
  })

  test('an answer that names a key twice', async () => {
    const { rpc } = await serve((body) => ({
      text: `{"jsonrpc":"2.0","id":${(body as StubCall).id},"result":"0x1","result":"0x2"}`,
    }))
    const error = await failureOf(rpc.call('eth_blockNumber', []))
    expect(error.message).toContain('names a key twice')
  })
})
