import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Explorer } from '../../../src/clients/explorer/createExplorer.ts'
import type { Endpoint } from '../../../src/clients/explorer/endpoint.ts'
import { endpoints, findEndpoint } from '../../../src/clients/explorer/endpoints.ts'
import type { WideParams } from '../../../src/clients/explorer/question.ts'
import { readAll } from '../../../src/clients/explorer/readAll.ts'
import { getTransfer, type Transfer } from '../../../src/sandbox/transfers.ts'
import { createTestExplorer } from '../../support/createTestExplorer.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'
import { startStepped, type SteppedSandbox } from '../sandbox/steppedSandbox.ts'

// semantics.md 39: a service that answers another question than was asked. Between the client and the sandbox stands
// one that changes the question, or the answer, on the way.

type Query = Record<string, string>
interface Lie {
  /** The question that is answered instead. */
  readonly ask?: (query: Query) => Query
  /** What becomes of the answer. */
  readonly tell?: (text: string) => string
}

let world: SteppedSandbox
let explorer: Explorer
let close: () => Promise<void>
let lie: Lie = {}

const how = { priority: 'urgent', attempts: 1 } as const
const find = (id: string) => findEndpoint(id) as Endpoint

beforeAll(async () => {
  world = await startStepped(
    'name: test\nhistory: { for: 10m, transfers: 200 }\ntraffic: { transfersPerMinute: 0, users: 5 }\n',
  )
  world.step(60_000)
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', world.sandbox.url)
    const query = Object.fromEntries(url.searchParams)
    url.search = new URLSearchParams(lie.ask?.(query) ?? query).toString()
    void fetch(url)
      .then((answer) => answer.text())
      .then((text) => response.end(lie.tell?.(text) ?? text))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  explorer = createTestExplorer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  close = () => new Promise((resolve) => server.close(() => resolve()))
})
afterAll(async () => {
  await explorer.close()
  await close()
  await world[Symbol.asyncDispose]()
})
beforeEach(() => {
  lie = {}
})

interface Known {
  readonly batch: Transfer
  readonly payout: Transfer
  readonly bridge: string
  readonly relayer: string
}

function known(): Known {
  const { listed, contracts } = world.sandbox.world
  const transfers = listed.values.map((number) => getTransfer(world.sandbox.world, number))
  const batch = transfers.find(({ crossType }) => crossType === 'BatchWithdraw')
  const payout = transfers.find(({ crossType, token }) => crossType === 'Withdraw' && token.type === 'ERC20')
  if (!batch || !payout) throw new Error('expected a batch and a payout')
  return { batch, payout, bridge: contracts.bridge, relayer: contracts.relayer }
}

const mainHash = ({ main }: Transfer) => main?.hash ?? ''
const zoneHash = ({ zone }: Transfer) => zone?.hash ?? ''
const depositTopic = '0x49d3e68d79df625933b4478d16608075e4791ee969ddec42f20524e8d8df1ffd'
const otherTopic = `0x${'77'.repeat(32)}`

interface Case {
  readonly id: string
  readonly param: string
  /** The question, and what is answered instead of it. */
  readonly of: (known: Known) => { readonly asked: WideParams; readonly instead: Query }
}

/** Blocks of the main chain around a payout, and those long before them. */
const blocks = (height: number) => ({ startBlockHeight: height - 5, endBlockHeight: height })
const before = (height: number, by: number) => ({
  startBlockHeight: String(height - by - 500),
  endBlockHeight: String(height - by),
})
const mainHeight = ({ payout }: Known) => payout.main?.height ?? 0

const hashCases: Case[] = [
  ...(['E2', 'E16', 'E21'] as const).map((id) => ({
    id,
    param: 'txId',
    of: ({ batch, payout }: Known) => ({
      asked: { txId: mainHash(payout) },
      instead: { txId: mainHash(batch) },
    }),
  })),
  ...(['E13', 'E15'] as const).map((id) => ({
    id,
    param: 'txId',
    of: ({ batch, payout }: Known) => ({
      asked: { txId: [mainHash(payout)] },
      instead: { txId: mainHash(batch) },
    }),
  })),
  ...(['E9', 'E12'] as const).map((id) => ({
    id,
    param: 'txId',
    of: ({ batch, payout }: Known) => ({
      asked: { txId: [zoneHash(payout)] },
      instead: { txId: zoneHash(batch) },
    }),
  })),
  {
    id: 'E14',
    param: 'txid',
    of: ({ batch, payout }) => ({ asked: { txid: zoneHash(payout) }, instead: { txid: zoneHash(batch) } }),
  },
  {
    id: 'E3',
    param: 'txid',
    of: ({ batch, payout }) => ({ asked: { txid: mainHash(payout) }, instead: { txid: mainHash(batch) } }),
  },
]

const otherUser = ({ payout }: Known): string => {
  const { listed } = world.sandbox.world
  const other = listed.values
    .map((number) => getTransfer(world.sandbox.world, number))
    .find((one) => one.crossType === 'Withdraw' && one.targetAddress !== payout.targetAddress)
  return other?.targetAddress ?? ''
}

const addressCases: Case[] = [
  ...(['token_20', 'transaction'] as const).map((protocolType) => ({
    id: 'E6',
    param: 'address',
    of: (all: Known) => ({
      asked: { address: protocolType === 'token_20' ? `0x${'12'.repeat(20)}` : all.bridge, protocolType },
      instead: { address: protocolType === 'token_20' ? otherUser(all) : all.payout.token.address },
    }),
  })),
  {
    id: 'E10',
    param: 'address',
    of: (all) => ({
      asked: { address: [`0x${'12'.repeat(20)}`, `0x${'13'.repeat(20)}`], ...blocks(mainHeight(all)) },
      instead: { address: all.relayer },
    }),
  },
  {
    id: 'E8',
    param: 'address',
    of: ({ bridge }) => ({ asked: { address: `0x${'12'.repeat(20)}` }, instead: { address: bridge } }),
  },
  {
    id: 'E3',
    param: 'address',
    of: (all) => ({
      asked: { address: all.payout.targetAddress },
      instead: { address: otherUser(all), to: otherUser(all) },
    }),
  },
  ...(['E18', 'E19', 'E20'] as const).map((id) => ({
    id,
    param: 'address',
    of: (all: Known) => ({
      asked: {
        address: `0x${'12'.repeat(20)}`,
        ...(id === 'E18' && { topic0: depositTopic }),
        ...(id === 'E19' && { startBlockHeight: mainHeight(all) - 500, endBlockHeight: mainHeight(all) }),
      },
      instead: { address: all.bridge },
    }),
  })),
  {
    id: 'E18',
    param: 'topic0',
    of: ({ bridge }) => ({
      asked: { address: bridge, topic0: otherTopic },
      instead: { topic0: depositTopic },
    }),
  },
  {
    id: 'E1',
    param: 'tokenContractAddress',
    of: ({ payout }) => ({
      asked: { tokenContractAddress: `0x${'12'.repeat(20)}` },
      instead: { tokenContractAddress: payout.token.address },
    }),
  },
  {
    id: 'E3',
    param: 'tokenContractAddress',
    of: ({ payout }) => ({
      asked: { tokenContractAddress: `0x${'12'.repeat(20)}` },
      instead: { tokenContractAddress: payout.token.address },
    }),
  },
  {
    id: 'E6',
    param: 'tokenContractAddress',
    of: ({ payout }) => ({
      asked: {
        address: payout.targetAddress,
        protocolType: 'token_20',
        tokenContractAddress: `0x${'12'.repeat(20)}`,
      },
      instead: { tokenContractAddress: payout.token.address },
    }),
  },
]

const heightCases: Case[] = [
  {
    id: 'E4',
    param: 'height',
    of: ({ batch, payout }) => ({
      asked: { height: payout.zone?.height },
      instead: { height: String(batch.zone?.height) },
    }),
  },
  {
    id: 'E5',
    param: 'height',
    of: ({ batch, payout }) => ({
      asked: { height: payout.zone?.height },
      instead: { height: String(batch.zone?.height) },
    }),
  },
  {
    id: 'E11',
    param: 'height',
    of: (all) => ({
      asked: { height: mainHeight(all) },
      instead: { height: String(mainHeight(all) - 1) },
    }),
  },
  {
    id: 'E7',
    param: 'heights',
    of: (all) => ({ asked: blocks(mainHeight(all)), instead: before(mainHeight(all), 6) }),
  },
  {
    id: 'E10',
    param: 'heights',
    of: (all) => ({
      asked: { address: [all.relayer], ...blocks(mainHeight(all) + 100_000) },
      instead: before(mainHeight(all), 0),
    }),
  },
  ...(['E6', 'E8', 'E19'] as const).map((id) => ({
    id,
    param: 'heights',
    of: (all: Known) => ({
      asked: { address: all.bridge, ...blocks(mainHeight(all) + 100_000) },
      instead: { startBlockHeight: '0', endBlockHeight: String(mainHeight(all)) },
    }),
  })),
  {
    id: 'E3',
    param: 'heights',
    of: () => ({
      asked: { startBlockHeight: 1, endBlockHeight: 2 },
      instead: { startBlockHeight: '0', endBlockHeight: '999999999' },
    }),
  },
]

const cases = [...hashCases, ...addressCases, ...heightCases]

async function failure(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    () => null,
    (error: unknown) => error,
  )
}

describe('semantics.md 39: an answer to another question is none', () => {
  test.each(cases)('$id, another $param', async ({ id, param, of }) => {
    const { asked, instead } = of(known())
    lie = { ask: (query) => ({ ...query, ...instead }) }
    const error = await failure(explorer.call(find(id), asked, how))
    expect(error).toMatchObject({ code: 'source.mismatched', retryable: true })
    expect(error).toHaveProperty('message', expect.stringMatching(new RegExp(`^${id} at .*: ${param} \\S+`)))
    expect(explorer.mismatches.list(0).find(({ endpoint }) => endpoint === id)?.problem).toContain(param)
  })

  test.each(['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8', 'E10', 'E13', 'E15', 'E16'])(
    '%s, another page',
    async (id) => {
      const { payout, bridge, batch, relayer } = known()
      const height = payout.main?.height ?? 0
      const range = { startBlockHeight: height - 500, endBlockHeight: height }
      const asked: Record<string, WideParams> = {
        E1: { tokenContractAddress: payout.token.address },
        E2: { txId: mainHash(batch) },
        E3: {},
        E4: { height: batch.zone?.height },
        E5: {},
        E6: { address: bridge },
        E7: range,
        E8: { address: bridge },
        E10: { address: [relayer], ...range },
        E13: { txId: [mainHash(batch), mainHash(payout)] },
        E15: { txId: [mainHash(batch), mainHash(payout)] },
        E16: { txId: mainHash(batch) },
      }
      const params = { ...asked[id], limit: 1 }
      // What has one page only says that it is another one.
      lie = { tell: (text) => text.replace(/"page":"1"/, '"page":"2"') }
      const error = await failure(explorer.call(find(id), params, how))
      expect(error).toMatchObject({ code: 'source.mismatched' })
      expect(error).toHaveProperty('message', expect.stringContaining('page 1 was asked for, page 2 came'))
      lie = {}
      expect((await explorer.call(find(id), params, how)).records).not.toEqual([])
    },
  )

  test.each(['E1', 'E6', 'E7', 'E11'])('%s, another chain', async (id) => {
    const { payout, bridge } = known()
    const height = payout.main?.height ?? 0
    const asked: Record<string, WideParams> = {
      E1: { tokenContractAddress: payout.token.address },
      E6: { address: bridge },
      E7: blocks(height),
      E11: { height },
    }
    lie = { tell: (text) => text.replace(/"chainShortName":"\w+"/, '"chainShortName":"OTHERCHAIN"') }
    const error = await failure(explorer.call(find(id), asked[id] ?? {}, how))
    expect(error).toMatchObject({ code: 'source.mismatched' })
    expect(error).toHaveProperty('message', expect.stringContaining('OTHERCHAIN came'))
    lie = { tell: (text) => text.toLowerCase().replaceAll('"chainshortname"', '"chainShortName"') }
    if (id === 'E11') expect((await explorer.call(find(id), asked[id] ?? {}, how)).records).toHaveLength(1)
  })

  test('E17, another contract, where the answer names it', async () => {
    const { bridge } = known()
    lie = {
      tell: (text) => text.replace('"sourceCode"', `"contractAddress":"0x${'12'.repeat(20)}","sourceCode"`),
    }
    const error = await failure(explorer.call(find('E17'), { contractAddress: bridge }, how))
    expect(error).toMatchObject({ code: 'source.mismatched' })
    lie = {
      tell: (text) =>
        text.replace('"sourceCode"', `"contractAddress":"${bridge.toUpperCase()}","sourceCode"`),
    }
    expect((await explorer.call(find('E17'), { contractAddress: bridge }, how)).records).toHaveLength(1)
  })

  test('every endpoint is among these', () => {
    expect(new Set([...cases.map(({ id }) => id), 'E17'])).toEqual(new Set(endpoints.map(({ id }) => id)))
  })
})

describe('semantics.md 39: an answer of which a part belongs to another question', () => {
  test.each(['E9', 'E12', 'E13', 'E15'])('%s gives what fits, and is not whole', async (id) => {
    const { payout, batch } = known()
    const { listed } = world.sandbox.world
    const other = listed.values
      .map((number) => getTransfer(world.sandbox.world, number))
      .find((one) => one.main && one.zone && one.number !== payout.number && one.number !== batch.number)
    if (!other) throw new Error('expected a third transfer')
    const hashOf = id === 'E9' || id === 'E12' ? zoneHash : mainHash
    const params = { txId: [hashOf(payout), hashOf(batch)] }
    lie = { ask: (query) => ({ ...query, txId: [hashOf(payout), hashOf(other)].join(',') }) }
    const answer = await explorer.call(find(id), params, how)
    const hashes = (answer.records as { hash?: string; zoneHash?: string }[]).map(
      (row) => row.hash ?? row.zoneHash,
    )
    expect(new Set(hashes)).toEqual(new Set([hashOf(payout)]))
    expect(answer.misfits.length).toBeGreaterThan(0)
    expect(answer.quarantined.length).toBe(answer.misfits.length)
    const whole = await readAll({ explorer, clock: createSteppedClock() }, find(id), params, {
      priority: 'bulk',
      onRecords: () => {},
    })
    expect(whole.reasons).toContain('some rows answer another question than was asked')
  })
})

describe('semantics.md 39: what else fits a question', () => {
  const user = (n: number) => `0x${String(n).padStart(40, '7')}`
  const row = (from: string, to: string, more: Record<string, string> = {}) => ({
    txId: `0x${'ab'.repeat(32)}`,
    height: '100',
    from,
    to,
    amount: '1',
    tokenContractAddress: '',
    operation: 'call',
    ...more,
  })
  const answer = (rows: readonly object[]) =>
    JSON.stringify({
      code: '0',
      msg: '',
      data: [{ page: '1', limit: '50', totalPage: '1', transactionLists: rows }],
    })

  test.each([
    {
      title: 'the parties of the transaction beside a row of the address',
      rows: [row(user(1), user(9)), row(user(2), user(3))],
      isTaken: true,
    },
    {
      title: 'rows that all are some other address’s',
      rows: [row(user(1), user(9)), row(user(9), user(3))],
      isTaken: false,
    },
    {
      title: 'rows of which none names the address',
      rows: [row(user(2), user(9)), row(user(4), user(3))],
      isTaken: false,
    },
  ])('E6 of a token, $title: $isTaken', async ({ rows, isTaken }) => {
    lie = { tell: () => answer(rows) }
    const asked = explorer.call(find('E6'), { address: user(1), protocolType: 'token_20' }, how)
    const found = await asked.catch(() => ({ misfits: ['all'] }))
    expect(found.misfits.length === 0).toBe(isTaken)
  })

  test.each([
    {
      title: 'a contract that is made, without a recipient',
      id: 'E6',
      params: { address: user(1) },
      rows: [row(user(2), '')],
    },
    {
      title: 'one address of a list',
      id: 'E10',
      params: { address: [user(1), user(5)], startBlockHeight: 1, endBlockHeight: 200 },
      rows: [row(`${user(7)}, ${user(5)}`, user(8))],
    },
    {
      title: 'hex digits in another case',
      id: 'E8',
      params: { address: user(1).replace('0x7', '0xA') },
      rows: [row(user(1).replace('0x7', '0xa'), user(8))],
    },
    {
      title: 'a transaction that is in no block yet',
      id: 'E6',
      params: { address: user(1), startBlockHeight: 500 },
      rows: [row(user(1), user(8), { height: '', state: 'pending' })],
    },
  ])('$id, $title', async ({ id, params, rows }) => {
    lie = { tell: () => answer(rows) }
    const found = await explorer.call(find(id), params, how)
    expect(found.misfits).toEqual([])
    expect(found.records).toHaveLength(1)
  })

  test('the last page in place of one behind it', async () => {
    lie = {
      ask: (query) => ({ ...query, page: '1' }),
      tell: (text) => text.replace(/"totalPage":"\d+"/, '"totalPage":"1"'),
    }
    const found = await explorer.call(find('E5'), { page: 4 }, how)
    expect(found.misfits).toEqual([])
  })
})
