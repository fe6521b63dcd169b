import { describe, expect, test } from 'vitest'
import { openBreakSources } from '../../src/breaks/breakSources.ts'
import { listBreaks } from '../../src/breaks/readBreaks.ts'
import { formatDecimal } from '../../src/bridge/decimal.ts'
import { runAtOnce } from '../../src/lib/steps.ts'
import { purgeFlows } from '../../src/checks/escrow/flows/purgeFlows.ts'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { bridge, type EscrowWorld } from '../support/escrowWorld.ts'
import { coarse, type Form, forms, payOut, startWithForms } from '../support/moneyForms.ts'

// A deposit that the zone refused is given back once, to who paid it in; what else leaves is theft.

const second = 1_000
const day = 86_400_000
const art = `0x${'0721'.repeat(10)}`
const stranger = `0x${'bad0'.repeat(10)}`
const otherEscrow = `0x${'e6'.repeat(20)}`

const start = () => startWithForms({ others: [art] })
const drifts = (world: EscrowWorld) =>
  world
    .conditions()
    .filter(({ kind, state }) => kind === 'escrow.drift' && state !== 'resolved')
    .map(({ facts }) => `${String(facts['token'])} ${String(facts['amount'])}`)

describe('a deposit that failed and is given back in a transaction of its own', () => {
  /** The zone refused it. */
  const refused = { record: { status: '0x0' }, zone: { status: '0x0', value: '', valueRaw: '' } }
  const [plain] = forms as [Form]
  const giveBack = (world: EscrowWorld, to: string, amount: string, form: Form = plain) =>
    payOut(world, form, to, amount)
  /** The zone credits it after all. */
  const retry = (world: EscrowWorld, record: Record<string, string>) => {
    const time = String(world.now())
    const zoneTxHash = `0x${'77'.repeat(32)}`
    const { value = '' } = record
    world.zone(zoneTxHash, { actionType: 'deposit', value, valueRaw: `${value}000000`, blockTime: time })
    Object.assign(record, { status: '0x1', updateTime: time, zoneTxHash, zoneBlockTime: time })
    // The list has the newest change first.
    world.fake.records.splice(world.fake.records.indexOf(record), 1)
    world.fake.records.unshift(record)
  }
  /** As movements of transfers are a week after they were seen. */
  const forgetUntil = (world: EscrowWorld, at: number) =>
    purgeFlows(world.monitor.app.parts.db, { explained: at, inward: at, outward: 0 }, 1_000)
  const accountsOf = (world: EscrowWorld) =>
    world.monitor.app.parts.db.prepare("SELECT verdict FROM escrow_flows WHERE verdict = 'refund'").all()

  const breaksOf = (world: EscrowWorld) => {
    const { db, ledger, config } = world.monitor.app.parts
    const sources = openBreakSources({ db, ledger, tokens: config.bridge.tokens })
    const { breaks } = runAtOnce(listBreaks(sources, world.now()))
    return breaks.map(({ kind, amount }) => `${kind} ${amount && formatDecimal(amount)}`)
  }

  test('is explained in every form, whole, or less a fee', async () => {
    const world = await start()
    for (const [at, form] of forms.entries()) {
      world.deposit(100 + at, { ...form, amount: '1000', ...refused })
      world.deposit(200 + at, { ...form, amount: '1000', ...refused })
    }
    await world.pass(120 * second)
    for (const [at, form] of forms.entries()) {
      giveBack(world, user(100 + at), '1000', form)
      giveBack(world, user(200 + at), '990', form)
    }
    await world.pass(600 * second)
    expect(drifts(world)).toEqual([])
    expect(world.told()).toEqual([])
    expect(accountsOf(world)).toHaveLength(2 * forms.length)
    // What was not given back does not reconcile.
    expect(breaksOf(world)).toEqual(forms.map(() => 'failed 10'))
  })

  test.each([
    ['to somebody else', stranger, '1000'],
    ['more than was paid in', user(100), '1001'],
  ])('is told where it goes %s', async (_, to, amount) => {
    const world = await start()
    world.deposit(100, { amount: '1000', ...refused })
    await world.pass(120 * second)
    giveBack(world, to, amount)
    await world.until(() => drifts(world).length > 0, 'what left')
    expect(drifts(world)).toEqual([`6 decimals ${amount}`])
  })

  test('is explained where it comes after movements of that time were forgotten', async () => {
    const world = await start()
    for (const [at, form] of forms.entries()) world.deposit(100 + at, { ...form, amount: '1000', ...refused })
    await world.pass(120 * second)
    const { mainHead } = world.fake
    // Blocks that are not read again.
    world.fake.mainHead = () => mainHead() + 700_000
    await world.pass(1_800 * second)
    forgetUntil(world, world.now() + 1)
    for (const [at, form] of forms.entries()) giveBack(world, user(100 + at), '1000', form)
    await world.pass(600 * second)
    expect(drifts(world)).toEqual([])
  })

  test('is told the second time, and where it was taken for another failed deposit', async () => {
    const world = await start()
    world.deposit(100, { amount: '1000', ...refused })
    world.deposit(100, { amount: '300', ...refused })
    await world.pass(120 * second)
    giveBack(world, user(100), '1000')
    await world.pass(120 * second)
    giveBack(world, user(100), '1000')
    await world.until(() => drifts(world).length > 0, 'the second time')
    await world.pass(120 * second)
    expect(drifts(world)).toEqual(['6 decimals 1000'])
  })

  test('is told where a part of it goes to somebody else, or another id is given back', async () => {
    const world = await start()
    const ids = forms.find(({ tokenId }) => tokenId !== undefined) as Form
    world.deposit(100, { amount: '1000', ...refused })
    world.deposit(200, { ...ids, amount: '50', ...refused })
    await world.pass(120 * second)
    world.transact({
      moves: [
        { token, from: escrow, to: user(100), amount: '600' },
        { token, from: escrow, to: stranger, amount: '400' },
      ],
    })
    giveBack(world, user(200), '50', { ...ids, tokenId: '8' })
    await world.until(() => drifts(world).length > 1, 'both')
    expect(drifts(world).toSorted()).toEqual(['6 decimals 1000', `${ids.name} 50`])
  })

  test('is told where many deposits are recorded for what came in once', async () => {
    const world = await start()
    const { mainTxHash = '' } = world.deposit(100, { amount: '1000', ...refused })
    for (const n of [1, 2, 3])
      world.deposit(100, {
        amount: '1000',
        ...refused,
        record: { status: '0x0', mainTxHash, zoneEventIndex: String(n) },
        main: { moves: [] },
      })
    await world.pass(120 * second)
    giveBack(world, user(100), '3000')
    await world.until(() => drifts(world).length > 0, 'what left')
    expect(drifts(world)).toEqual(['6 decimals 3000'])
  })

  test('is told where the zone credits it, once it was tried again too', async () => {
    const world = await start()
    world.deposit(100, { amount: '1000' })
    const retried = world.deposit(101, { amount: '777', ...refused })
    await world.pass(120 * second)
    giveBack(world, user(100), '1000')
    giveBack(world, user(101), '777')
    await world.until(() => drifts(world).length > 0, 'what was credited')
    await world.pass(120 * second)
    expect(drifts(world)).toEqual(['6 decimals 1000'])
    retry(world, retried)
    await world.until(() => drifts(world).includes('6 decimals 777'), 'what was tried again')
  })

  test.each([
    ['half an hour', 0],
    ['longer than movements of deposits are kept', 1],
  ])('is told within minutes where it is credited %s later', async (_, later) => {
    const world = await start()
    const record = world.deposit(100, { amount: '1000', ...refused })
    await world.pass(120 * second)
    giveBack(world, user(100), '1000')
    await world.pass(1_800 * second)
    forgetUntil(world, later * (world.now() + 1))
    const at = world.now()
    retry(world, record)
    await world.until(() => drifts(world).length > 0, 'what was credited')
    expect(drifts(world)).toEqual(['6 decimals 1000'])
    expect(world.now() - at).toBeLessThan(300_000)
  })

  test.each([
    ['which one of both was credited', {}, 100],
    ['which is of somebody else and was credited', {}, 101],
    ['which is of somebody else and failed too', refused, 101],
  ])(
    'is told where what came in is of another deposit of its transaction as well, %s',
    async (_, first, n) => {
      const world = await start()
      const { mainTxHash = '' } = world.deposit(100, { amount: '1000', ...first })
      const record = { status: '0x0', mainTxHash, zoneEventIndex: '1' }
      world.deposit(n, { amount: '1000', ...refused, main: { moves: [] }, record })
      await world.pass(120 * second)
      giveBack(world, user(100), '1000')
      giveBack(world, user(n), '1000')
      await world.until(() => drifts(world).length > 0, 'what left')
    },
  )

  test.each([
    ['before', 0],
    ['after', 1],
  ])('is told where a new record of the same deposit was credited %s it', async (_, isAfter) => {
    const world = await start()
    const { mainTxHash = '' } = world.deposit(100, { amount: '1000', ...refused })
    await world.pass(120 * second)
    if (isAfter) giveBack(world, user(100), '1000')
    await world.pass(120 * second)
    const record = { mainTxHash, zoneTxHash: `0x${'77'.repeat(32)}` }
    world.deposit(100, { amount: '1000', main: { moves: [] }, record })
    await world.pass(120 * second)
    if (!isAfter) giveBack(world, user(100), '1000')
    await world.until(() => drifts(world).length > 0, 'what left')
    expect(drifts(world)).toEqual(['6 decimals 1000'])
  })

  test('is told where the zone shows that it was credited, whatever its record says', async () => {
    const world = await start()
    world.deposit(100, { amount: '1000', record: { status: '0x0' } })
    await world.pass(120 * second)
    giveBack(world, user(100), '1000')
    await world.until(() => drifts(world).length > 0, 'what left')
  })

  test('is told where another token or id goes along', async () => {
    const world = await start()
    const ids = forms.find(({ tokenId }) => tokenId !== undefined) as Form
    world.deposit(100, { amount: '1000', ...refused })
    world.deposit(200, { ...ids, amount: '50', ...refused })
    await world.pass(120 * second)
    const out = (to: string, amount: string, form: object = plain) => ({
      ...form,
      token,
      from: escrow,
      to,
      amount,
    })
    world.transact({ moves: [out(user(100), '1000'), { ...out(user(100), '60'), ...ids }] })
    world.transact({
      moves: [
        { ...out(user(200), '50'), ...ids },
        { ...out(user(200), '1'), ...ids, tokenId: '8' },
      ],
    })
    await world.until(() => drifts(world).length > 1, 'both')
    await world.pass(120 * second)
    expect(drifts(world).toSorted()).toEqual([`${ids.name} 51`, `${ids.name} 60`])
  })

  test('stays explained when the movement of the deposit is forgotten before its own', async () => {
    const world = await start()
    const mainBlockTime = String(world.now() - 8 * 86_400_000)
    world.deposit(100, { amount: '1000', ...refused, record: { status: '0x0', mainBlockTime } })
    await world.pass(600 * second)
    const between = world.now()
    giveBack(world, user(100), '1000')
    await world.pass(300 * second)
    forgetUntil(world, between)
    // Something of the sender changes: it is looked at anew.
    world.deposit(100, { amount: '30' })
    await world.pass(1_200 * second)
    expect(drifts(world)).toEqual([])
    expect(accountsOf(world)).toHaveLength(1)
  })

  test('is explained where the record says neither id nor amount, or it never reached the zone', async () => {
    const world = await start()
    const ids = forms.find(({ tokenId }) => tokenId !== undefined) as Form
    const vague = { status: '0x0', value: '', valueRaw: '', tokenId: '' }
    world.deposit(100, { amount: '1000', ...refused, record: vague })
    world.deposit(101, { ...ids, amount: '5', ...refused, record: { ...vague, crossType: 'Batch Deposit' } })
    const noZone = { zoneTxHash: '', zoneBlockTime: '', zoneBlockHeight: '' }
    world.deposit(102, { amount: '300', record: { status: '0x0', ...noZone } })
    await world.pass(300 * second)
    giveBack(world, user(100), '1000')
    giveBack(world, user(101), '5', ids)
    giveBack(world, user(102), '300')
    await world.pass(600 * second)
    expect(drifts(world)).toEqual([])
    expect(accountsOf(world)).toHaveLength(3)
  })

  test.each(['300', '1000', '1500'])(
    'is explained beside a deposit of %s by somebody else',
    async (amount) => {
      const world = await start()
      world.deposit(100, { amount: '1000', ...refused })
      await world.pass(120 * second)
      const back = { token, from: escrow, to: user(100), amount: '1000' }
      world.deposit(300, { amount, main: { moves: [{ token, from: user(300), to: escrow, amount }, back] } })
      await world.pass(600 * second)
      expect(drifts(world)).toEqual([])
      expect(accountsOf(world)).toHaveLength(1)
    },
  )

  test('is told beside a deposit that brings less than the zone credits', async () => {
    const world = await start()
    world.deposit(100, { amount: '1000', ...refused })
    await world.pass(120 * second)
    const back = { token, from: escrow, to: user(100), amount: '1000' }
    world.deposit(300, {
      amount: '500',
      main: { moves: [{ token, from: user(300), to: escrow, amount: '400' }, back] },
    })
    await world.until(() => drifts(world).length > 0, 'what left')
  })

  test('is explained in parts', async () => {
    const world = await start()
    world.deposit(101, { amount: '1000', ...refused })
    await world.pass(120 * second)
    giveBack(world, user(101), '600')
    giveBack(world, user(101), '400')
    await world.pass(600 * second)
    expect(drifts(world)).toEqual([])
  })

  describe('and is one of several that a transaction gives back', () => {
    const other = forms[1] as Form
    const out = (to: string, amount: string, form: Form = plain) => ({ ...form, from: escrow, to, amount })
    const failBoth = async () => {
      const world = await start()
      world.deposit(100, { amount: '1000', ...refused })
      world.deposit(101, { amount: '300', ...refused })
      world.deposit(102, { amount: '300', ...other, ...refused })
      await world.pass(120 * second)
      return world
    }

    test('is explained', async () => {
      const world = await failBoth()
      world.transact({ moves: [out(user(100), '1000'), out(user(101), '300')] })
      await world.pass(600 * second)
      expect(drifts(world)).toEqual([])
      expect(accountsOf(world)).toHaveLength(1)
    })

    test.each([
      ['goes to somebody else', [out(user(100), '1000'), out(stranger, '300')], '1300'],
      ['is more than was paid in', [out(user(100), '1000'), out(user(101), '301')], '1301'],
    ])('is told where one %s', async (_, moves, told) => {
      const world = await failBoth()
      world.transact({ moves })
      await world.until(() => drifts(world).length > 0, 'what left')
      expect(drifts(world)).toEqual([`6 decimals ${told}`])
    })

    test('is told the second time', async () => {
      const world = await failBoth()
      const both = { moves: [out(user(100), '1000'), out(user(101), '300')] }
      world.transact(both)
      await world.pass(120 * second)
      world.transact(both)
      await world.until(() => drifts(world).length > 0, 'the second time')
      expect(drifts(world)).toEqual(['6 decimals 1300'])
    })

    test('is no longer told once the record of the last follows', async () => {
      const world = await start()
      world.deposit(100, { amount: '1000', ...refused })
      const last = world.deposit(101, { amount: '300', ...refused })
      world.fake.records.splice(world.fake.records.indexOf(last), 1)
      await world.pass(60 * second)
      world.transact({ moves: [out(user(100), '1000'), out(user(101), '300')] })
      await world.until(() => drifts(world).length > 0, 'what left')
      world.fake.records.unshift(last)
      await world.until(() => drifts(world).length === 0, 'its end')
    })
  })

  describe('by way of others', () => {
    const passing = `0x${'31d0'.repeat(10)}`
    /** Each hands on what it got. */
    const pass = (world: EscrowWorld, form: Form, amount: string, ...way: readonly string[]) => {
      const moves = way.slice(1).map((to, at) => ({ ...form, from: way[at] ?? '', to, amount }))
      const calls = { from: user(9_999), to: way[1] ?? '', value: '0', calls: moves }
      return world.transact(form.token === '' ? calls : { moves })
    }
    const native = forms.at(-1) as Form
    const told = (world: EscrowWorld) => world.until(() => drifts(world).length > 0, 'what left')

    test.each([
      ['a contract of the bridge', bridge],
      ['a contract that nobody named', passing],
    ])('is explained: %s', async (_, by) => {
      const world = await start()
      const given = [plain, forms[3] as Form, native]
      for (const [at, form] of given.entries())
        world.deposit(100 + at, { ...form, amount: '1000', ...refused })
      // One came in the same way.
      const [to, amount] = [user(103), '777']
      const moves = [
        { ...plain, from: to, to: bridge, amount },
        { ...plain, from: bridge, to: escrow, amount },
      ]
      world.deposit(103, { amount, ...refused, main: { moves } })
      await world.pass(120 * second)
      pass(world, plain, amount, escrow, by, to)
      for (const [at, form] of given.entries()) pass(world, form, '1000', escrow, by, user(100 + at))
      await world.pass(100 * second)
      // Lists are read again.
      await world.pass(900 * second)
      expect(world.told()).toEqual([])
      expect(world.conditions().filter(({ kind }) => kind.startsWith('escrow.'))).toEqual([])
      expect(accountsOf(world)).toHaveLength(given.length + 1)
      expect(breaksOf(world)).toEqual([])
    })

    test('is explained where several are given back, beside a withdrawal too', async () => {
      const world = await start()
      world.deposit(100, { amount: '1000', ...refused })
      world.deposit(101, { amount: '300', ...refused })
      await world.pass(120 * second)
      const out = (from: string, to: string, amount: string) => ({ ...plain, from, to, amount })
      const moves = [
        out(escrow, bridge, '1700'),
        out(bridge, user(100), '1000'),
        out(bridge, user(101), '300'),
        out(bridge, user(400), '400'),
      ]
      const mainTxHash = world.transact({ moves })
      const zoneTxHash = `0x${'75'.repeat(32)}`
      world.zone(zoneTxHash, { value: '400', valueRaw: '400000000' })
      world.withdraw(400, { mainTxHash, zoneTxHash, value: '400', valueRaw: '400000000' })
      await world.pass(600 * second)
      expect(drifts(world)).toEqual([])
      expect(accountsOf(world)).toHaveLength(1)
    })

    test.each([
      ['goes on to somebody else', [[bridge, stranger, '1000']]],
      [
        'goes on to somebody else by way of its sender',
        [
          [bridge, user(100), '1000'],
          [user(100), stranger, '1000'],
        ],
      ],
      [
        'goes on in part',
        [
          [bridge, user(100), '400'],
          [bridge, stranger, '600'],
        ],
      ],
      [
        'is what a third one paid',
        [
          [bridge, stranger, '1000'],
          [user(700), user(100), '1000'],
        ],
      ],
    ] satisfies [string, string[][]][])(
      'is told as soon as without a failed deposit where it %s',
      async (_, way) => {
        const world = await start()
        const steal = () =>
          world.transact({
            moves: [[escrow, bridge, '1000'], ...way].map(([from = '', to = '', amount = '']) => ({
              ...plain,
              from,
              to,
              amount,
            })),
          })
        const howLong = async () => {
          const [at, before] = [world.now(), drifts(world).length]
          await world.until(() => drifts(world).length > before, 'what left')
          return world.now() - at
        }
        steal()
        const without = await howLong()
        world.deposit(100, { amount: '1000', ...refused })
        await world.pass(120 * second)
        steal()
        expect(await howLong()).toBeLessThanOrEqual(without + 10 * second)
        await world.pass(120 * second)
        expect(drifts(world)).toEqual(['6 decimals 1000', '6 decimals 1000'])
      },
    )

    test('is told the second time, and where it is more than was paid in', async () => {
      const world = await start()
      world.deposit(100, { amount: '1000', ...refused })
      world.deposit(101, { amount: '1000', ...refused })
      await world.pass(120 * second)
      pass(world, plain, '1000', escrow, bridge, user(100))
      pass(world, plain, '1001', escrow, bridge, user(101))
      await told(world)
      expect(drifts(world)).toEqual(['6 decimals 1001'])
      pass(world, plain, '1000', escrow, passing, user(100))
      await world.until(() => drifts(world).length > 1, 'the second time')
    })

    test('is no longer told once its record follows', async () => {
      const world = await start()
      const record = world.deposit(100, { amount: '1000', ...refused })
      world.fake.records.splice(world.fake.records.indexOf(record), 1)
      await world.pass(60 * second)
      pass(world, plain, '1000', escrow, bridge, user(100))
      await told(world)
      world.fake.records.unshift(record)
      await world.until(() => drifts(world).length === 0, 'its end')
    })

    test('is no longer told once somebody says who got it', async () => {
      const world = await start()
      world.deposit(100, { amount: '1000', ...refused })
      await world.pass(120 * second)
      const { intercept } = world.fake
      let isSilent = true
      world.fake.intercept = (request, response) => {
        const isMoves = /by-transaction|token-transaction-detail/.test(request.path)
        if (isSilent && isMoves) response.writeHead(500).end()
        return (isSilent && isMoves) || intercept(request, response)
      }
      pass(world, plain, '1000', escrow, bridge, user(100))
      await told(world)
      isSilent = false
      await world.until(() => drifts(world).length === 0, 'its end')
    })
  })

  describe('beside a withdrawal', () => {
    const out = (to: string, amount: string) => ({ ...plain, from: escrow, to, amount })
    const failOne = async () => {
      const world = await start()
      world.deposit(100, { amount: '1000', ...refused })
      await world.pass(120 * second)
      return world
    }
    const pay = (world: EscrowWorld, n: number, move: ReturnType<typeof out>) => {
      const mainTxHash = world.transact({ moves: [out(user(n), '400'), move] })
      const zoneTxHash = `0x${'75'.repeat(32)}`
      world.zone(zoneTxHash, { value: '400', valueRaw: '400000000' })
      world.withdraw(n, { mainTxHash, zoneTxHash, value: '400', valueRaw: '400000000' })
    }

    test.each([
      ['of somebody else', 400],
      ['of its own sender', 100],
    ])('is explained, %s', async (_, n) => {
      const world = await failOne()
      pay(world, n, out(user(100), '1000'))
      await world.pass(600 * second)
      expect(drifts(world)).toEqual([])
      expect(accountsOf(world)).toHaveLength(1)
    })

    test.each([
      ['more than was paid in goes back', out(user(100), '1001'), '1001'],
      ['it goes to somebody else', out(stranger, '1000'), '1000'],
    ])('is told where %s', async (_, move, told) => {
      const world = await failOne()
      pay(world, 400, move)
      await world.until(() => drifts(world).length > 0, 'what left')
      expect(drifts(world)).toEqual([`6 decimals ${told}`])
    })
  })

  test('is explained whatever others send to its sender that fails', async () => {
    const world = await start()
    world.deposit(100, { amount: '1000', ...refused })
    await world.pass(60 * second)
    const record = { status: '0x0', targetAddress: user(100) }
    for (let n = 0; n < 120; n += 1) world.deposit(7_000 + n, { amount: '0.000001', ...refused, record })
    await world.pass(120 * second)
    giveBack(world, user(100), '1000')
    await world.pass(600 * second)
    expect(drifts(world)).toEqual([])
  })

  test('is no longer told once its record follows', async () => {
    const world = await start()
    const { mainTxHash = '' } = world.deposit(100, { amount: '1000', record: null })
    await world.pass(30 * second)
    giveBack(world, user(100), '1000')
    await world.until(() => drifts(world).length > 0, 'what left before anything was known of it')
    const zoneTxHash = `0x${'76'.repeat(32)}`
    world.zone(zoneTxHash, { ...refused.zone, actionType: 'deposit' })
    world.withdraw(0, {
      zoneTxHash,
      txType: 'MainToZone',
      crossType: 'Deposit',
      mainTxHash,
      sourceAddress: user(100),
      targetAddress: user(100),
      value: '1000',
      valueRaw: '1000000000',
      status: '0x0',
    })
    const isOpen = () =>
      world.conditions().some(({ kind, state }) => kind === 'escrow.drift' && state !== 'resolved')
    await world.until(() => !isOpen(), 'its end')
  })

  test('is told where it was locked before anybody watched: it may have been given back before', async () => {
    const world = await startWithForms({
      prepare: (bare) => {
        const time = bare.now() - 10_000_000
        const moves = [{ token, from: user(100), to: escrow, amount: '1000' }]
        bare.deposit(100, {
          amount: '1000',
          ...refused,
          main: { height: 100, time, moves },
          record: {
            status: '0x0',
            mainBlockHeight: '100',
            mainBlockTime: String(time),
            zoneBlockTime: String(time),
          },
        })
      },
    })
    await world.pass(120 * second)
    giveBack(world, user(100), '1000')
    await world.until(() => drifts(world).length > 0, 'what left')
    expect(drifts(world)).toEqual(['6 decimals 1000'])
  })

  describe('and was locked before what is watched, where lists were read', () => {
    const before = (amount: string, back?: string) =>
      startWithForms({
        prepare(bare) {
          const time = bare.now() - day - 300_000
          const height = bare.fake.mainHead() - 30
          const moves = [{ token, from: user(100), to: escrow, amount }]
          const times = { mainBlockTime: String(time), zoneBlockTime: String(time) }
          const record = { status: '0x0', mainBlockHeight: String(height), ...times }
          bare.deposit(100, { amount, ...refused, main: { height, time, moves }, record })
          if (back === undefined) return
          const given = [{ token, from: escrow, to: user(100), amount: back }]
          bare.transact({ height: height + 10, time: time + 100_000, moves: given })
        },
      })

    test('is explained once: the lists show all that moved since', async () => {
      const world = await before('1000')
      giveBack(world, user(100), '1000')
      await world.pass(600 * second)
      expect(drifts(world)).toEqual([])
      giveBack(world, user(100), '1000')
      await world.until(() => drifts(world).length > 0, 'the second time')
      expect(drifts(world)).toEqual(['6 decimals 1000'])
    })

    test('is told where it was given back before as well', async () => {
      const world = await before('1000', '1000')
      giveBack(world, user(100), '1000')
      await world.until(() => drifts(world).length > 0, 'what left')
      expect(drifts(world)).toEqual(['6 decimals 1000'])
    })
  })

  test.each(forms)('is told where nobody is named who gets it: $name', async (form) => {
    const world = await start()
    for (const n of [100, 101, 102]) world.deposit(n, { ...form, amount: '1000', ...refused })
    await world.pass(120 * second)
    giveBack(world, '', '3000', form)
    await world.until(() => drifts(world).length > 0, 'what left')
  })

  test('is told where only dust that came in since is not credited', async () => {
    const world = await start()
    const { mainTxHash = '' } = world.deposit(100, { amount: '1000', ...refused })
    await world.pass(120 * second)
    giveBack(world, user(100), '1000')
    await world.pass(120 * second)
    world.monitor.app.parts.db.prepare('UPDATE escrow_flows SET at = at - ?').run(10 * day)
    const mainBlockTime = String(world.now() - 8 * day)
    world.deposit(100, { amount: '0.000001', ...refused, record: { status: '0x0', mainBlockTime } })
    await world.pass(60 * second)
    forgetUntil(world, world.now() + 1)
    const record = { mainTxHash, zoneTxHash: `0x${'77'.repeat(32)}` }
    world.deposit(100, { amount: '1000', main: { moves: [] }, record })
    await world.until(() => drifts(world).length > 0, 'what was credited')
  })

  test('is told where it is more than came in, whenever that is listed', async () => {
    const world = await start()
    const { mainTxHash = '' } = world.deposit(100, { amount: '1', ...refused })
    const known = world.chain.transactions.get(mainTxHash)
    world.chain.transactions.set(mainTxHash, { ...known, hash: mainTxHash, moves: [] })
    await world.pass(20 * second)
    giveBack(world, user(100), '50000')
    await world.pass(30 * second)
    world.chain.transactions.set(mainTxHash, { ...known, hash: mainTxHash, time: '' as never })
    await world.until(() => drifts(world).length > 0, 'what left')
  })

  test.each([
    ['somebody else', 101, {}],
    ['nobody', 100, { sourceAddress: '' }],
    ['its sender, as another token', 100, { tokenContractAddress: `0x${'2f'.repeat(20)}` }],
  ])('is told where a new record credits it to %s', async (_, n, of) => {
    const world = await start()
    const { mainTxHash = '' } = world.deposit(100, { amount: '1000', ...refused })
    await world.pass(120 * second)
    giveBack(world, user(100), '1000')
    await world.pass(120 * second)
    const record = { mainTxHash, zoneTxHash: `0x${'77'.repeat(32)}`, ...of }
    world.deposit(n, { amount: '1000', main: { moves: [] }, record })
    await world.until(() => drifts(world).length > 0, 'what was credited')
  })

  test('is told where its record is credited to somebody else since', async () => {
    const world = await start()
    const record = world.deposit(100, { amount: '1000', ...refused })
    await world.pass(120 * second)
    giveBack(world, user(100), '1000')
    await world.pass(600 * second)
    record['sourceAddress'] = user(555)
    retry(world, record)
    await world.until(() => drifts(world).length > 0, 'what was credited')
  })

  test('is told where the record names another sender than who paid in', async () => {
    const world = await start()
    const record = world.deposit(100, { amount: '1000', ...refused })
    const mainTxHash = world.transact({ moves: [{ token, from: user(800), to: escrow, amount: '900' }] })
    await world.pass(120 * second)
    record['sourceAddress'] = stranger
    record['updateTime'] = String(world.now())
    world.deposit(666, {
      amount: '900',
      ...refused,
      main: { moves: [] },
      record: { status: '0x0', mainTxHash },
    })
    await world.pass(120 * second)
    giveBack(world, stranger, '1000')
    giveBack(world, user(666), '900')
    await world.until(() => drifts(world).length > 1, 'both')
    expect(drifts(world).toSorted()).toEqual(['6 decimals 1000', '6 decimals 900'])
  })

  test('is told where the zone credited it by another transaction than the record names', async () => {
    const world = await start()
    const record = world.deposit(100, { amount: '1000' })
    await world.pass(300 * second)
    const zoneTxHash = `0x${'79'.repeat(32)}`
    const time = String(world.now())
    world.zone(zoneTxHash, { actionType: 'deposit', status: '0x0' })
    Object.assign(record, { status: '0x0', zoneTxHash, updateTime: time, zoneBlockTime: time })
    await world.pass(300 * second)
    giveBack(world, user(100), '1000')
    await world.pass(600 * second)
    expect(drifts(world)).toEqual(['6 decimals 1000'])
  })

  test('is over once what came in is listed', async () => {
    const world = await start()
    const { mainTxHash = '' } = world.deposit(100, { amount: '1000', ...refused })
    const known = world.chain.transactions.get(mainTxHash)
    world.chain.transactions.set(mainTxHash, { ...known, hash: mainTxHash, moves: [] })
    await world.pass(120 * second)
    giveBack(world, user(100), '1000')
    await world.until(() => drifts(world).length > 0, 'what left')
    if (known) world.chain.transactions.set(mainTxHash, known)
    await world.until(() => drifts(world).length === 0, 'its end')
  })

  test('is over once what was taken for it turns out to be a withdrawal', async () => {
    const world = await start()
    world.deposit(100, { amount: '1000', ...refused })
    await world.pass(120 * second)
    const mainTxHash = giveBack(world, user(100), '800')
    await world.pass(90 * second)
    giveBack(world, user(100), '1000')
    await world.until(() => drifts(world).length > 0, 'what left')
    world.withdraw(7, {
      mainTxHash,
      sourceAddress: user(100),
      targetAddress: user(100),
      value: '800',
      valueRaw: '800000000',
      mainBlockTime: String(world.now()),
    })
    await world.until(() => drifts(world).length === 0, 'its end')
  })

  test('is explained where a reorganisation took the first one, and it was sent again', async () => {
    const world = await start()
    world.deposit(100, { amount: '1000', ...refused })
    await world.pass(120 * second)
    const gone = giveBack(world, user(100), '1000')
    await world.pass(20 * second)
    world.chain.transactions.delete(gone)
    giveBack(world, user(100), '1000')
    for (let n = 0; n < 10; n += 1) {
      world.deposit(300 + n, { amount: '30' })
      await world.pass(30 * second)
    }
    expect(drifts(world)).toEqual([])
    expect(accountsOf(world)).toHaveLength(1)
  })

  test('is explained where a fee was kept, and where several came in by one transaction', async () => {
    const world = await start()
    const move = (tokenId: string, from: string, to: string) => ({
      token: art,
      from,
      to,
      amount: '1',
      decimals: 0,
      tokenId,
      standard: 'ERC721' as const,
    })
    const of = { token: art, decimals: 0, amount: '1', ...refused }
    const record = { status: '0x0', tokenType: 'ERC721', tokenId: '' }
    const moves = ['1', '2'].map((id) => move(id, user(100), escrow))
    const { mainTxHash = '' } = world.deposit(100, { ...of, main: { moves }, record })
    world.deposit(100, { ...of, main: { moves: [] }, record: { ...record, mainTxHash, zoneEventIndex: '1' } })
    world.deposit(101, {
      amount: '990',
      ...refused,
      main: { moves: [{ token, from: user(101), to: escrow, amount: '1000' }] },
    })
    await world.pass(120 * second)
    for (const id of ['1', '2']) world.transact({ moves: [move(id, escrow, user(100))] })
    giveBack(world, user(101), '1000')
    await world.pass(600 * second)
    expect(drifts(world)).toEqual([])
    expect(accountsOf(world)).toHaveLength(3)
  })

  test.each([
    ['the escrow that took it', escrow],
    ['another escrow', otherEscrow],
  ])('is told where %s gave it back in its own transaction, however late that is listed', async (_, from) => {
    const world = await startWithForms({ others: [art], addresses: [escrow, otherEscrow] })
    const { mainTxHash = '' } = world.deposit(100, { amount: '1000', ...refused })
    await world.pass(120 * second)
    giveBack(world, user(100), '1000')
    await world.pass(120 * second)
    const known = world.chain.transactions.get(mainTxHash)
    const back = { token, from, to: user(100), amount: '1000' }
    world.chain.transactions.set(mainTxHash, {
      ...known,
      hash: mainTxHash,
      moves: [...(known?.moves ?? []), back],
    })
    await world.until(() => drifts(world).length > 0, 'what left twice')
  })

  test('is told where more came by the bridge than its record says', async () => {
    const world = await start()
    const moves = [
      { token, from: user(100), to: escrow, amount: '10' },
      { token, from: bridge, to: escrow, amount: '5000' },
    ]
    world.deposit(100, { amount: '10', ...refused, main: { moves } })
    await world.pass(120 * second)
    giveBack(world, user(100), '5010')
    await world.until(() => drifts(world).length > 0, 'what left')
  })

  test('is explained where several tokens came in by one transaction, and by a contract of the bridge', async () => {
    const world = await start()
    const from = (by: string, of: string, amount: string) => ({ token: of, from: by, to: escrow, amount })
    const two = [from(user(100), token, '1000'), from(user(100), coarse, '500')]
    const { mainTxHash = '' } = world.deposit(100, { amount: '1000', ...refused, main: { moves: two } })
    const record = { status: '0x0', mainTxHash, zoneEventIndex: '1' }
    const other = { token: coarse, decimals: 0, amount: '500', main: { moves: [] } }
    world.deposit(100, { ...other, ...refused, record })
    const routed = world.deposit(101, {
      amount: '700',
      ...refused,
      main: { moves: [from(bridge, token, '700')] },
    })
    const hash = routed['mainTxHash'] ?? ''
    const known = world.chain.transactions.get(hash)
    world.chain.transactions.set(hash, { ...known, hash, moves: [] })
    await world.pass(120 * second)
    giveBack(world, user(101), '700')
    await world.until(() => drifts(world).length > 0, 'what came in by the contract is not listed')
    if (known) world.chain.transactions.set(hash, known)
    giveBack(world, user(100), '1000')
    await world.pass(60 * second)
    giveBack(world, user(100), '500', { name: '', token: coarse, decimals: 0 })
    await world.pass(600 * second)
    expect(drifts(world)).toEqual([])
    expect(accountsOf(world)).toHaveLength(3)
  })

  test('is explained in whatever order two are listed', async () => {
    const world = await start()
    world.deposit(100, { amount: '1000', ...refused })
    await world.pass(60 * second)
    const hash = giveBack(world, user(100), '980')
    const known = world.chain.transactions.get(hash)
    world.chain.transactions.delete(hash)
    await world.pass(30 * second)
    world.deposit(100, { amount: '1500', ...refused })
    await world.pass(30 * second)
    giveBack(world, user(100), '1480')
    await world.pass(120 * second)
    if (known) world.chain.transactions.set(hash, known)
    await world.pass(600 * second)
    expect(drifts(world)).toEqual([])
    expect(accountsOf(world)).toHaveLength(2)
  })
})
