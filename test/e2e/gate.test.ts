import { expect, test } from 'vitest'
import { otherToken, token, user } from '../support/bridgeWorld.ts'
import { codes, leave, minute, openGate, second, unpaid } from '../support/gateWorld.ts'

test('a withdrawal waits until it is proven, is clear, and is suspect once it was paid', async () => {
  const world = await openGate()
  const hash = await leave(world, 20, unpaid)
  await world.pass(10 * second)
  const early = await world.ask(hash)
  expect([early.verdict, codes(early)]).toEqual(['wait', expect.arrayContaining(['wait unproven'])])
  await world.pass(2 * minute)
  const later = await world.ask(hash)
  expect([later.verdict, codes(later)]).toEqual(['clear', []])
  expect(later.questions.map(({ answer }) => answer)).toEqual(later.questions.map(() => 'yes'))
  expect(world.now() - (later.horizon.unpaidUntil ?? 0)).toBeLessThan(2 * minute)
  expect((await world.get(hash)).headers.get('cache-control')).toBe('no-store')
  const record = world.fake.records[0] ?? {}
  world.fake.records[0] = {
    ...record,
    mainTxHash: `0x${'77'.repeat(32)}`,
    mainBlockHeight: String(world.fake.mainHead()),
    mainBlockTime: String(world.now()),
  }
  await world.pass(20 * second)
  const paid = await world.ask(hash)
  expect([paid.verdict, codes(paid)]).toEqual(['suspect', expect.arrayContaining(['suspect paid'])])
  expect(paid.transfers[0]?.payouts.map((one) => one.hash)).toEqual([`0x${'77'.repeat(32)}`])
})

test('what is to be paid has to be what the ledger holds', async () => {
  const world = await openGate()
  const hash = await leave(world, 20, unpaid)
  await world.pass(2 * minute)
  const honest = `?token=${token}&amount=120&amountRaw=120000000&recipient=${user(20)}`
  const said = await world.ask(hash, honest)
  expect([said.verdict, said.compared]).toEqual(['clear', ['token', 'amount', 'amountRaw', 'recipient']])
  for (const [query, code] of [
    [`?token=${otherToken}`, 'suspect other_token'],
    ['?token=native', 'suspect other_token'],
    ['?amount=120000', 'suspect other_amount'],
    ['?amountRaw=120000001', 'suspect other_amount'],
    [`?recipient=${user(21)}`, 'suspect other_recipient'],
  ] as const)
    expect(codes(await world.ask(hash, query))).toEqual([code])
  expect((await world.get(hash, '?amount=lots')).status).toBe(400)
})
