import { expect, test } from 'vitest'
import { escrow, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld } from '../support/escrowWorld.ts'

// Records of ERC-721 name no id: what the zone took is set beside what the main chain moved. No other token of the bridge has ids.

const minute = 60_000
const nft = `0x${'9f'.repeat(20)}`

/** A withdrawal of which the zone took one token, and the escrow paid that or another one. */
function withdraw(world: EscrowWorld, n: number, paid: string): void {
  const [at, height] = [String(world.now()), String(world.fake.mainHead())]
  const moves = [
    { token: nft, from: escrow, to: user(n), amount: '1', tokenId: paid, standard: 'ERC721' as const },
  ]
  const zoneTxHash = `0x${n.toString(16).padStart(64, '5')}`
  const action = { type: 'withdraw', to: user(n), tokenId: String(n), token: nft, amount: '1' }
  world.zone(zoneTxHash, { value: '1', valueRaw: '1', blockTime: at, actionData: JSON.stringify(action) })
  world.withdraw(n, {
    mainTxHash: world.transact({ moves }),
    mainBlockHeight: height,
    mainBlockTime: at,
    zoneTxHash,
    zoneBlockTime: at,
    tokenContractAddress: nft,
    tokenType: 'ERC721',
    tokenId: '',
    value: '1',
    valueRaw: '1',
  })
}

test('a withdrawal paid with another token of its collection is told, though no record names one (semantics 47)', async () => {
  const world = await createEscrowWorld({
    bridge: {
      tokens: [{ address: nft, symbol: 'NFT', decimals: 0 }],
      escrows: [{ address: escrow, token: nft, baseline: null }],
    },
  })
  for (let n = 70; n < 76; n += 1) withdraw(world, n, String(n))
  await world.pass(3 * minute)
  expect(world.told('transfer.mismatch')).toEqual([])
  withdraw(world, 80, '9')
  await world.until(() => world.told('transfer.mismatch').length > 0, 'the other token')
  expect(world.told('transfer.mismatch')).toMatchObject([
    { facts: { what: 'tokenId', leg: 'main', found: '9', expected: '80' } },
  ])
  expect(world.monitor.told().join('\n')).toContain('token id is 9 on the main chain, 80 in the record')
}, 200_000)
