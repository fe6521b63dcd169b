import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Explorer } from '../../../src/clients/explorer/createExplorer.ts'
import { mainBlockDetail, zoneBlocks } from '../../../src/clients/explorer/endpoints/blocks.ts'
import { verifiedContracts } from '../../../src/clients/explorer/endpoints/contracts.ts'
import { crossDetails, crossTransactions } from '../../../src/clients/explorer/endpoints/crossRecords.ts'
import {
  addressInternals,
  manyTransactionsInternals,
  transactionInternals,
} from '../../../src/clients/explorer/endpoints/internalTransactions.ts'
import {
  logsByAddress,
  logsByBlocks,
  logsByTopic,
  logsByTransaction,
} from '../../../src/clients/explorer/endpoints/logs.ts'
import {
  addressTransactions,
  blockTransactions,
  manyAddressesTransactions,
} from '../../../src/clients/explorer/endpoints/mainTransactions.ts'
import {
  contractTransfers,
  manyTransactionsTransfers,
  transactionTransfers,
} from '../../../src/clients/explorer/endpoints/mainTransfers.ts'
import { zoneBlockTransactions } from '../../../src/clients/explorer/endpoints/zoneBlockTransactions.ts'
import {
  zoneTransactionDetail,
  zoneTransactions,
} from '../../../src/clients/explorer/endpoints/zoneTransactions.ts'
import type { Answer } from '../../../src/clients/explorer/readAnswer.ts'
import type { Observation } from '../../../src/bridge/observation.ts'
import { createTestExplorer } from '../../support/createTestExplorer.ts'
import { startStepped, type SteppedSandbox } from '../sandbox/steppedSandbox.ts'

// The same two transfers, a payout of a token and a deposit of the native currency or of another token, as each of the
// 21 endpoints tells of them through the client.

const how = { priority: 'urgent' } as const

let world: SteppedSandbox
let explorer: Explorer
let payout: Legs

interface Legs {
  readonly record: Observation
  readonly mainHash: string
  readonly zoneHash: string
  readonly mainHeight: number
  readonly zoneHeight: number
}

beforeAll(async () => {
  world = await startStepped('{ name: test, traffic: { transfersPerMinute: 30 } }')
  world.step(10_000)
  explorer = createTestExplorer(world.sandbox.url)
  const { records } = await explorer.call(crossTransactions, { limit: 100 }, how)
  payout = legsOf(
    records.find(
      (each) =>
        each.direction === 'ZoneToMain' &&
        each.crossType === 'Withdraw' &&
        each.tokenType === 'ERC20' &&
        each.status === 'success' &&
        each.mainHash !== null &&
        each.zoneHash !== null,
    ),
  )
})
afterAll(async () => {
  await explorer.close()
  await world[Symbol.asyncDispose]()
})

function legsOf(record: Observation | undefined): Legs {
  const { mainHash, zoneHash, mainHeight, zoneHeight } = record ?? {}
  if (!record || !mainHash || !zoneHash || !mainHeight || !zoneHeight)
    throw new Error('expected a completed payout in the newest records')
  return { record, mainHash, zoneHash, mainHeight, zoneHeight }
}

/** The records of an answer, all of which could be read. */
function recordsOf<R>(answer: Answer<R>): readonly R[] {
  expect(answer.quarantined).toEqual([])
  expect(answer.records.length).toBeGreaterThan(0)
  return answer.records
}

/** What the main chain shows of the payout: the token leaving the escrow. */
const movement = () => ({
  hash: payout.mainHash,
  height: payout.mainHeight,
  time: payout.record.mainTime,
  from: world.sandbox.world.contracts.escrow,
  to: payout.record.targetAddress,
  token: payout.record.token,
  amount: payout.record.value,
})

const range = () => ({ startBlockHeight: payout.mainHeight, endBlockHeight: payout.mainHeight })

describe('the zone chain', () => {
  test('E3 lists the transfer, and its filters find it', async () => {
    const { record, mainHash, zoneHash } = payout
    const byHash = await explorer.call(crossTransactions, { txid: zoneHash }, how)
    expect(recordsOf(byHash).map((each) => [each.mainHash, each.zoneHash])).toEqual([[mainHash, zoneHash]])
    const filters = { tokenContractAddress: record.token, address: record.targetAddress }
    const byToken = recordsOf(await explorer.call(crossTransactions, filters, how))
    expect(byToken).toContainEqual(
      expect.objectContaining({ mainHash, zoneHash, amountRaw: record.amountRaw }),
    )
    expect(new Set(byToken.map((each) => each.token))).toEqual(new Set([record.token]))
  })

  test('E12 adds event index, zone block hash and update time', async () => {
    const [detail] = recordsOf(await explorer.call(crossDetails, { txId: [payout.zoneHash] }, how))
    expect(detail).toMatchObject({
      source: 'E12',
      mainHash: payout.mainHash,
      amountRaw: payout.record.amountRaw,
      zoneBlockHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      zoneEventIndex: expect.any(String),
      updateTime: expect.any(Number),
    })
  })

  test('E9 and E14 tell of its zone transaction alike', async () => {
    const [many] = recordsOf(await explorer.call(zoneTransactions, { txId: [payout.zoneHash] }, how))
    const [one] = recordsOf(await explorer.call(zoneTransactionDetail, { txid: payout.zoneHash }, how))
    expect(many).toMatchObject({
      source: 'E9',
      hash: payout.zoneHash,
      height: payout.zoneHeight,
      time: payout.record.zoneTime,
      status: 'success',
      errorMessage: '',
    })
    expect(one).toEqual({ ...many, source: 'E14', requestedAt: one?.requestedAt })
  })

  test('E4 lists the transaction in its block', async () => {
    const answer = await explorer.call(zoneBlockTransactions, { height: payout.zoneHeight }, how)
    const row = recordsOf(answer).find(({ hash }) => hash === payout.zoneHash)
    expect(row).toMatchObject({ height: payout.zoneHeight, time: payout.record.zoneTime, status: 'success' })
  })

  test('E5 lists blocks newest first, and the one of the transfer by its height', async () => {
    const newest = await explorer.call(zoneBlocks, { limit: 100 }, how)
    expect(recordsOf(newest)).toHaveLength(100)
    expect(newest.order).toBe('newest-first')
    const [block] = recordsOf(await explorer.call(zoneBlocks, { height: payout.zoneHeight }, how))
    expect(block).toMatchObject({ height: payout.zoneHeight, time: payout.record.zoneTime })
    expect(block?.transactionCount).toBeGreaterThan(0)
  })
})

describe('transactions and blocks of the main chain', () => {
  test('E7 lists the transaction in the range of its block', async () => {
    const row = recordsOf(await explorer.call(blockTransactions, { ...range(), limit: 100 }, how)).find(
      ({ hash }) => hash === payout.mainHash,
    )
    expect(row).toMatchObject({ height: payout.mainHeight, state: 'success', time: payout.record.mainTime })
  })

  test('E6 lists it among those of the bridge', async () => {
    const { bridge } = world.sandbox.world.contracts
    const rows = recordsOf(await explorer.call(addressTransactions, { address: bridge, ...range() }, how))
    expect(rows).toContainEqual(
      expect.objectContaining({ hash: payout.mainHash, to: bridge, state: 'success' }),
    )
  })

  test('E10 lists it among those of the relayer that sent it', async () => {
    const { relayer, poster } = world.sandbox.world.contracts
    const params = { address: [relayer, poster], ...range() }
    const rows = recordsOf(await explorer.call(manyAddressesTransactions, params, how))
    expect(rows).toContainEqual(expect.objectContaining({ hash: payout.mainHash, from: relayer }))
  })

  test('E11 shows its block, and says when a height is beyond the head', async () => {
    const [block] = recordsOf(await explorer.call(mainBlockDetail, { height: payout.mainHeight }, how))
    expect(block).toMatchObject({ height: payout.mainHeight, time: payout.record.mainTime })
    const beyond = await explorer.call(mainBlockDetail, { height: payout.mainHeight + 1_000_000 }, how)
    expect(beyond).toMatchObject({ beyondHead: true, records: [] })
  })
})

describe('movements of tokens', () => {
  test('E1 lists the payout among the transfers of its token', async () => {
    const params = { tokenContractAddress: payout.record.token, limit: 50 }
    expect(recordsOf(await explorer.call(contractTransfers, params, how))).toContainEqual(
      expect.objectContaining(movement()),
    )
  })

  test('E2 gives the transfers of its transaction', async () => {
    const rows = recordsOf(await explorer.call(transactionTransfers, { txId: payout.mainHash }, how))
    expect(rows).toContainEqual(expect.objectContaining(movement()))
  })

  test('E13 gives those of several transactions', async () => {
    const params = { txId: [payout.mainHash, `0x${'ab'.repeat(32)}`] }
    const rows = recordsOf(await explorer.call(manyTransactionsTransfers, params, how))
    expect(rows).toContainEqual(expect.objectContaining(movement()))
  })
})

describe('internal transactions', () => {
  test('E15 and E16 give those of its transaction', async () => {
    const { mainHash } = payout
    const many = recordsOf(await explorer.call(manyTransactionsInternals, { txId: [mainHash] }, how))
    const one = recordsOf(await explorer.call(transactionInternals, { txId: mainHash }, how))
    const plain = (row: (typeof one)[number]) => [row.hash, row.height, row.from, row.to, row.amount]
    expect(one.map(plain)).toEqual(many.map(plain))
    expect(one[0]).toMatchObject({ hash: mainHash, height: payout.mainHeight, state: 'success' })
  })

  test('E8 lists those of an address', async () => {
    const { bridge } = world.sandbox.world.contracts
    const rows = recordsOf(await explorer.call(addressInternals, { address: bridge, limit: 50 }, how))
    expect(rows.every(({ from, to }) => from === bridge || to === bridge)).toBe(true)
  })
})

describe('logs and contracts', () => {
  test('E21 gives the logs of its transaction, the Transfer of the token among them', async () => {
    const logs = recordsOf(await explorer.call(logsByTransaction, { txId: payout.mainHash }, how))
    const transfer = logs.find(({ address }) => address === payout.record.token)
    expect(transfer).toMatchObject({ hash: payout.mainHash, height: payout.mainHeight })
    expect(BigInt(transfer?.data ?? '0x0')).toBe(payout.record.amountRaw)
  })

  test('E19 gives the logs of the bridge in a range', async () => {
    const { bridge } = world.sandbox.world.contracts
    const logs = recordsOf(await explorer.call(logsByBlocks, { ...range(), address: bridge }, how))
    expect(logs.some(({ hash }) => hash === payout.mainHash)).toBe(true)
    expect(logs.every(({ address, height }) => address === bridge && height === payout.mainHeight)).toBe(true)
  })

  test('E20 gives logs of the bridge from the first on, E18 those of one topic', async () => {
    const { bridge } = world.sandbox.world.contracts
    const all = recordsOf(await explorer.call(logsByAddress, { address: bridge }, how))
    const topic0 = all[0]?.topics[0] ?? ''
    const some = recordsOf(await explorer.call(logsByTopic, { address: bridge, topic0 }, how))
    expect(all.every(({ address }) => address === bridge)).toBe(true)
    expect(some.map(({ logIndex }) => logIndex)).toEqual(
      expect.arrayContaining(
        all.filter(({ topics }) => topics[0] === topic0).map(({ logIndex }) => logIndex),
      ),
    )
    expect(new Set(some.map(({ topics }) => topics[0]))).toEqual(new Set([topic0]))
  })

  test('E17 gives the source of a proxy and its implementation', async () => {
    const { bridge, bridgeImplementation } = world.sandbox.world.contracts
    const [proxy] = recordsOf(await explorer.call(verifiedContracts, { contractAddress: bridge }, how))
    expect(proxy).toMatchObject({ proxy: '1', implementation: bridgeImplementation })
    expect(proxy?.sourceCode).toContain('contract')
  })
})
