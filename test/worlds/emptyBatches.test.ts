import { describe, expect, test } from 'vitest'
import { createBridgeWorld, escrow, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld } from '../support/escrowWorld.ts'

const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unresolved, on: batch.unresolved, severity: warning }
  - { name: batch, on: batch.mismatch, severity: critical }
`
type Paid = readonly { readonly to: string; readonly amount: string }[]

/** A batch of 105 units that names no items, beside honest withdrawals, and what its main transaction paid. */
async function tell(batchDetail: string, paid: Paid) {
  const world = await createBridgeWorld({ rules })
  for (let n = 20; n < 24; n += 1) world.withdraw(n)
  const record = world.withdraw(5, { crossType: 'BatchWithdraw', batchDetail })
  world.main(record['mainTxHash'] ?? '', { moves: paid.map((one) => ({ token, from: escrow, ...one })) })
  await world.pass(180_000)
  const evidence = world.monitor.app.parts.ledger.listTransfers({
    hash: record['mainTxHash'] ?? '',
    limit: 1,
  })
  return {
    kinds: world.told().map(({ kind }) => kind),
    legs: evidence[0]?.evidence.map(({ chain }) => chain),
  }
}

describe.each(['', '[]'])('a batch whose detail is %j', (batchDetail) => {
  test.each<[string, Paid]>([
    ['to its recipient', [{ to: user(5), amount: '105' }]],
    [
      'to its recipient and others together',
      [
        { to: user(5), amount: '100' },
        { to: user(6), amount: '5' },
      ],
    ],
  ])('is silent when its main transaction paid it %s', async (_, paid) => {
    const { kinds, legs } = await tell(batchDetail, paid)
    expect(kinds).toEqual([])
    // Silent because it was asked of, not because it was not.
    expect(legs).toContain('main')
  })

  test.each<[string, Paid]>([
    ['less', [{ to: user(5), amount: '104.999999' }]],
    ['nothing', []],
    ['somebody else', [{ to: user(9), amount: '105' }]],
  ])('is told when it paid %s', async (_, paid) => {
    expect((await tell(batchDetail, paid)).kinds).not.toEqual([])
  })
})

test('what left an escrow for a batch that names neither amount nor items is told as not judged', async () => {
  const world = await createEscrowWorld({})
  await world.pass(60_000)
  const hash = world.transact({ moves: [{ token, from: escrow, to: user(5), amount: '105000' }] })
  const noAmount = { value: '', valueRaw: '' }
  const times = { zoneBlockTime: String(world.now() - 20_000), mainBlockTime: String(world.now()) }
  world.withdraw(5, { ...noAmount, ...times, crossType: 'BatchWithdraw', mainTxHash: hash })
  await world.until(() => world.conditions().some(({ kind }) => kind === 'escrow.unjudged'), 'what left')
  const unjudged = world.conditions().filter(({ kind }) => kind === 'escrow.unjudged')
  expect(unjudged.map(({ facts }) => [facts['lacks'], facts['sum']])).toEqual([
    ['amount', '1 movement, 105,000 USDC'],
  ])
})
