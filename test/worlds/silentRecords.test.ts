import { describe, expect, test } from 'vitest'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld, type EscrowWorldOptions } from '../support/escrowWorld.ts'
import type { WireRecord } from '../support/fakeExplorer.ts'

// What a record does not say, the zone's own transaction does.

const second = 1_000
const items = `0x${'1155'.repeat(10)}`
const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: drift, on: escrow.drift, where: "facts.direction == 'out'", severity: critical }
  - { name: unjudged, on: escrow.unjudged, severity: warning }
`

interface Payout {
  readonly amount: string
  readonly moved?: string
  readonly id?: string
  readonly movedId?: string
  readonly record?: WireRecord
  readonly zone?: WireRecord
}

/** A withdrawal of a token with or without ids, with what its zone transaction says and what moved. */
function pay(
  world: Pick<EscrowWorld, 'transact' | 'zone' | 'withdraw' | 'fake' | 'now'>,
  n: number,
  of: Payout,
): void {
  const { amount, moved = amount, id = '', movedId = id, record, zone } = of
  const decimals = id === '' ? 6 : 0
  const raw = `${amount}${'0'.repeat(decimals)}`
  const address = id === '' ? token : items
  const hash = world.transact({
    moves: [
      {
        token: address,
        decimals,
        from: escrow,
        to: user(n),
        amount: moved,
        ...(movedId !== '' && { tokenId: movedId }),
      },
    ],
  })
  const zoneTxHash = `0x${n.toString(16).padStart(64, 'a')}`
  const action = { type: 'withdraw', qty: raw, receiver: user(n), ...(id !== '' && { piece: id }) }
  world.zone(zoneTxHash, { value: amount, valueRaw: raw, actionData: JSON.stringify(action), ...zone })
  world.withdraw(n, {
    zoneTxHash,
    mainTxHash: hash,
    mainBlockHeight: String(world.fake.mainHead()),
    mainBlockTime: String(world.now()),
    tokenContractAddress: address,
    tokenType: id === '' ? 'ERC20' : 'ERC1155',
    tokenId: id,
    value: amount,
    valueRaw: raw,
    ...record,
  })
}

const watched = {
  escrows: [token, items].map((one) => ({ address: escrow, token: one, baseline: null })),
}
const unwatched = { escrows: [], contracts: [] }
/** The one that is configured holds another token. */
const elsewhere = { escrows: [{ address: user(9_000), token: user(9_001), baseline: null }], contracts: [] }

async function start(bridge: EscrowWorldOptions['bridge'] = watched): Promise<EscrowWorld> {
  const world = await createEscrowWorld({
    rules,
    bridge: {
      tokens: [
        { address: token, symbol: 'USDC', decimals: 6 },
        { address: items, symbol: 'ITEM', decimals: 0 },
      ],
      ...bridge,
    },
    prepare(bare) {
      for (let n = 1; n <= 6; n += 1) {
        pay(bare, n, { amount: String(100 + n) })
        pay(bare, 10 + n, { amount: String(2 + n), id: String(40 + n) })
      }
    },
  })
  await world.pass(150 * second)
  expect(world.told()).toEqual([])
  return world
}

const noAmount = { value: '', valueRaw: '' }
const told = (world: EscrowWorld) => [
  ...world
    .told('transfer.mismatch')
    .map(({ facts }) => `${String(facts['what'])}: ${String(facts['found'])}`),
  ...world
    .conditions()
    .filter(({ kind }) => kind === 'escrow.drift')
    .map(({ facts }) => `drift: ${String(facts['amount'])}`),
]

describe('a record that names no amount or no token id', () => {
  test('is judged by what its zone transaction says', async () => {
    const world = await start()
    pay(world, 100, { amount: '12', moved: '12000', record: noAmount })
    pay(world, 101, { amount: '3', id: '45', movedId: '999', record: { tokenId: '' } })
    pay(world, 102, { amount: '2', moved: '70', id: '46', record: noAmount })
    await world.until(() => new Set(told(world)).size >= 6, 'all that there is to tell')
    expect(new Set(told(world))).toEqual(
      new Set(['amount: 12000', 'tokenId: 999', 'amount: 70', 'drift: 11988', 'drift: 3', 'drift: 68']),
    )
  })

  test('is none to tell of where that fits', async () => {
    const world = await start()
    pay(world, 100, { amount: '12', record: noAmount })
    pay(world, 101, { amount: '3', id: '45', record: { tokenId: '' } })
    pay(world, 102, { amount: '2', id: '46', record: { ...noAmount, tokenId: '' } })
    await world.pass(240 * second)
    expect(told(world)).toEqual([])
  })

  test.each([
    ['with escrows', watched],
    ['without a word of the configuration on them', unwatched],
    ['with one of another token', elsewhere],
  ])(
    'is told as not judged, once for all of one cause, where its zone transaction says nothing either: %s',
    async (_, bridge) => {
      const world = await start(bridge)
      const noAction = { value: '', valueRaw: '', actionData: '' }
      const hashes = [100, 101].map((n) => {
        pay(world, n, { amount: '12', moved: '12000', record: noAmount, zone: noAction })
        return world.fake.records[0]?.['mainTxHash']
      })
      pay(world, 102, { amount: '3', id: '45', movedId: '999', record: { tokenId: '' }, zone: noAction })
      const unjudged = () => world.conditions().filter(({ kind }) => kind === 'escrow.unjudged')
      await world.until(() => unjudged().length === 2, 'what is not judged')
      await world.pass(60 * second)
      expect(unjudged().map(({ severity, facts }) => [severity, facts['lacks'], facts['sum']])).toEqual([
        ['warning', 'amount', '2 movements, 24,000 USDC'],
        ['warning', 'token id', '1 movement, 3 ITEM'],
      ])
      expect(new Set(String(unjudged()[0]?.facts['hashes']).split(', '))).toEqual(new Set(hashes))
      expect(told(world)).toEqual([])
    },
  )

  test('is none to tell of without escrows either, where its zone transaction says it', async () => {
    const world = await start(unwatched)
    pay(world, 100, { amount: '12', record: noAmount })
    pay(world, 101, { amount: '3', id: '45', record: { tokenId: '' } })
    await world.pass(240 * second)
    expect(world.conditions().filter(({ kind }) => kind === 'escrow.unjudged')).toEqual([])
  })

  test('is no longer told of once it names its amount', async () => {
    const world = await start(unwatched)
    pay(world, 100, {
      amount: '12',
      record: noAmount,
      zone: { value: '', valueRaw: '', actionData: '' },
    })
    const states = () => world.conditions().map(({ kind, state }) => `${kind} ${state}`)
    await world.until(() => states().includes('escrow.unjudged firing'), 'what is not judged')
    const [record] = world.fake.records
    world.fake.records[0] = { ...record, value: '12', valueRaw: '12000000' }
    await world.until(() => states().includes('escrow.unjudged resolved'), 'its end')
  })
})
