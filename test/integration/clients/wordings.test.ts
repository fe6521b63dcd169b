import { describe, expect, onTestFinished, test } from 'vitest'
import type { Explorer } from '../../../src/clients/explorer/createExplorer.ts'
import type { Endpoint } from '../../../src/clients/explorer/endpoint.ts'
import { endpoints, findEndpoint } from '../../../src/clients/explorer/endpoints.ts'
import { crossDetails } from '../../../src/clients/explorer/endpoints/crossRecords.ts'
import { verifiedContracts } from '../../../src/clients/explorer/endpoints/contracts.ts'
import type { Answer } from '../../../src/clients/explorer/readAnswer.ts'
import type { WideParams } from '../../../src/clients/explorer/question.ts'
import { readAll } from '../../../src/clients/explorer/readAll.ts'
import { readBatchDetail } from '../../../src/meaning/batchDetail.ts'
import type { Observation } from '../../../src/bridge/observation.ts'
import { mainHead, mainTransactions } from '../../../src/sandbox/chain/mainChain.ts'
import { getTransfer } from '../../../src/sandbox/transfers.ts'
import { userAddress } from '../../../src/sandbox/world.ts'
import { createTestExplorer } from '../../support/createTestExplorer.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'
import { startStepped, type SteppedSandbox } from '../sandbox/steppedSandbox.ts'
import { questions, settled } from './questions.ts'

// The same world in every wording that the document or its samples allow: the client reads the same from each.

const how = { priority: 'urgent' } as const

const inFlight =
  'name: test\nhistory: { for: 10m, transfers: 200 }\ntraffic: { transfersPerMinute: 120, users: 5 }\n'

async function open(
  answers: string,
  traffic = settled,
): Promise<{ world: SteppedSandbox; explorer: Explorer }> {
  const world = await startStepped(`${traffic}answers: ${answers}\n`)
  world.step(60_000)
  const explorer = createTestExplorer(world.sandbox.url)
  onTestFinished(async () => {
    await explorer.close()
    await world[Symbol.asyncDispose]()
  })
  return { world, explorer }
}

const find = (id: string) => findEndpoint(id) as Endpoint
const bare = (record: unknown) => ({ ...(record as object), requestedAt: 0 })

async function askAll(world: SteppedSandbox, explorer: Explorer): Promise<Record<string, Answer<unknown>>> {
  const answers: Record<string, Answer<unknown>> = {}
  for (const [id, params] of Object.entries(questions(world)))
    answers[id] = await explorer.call(find(id), params, how)
  return answers
}

const legsOf = (record: unknown) => {
  const { mainHash, zoneHash } = record as Observation
  return [mainHash, zoneHash]
}

const everyEndpoint = endpoints.map(({ id }) => id)

describe('every endpoint reads the same', () => {
  test.each([
    '{ arrays: documented, hashKey: txid, difficulty: documented, libraries: array }',
    '{ arrays: alike, hashKey: txId, difficulty: documented }',
    '{ extraFields: true }',
    '{ extraFields: true, arrays: documented, hashKey: txid, batchDetail: objects }',
    '{ empty: page-0, heights: either }',
  ])('from answers worded %s', async (wording) => {
    const plain = await open(wording.includes('batchDetail') ? '{ batchDetail: objects }' : '{}')
    const worded = await open(wording)
    const expected = await askAll(plain.world, plain.explorer)
    const found = await askAll(worded.world, worded.explorer)
    expect(Object.keys(found).sort()).toEqual([...everyEndpoint].sort())
    for (const id of everyEndpoint) {
      expect(found[id]?.quarantined, id).toEqual([])
      expect(found[id]?.records.length, id).toBeGreaterThan(0)
      expect(found[id]?.records.map(bare), id).toEqual(expected[id]?.records.map(bare))
      if (wording.includes('extraFields')) expect(found[id]?.unknownFields, id).toBeGreaterThan(0)
    }
  })

  test.each([
    '{ pageLimit: 7 }',
    '{ pageLimit: 13, pageLimitAdmitted: false }',
    '{ pageLimit: 40, pageLimitAdmitted: false, arrays: documented, empty: page-1 }',
  ])('page by page from answers worded %s', async (wording) => {
    const plain = await open('{}')
    const worded = await open(wording)
    for (const id of ['E1', 'E2', 'E3', 'E4', 'E6', 'E7', 'E8', 'E10', 'E13', 'E15', 'E16']) {
      const { limit: _, ...params } = questions(plain.world)[id] ?? {}
      const expected = await readWhole(plain.explorer, find(id), params)
      const found = await readWhole(worded.explorer, find(id), params)
      expect(found.rows, id).toEqual(expected.rows)
      expect(found.reasons, `${id}, that it is whole`).toEqual([])
    }
  })
})

test.each([
  '{ arrays: documented }',
  '{ arrays: alike }',
  '{ hashKey: txid }',
  '{ hashKey: txId }',
  '{ difficulty: documented }',
  '{ libraries: array }',
  '{ libraries: used }',
  '{ batches: items }',
  '{ batchDetail: objects }',
  '{ batchDetail: lists }',
  '{ batchDetail: quoted }',
  '{ batchDetail: plain }',
  '{ empty: page-0 }',
  '{ empty: page-1 }',
  '{ recordTokens: zone }',
  '{ heights: main }',
  '{ heights: either }',
  '{ heights: push }',
  '{ pageLimit: 7, pageLimitAdmitted: false }',
  '{ extraFields: true }',
])(
  'semantics.md 38: nothing is missed in honest answers worded %s, of transfers in flight neither',
  async (wording) => {
    for (const traffic of [settled, inFlight]) {
      const { world, explorer } = await open(wording, traffic)
      const answers = await askAll(world, explorer)
      expect(Object.values(answers).flatMap(({ quarantined }) => quarantined)).toEqual([])
      if (traffic === inFlight)
        expect(answers['E3']?.records.some((row) => legsOf(row).includes(null))).toBe(true)
      expect(explorer.keys.list()).toEqual([])
    }
  },
)

test.each([1, 4])(
  'pages of %i cannot always overlap: every row is read, and that this proves nothing is said',
  async (rows) => {
    const plain = await open('{}')
    const worded = await open(`{ pageLimit: ${rows} }`)
    const { E6 = {} } = questions(plain.world)
    const expected = await readWhole(plain.explorer, find('E6'), E6)
    const found = await readWhole(worded.explorer, find('E6'), E6)
    expect(found.rows).toEqual(expected.rows)
    expect(found.reasons).toEqual(['pages could only be read side by side, without an overlap'])
  },
)

async function readWhole(explorer: Explorer, endpoint: Endpoint, params: WideParams) {
  const rows: unknown[] = []
  const result = await readAll({ explorer, clock: createSteppedClock() }, endpoint, params, {
    priority: 'bulk',
    onRecords: (records) => void rows.push(...records.map(bare)),
  })
  return { rows, reasons: result.reasons }
}

describe('answers without rows', () => {
  const nobody = `0x${'9'.repeat(40)}`
  const nothing = `0x${'9'.repeat(64)}`
  const empties: Record<string, WideParams> = {
    E1: { tokenContractAddress: nobody },
    E2: { txId: nothing },
    E3: { address: nobody },
    E5: { height: 99_999_999 },
    E6: { address: nobody },
    E7: { startBlockHeight: 9_000_000, endBlockHeight: 9_000_001 },
    E8: { address: nobody },
    E9: { txId: [nothing] },
    E10: { address: [nobody], startBlockHeight: 5_000_000, endBlockHeight: 5_000_100 },
    E12: { txId: [nothing] },
    E13: { txId: [nothing] },
    E14: { txid: nothing },
    E15: { txId: [nothing] },
    E16: { txId: nothing },
    E17: { contractAddress: nobody },
    E18: { address: nobody, topic0: nothing },
    E19: { address: nobody, startBlockHeight: 5_000_000, endBlockHeight: 5_000_100 },
    E20: { address: nobody },
    E21: { txId: nothing },
  }

  test.each(['array', 'page-0', 'page-1'])('are empty in the form %s, and no error', async (form) => {
    const { explorer } = await open(`{ empty: ${form} }`)
    for (const [id, params] of Object.entries(empties)) {
      const answer = await explorer.call(find(id), params, how)
      expect({ id, empty: answer.empty, records: answer.records, quarantined: answer.quarantined }).toEqual({
        id,
        empty: true,
        records: [],
        quarantined: [],
      })
    }
  })
})

describe('single fields', () => {
  test.each(['mixed', 'objects', 'lists', 'quoted'])(
    'E12 tells the items of a batch from the form %s',
    async (form) => {
      const { world, explorer } = await open(`{ batchDetail: ${form} }`)
      const batches = world.sandbox.world.listed.values
        .map((number) => getTransfer(world.sandbox.world, number))
        .filter(({ crossType }) => crossType === 'BatchWithdraw')
      expect(batches.length).toBeGreaterThan(0)
      for (const batch of batches) {
        const { records } = await explorer.call(crossDetails, { txId: [batch.zone?.hash ?? ''] }, how)
        const texts = records.map((record) => record.batchDetail ?? '')
        const sum = { digits: batch.amountRaw, scale: 0 }
        const read = texts.map((text) => readBatchDetail(text, [sum]))
        expect(read).toContainEqual(
          expect.objectContaining({
            kind: 'items',
            items: batch.items.map((item) =>
              expect.objectContaining({
                tokenId: item.tokenId,
                amount: { digits: item.amountRaw, scale: 0 },
              }),
            ),
          }),
        )
      }
    },
  )

  test('E12 keeps the text of a detail that is no JSON, which is unresolved and no error', async () => {
    const { world, explorer } = await open('{ batchDetail: plain }')
    const { E12 = {} } = questions(world)
    const { records, quarantined } = await explorer.call(crossDetails, E12 as { txId: string[] }, how)
    const text = records.map((record) => record.batchDetail).find((detail) => detail !== null) ?? ''
    expect(quarantined).toEqual([])
    expect(text).toContain(' of ')
    expect(readBatchDetail(text, []).kind).toBe('unresolved')
  })

  test('E3 and E12 give a row for each item of a batch, and the rows add up to it', async () => {
    const { world, explorer } = await open('{ batches: items }')
    const batch = world.sandbox.world.listed.values
      .map((number) => getTransfer(world.sandbox.world, number))
      .find(({ crossType }) => crossType === 'BatchWithdraw')
    const zoneHash = batch?.zone?.hash ?? ''
    const e12 = await explorer.call(crossDetails, { txId: [zoneHash] }, how)
    const e3 = await explorer.call(find('E3'), { txid: zoneHash, limit: 100 }, how)
    const rows = e12.records.filter((record) => record.crossType === 'BatchWithdraw')
    expect(rows.map(({ tokenId }) => tokenId)).toEqual(batch?.items.map(({ tokenId }) => tokenId))
    expect(rows.reduce((sum, row) => sum + (row.amountRaw ?? 0n), 0n)).toBe(batch?.amountRaw)
    expect(e3.records.length).toBe(e12.records.length)
  })

  test('E17 reads the libraries that a contract uses', async () => {
    const { world, explorer } = await open('{ libraries: used }')
    const { bridge, bridgeImplementation } = world.sandbox.world.contracts
    const { records } = await explorer.call(verifiedContracts, { contractAddress: bridge }, how)
    expect(records[0]?.libraries).toEqual([{ name: 'SafeMath', address: bridgeImplementation }])
  })

  test('a transfer in flight is hidden until it is complete, in E3 and E12, while its origin is on the chain', async () => {
    const yaml =
      'name: test\ntraffic: { transfersPerMinute: 0, inFlight: hidden, withdrawalLatency: { min: 20s, max: 20s } }\nhistory: { transfers: 0 }\n'
    await using world = await startStepped(yaml)
    const explorer = createTestExplorer(world.sandbox.url)
    onTestFinished(() => explorer.close())
    world.sandbox.inject({ fault: 'transfer.normal', direction: 'ZoneToMain', token: 'USDC', amount: '5' })
    world.step(10_000)
    const transfer = getTransfer(world.sandbox.look(), 0)
    const zoneHash = transfer.zone?.hash ?? ''
    const seen = async () => ({
      origin: (await explorer.call(find('E9'), { txId: [zoneHash] }, how)).records.length,
      listed: (await explorer.call(find('E3'), {}, how)).records.length,
      detail: (await explorer.call(crossDetails, { txId: [zoneHash] }, how)).records.length,
    })
    expect(await seen()).toEqual({ origin: 1, listed: 0, detail: 0 })
    world.step(15_000)
    expect(await seen()).toEqual({ origin: 1, listed: 1, detail: 1 })
    const [record] = (await explorer.call(crossDetails, { txId: [zoneHash] }, how)).records
    expect(record).toMatchObject({ mainHash: transfer.main?.hash, zoneHash })
  })
})

test('E10 for 45 addresses gives a payment between two of them once, whichever requests they went out in', async () => {
  await using world = await startStepped(
    'name: many\nhistory: { for: 10m, transfers: 50 }\ntraffic: { transfersPerMinute: 0, users: 45, blockTransactions: 8 }\n',
  )
  const explorer = createTestExplorer(world.sandbox.url)
  onTestFinished(() => explorer.close())
  const address = Array.from({ length: 45 }, (_, user) => userAddress(world.sandbox.world, user))
  const head = mainHead(world.sandbox.look())
  const params = { address, startBlockHeight: head - 200, endBlockHeight: head }
  const { rows, reasons } = await readWhole(explorer, find('E10'), params)
  const expected = Array.from({ length: 201 }, (_, at) => mainTransactions(world.sandbox.world, head - at))
    .flat()
    .filter(({ from, to }) => address.includes(from) || address.includes(to))
  const hashes = (rows as { hash: string }[]).map(({ hash }) => hash)
  expect(hashes.toSorted()).toEqual(expected.map(({ hash }) => hash).toSorted())
  expect(reasons).toEqual([])
})
