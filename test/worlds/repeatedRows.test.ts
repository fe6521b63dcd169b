import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld } from '../support/escrowWorld.ts'

// A row that a list gives twice is one movement; movements that are equal are as many as there were.

const second = 1_000
const minute = 60 * second
const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: duplicate, on: transfer.duplicate, severity: critical }
  - { name: drift, on: escrow.drift, severity: critical }
  - { name: shortfall, on: escrow.shortfall, severity: critical }
`

type Row = Readonly<Record<string, unknown>>

const lists = {
  'E6 and E8': /\/address\/(internal-)?transaction-list$/,
  E13: /\/token-transfer-multi$/,
  E15: /\/internal-transaction-multi$/,
  E21: /\/log\/by-transaction$/,
  E19: /\/log\/by-block-and-address$/,
}
type List = keyof typeof lists

/** Every row of an answer twice: of a list of rows, or of the page that it holds. */
function repeat(body: { readonly data?: readonly Row[] }) {
  const twice = (rows: readonly Row[]) => rows.flatMap((row) => [row, row])
  const [first] = body.data ?? []
  const place = Object.keys(first ?? {}).find((name) => name !== 'topics' && Array.isArray(first?.[name]))
  if (first === undefined || place === undefined) return { ...body, data: twice(body.data ?? []) }
  return { ...body, data: [{ ...first, [place]: twice(first[place] as Row[]) }] }
}

function repeatOnTheWay(response: ServerResponse): void {
  const end = response.end.bind(response)
  response.end = ((text: string) =>
    end(JSON.stringify(repeat(JSON.parse(text) as { data?: Row[] })))) as typeof response.end
}

interface Repeating extends EscrowWorld {
  readonly pay: (n: number, amount: string, of?: { native?: boolean; times?: number }) => void
  readonly losses: () => string[]
}

/** A bridge of a token and of native currency, of which some lists give every row twice. */
async function createRepeating(repeated: readonly List[]): Promise<Repeating> {
  const world = await createEscrowWorld({
    rules,
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    bridge: {
      escrows: [
        { address: escrow, token, baseline: null },
        { address: escrow, token: '', baseline: null },
      ],
    },
    prepare(bare) {
      for (let n = 0; n < 6; n += 1) bare.deposit(n, { amount: '250' })
      for (let n = 0; n < 3; n += 1) bare.deposit(10 + n, { amount: '3', token: '', decimals: 18 })
      const before = bare.fake.intercept
      bare.fake.intercept = (request, response) => {
        if (repeated.some((one) => lists[one].test(request.path))) repeatOnTheWay(response)
        return before(request, response)
      }
    },
  })
  await world.pass(2 * minute)
  const pay: Repeating['pay'] = (n, amount, { native = false, times = 1 } = {}) => {
    const now = { mainBlockHeight: String(world.fake.mainHead()), mainBlockTime: String(world.now()) }
    const raw = native ? `${amount}${'0'.repeat(18)}` : `${amount}000000`
    const record = world.withdraw(n, {
      value: amount,
      valueRaw: raw,
      ...now,
      ...(native && { tokenContractAddress: '', tokenType: '' }),
    })
    const to = record['targetAddress'] ?? ''
    const place = { height: world.fake.mainHead(), time: world.now() }
    world.main(record['mainTxHash'] ?? '', {
      ...place,
      ...(native
        ? { calls: Array.from({ length: times }, () => ({ from: escrow, to, amount })) }
        : { moves: Array.from({ length: times }, () => ({ token, from: escrow, to, amount })) }),
    })
  }
  const losses = () => [
    ...world.conditions().map(({ kind, facts }) => `${kind} ${String(facts['amount'])}`),
    ...world.told().map(({ kind, facts }) => `${kind} ${JSON.stringify(facts)}`),
  ]
  return { ...world, pay, losses }
}

test.each([
  [['E6 and E8']],
  [['E13']],
  [['E15']],
  [['E21']],
  [['E19']],
  [['E6 and E8', 'E13', 'E21', 'E19']],
] as const)(
  'honest transfers are no loss while %s give every row twice',
  async (repeated) => {
    const world = await createRepeating(repeated)
    for (let n = 0; n < 12; n += 1) {
      if (n % 4 === 0) world.pay(100 + n, '90')
      else if (n % 4 === 1) world.pay(100 + n, '1', { native: true })
      else if (n % 4 === 2) world.deposit(100 + n, { amount: '50', event: [50_000_000n, token, user(n)] })
      else world.deposit(100 + n, { amount: '2', token: '', decimals: 18 })
      await world.pass(30 * second)
    }
    await world.pass(12 * minute)
    expect(world.losses()).toEqual([])
  },
  60_000,
)

test.each([
  [[], false],
  [[], true],
  [['E6 and E8'], false],
  [['E6 and E8'], true],
] as const)(
  'a payout that is made twice in one transaction is told while %s give every row twice; native: %s',
  async (repeated, native) => {
    const world = await createRepeating(repeated)
    world.pay(100, '1', { native, times: 2 })
    const paidAt = world.now()
    await world.until(() => world.losses().length > 0, 'the second payment')
    expect(world.now() - paidAt).toBeLessThan(2 * minute)
    await world.pass(3 * minute)
    expect(world.losses().filter((one) => one.startsWith('escrow.drift'))).toEqual(['escrow.drift 1'])
  },
  60_000,
)
