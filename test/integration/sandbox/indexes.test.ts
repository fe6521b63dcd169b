import { describe, expect, test } from 'vitest'
import { mainHead, mainGenesis, mainTransactions } from '../../../src/sandbox/chain/mainChain.ts'
import type { MainTransaction } from '../../../src/sandbox/chain/mainTransaction.ts'
import { recordOf } from '../../../src/sandbox/record.ts'
import type { CrossRecord } from '../../../src/sandbox/transferSpec.ts'
import { userAddress, type World } from '../../../src/sandbox/world.ts'
import { rowsOf, startStepped, type SteppedSandbox } from './steppedSandbox.ts'

// What the indexes answer, against a look at everything there is.

const eventful = `name: eventful
history: { for: 10m, transfers: 600 }
traffic: { transfersPerMinute: 60, users: 12, bundles: 0.3, sharedPayouts: 0.5 }
timeline:
  - { at: -5m, fault: transfer.normal, count: 20, token: USDC, direction: ZoneToMain }
  - { at: -4m, fault: transfer.failed, count: 3 }
  - { at: -3m, fault: transfer.vanished, count: 2 }
  - { at: -2m, fault: record.rewritten, count: 3 }
  - { at: -1m, fault: contract.changed, what: upgraded }
`

const listed = (world: World) => world.listed.values.toReversed().map((number) => recordOf(world, number))
const identity = (row: Record<string, unknown>) => [row.mainTxHash, row.zoneTxHash, row.valueRaw].join()

async function everyRow(
  ask: (page: string) => Promise<Record<string, unknown>[]>,
  limit: number,
): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
  for (let page = 1; ; page += 1) {
    const found = await ask(String(page))
    rows.push(...found)
    if (found.length < limit) return rows
  }
}

const e3 = (sandbox: SteppedSandbox, query: Record<string, string>) =>
  everyRow(
    async (page) => rowsOf(await sandbox.zone('cross/transaction-list', { limit: '100', page, ...query })),
    100,
  )

describe('E3', () => {
  const filters: [
    string,
    (world: World) => Record<string, string>,
    (record: CrossRecord, value: string) => boolean,
  ][] = [
    [
      'address',
      (world) => ({ address: userAddress(world, 0) }),
      (record, value) => [record.from, record.to, record.sourceAddress, record.targetAddress].includes(value),
    ],
    [
      'from',
      (world) => ({ from: userAddress(world, 1) }),
      (record, value) => [record.from, record.sourceAddress].includes(value),
    ],
    [
      'from',
      (world) => ({ from: world.contracts.signer }),
      (record, value) => [record.from, record.sourceAddress].includes(value),
    ],
    [
      'to',
      (world) => ({ to: userAddress(world, 2) }),
      (record, value) => [record.to, record.targetAddress].includes(value),
    ],
    [
      'to',
      (world) => ({ to: world.contracts.bridge }),
      (record, value) => [record.to, record.targetAddress].includes(value),
    ],
    [
      'tokenContractAddress',
      (world) => ({ tokenContractAddress: world.tokens[0]?.address ?? '' }),
      (record, value) => record.tokenContractAddress === value,
    ],
    ['address', () => ({ address: `0x${'9'.repeat(40)}` }), () => false],
  ]

  test.each(filters)(
    '%s finds what a look at every record finds, in its order',
    async (name, query, matches) => {
      await using sandbox = await startStepped(eventful)
      for (const ms of [0, 700, 5_000, 60_000]) {
        sandbox.step(ms)
        const world = sandbox.sandbox.look()
        const value = query(world)[name] as string
        const expected = listed(world).filter((record) => matches(record, value))
        expect((await e3(sandbox, query(world))).map(identity)).toEqual(expected.map(identity))
      }
    },
  )

  test('two names, and names within heights, find what both say', async () => {
    await using sandbox = await startStepped(eventful)
    const world = sandbox.sandbox.look()
    const [address, token] = [userAddress(world, 0), world.tokens[0]?.address ?? '']
    const both = listed(world).filter(
      (record) =>
        [record.sourceAddress, record.targetAddress].includes(address) &&
        record.tokenContractAddress === token,
    )
    expect(both.length).toBeGreaterThan(2)
    expect((await e3(sandbox, { address, tokenContractAddress: token })).map(identity)).toEqual(
      both.map(identity),
    )
    const heights = both.map((record) => Number(record.zoneBlockHeight)).filter((height) => height > 0)
    const [from, to] = [Math.min(...heights), Math.max(...heights) - 1]
    const within = both.filter((record) => {
      const height = Number(record.zoneBlockHeight)
      return height >= from && height <= to
    })
    const query = {
      address,
      tokenContractAddress: token,
      startBlockHeight: `${from}`,
      endBlockHeight: `${to}`,
    }
    expect((await e3(sandbox, query)).map(identity)).toEqual(within.map(identity))
  })

  test.each([
    ['zone', (record: CrossRecord) => [record.zoneBlockHeight]],
    ['main', (record: CrossRecord) => [record.mainBlockHeight]],
    ['either', (record: CrossRecord) => [record.zoneBlockHeight, record.mainBlockHeight]],
    ['push', (record: CrossRecord) => [record.blockHeight]],
  ])('heights that mean %s find the records of that chain in the range', async (meant, heightsOf) => {
    await using sandbox = await startStepped(`${eventful}answers: { heights: ${meant} }\n`)
    for (const ms of [0, 300, 900, 3_000]) {
      sandbox.step(ms)
      const records = listed(sandbox.sandbox.look())
      const known = records
        .flatMap(heightsOf)
        .filter((height) => height !== '')
        .map(Number)
      const from = Math.round((Math.min(...known) + 3 * Math.max(...known)) / 4)
      const to = Math.max(...known) - 2
      const expected = records.filter((record) =>
        heightsOf(record).some((height) => height !== '' && Number(height) >= from && Number(height) <= to),
      )
      expect(expected.length).toBeGreaterThan(2)
      const found = await e3(sandbox, { startBlockHeight: `${from}`, endBlockHeight: `${to}` })
      expect(found.map(identity)).toEqual(expected.map(identity))
    }
  })
})

describe('lists of the main chain', () => {
  const everyTransaction = (world: World): MainTransaction[] => {
    const found: MainTransaction[] = []
    for (let height = mainHead(world); height >= mainGenesis(world); height -= 1)
      found.push(...mainTransactions(world, height).toReversed())
    return found
  }
  const hashesOf = (rows: Record<string, unknown>[]) => rows.map((row) => row.txId ?? row.txid)
  const paged = (sandbox: SteppedSandbox, path: string, query: Record<string, string>, limit: number) =>
    everyRow(async (page) => {
      const { data } = await sandbox.main(path, { limit: `${limit}`, page, ...query })
      const rows = Object.values(data[0] ?? {}).find((value) => Array.isArray(value))
      return (rows ?? []) as Record<string, unknown>[]
    }, limit)

  test('E6 and E10 give the transactions of an address, also those of blocks that came after the first answer', async () => {
    await using sandbox = await startStepped(eventful)
    for (const ms of [0, 1_000, 30_000]) {
      sandbox.step(ms)
      const world = sandbox.sandbox.look()
      const { bridge, relayer, poster, owner } = world.contracts
      for (const address of [userAddress(world, 0), userAddress(world, 11), bridge, relayer, poster, owner]) {
        const expected = everyTransaction(world).filter(({ from, to }) => from === address || to === address)
        const e6 = await paged(sandbox, 'address/transaction-list', { address }, 50)
        expect(hashesOf(e6)).toEqual(expected.map(({ hash }) => hash))
        const range = {
          startBlockHeight: `${mainGenesis(world)}`,
          endBlockHeight: `${mainGenesis(world) + 9_000}`,
        }
        const e10 = await paged(sandbox, 'address/normal-transaction-list-multi', { address, ...range }, 100)
        expect(hashesOf(e10)).toEqual(expected.map(({ hash }) => hash))
      }
    }
  })

  test('E1 gives every movement of a token, and counts them without making their blocks', async () => {
    await using sandbox = await startStepped(eventful)
    for (const ms of [0, 20_000]) {
      sandbox.step(ms)
      const world = sandbox.sandbox.look()
      for (const { address } of world.tokens) {
        const expected = everyTransaction(world).flatMap(({ hash, moves }) =>
          moves.filter((move) => move.token === address).map(() => hash),
        )
        const rows = await paged(sandbox, 'token/transaction-list', { tokenContractAddress: address }, 50)
        expect(hashesOf(rows)).toEqual(expected)
      }
    }
  })

  test('E8 gives the internal calls of an address, E18 and E20 the logs of a contract', async () => {
    await using sandbox = await startStepped(eventful)
    const world = sandbox.sandbox.look()
    const { bridge } = world.contracts
    const all = everyTransaction(world)
    const calls = all.flatMap(({ hash, internals }) =>
      internals.filter(({ from, to }) => from === bridge || to === bridge).map(() => hash),
    )
    const internals = await paged(sandbox, 'address/internal-transaction-list', { address: bridge }, 50)
    expect(hashesOf(internals)).toEqual(calls)
    const logs = all
      .toReversed()
      .filter(({ failed }) => !failed)
      .flatMap((transaction) => transaction.logs.map((log) => ({ hash: transaction.hash, log })))
      .filter(({ log }) => log.address === bridge)
    const e20 = await sandbox.main('log/by-address', { address: bridge })
    expect(hashesOf(e20.data)).toEqual(logs.slice(0, 1_000).map(({ hash }) => hash))
    for (const topic of new Set(logs.map(({ log }) => log.topics[0] as string))) {
      const e18 = await sandbox.main('log/by-address-and-topic', { address: bridge, topic0: topic })
      const expected = logs.filter(({ log }) => log.topics[0] === topic).slice(0, 1_000)
      expect(hashesOf(e18.data)).toEqual(expected.map(({ hash }) => hash))
    }
  })

  test('a range that begins beyond the head holds its blocks once they are there, and none below it', async () => {
    await using sandbox = await startStepped(eventful)
    const head = mainHead(sandbox.sandbox.look())
    const range = { startBlockHeight: `${head + 5}`, endBlockHeight: `${head + 8}` }
    expect((await sandbox.main('block/transaction-list-multi', range)).data).toEqual([])
    sandbox.step(20_000)
    const rows = await paged(sandbox, 'block/transaction-list-multi', range, 100)
    expect([...new Set(rows.map((row) => Number(row.height)))]).toEqual([
      head + 8,
      head + 7,
      head + 6,
      head + 5,
    ])
  })
})
