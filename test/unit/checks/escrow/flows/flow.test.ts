import { createMostKept } from '../../../../../src/meaning/mostKept.ts'
import { describe, expect, test } from 'vitest'
import { formatDecimal, noAmount, subtractDecimals, toDecimal } from '../../../../../src/bridge/decimal.ts'
import { sumFlows } from '../../../../../src/checks/escrow/flows/flow.ts'
import { judgeFlow } from '../../../../../src/checks/escrow/flows/judgeFlow.ts'
import { canonicalToken } from '../../../../../src/bridge/movedToken.ts'
import type { Transfer } from '../../../../../src/bridge/transfer.ts'
import { hash, toRecord } from '../../../../support/records.ts'
import { transferOf } from '../../../rules/transfers.ts'

const payout = transferOf([toRecord()])
const proven: Transfer = { ...payout, originProof: 'proven' }
const out = (amount: string) => ({
  hash: hash('main'),
  token: '0xcc',
  outward: toDecimal(amount) ?? { digits: 0n, scale: 0 },
  gross: [],
  isKept: true,
})
const fee = { token: '0xcc', direction: 'ZoneToMain', max: '0.5' } as const

const none = createMostKept([])

describe('what left an escrow', () => {
  test.each([
    { title: 'its proven payout explains it', moved: '1.5', legs: [proven], said: 'explained, proven' },
    { title: 'a payout not proven yet explains it for now', moved: '1.5', legs: [payout], said: 'explained' },
    { title: 'without a transfer all of it is unexplained', moved: '1.5', legs: [], said: '1.5 out' },
    { title: 'one unit more than its payout is unexplained', moved: '2.5', legs: [proven], said: '1 out' },
    {
      title: 'a payout whose origin is not there explains nothing',
      moved: '1.5',
      legs: [{ ...payout, originProof: 'absent' as const }],
      said: '1.5 out, settled',
    },
    {
      title: 'a payout that names no origin yet explains nothing, and its record may still come',
      moved: '1.5',
      legs: [{ ...payout, state: 'unbacked' as const }],
      said: '1.5 out',
    },
    {
      title:
        'a payout whose record says that it failed explains nothing, and the record may still be put right',
      moved: '1.5',
      legs: [{ ...proven, status: 'failed' as const, state: 'failed' as const }],
      said: '1.5 out',
    },
    {
      title: 'a payout of another token explains nothing',
      moved: '1.5',
      legs: [{ ...proven, token: { ...proven.token, address: '0xdd' } }],
      said: '1.5 out',
    },
    {
      title: 'two payouts of one transaction explain their sum',
      moved: '3',
      legs: [proven, { ...proven, key: 't2' }],
      said: 'explained, proven',
    },
    { title: 'a deposit explains no payout', moved: '-1.5', legs: [proven], said: '3 in' },
  ])('$title', ({ moved, legs, said }) => {
    expect(say(judgeFlow(out(moved), legs, none))).toBe(said)
  })

  test.each([
    ['0.5', 'explained, proven'],
    ['1.5', '1.5 out'],
    ['1.6', '1.6 out'],
  ])('a batch that failed may be paid in part, and %s of 1.5 is: %s', (moved, said) => {
    const batch = { ...proven, crossType: 'BatchWithdraw', status: 'failed', state: 'failed' } as const
    expect(say(judgeFlow(out(moved), [batch], none))).toBe(said)
  })

  const items = (...amounts: string[]) =>
    JSON.stringify(amounts.map((amount, at) => ({ recipient: `0x${at}`, amount })))
  test.each([
    { title: 'and no items', batchDetail: null, said: 'unjudged, lacks amount' },
    { title: 'and whose items are others', batchDetail: items('1', '0.4'), said: 'unjudged, lacks amount' },
    { title: 'and whose items it is', batchDetail: items('1', '0.5'), said: 'explained' },
    {
      title: 'and whose items it is in base units',
      batchDetail: items('1000000', '500000'),
      said: 'explained',
    },
  ])('what left for a batch that names no amount $title is $said', ({ batchDetail, said }) => {
    const batch = { ...proven, crossType: 'BatchWithdraw', amount: null, amountRaw: null, batchDetail }
    const gross = [{ id: '', in: noAmount, out: { digits: 15n, scale: 1 }, back: noAmount }]
    const verdict = judgeFlow({ ...out('1.5'), gross }, [batch], none)
    expect(verdict.kind === 'unjudged' ? `unjudged, lacks ${verdict.lacks}` : verdict.kind).toBe(said)
  })

  test.each([
    ['absent', 'its record names an origin that is not there'],
    ['failed', 'its record names an origin that failed'],
  ] as const)('an origin that is %s is told as: %s', (originProof, reason) => {
    expect(judgeFlow(out('1.5'), [{ ...payout, originProof }], none)).toMatchObject({ reason })
  })

  test.each([
    ['names the same amount', { amountRaw: 1_500_000n }, '0.5 out'],
    ['names less', { amountRaw: 1_000_000n }, '0.5 out'],
    ['took the fee as well', { amountRaw: 2_000_000n }, 'explained, proven'],
    ['took a part of it', { amountRaw: 1_900_000n }, '0.5 out'],
    ['does not say how much', { amountRaw: null }, 'explained, proven'],
    ['names it among others', { action: '{"items":[{"amount":"1500000"},{"amount":"7"}]}' }, '0.5 out'],
    ['names the fee beside it', { action: '{"amount":"1500000","relayFee":"500000"}' }, 'explained, proven'],
    ['names it in token units', { action: '{"amount":"1.5","relayFee":"0.5"}' }, 'explained, proven'],
    [
      'names what it took beside what is paid',
      { action: '{"amount":"2","receives":"1.5"}' },
      'explained, proven',
    ],
    ['names a number beyond the fee', { action: '{"amount":"1.5","nonce":"7000"}' }, '0.5 out'],
    ['names a smaller fee', { action: '{"amount":"1.5","relayFee":"0.1"}' }, '0.5 out'],
  ])(
    'what moves beside a payout is told within a configured fee as well where the zone %s',
    (_, said, told) => {
      const by = {
        chain: 'zone',
        hash: proven.zone?.hash ?? '',
        source: 'E9',
        at: 1,
        errorMessage: '',
      } as const
      const leg: Transfer = { ...proven, evidence: [{ ...by, status: 'success', moves: null, ...said }] }
      expect(say(judgeFlow(out('2'), [leg], createMostKept([fee])))).toBe(told)
    },
  )

  test('a configured fee is allowed to the last unit', () => {
    expect(say(judgeFlow(out('2'), [proven], createMostKept([fee])))).toBe('explained, proven')
    expect(say(judgeFlow(out('2.01'), [proven], createMostKept([fee])))).toBe('0.51 out')
  })
})

describe('a payout whose record names another address of the token', () => {
  const zoneNamed: Transfer = { ...proven, token: { ...proven.token, address: '0xzz' } }
  const moved = { token: '0xcc', from: '0xe1', to: '0xbb', amountRaw: null, amount: '1.5', tokenId: '' }
  const evidence = { chain: 'main', hash: hash('main'), source: 'E13', at: 1, errorMessage: '' } as const
  const withMoves = (token: string): Transfer => ({
    ...zoneNamed,
    evidence: [{ ...evidence, status: 'success', moves: [{ ...moved, token }] }],
  })

  test('explains what moved once the pair is known', () => {
    const known = { ...zoneNamed, token: { ...zoneNamed.token, movedAs: '0xcc' } }
    expect(say(judgeFlow(out('1.5'), [known], none))).toBe('explained, proven')
    expect(say(judgeFlow(out('1.51'), [known], none))).toBe('0.01 out')
    expect(say(judgeFlow(out('2'), [known], createMostKept([fee])))).toBe('explained, proven')
    expect(say(judgeFlow(out('2'), [known], createMostKept([{ ...fee, token: '0xZZ' }])))).toBe(
      'explained, proven',
    )
  })

  test('is waited for while that is not known, and explains nothing where it is known to be another', () => {
    const judge = (word: 'same' | 'held' | 'other', leg = zoneNamed, amount = '1.5') =>
      say(judgeFlow(out(amount), [leg], none, () => word))
    expect(judge('held')).toBe('held')
    expect(judge('held', withMoves('0xcc'))).toBe('held')
    expect(judge('same')).toBe('explained, proven')
    expect(judge('other')).toBe('1.5 out')
    // Another amount is no payout of this record, whatever its token moves as.
    expect(judge('held', zoneNamed, '1.6')).toBe('1.6 out')
    // Its own token moved: what else did is not its.
    expect(judge('held', withMoves('0xzz'))).toBe('1.5 out')
  })
})

function say(verdict: ReturnType<typeof judgeFlow>): string {
  if (verdict.kind === 'held') return 'held'
  if (verdict.kind === 'unjudged') return `names no ${verdict.lacks}`
  if (verdict.kind === 'explained') return verdict.isProven ? 'explained, proven' : 'explained'
  const amount = formatDecimal(verdict.amount)
  return `${amount} ${verdict.direction}${verdict.isSettled ? ', settled' : ''}`
}

test.each([
  { type: 'ERC1155', said: 'names no token id' },
  // Of these records are documented to name none.
  { type: 'ERC721', said: 'explained, proven' },
])('a payout of $type whose record leaves out the id: $said', ({ type, said }) => {
  const leg = { ...proven, token: { ...proven.token, type, id: '' } }
  const zero = { digits: 0n, scale: 0 }
  const gross = [{ id: '7', in: zero, out: out('1.5').outward, back: zero }]
  expect(say(judgeFlow({ ...out('1.5'), gross }, [leg], none))).toBe(said)
})

test('another token id than the withdrawal names is told as what the records do not say, not as a deposit', () => {
  const leg = { ...proven, token: { ...proven.token, type: 'ERC1155', id: '7' } }
  const zero = { digits: 0n, scale: 0 }
  const gross = [{ id: '1', in: zero, out: out('1.5').outward, back: zero }]
  expect(judgeFlow({ ...out('1.5'), gross, isKept: true }, [leg], none)).toMatchObject({
    direction: 'out',
    reason: 'it moved more than its records say',
  })
})

test('rows of a transaction are summed; movements of nothing and between own escrows are no outflow', () => {
  const row = {
    hash: '0x1',
    height: 7,
    time: 5,
    from: '0xe1',
    to: '0xbb',
    token: '0xcc',
    tokenId: '',
    amount: '1.5',
  }
  const rows = [
    row,
    row,
    { ...row, amount: '0' },
    { ...row, to: '0xe2', amount: '4' },
    { ...row, from: '0xbb', to: '0xe1', amount: '0.25' },
    { ...row, from: '0x9', to: '0xbb', amount: '100' },
  ]
  const [flow, ...rest] = sumFlows(
    rows,
    { escrow: '0xe1', own: new Set(['0xe1', '0xe2']), wrapper: null },
    10,
  )
  expect(rest).toEqual([])
  expect(flow && [formatDecimal(flow.net), formatDecimal(flow.outward), flow.party]).toEqual([
    '-6.75',
    '2.75',
    '0xe2',
  ])
})

test('the native currency has one name, however it is spelled', () => {
  const spelled = ['', `0x${'0'.repeat(40)}`, `0x${'Ee'.repeat(20)}`, '0xAB']
  expect(spelled.map(canonicalToken)).toEqual(['', '', '', '0xab'])
})

describe('what came in and went out again', () => {
  const deposit: Transfer = { ...proven, direction: 'MainToZone', key: 't9' }
  const decimal = (text: string) => toDecimal(text) ?? { digits: 0n, scale: 0 }
  const through = (came: string, went: string, back = went, id = '') => ({
    ...out(formatDecimal(subtractDecimals(decimal(went), decimal(came)))),
    gross: [{ id, in: decimal(came), out: decimal(went), back: decimal(back) }],
  })
  const of = (id: string): Transfer => ({ ...deposit, token: { ...deposit.token, id } })

  test.each([
    { title: 'all of a credited deposit', flow: through('1.5', '1.5'), legs: [deposit], said: '1.5 out' },
    { title: 'a part of one', flow: through('1.5', '0.5'), legs: [deposit], said: '0.5 out' },
    { title: 'change of one', flow: through('2', '0.5'), legs: [deposit], said: 'explained, proven' },
    {
      title: 'all of one that is not credited',
      flow: through('2', '2'),
      legs: [],
      said: 'explained, proven',
    },
    {
      title: 'all of one that failed on the zone',
      flow: through('1.5', '1.5'),
      legs: [{ ...deposit, status: 'failed' as const }],
      said: 'explained, proven',
    },
    {
      title: 'a payout beside a deposit',
      flow: through('1.5', '1.5'),
      legs: [deposit, proven],
      said: 'explained, proven',
    },
    {
      title: 'what passes through a place that keeps nothing',
      flow: { ...through('1.5', '1.5', '0'), isKept: false },
      legs: [deposit],
      said: 'explained, proven',
    },
    {
      title: 'what such a place gives back to who paid it',
      flow: { ...through('1.5', '1.5'), isKept: false },
      legs: [deposit],
      said: '1.5 out',
    },
    {
      title: 'another token id than came in',
      flow: {
        ...out('0'),
        gross: [...through('1.5', '0', '0', '7').gross, ...through('0', '1.5', '0', '8').gross],
      },
      legs: [of('0x7')],
      said: '1.5 out',
    },
    {
      title: 'the same token id, spelled otherwise',
      flow: through('2', '0.5', '0.5', '7'),
      legs: [of('0x07')],
      said: 'explained, proven',
    },
  ])('$title', ({ flow, legs, said }) => {
    expect(say(judgeFlow(flow, legs, none))).toBe(said)
  })

  test('semantics.md 44: rows of nothing are no movement: anybody can write one in another’s name', () => {
    const row = { hash: '0x1', height: 7, time: 5, from: '0xe1', to: '0x8', token: '0xcc', tokenId: '' }
    const sum = (amount: string) =>
      sumFlows([{ ...row, amount }], { escrow: '0xe1', own: new Set(['0xe1']), wrapper: null }, 10)
    expect([sum('0').length, sum('0.000001').length]).toEqual([0, 1])
  })

  test('a movement that a list shows in its old block and in its new one is one', () => {
    const row = { hash: '0x1', time: 5, from: '0xe1', to: '0x8', token: '0xcc', tokenId: '' }
    const old = { ...row, height: 7, amount: '3' }
    const sum = (rows: readonly (typeof old)[]) =>
      sumFlows(rows, { escrow: '0xe1', own: new Set(['0xe1']), wrapper: null }, 10).map(
        ({ height, outward }) => [height, formatDecimal(outward)],
      )
    expect(sum([old, { ...old, height: 9 }])).toEqual([[9, '3']])
    expect(sum([old, { ...old, height: 9 }, { ...old, to: '0x9', amount: '1' }])).toEqual([[7, '4']])
    expect(sum([old, old])).toEqual([[7, '6']])
  })

  test('rows are summed by token id, and what went back to the payer apart', () => {
    const row = { hash: '0x1', height: 7, time: 5, from: '0x8', to: '0xe1', token: '0xcc' }
    const rows = [
      { ...row, tokenId: '0x7', amount: '3' },
      { ...row, tokenId: '7', from: '0xe1', to: '0x8', amount: '1' },
      { ...row, tokenId: '8', from: '0xe1', to: '0x9', amount: '2' },
      { ...row, tokenId: '8', from: '0xe1', to: '0xe2', amount: '5' },
    ]
    const [flow] = sumFlows(rows, { escrow: '0xe1', own: new Set(['0xe1', '0xe2']), wrapper: null }, 10)
    const shown = flow?.gross.map((move) => [
      move.id,
      ...[move.in, move.out, move.back].map((amount) => formatDecimal(amount)),
    ])
    expect(shown).toEqual([
      ['7', '3', '1', '1'],
      ['8', '0', '2', '0'],
    ])
  })
})
