import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import type { Explorer, ExplorerOptions } from '../../../src/clients/explorer/createExplorer.ts'
import { mainBlockDetail, zoneBlocks } from '../../../src/clients/explorer/endpoints/blocks.ts'
import { crossDetails, crossTransactions } from '../../../src/clients/explorer/endpoints/crossRecords.ts'
import {
  zoneTransactionDetail,
  zoneTransactions,
} from '../../../src/clients/explorer/endpoints/zoneTransactions.ts'
import { MonitorError } from '../../../src/lib/errors.ts'
import { Secret } from '../../../src/lib/secret.ts'
import {
  type ApiStub,
  apiError,
  envelope,
  pageB,
  startApiStub,
  type StubReply,
  type StubRequest,
} from '../../support/apiStub.ts'
import { createTestExplorer } from '../../support/createTestExplorer.ts'
import { toRecord } from '../../support/records.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'

const hash = (digit: string) => `0x${digit.repeat(64)}`
const account = (digits: string) => `0x${digits.repeat(20)}`
const tail = { priority: 'tail' } as const
const once = { priority: 'tail', attempts: 1 } as const

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function serve(
  reply: (request: StubRequest, index: number) => StubReply,
  overrides: Partial<ExplorerOptions> = {},
): Promise<{ stub: ApiStub; explorer: Explorer }> {
  const stub = await startApiStub(reply)
  const explorer = createTestExplorer(stub.url, overrides)
  closers.push(
    () => explorer.close(),
    () => stub.close(),
  )
  return { stub, explorer }
}

async function failure(promise: Promise<unknown>): Promise<MonitorError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(MonitorError)
  return error as MonitorError
}

const withdrawal = {
  id: '',
  txType: 'ZoneToMain',
  crossType: 'Withdraw',
  status: '0x1',
  mainTxHash: hash('A'),
  mainBlockHeight: '500',
  mainBlockTime: '1780000010000',
  zoneTxHash: hash('b'),
  zoneBlockHeight: '9000',
  zoneBlockTime: '1780000000000',
  from: account('F0'),
  to: account('F1'),
  sourceAddress: account('AA'),
  targetAddress: account('BB'),
  value: '1.5',
  valueRaw: '1500000',
  tokenContractAddress: account('CC'),
  tokenType: 'ERC20',
  tokenId: '',
  tokenName: 'USD Coin',
}

describe('answers', () => {
  test('a list of cross-chain records is read with its paging', async () => {
    const { explorer, stub } = await serve(() =>
      pageB([withdrawal], { page: '1', limit: '50', totalPage: '3', total: '101' }),
    )
    const answer = await explorer.call(crossTransactions, { page: 1, limit: 100 }, tail)
    expect(answer).toMatchObject({
      endpoint: 'E3',
      page: 1,
      limit: 50,
      totalPage: 3,
      total: 101,
      empty: false,
      quarantined: [],
    })
    const legs = { mainHash: hash('a'), mainTime: 1780000010000, zoneHash: hash('b'), zoneHeight: 9000 }
    const parties = {
      from: account('f0'),
      to: account('f1'),
      sourceAddress: account('aa'),
      targetAddress: account('bb'),
      token: account('cc'),
    }
    const { requestedAt } = answer
    expect(answer.records).toEqual([toRecord({ ...legs, ...parties, zoneTime: 1780000000000, requestedAt })])
    expect(stub.requests[0]?.url).toBe(
      '/api/v5/chain/zone/cross/transaction-list?chainShortName=ZONE_CHAIN&limit=100&page=1',
    )
  })

  test('details add event index, batch text, update time and push height', async () => {
    const detail = {
      ...withdrawal,
      zoneEventIndex: '3',
      zoneBlockHash: hash('c'),
      batchDetail: '[{"a":1}]',
      updateTime: '1780000020000',
      blockHeight: '9001',
    }
    const { explorer, stub } = await serve(() => envelope([detail]))
    const answer = await explorer.call(crossDetails, { txId: [hash('b'), hash('d')] }, tail)
    expect(answer.records[0]).toMatchObject({
      source: 'E12',
      zoneEventIndex: '3',
      zoneBlockHash: hash('c'),
      batchDetail: '[{"a":1}]',
      updateTime: 1780000020000,
      pushHeight: 9001,
    })
    expect(stub.requests[0]?.url).toContain(`txId=${hash('b')},${hash('d')}`)
  })

  test('one bad record is quarantined with its raw text while the others go on', async () => {
    const bad = { ...withdrawal, txType: 12 }
    const { explorer } = await serve(() => pageB([withdrawal, bad, withdrawal]))
    const answer = await explorer.call(crossTransactions, {}, tail)
    expect(answer.records).toHaveLength(2)
    expect(answer.quarantined).toEqual([
      {
        raw: JSON.stringify(bad),
        problem: 'txType: expected MainToZone or ZoneToMain, got number 12',
        path: 'txType',
        isMisfit: false,
        index: 1,
      },
    ])
    expect(answer.empty).toBe(false)
  })

  test('the raw text of a bad record is cut at 4,000 characters', async () => {
    const { explorer } = await serve(() => pageB([{ ...withdrawal, txType: 'A'.repeat(200_000) }]))
    const answer = await explorer.call(crossTransactions, {}, tail)
    expect(answer.quarantined[0]?.raw).toHaveLength(4_000)
  })

  test.each([
    { title: 'an empty array', reply: envelope([]) },
    { title: 'a page with an empty array', reply: pageB([], { page: '1', totalPage: '0', total: '0' }) },
    {
      title: 'a page whose numbers are empty',
      reply: pageB([], { page: '0', totalPage: '', total: '', limit: '' }),
    },
    { title: 'a page without an array', reply: envelope([{ page: '0', limit: '20', totalPage: '' }]) },
  ])('$title is an empty answer', async ({ reply }) => {
    const { explorer } = await serve(() => reply)
    const answer = await explorer.call(crossTransactions, {}, tail)
    expect(answer).toMatchObject({ empty: true, records: [], quarantined: [], contradicted: false })
  })

  test('records of zone transactions come from both endpoints', async () => {
    const row = {
      hash: hash('b'),
      blockHeight: '7',
      blockHash: hash('c'),
      blockTime: '1780000000000',
      status: '0x0',
      from: account('AA'),
      nonce: '1780000000001',
      actionType: 'withdraw',
      actionData: '{}',
      errorMessage: 'insufficient\nbalance',
      index: '0',
      value: '',
      valueRaw: '',
      tokenTransferCount: '1',
      eventCount: '2',
    }
    const { explorer, stub } = await serve(() => envelope([row]))
    const many = await explorer.call(zoneTransactions, { txId: [hash('b')] }, tail)
    const single = await explorer.call(zoneTransactionDetail, { txid: hash('b') }, tail)
    const expected = {
      hash: hash('b'),
      height: 7,
      time: 1780000000000,
      status: 'failed',
      actionType: 'withdraw',
      errorMessage: 'insufficient balance',
      amountRaw: null,
    }
    expect(many.records).toEqual([expect.objectContaining({ source: 'E9', ...expected })])
    expect(single.records).toEqual([expect.objectContaining({ source: 'E14', ...expected })])
    expect(stub.requests[1]?.query.get('txid')).toBe(hash('b'))
  })

  test('zone blocks are read newest first', async () => {
    const rows = ['12', '11', '10'].map((height) => ({
      hash: hash('1'),
      height,
      miner: account('AB'),
      blockTime: '1780000000000',
      transactionCount: '0',
    }))
    const { explorer } = await serve(() => pageB(rows))
    const answer = await explorer.call(zoneBlocks, { limit: 3 }, tail)
    expect(answer.order).toBe('newest-first')
    expect(answer.records[0]).toMatchObject({ height: 12, time: 1780000000000, transactionCount: 0 })
  })

  test('a main block is asked for by the lower-case chain name', async () => {
    const { explorer, stub } = await serve(() =>
      envelope([
        { height: '42', hash: hash('9'), blockTime: '1780000000000', txnCount: '3', difficuity: '0' },
      ]),
    )
    const answer = await explorer.call(mainBlockDetail, { height: 42 }, tail)
    expect(answer.records).toEqual([
      expect.objectContaining({ height: 42, time: 1780000000000, transactionCount: 3, difficulty: '0' }),
    ])
    expect(stub.requests[0]?.url).toBe('/api/v5/chain/block/block-fills?chainShortName=mainchain&height=42')
  })

  test('a height beyond the head is told apart from an empty answer', async () => {
    const { explorer } = await serve((request) =>
      request.query.get('height') === '9' ? apiError('50040') : envelope([]),
    )
    expect(await explorer.call(mainBlockDetail, { height: 9 }, tail)).toMatchObject({
      beyondHead: true,
      empty: true,
    })
    expect(await explorer.call(mainBlockDetail, { height: 8 }, tail)).toMatchObject({
      beyondHead: false,
      empty: true,
    })
  })

  test('another block than the one asked for is no answer', async () => {
    const { explorer } = await serve(() => envelope([{ height: '41', hash: hash('9') }]))
    await expect(explorer.call(mainBlockDetail, { height: 42 }, tail)).rejects.toMatchObject({
      code: 'source.mismatched',
      message: expect.stringContaining('height 42 was asked for, 41 came') as string,
    })
  })
})

describe('errors', () => {
  test.each([
    { status: 429, code: '50011', expected: 'source.throttled', retryable: true },
    { status: 200, code: '50011', expected: 'source.throttled', retryable: true },
    { status: 200, code: '50013', expected: 'source.throttled', retryable: true },
    { status: 400, code: '50004', expected: 'source.unreachable', retryable: true },
    { status: 503, code: '50001', expected: 'source.unreachable', retryable: true },
    { status: 200, code: '50001', expected: 'source.unreachable', retryable: true },
    { status: 500, code: '50026', expected: 'source.unreachable', retryable: true },
    { status: 400, code: '50014', expected: 'source.refused', retryable: false },
    { status: 400, code: '50015', expected: 'source.refused', retryable: false },
    { status: 400, code: '50016', expected: 'source.refused', retryable: false },
    { status: 400, code: '50036', expected: 'source.refused', retryable: false },
    { status: 200, code: '50024', expected: 'source.refused', retryable: false },
    { status: 200, code: '50025', expected: 'source.refused', retryable: false },
    { status: 200, code: '50044', expected: 'source.invalid', retryable: false },
    { status: 200, code: '50040', expected: 'source.invalid', retryable: false },
    { status: 200, code: '59999', expected: 'source.invalid', retryable: false },
    { status: 401, code: '50102', expected: 'source.rejected', retryable: false },
    { status: 401, code: '50103', expected: 'source.rejected', retryable: false },
    { status: 401, code: '50107', expected: 'source.rejected', retryable: false },
    { status: 401, code: '50111', expected: 'source.rejected', retryable: false },
    { status: 401, code: '50112', expected: 'source.rejected', retryable: false },
    { status: 401, code: '50113', expected: 'source.rejected', retryable: false },
    { status: 200, code: '50113', expected: 'source.rejected', retryable: false },
    { status: 403, code: '50030', expected: 'source.rejected', retryable: false },
    { status: 402, code: '0', expected: 'source.rejected', retryable: false },
  ])('HTTP $status with code $code is $expected', async ({ status, code, expected, retryable }) => {
    const { explorer, stub } = await serve(() => apiError(code, status))
    const error = await failure(
      explorer.call(crossTransactions, { address: account('5e') }, { ...tail, attempts: 2 }),
    )
    expect({ code: error.code, retryable: error.retryable }).toEqual({ code: expected, retryable })
    expect(stub.requests).toHaveLength(retryable ? 2 : 1)
    expect(error.message).toContain(`E3 at ${new URL(stub.url).host}: `)
    expect(error.message).not.toContain(account('5e'))
  })

  test.each([
    {
      title: 'HTML from a gateway',
      reply: { status: 502, body: '<html>bad</html>' },
      expected: 'source.unreachable',
    },
    { title: 'a gateway timeout', reply: { status: 504, body: '' }, expected: 'source.unreachable' },
    { title: 'a 429 without a body', reply: { status: 429, body: '' }, expected: 'source.throttled' },
    { title: 'a 401 without a body', reply: { status: 401, body: '' }, expected: 'source.rejected' },
    { title: 'HTML with HTTP 200', reply: { body: '<!doctype html><p>hello' }, expected: 'source.invalid' },
    {
      title: 'truncated JSON',
      reply: { body: '{"code":"0","msg":"","data":[{"pa' },
      expected: 'source.invalid',
    },
    { title: 'an empty body', reply: { body: '' }, expected: 'source.invalid' },
    { title: 'HTTP 204', reply: { status: 204, body: '' }, expected: 'source.invalid' },
    { title: 'JSON that is no envelope', reply: { json: {} }, expected: 'source.invalid' },
    {
      title: 'an envelope without data',
      reply: { json: { code: '0', msg: '' } },
      expected: 'source.invalid',
    },
    { title: 'data of null', reply: envelope(null), expected: 'source.invalid' },
    { title: 'a page that is no page', reply: envelope([{ hello: 'world' }]), expected: 'source.invalid' },
    {
      title: 'a redirect',
      reply: { status: 302, headers: { location: '/x' }, body: '' },
      expected: 'source.invalid',
    },
    { title: 'a wrong path', reply: { status: 404, body: 'not found' }, expected: 'source.refused' },
    {
      title: 'text that claims gzip',
      reply: { headers: { 'content-encoding': 'gzip' }, body: 'no' },
      expected: 'source.invalid',
    },
    {
      title: 'an unknown encoding',
      reply: { headers: { 'content-encoding': 'rot13' }, body: 'no' },
      expected: 'source.invalid',
    },
  ] satisfies { title: string; reply: StubReply; expected: string }[])(
    '$title is $expected',
    async ({ reply, expected }) => {
      const { explorer, stub } = await serve(() => reply)
      const error = await failure(explorer.call(crossTransactions, {}, once))
      expect(error.code).toBe(expected)
      expect(stub.requests).toHaveLength(1)
    },
  )

  test('JSON nested a million deep is refused, not a crash', async () => {
    const deep = `{"code":"0","msg":"","data":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`
    const { explorer } = await serve(() => ({ body: deep }))
    expect((await failure(explorer.call(crossTransactions, {}, once))).code).toBe('source.invalid')
  })

  test.each([
    { count: 20_000, expected: 20_000 },
    { count: 20_001, expected: 'source.invalid' },
  ])('$count rows in one answer: $expected', async ({ count, expected }) => {
    const { explorer } = await serve(() => envelope(Array(count).fill(1)))
    const outcome = await explorer.call(crossDetails, { txId: [hash('a')] }, once).then(
      ({ quarantined }) => quarantined.length,
      (error: unknown) => error instanceof MonitorError && error.code,
    )
    expect(outcome).toBe(expected)
  })

  test('a record nested as deep as an answer may is quarantined', async () => {
    const deep = `{"code":"0","msg":"","data":[${'['.repeat(198)}${']'.repeat(198)},1]}`
    const { explorer } = await serve(() => ({ body: deep }))
    const answer = await explorer.call(crossDetails, { txId: [hash('a')] }, once)
    expect(answer.quarantined.map(({ problem }) => problem)).toEqual([
      'record: expected an object',
      'record: expected an object',
    ])
  })

  test('a reset connection is retried', async () => {
    const { explorer } = await serve((_, index) =>
      index === 0 ? { raw: (response) => response.destroy() } : pageB([withdrawal]),
    )
    expect((await explorer.call(crossTransactions, {}, tail)).records).toHaveLength(1)
  })

  test('a service that cannot be reached is named without its address', async () => {
    const stub = await startApiStub(() => envelope([]))
    await stub.close()
    const explorer = createTestExplorer(`${stub.url.replace('http://', 'http://user:password@')}/key-in-path`)
    const error = await failure(explorer.call(crossTransactions, {}, tail))
    expect(error.message).toBe(`E3 at ${new URL(stub.url).host}: the connection was refused (ECONNREFUSED)`)
    await explorer.close()
  })

  test('Retry-After is waited for before the next attempt', async () => {
    const clock = createSteppedClock()
    const { explorer } = await serve(
      (_, index) => (index === 0 ? apiError('50011', 429, { 'retry-after': '7' }) : pageB([withdrawal])),
      { clock },
    )
    await explorer.call(crossTransactions, {}, tail)
    expect(clock.slept).toContain(7_000)
    expect(explorer.paceMetrics().throttleSigns).toBe(1)
  })
})

describe('hostile bodies', () => {
  /** Size decides here, however long the machine takes to move so much. */
  const serveAtLeisure = (answer: Parameters<typeof serve>[0]) => serve(answer, { timeoutMs: 100_000 })

  test('a body of 80 MB is refused without being read', async () => {
    let sent = 0
    const { explorer } = await serveAtLeisure(() => ({
      raw: (response) => {
        const chunk = Buffer.alloc(1_000_000, 'a')
        response.on('error', () => {})
        const write = () => {
          while (sent < 80 && !response.destroyed) {
            sent += 1
            if (!response.write(chunk)) return void response.once('drain', write)
          }
          response.end()
        }
        write()
      },
    }))
    const error = await failure(explorer.call(crossTransactions, {}, tail))
    expect(error).toMatchObject({ code: 'source.invalid', retryable: false })
    expect(error.message).toMatch(/larger than 16 MB$/)
    expect(sent).toBeLessThan(50)
  })

  test('a body that announces 80 MB is refused at once', async () => {
    const { explorer } = await serve(() => ({
      raw: (response) => {
        response.on('error', () => {})
        response.writeHead(200, { 'content-length': String(80_000_000) }).write('{')
      },
    }))
    expect((await failure(explorer.call(crossTransactions, {}, tail))).message).toMatch(/larger than 16 MB$/)
  })

  test('a small body that unpacks to 80 MB is refused', async () => {
    const bomb = gzipSync(Buffer.alloc(80_000_000, ' '))
    const { explorer } = await serveAtLeisure(() => ({ headers: { 'content-encoding': 'gzip' }, body: bomb }))
    expect((await failure(explorer.call(crossTransactions, {}, tail))).message).toMatch(/larger than 16 MB$/)
  })

  test('a packed answer is read', async () => {
    const body = gzipSync(JSON.stringify({ code: '0', msg: '', data: [withdrawal] }))
    const { explorer } = await serve(() => ({ headers: { 'content-encoding': 'gzip' }, body }))
    expect((await explorer.call(crossDetails, { txId: [hash('b')] }, tail)).records).toHaveLength(1)
  })

  test.each([
    { title: 'an answer that never starts', raw: () => {} },
    {
      title: 'a body that stops half-way',
      raw: (response: { write(text: string): unknown }) => void response.write('{"code":'),
    },
    {
      title: 'a body that drips',
      raw: (response: { write(text: string): unknown; destroyed: boolean }) => {
        const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : response.write(' ')), 10)
      },
    },
  ])('$title ends with the timeout', async ({ raw }) => {
    const { explorer } = await serve(() => ({ raw }), { timeoutMs: 100 })
    const error = await failure(explorer.call(crossTransactions, {}, once))
    expect(error).toMatchObject({ code: 'source.unreachable', retryable: true })
    expect(error.message).toMatch(/no whole answer within 0.1 s$/)
  })

  test('a caller that gives up ends the call with its own reason', async () => {
    const { explorer } = await serve(() => ({ raw: () => {} }))
    const stop = new AbortController()
    const call = explorer.call(crossTransactions, {}, { ...tail, signal: stop.signal })
    setTimeout(() => stop.abort(new Error('stopped')), 20)
    await expect(call).rejects.toThrow('stopped')
    expect(explorer.health().endpoints[0]?.lastFailure).toBeNull()
    expect(explorer.paceMetrics().inFlight).toBe(0)
  })
})

describe('requests', () => {
  test.each([
    {
      title: '21 hashes',
      ask: (e: Explorer) => e.call(crossDetails, { txId: Array(21).fill(hash('a')) }, tail),
    },
    { title: 'no hash', ask: (e: Explorer) => e.call(crossDetails, { txId: [] }, tail) },
    { title: 'a limit of 101', ask: (e: Explorer) => e.call(crossTransactions, { limit: 101 }, tail) },
    { title: 'a page of 0', ask: (e: Explorer) => e.call(crossTransactions, { page: 0 }, tail) },
    { title: 'a negative height', ask: (e: Explorer) => e.call(mainBlockDetail, { height: -1 }, tail) },
    {
      title: 'two hashes where one goes',
      ask: (e: Explorer) => e.call(crossTransactions, { txid: `${hash('a')},${hash('b')}` }, tail),
    },
  ])('$title never leaves the process', async ({ ask }) => {
    const { explorer, stub } = await serve(() => envelope([]))
    const error = await failure(ask(explorer))
    expect(error.code).toBe('source.refused')
    expect(stub.requests).toEqual([])
  })

  test('20 hashes and a limit of 100 are sent', async () => {
    const { explorer, stub } = await serve(() => envelope([]))
    await explorer.call(crossDetails, { txId: Array(20).fill(hash('a')) }, tail)
    await explorer.call(crossTransactions, { limit: 100 }, tail)
    expect(stub.requests).toHaveLength(2)
  })

  test('what is signed is byte for byte what is sent, in another dialect', async () => {
    const { explorer, stub } = await serve(
      () =>
        pageB([
          {
            ...withdrawal,
            txType: 'AZToAcme',
            sourceAddress: '0xaB',
            mainTxHash: undefined,
            acmeTxHash: hash('e'),
            azTxHash: hash('f'),
          },
        ]),
      {
        dialect: {
          path: { main: 'acme', zone: 'az' },
          field: { main: 'acme', zone: 'az' },
          direction: { main: 'Acme', zone: 'AZ' },
          headerPrefix: 'ACME',
        },
        auth: {
          key: new Secret('the-key'),
          secret: new Secret('the-secret'),
          passphrase: new Secret('the-phrase'),
          signer: 'hmac-sha256',
        },
      },
    )
    const answer = await explorer.call(crossTransactions, { address: account('Bb'), page: 1 }, tail)
    expect(answer.records).toEqual([
      expect.objectContaining({ direction: 'ZoneToMain', mainHash: hash('e'), zoneHash: hash('f') }),
    ])
    const [request] = stub.requests
    expect(request?.path).toBe('/api/v5/acme/az/cross/transaction-list')
    const timestamp = request?.headers['acme-access-timestamp']
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(request?.headers).toMatchObject({
      'acme-access-key': 'the-key',
      'acme-access-passphrase': 'the-phrase',
      'acme-access-sign': createHmac('sha256', 'the-secret')
        .update(`${String(timestamp)}GET${request?.url}`)
        .digest('base64'),
    })
  })

  test('a path before the API is kept', async () => {
    const stub = await startApiStub(() => envelope([]))
    const explorer = createTestExplorer(`${stub.url}/gate/`)
    await explorer.call(zoneBlocks, {}, tail)
    expect(stub.requests[0]?.path).toBe('/gate/api/v5/chain/zone/block/block-list')
    await explorer.close()
    await stub.close()
  })

  test('without credentials no access header is sent', async () => {
    const { explorer, stub } = await serve(() => envelope([]))
    await explorer.call(zoneBlocks, {}, tail)
    expect(Object.keys(stub.requests[0]?.headers ?? {}).filter((name) => /access/.test(name))).toEqual([])
  })
})

describe('empty answers', () => {
  test('semantics.md 40: an empty answer to a question that had an answer is a failure of its endpoint, and slows nothing else', async () => {
    const { explorer } = await serve((_, index) => (index === 0 ? pageB([withdrawal]) : envelope([])))
    await explorer.call(crossTransactions, { page: 1 }, tail)
    const answer = await explorer.call(crossTransactions, {}, tail)
    expect(answer).toMatchObject({ empty: true, contradicted: true })
    expect(explorer.paceMetrics().throttleSigns).toBe(0)
    expect(explorer.health().endpoints[0]?.lastFailure).toMatch(
      /^E3 at .*: an empty answer where something is known/,
    )
  })

  test('semantics.md 40: empty answers of several endpoints where something is known slow everything', async () => {
    const { explorer } = await serve(() => envelope([]))
    await explorer.call(crossTransactions, {}, { ...tail, isKnown: true })
    expect(explorer.paceMetrics().throttleSigns).toBe(0)
    await explorer.call(zoneBlocks, {}, { ...tail, isKnown: true })
    expect(explorer.paceMetrics().throttleSigns).toBe(1)
  })

  test('semantics.md 40: a question is set aside after five contradictions for all but the tail', async () => {
    const clock = createSteppedClock()
    const { explorer, stub } = await serve(() => envelope([]), { clock })
    const ask = (priority: 'tail' | 'evidence') =>
      explorer.call(crossTransactions, {}, { priority, isKnown: true }).catch(String)
    for (let n = 0; n < 5; n += 1) {
      expect(await ask('evidence')).toMatchObject({ contradicted: true })
      await clock.sleep(10_000)
    }
    const before = stub.requests.length
    expect(await ask('evidence')).toContain('set aside')
    expect(stub.requests.length).toBe(before)
    expect(await ask('tail')).toMatchObject({ contradicted: true })
    expect(stub.requests.length).toBeGreaterThan(before)
  })

  test.each([
    { title: '503', answer: apiError('', 503) },
    { title: '50001', answer: apiError('50001') },
    { title: '50004', answer: apiError('50004', 400) },
    { title: '50011', answer: apiError('50011', 429) },
    { title: '50013', answer: apiError('50013') },
  ])('semantics.md 40: $title slows everything, a fault of a gateway does not', async ({ answer }) => {
    const signsAfter = async (given: typeof answer) => {
      const { explorer } = await serve(() => given)
      await expect(explorer.call(crossTransactions, {}, { ...tail, attempts: 1 })).rejects.toThrow()
      return explorer.paceMetrics().throttleSigns
    }
    expect(await signsAfter(answer)).toBe(1)
    expect(await signsAfter(apiError('', 502))).toBe(0)
  })

  test.each([
    {
      title: '503 of one endpoint is no sign of load once it',
      answer: apiError('50001', 503),
      signs: [1, 2, 2, 2],
    },
    { title: '429 of one endpoint is heeded though it', answer: apiError('50011', 429), signs: [1, 2, 3, 4] },
  ])('$title goes on while another answers', async ({ answer, signs }) => {
    const { explorer } = await serve(({ path }) =>
      path.includes('/block-list') ? answer : pageB([withdrawal]),
    )
    const askBoth = async () => {
      await explorer.call(crossTransactions, {}, once)
      await failure(explorer.call(zoneBlocks, {}, once))
      return explorer.paceMetrics().throttleSigns
    }
    expect([await askBoth(), await askBoth(), await askBoth(), await askBoth()]).toEqual(signs)
  })

  test('what every endpoint says goes on to slow everything', async () => {
    const { explorer } = await serve(() => apiError('50001', 503))
    for (let n = 0; n < 4; n += 1) {
      await failure(explorer.call(crossTransactions, {}, once))
      await failure(explorer.call(zoneBlocks, {}, once))
    }
    expect(explorer.paceMetrics().throttleSigns).toBe(8)
  })

  test('an empty answer that nothing contradicts is a good one', async () => {
    const { explorer } = await serve(() => envelope([]))
    const answer = await explorer.call(crossTransactions, {}, tail)
    expect(answer).toMatchObject({ empty: true, contradicted: false })
    expect(explorer.health().endpoints).toEqual([
      {
        endpoint: 'E3',
        firstAskedAt: answer.requestedAt,
        lastGoodAt: expect.any(Number),
        lastFailureAt: null,
        lastFailure: null,
        failingSince: null,
        ownFailures: 0,
        isThrottling: false,
        backAt: null,
      },
    ])
    expect(explorer.empties.hasAnswered('E3')).toBe(false)
  })

  test('a known answer is read again until it comes', async () => {
    const { explorer, stub } = await serve((_, index) => (index < 3 ? envelope([]) : pageB([withdrawal])))
    const answer = await explorer.callNonEmpty(crossTransactions, {}, { ...tail, isKnown: true })
    expect(answer.records).toHaveLength(1)
    expect(stub.requests).toHaveLength(4)
  })

  test('a known answer that stays empty could not be asked', async () => {
    const { explorer, stub } = await serve(() => envelope([]))
    const error = await failure(
      explorer.callNonEmpty(crossTransactions, {}, { ...tail, isKnown: true, rereads: 2 }),
    )
    expect(error.code).toBe('source.empty')
    expect(stub.requests).toHaveLength(3)
  })

  test('an endpoint that shows nothing whatever it is asked is not read again at once, until it shows something', async () => {
    let isEmpty = true
    const { explorer, stub } = await serve(() => (isEmpty ? envelope([]) : pageB([withdrawal])))
    const ask = () => explorer.callNonEmpty(crossTransactions, {}, { ...tail, isKnown: true })
    for (let question = 0; question < 4; question += 1) await failure(ask())
    const before = stub.requests.length
    expect((await failure(ask())).code).toBe('source.empty')
    expect(stub.requests).toHaveLength(before + 1)

    isEmpty = false
    await ask()
    isEmpty = true
    const again = stub.requests.length
    await failure(ask())
    expect(stub.requests).toHaveLength(again + 6)
  })

  test('an empty answer of which nothing is known is returned as it is', async () => {
    const { explorer, stub } = await serve(() => envelope([]))
    expect((await explorer.callNonEmpty(crossTransactions, {}, tail)).empty).toBe(true)
    expect(stub.requests).toHaveLength(1)
  })
})

describe('health', () => {
  test('the difference of the clocks is told by the newest answer', async () => {
    const clock = createSteppedClock()
    const date = new Date(clock.now() + 60_000).toUTCString()
    const { explorer } = await serve(
      () => ({ headers: { date }, json: { code: '50102', msg: '' }, status: 401 }),
      { clock },
    )
    expect(explorer.health().clockAheadMs).toBeNull()
    await failure(explorer.call(crossTransactions, {}, tail))
    expect(explorer.health().clockAheadMs).toBe(60_500)
  })

  test('refused credentials are named until a good answer comes', async () => {
    const { explorer } = await serve((_, index) =>
      index === 0 ? apiError('50113', 401) : pageB([withdrawal]),
    )
    await failure(explorer.call(crossTransactions, {}, tail))
    expect(explorer.health().rejected?.reason).toMatch(/the signature is not valid/)
    await explorer.call(crossTransactions, {}, tail)
    expect(explorer.health().rejected).toBeNull()
  })
})

describe('F76: our own credentials in what the service says', () => {
  const key = 'K3y-0f-20-characters'
  const auth = {
    key: new Secret(key),
    secret: new Secret('the-secret-of-tests'),
    passphrase: new Secret('the-phrase-of-tests'),
    signer: 'hmac-sha256',
  } as const

  test.each([
    { what: 'a record that cannot be read', field: 'txType', found: { quarantined: [{}], lacks: [] } },
    { what: 'a key that is not understood', field: 'valueRaw', found: { quarantined: [], lacks: [{}] } },
    { what: 'an address that is none', field: 'targetAddress', found: { quarantined: [], lacks: [{}] } },
  ])('are covered before $what is cut', async ({ field, found }) => {
    for (const before of [20, 30, 3_985, 3_995]) {
      const value = `${'x'.repeat(before)}${key}${'y'.repeat(5_000)}`
      const { explorer } = await serve(() => pageB([{ ...withdrawal, [field]: value }]), { auth })
      const { quarantined, lacks } = await explorer.call(crossTransactions, {}, tail)
      expect({ quarantined, lacks }).toMatchObject(found)
      expect(JSON.stringify([quarantined, lacks])).not.toContain(key.slice(0, 5))
    }
  })

  test('are covered when it repeats the signature of the request', async () => {
    const { explorer, stub } = await serve(
      (request) => ({
        status: 400,
        json: { code: '50015', msg: `Invalid Sign ${String(request.headers['svc-access-sign'])}`, data: [] },
      }),
      { auth },
    )
    const error = await failure(explorer.call(crossTransactions, {}, tail))
    expect(stub.requests[0]?.headers['svc-access-sign']).toMatch(/=$/)
    expect(error.message).not.toContain(String(stub.requests[0]?.headers['svc-access-sign']).slice(0, 6))
    const unknown = await serve(
      (request) => ({
        json: { code: '59999', msg: `bad ${String(request.headers['svc-access-sign'])}`, data: [] },
      }),
      { auth },
    )
    expect((await failure(unknown.explorer.call(crossTransactions, {}, tail))).message).toContain(
      'bad [redacted]',
    )
  })
})
