import type { Hex } from 'viem'
import { encodeAbiParameters, encodeEventTopics, parseAbi } from 'viem/utils'
import { expect, test } from 'vitest'
import { type BridgeWorld, calmPoll, createBridgeWorld, token, user } from '../support/bridgeWorld.ts'
import { send, type WireRecord } from '../support/fakeExplorer.ts'

// Attacks on what is learned of a bridge's events, each through the whole daemon: semantics.md 48. The shipped rules judge.

const bridge = `0x${'b1'.repeat(20)}`
const topic = `0x${'9a'.repeat(32)}`
const thief = 66
const zeroAddress = `0x${'0'.repeat(40)}` as const
const zeroHash = `0x${'0'.repeat(64)}` as const
const word = (hex: string) => hex.replace('0x', '').padStart(64, '0')
const number = (n: bigint | number) => word(BigInt(n).toString(16))

interface Said {
  readonly to: string
  readonly raw: bigint
}

/** Where an event holds its parts; an upgrade may change it. */
type Layout = (said: Said, zoneHash: string) => string
const before: Layout = ({ to, raw }, zoneHash) => word(zoneHash) + word(to) + word(token) + number(raw)
const after: Layout = ({ to, raw }, zoneHash) =>
  number(7) + word(token) + number(raw) + word(to) + word(zoneHash)

type Bare = Pick<BridgeWorld, 'withdraw' | 'main' | 'fake' | 'now'>

/** A withdrawal to `user(to)` with its event, which may say otherwise than its record. */
function pay(
  world: Bare,
  n: number,
  {
    to = n,
    said = {},
    layout = before,
    emits = true,
  }: { to?: number; said?: Partial<Said>; layout?: Layout; emits?: boolean } = {},
): WireRecord {
  const height = String(world.fake.mainHead() - 40 + (n % 30))
  const record = world.withdraw(n, {
    targetAddress: user(to),
    sourceAddress: user(to),
    mainBlockHeight: height,
  })
  const raw = BigInt(record['valueRaw'] ?? 0)
  if (emits) emit(world, record, layout({ to: user(to), raw, ...said }, record['zoneTxHash'] ?? ''))
  return record
}

function emit({ fake, now }: Bare, record: WireRecord, data: string, first = topic) {
  fake.logs.push({
    height: record['mainBlockHeight'] ?? '',
    address: bridge,
    topics: [first],
    data: `0x${data.replace('0x', '')}`,
    txId: record['mainTxHash'] ?? '',
    transactionTime: String(now() - 10_000),
    logIndex: String(fake.logs.length),
  })
}

/** A payout to the thief that the list hides and the zone knows nothing of: its event alone tells of it. */
function steal(world: Bare, layout = before): string {
  return hide(world, pay(world, 900, { to: thief, layout }))
}

function hide({ fake }: Bare, record: WireRecord): string {
  fake.records.splice(fake.records.indexOf(record), 1)
  fake.zoneTransactions.delete(record['zoneTxHash'] ?? '')
  return record['mainTxHash'] ?? ''
}

/** What is said of the bridge, and not of its traffic or of this API. */
const isJudgement = (kind: unknown) =>
  /^(transfer|batch|contract|escrow)\./.test(String(kind)) && kind !== 'transfer.large'

async function start(prepare: (world: Bare) => void) {
  const world = await createBridgeWorld({
    bridge: { contracts: [bridge] },
    config: { poll: calmPoll },
    prepare,
  })
  await world.pass(90_000)
  const { db, ledger } = world.monitor.app.parts
  return {
    ...world,
    alerts: () =>
      db
        .prepare("SELECT kind, severity, subject FROM alerts WHERE severity <> 'info'")
        .all()
        .filter(({ kind }) => isJudgement(kind))
        .map(({ kind, severity, subject }) => {
          const main = ledger.getTransfer(String(subject))?.main?.hash ?? ''
          return `${String(severity)} ${String(kind)} ${main}`.trim()
        }),
  }
}

test('a payout that the list hides is told though one of thirty was overpaid and one kept a fee', async () => {
  const world = await start((bare) => {
    for (let n = 0; n < 30; n += 1)
      pay(
        bare,
        n,
        n === 3 ? { said: { raw: 999_000_000n } } : n === 17 ? { said: { raw: 116_000_000n } } : {},
      )
  })
  const hash = steal(world)
  await world.pass(150_000)
  expect(world.alerts()).toContain(`critical transfer.unbacked ${hash}`)
})

test('a payout that the list hides is told on a bridge with three withdrawals', async () => {
  const world = await start((bare) => {
    for (let n = 0; n < 3; n += 1) pay(bare, n)
  })
  const hash = steal(world)
  await world.pass(150_000)
  expect(world.alerts()).toEqual([`critical transfer.unbacked ${hash}`])
})

test('a payout that the list hides is told though its thief made 41 withdrawals that say otherwise', async () => {
  const world = await start((bare) => {
    for (let n = 0; n < 12; n += 1) pay(bare, n)
    for (let n = 100; n < 141; n += 1) pay(bare, n, { to: thief, said: { to: user(n), raw: 1n } })
  })
  const hash = steal(world)
  await world.pass(150_000)
  expect(world.alerts()).toContain(`critical transfer.unbacked ${hash}`)
})

test('an event that an upgrade lays out anew is learned anew: that is told, and no honest payout', async () => {
  const world = await start((bare) => {
    for (let n = 0; n < 12; n += 1) pay(bare, n)
  })
  for (let n = 200; n < 208; n += 1) pay(world, n, { layout: after })
  await world.pass(90_000)
  expect(world.alerts()).toEqual(['warning contract.changed'])
  const hash = steal(world, after)
  await world.pass(150_000)
  expect(world.alerts()).toEqual(['warning contract.changed', `critical transfer.unbacked ${hash}`])
})

test('an event that only its verified ABI tells how to read is learned by its names', async () => {
  const abi = parseAbi([
    'struct Order { bytes memo; address to; uint256 amount; bytes32 origin }',
    'event Settled(Order[][] rounds)',
  ])
  const [settledTopic] = encodeEventTopics({ abi, eventName: 'Settled' })
  // Notes of any length stand before and behind what counts, and before what points to it.
  const memo = (n: number): Hex => `0x${'ab'.repeat((n * 37) % 90)}`
  const settle = (world: Bare, n: number) => {
    const record = pay(world, n, { emits: false })
    const other = (of: number) => ({ memo: memo(of), to: zeroAddress, amount: 0n, origin: zeroHash })
    const own = {
      memo: memo(n),
      to: toHex(record['targetAddress']),
      amount: BigInt(record['valueRaw'] ?? 0),
      origin: toHex(record['zoneTxHash']),
    }
    emit(
      world,
      record,
      encodeAbiParameters(abi[0].inputs, [[[other(n + 1)], [other(3 * n + 2), own]]]),
      settledTopic,
    )
    return record
  }
  const world = await start((bare) => {
    const before = bare.fake.intercept
    bare.fake.intercept = (request, response) => {
      if (!request.path.endsWith('/contract/verify-contract-info')) return before(request, response)
      const isProxy = request.query.get('contractAddress') === bridge
      const verified = {
        sourceCode: 'contract',
        contractName: isProxy ? 'Proxy' : 'Bridge',
        compilerVersion: 'v0.8.30',
        contractAbi: isProxy ? '[]' : JSON.stringify(abi),
        proxy: isProxy ? '1' : '0',
        implementation: isProxy ? `0x${'1b'.repeat(20)}` : '',
        libraryInfo: [],
      }
      send(response, 200, { code: '0', msg: '', data: [verified] })
      return true
    }
    for (let n = 0; n < 6; n += 1) settle(bare, n)
  })
  const hidden = settle(world, 900)
  hide(world, hidden)
  await world.pass(150_000)
  expect(world.alerts()).toEqual([`critical transfer.unbacked ${hidden['mainTxHash']}`])
  const { ledger } = world.monitor.app.parts
  expect(ledger.listTransfers({ hash: hidden['mainTxHash'] ?? '', limit: 5 })).toMatchObject([
    { targetAddress: hidden['targetAddress'], amountRaw: BigInt(hidden['valueRaw'] ?? 0) },
  ])
})

const toHex = (text = ''): Hex => `0x${text.slice(2)}`
