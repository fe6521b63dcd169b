import { describe, expect, test } from 'vitest'
import { isOneOfSeveral, judgeAction, mayBeOneRecord } from '../../../src/meaning/judgeAction.ts'
import type { LearnedActions } from '../../../src/meaning/learnedActions.ts'
import type { LegEvidence, Transfer } from '../../../src/bridge/transfer.ts'
import { bundle, createLessons, user } from './bundle.ts'

/** What the main chain says of a payout's own transaction. */
function paidBy({ main, token, targetAddress, amountRaw }: Transfer): LegEvidence[] {
  if (main === null) return []
  const move = {
    token: token.address,
    from: user(90),
    to: targetAddress,
    amount: null,
    amountRaw,
    tokenId: '',
  }
  const said = { chain: 'main', source: 'E13', status: 'success', errorMessage: '', at: 1_000_000 } as const
  return [{ ...said, hash: main.hash, moves: [move] }]
}

const verdicts = (
  transfers: readonly Transfer[],
  learned: LearnedActions,
  fees: Parameters<typeof judgeAction>[2]['fees'] = [],
) => transfers.map((transfer) => judgeAction(transfer, transfers, { learned, fees }))

/** Five single withdrawals that match: `sum`, `beneficiary` and `asset` are this zone's words. */
function taught(tokens: readonly string[] = ['0xcc']): LearnedActions {
  const lessons = createLessons()
  for (const token of tokens)
    for (let n = 0; n < 5; n += 1) {
      const [transfer] = bundle([{ amount: 50 + n, to: 30 + n, token }], '')
      lessons.teach(transfer as Transfer, {
        type: 'exit',
        sum: String((50 + n) * 1_000_000),
        beneficiary: user(30 + n),
        asset: `z${token}`,
        nonce: 1_790_000_000_000 + n,
      })
    }
  return lessons
}
const item = (amount: number, to: number, token = '0xcc') => ({
  sum: String(amount * 1_000_000),
  beneficiary: user(to),
  asset: `z${token}`,
})
const rows = [
  { amount: 5, to: 1 },
  { amount: 6, to: 2 },
  { amount: 5, to: 3 },
]

describe('each transfer of a bundle against its own item', () => {
  const good = { type: 'exit', exits: [item(5, 1), item(6, 2), item(5, 3)] }

  test('all with items of their own are silent, in any order and notation', () => {
    const learned = taught()
    expect(verdicts(bundle(rows, good), learned)).toEqual(['covered', 'covered', 'covered'])
    const reversed = { exits: good.exits.toReversed() }
    expect(verdicts(bundle(rows, reversed), learned)).toEqual(['covered', 'covered', 'covered'])
    const parallel = { sums: ['5000000', '6000000', '5000000'], beneficiaries: [user(1), user(2), user(3)] }
    expect(verdicts(bundle(rows, parallel), learned)).toEqual(['covered', 'covered', 'covered'])
    const inside = { payload: JSON.stringify(good) }
    expect(verdicts(bundle(rows, inside), learned)).toEqual(['covered', 'covered', 'covered'])
  })

  test.each([
    ['another amount', [item(5, 1), item(60, 2), item(5, 3)], { what: 'amount', found: '60' }],
    ['another recipient', [item(5, 1), item(6, 9), item(5, 3)], { what: 'recipient', found: user(9) }],
    ['no item left', [item(5, 1), item(5, 3)], { what: 'amount', found: 'no item of its own' }],
  ])('%s is told of the one, and of no other', (_, exits, gap) => {
    expect(verdicts(bundle(rows, { exits }), taught())).toEqual(['covered', gap, 'covered'])
  })

  test('records that E12 never showed may be one record, unless each was paid by itself', () => {
    const unshown = { source: 'E3', zoneEventIndex: null } as const
    const two = bundle(
      [rows[0] ?? { amount: 5, to: 1 }, { amount: 5, to: 1 }],
      { exits: [item(5, 1)] },
      unshown,
    )
    expect(verdicts(two, taught())).toEqual(['covered', null])
    const paid = two.map((one) => ({ ...one, evidence: [...one.evidence, ...paidBy(one)] }))
    const lost = { what: 'amount', found: 'no item of its own' }
    expect(verdicts(paid, taught())).toEqual(['covered', lost])
    const [first, second] = paid
    if (first === undefined || second === undefined) throw new Error('two were made')
    expect(verdicts([first, { ...second, main: first.main, evidence: first.evidence }], taught())).toEqual([
      'covered',
      null,
    ])
    // E12 has its time to show it.
    const at = (now: number) => mayBeOneRecord(second, paid, second.firstSeenAt + now)
    expect([at(119_999), at(120_000)]).toEqual([true, false])
    expect(mayBeOneRecord(second, [second], second.firstSeenAt)).toBe(false)
    expect(mayBeOneRecord({ ...second, confirmedStatus: 'success' }, paid, second.firstSeenAt)).toBe(false)
  })

  test('of two that were paid for one item the later payout lacks it, whichever was listed first', () => {
    const two = bundle([rows[0] ?? { amount: 5, to: 1 }, { amount: 5, to: 1 }], { exits: [item(5, 1)] })
    const paidAt = (seconds: readonly number[]) =>
      two.map((one, at) => ({
        ...one,
        main: { chain: 'main' as const, hash: `0x${at}`, height: 1, time: (seconds[at] ?? 0) * 1_000 },
      }))
    const lost = { what: 'amount', found: 'no item of its own' }
    expect(verdicts(paidAt([10, 20]), taught())).toEqual(['covered', lost])
    expect(verdicts(paidAt([20, 10]), taught())).toEqual([lost, 'covered'])
  })

  test('another token is told where the words of both are known', () => {
    const learned = taught(['0xcc', '0xdd'])
    const exits = [item(5, 1), item(6, 2, '0xdd'), item(5, 3)]
    expect(verdicts(bundle(rows, { exits }), learned)).toEqual([
      'covered',
      { what: 'token', found: '0xdd' },
      'covered',
    ])
    // A token that nothing is known of contradicts nothing.
    expect(verdicts(bundle([{ amount: 5, to: 1, token: '0xee' }], { exits: [item(5, 1)] }), learned)).toEqual(
      ['covered'],
    )
  })

  test('ids tell apart what is equal otherwise', () => {
    const lessons = createLessons()
    for (let n = 0; n < 4; n += 1) {
      const [one] = bundle([{ amount: 1, to: n, tokenId: String(70 + n) }], '')
      lessons.teach(one as Transfer, { sum: '1000000', beneficiary: user(n), nft: String(70 + n) })
    }
    const ids = (...of: string[]) => ({
      exits: of.map((nft) => ({ sum: '1000000', beneficiary: user(1), nft })),
    })
    const pair = [
      { amount: 1, to: 1, tokenId: '7' },
      { amount: 1, to: 1, tokenId: '8' },
    ]
    expect(verdicts(bundle(pair, ids('8', '0x7')), lessons)).toEqual(['covered', 'covered'])
    expect(verdicts(bundle(pair, ids('7', '9')), lessons)).toEqual([
      'covered',
      { what: 'tokenId', found: '9' },
    ])
  })

  test('two others of the transaction that match teach its words by themselves', () => {
    const exits = [item(5, 1), item(60, 2), item(5, 3)]
    expect(verdicts(bundle(rows, { exits }), createLessons())[1]).toEqual({
      what: 'amount',
      found: '60',
    })
    expect(verdicts(bundle(rows.slice(0, 2), { exits: exits.slice(0, 2) }), createLessons())).toEqual([
      null,
      null,
    ])
  })
})

describe('a single action', () => {
  const one = [{ amount: 5, to: 1 }]

  test('to another recipient than the record names is told', () => {
    expect(verdicts(bundle(one, item(5, 9)), taught())).toEqual([{ what: 'recipient', found: user(9) }])
    expect(verdicts(bundle(one, item(5, 1)), taught())).toEqual(['covered'])
  })

  test('says nothing in words that nobody taught, in broken text, or without any', () => {
    expect(verdicts(bundle(one, { value: '7', to: user(9) }), taught())).toEqual([null])
    expect(verdicts(bundle(one, '{"sum": '), taught())).toEqual([null])
    expect(verdicts(bundle(one, ''), taught())).toEqual([null])
  })

  test('may name token units, and more by a fee', () => {
    const units = { sum: '5', beneficiary: user(1) }
    expect(verdicts(bundle(one, units), taught())).toEqual(['covered'])
    const fees = [{ token: '0xcc', direction: 'ZoneToMain', max: '0.5' }]
    const gross = (sum: string) => bundle(one, { sum, beneficiary: user(1) })
    expect(verdicts(gross('5500000'), taught(), fees)).toEqual(['covered'])
    expect(verdicts(gross('5500001'), taught(), fees)).toEqual([{ what: 'amount', found: '5.500001' }])
    expect(verdicts(gross('4999999'), taught(), fees)).toEqual([{ what: 'amount', found: '4.999999' }])
  })

  test.each([
    // Nearer to the record's 5 in the other unit.
    ['its own base units', { amountRaw: 2_000n, amount: '0.002' }, '0.002'],
    ['its own token units', { amountRaw: 2_000_000_000n, amount: '2000' }, '2000'],
    ['the nearer of the two', {}, '2000'],
  ])('that says another amount is told in %s', (_, own, found) => {
    const told = bundle(one, { sum: '2000', beneficiary: user(1) }).map((transfer) => ({
      ...transfer,
      evidence: transfer.evidence.map((by) => ({ ...by, ...own })),
    }))
    expect(verdicts(told, taught())).toEqual([{ what: 'amount', found }])
  })

  test('is learned from where a fee is kept of most', () => {
    const fees = [{ token: '0xcc', direction: 'ZoneToMain', max: '0.5' }]
    const lessons = createLessons(fees)
    for (let n = 0; n < 5; n += 1) {
      const [transfer] = bundle([{ amount: 50 + n, to: 30 + n }], '')
      lessons.teach(transfer as Transfer, { gross: String((50 + n) * 1_000_000 + 400_000) })
    }
    expect(verdicts(bundle(one, { gross: '5500001' }), lessons, fees)).toEqual([null])
    for (let n = 5; n < 10; n += 1) {
      const [transfer] = bundle([{ amount: 50 + n, to: 30 + n }], '')
      const beneficiary = user(30 + n)
      lessons.teach(transfer as Transfer, { gross: String((50 + n) * 1_000_000 + 400_000), beneficiary })
    }
    const of = (gross: string) => verdicts(bundle(one, { gross, beneficiary: user(1) }), lessons, fees)
    expect(of('5500000')).toEqual(['covered'])
    expect(of('5500001')).toEqual([{ what: 'amount', found: '5.500001' }])
  })

  test('for the sum of several rows, or in several parts, is silent', () => {
    const two = [
      { amount: 2, to: 1 },
      { amount: 3, to: 1 },
    ]
    expect(verdicts(bundle(two, item(5, 1)), taught())).toEqual(['covered', 'covered'])
    expect(verdicts(bundle(one, { exits: [item(2, 1), item(3, 1)] }), taught())).toEqual(['covered'])
  })

  test.each([
    ['the one whose amount is known', 5, [1]],
    ['the same beside one that is known to bring the rest', 7, [1]],
  ])('with one whose amount is not known nothing is said of %s', (_, sum, unknown) => {
    const rows = [2, 3, 2].slice(0, sum === 5 ? 2 : 3).map((amount) => ({ amount, to: 1 }))
    const transfers = bundle(rows, item(sum, 1)).map((one, at) =>
      unknown.includes(at) ? { ...one, amountRaw: null, amount: null } : one,
    )
    expect(verdicts(transfers, taught()).filter((one) => typeof one === 'object' && one !== null)).toEqual([])
    const less = bundle([{ amount: 9, to: 1 }, ...rows], item(sum, 1)).map((one, at) =>
      at === 1 ? { ...one, amountRaw: null, amount: null } : one,
    )
    // No unknown amount makes less of one that is known.
    expect(verdicts(less, taught())[0]).toMatchObject({ what: 'amount' })
  })

  test('is that of all rows of one batch, and of no other one', () => {
    const batch = (rowsOf: readonly string[]) =>
      rowsOf.flatMap((zoneEventIndex, at) =>
        bundle([{ amount: 2 + at, to: 1, tokenId: String(at), crossType: 'BatchWithdraw' }], item(5, 1), {
          zoneEventIndex,
        }).map((transfer) => ({ ...transfer, key: `b${at}` })),
      )
    const lessons = createLessons()
    for (let n = 0; n < 5; n += 1) {
      const [one] = bundle([{ amount: 50 + n, to: 30 + n, crossType: 'BatchWithdraw' }], '')
      lessons.teach(one as Transfer, item(50 + n, 30 + n))
    }
    expect(verdicts(batch(['8', '8']), lessons)).toEqual(['covered', 'covered'])
    const lost = { what: 'amount', found: 'no item of its own' }
    expect(verdicts(batch(['8', '9']), lessons)).toEqual(['covered', lost])
  })

  test('numbers beyond 2^53 keep their digits', () => {
    const raw = (1n << 70n) + 1n
    const transfers = bundle(one, `{"sum":${raw},"beneficiary":"${user(1)}"}`, {
      amountRaw: raw,
      value: null,
    })
    expect(verdicts(transfers, taught())).toEqual(['covered'])
    const other = bundle(one, `{"sum":${raw + 1n},"beneficiary":"${user(1)}"}`, {
      amountRaw: raw,
      value: null,
    })
    expect(verdicts(other, taught())).toEqual([{ what: 'amount', found: '1180591620717411.303426' }])
  })
})

test('words that are the amount now and then are no habit', () => {
  const lessons = createLessons()
  for (let n = 0; n < 8; n += 1) {
    const [one] = bundle([{ amount: 5 + n, to: n }], '')
    lessons.teach(one as Transfer, { sum: String((5 + n + (n % 2)) * 1_000_000), beneficiary: user(n) })
  }
  expect(verdicts(bundle([{ amount: 5, to: 1 }], item(9, 1)), lessons)).toEqual(['covered'])
})

describe('what an action does not say of the recipient', () => {
  const withdraw = (n: number, to: number, sender: number): Transfer => {
    const more = { from: user(sender), sourceAddress: user(sender) }
    const action = { type: 'exit', sum: String(n * 1_000_000), sender: user(sender) }
    const [transfer] = bundle([{ amount: n, to }], action, more)
    return transfer as Transfer
  }
  const lessonsOf = (transfers: readonly Transfer[]) => {
    const lessons = createLessons()
    for (const one of transfers) lessons.teach(one, JSON.parse(one.evidence[0]?.action ?? '') as object)
    return lessons
  }

  test('where most withdraw to themselves, the sender is not taken for the recipient', () => {
    const learned = lessonsOf(Array.from({ length: 50 }, (_, n) => withdraw(n + 1, n, n)))
    expect(verdicts([withdraw(5, 1, 2)], learned)).toEqual(['covered'])
  })

  test('a name that stands for the recipient in most, but not in a tenth, stands for nothing', () => {
    const learned = lessonsOf(
      Array.from({ length: 50 }, (_, n) => withdraw(n + 1, n % 10 === 0 ? 400 + n : n, n)).map((one) => ({
        ...one,
        from: '0xf0',
        sourceAddress: '0xaa',
      })),
    )
    expect(verdicts([withdraw(5, 1, 2)], learned)).toEqual(['covered'])
  })
})

describe('what stands where a value is expected and is none', () => {
  const one = [{ amount: 5, to: 1 }]

  test.each([
    ['a word for the sender', { sum: '5000000', beneficiary: 'self' }],
    ['nothing', { sum: '5000000', beneficiary: '' }],
    ['a word for all there is', { sum: 'ALL', beneficiary: user(1) }],
    ['the most that a type holds', { sum: String((1n << 256n) - 1n), beneficiary: user(1) }],
  ])('%s contradicts no record', (_, action) => {
    expect(verdicts(bundle(one, action), taught())).toEqual(['covered'])
  })

  test('it takes no item that is exactly the one of another', () => {
    const exits = [
      { ...item(9, 1), sum: 'ALL' },
      { ...item(5, 1), sum: '5000000' },
    ]
    const two = [
      { amount: 5, to: 1 },
      { amount: 9, to: 1 },
    ]
    expect(verdicts(bundle(two, { exits }), taught())).toEqual(['covered', 'covered'])
    expect(verdicts(bundle([...two, { amount: 9, to: 1 }], { exits }), taught())[2]).toEqual({
      what: 'amount',
      found: 'no item of its own',
    })
  })

  test('and teaches nothing against what the others taught', () => {
    const lessons = createLessons()
    for (let n = 0; n < 9; n += 1) {
      const [transfer] = bundle([{ amount: 50 + n, to: 30 + n }], '')
      const beneficiary = n % 2 === 0 ? 'self' : user(30 + n)
      lessons.teach(transfer as Transfer, { sum: String((50 + n) * 1_000_000), beneficiary })
    }
    expect(verdicts(bundle(one, item(5, 9)), lessons)).toEqual([{ what: 'recipient', found: user(9) }])
  })
})

describe('the recipient', () => {
  test.each([
    ['as a word of 32 bytes', `0x${'0'.repeat(24)}${user(1).slice(2)}`],
    ['behind the name of its chain', `eip155:1:${user(1)}`],
    ['in capitals', user(1).toUpperCase().replace('0X', '0x')],
  ])('may be written %s', (_, beneficiary) => {
    expect(verdicts(bundle([{ amount: 5, to: 1 }], { sum: '5000000', beneficiary }), taught())).toEqual([
      'covered',
    ])
    const other = [{ amount: 5, to: 2 }]
    expect(verdicts(bundle(other, { sum: '5000000', beneficiary }), taught())).toMatchObject([
      { what: 'recipient' },
    ])
  })

  test('may be named apart where another one than usual is paid', () => {
    const action = { sum: '5000000', beneficiary: user(1), payTo: user(7) }
    expect(verdicts(bundle([{ amount: 5, to: 7 }], action), taught())).toEqual(['covered'])
    expect(verdicts(bundle([{ amount: 5, to: 8 }], action), taught())).toMatchObject([{ what: 'recipient' }])
    // That the sender is paid instead is told: its own name stands in most actions.
    const toSender = bundle([{ amount: 5, to: 7 }], action, { sourceAddress: user(7) })
    expect(verdicts(toSender, taught())).toMatchObject([{ what: 'recipient' }])
  })
})

describe("a unit of the zone's own", () => {
  const shifted = (token: string, decimals: number, sum: string) =>
    bundle(
      [{ amount: 5, to: 1, token }],
      { sum, beneficiary: user(1) },
      { amountRaw: 5n * 10n ** BigInt(decimals), value: '5' },
    )

  test('is no other amount, as long as the token has not shown its own', () => {
    expect(verdicts(shifted('0xee', 8, '5000000'), taught())).toEqual(['covered'])
    expect(verdicts(shifted('0xee', 8, '6000000'), taught())).toMatchObject([{ what: 'amount' }])
    expect(verdicts(shifted('0xcc', 8, '5000000'), taught())).toMatchObject([{ what: 'amount' }])
  })

  const counted = (raw: bigint, amount: string) =>
    shifted('0xee', 8, '5000000').map((transfer) => ({
      ...transfer,
      evidence: transfer.evidence.map((one) => ({ ...one, amountRaw: raw, amount })),
    }))

  test('is another amount where the zone itself counts the token as the record does', () => {
    expect(verdicts(counted(5_000_000n, '0.05'), taught())).toMatchObject([{ what: 'amount' }])
    expect(verdicts(counted(5_000_000n, '5'), taught())).toEqual(['covered'])
  })
})

describe('an amount that was a floating-point number, or is made for display', () => {
  const exact = (sum: string, amountRaw: bigint) =>
    verdicts(
      bundle([{ amount: 0, to: 1 }], { sum, beneficiary: user(1) }, { amountRaw, value: null }),
      taught(),
    )

  test('is the same amount cut or rounded at its own end, and no other', () => {
    const of = (sum: string, value: string) =>
      verdicts(
        bundle([{ amount: 0, to: 1 }], { sum, beneficiary: user(1) }, { amountRaw: null, value }),
        taught(),
      )
    expect(of('0.8123456789012346', '0.812345678901234567')).toEqual(['covered'])
    expect(of('12.34', '12.345678')).toEqual(['covered'])
    expect(of('12.36', '12.345678')).toMatchObject([{ what: 'amount' }])
    expect(of('12', '12.345678')).toMatchObject([{ what: 'amount' }])
    expect(of('1.2', '1.25')).toMatchObject([{ what: 'amount' }])
    expect(exact('5000001', 5_000_000n)).toMatchObject([{ what: 'amount' }])
  })
})

describe('the amount of a record that names it in token units alone', () => {
  const of = (value: string, sum: string) =>
    verdicts(
      bundle([{ amount: 0, to: 1 }], { sum, beneficiary: user(1) }, { amountRaw: null, value }),
      taught(),
    )

  test('is the same in base units, and no other', () => {
    expect(of('12.345678', '12345678')).toEqual(['covered'])
    expect(of('12.345678', '12345679')).toMatchObject([{ what: 'amount' }])
  })
})

describe('lists in other forms', () => {
  const rowsOf = (last: number) => [
    { amount: 5, to: 1 },
    { amount: 6, to: 2 },
    { amount: last, to: 2 },
  ]
  const raw = (amount: number) => String(amount * 1_000_000)

  test.each([
    [
      'of lists',
      (amount: number, to: number) => ({ args: [user(to), raw(amount), '0'] }),
      () => ({
        args: JSON.stringify([
          [user(1), raw(5), '0'],
          [user(2), raw(6), '0'],
          [user(2), raw(7), '0'],
        ]),
      }),
    ],
    [
      'by recipient',
      (amount: number, to: number) => ({ out: { [user(to)]: { wei: raw(amount) } } }),
      () => ({ out: { [user(1)]: { wei: raw(5) }, [user(2)]: [{ wei: raw(6) }, { wei: raw(7) }] } }),
    ],
    [
      'side by side beside another one',
      (amount: number, to: number) => ({ who: [user(to)], sums: [raw(amount)], flags: [1, 2] }),
      () => ({ who: [user(1), user(2), user(2)], sums: [raw(5), raw(6), raw(7)], flags: [1, 2] }),
    ],
  ])('%s are read', (_, single, several) => {
    const lessons = createLessons()
    for (let n = 0; n < 5; n += 1) {
      const [transfer] = bundle([{ amount: 50 + n, to: 30 + n }], '')
      lessons.teach(transfer as Transfer, single(50 + n, 30 + n))
    }
    expect(verdicts(bundle(rowsOf(7), several()), lessons)).toEqual(['covered', 'covered', 'covered'])
    expect(verdicts(bundle(rowsOf(70), several()), lessons)).toMatchObject([
      'covered',
      'covered',
      { what: 'amount' },
    ])
    expect(verdicts(bundle([...rowsOf(7), { amount: 6, to: 2 }], several()), lessons)[3]).toMatchObject({
      what: 'amount',
    })
  })
})

describe('a word that goes with a token', () => {
  const lessonsOf = (words: Readonly<Record<string, readonly string[]>>) => {
    const lessons = createLessons()
    for (const [token, list] of Object.entries(words))
      for (const [n, word] of list.entries()) {
        const [transfer] = bundle([{ amount: 50 + n, to: 30 + n, token }], '')
        lessons.teach(transfer as Transfer, { sum: raw(50 + n), beneficiary: user(30 + n), via: word })
      }
    return lessons
  }
  const raw = (amount: number) => String(amount * 1_000_000)
  const judged = (learned: LearnedActions, via: string) =>
    verdicts(bundle([{ amount: 5, to: 1 }], { sum: raw(5), beneficiary: user(1), via }), learned)[0]
  const times = (count: number, word: string) => Array.from({ length: count }, () => word)

  test('by habit does not name it', () => {
    expect(judged(lessonsOf({ '0xcc': times(8, 'std'), '0xdd': times(8, 'fast') }), 'fast')).toBe('covered')
    const mixed = { '0xcc': [...times(30, 'std'), 'fast', 'fast', 'fast'], '0xdd': times(30, 'fast') }
    expect(judged(lessonsOf(mixed), 'fast')).toBe('covered')
    const loose = { '0xcc': times(30, 'std'), '0xdd': [...times(30, 'fast'), 'slow'] }
    expect(judged(lessonsOf(loose), 'fast')).toBe('covered')
  })

  test('and to several others names one of them', () => {
    const words = { '0xcc': times(4, 'z0xcc'), '0xdd': times(3, 'usd'), '0xee': times(4, 'usd') }
    expect(judged(lessonsOf(words), 'usd')).toEqual({ what: 'token', found: '0xee' })
    expect(judged(lessonsOf({ ...words, '0xcc': [...times(4, 'z0xcc'), ...times(4, 'usd')] }), 'usd')).toBe(
      'covered',
    )
  })

  test('alone and always does', () => {
    const codes = { '0xcc': times(20, '3'), '0xdd': times(20, '7'), '0xee': times(2, '9') }
    expect(judged(lessonsOf(codes), '7')).toEqual({ what: 'token', found: '0xdd' })
    expect(judged(lessonsOf({ ...codes, '0xdd': times(19, '7') }), '7')).toBe('covered')
  })

  test('and is its own address: another address is another token, however little is known of that one', () => {
    const [own, strange] = [user(7), user(8)]
    const of = (learned: LearnedActions, action: object) =>
      verdicts(
        bundle([{ amount: 5, to: 1, token: own }], { sum: raw(5), beneficiary: user(1), ...action }),
        learned,
      )[0]
    const learned = lessonsOf({ [own]: [...times(4, own), strange] })
    expect(of(learned, { via: strange })).toEqual({ what: 'token', found: strange })
    expect(of(learned, { via: own })).toBe('covered')
    expect(of(learned, { via: 'fast' })).toBe('covered')
    // A fee may be paid in any token.
    expect(of(learned, { via: strange, asset: own })).toBe('covered')
    const few = lessonsOf({ [own]: times(2, own), '0xdd': times(4, 'z0xdd') })
    expect(of(few, { via: strange })).toBe('covered')
    expect(of(lessonsOf({ [own]: [...times(4, own), ...times(4, strange)] }), { via: strange })).toBe(
      'covered',
    )
  })
})

test('an item that says nothing by known names is the item of one transfer, and of no two', () => {
  const lessons = createLessons()
  for (let n = 0; n < 5; n += 1) {
    // Amounts in a unit of their own: only the recipient is learned, and only where it is another one.
    const [transfer] = bundle([{ amount: 50 + n, to: 30 + n }], '')
    lessons.teach(transfer as Transfer, { lots: n, dest: user(30 + n) })
  }
  const exits = [{ lots: 1 }, { lots: 2, dest: user(2) }]
  const two = [
    { amount: 5, to: 1 },
    { amount: 6, to: 2 },
  ]
  const own = { sourceAddress: user(1) }
  expect(verdicts(bundle(two, { exits }, own), lessons)).toEqual(['covered', 'covered'])
  const third = bundle([...two, { amount: 7, to: 1 }], { exits }, own)
  expect(verdicts(third, lessons)[2]).toMatchObject({ what: 'amount' })
})

test('of several things that an action does one may be listed long before the others', () => {
  const settings = { learned: taught(), fees: [] }
  const of = (amount: number, exits: readonly object[]) => {
    const transfers = bundle([{ amount, to: 1 }], { exits })
    return isOneOfSeveral(transfers[0] as Transfer, transfers, settings)
  }
  expect(of(5, [item(5, 1), item(6, 2)])).toBe(true)
  expect(of(7, [item(5, 1), item(6, 2)])).toBe(false)
  expect(of(5, [item(5, 1)])).toBe(false)
})

test('where no word for the amount is known, whoever is paid twice has two items', () => {
  const lessons = createLessons()
  for (let n = 0; n < 5; n += 1) {
    const [transfer] = bundle([{ amount: 50 + n, to: 30 + n }], '')
    lessons.teach(transfer as Transfer, { out: { [user(30 + n)]: { lots: n } } })
  }
  const action = { out: { [user(1)]: [{ lots: 1 }, { lots: 2 }], [user(2)]: { lots: 3 } } }
  const paid = [
    { amount: 5, to: 1 },
    { amount: 6, to: 1 },
    { amount: 7, to: 2 },
  ]
  expect(verdicts(bundle(paid, action), lessons)).toEqual(['covered', 'covered', 'covered'])
  expect(verdicts(bundle([...paid, { amount: 8, to: 2 }], action), lessons)[3]).toMatchObject({
    what: 'amount',
  })
})

describe('an action that names nobody', () => {
  const withdraw = (n: number, sender: number, to: number, action: object): Transfer => {
    const more = { from: user(sender), sourceAddress: user(sender) }
    const said = { sum: String(n * 1_000_000), account: user(sender), ...action }
    const [transfer] = bundle([{ amount: n, to }], said, more)
    return transfer as Transfer
  }
  const lessonsOf = (silent: number) => {
    const lessons = createLessons()
    for (let n = 1; n < 30; n += 1) {
      const one = withdraw(n, n, n + 40, n <= silent ? {} : { dest: user(n + 40) })
      lessons.teach(one, JSON.parse(one.evidence[0]?.action ?? '') as object)
    }
    return lessons
  }

  test('pays its sender, where others name whoever else is paid', () => {
    expect(verdicts([withdraw(5, 1, 2, {})], lessonsOf(0))).toMatchObject([{ what: 'recipient' }])
    expect(verdicts([withdraw(5, 1, 1, {})], lessonsOf(0))).toEqual(['covered'])
    expect(verdicts([withdraw(5, 1, 2, { dest: 'main' })], lessonsOf(0))).toEqual(['covered'])
  })

  test('pays anybody, where others do not', () => {
    expect(verdicts([withdraw(5, 1, 2, {})], lessonsOf(4))).toEqual(['covered'])
  })
})

describe('where all withdraw to themselves', () => {
  const self = (n: number, owner: number, to: number, sender = to): Transfer => {
    const more = { from: user(sender), sourceAddress: user(sender) }
    const action = { type: 'exit', sum: String(n * 1_000_000), owner: user(owner) }
    const [transfer] = bundle([{ amount: n, to }], action, more)
    return transfer as Transfer
  }
  const learned = (() => {
    const lessons = createLessons()
    for (let n = 1; n < 6; n += 1) {
      const one = self(n, n, n)
      lessons.teach(one, JSON.parse(one.evidence[0]?.action ?? '') as object)
    }
    return lessons
  })()

  test('an action of somebody else is told', () => {
    expect(verdicts([self(5, 9, 1)], learned)).toEqual([{ what: 'recipient', found: user(9) }])
  })

  test('one that names the sender alone says nothing of the recipient', () => {
    expect(verdicts([self(5, 2, 1, 2)], learned)).toEqual(['covered'])
  })
})
