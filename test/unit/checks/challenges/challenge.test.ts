import { expect, test } from 'vitest'
import { type Challenge, noteChallenge } from '../../../../src/checks/challenges/challenge.ts'

const none = { known: [], terminal: [] }
const row = (status: string, l1 = '') => ({ hash: '0x1', contract: '0xb', height: 5, status, l1 })

/** The changes that a series of readings tells, one reading every `stepMs`. */
function read(statuses: readonly string[], values = none, stepMs = 60_000): string[] {
  let challenge: Challenge | null = null
  return statuses.flatMap((status, index) => {
    const noted = noteChallenge(challenge, row(status), index * stepMs, values)
    challenge = noted.challenge
    return noted.changes.map(
      ({ before, after, isUnknown, wasTerminal }) =>
        `${before}>${after}${isUnknown ? '!' : ''}${wasTerminal ? '^' : ''}`,
    )
  })
}

test.each([
  { title: 'a field that stays empty is no data', read: ['', '', ''], told: [] },
  { title: 'the first value is recorded only', read: ['', 'a', 'a'], told: [] },
  { title: 'every change of a known value is told', read: ['a', 'b', 'c'], told: ['a>b', 'b>c'] },
  { title: 'an empty field changes nothing', read: ['a', '', 'a'], told: [] },
  {
    title: 'a value that comes back is told when a later answer agrees',
    read: ['a', 'b', 'a', 'a'],
    told: ['a>b', 'b>a'],
  },
  {
    title: 'a replica that alternates tells nothing again',
    read: ['a', 'b', 'a', 'b', 'a', 'b'],
    told: ['a>b'],
  },
])('$title', ({ read: statuses, told }) => expect(read(statuses)).toEqual(told))

test('with known values an unknown one is told, the first one too', () => {
  expect(read(['x', 'a'], { known: ['a'] as never[], terminal: [] })).toEqual(['>x!', 'x>a'])
})

test('a return from a final value says so', () => {
  expect(read(['done', 'a'], { known: [], terminal: ['done'] as never[] })).toEqual(['done>a^'])
})

test('a base-layer hash that changes is told, its first value is not', () => {
  const first = noteChallenge(null, row('', '0xa'), 0, none)
  const second = noteChallenge(first.challenge, row('', '0xb'), 1, none)
  expect([first.changes.length, second.changes.map(({ field }) => field)]).toEqual([0, ['l1OriginHash']])
})

/** The changes that a series of readings of both fields tells, one reading a minute. */
function readBoth(rows: readonly (readonly [status: string, l1: string])[], stepMs = 60_000): string[] {
  let challenge: Challenge | null = null
  return rows.flatMap(([status, l1], index) => {
    const noted = noteChallenge(challenge, row(status, l1), index * stepMs, none)
    challenge = noted.challenge
    return noted.changes.map(({ before, after }) => `${before}>${after}`)
  })
}

test.each([
  {
    title: 'a replica that alternates between two base-layer hashes tells the first change alone',
    rows: [
      ['', '0xa'],
      ['', '0xb'],
      ['', '0xa'],
      ['', '0xb'],
      ['', '0xa'],
    ] as const,
    told: ['0xa>0xb'],
  },
  {
    title: 'nor between two of both',
    rows: [
      ['a', '0xa'],
      ['b', '0xb'],
      ['a', '0xa'],
      ['b', '0xb'],
      ['a', '0xa'],
    ] as const,
    told: ['a>b', '0xa>0xb'],
  },
  {
    title: 'a base-layer hash that comes back is told when a later answer agrees',
    rows: [
      ['', '0xa'],
      ['', '0xb'],
      ['', '0xa'],
      ['', '0xa'],
    ] as const,
    told: ['0xa>0xb', '0xb>0xa'],
  },
  {
    title: 'a new status does not wait for a hash that alternates, nor does one that came back',
    rows: [
      ['a', '0xa'],
      ['b', '0xb'],
      ['c', '0xa'],
      ['a', '0xa'],
      ['a', '0xb'],
    ] as const,
    told: ['a>b', '0xa>0xb', 'b>c', 'c>a'],
  },
])('$title', ({ rows, told }) => expect(readBoth(rows)).toEqual(told))

test('a status that came back is told, however quickly a hash beside it alternates', () => {
  const rows = ['0xa', '0xb', '0xa', '0xb', '0xa', '0xb'].map((l1) => ['a', l1] as const)
  expect(readBoth([['a', '0xa'], ['b', '0xb'], ...rows], 15_000)).toContain('b>a')
})
