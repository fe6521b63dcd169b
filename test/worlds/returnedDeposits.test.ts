import { describe, expect, test } from 'vitest'
import { purgeFlows } from '../../src/checks/escrow/flows/purgeFlows.ts'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { bridge, type EscrowWorld } from '../support/escrowWorld.ts'
import { type Form, forms, startWithForms } from '../support/moneyForms.ts'

// semantics.md 45: movements are judged gross, and a return is explained when what stays is what the zone credits.

const second = 1_000
const stranger = `0x${'bad0'.repeat(10)}`

/** A transaction that pays so much in and gives so much of it back, in calls of their own. */
function backAndForth(form: Form, n: number, paid: string, back: string, to = user(n)) {
  if (form.token === '')
    return { from: user(n), to: escrow, value: paid, calls: [{ from: escrow, to, amount: back }] }
  const common = {
    token: form.token,
    decimals: form.decimals,
    ...(form.tokenId && { tokenId: form.tokenId }),
  }
  return {
    from: user(n),
    to: bridge,
    moves: [
      { ...common, from: user(n), to: escrow, amount: paid },
      { ...common, from: escrow, to, amount: back },
    ],
  }
}

const drifts = (world: EscrowWorld) =>
  world
    .conditions()
    .filter(({ kind }) => kind === 'escrow.drift')
    .map(({ facts }) => `${String(facts['token'])} ${String(facts['amount'])}`)
const symbolOf = ({ token: address, name }: Form) => (address === '' ? 'native currency' : name)

describe('a deposit that goes back in its own transaction while the zone credits it', () => {
  test('is told in every form, whole or in part, to the payer or to somebody else (semantics 45)', async () => {
    const world = await startWithForms()
    for (const [at, form] of forms.entries()) {
      const n = 100 + at * 10
      world.deposit(n, { ...form, amount: '1000', main: backAndForth(form, n, '1000', '1000') })
      world.deposit(n + 1, { ...form, amount: '1000', main: backAndForth(form, n + 1, '1000', '400') })
      world.deposit(n + 2, {
        ...form,
        amount: '1000',
        main: backAndForth(form, n + 2, '1000', '999', stranger),
      })
    }
    const expected = forms.flatMap((form) =>
      ['1000', '400', '999'].map((amount) => `${symbolOf(form)} ${amount}`),
    )
    await world.until(() => drifts(world).length >= expected.length, 'all of them').catch(() => {})
    expect(new Set(drifts(world))).toEqual(new Set(expected))
  })

  test('is none where what stays is what is credited: change given back, a deposit taken back whole, several at once', async () => {
    const world = await startWithForms()
    for (const [at, form] of forms.entries()) {
      const n = 100 + at * 10
      world.deposit(n, { ...form, amount: '800', main: backAndForth(form, n, '1000', '200') })
      world.transact(backAndForth(form, n + 1, '1000', '1000'))
      const two = backAndForth(form, n + 2, '1000', '100')
      const first = world.deposit(n + 2, { ...form, amount: '600', main: two })
      world.deposit(n + 3, {
        ...form,
        amount: '300',
        record: {
          mainTxHash: first['mainTxHash'] ?? '',
          sourceAddress: user(n + 2),
        },
      })
    }
    await world.pass(300 * second)
    expect(world.told()).toEqual([])
    expect(world.conditions()).toEqual([])
  })

  test('is told of the first deposit of a token that the escrow is configured for', async () => {
    const first = { name: 'first', token: `0x${'f157'.repeat(10)}`, decimals: 6 }
    const world = await startWithForms({ others: [first.token] })
    const main = backAndForth(first, 100, '1000', '999', stranger)
    world.deposit(100, { ...first, amount: '1000', main })
    await world.until(() => drifts(world).length > 0, 'what went back out').catch(() => {})
    expect(drifts(world)).toEqual([`${first.token} 999`])
  })

  test('is told to somebody else although no deposit came for so long that its movement was forgotten', async () => {
    const world = await startWithForms()
    await world.pass(120 * second)
    const { mainTxHash = '' } = world.withdraw(1, { mainBlockTime: String(world.now()) })
    const moves = [{ token, from: escrow, to: user(1), amount: '101' }]
    world.main(mainTxHash, { height: world.fake.mainHead(), time: world.now(), moves })
    await world.pass(60 * second)
    const { db } = world.monitor.app.parts
    const later = world.now() + 1
    purgeFlows(db, { explained: later, inward: later, outward: later }, 1_000)
    world.deposit(100, {
      amount: '1000',
      main: backAndForth({ name: '', token, decimals: 6 }, 100, '1000', '999', stranger),
    })
    await world.until(() => drifts(world).length > 0, 'what went back out')
    expect(drifts(world)).toEqual(['6 decimals 999'])
  })
})

describe('a deposit that a reorganisation took back while the zone credits it', () => {
  /** A deposit of 1,000 that was judged, and others that come after it. */
  async function deposit() {
    const world = await startWithForms()
    const { mainTxHash = '' } = world.deposit(100, { amount: '1000' })
    await world.pass(90 * second)
    const goOn = async () => {
      for (let n = 0; n < 10; n += 1) {
        world.deposit(200 + n, { amount: '30' })
        await world.pass(30 * second)
      }
    }
    return { world, mainTxHash, goOn }
  }

  test('is told', async () => {
    const { world, mainTxHash, goOn } = await deposit()
    world.chain.transactions.delete(mainTxHash)
    await goOn()
    expect(world.told().map(({ kind, facts }) => [kind, facts['reason'], facts['leg']])).toEqual([
      ['transfer.unbacked', 'absent', `main ${mainTxHash}`],
    ])
  })

  test('is told where another block took it and it brought less there', async () => {
    const { world, mainTxHash, goOn } = await deposit()
    const known = world.chain.transactions.get(mainTxHash)
    const moves = known?.moves?.map((move) => ({ ...move, amount: '100' })) ?? []
    if (known) world.chain.transactions.set(mainTxHash, { ...known, height: (known.height ?? 0) + 1, moves })
    await goOn()
    expect(world.told().map(({ kind, facts }) => [kind, facts['expected'], facts['found']])).toEqual([
      ['transfer.mismatch', '1000', '100'],
    ])
  })

  test('is none to tell of where another block took it', async () => {
    const { world, mainTxHash, goOn } = await deposit()
    const known = world.chain.transactions.get(mainTxHash)
    if (known) world.chain.transactions.set(mainTxHash, { ...known, height: (known.height ?? 0) + 1 })
    await goOn()
    expect(world.told()).toEqual([])
    expect(world.conditions()).toEqual([])
  })
})

describe('a deposit that failed and is given back in the transaction of another one of its sender', () => {
  const refused = { record: { status: '0x0' }, zone: { status: '0x0', value: '', valueRaw: '' } }
  const [plain] = forms as [Form]
  const losses = (world: EscrowWorld) => [
    ...drifts(world),
    ...world
      .told()
      .filter(({ kind }) => kind === 'transfer.mismatch')
      .map(({ kind }) => kind),
  ]
  const again = (world: EscrowWorld, form: Form, n: number) =>
    world.deposit(n, { ...form, amount: '1000', main: backAndForth(form, n, '1000', '1000') })

  test('is explained in every form, and told the second time', async () => {
    const world = await startWithForms()
    for (const [at, form] of forms.entries()) world.deposit(100 + at, { ...form, amount: '1000', ...refused })
    await world.pass(120 * second)
    for (const [at, form] of forms.entries()) again(world, form, 100 + at)
    await world.pass(600 * second)
    expect(losses(world)).toEqual([])
    again(world, plain, 100)
    await world.until(() => losses(world).length > 1, 'the second time')
    expect(losses(world).toSorted()).toEqual([`${plain.name} 1000`, 'transfer.mismatch'])
  })

  test('is told where less than that failed, and where somebody else made it', async () => {
    const world = await startWithForms()
    world.deposit(100, { ...plain, amount: '999', ...refused })
    world.deposit(101, { ...plain, amount: '1000', ...refused })
    await world.pass(120 * second)
    again(world, plain, 100)
    again(world, plain, 102)
    await world.until(() => losses(world).length > 3, 'both')
    expect(losses(world).filter((one) => one === 'transfer.mismatch')).toHaveLength(2)
  })
})
