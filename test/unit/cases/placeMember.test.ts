import { fc, timesOf } from '../../support/fastCheck.ts'
import { describe, expect, it } from 'vitest'
import { placeMember, type NewMember } from '../../../src/cases/placeMember.ts'
import { atRisk } from '../../../src/cases/money.ts'
import {
  type CaseState,
  findCase,
  listCaseLog,
  listCases,
  saveCase,
} from '../../../src/cases/store/caseRows.ts'
import { getMember, listCaseMembers } from '../../../src/cases/store/caseMembers.ts'
import { formatDecimal } from '../../../src/bridge/decimal.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'

const start = 1_790_000_000_000
const minuteMs = 60_000

function open(): Database {
  return openDatabase(':memory:')
}

/** Opening one takes longer than what is tested. */
const shared = open()

function empty(): Database {
  for (const name of [
    'cases',
    'case_members',
    'case_spans',
    'case_open_keys',
    'case_risks',
    'case_log',
    'case_crowds',
  ])
    shared.prepare(`DELETE FROM ${name}`).run()
  return shared
}

interface Given {
  readonly id: number
  readonly keys: readonly string[]
  readonly from: number
  readonly until: number
}

const gaps: Readonly<Record<string, number>> = { a: Infinity, b: 10, c: 3, d: 0, m: 10 }
/** Of the key m so many within its gap are together, and fewer are not. */
const least = 3

function toMember(given: Given, overrides: Partial<NewMember> = {}): NewMember {
  return {
    alertId: given.id,
    episode: 1,
    severity: 'warning',
    keys: given.keys.map((key) => ({
      key,
      gapMs: gaps[key.slice(0, 1)] ?? 0,
      ...(key.startsWith('m') && { least }),
    })),
    from: start + given.from,
    until: start + given.until,
    openUntil: start + given.until,
    isLoss: false,
    risk: null,
    title: `alert ${given.id}`,
    isWorse: () => false,
    ...overrides,
  }
}

/** Which members are together, as sorted lists. */
function partition(db: Database): string[] {
  const cases = listCases(db, { states: ['open', 'acknowledged', 'handled', 'closed'], limit: 1_000 })
  return cases
    .map(({ id, members }) => {
      const ids = listCaseMembers(db, id, 1_000).map(({ alertId }) => alertId)
      expect(ids.length).toBe(members)
      return ids.toSorted((a, b) => a - b).join(' ')
    })
    .toSorted()
}

/** By the definition: whoever shares a key within its gap is together, and so on from one to the next; of some keys, where they are many. */
function model(all: readonly Given[]): string[] {
  const parent = new Map(all.map(({ id }) => [id, id]))
  const rootOf = (id: number): number => (parent.get(id) === id ? id : rootOf(parent.get(id) ?? id))
  for (const a of all)
    for (const b of all) {
      const isTied = a.keys.some(
        (key) =>
          b.keys.includes(key) &&
          !key.startsWith('m') &&
          a.from <= b.until + (gaps[key.slice(0, 1)] ?? 0) &&
          b.from <= a.until + (gaps[key.slice(0, 1)] ?? 0),
      )
      if (isTied) parent.set(rootOf(a.id), rootOf(b.id))
    }
  for (const first of all.filter(({ keys }) => keys.includes('m1'))) {
    const stretch = all.filter(
      ({ keys, from }) => keys.includes('m1') && from >= first.from && from <= first.from + 10,
    )
    if (stretch.length >= least) for (const { id } of stretch) parent.set(rootOf(first.id), rootOf(id))
  }
  const groups = Map.groupBy(all, ({ id }) => rootOf(id))
  return [...groups.values()]
    .map((group) =>
      group
        .map(({ id }) => id)
        .toSorted((a, b) => a - b)
        .join(' '),
    )
    .toSorted()
}

const member = fc.record({
  keys: fc.uniqueArray(fc.constantFrom('a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'm1'), {
    minLength: 1,
    maxLength: 3,
  }),
  from: fc.integer({ min: 0, max: 60 }),
  lasts: fc.integer({ min: 0, max: 20 }),
})

const members = fc
  .array(member, { minLength: 1, maxLength: 14 })
  .map((list) =>
    list.map(({ keys, from, lasts }, index): Given => ({ id: index + 1, keys, from, until: from + lasts })),
  )

describe('placeMember', () => {
  it('gives the same cases in any order of arrival, those that the definition says', () => {
    fc.assert(
      fc.property(
        members.chain((list) =>
          fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
        ),
        ([list, order]) => {
          const db = empty()
          for (const given of order) placeMember(db, toMember(given), start + 1_000)
          expect(partition(db)).toEqual(model(list))
        },
      ),
      { numRuns: timesOf(300) },
    )
  })

  it('gives the same cases when keys and ends are learned later', () => {
    fc.assert(
      fc.property(
        members.chain((list) =>
          fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
        ),
        ([list, order]) => {
          const db = empty()
          for (const given of list) {
            const first = { ...given, keys: given.keys.slice(0, 1), until: given.from }
            placeMember(db, toMember(first), start + 1_000)
          }
          for (const given of order) placeMember(db, toMember(given), start + 2_000)
          expect(partition(db)).toEqual(model(list))
        },
      ),
      { numRuns: timesOf(200) },
    )
  })

  it('never splits: who was together stays together', () => {
    fc.assert(
      fc.property(members, (list) => {
        const db = empty()
        const pairs: (readonly [number, number])[] = []
        for (const given of list) {
          placeMember(db, toMember(given), start + 1_000)
          for (const [a, b] of pairs)
            expect(findCase(db, getMember(db, a, 1)?.caseId ?? 0)).toEqual(
              findCase(db, getMember(db, b, 1)?.caseId ?? 0),
            )
          for (const other of list.filter(({ id }) => id < given.id))
            if (getMember(db, other.id, 1)?.caseId === getMember(db, given.id, 1)?.caseId)
              pairs.push([other.id, given.id])
        }
      }),
      { numRuns: timesOf(100) },
    )
  })

  it('says when it merges', () => {
    const db = open()
    placeMember(db, toMember({ id: 1, keys: ['a1'], from: 0, until: 0 }), start)
    placeMember(db, toMember({ id: 2, keys: ['a2'], from: 0, until: 0 }), start)
    const placed = placeMember(db, toMember({ id: 3, keys: ['a1', 'a2'], from: 0, until: 0 }), start)
    expect(placed?.row.id).toBe(1)
    expect(placed?.merged.map(({ id }) => id)).toEqual([2])
    expect(findCase(db, 2)?.id).toBe(1)
  })
})

describe('a merge', () => {
  const both = ['a1', 'a2']
  const last = (overrides: Partial<NewMember> = {}): NewMember =>
    toMember({ id: 3, keys: both, from: 0, until: 0 }, { ...holding, ...overrides })
  const holding = { openUntil: null }

  /** Two cases of one alert each, the older in a state that somebody or time brought it to. */
  function two(db: Database, state: CaseState, overrides: Partial<NewMember> = {}): void {
    placeMember(db, toMember({ id: 1, keys: ['a1'], from: 0, until: 0 }, holding), start)
    const older = findCase(db, 1)
    if (older) saveCase(db, { ...older, state })
    placeMember(db, toMember({ id: 2, keys: ['a2'], from: 0, until: 0 }, { ...holding, ...overrides }), start)
  }

  it('keeps the severity and the worst alert of either', () => {
    const db = open()
    two(db, 'open', { severity: 'critical' })
    const isWorse = (one: number, than: number) => one === 2 && than !== 2
    const placed = placeMember(db, last({ isWorse }), start)
    expect(placed?.row).toMatchObject({ id: 1, severity: 'critical', worstAlert: 2, members: 3 })
  })

  it.each(['acknowledged', 'handled', 'closed'] as const)(
    'opens a case that was %s again when nobody had taken the other',
    (state) => {
      const db = open()
      two(db, state)
      const placed = placeMember(db, last(), start + 1)
      expect(placed?.reopened).toBe('c2, which nobody had taken, turned out to be the same')
      expect(placed?.row).toMatchObject({ id: 1, state: 'open', turn: 2, turnAt: start + 1 })
    },
  )

  it('stays with whoever is at one of both, when the other is over', () => {
    const db = open()
    two(db, 'closed')
    const other = findCase(db, 2)
    if (other) saveCase(db, { ...other, state: 'acknowledged', by: 'ana', byAt: start })
    const placed = placeMember(db, last(), start + 1)
    expect(placed?.reopened).toBeNull()
    expect(placed?.row).toMatchObject({ id: 1, state: 'acknowledged', by: 'ana', turn: 1 })
  })

  it('is no more money when people had heard of both', () => {
    const db = open()
    const risk = (amount: string) => ({ risk: { token: usdc, place: amount, unit: amount, amount } })
    placeMember(
      db,
      toMember({ id: 1, keys: ['a1'], from: 0, until: 0 }, { ...holding, ...risk('10') }),
      start,
    )
    placeMember(
      db,
      toMember({ id: 2, keys: ['a2'], from: 0, until: 0 }, { ...holding, ...risk('50') }),
      start,
    )
    for (const row of listCases(db, { states: ['open'], limit: 9 }))
      saveCase(db, { ...row, state: 'acknowledged' })
    expect(placeMember(db, last(), start + 1)).toMatchObject({ reopened: null, row: { id: 1 } })
    const more = toMember({ id: 4, keys: ['a1'], from: 0, until: 0 }, { ...holding, ...risk('7') })
    expect(placeMember(db, more, start + 2)?.reopened).toBe('more money is at risk')
  })

  it('leaves one opening in the timeline', () => {
    const db = open()
    two(db, 'open')
    placeMember(db, last(), start)
    const log = listCaseLog(db, 1, 10).map(({ what, text }) => `${what}: ${text}`)
    expect(log).toEqual([
      'opened: alert 1',
      'joined: alert 2',
      'merged: c2 turned out to be the same, by alert 3',
      'joined: alert 3',
    ])
  })
})

const usdc = '0xcc'

function lose(id: number, amount: string, place = `0x${id}`): NewMember {
  return toMember(
    { id, keys: ['a1'], from: 0, until: 0 },
    {
      severity: 'critical',
      risk: { token: usdc, place, unit: `t${id}`, amount },
      isLoss: true,
      openUntil: null,
    },
  )
}

function moneyOf(db: Database, id: number): string {
  const row = findCase(db, id)
  return row?.money[usdc] ? formatDecimal(atRisk(row.money[usdc])) : ''
}

describe('money at risk', () => {
  it('counts each unit once', () => {
    const db = open()
    placeMember(db, lose(1, '100'), start)
    // A second rule on the same transfer, and the movement that is its payout.
    placeMember(
      db,
      { ...lose(2, '100', '0x1'), risk: { token: usdc, place: '0x1', unit: 't1', amount: '100' } },
      start,
    )
    placeMember(
      db,
      { ...lose(3, '1'), risk: { token: usdc, place: '0x1', unit: 'movement', amount: '100' } },
      start,
    )
    expect(moneyOf(db, 1)).toBe('100')
    placeMember(db, lose(4, '50.5'), start)
    expect(moneyOf(db, 1)).toBe('150.5')
    // What lacks in all is explained by these, but for ten.
    placeMember(
      db,
      { ...lose(5, '1'), risk: { token: usdc, place: '', unit: 'balance', amount: '160.5' } },
      start,
    )
    expect(moneyOf(db, 1)).toBe('160.5')
  })

  it('is less when something was taken back', () => {
    const db = open()
    placeMember(db, lose(1, '100'), start)
    placeMember(db, lose(2, '30'), start)
    placeMember(db, { ...lose(1, '0'), risk: null, openUntil: start + 5 }, start + 5)
    expect(moneyOf(db, 1)).toBe('30')
  })

  it('goes along when cases merge', () => {
    const db = open()
    placeMember(db, lose(1, '100'), start)
    placeMember(db, { ...lose(2, '30'), keys: [{ key: 'a2', gapMs: Infinity }] }, start)
    expect(moneyOf(db, 2)).toBe('30')
    const both = [
      { key: 'a1', gapMs: Infinity },
      { key: 'a2', gapMs: Infinity },
    ]
    placeMember(db, { ...lose(2, '30'), keys: both }, start)
    expect(moneyOf(db, 1)).toBe('130')
  })
})

describe('what holds', () => {
  it('reaches until now', () => {
    const db = open()
    db.prepare(
      `INSERT INTO alerts (id, fingerprint, rule, kind, nature, severity, labels, subject, state, episode, active_at, finding, refreshed_at, material, amount_rank, changed_at)
        VALUES (1, 'f', 'r', 'k', 'condition', 'critical', '{}', 's', 'firing', 1, 0, '{}', 0, '', '', 0)`,
    ).run()
    const holds = toMember({ id: 1, keys: ['d1'], from: 0, until: 0 }, { until: null, openUntil: null })
    placeMember(db, holds, start)
    const later = placeMember(
      db,
      toMember({ id: 2, keys: ['d1'], from: 30 * minuteMs, until: 30 * minuteMs }),
      start,
    )
    expect(later?.row.id).toBe(1)
    expect(later?.row.closeAt).toBeNull()
    const ended = { ...holds, until: start + 40 * minuteMs, openUntil: start + 40 * minuteMs }
    placeMember(db, ended, start + 40 * minuteMs)
    expect(findCase(db, 1)?.closeAt).toBe(start + 40 * minuteMs)
    const after = placeMember(
      db,
      toMember({ id: 3, keys: ['d1'], from: 41 * minuteMs, until: 41 * minuteMs }),
      start,
    )
    expect(after?.row.id).toBe(2)
  })
})
