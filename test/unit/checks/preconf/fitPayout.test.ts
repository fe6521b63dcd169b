import { fc } from '../../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { type Claim, fitPayout } from '../../../../src/checks/preconf/fitPayout.ts'
import type { Out, Payout } from '../../../../src/checks/preconf/payout.ts'

const claim = (key: string, raw: bigint, more: Partial<Claim> = {}): Claim => ({
  key,
  recipient: `to-${key}`,
  raw,
  less: 0n,
  isBatch: false,
  ...more,
})
const pays = (...outs: readonly (readonly [string, bigint])[]): Payout => {
  const all = outs.map(([to, raw]): Out => ({ to, raw }))
  return {
    token: '0x1',
    tokenId: '',
    net: all.reduce((sum, { raw }) => sum + raw, 0n),
    outs: all,
    escrow: '0xe',
  }
}
const fit = (payout: Payout, named: readonly Claim[], pending: readonly Claim[] = []) => {
  const { uses, left } = fitPayout(payout, named, pending)
  return { uses: uses.map(({ key }) => key), left }
}

describe('one withdrawal', () => {
  test('its amount to its recipient fits it; nothing known leaves all', () => {
    expect(fit(pays(['to-a', 5n]), [], [claim('a', 5n)])).toEqual({ uses: ['a'], left: 0n })
    expect(fit(pays(['to-a', 5n]), [], [])).toEqual({ uses: [], left: 5n })
  })

  test('to somebody else it fits only where the event names it', () => {
    expect(fit(pays(['relayer', 5n]), [], [claim('a', 5n)])).toEqual({ uses: [], left: 5n })
    expect(fit(pays(['relayer', 5n]), [claim('a', 5n)])).toEqual({ uses: ['a'], left: 0n })
  })

  test('more than it brings does not fit, less does within the fee', () => {
    expect(fit(pays(['to-a', 6n]), [], [claim('a', 5n)]).left).toBe(6n)
    expect(fit(pays(['to-a', 6n]), [claim('a', 5n)]).left).toBe(6n)
    expect(fit(pays(['to-a', 4n]), [], [claim('a', 5n, { less: 1n })]).left).toBe(0n)
    expect(fit(pays(['to-a', 3n]), [], [claim('a', 5n, { less: 1n })]).left).toBe(3n)
  })

  test('one withdrawal is used for one payout', () => {
    expect(fit(pays(['to-a', 5n], ['x', 5n]), [], [claim('a', 5n), claim('b', 5n)])).toEqual({
      uses: ['a'],
      left: 5n,
    })
  })

  test('of several that fit, the closest is used', () => {
    const two = [claim('b', 6n, { recipient: 'r', less: 2n }), claim('a', 5n, { recipient: 'r', less: 2n })]
    expect(fit(pays(['r', 5n], ['r', 6n]), [], two)).toEqual({ uses: ['a', 'b'], left: 0n })
  })

  test('what else is paid is a fee as far as the withdrawal kept it', () => {
    const named = [claim('a', 100n, { less: 3n })]
    expect(fit(pays(['to-a', 97n], ['collector', 3n]), named).left).toBe(0n)
    expect(fit(pays(['to-a', 97n], ['collector', 4n]), named).left).toBe(4n)
  })

  test('what passes through in the same transaction has not left', () => {
    const payout = { ...pays(['vault', 90n], ['to-a', 5n]), net: 5n }
    expect(fit(payout, [], [claim('a', 5n)])).toEqual({ uses: ['a'], left: 0n })
    expect(fit({ ...payout, net: 6n }, [], [claim('a', 5n)]).left).toBe(1n)
  })
})

describe('several together', () => {
  test('a batch is paid to many, and to nobody but once', () => {
    const batch = claim('a', 12n, { isBatch: true })
    expect(fit(pays(['x', 5n], ['y', 7n]), [], [batch])).toEqual({ uses: ['a'], left: 0n })
    expect(fit(pays(['x', 5n], ['y', 8n]), [], [batch]).left).toBe(13n)
    expect(fit(pays(['x', 5n], ['y', 7n]), [], [{ ...batch, isBatch: false }]).left).toBe(12n)
  })

  test('all that wait for one recipient may be paid in one', () => {
    const two = [claim('a', 5n, { recipient: 'r' }), claim('b', 7n, { recipient: 'r' })]
    expect(fit(pays(['r', 12n]), [], two)).toEqual({ uses: ['a', 'b'], left: 0n })
    expect(fit(pays(['r', 13n]), [], two).left).toBe(13n)
    expect(fit(pays(['s', 12n]), [], two).left).toBe(12n)
  })

  test('of what one origin brings several others it uses no more than it pays: first what is to who is paid, then what is enough', () => {
    const named = [claim('large', 1_769n), claim('a', 100n), claim('b', 90n)]
    expect(fit(pays(['to-a', 98n], ['collector', 1n]), named)).toEqual({ uses: ['a'], left: 0n })
    expect(fit(pays(['x', 98n], ['collector', 1n]), named)).toEqual({ uses: ['a'], left: 0n })
    expect(fit(pays(['to-a', 98n], ['to-b', 89n]), named)).toEqual({ uses: ['b', 'a'], left: 0n })
    expect(fit(pays(['to-b', 98n], ['collector', 1n]), named)).toEqual({ uses: ['a'], left: 0n })
    expect(fit(pays(['x', 150n]), named)).toEqual({ uses: ['b', 'a'], left: 0n })
    expect(fit(pays(['x', 1_900n]), named)).toEqual({ uses: ['b', 'a', 'large'], left: 0n })
    expect(fit(pays(['x', 2_000n]), named).left).toBe(2_000n)
  })

  test('what goes to a collector out of what was kept uses up no other withdrawal of the origin', () => {
    const named = [claim('a', 100n, { less: 2n }), claim('large', 1_769n)]
    expect(fit(pays(['to-a', 98n], ['collector', 1n]), named)).toEqual({ uses: ['a'], left: 0n })
    expect(fit(pays(['to-a', 98n], ['x', 3n]), named)).toEqual({ uses: ['a', 'large'], left: 0n })
  })

  test('what an event names together may be paid in any number of pieces', () => {
    const named = [claim('a', 5n), claim('b', 7n)]
    expect(fit(pays(['x', 4n], ['y', 4n], ['z', 4n]), named)).toEqual({ uses: ['a', 'b'], left: 0n })
  })
})

const part = fc.record({
  raw: fc.bigInt({ min: 10n, max: 10n ** 24n }),
  fee: fc.integer({ min: 0, max: 9 }),
  recipient: fc.constantFrom('r1', 'r2', 'r3'),
})
const world = fc.record({
  paid: fc.array(part, { minLength: 1, maxLength: 8 }),
  others: fc.array(part, { maxLength: 8 }),
})
const toClaim = ({ raw, recipient }: { raw: bigint; recipient: string }, key: string): Claim =>
  claim(key, raw, { recipient, less: 9n })

test('whatever is paid of named withdrawals fits, and on top of it a theft never does', () => {
  fc.assert(
    fc.property(world, fc.bigInt({ min: 100n, max: 10n ** 25n }), ({ paid, others }, stolen) => {
      const named = paid.map((one, at) => toClaim(one, `n${at}`))
      const pending = others.map((one, at) => toClaim(one, `p${at}`))
      const outs = paid.map(({ raw, fee, recipient }) => [recipient, raw - BigInt(fee)] as const)
      expect(fit(pays(...outs), named, pending).left).toBe(0n)
      const kept = paid.reduce((sum, { fee }) => sum + BigInt(fee), 0n)
      const { left } = fit(pays(...outs, ['thief', stolen]), named, pending)
      expect(left > kept).toBe(true)
    }),
  )
})

const share = fc.record({
  /** What is kept, in hundredths; some of it goes to a collector. */
  fee: fc.bigInt({ min: 0n, max: 20n }),
  collected: fc.bigInt({ min: 0n, max: 20n }),
  less: fc.constantFrom(0n, 5n),
  recipient: fc.constantFrom('r1', 'r2', 'r3'),
  order: fc.nat(),
})

test('withdrawals of one origin that transactions of their own pay fit in any order, whatever is known of fees', () => {
  fc.assert(
    fc.property(fc.array(share, { minLength: 1, maxLength: 6 }), (shares) => {
      // Far apart: what is paid of one could not be another, or several of them.
      const paid = shares.map((one, at) => ({ ...one, raw: 100n * 4n ** BigInt(at) }))
      let open = paid.map((one, at) => claim(`n${at}`, one.raw, one))
      for (const { raw, fee, collected, recipient } of paid.toSorted((a, b) => a.order - b.order)) {
        const kept = (raw * fee) / 100n
        const rest = collected > fee ? kept : (raw * collected) / 100n
        const outs = [[recipient, raw - kept] as const, ...(rest > 0n ? [['collector', rest] as const] : [])]
        const { uses, left } = fit(pays(...outs), open)
        expect(left).toBe(0n)
        open = open.filter(({ key }) => !uses.includes(key))
      }
      expect(open).toEqual([])
    }),
  )
})
