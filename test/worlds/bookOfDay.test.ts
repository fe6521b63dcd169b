import { expect, test } from 'vitest'
import { formatDecimal, fromBaseUnits } from '../../src/bridge/decimal.ts'
import { kinds } from '../../src/checks/index.ts'
import { buildDailyReport } from '../../src/report/buildDailyReport.ts'
import { readReportKnowledge } from '../../src/report/readReportKnowledge.ts'
import { escrow, user } from '../support/bridgeWorld.ts'
import { type EscrowWorld, toRaw } from '../support/escrowWorld.ts'
import { type Form, forms, payOut, startWithForms } from '../support/moneyForms.ts'

// The book of a stretch of time in which everything happened that is honest, and some that is not, against the chain itself.

const second = 1_000
const stranger = `0x${'bad0'.repeat(10)}`
const refused = { record: { status: '0x0' }, zone: { status: '0x0', value: '', valueRaw: '' } }

function withdraw(world: EscrowWorld, form: Form, n: number, amount: string): void {
  const { tokenId = '' } = form
  world.withdraw(n, {
    tokenContractAddress: form.token,
    tokenType: tokenId === '' ? (form.token === '' ? '' : 'ERC20') : 'ERC1155',
    tokenId,
    mainTxHash: payOut(world, form, user(n), amount),
    value: amount,
    valueRaw: toRaw(amount, form.decimals).toString(),
    mainBlockHeight: String(world.fake.mainHead()),
    mainBlockTime: String(world.now()),
  })
}

interface Moved {
  readonly from: string
  readonly to: string
  readonly amount: string
}

/** What the escrow holds of a form at a time, by all transactions of the chain before it. */
function heldAt(world: EscrowWorld, { token, decimals }: Form, at: number): bigint {
  return [...world.chain.transactions.values()]
    .filter(({ time = 0 }) => time < at)
    .flatMap(({ value, from = '', to = '', calls = [], moves = [] }): Moved[] =>
      token === ''
        ? [...(value === undefined ? [] : [{ from, to, amount: value }]), ...calls]
        : [moves].flat().filter((move) => move.token === token),
    )
    .reduce((sum, { from, to, amount }) => {
      const raw = toRaw(amount, decimals)
      return sum + (to === escrow ? raw : 0n) - (from === escrow ? raw : 0n)
    }, 0n)
}

test('opening, change and closing are the chain’s in every form of money, and the difference is what was stolen', async () => {
  const world = await startWithForms({ balances: { [escrow]: {} } })
  const each = (of: (form: Form, at: number) => void) => {
    for (const [at, form] of forms.entries()) of(form, at * 10)
  }
  each((form, at) => world.deposit(100 + at, { ...form, amount: '40', ...refused }))
  await world.pass(120 * second)
  const from = world.now()
  each((form, at) => world.deposit(200 + at, { ...form, amount: '30' }))
  each((form, at) => withdraw(world, form, 300 + at, '11'))
  await world.pass(60 * second)
  each((form, at) => world.deposit(400 + at, { ...form, amount: '9', ...refused }))
  await world.pass(120 * second)
  // One of the day, and one of before.
  each((form, at) => payOut(world, form, user(400 + at), '9'))
  each((form, at) => payOut(world, form, user(100 + at), '40'))
  each((form) => payOut(world, form, stranger, '5'))
  await world.pass(90 * second)
  const until = world.now()
  each((form, at) => world.deposit(500 + at, { ...form, amount: '70' }))
  each((form, at) => withdraw(world, form, 600 + at, '3'))
  await world.pass(900 * second)

  const { db, ledger, config } = world.monitor.app.parts
  const window = { day: '2026-01-01', zone: 'UTC', from, until }
  const knows = await readReportKnowledge({ db, ledger, tokens: config.bridge.tokens }, window, world.now())
  const report = await buildDailyReport({ db, ledger, kinds, before: null, knows }, window, world.now())
  for (const form of forms) {
    const [book, day] = [report.book, report.escrows].map((lines) =>
      lines?.find(({ token }) => token.address === form.token),
    )
    const units = (raw: bigint) => formatDecimal(fromBaseUnits(raw, form.decimals))
    const [opening, closing] = [heldAt(world, form, from), heldAt(world, form, until)]
    expect({ form: form.name, ...day }).toMatchObject({
      form: form.name,
      opening: units(opening),
      change: units(closing - opening),
      closing: units(closing),
    })
    expect({ form: form.name, ...book }).toMatchObject({
      form: form.name,
      deposits: { count: 2, amount: '39' },
      withdrawals: { count: 1, amount: '11' },
      refunded: { count: 2, amount: '49' },
      failed: { count: 1, amount: '9' },
      net: '-21',
      unexplained: '-5',
      escrowChange: units(closing - opening),
      difference: '-5',
    })
  }
})
