import { expect, test } from 'vitest'
import { escrow, token } from '../support/bridgeWorld.ts'
import { createEscrowWorld } from '../support/escrowWorld.ts'
import { send } from '../support/fakeExplorer.ts'

// What is asked in doubt alone, of one transaction, keeps back no accusation when it does not answer (semantics.md 40).

const second = 1_000
const minute = 60 * second
const invented = `0x${'1e'.repeat(32)}`
const pace = { maxRequestsPerSecond: 4, concurrency: 8 }

const paths = {
  E14: /\/transaction-fills$/,
  E2: /\/token-transaction-detail$/,
  E21: /\/log\/by-transaction$/,
  E7: /\/block\/transaction-list-multi$/,
  E16: /\/internal-transaction-detail$/,
}
type Single = keyof typeof paths

const answers = {
  error: { status: 500, body: { code: '50026', msg: 'system error', data: [] } },
  empty: { status: 200, body: { code: '0', msg: '', data: [] } },
}

async function createDeadWorld(down: readonly Single[], how: keyof typeof answers) {
  const world = await createEscrowWorld({
    pace,
    prepare(bare) {
      for (let n = 0; n < 6; n += 1) bare.deposit(n, { amount: '250' })
      for (let n = 6; n < 9; n += 1) bare.withdraw(n)
      const before = bare.fake.intercept
      bare.fake.intercept = (request, response) => {
        if (!down.some((one) => paths[one].test(request.path))) return before(request, response)
        send(response, answers[how].status, answers[how].body)
        return true
      }
    },
  })
  await world.pass(2 * minute)
  const pay = (n: number, amount: string) => {
    const now = { mainBlockHeight: String(world.fake.mainHead()), mainBlockTime: String(world.now()) }
    const record = world.withdraw(n, { value: amount, valueRaw: `${amount}000000`, ...now })
    const moves = [{ token, from: escrow, to: record['targetAddress'] ?? '', amount }]
    world.main(record['mainTxHash'] ?? '', { height: world.fake.mainHead(), time: world.now(), moves })
    return record
  }
  return { ...world, pay }
}

type DeadWorld = Awaited<ReturnType<typeof createDeadWorld>>

const thefts: Readonly<Record<string, (world: DeadWorld) => unknown>> = {
  'a payout of an invented origin': ({ pay, fake }) =>
    fake.zoneTransactions.delete(pay(80, '900')['zoneTxHash'] ?? ''),
  'a credit of an invented deposit': ({ deposit }) =>
    deposit(80, { amount: '900', main: { moves: [] }, record: { mainTxHash: invented } }),
  'a credit of a deposit that moved nothing': ({ deposit }) =>
    deposit(80, { amount: '900', main: { moves: [] }, event: [900_000_000n] }),
}

const all: readonly Single[] = ['E14', 'E2', 'E21', 'E7', 'E16']

test.each(
  (['error', 'empty'] as const).flatMap((how) => [
    ['a payout of an invented origin', ['E14'], how] as const,
    ['a credit of an invented deposit', ['E21'], how] as const,
    ['a credit of an invented deposit', ['E2'], how] as const,
    ['a credit of a deposit that moved nothing', ['E7'], how] as const,
    ['a credit of a deposit that moved nothing', ['E16'], how] as const,
    ...Object.keys(thefts).map((theft) => [theft, all, how] as const),
  ]),
)(
  '%s is told while %s does not answer (%s)',
  async (theft, down, how) => {
    const world = await createDeadWorld(down, how)
    const doneAt = world.now()
    thefts[theft]?.(world)
    const accusations = () => [...world.told('transfer.unbacked'), ...world.told('transfer.mismatch')]
    await world.until(() => accusations().length > 0, theft)
    expect(world.now() - doneAt).toBeLessThan(5 * minute)
  },
  60_000,
)

test.each(['error', 'empty'] as const)(
  'honest payouts and deposits are silent while none of them answers (%s)',
  async (how) => {
    const world = await createDeadWorld(all, how)
    for (let n = 0; n < 20; n += 1) {
      if (n % 3 === 0) world.pay(100 + n, '2')
      else world.deposit(100 + n, n % 3 === 1 ? { amount: '50' } : { amount: '2', token: '', decimals: 18 })
      await world.pass(30 * second)
    }
    const kinds = ['transfer.unbacked', 'transfer.mismatch', 'transfer.duplicate', 'escrow.drift']
    expect(kinds.flatMap((kind) => world.told(kind))).toEqual([])
  },
  60_000,
)
