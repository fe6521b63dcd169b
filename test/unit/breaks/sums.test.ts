import { expect, test } from 'vitest'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { readFinding } from '../../support/readFinding.ts'
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  noAmount,
  subtractDecimals,
  toDecimal,
} from '../../../src/bridge/decimal.ts'
import { sumKeyOf } from '../../../src/breaks/break.ts'
import { findBreak, listBreaks } from '../../../src/breaks/readBreaks.ts'
import { MonitorError } from '../../../src/lib/errors.ts'
import { fc, timesOf, seeds } from '../../support/fastCheck.ts'
import { textOfHash } from '../../../src/store/hash.ts'
import { hash } from '../../support/records.ts'
import { ana, createWorld, dai, day, pending, start, unbacked, usdc } from './world.ts'

type World = ReturnType<typeof createWorld>

/** What happens on the chains: a transfer that comes to be, or changes, or is accused; a movement, or its explanation. */
const happening = fc.record({
  what: fc.constantFrom('pending', 'failed', 'unbacked', 'completed', 'accused', 'out', 'in', 'explained'),
  id: fc.nat(2),
  amount: fc.oneof(fc.bigInt(1n, 10n ** 24n), fc.constant(null)),
  token: fc.constantFrom(usdc, usdc, usdc, dai),
  kind: fc.constantFrom('transfer.mismatch', 'transfer.duplicate', 'transfer.unbacked'),
})
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never

/** What people do; which breaks they mean is by their place in the list. */
const doing = fc.record({
  what: fc.constantFrom('match', 'write off', 'undo'),
  first: fc.nat(20),
  second: fc.nat(20),
  force: fc.boolean(),
})
type Doing = typeof doing extends fc.Arbitrary<infer T> ? T : never

function happen(world: World, { what, id, amount, token, kind }: Happening, at: number): void {
  // What a rule said of a record with another token is about that one.
  const of = { token: id === 2 ? dai : usdc, requestedAt: start + 1_000 + at }
  const units = String(amount ?? 3n)
  if (what === 'pending') world.record(`${id}`, pending(1n, { ...of, amountRaw: amount }))
  if (what === 'failed') world.record(`${id}`, { ...of, status: 'failed', amountRaw: amount })
  if (what === 'unbacked') world.record(`u${id}`, unbacked(1n, { ...of, amountRaw: amount }))
  if (what === 'completed') world.record(`${id}`, { ...of, amountRaw: amount })
  if (what === 'accused') {
    const [transfer] = world.ledger.listTransfers({ hash: `${id}` })
    const facts = { what: 'amount', expected: '1', found: '0.5' }
    if (transfer) world.db.prepare('DELETE FROM alerts WHERE transfer_key = ?').run(transfer.key)
    if (transfer) world.accuse(transfer.key, kind, facts)
  }
  // Some of them are the payouts of transfers.
  const name = id < 2 ? hash(`mu${id}`) : hash(`x${id}`)
  if (what === 'out' || what === 'in') world.move({ hash: name, amount: units, direction: what, token })
  if (what === 'explained') world.explain(name)
}

/** Refused is fine: nothing changed then. */
function act(world: World, { what, first, second, force }: Doing): void {
  const names = world.list({ state: 'all' }).breaks.map(({ name }) => name)
  const [one = 't0', other = 't0'] = [names[first % names.length], names[second % names.length]]
  try {
    if (what === 'match')
      world.operations.matchBreaks({ payout: one, origin: other, reason: 'why', force }, ana)
    else if (what === 'write off') world.operations.writeOffBreak({ name: one, reason: 'why' }, ana)
    else world.operations.undoEntry({ entry: `e${(first % 8) + 1}`, reason: 'why' }, ana)
  } catch (error) {
    if (!(error instanceof MonitorError)) throw error
  }
}

const zero = noAmount
const sumOf = (amounts: readonly Decimal[]) => amounts.reduce(addDecimals, zero)
const larger = (a: Decimal, b: Decimal) => (compareDecimals(a, b) >= 0 ? a : b)

/** What rules say of a transfer, counted anew: a mismatch is about what differs from the half unit that was found. */
function accusedOf(world: World, key: string): Decimal[] {
  const rows = world.db.prepare('SELECT kind, finding FROM alerts WHERE transfer_key = ?').all(key)
  return rows.flatMap((row) => {
    const whole = toDecimal(readFinding(row).transfer?.amount ?? '')
    if (whole === null) return [zero]
    const half = { digits: 5n, scale: 1 }
    const differs = larger(subtractDecimals(whole, half), subtractDecimals(half, whole))
    return [row['kind'] === 'transfer.mismatch' && differs.digits > 0n ? differs : whole]
  })
}

/** By token, what the chains show, counted anew from transfers and movements, without the code under test. */
function chainSums(world: World): Record<string, string> {
  const transfers = world.ledger.listTransfers({ limit: 1_000 }).flatMap((one) => {
    const open = one.state === 'completed' ? [] : [toDecimal(one.amount ?? '') ?? zero]
    const all = [...open, ...accusedOf(world, one.key)]
    if (all.length === 0) return []
    return [{ token: one.token.address, hash: one.main?.hash ?? '', amount: all.reduce(larger, zero) }]
  })
  const rows = world.db
    .prepare(
      `SELECT f.*, n.name AS token, ${textOfHash('hash')} AS hash FROM escrow_flows f JOIN names n ON n.id = f.token WHERE verdict = 'unexplained'`,
    )
    .all()
  const moves = rows.flatMap((row) => {
    const [token, hash] = [String(row['token']), String(row['hash'])]
    const named = transfers.filter((one) => one.hash === hash && one.token === token)
    const moved = toDecimal(String(row['unexplained'])) ?? zero
    const isOut = row['direction'] === 'out'
    const rest = isOut
      ? larger(zero, subtractDecimals(moved, sumOf(named.map(({ amount }) => amount))))
      : moved
    return rest.digits > 0n ? [{ token, amount: rest }] : []
  })
  const byToken = Map.groupBy([...transfers, ...moves], ({ token }) => token)
  return Object.fromEntries(
    [...byToken].map(([token, of]) => [token, formatDecimal(sumOf(of.map(({ amount }) => amount)))]),
  )
}

function listedSums(world: World): Record<string, string> {
  const { sums } = world.list({ state: 'all' })
  const add = (a: string, b: string) =>
    formatDecimal(addDecimals(toDecimal(a) ?? noAmount, toDecimal(b) ?? noAmount))
  return Object.fromEntries(sums.map((one) => [sumKeyOf(one), add(one.open.amount, one.settled.amount)]))
}

const settings = { numRuns: timesOf(80) }

test.each(seeds())(
  'open and settled together are what the chains show, to the last digit: seed %i',
  (seed) => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(happening, doing), { minLength: 5, maxLength: 25, size: 'max' }),
        (steps) => {
          const world = createWorld()
          steps.forEach((step, at) => {
            if ('first' in step) act(world, step)
            else happen(world, step, at)
            expect(listedSums(world)).toEqual(chainSums(world))
          })
          world.close()
        },
      ),
      { ...settings, seed },
    )
  },
)

test.each(seeds())('taking back every entry gives the list as it was: seed %i', (seed) => {
  fc.assert(
    fc.property(
      fc.array(happening, { minLength: 3, maxLength: 15, size: 'max' }),
      fc.array(doing, { maxLength: 12, size: 'max' }),
      (facts, deeds) => {
        const world = createWorld()
        facts.forEach((fact, at) => happen(world, fact, at))
        const before = world.list({ state: 'all' })
        for (const deed of deeds) act(world, deed)
        const made = world.db
          .prepare(
            'SELECT id FROM break_entries e WHERE undoes IS NULL AND id NOT IN (SELECT undoes FROM break_entries WHERE undoes IS NOT NULL)',
          )
          .all()
        for (const { id } of made) world.operations.undoEntry({ entry: `e${Number(id)}`, reason: 'why' }, ana)
        expect(world.list({ state: 'all' })).toEqual(before)
        world.close()
      },
    ),
    { ...settings, seed },
  )
})

test.each(seeds())('a break found by its name is the one of the list: seed %i', (seed) => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 20, size: 'max' }), (facts) => {
      const world = createWorld()
      facts.forEach((fact, at) => happen(world, fact, at))
      world.clock.at += day
      const { breaks } = runAtOnce(listBreaks(world.sources, world.clock.now()))
      expect(breaks.map(({ name }) => findBreak(world.sources, name, world.clock.now()))).toEqual(breaks)
      world.close()
    }),
    { ...settings, seed },
  )
})
