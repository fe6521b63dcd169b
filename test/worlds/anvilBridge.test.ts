import { describe, expect, test } from 'vitest'
import { listEscrowTokens, readEscrowToken } from '../../src/checks/escrow/owed/owedStore.ts'
import { readCompared } from '../../src/checks/escrow/supply/supplyStore.ts'
import { listEveryAnswer } from '../support/everyAnswer.ts'
import { hasAnvil } from '../support/anvil.ts'
import { type AnvilBridge, startAnvilBridge } from '../support/anvilBridge/world.ts'

// No simulation: Solidity contracts on two EVM nodes, and an explorer that knows only their blocks. What is stolen is
// stolen by transactions.

const minute = 60_000
const stolen = 777_000_001n
const forged = `0x${'ab'.repeat(32)}`

/** Money in both directions, some of it to others than who sends it, several in one block. */
async function carry(bridge: AnvilBridge) {
  const { ann, bob } = bridge.people
  await Promise.all([
    bridge.deposit(ann, ann, 5_000_000_000n),
    bridge.deposit(ann, bob, 250_500_000n),
    bridge.deposit(bob, bob, 1n),
    bridge.withdraw(bob, bob, 1_200_000_001n),
    bridge.withdraw(ann, bob, 30_000_000n),
  ])
  await bridge.pass(2 * minute)
}

/** A bridge that has carried something, of which nothing was told. */
async function startCarrying(): Promise<AnvilBridge> {
  const bridge = await startAnvilBridge()
  await carry(bridge)
  expect(bridge.told()).toEqual([])
  return bridge
}

/** The account that the daemon keeps of the one token, in base units. */
function readAccounts({ monitor }: AnvilBridge) {
  const { db } = monitor.app.parts
  const [{ token } = expect.fail('no token is watched')] = listEscrowTokens(db)
  return { escrow: readEscrowToken(db, token), supply: readCompared(db, token) }
}

const count = ({ monitor }: AnvilBridge, query: string) =>
  monitor.app.parts.db
    .prepare(query)
    .all()
    .map((row) => Object.values(row).map(String))

describe.runIf(hasAnvil())('a bridge of real contracts on two real nodes', () => {
  test('deposits and withdrawals are completed, proven by both nodes, and tell nothing', async () => {
    const bridge = await startCarrying()
    const { main, zone } = bridge.deployed
    await bridge.withdraw(bridge.people.bob, bridge.people.ann, 3_500_000_000n)
    const { thief } = bridge.people
    await expect(bridge.withdraw(thief, thief, stolen)).rejects.toThrow('withdraw was reverted')
    await expect(bridge.deposit(thief, thief, stolen)).rejects.toThrow('deposit was reverted')
    await bridge.pass(5 * minute)
    expect(bridge.told()).toEqual([])
    expect(count(bridge, 'SELECT state, count(*) FROM transfers GROUP BY 1')).toEqual([['completed', '8']])
    const proofs = listEveryAnswer(bridge.monitor.app.parts.db).filter(({ status }) => status === 'success')
    // Two of the payouts are one transaction.
    const bySource = Object.groupBy(proofs, ({ source }) => source)
    const counted = Object.fromEntries(Object.entries(bySource).map(([source, of]) => [source, of.length]))
    expect(counted).toEqual({ E13: 5, E9: 6, canonical: 5, zoneRpc: 6 })
    // What the daemon made of lists and logs is what the contracts say themselves.
    const held = await main.node.read(main.token, 'balanceOf', [main.escrow.address])
    expect(held).toBe(750_520_500_001n)
    expect(await zone.node.read(zone.token, 'totalSupply', [])).toBe(held)
    const { escrow, supply } = readAccounts(bridge)
    expect(escrow?.judged).toMatchObject({ owed: held, holdings: held, openOut: 0n })
    expect(supply?.judged).toMatchObject({ supply: held, claims: held, backing: held, excess: 0n })
    expect(supply?.comparisons).toBeGreaterThan(5)
    expect(supply?.excesses).toBe(0)
  })

  test('what is minted on the zone past its bridge is more than was locked, by just that much', async () => {
    const bridge = await startCarrying()
    const { node, token } = bridge.deployed.zone
    const { issuer, thief } = bridge.people
    const hash = await bridge.act(node, issuer, [token, 'mint', thief, stolen])
    await bridge.untilTold('supply.excess')
    await bridge.pass(3 * minute)
    const told = bridge.told()
    expect(told).toMatchObject([
      {
        kind: 'supply.excess',
        severity: 'critical',
        facts: { excess: '777.000001', token: 'USDX', zoneToken: token.address.toLowerCase() },
      },
    ])
    const { blockNumber } = await node.client.getTransactionReceipt({ hash })
    expect(told[0]?.facts['height']).toBeGreaterThanOrEqual(Number(blockNumber))
  })

  test('what the bridge credits on the zone for no deposit is told as that transaction', async () => {
    const bridge = await startCarrying()
    const { node, bridge: zoneBridge } = bridge.deployed.zone
    const { relayer, thief } = bridge.people
    const hash = await bridge.act(node, relayer, [zoneBridge, 'credit', forged, thief, stolen])
    await bridge.untilTold('transfer.unbacked', 'escrow.shortfall')
    await bridge.pass(3 * minute)
    expect(bridge.told()).toMatchObject([
      {
        kind: 'transfer.unbacked',
        severity: 'critical',
        transfer: { direction: 'MainToZone', amount: '777.000001', zone: { hash }, main: null },
      },
      { kind: 'escrow.shortfall', severity: 'critical', facts: { missing: '777.000001' } },
    ])
  })

  test('what the escrow pays for no withdrawal is told as that transaction', async () => {
    const bridge = await startCarrying()
    const { node, escrow } = bridge.deployed.main
    const { relayer, thief } = bridge.people
    const hash = await bridge.act(node, relayer, [
      escrow,
      'release',
      [{ withdrawal: forged, to: thief, amount: stolen }],
    ])
    await bridge.untilTold('transfer.unbacked', 'escrow.drift', 'escrow.shortfall')
    await bridge.pass(3 * minute)
    expect(bridge.told()).toMatchObject([
      {
        kind: 'transfer.unbacked',
        severity: 'critical',
        transfer: { direction: 'ZoneToMain', amount: '777.000001', main: { hash }, zone: null },
      },
      { kind: 'escrow.drift', severity: 'critical', facts: { amount: '777.000001', mainTxHash: hash } },
      { kind: 'escrow.shortfall', severity: 'critical', facts: { missing: '777.000001' } },
    ])
  })

  test('what the owner takes out of the escrow without an event is told as that transaction', async () => {
    const bridge = await startCarrying()
    const { node, escrow } = bridge.deployed.main
    const { admin, thief } = bridge.people
    const hash = await bridge.act(node, admin, [escrow, 'sweep', thief, stolen])
    await bridge.untilTold('escrow.drift', 'escrow.shortfall')
    await bridge.pass(3 * minute)
    expect(bridge.told()).toMatchObject([
      {
        kind: 'escrow.drift',
        severity: 'critical',
        facts: {
          direction: 'out',
          amount: '777.000001',
          mainTxHash: hash,
          party: thief.toLowerCase(),
          reason: 'no transfer is known',
        },
      },
      { kind: 'escrow.shortfall', severity: 'critical', facts: { missing: '777.000001' } },
    ])
  })

  test('an upgrade of the proxy is told once, and what it carries after that is not', async () => {
    const bridge = await startCarrying()
    const { node, escrow, later } = bridge.deployed.main
    const hash = await bridge.act(node, bridge.people.admin, [escrow, 'upgradeTo', later.address])
    expect(await node.read({ ...later, address: escrow.address }, 'version', [])).toBe(2n)
    await bridge.untilTold('contract.changed')
    await carry(bridge)
    await bridge.pass(3 * minute)
    expect(bridge.told()).toMatchObject([
      {
        kind: 'contract.changed',
        severity: 'critical',
        facts: { group: 'upgrade', after: later.address.toLowerCase(), txHash: hash },
      },
    ])
  })

  test('what made the proxy an hour before a first start is no change of it, an upgrade since then is', async () => {
    const bridge = await startAnvilBridge(60 * minute)
    const { node, escrow, later } = bridge.deployed.main
    const changes = () => bridge.told().filter(({ kind }) => kind === 'contract.changed')
    await carry(bridge)
    expect(changes()).toEqual([])
    const hash = await bridge.act(node, bridge.people.admin, [escrow, 'upgradeTo', later.address])
    await bridge.untilTold('contract.changed')
    await bridge.pass(minute)
    expect(changes()).toMatchObject([{ facts: { group: 'upgrade', txHash: hash } }])
  })

  test('a reorganisation that puts transactions into other blocks is told as that alone', async () => {
    const bridge = await startCarrying()
    const { ann } = bridge.people
    await bridge.deposit(ann, ann, 1_000_000n)
    await bridge.pass(20_000)
    await bridge.deployed.main.node.reorganise(8)
    await bridge.untilTold('chain.reorg')
    await bridge.pass(10 * minute)
    expect(bridge.told()).toMatchObject([{ kind: 'chain.reorg', facts: { source: 'canonical' } }])
  })

  test('a deposit that a reorganisation takes away after it was credited is told as that transaction', async () => {
    const bridge = await startCarrying()
    const { node } = bridge.deployed.main
    const { thief, ann } = bridge.people
    const hash = await bridge.deposit(ann, thief, stolen)
    await bridge.pass(20_000)
    await node.reorganise(8, hash)
    await bridge.untilTold('chain.reorg', 'transfer.unbacked', 'escrow.shortfall')
    await bridge.pass(3 * minute)
    expect(bridge.told().toSorted((a, b) => a.kind.localeCompare(b.kind))).toMatchObject([
      { kind: 'chain.reorg' },
      { kind: 'escrow.shortfall', severity: 'critical', facts: { missing: '777.000001' } },
      {
        kind: 'transfer.unbacked',
        severity: 'critical',
        transfer: { direction: 'MainToZone', amount: '777.000001', main: { hash } },
        facts: { reason: 'absent' },
      },
    ])
  })
})
