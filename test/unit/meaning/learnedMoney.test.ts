import { describe, expect, test } from 'vitest'
import { onlyCertain } from '../../../src/meaning/habit.ts'
import { judgeTwin } from '../../../src/meaning/judgeMoney.ts'
import { toKeptRange } from '../../../src/meaning/keptRange.ts'
import {
  knownVaults,
  type LearnedMoney,
  mayMoveAs,
  movesAs,
  namesZoneAmounts,
} from '../../../src/meaning/learnedMoney.ts'
import { completed } from '../rules/transfers.ts'

interface Lessons {
  readonly tokens?: Record<string, number>
  readonly vaults?: Record<string, number>
  readonly elsewhere?: Record<string, number>
  readonly zone?: readonly [number, number]
  readonly spellings?: readonly [number, number]
  readonly owners?: readonly string[]
  readonly pairs?: number
  readonly isReading?: boolean
}
const lessons = ({
  tokens = {},
  vaults = {},
  zone = [0, 0],
  spellings = [0, 0],
  ...rest
}: Lessons): LearnedMoney => ({
  actionsOf: () => new Map<string, number>(),
  straysOf: () => 0,
  suspendedAt: () => 0,
  tokensOf: () => new Map(Object.entries(tokens)),
  vaultsOf: () => new Map(Object.entries(vaults)),
  elsewhereOf: () => new Map(Object.entries(rest.elsewhere ?? {})),
  keptOf: () => toKeptRange([], []),
  zoneAmounts: () => ({ equal: zone[0], other: zone[1] }),
  spellings: () => ({ own: spellings[0], other: spellings[1] }),
  ownersOf: () => rest.owners ?? [],
  pairs: () => rest.pairs ?? 0,
  isReadingHistory: () => rest.isReading ?? false,
})

describe('the address that a token moves under', () => {
  test.each([
    ['is unknown at first', {}, null],
    ['is unknown after two', { '0xdd': 2 }, null],
    ['is the pair of three', { '0xdd': 3 }, '0xdd'],
    ['is no pair that was contradicted', { '0xdd': 9, '0xee': 1 }, null],
    ['is its own once it was seen to be', { '0xdd': 9, '0xcc': 1 }, '0xcc'],
  ])('%s', (_, tokens, expected) => {
    expect(movesAs('0xcc', lessons({ tokens }))).toBe(expected)
  })

  test('is in doubt only where nothing speaks against another one', () => {
    expect(mayMoveAs('0xcc', '0xdd', 'ZoneToMain', lessons({}))).toBe(true)
    expect(mayMoveAs('0xcc', '0xdd', 'ZoneToMain', lessons({ tokens: { '0xcc': 1 } }))).toBe(false)
    expect(mayMoveAs('0xcc', '0xdd', 'ZoneToMain', lessons({ tokens: { '0xee': 1 } }))).toBe(false)
    expect(mayMoveAs('0xcc', '0xdd', 'ZoneToMain', lessons({ spellings: [1, 0] }))).toBe(false)
    expect(mayMoveAs('0xcc', '0xdd', 'ZoneToMain', lessons({ spellings: [1, 1] }))).toBe(true)
    expect(mayMoveAs('0xcc', '', 'ZoneToMain', lessons({ spellings: [1, 0] }))).toBe(true)
  })
})

describe('another token in place of the record’s', () => {
  const transfer = completed()
  const judge = (learned: LearnedMoney, afterMs = 0, listed: string[] = []) =>
    judgeTwin(transfer, '0xdd', {
      learned,
      bridge: { escrows: listed.map((token) => ({ address: '', token })) },
      now: transfer.firstSeenAt + afterMs,
    })

  test('waits for a minute and three quarters, and is told when nothing was learned by then', () => {
    expect(judge(lessons({}), 104_999)).toBe('held')
    expect(judge(lessons({}), 105_000)).toBe('other')
  })

  test('waits as long after its payout came, which may be long after it was seen', () => {
    const at = transfer.firstSeenAt + 900_000
    const main = { chain: 'main', hash: transfer.main?.hash ?? '', height: 1, time: at } as const
    const asked = {
      ...main,
      at: at + 5_000,
      source: 'E13',
      status: 'success',
      moves: [],
      errorMessage: '',
    } as const
    const late = { ...transfer, main, evidence: [asked] }
    const judge = (now: number, of = late) => judgeTwin(of, '0xdd', { learned: lessons({}), bridge: {}, now })
    expect([at + 104_999, at + 105_000].map((now) => judge(now))).toEqual(['held', 'other'])
    // A time to come is none: what is there to be asked about was there.
    const future = { ...late, main: { ...main, time: at + 9_000_000 } }
    expect([at + 109_999, at + 110_000].map((now) => judge(now, future))).toEqual(['held', 'other'])
  })

  test.each([
    ['while the past is still read', { isReading: true }, 'other'],
    ['while every other token moves as another one too', { pairs: 2 }, 'other'],
    ['while it did so before', { tokens: { '0xdd': 2 } }, 'other'],
    [
      'on a bridge that is known to wrap, and is then a new token of it',
      { spellings: [0, 1] as const },
      'same',
    ],
  ])('waits for ten minutes %s', (_, learned, after) => {
    expect(judge(lessons(learned), 599_999)).toBe('held')
    expect(judge(lessons(learned), 600_000)).toBe(after)
  })

  test('is told at once when it is another token of the records', () => {
    expect(judge(lessons({ owners: ['0xee'], tokens: { '0xdd': 3 }, spellings: [0, 1] }), 0)).toBe('same')
    const ofOther = { ...lessons({ owners: ['0xee'], spellings: [0, 1] }) }
    const tokensOf = (token: string) => new Map(token === '0xee' ? [['0xdd', 3]] : [])
    expect(judge({ ...ofOther, tokensOf }, 0)).toBe('other')
  })

  test('is the same by another address once that was learned', () => {
    expect(judge(lessons({ tokens: { '0xdd': 3 } }), 600_000)).toBe('same')
  })

  test('is told at once where the token moves itself, or an escrow holds it', () => {
    expect(judge(lessons({ tokens: { '0xcc': 1 } }))).toBe('other')
    expect(judge(lessons({}), 0, ['0xCC'])).toBe('other')
  })
})

describe('where deposits go', () => {
  const vaults = (seen: Record<string, number>, listed: string[] = ['0xe5']) =>
    knownVaults('0xcc', listed, lessons({ vaults: seen }))

  test.each<[string, Record<string, number>, string[]]>([
    ['nothing is known before a listed one was used three times', { '0xe5': 2 }, []],
    ['the listed one, once it was', { '0xe5': 3 }, ['0xe5']],
    ['an unlisted one belongs to them as soon', { '0x77': 3 }, ['0xe5', '0x77']],
    ['one that was seen once does not', { '0xe5': 3, '0x77': 1 }, ['0xe5']],
    ['nor does one that was seen twice', { '0xe5': 3, '0x77': 2 }, ['0xe5']],
    ['where no listed one was used two of few leave all open', { '0x77': 3, '0x78': 2 }, []],
    ['while of many they do not', { '0x77': 40, '0x78': 2 }, ['0xe5', '0x77']],
  ])('%s', (_, seen, expected) => {
    expect(vaults(seen)).toEqual(expected)
  })

  test('an escrow of the token is known before any deposit was seen', () => {
    const of = (seen: Record<string, number>) =>
      knownVaults('0xcc', ['0xb1'], lessons({ vaults: seen }), ['0xe5'])
    expect(of({})).toEqual(['0xe5', '0xb1'])
    expect(of({ '0x77': 2 })).toEqual(['0xe5', '0xb1'])
    expect(of({ '0x77': 3 })).toEqual(['0xe5', '0xb1', '0x77'])
  })

  test('without a word of the configuration they are but a few', () => {
    expect(vaults({ '0x77': 2 }, [])).toEqual([])
    expect(vaults({ '0x77': 3 }, [])).toEqual(['0x77'])
    expect(vaults({ '0x77': 3, '0x78': 3, '0x79': 3, '0x7a': 3 }, [])).toEqual([])
  })

  const certain = (
    seen: Record<string, number>,
    listed: string[] = [],
    elsewhere: Record<string, number> = {},
  ) => knownVaults('0xcc', listed, onlyCertain(lessons({ vaults: seen, elsewhere })))

  test('twenty make it certain, of which hardly any went elsewhere', () => {
    expect(certain({ '0xe5': 19 })).toEqual([])
    expect(certain({ '0xe5': 20, '0x77': 1 })).toEqual(['0xe5'])
    expect(certain({ '0xe5': 20, '0x77': 2 })).toEqual([])
  })

  test('and each vault has twenty of its own', () => {
    expect(certain({ '0xe5': 100, '0x77': 5 })).toEqual(['0xe5'])
    expect(certain({ '0xe5': 100, '0x77': 20 })).toEqual(['0xe5', '0x77'])
  })

  test('a listed one is certain once it was used three times, and what went elsewhere is never', () => {
    expect(certain({ '0xe5': 2 }, ['0xe5'])).toEqual([])
    expect(certain({ '0xe5': 3 }, ['0xe5'], { '0x77': 99 })).toEqual(['0xe5'])
  })

  test('what went elsewhere five times is no certain theft, and twenty times none', () => {
    const likely = (count: number) =>
      knownVaults('0xcc', [], lessons({ vaults: { '0xe5': 20 }, elsewhere: { '0x77': count } }))
    expect([4, 5].map((count) => certain({ '0xe5': 20 }, [], { '0x77': count }).length)).toEqual([1, 2])
    expect([19, 20].map((count) => likely(count).length)).toEqual([1, 2])
  })
})

test('amounts of the zone mean amounts once they agreed three times, and hardly ever did not', () => {
  const names = (equal: number, other: number) =>
    namesZoneAmounts('ZoneToMain', lessons({ zone: [equal, other] }))
  expect([names(2, 0), names(3, 1), names(3, 2), names(40, 2), names(40, 3)]).toEqual([
    false,
    true,
    false,
    true,
    false,
  ])
})
