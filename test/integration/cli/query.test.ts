import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLoopbackConfig, serveBlocks } from './serveBlocks.ts'
import {
  type ApiStub,
  envelope,
  startApiStub,
  type StubReply,
  type StubRequest,
} from '../../support/apiStub.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'
import { type CommandResult, runCommand } from '../../unit/cli/testIo.ts'
import { startStepped } from '../sandbox/steppedSandbox.ts'

let folder: string
let config: string
const stubs: ApiStub[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-query-'))
  config = join(folder, 'spanwatch.yaml')
})
afterEach(async () => {
  for (const stub of stubs.splice(0)) await stub.close()
  rmSync(folder, { recursive: true })
})

const useUrl = (url: string, more = '') => writeFileSync(config, createLoopbackConfig(url) + more)

async function useStub(reply: (request: StubRequest, index: number) => StubReply): Promise<ApiStub> {
  const stub = await startApiStub(reply)
  stubs.push(stub)
  useUrl(stub.url)
  return stub
}

function spanwatch(
  argv: readonly string[],
  surroundings: Parameters<typeof runCommand>[1] = {},
): Promise<CommandResult> {
  return runCommand([...argv, '-c', config], { clock: createSteppedClock(), ...surroundings })
}

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const account = `0x${'aa'.repeat(20)}`
const isHeading = (csv: string) => !csv.split('\r\n', 1)[0]?.includes('0x')
const hashesIn = (csv: string) => [...csv.matchAll(/^(?:.*,)?(0x[0-9a-f]{64})/gm)].map(([, hash]) => hash)

describe('what is asked', () => {
  test.each([
    ['an unknown endpoint', ['E22'], 'there is no endpoint "E22"'],
    ['an endpoint nearly named', ['cross-transaction'], 'Did you mean cross-transactions?'],
    [
      'an unknown parameter',
      ['E3', '--adress', '0x1'],
      'there is no parameter --adress. Did you mean --address?',
    ],
    ['a missing one', ['E7', '--startBlockHeight', '1'], '--endBlockHeight is required'],
    ['a limit above the maximum', ['E3', '--limit', '101'], '--limit: at most 100, got "101"'],
    ['a limit that is none', ['E3', '--limit', 'many'], '--limit:'],
    [
      'a hash that is none',
      ['E12', '--txId', `${hashOf(1)},zz`],
      '--txId: expected hashes of 64 digits, got "zz"',
    ],
    [
      'a word that is not known',
      ['E6', '--address', account, '--isFromOrTo', 'both'],
      'expected one of from, to, got "both"',
    ],
    ['a range upside down', ['E7', '--startBlockHeight', '2', '--endBlockHeight', '1'], 'is above'],
    ['a parameter given twice', ['E4', '--height', '1', '--height', '2'], '--height is given twice'],
    ['a page that is no number', ['E3', '--page', 'x'], '--page: expected a whole number, got "x"'],
    ['a parameter without a value', ['E4', '--height'], '--height needs a value'],
    ['a word too many', ['E4', '5'], 'expected --name value, got "5"'],
    ['--all with a page', ['E3', '--all', '--page', '2'], 'leave out --page'],
    ['--resume without --all', ['E3', '--json', '--resume', 'x'], '--resume goes with --all'],
    ['--resume of a table', ['E3', '--all', '--resume', 'x'], '--resume goes with --csv or --json'],
    ['JSON and CSV', ['E3', '--json', '--csv'], 'exclude each other'],
  ])('%s ends with 2, says what is wrong, and asks nothing', async (_, argv, problem) => {
    const stub = await useStub(() => ({ json: {} }))
    const { exitCode, out, err } = await spanwatch(['query', ...argv])
    expect([exitCode, out, stub.requests.length]).toEqual([2, '', 0])
    expect(err).toContain(problem)
  })

  test('a problem with a parameter lists what the endpoint takes', async () => {
    await useStub(() => ({ json: {} }))
    const { err } = await spanwatch(['query', 'e12', '--foo', '1'])
    expect(err).toBe(`E12 cross-details: there is no parameter --foo.
It takes:
  --txId  (required; any number, separated by commas)
`)
  })

  test('names may be written with hyphens, values after an equals sign, options anywhere', async () => {
    const stub = await useStub(() => ({ json: { code: '0', msg: '', data: [] } }))
    await runCommand(
      [
        'query',
        'block-transactions',
        '--start-block-height=5',
        '-c',
        config,
        '--end-block-height',
        '6',
        '--json',
        '--limit=7',
      ],
      { clock: createSteppedClock() },
    )
    const query = Object.fromEntries(stub.requests[0]?.query ?? [])
    expect(query).toMatchObject({ startBlockHeight: '5', endBlockHeight: '6', limit: '7' })
  })
})

describe('what is answered', () => {
  test('a page as table, JSON and CSV, and on the error stream that there is more', async () => {
    await using world = await startStepped()
    useUrl(world.sandbox.url)
    const json = await spanwatch(['query', 'E3', '--limit', '3', '--json'])
    const rows = JSON.parse(json.out) as Record<string, unknown>[]
    const [first] = rows
    expect(rows).toHaveLength(3)
    expect(typeof first?.['amountRaw']).toBe('string')
    expect(json.err).toMatch(/^E3: 3 rows of \d+, page 1 of \d+; --all reads every page\n$/)
    const csv = await spanwatch(['query', 'E3', '--limit', '3', '--csv'])
    expect(csv.out.trimEnd().split('\r\n')).toHaveLength(4)
    const table = await spanwatch(['query', 'E3', '--limit', '3'])
    const hash = String(first?.['mainHash'] ?? first?.['zoneHash'])
    expect(csv.out).toContain(hash)
    expect(table.out).toContain(hash)
  })

  test('an empty answer is called no proof, a height beyond the head is called that', async () => {
    await using world = await startStepped()
    useUrl(world.sandbox.url)
    const empty = await spanwatch(['query', 'E9', '--txId', hashOf(1)])
    const beyond = await spanwatch(['query', 'E11', '--height', '99999999', '--json'])
    expect([empty.exitCode, empty.out, beyond.exitCode, beyond.out]).toEqual([0, '', 0, '[]\n'])
    expect(empty.err).toContain('no proof of absence')
    expect(beyond.err).toContain('beyond the head')
  })

  test('a row that cannot be read is said, and the others are given', async () => {
    const transaction = { height: '5', from: account, to: account, tokenContractAddress: '' }
    const rows = [
      { ...transaction, txId: hashOf(1), amount: '1' },
      { ...transaction, txId: hashOf(2), amount: 1 },
    ]
    await useStub(() => ({
      json: { code: '0', msg: '', data: [{ page: '1', limit: '20', totalPage: '1', transactionList: rows }] },
    }))
    const argv = ['query', 'E7', '--startBlockHeight', '5', '--endBlockHeight', '5', '--csv']
    const { exitCode, out, err } = await spanwatch(argv)
    expect([exitCode, hashesIn(out)]).toEqual([1, [hashOf(1)]])
    expect(err).toContain('a row cannot be read and is left out: amount: expected a plain decimal number')
  })

  test('a text from the chain is no formula in CSV and no control character in a table', async () => {
    const record = { id: hashOf(3), txType: 'MainToZone', zoneTxHash: hashOf(2), tokenName: '=1+1\u001b[31m' }
    await useStub(() => ({
      json: {
        code: '0',
        msg: '',
        data: [{ page: '1', limit: '20', totalPage: '1', total: '1', data: [record] }],
      },
    }))
    const csv = await spanwatch(['query', 'E3', '--csv'])
    const table = await spanwatch(['query', 'E3'])
    expect(csv.out).toContain(`,'=1+1`)
    expect(table.out).not.toContain('\u001b')
  })

  test('a service that cannot be reached ends with 3', async () => {
    useUrl('http://127.0.0.1:1')
    const { exitCode, err } = await spanwatch(['query', 'E5'])
    expect([exitCode, err]).toEqual([3, 'E5 at 127.0.0.1:1: the connection was refused (ECONNREFUSED)\n'])
  })
})

describe('every documented field is printed', () => {
  const chain = { chainFullName: 'Main Chain', chainShortName: 'MAINCHAIN' }
  const list = { ...chain, totalTransfer: '77' }
  const move = {
    txId: hashOf(1),
    blockHash: hashOf(9),
    height: '5',
    transactionTime: '1700000000000',
    from: account,
    to: account,
    tokenContractAddress: account,
    tokenId: '',
    amount: '1',
    state: 'success',
  }
  const block = {
    chainFullName: 'Main Chain',
    chainShortName: 'MAINCHAIN',
    hash: hashOf(9),
    height: '5',
    validator: account,
    blockTime: '1700000000000',
    amount: '1.25',
    txnCount: '11',
    txnInternal: '12',
    blockSize: '1313',
    mineReward: '0.14',
    ommerBlock: '15',
    merkleRootHash: hashOf(16),
    totalFee: '0.17',
    feeSymbol: 'FEE',
    gasUsed: '1919',
    gasLimit: '2020',
    gasAvgPrice: '0.21',
    state: 'done',
    burnt: '0.22',
    miner: account,
    difficuity: '2323',
    nonce: '0x24',
    confirm: '2525',
    tips: '0.26',
    baseFeePerGas: '0.27',
  }

  test('E11: all 26 of a block', async () => {
    await useStub(() => envelope([block]))
    const { out } = await spanwatch(['query', 'E11', '--height', '5', '--json'])
    const [row] = JSON.parse(out) as Record<string, unknown>[]
    const printed = Object.values(row ?? {}).map(String)
    expect(Object.values(block).filter((value) => !printed.includes(value))).toEqual([])
  })

  test.each([
    { id: 'E1', argv: ['--tokenContractAddress', account], name: 'transactionList', fields: list },
    { id: 'E6', argv: ['--address', account], name: 'transactionLists', fields: chain },
    {
      id: 'E7',
      argv: ['--startBlockHeight', '5', '--endBlockHeight', '5'],
      name: 'transactionList',
      fields: chain,
    },
  ])('$id: what the list says of itself, page by page and whole', async ({ id, argv, name, fields }) => {
    await useStub(() => envelope([{ page: '1', limit: '50', totalPage: '1', ...list, [name]: [move] }]))
    for (const more of [[], ['--all']]) {
      const { out } = await spanwatch(['query', id, ...argv, ...more, '--json'])
      expect(JSON.parse(out)).toEqual([expect.objectContaining({ hash: hashOf(1), ...fields })])
      const csv = (await spanwatch(['query', id, ...argv, ...more, '--csv'])).out
      expect(csv).toContain('chainFullName')
      expect(csv).toContain('Main Chain')
    }
  })
})

describe('more than one answer holds', () => {
  test('45 hashes go in lists of 20 and come back as one', async () => {
    const stub = await useStub(({ query }) => ({
      json: {
        code: '0',
        msg: '',
        data: (query.get('txId') ?? '').split(',').map((hash) => ({ hash, blockHeight: '1', status: '0x1' })),
      },
    }))
    const hashes = Array.from({ length: 45 }, (_, at) => hashOf(at + 1))
    const { exitCode, out, err } = await spanwatch(['query', 'E9', '--txId', hashes.join(','), '--json'])
    expect((JSON.parse(out) as { hash: string }[]).map(({ hash }) => hash)).toEqual(hashes)
    expect([exitCode, err]).toEqual([0, 'E9: complete, 45 rows in 3 requests\n'])
    expect(stub.requests.map(({ query }) => query.get('txId')?.split(',').length)).toEqual([20, 20, 5])
  })

  test('query E7 --all over 25,000 transactions returns every one once', async () => {
    await useStub(serveBlocks({ perBlock: 100, cap: 10_000 }))
    const { exitCode, out, err } = await spanwatch(range(1, 250))
    const hashes = hashesIn(out)
    expect([exitCode, hashes.length, new Set(hashes).size]).toEqual([0, 25_000, 25_000])
    expect(err).toMatch(/E7: complete, 25,000 rows in [\d,]+ requests\n$/)
  })

  test('the same over the sandbox, against what its RPC says of each block', async () => {
    await using world = await startStepped('{ name: test, traffic: { blockTransactions: 12 } }')
    useUrl(world.sandbox.url)
    const { out, err } = await spanwatch(range(5_001_000, 5_002_599))
    const expected: string[] = []
    for (let height = 5_002_599; height >= 5_001_000; height -= 1) {
      const block = await world.rpc('eth_getBlockByNumber', `0x${height.toString(16)}`, false)
      expected.push(...(block as { transactions: string[] }).transactions.toReversed())
    }
    expect(err).toContain(`complete, ${expected.length.toLocaleString('en')} rows`)
    expect(expected.length).toBeGreaterThan(10_000)
    expect(hashesIn(out)).toEqual(expected)
  })

  test('what the service cuts off and nothing narrows is called incomplete, with exit code 1', async () => {
    await useStub(serveBlocks({ perBlock: 10_500, cap: 10_000 }))
    const { exitCode, err } = await spanwatch(range(7, 7))
    expect(exitCode).toBe(1)
    expect(err).toContain('E7: not complete: the service gives no more results than these')
  })

  test('a long read tells how far it is', async () => {
    await useStub(serveBlocks({ perBlock: 100, cap: 10_000 }))
    const { err } = await spanwatch(range(1, 30), { clock: createHurriedClock() })
    expect(err).toMatch(/^E7: [\d,]+ rows in [\d,]+ requests, in blocks \d+ to \d+, page \d+ of \d+\n/m)
  })
})

describe('hashes that were asked for and are in no answer (semantics 8)', () => {
  const zoneRow = (hash: string) => ({ hash, blockHeight: '5', status: '0x1', actionType: 'order' })
  const moveRow = (txId: string) => ({
    txId,
    blockHash: hashOf(9),
    height: '5',
    transactionTime: '1700000000000',
    from: account,
    to: account,
    isFromContract: false,
    isToContract: false,
    tokenContractAddress: account,
    tokenId: '',
    symbol: 'TOK',
    operation: 'call',
    amount: '1',
  })
  const asked = (request: StubRequest) => (request.query.get('txId') ?? '').split(',')
  const whole = async (endpoint: string) => {
    const { exitCode, err, out } = await spanwatch([
      'query',
      endpoint,
      '--txId',
      `${hashOf(1)},${hashOf(2)}`,
      '--all',
      '--csv',
    ])
    return { exitCode, last: err.trim().split('\n').at(-1) ?? '', hashes: hashesIn(out) }
  }

  test.each(['E9', 'E12'])(
    '%s names the one that three readings do not find, and is not complete',
    async (id) => {
      const toRow = (hash: string) =>
        id === 'E9' ? zoneRow(hash) : { txType: 'ZoneToMain', zoneTxHash: hash, valueRaw: '1' }
      const stub = await useStub((request) =>
        envelope(
          asked(request)
            .filter((hash) => hash === hashOf(1))
            .map(toRow),
        ),
      )
      const { exitCode, last, hashes } = await whole(id)
      expect(exitCode).toBe(1)
      expect(last).toContain(
        `not complete: no row for ${hashOf(2)} in three readings over 30 s (1 row in 3 requests)`,
      )
      expect(hashes).toContain(hashOf(1))
      // Each time beside one that is known.
      expect(stub.requests.map((request) => asked(request).toSorted())).toEqual(
        Array.from({ length: 3 }, () => [hashOf(1), hashOf(2)]),
      )
    },
  )

  test('one that a later reading shows is given, and nothing else twice', async () => {
    await useStub((request, index) =>
      envelope(
        asked(request)
          .filter((hash) => index > 0 || hash === hashOf(1))
          .map(zoneRow),
      ),
    )
    const { exitCode, last, hashes } = await whole('E9')
    expect(exitCode).toBe(0)
    expect(last).toContain('complete, 2 rows in 2 requests')
    expect(new Set(hashes)).toEqual(new Set([hashOf(1), hashOf(2)]))
    expect(hashes).toHaveLength(2)
  })

  test('where none is shown three readings prove nothing, and both are named', async () => {
    await useStub(() => envelope([]))
    const { exitCode, last } = await whole('E9')
    expect(exitCode).toBe(1)
    expect(last).toContain(
      `not complete: no row for ${hashOf(1)}, ${hashOf(2)}, asked for three times: that proves nothing`,
    )
  })

  test.each(['E13', 'E15'])(
    '%s is complete without a transaction that moved nothing, and names it',
    async (id) => {
      await useStub((request) =>
        envelope([
          {
            page: '1',
            limit: '100',
            totalPage: '1',
            transactionList: asked(request)
              .filter((hash) => hash === hashOf(1))
              .map(moveRow),
          },
        ]),
      )
      const { exitCode, last } = await whole(id)
      expect(exitCode).toBe(0)
      expect(last).toContain(
        `complete, 1 row in 3 requests; no row for ${hashOf(2)} in three readings over 30 s`,
      )
    },
  )

  test('semantics.md 39: a row of another hash is not printed, and the answer is not complete', async () => {
    await useStub(() => envelope([zoneRow(hashOf(1)), zoneRow(hashOf(3))]))
    const { exitCode, last, hashes } = await whole('E9')
    expect(exitCode).toBe(1)
    expect(last).toContain('not complete: some rows answer another question than was asked')
    expect(last).toContain(hashOf(2))
    expect(hashes).toEqual([hashOf(1)])
  })
})

describe('a read that is stopped', () => {
  test('goes on with --resume, and both parts together hold every row once', async () => {
    await useStub(serveBlocks({ perBlock: 100, cap: 10_000 }))
    const file = join(folder, 'resume.json')
    const argv = [...range(1, 120), '--resume', file]
    const stop = new AbortController()
    let printed = 0
    const first = await spanwatch(argv, {
      stop: stop.signal,
      onOut: (text) => {
        printed += text.length
        if (printed > 1_000_000) stop.abort()
      },
    })
    expect(first.exitCode).toBe(1)
    expect(first.err).toMatch(
      /not complete: stopped after [\d,]+ rows\. The same command goes on from here\.\n$/,
    )
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ rows: hashesIn(first.out).length })

    const second = await spanwatch(argv)
    const hashes = hashesIn(first.out + second.out)
    expect([second.exitCode, hashes.length, new Set(hashes).size]).toEqual([0, 12_000, 12_000])
    expect(isHeading(first.out)).toBe(true)
    expect(isHeading(second.out)).toBe(false)
    expect(hashesIn(second.out).length).toBeLessThan(12_000)
    expect(existsSync(file)).toBe(false)
  })

  test('goes on without a range of its own too, below the blocks that are done', async () => {
    await useStub(serveBlocks({ perBlock: 20, cap: 10_000, head: 599 }))
    const file = join(folder, 'resume.json')
    const address = `0x${'1'.repeat(40)}`
    const argv = ['query', 'E6', '--address', address, '--all', '--csv', '--resume', file]
    const stop = new AbortController()
    let printed = 0
    const first = await spanwatch(argv, {
      stop: stop.signal,
      onOut: (text) => {
        printed += text.length
        if (printed > 1_000_000) stop.abort()
      },
    })
    expect(first.err).toMatch(/stopped after [1-9][\d,]+ rows\. The same command goes on from here\.\n$/)
    const second = await spanwatch(argv)
    const hashes = hashesIn(first.out + second.out)
    expect([second.exitCode, hashes.length, new Set(hashes).size]).toEqual([0, 12_000, 12_000])
    expect(hashesIn(second.out).length).toBeLessThan(12_000)
  })

  /** A service that is down from the sixth page on, until it is repaired. */
  const failing = (reply: (request: StubRequest) => StubReply) => {
    const state = { isDown: true, pages: [] as number[] }
    const answer = (request: StubRequest): StubReply => {
      const page = Number(request.query.get('page') ?? 1)
      if (state.isDown && page > 5) return { status: 503, json: { code: '50001', msg: '', data: [] } }
      state.pages.push(page)
      return reply(request)
    }
    return { state, answer }
  }

  test.each([
    { id: 'E7', argv: ['--startBlockHeight', '1', '--endBlockHeight', '100'] },
    {
      id: 'E6',
      argv: ['--address', `0x${'1'.repeat(40)}`, '--startBlockHeight', '1', '--endBlockHeight', '100'],
    },
    { id: 'E6', argv: ['--address', `0x${'1'.repeat(40)}`] },
  ])('$id in the midst of a range: goes on below the lowest block that was seen', async ({ id, argv }) => {
    const { state, answer } = failing(serveBlocks({ perBlock: 20, cap: 10_000, head: 100 }))
    const stub = await useStub(answer)
    const command = ['query', id, ...argv, '--all', '--csv', '--resume', join(folder, 'resume.json')]
    const first = await spanwatch(command)
    expect(first.err).toMatch(/stopped after [1-9]\d* rows\. The same command goes on from here\.\n/)
    state.isDown = false
    const asked = stub.requests.length
    const second = await spanwatch(command)
    const hashes = hashesIn(first.out + second.out)
    const rows = argv.length === 2 ? 2_020 : 2_000
    expect([second.exitCode, hashes.length, new Set(hashes).size]).toEqual([0, rows, rows])
    const below = Number(stub.requests.at(-1)?.query.get('endBlockHeight'))
    expect(below).toBeLessThan(100)
    expect(
      stub.requests.slice(asked).every(({ query }) => Number(query.get('endBlockHeight')) === below),
    ).toBe(true)
  })

  test('E3 in the midst of its list: gives the rest, and nothing twice', async () => {
    const rows = Array.from({ length: 900 }, (_, n) => ({
      id: hashOf(n + 1),
      txType: 'ZoneToMain',
      crossType: 'Withdraw',
      status: '0x1',
      tokenType: 'ERC20',
      mainTxHash: hashOf(n + 2001),
      mainBlockHeight: String(5e3 - n),
      mainBlockTime: '1700000000000',
      zoneTxHash: hashOf(n + 4001),
      zoneBlockHeight: String(9e3 - n),
      zoneBlockTime: '1700000000000',
      from: account,
      to: account,
      sourceAddress: account,
      targetAddress: account,
      value: '1',
      valueRaw: '1',
      tokenContractAddress: account,
      tokenId: '',
      tokenName: 'TOK',
    }))
    const { state, answer } = failing(({ query }) => {
      const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 20)]
      const paging = { page: String(page), limit: String(limit), totalPage: String(Math.ceil(900 / limit)) }
      return envelope([{ ...paging, total: '900', data: rows.slice((page - 1) * limit, page * limit) }])
    })
    await useStub(answer)
    const file = join(folder, 'resume.json')
    const command = ['query', 'E3', '--all', '--json', '--resume', file]
    const first = await spanwatch(command)
    const before = first.out.trimEnd().split('\n').length
    expect(before).toBeGreaterThan(300)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ rows: before })
    // A record that is written again is the same one.
    rows[0] = { ...rows[0], status: '0x0' } as (typeof rows)[number]
    state.isDown = false
    const second = await spanwatch(command)
    const ids = `${first.out}${second.out}`
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id)
    expect([second.exitCode, ids.length, new Set(ids).size]).toEqual([0, 900, 900])
    expect(existsSync(file)).toBe(false)
  })

  test('goes on between lists of hashes', async () => {
    const answered: string[] = []
    const isDown = { value: true }
    await useStub(({ query }) => {
      const hashes = (query.get('txId') ?? '').split(',')
      if (isDown.value && hashes.includes(hashOf(21)))
        return { status: 503, json: { code: '50001', msg: '', data: [] } }
      answered.push(...hashes)
      return {
        json: { code: '0', msg: '', data: hashes.map((hash) => ({ hash, blockHeight: '1', status: '0x1' })) },
      }
    })
    const list = Array.from({ length: 45 }, (_, at) => hashOf(at + 1))
    const argv = [
      'query',
      'E9',
      '--txId',
      list.join(','),
      '--all',
      '--json',
      '--resume',
      join(folder, 'resume.json'),
    ]
    const first = await spanwatch(argv)
    expect([first.exitCode, first.out.trimEnd().split('\n').length]).toEqual([3, 20])
    isDown.value = false
    const second = await spanwatch(argv)
    expect([second.exitCode, second.out.trimEnd().split('\n').length]).toEqual([0, 25])
    expect(answered).toEqual(list)
    expect(second.err).toContain('going on after 20 rows')
  })

  test('a resume file of another question, or of no question at all, is refused', async () => {
    await useStub(serveBlocks({ perBlock: 1, cap: 10_000 }))
    const file = join(folder, 'resume.json')
    writeFileSync(file, JSON.stringify({ question: 'other', lists: 0, doneFrom: null, rows: 1, reasons: [] }))
    const other = await spanwatch([...range(1, 5), '--resume', file])
    writeFileSync(file, '{"question"')
    const broken = await spanwatch([...range(1, 5), '--resume', file])
    expect([other.exitCode, broken.exitCode]).toEqual([2, 2])
    expect(other.err).toContain('belongs to another question')
    expect(broken.err).toContain('is not a file that spanwatch wrote for this')
  })
})

describe('rpc', () => {
  test('prints the result as JSON, amounts as decimal strings', async () => {
    await using world = await startStepped()
    useUrl(world.sandbox.url, `preconf: { url: "${world.sandbox.rpcUrl}" }\n`)
    const { relayer } = world.sandbox.world.contracts
    const balance = await spanwatch(['rpc', 'getBalance', relayer])
    expect([balance.exitCode, balance.out]).toEqual([0, '"2500000000000000000"\n'])
    const block = await spanwatch(['rpc', 'eth_getBlockByNumber', '5000100', 'true'])
    expect(JSON.parse(block.out)).toMatchObject({ number: 5_000_100, full: expect.any(Array) })
  })

  test('null is printed and said, an error of the node ends with 1', async () => {
    await using world = await startStepped()
    useUrl(world.sandbox.url, `preconf: { url: "${world.sandbox.rpcUrl}" }\n`)
    const unknown = await spanwatch(['rpc', 'getTransactionReceipt', hashOf(5)])
    expect([unknown.exitCode, unknown.out]).toEqual([0, 'null\n'])
    expect(unknown.err).toContain('the node knows no such thing')
    const { bridge } = world.sandbox.world.contracts
    const reverted = await spanwatch(['rpc', 'call', `{"to":"${bridge}","data":"0xdeadbeef"}`])
    expect([reverted.exitCode, reverted.out]).toEqual([1, ''])
    expect(reverted.err).toContain('-32015')
  })

  test('--canonical and --zone ask the nodes of the chains', async () => {
    await using world = await startStepped()
    const { canonicalUrl, zoneRpcUrl } = world.sandbox
    const more = `canonical: { url: "${canonicalUrl}" }\nzoneRpc: { url: "${zoneRpcUrl}" }\n`
    useUrl(world.sandbox.url, more)
    const { exitCode, out } = await spanwatch(['rpc', 'blockNumber', 'latest', '--canonical'])
    expect([exitCode, Number(out) > 5_000_000]).toEqual([0, true])
    const zone = await spanwatch(['rpc', 'blockNumber', 'latest', '--zone'])
    expect([zone.exitCode, Number(zone.out) > 21_300_000]).toEqual([0, true])
    const none = await spanwatch(['rpc', 'blockNumber'])
    expect([none.exitCode, none.err]).toEqual([
      2,
      'rpc: the configuration names no preconf.url (--canonical asks the node of the main chain, --zone that of the zone chain)\n',
    ])
  })

  test.each([
    ['an unknown method', ['getBlockByNumbr'], 'Did you mean eth_getBlockByNumber?'],
    ['a missing parameter', ['getBalance'], 'address is missing\nIt takes: eth_getBalance ADDRESS [BLOCK]'],
    ['broken JSON', ['call', '{to'], 'expected JSON, got {to'],
  ])('%s ends with 2', async (_, argv, problem) => {
    useUrl('http://127.0.0.1:1')
    const { exitCode, err } = await spanwatch(['rpc', ...argv])
    expect(exitCode).toBe(2)
    expect(err).toContain(problem)
  })
})

function range(start: number, end: number): string[] {
  return [
    'query',
    'E7',
    '--startBlockHeight',
    String(start),
    '--endBlockHeight',
    String(end),
    '--all',
    '--csv',
  ]
}

/** A clock on which every look is 50 ms later. */
function createHurriedClock() {
  const clock = createSteppedClock()
  let looks = 0
  return { ...clock, monotonicMs: () => clock.monotonicMs() + 50 * looks++ }
}
