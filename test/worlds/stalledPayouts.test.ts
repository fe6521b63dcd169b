import { expect, test } from 'vitest'
import { createBridgeWorld, escrow, token, user } from '../support/bridgeWorld.ts'

const minute = 60_000
const rules = `
rules:
  - { name: stalled, on: transfer.stalled, with: { after: 10m }, severity: warning }
`

test.each([
  { payout: 'failed on chain', isFailed: true, isThere: true, told: 1 },
  { payout: 'is not there', isFailed: false, isThere: false, told: 1 },
  { payout: 'paid', isFailed: false, isThere: true, told: 0 },
])(
  'a withdrawal whose record has no status and names a payout that $payout is told as late $told times',
  async ({ isFailed, isThere, told }) => {
    const world = await createBridgeWorld({
      rules,
      prepare(bare) {
        for (let n = 0; n < 10; n += 1) bare.withdraw(n)
      },
    })
    const mainTxHash = `0x${'3a'.repeat(32)}`
    const height = world.fake.mainHead()
    const moves = isFailed ? [] : [{ token, from: escrow, to: user(60), amount: '160' }]
    world.main(mainTxHash, { moves, isFailed, from: user(1), to: escrow, height, time: world.now() })
    world.withdraw(60, {
      zoneBlockTime: String(world.now()),
      mainTxHash,
      mainBlockHeight: String(height),
      mainBlockTime: String(world.now()),
      status: '',
    })
    if (!isThere) world.chain.transactions.delete(mainTxHash)
    await world.pass(14 * minute)
    expect(world.monitor.told().filter((text) => text.includes('has not arrived after'))).toHaveLength(told)
  },
)
