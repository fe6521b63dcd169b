import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { propose } from '../../../../src/cli/init/propose.ts'
import type { Move, Survey } from '../../../../src/cli/init/survey.ts'
import { hash, toRecord } from '../../../support/records.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const [usdc, fake, escrow, bridge, router] = ['a', 'b', 'e', 'c', 'd'].map(address) as [
  string,
  string,
  string,
  string,
  string,
]

interface Case {
  readonly transfer: Observation
  readonly moves: readonly Move[]
  readonly emitters: readonly string[]
}

let next = 0
/** A completed transfer of a party of its own, and what the main chain shows of it. */
function cross(
  over: {
    readonly token?: string
    readonly symbol?: string
    readonly party?: string
    readonly isDeposit?: boolean
    readonly through?: readonly string[]
    readonly value?: string | null
    readonly emitters?: readonly string[]
    readonly movedToken?: string
  } = {},
): Case {
  next += 1
  const {
    token = usdc,
    symbol = 'USDC',
    isDeposit = next % 2 === 0,
    value = '1.5',
    through = [escrow],
  } = over
  const party = over.party ?? `0x${String(next).padStart(40, '0')}`
  const mainHash = hash(`m${next}`)
  const transfer = toRecord({
    direction: isDeposit ? 'MainToZone' : 'ZoneToMain',
    mainHash,
    token,
    tokenName: symbol,
    value,
    ...(value === null && { amountRaw: null }),
    sourceAddress: party,
    targetAddress: party,
  })
  const way = isDeposit ? [party, ...through] : [...through, party]
  const moves = way.slice(1).map((to, index) => ({
    hash: mainHash,
    token: over.movedToken ?? token,
    symbol,
    from: way[index] ?? '',
    to,
    amount: '1.5',
  }))
  return { transfer, moves, emitters: over.emitters ?? [token, bridge] }
}

function surveyOf(cases: readonly Case[]): Survey {
  return {
    transfers: cases.map(({ transfer }) => transfer),
    listed: cases.length,
    moves: cases.flatMap(({ moves }) => moves),
    logs: new Map(cases.map(({ transfer, emitters }) => [transfer.mainHash ?? '', emitters])),
    problems: [],
  }
}

const many = (count: number, over: Parameters<typeof cross>[0] = {}) =>
  Array.from({ length: count }, () => cross(over))

describe('a token', () => {
  test('of several parties, with one symbol and the decimals of its amounts, is sure', () => {
    const { tokens } = propose(surveyOf(many(4)))
    expect(tokens).toEqual([
      {
        address: usdc,
        symbol: 'USDC',
        decimals: 6,
        called: '[USDC]',
        rests: '4 transfers of 4 parties',
        doubts: [],
      },
    ])
  })

  test.each<readonly [string, readonly Case[], string]>([
    ['one party, however often', many(9, { party: address('9') }), 'fewer than 3 parties'],
    ['two transfers', many(2), 'fewer than 3 parties'],
    ['a symbol with letters that look like others', many(4, { symbol: 'USD\u0421' }), 'unusual letters'],
    ['a symbol that refers to a secret', many(4, { symbol: '${SECRET}' }), 'unusual letters'],
    ['no symbol', many(4, { symbol: '' }), 'no symbol'],
    ['several symbols', [...many(3), cross({ symbol: 'USDX' })], 'several symbols'],
    ['amounts that say nothing', many(4, { value: null }), 'decimals do not follow'],
    ['amounts that disagree', [...many(3), cross({ value: '15' })], 'decimals do not follow'],
    ['another token on the main chain', many(4, { movedToken: address('7') }), 'moved another token'],
  ])('%s is doubtful', (_, cases, doubt) => {
    const { tokens } = propose(surveyOf(cases))
    expect(tokens[0]?.doubts.join()).toContain(doubt)
  })

  test('two of one symbol that many use are both doubtful', () => {
    const { tokens } = propose(surveyOf([...many(9), ...many(4, { token: fake, symbol: 'usdc' })]))
    expect(tokens.map(({ doubts }) => doubts.join())).toEqual([
      expect.stringContaining('same symbol'),
      expect.stringContaining('same symbol'),
    ])
  })

  test('one that somebody made today in the name of another takes nothing away from it', () => {
    const { tokens } = propose(surveyOf([...many(9), ...many(5, { token: fake, party: address('9') })]))
    expect(tokens.map(({ address: of, doubts }) => [of, doubts.length])).toEqual([
      [usdc, 0],
      [fake, 2],
    ])
  })

  test('of thousands of doubtful ones a few are named', () => {
    const strange = Array.from({ length: 200 }, (_, index) =>
      cross({ token: `0x${(index + 1).toString(16).padStart(40, 'f')}`, symbol: `T${index}` }),
    )
    const { tokens } = propose(surveyOf([...many(4), ...strange]))
    expect([tokens[0]?.address, tokens.length]).toEqual([usdc, 21])
  })
})

describe('an escrow', () => {
  test('is where money stays, not what it passes through', () => {
    const cases = [
      ...many(3, { isDeposit: true, through: [router, escrow] }),
      ...many(3, { isDeposit: false, through: [escrow, router] }),
    ]
    expect(propose(surveyOf(cases)).escrows).toEqual([
      { address: escrow, token: usdc, rests: '3 deposits and 3 payouts of 6 parties', doubts: [] },
    ])
  })

  test.each<readonly [string, readonly Case[], string]>([
    ['the zero address', many(4, { through: [address('0')] }), 'made and destroyed'],
    ['one of a doubtful token', many(4, { symbol: 'USD\u0421' }), 'its token is doubtful'],
    ['one of two', [...many(3), ...many(3, { through: [router] })], 'only 3 of 6 transfers'],
  ])('%s is doubtful', (_, cases, doubt) => {
    expect(propose(surveyOf(cases)).escrows[0]?.doubts.join()).toContain(doubt)
  })

  test('of the native currency is found by what contracts sent', () => {
    const native = many(4, { token: address('0'), movedToken: '' })
    const { escrows, tokens } = propose(surveyOf(native))
    expect([escrows, tokens]).toEqual([
      [expect.objectContaining({ address: escrow, token: '', doubts: [] })],
      [],
    ])
  })

  test('is none where nothing shows who held the money', () => {
    const cases = many(4).map((one) => ({ ...one, moves: [] }))
    expect(propose(surveyOf(cases)).escrows).toEqual([])
  })
})

describe('a contract', () => {
  test('is what writes events in the transactions of transfers, its tokens apart', () => {
    const { contracts } = propose(surveyOf(many(6)))
    expect(contracts).toEqual([expect.objectContaining({ address: bridge, doubts: [] })])
  })

  test('that most do without is doubtful, one that wrote once is none', () => {
    const cases = [
      ...many(8, { isDeposit: true }),
      ...many(2, { isDeposit: true, emitters: [bridge, router] }),
      cross({ isDeposit: true, emitters: [bridge, address('1')] }),
    ]
    const { contracts } = propose(surveyOf(cases))
    expect(contracts.map(({ address: of, doubts }) => [of, doubts.length])).toEqual([
      [bridge, 0],
      [router, 2],
    ])
  })
})
