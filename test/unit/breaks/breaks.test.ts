import { describe, expect, test } from 'vitest'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { hash } from '../../support/records.ts'
import { formatDecimal, toDecimal } from '../../../src/bridge/decimal.ts'
import { saveWrapping } from '../../../src/store/wrapping.ts'
import { findBreak, listBreaks as readBreaks } from '../../../src/breaks/readBreaks.ts'
import { ana, createWorld, dai, day, escrow, pending, start, unbacked, usdc } from './world.ts'
import { endFindings } from '../../support/readFinding.ts'

/** What a list shows of each, in one line. */
function linesOf({ breaks }: ReturnType<ReturnType<typeof createWorld>['list']>): string[] {
  return breaks.map(({ name, kind, left, token }) => `${name} ${kind} ${left} ${token.symbol}`)
}

test('what does not reconcile is a break: open too long, failed, unbacked, mismatched, paid twice, not explained', () => {
  const world = createWorld()
  world.record('1')
  const stalled = world.record('2', pending(2_500_000n))
  const failed = world.record('3', { status: 'failed', amountRaw: 3_000_000n })
  const payout = world.record('4', unbacked(4_000_000n))
  const differs = world.record('5', { amountRaw: 5_000_000n })
  world.accuse(differs, 'transfer.mismatch', { what: 'amount', expected: '5', found: '5.25' })
  const twice = world.record('6', { amountRaw: 6_000_000n })
  world.accuse(twice, 'transfer.duplicate')
  const out = world.move({ hash: hash('out'), amount: '7.000001', direction: 'out' })
  const young = world.record('8', pending(8_000_000n, { zoneTime: start + day, requestedAt: start + day }))
  expect(linesOf(world.list()).toSorted()).toEqual(
    [
      `${stalled} stalled 2.5 USDC`,
      `${failed} failed 3 USDC`,
      `${payout} unbacked 4 USDC`,
      `${differs} mismatch 0.25 USDC`,
      `${twice} duplicate 6 USDC`,
      `${out} out 7.000001 USDC`,
    ].toSorted(),
  )
  // A rule says when one is open too long.
  world.accuse(young, 'transfer.stalled')
  expect(linesOf(world.list())).toContain(`${young} stalled 8 USDC`)
  world.close()
})

test('what was read, and said by a rule that is over, is no break', () => {
  const world = createWorld()
  const key = world.record('5')
  world.accuse(key, 'transfer.mismatch', { what: 'amount', expected: '1.5', found: '2' })
  endFindings(world.db)
  expect(linesOf(world.list())).toEqual([])
  world.close()
})

test('a break is over by itself once it completed, or was explained', () => {
  const world = createWorld()
  world.record('2', pending(2_500_000n))
  world.move({ hash: hash('out'), amount: '7', direction: 'out' })
  expect(world.list().total).toBe(2)
  world.record('2', { amountRaw: 2_500_000n, requestedAt: start + day })
  world.explain(hash('out'))
  expect(world.list().total).toBe(0)
  world.close()
})

test('all breaks are of one moment, whatever is written while they are gone through', () => {
  const world = createWorld()
  world.record('2', pending(2_500_000n))
  const steps = readBreaks(world.sources, world.clock.now())
  steps.next()
  world.record('2', { amountRaw: 2_500_000n, requestedAt: start + day })
  world.move({ hash: hash('out'), amount: '7', direction: 'out' })
  expect(runAtOnce(steps).breaks.map(({ kind }) => kind)).toEqual(['stalled'])
  expect(runAtOnce(readBreaks(world.sources, world.clock.now())).breaks.map(({ kind }) => kind)).toEqual([
    'out',
  ])
  world.close()
})

test('money that a transfer names is not named again by the movement that moved it', () => {
  const world = createWorld()
  const payout = world.record('4', unbacked(4_000_000n))
  const rest = world.move({ hash: hash('m4'), amount: '4.5', direction: 'out' })
  expect(linesOf(world.list()).toSorted()).toEqual(
    [`${payout} unbacked 4 USDC`, `${rest} out 0.5 USDC`].toSorted(),
  )
  world.move({ hash: hash('m4'), amount: '4', direction: 'out' })
  expect(linesOf(world.list())).toEqual([`${payout} unbacked 4 USDC`])
  world.close()
})

describe('where the escrows hold another token than records name', () => {
  const weth = `0x${'e7'.repeat(20)}`
  const native = 1_000_000_000_000_000_000n

  test('money that a transfer names is not named again: the native currency is held wrapped', () => {
    const world = createWorld()
    saveWrapping(world.db, { wrappedNative: weth })
    const payout = world.record('4', unbacked(4n * native, { token: '' }))
    const rest = world.move({ hash: hash('m4'), amount: '4.5', direction: 'out', token: weth })
    const both = [`${payout} unbacked 4 ETH`, `${rest} out 0.5 null`]
    expect(linesOf(world.list()).toSorted()).toEqual(both.toSorted())
    const stalled = world.record('2', pending(native / 2n, { token: '' }))
    world.operations.matchBreaks({ payout: rest, origin: stalled, reason: 'why', force: false }, ana)
    expect(linesOf(world.list())).toEqual([`${payout} unbacked 4 ETH`])
    world.close()
  })

  test('nor where records name the zone’s side of a token', () => {
    const world = createWorld()
    const payout = world.record('4', unbacked(4n * native, { token: dai }))
    const other = world.record('5', unbacked(native, { token: dai }))
    const rest = world.move({ hash: hash('m4'), amount: '4.5', direction: 'out' })
    const getTransfer = (key: string) => {
      const known = world.ledger.getTransfer(key)
      return known && { ...known, token: { ...known.token, movedAs: usdc } }
    }
    const { breaks } = runAtOnce(
      readBreaks({ ...world.sources, ledger: { ...world.ledger, getTransfer } }, world.clock.now()),
    )
    expect(breaks.map(({ name, amount }) => `${name} ${amount && formatDecimal(amount)}`)).toEqual([
      `${payout} 4`,
      `${other} 1`,
      `${rest} 0.5`,
    ])
    world.close()
  })
})

test('what failed where it set out is a break only while something may have left', () => {
  const world = createWorld()
  const key = world.record('2', {
    status: 'failed',
    amountRaw: 2_500_000n,
    mainHash: null,
    mainTime: null,
    mainHeight: null,
    source: 'E12',
  })
  let answers = 0
  const say = (status: 'failed' | 'success') => {
    const at = start + day + (answers += 1)
    const leg = { chain: 'zone', hash: hash('z2'), source: 'E9', errorMessage: '', moves: null } as const
    world.db.transaction(() => world.ledger.recordEvidence([{ ...leg, status, requestedAt: at }], at))
  }
  expect(linesOf(world.list())).toEqual([`${key} failed 2.5 USDC`])
  say('failed')
  expect(linesOf(world.list())).toEqual([])
  expect(findBreak(world.sources, key, world.clock.at)).toBeNull()
  // The block that held the failure was taken back, and the transaction succeeded in another one.
  say('success')
  expect(linesOf(world.list())).toEqual([`${key} failed 2.5 USDC`])
  world.close()
})

test('what is unbacked is so since it was paid, whenever that was read and of whenever the origin is that it names', () => {
  const world = createWorld()
  const paid = { mainTime: start + 60_000, requestedAt: start + day / 2 }
  const unnamed = world.record('3', unbacked(3_000_000n, paid))
  const absent = world.record('4', { amountRaw: 4_000_000n, zoneTime: start - 7 * day, ...paid })
  const leg = { chain: 'zone', hash: hash('z4'), source: 'E9', errorMessage: '', moves: null } as const
  world.db.transaction(() =>
    world.ledger.recordEvidence([{ ...leg, status: 'absent', requestedAt: start + day }], start + day),
  )
  world.clock.at += day
  const { breaks } = runAtOnce(readBreaks(world.sources, world.clock.now()))
  expect(breaks.map(({ name, kind, since }) => [name, kind, since - start])).toEqual(
    [absent, unnamed].map((name) => [name, 'unbacked', 60_000]),
  )
  world.close()
})

test('of what was paid twice the other payout is named', () => {
  const world = createWorld()
  const key = world.record('6', { amountRaw: 6_000_000n })
  world.accuse(key, 'transfer.duplicate', { otherHashes: hash('first') })
  expect(world.list().breaks).toMatchObject([
    { name: key, kind: 'duplicate', evidence: `the same origin was paid by ${hash('first')} too` },
  ])
  world.close()
})

test('a reason that is too long is refused, not cut', () => {
  const world = createWorld()
  const name = world.record('2', pending(2_500_000n))
  const settle = (reason: string) => world.operations.writeOffBreak({ name, reason }, ana)
  expect(() => settle('x'.repeat(501))).toThrow('expected a text of at most 500 characters, got 501')
  settle('x'.repeat(500))
  expect(world.list().total).toBe(0)
  world.close()
})

describe('a deposit that failed', () => {
  const deposit = (amountRaw: bigint) => ({
    direction: 'MainToZone' as const,
    status: 'failed' as const,
    amountRaw,
  })

  test('is no break once it was given back, and as much of it as was not until then', () => {
    const world = createWorld()
    const key = world.record('3', deposit(3_000_000n))
    world.giveBack({ hash: hash('first'), deposit: hash('m3'), amount: '1.000001' })
    expect(linesOf(world.list())).toEqual([`${key} failed 1.999999 USDC`])
    world.giveBack({ hash: hash('rest'), deposit: hash('m3'), amount: '1.999999' })
    expect(linesOf(world.list())).toEqual([])
    expect(findBreak(world.sources, key, world.clock.now())).toBeNull()
    // The chain holds the movement no more.
    world.db.prepare('DELETE FROM escrow_flows').run()
    expect(linesOf(world.list())).toEqual([`${key} failed 3 USDC`])
    world.close()
  })

  test('of several of one transaction the oldest was given back first, and of each token its own', () => {
    const world = createWorld()
    const main = { mainHash: hash('m') }
    const keys = [1, 2, 3].map((id) => world.record(String(id), { ...deposit(2_000_000n), ...main }))
    const other = world.record('4', { ...deposit(2n * 10n ** 18n), ...main, token: dai })
    world.giveBack({ hash: hash('back'), deposit: hash('m'), amount: '3.5' })
    expect(linesOf(world.list()).toSorted()).toEqual(
      [`${keys[1]} failed 0.5 USDC`, `${keys[2]} failed 2 USDC`, `${other} failed 2 DAI`].toSorted(),
    )
    world.close()
  })

  test('is given back, and no withdrawal is', () => {
    const world = createWorld()
    const key = world.record('3', { ...deposit(3_000_000n), direction: 'ZoneToMain' })
    world.giveBack({ hash: hash('first'), deposit: hash('m3'), amount: '3' })
    expect(linesOf(world.list())).toEqual([`${key} failed 3 USDC`])
    world.close()
  })
})

test('the list is by age or amount, of a token, from an amount and an age on', () => {
  const world = createWorld()
  const old = world.record('1', pending(1_000_000n, { zoneTime: start - 3 * day }))
  const large = world.record('2', pending(9_000_000n))
  const other = world.record('3', pending(2n * 10n ** 18n, { token: dai }))
  const names = (query: Parameters<typeof world.list>[0]) => world.list(query).breaks.map(({ name }) => name)
  expect(names({})).toEqual([old, large, other])
  expect(names({ sort: 'amount' })).toEqual([large, other, old])
  expect(names({ token: 'dai' })).toEqual([other])
  expect(names({ token: usdc.toUpperCase().replace('0X', '0x') })).toEqual([old, large])
  expect(names({ min: toDecimal('2') })).toEqual([large, other])
  expect(names({ minAgeMs: 3 * day })).toEqual([old])
  expect(names({ limit: 1, offset: 1 })).toEqual([large])
  expect(world.list({ limit: 1 })).toMatchObject({
    total: 3,
    isCut: false,
    sums: [
      { symbol: 'USDC', open: { count: 2, amount: '10', unknown: 0 }, oldestAt: start - 3 * day },
      { symbol: 'DAI', open: { count: 1, amount: '2' } },
    ],
  })
  world.close()
})

test('of what came in fewer are read, and that there are more is said as well', () => {
  const world = createWorld()
  const come = (count: number) => {
    for (let n = 0; n < count; n += 1)
      world.move({ hash: hash(`in${n}`), amount: '1', direction: 'in', at: start + n })
    return world.list({ limit: 1 })
  }
  expect(come(1_999)).toMatchObject({ total: 1_999, isCut: false })
  expect(come(2_000)).toMatchObject({ total: 2_000, isCut: true })
  world.close()
})

test('a break shows what is known: hashes, parties, state, evidence, case', () => {
  const world = createWorld()
  const failed = world.record('3', { status: 'failed', amountRaw: 3_000_000n })
  world.move({ hash: hash('out'), amount: '7', direction: 'out' })
  world.db.prepare('INSERT INTO case_spans VALUES (?, 0, 0, 7)').run(`transfer:${failed}`)
  world.db
    .prepare(
      `INSERT INTO cases (id, state, turn, turn_at, opened_at, severity, worst_alert, members, money, turn_money, changed_at)
       VALUES (7, 'open', 1, 0, 0, 'critical', 1, 1, '{}', '{}', 0)`,
    )
    .run()
  expect(world.list().breaks).toMatchObject([
    {
      transferKey: null,
      mainHash: hash('out'),
      escrow,
      source: escrow,
      target: '0xdd',
      evidence: 'no transfer names it',
      caseId: null,
    },
    {
      state: 'failed',
      mainHash: hash('m3'),
      zoneHash: hash('z3'),
      source: '0xaa',
      target: '0xbb',
      evidence: 'the record has status 0x0',
      caseId: 'c7',
    },
  ])
  world.close()
})

test('a write-off takes a break off the list, with who and why, and is taken back by an entry that says so', () => {
  const world = createWorld()
  const key = world.record('2', pending(2_500_000n))
  const entry = world.operations.writeOffBreak({ name: hash('z2'), reason: 'refunded by hand' }, ana)
  expect(entry).toMatchObject({
    id: 'e1',
    what: 'written off',
    who: 'ana',
    from: 'cli',
    reason: 'refunded by hand',
    shares: [{ name: key, kind: 'stalled', amount: '2.5', token: { symbol: 'USDC' }, now: 'holds' }],
  })
  expect(world.list().total).toBe(0)
  expect(world.list({ state: 'settled' })).toMatchObject({
    breaks: [{ name: key, amount: '2.5', left: '0', settled: '2.5', entries: ['e1'] }],
    sums: [{ open: { count: 0, amount: '0' }, settled: { count: 1, amount: '2.5' } }],
  })
  const refused = (name: string) => () => world.operations.writeOffBreak({ name, reason: 'again' }, ana)
  expect(refused(key)).toThrow('settled already, by e1')
  expect(refused('t99')).toThrow('Nothing named t99')
  expect(world.operations.undoEntry({ entry: 'e1', reason: 'it was another' }, ana)).toMatchObject({
    id: 'e2',
    what: 'taken back',
    undoes: 'e1',
    shares: [{ name: key, now: 'taken back' }],
  })
  expect(linesOf(world.list())).toEqual([`${key} stalled 2.5 USDC`])
  const undo = (entry: string) => () => world.operations.undoEntry({ entry, reason: 'x' }, ana)
  expect(undo('e1')).toThrow('taken back already, by e2')
  expect(undo('e2')).toThrow('e2 takes back e1')
  expect(undo('e9')).toThrow('no entry e9')
  expect(undo('nine')).toThrow('expected an entry')
  world.close()
})

test('entries are never changed and never removed', () => {
  const world = createWorld()
  world.record('2', pending(2_500_000n))
  world.operations.writeOffBreak({ name: hash('z2'), reason: 'why' }, ana)
  expect(() => world.db.prepare("UPDATE break_entries SET reason = ''").run()).toThrow('never changed')
  expect(() => world.db.prepare('DELETE FROM break_entries').run()).toThrow('never removed')
  world.close()
})

test('a payout is matched with its origin; what it is less stays a break', () => {
  const world = createWorld()
  const origin = world.record('2', pending(2_500_000n))
  const payout = world.record('4', unbacked(2_400_000n))
  const entry = world.operations.matchBreaks(
    { payout: hash('m4'), origin, reason: 'the operator confirmed it', force: false },
    ana,
  )
  expect(entry).toMatchObject({
    what: 'matched',
    difference: '-0.1',
    shares: [
      { name: payout, part: 'payout', amount: '2.4' },
      { name: origin, part: 'origin', amount: '2.4' },
    ],
  })
  expect(world.list().breaks).toMatchObject([
    { name: origin, left: '0.1', settled: '2.4', remark: 'what is left beside e1' },
  ])
  world.operations.writeOffBreak({ name: origin, reason: 'the fee' }, ana)
  expect(world.list().total).toBe(0)
  world.operations.undoEntry({ entry: 'e1', reason: 'wrong one' }, ana)
  expect(linesOf(world.list()).toSorted()).toEqual(
    [`${origin} stalled 2.4 USDC`, `${payout} unbacked 2.4 USDC`].toSorted(),
  )
  world.close()
})

test('a movement is matched with a transfer: what left with a withdrawal, a deposit with what came in', () => {
  const world = createWorld()
  const left = world.record('2', pending(2_500_000n))
  const out = world.move({ hash: hash('out'), amount: '2.5', direction: 'out' })
  const credit = world.record('3', {
    direction: 'MainToZone',
    crossType: 'Deposit',
    amountRaw: 3_000_000n,
    mainHash: null,
    mainHeight: null,
    mainTime: null,
  })
  const came = world.move({ hash: hash('in'), amount: '3', direction: 'in' })
  const match = (payout: string, origin: string) =>
    world.operations.matchBreaks({ payout, origin, reason: 'seen on chain', force: false }, ana)
  expect(match(out, left).difference).toBe('0')
  expect(match(credit, hash('in')).difference).toBe('0')
  expect(world.list().total).toBe(0)
  expect(
    world
      .list({ state: 'settled' })
      .breaks.map(({ name }) => name)
      .toSorted(),
  ).toEqual([left, out, credit, came].toSorted())
  world.close()
})

test('a matching that cannot be is refused, and changes nothing', () => {
  const world = createWorld()
  const origin = world.record('1', pending(1_000_000n))
  const other = world.record('2', pending(1_000_000n))
  const payout = world.record('3', unbacked(1_000_000n))
  const second = world.record('4', unbacked(1_000_000n))
  const foreign = world.record('5', unbacked(10n ** 18n, { token: dai }))
  const deposit = world.record(
    '6',
    pending(1_000_000n, {
      direction: 'MainToZone',
      mainHash: hash('m6'),
      mainTime: start,
      zoneHash: null,
      zoneTime: null,
    }),
  )
  const [out, came] = (['out', 'in'] as const).map((direction) =>
    world.move({ hash: hash(`${direction}x`), amount: '1', direction }),
  ) as [string, string]
  const match =
    (payout: string, origin: string, more: { reason?: string; force?: boolean } = {}) =>
    () =>
      world.operations.matchBreaks({ payout, origin, reason: 'why', force: false, ...more }, ana)
  expect(match(origin, other)).toThrow('is no payout: open too long')
  expect(match(payout, second)).toThrow('is no origin: unbacked')
  expect(match(came, origin)).toThrow('is no payout: came in, not explained')
  expect(match(payout, deposit)).toThrow('different directions')
  expect(match(foreign, origin)).toThrow('different tokens')
  expect(match(out, came)).toThrow('two movements')
  expect(match(payout, origin, { reason: ' ' })).toThrow('expected a reason')
  expect(match(payout, 't99')).toThrow('Nothing named t99')
  expect(() =>
    world.operations.matchBreaks({ payout, origin, reason: 'why', force: false }, { ...ana, by: '' }),
  ).toThrow('--by')
  expect(world.list({ state: 'all' }).breaks.flatMap(({ entries }) => entries)).toEqual([])
  match(payout, origin)()
  expect(match(second, origin)).toThrow('settled already, by e1')
  const large = world.record('7', pending(5_000_000n))
  match(second, large)()
  expect(match(out, large)).toThrow(`${large} is matched already, by e2: one origin pays one payout`)
  expect(match(foreign, other, { force: true })()).toMatchObject({
    difference: null,
    shares: [
      { name: foreign, amount: '1', token: { symbol: 'DAI' } },
      { name: other, amount: '1', token: { symbol: 'USDC' } },
    ],
  })
  world.close()
})

test('new facts put a break back on the list, and it says so', () => {
  const world = createWorld()
  const key = world.record('2', pending(2_500_000n))
  const out = world.move({ hash: hash('out'), amount: '7', direction: 'out' })
  world.operations.writeOffBreak({ name: key, reason: 'waits for the upgrade' }, ana)
  world.operations.writeOffBreak({ name: out, reason: 'an audit' }, ana)
  expect(world.list().total).toBe(0)
  world.record('2', { status: 'failed', amountRaw: 2_500_000n, requestedAt: start + day })
  world.move({ hash: hash('out'), amount: '9', direction: 'out' })
  expect(world.list().breaks).toMatchObject([
    { name: out, left: '2', settled: '7', remark: 'back: e2 was made of 7, by now it is 9' },
    {
      name: key,
      kind: 'failed',
      left: '2.5',
      settled: '0',
      remark: 'back: e1 was made of another kind: open too long',
    },
  ])
  world.close()
})

test('an amount that nobody knows is written off as a whole, and is back once it is known', () => {
  const world = createWorld()
  const key = world.record('2', pending(1n, { amountRaw: null }))
  expect(world.list()).toMatchObject({
    breaks: [{ name: key, amount: null, left: null }],
    sums: [{ open: { count: 1, amount: '0', unknown: 1 } }],
  })
  world.operations.writeOffBreak({ name: key, reason: 'nobody knows' }, ana)
  expect(world.list().total).toBe(0)
  world.record('2', pending(5_000_000n, { requestedAt: start + day }))
  expect(world.list().breaks).toMatchObject([
    { name: key, left: '5', remark: 'back: how much it is was not known in e1' },
  ])
  world.close()
})

test('a token without decimals is summed in base units, beside no other', () => {
  const world = createWorld()
  const token = `0x${'ab'.repeat(20)}`
  world.record('2', pending(77n, { token }))
  world.record('3', pending(5n, { token }))
  expect(world.list().sums).toMatchObject([{ token, inBaseUnits: true, open: { count: 2, amount: '82' } }])
  world.close()
})

test('the native currency goes by its symbol, under whatever address records and configuration name it', () => {
  const world = createWorld()
  world.record('2', pending(2_000_000_000_000_000_000n, { token: '' }))
  world.move({ hash: hash('out'), amount: '7', direction: 'out', token: '' })
  const { sums } = world.list({ token: 'eth' })
  expect(sums).toMatchObject([{ token: '', symbol: 'ETH', open: { count: 2, amount: '9' } }])
  world.close()
})

test('every entry is in the audit log, in the timeline of the case, and told to who follows it', () => {
  const world = createWorld()
  const origin = world.record('2', pending(2_500_000n))
  const payout = world.record('4', unbacked(2_500_000n))
  world.db.prepare('INSERT INTO case_spans VALUES (?, 0, 0, 7)').run(`transfer:${payout}`)
  world.db
    .prepare(
      `INSERT INTO cases (id, state, turn, turn_at, opened_at, severity, worst_alert, members, money, turn_money, changed_at)
       VALUES (7, 'open', 1, 0, 0, 'critical', 1, 1, '{}', '{}', 0)`,
    )
    .run()
  for (const channel of ['ops', 'mail'])
    world.db
      .prepare(
        `INSERT INTO case_channels (case_id, channel, window_at, last_at, tellings, money, kinds)
         VALUES (7, ?, 0, 0, 1, '{}', '[]')`,
      )
      .run(channel)
  world.operations.matchBreaks({ payout, origin, reason: 'the same', force: false }, ana)
  world.operations.undoEntry({ entry: 'e1', reason: 'not the same' }, ana)
  world.operations.writeOffBreak({ name: origin, reason: 'a fee' }, ana)
  const rows = (sql: string) =>
    world.db
      .prepare(sql)
      .all()
      .map((row) => Object.values(row).join(' | '))
  expect(rows('SELECT who, what, about, about_id, detail FROM audit_log ORDER BY id')).toEqual([
    `ana | matched | transfer | ${payout} | e1: the same; ${payout}: 2.5 USDC, unbacked`,
    `ana | matched | transfer | ${origin} | e1: the same; ${origin}: 2.5 USDC, open too long`,
    `ana | took back | transfer | ${payout} | e2 takes back e1 (matched): not the same; ${payout}: 2.5 USDC, unbacked`,
    `ana | took back | transfer | ${origin} | e2 takes back e1 (matched): not the same; ${origin}: 2.5 USDC, open too long`,
    `ana | wrote off | transfer | ${origin} | e3: a fee; ${origin}: 2.5 USDC, open too long`,
  ])
  expect(rows('SELECT case_id, what, by, text FROM case_log ORDER BY id')).toEqual([
    `7 | matched | ana | e1: the same; ${payout}: 2.5 USDC, unbacked`,
    `7 | taken back | ana | e2 takes back e1 (matched): not the same; ${payout}: 2.5 USDC, unbacked`,
  ])
  // A channel that follows no cases hears of none.
  expect(rows('SELECT case_id, channel, what, change, critical FROM outbox ORDER BY id')).toEqual([
    '7 | ops | case | matched | 1',
    '7 | ops | case | taken back | 1',
  ])
  world.close()
})

test('an entry follows a transfer that was joined into an older one', () => {
  const world = createWorld()
  const older = world.record('1', pending(2_500_000n))
  const younger = world.record('2', pending(2_500_000n))
  world.operations.writeOffBreak({ name: younger, reason: 'refunded' }, ana)
  const [to, from] = [older, younger].map((key) => Number(key.slice(1))) as [number, number]
  world.db.prepare('DELETE FROM transfers WHERE key = ?').run(from)
  world.db.prepare('INSERT INTO aliases VALUES (?, ?)').run(from, to)
  expect(world.list().total).toBe(0)
  expect(world.list({ state: 'settled' }).breaks).toMatchObject([{ name: older, entries: ['e1'] }])
  world.close()
})

test('breaks are found by indexes of what is open, not among all that is stored', () => {
  const world = createWorld()
  const texts: string[] = []
  const db = { ...world.db, prepare: (sql: string) => (texts.push(sql), world.db.prepare(sql)) }
  runAtOnce(readBreaks({ ...world.sources, db }, world.clock.now()))
  findBreak({ ...world.sources, db }, 't1', world.clock.now())
  const plans = texts.flatMap((sql) =>
    world.db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail)),
  )
  expect(plans.filter((plan) => /transfers_open/.test(plan))).toHaveLength(3)
  expect(plans).toContainEqual(expect.stringMatching(/alerts_breaks/))
  expect(plans).toContainEqual(expect.stringMatching(/escrow_flows_told/))
  expect(plans.filter((plan) => /^SCAN (t|escrow_flows)\b/.test(plan) || /^SCAN a$/.test(plan))).toEqual([])
  world.close()
})
