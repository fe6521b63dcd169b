import { expect, test } from 'vitest'
import { establishedNames } from '../../../../src/meaning/learnedActions.ts'
import { movesAs, namesZoneAmounts } from '../../../../src/meaning/learnedMoney.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { listLessonNames, listLessonRows, purgeSamples } from '../../../../src/ledger/lessons/lessonStore.ts'
import { int } from '../../../../src/store/table.ts'
import { createLearned, holdJudgement, takeHeldJudgements } from '../../../../src/ledger/lessons/learned.ts'

/** Whether `sum` still stands for the amount after so many transfers that say so, and then so many that do not. */
function isKept(equal: number, other: number): boolean {
  const db = openDatabase(':memory:')
  const learned = createLearned(db)
  for (let n = 0; n < equal + other; n += 1) {
    const value = n < equal ? '=sum' : '!sum'
    learned.learn(
      [{ kind: 'action', name: 'ZoneToMain amount', value }],
      { hash: `0x${n}`, party: `0xa${n}` },
      n,
    )
  }
  const names = establishedNames(learned, { direction: 'ZoneToMain', crossType: 'Withdraw' }, 'amount')
  db.close()
  return names.has('sum')
}

test('what hundreds of transfers showed is not unlearned by a few thefts', () => {
  expect(isKept(200, 10)).toBe(true)
  expect(isKept(200, 11)).toBe(false)
})

test('what holds in half of all is no habit, however many there are', () => {
  expect(isKept(1_000, 1_000)).toBe(false)
})

test.each([
  { parties: 1, samples: 20, movedAs: null },
  { parties: 2, samples: 20, movedAs: null },
  { parties: 3, samples: 3, movedAs: '0xmoved' },
])(
  'semantics.md 48: $samples samples of $parties parties teach that a token moves as $movedAs',
  ({ parties, samples, movedAs: expected }) => {
    const db = openDatabase(':memory:')
    const learned = createLearned(db)
    for (let n = 0; n < samples; n += 1)
      learned.learn(
        [{ kind: 'token', name: '0xtoken', value: '0xmoved' }],
        { hash: `0x${n}`, party: `0xa${n % parties}` },
        n,
      )
    expect(movesAs('0xtoken', learned)).toBe(expected)
    db.close()
  },
)

test('semantics.md 48: of what agrees more is kept than of what does not, so that a share can be told', () => {
  const db = openDatabase(':memory:')
  const learned = createLearned(db)
  const teach = (value: 'equal' | 'other', count: number) => {
    for (let n = 0; n < count; n += 1)
      learned.learn(
        [{ kind: 'zone', name: 'ZoneToMain', value }],
        { hash: `${value}${n}`, party: `${value}${n}` },
        n,
      )
    return namesZoneAmounts('ZoneToMain', learned)
  }
  expect([teach('equal', 60), teach('other', 3), teach('other', 4)]).toEqual([true, true, false])
  db.close()
})

test('semantics.md 44: of judgements that are due together those of most value are made first', () => {
  const db = openDatabase(':memory:')
  for (let n = 0; n < 30; n += 1) holdJudgement(db, `t${n}`, 1)
  const take = () => takeHeldJudgements(db, 1, 10, { known: new Map(), of: (key) => Number(key.slice(1)) })
  const taken = take()
  expect(taken.slice(0, 9)).toEqual(['t29', 't28', 't27', 't26', 't25', 't24', 't23', 't22', 't21'])
  expect([...taken, ...take(), ...take()]).toHaveLength(30)
  expect(take()).toEqual([])
  db.close()
})

test('a judgement that is held while thousands are is made in its turn (semantics 44)', () => {
  const db = openDatabase(':memory:')
  for (let n = 0; n < 5_100; n += 1) holdJudgement(db, `t${n}`, 1)
  const take = () => takeHeldJudgements(db, 1, 4_000, { known: new Map(), of: () => 0 })
  const taken = [take(), take()]
  expect(taken.map(({ length }) => length)).toEqual([4_000, 1_100])
  expect(taken.flat()).toContain('t5099')
  db.close()
})

test('semantics.md 48: what a transfer taught is taken back when it is accused, but for where its money went', () => {
  const db = openDatabase(':memory:')
  const learned = createLearned(db)
  const samples = [
    { kind: 'vault', name: '0xtoken', value: '0xvault' },
    { kind: 'elsewhere', name: '0xtoken', value: '0xthief' },
  ] as const
  for (const hash of ['0x1', '0x2']) learned.learn(samples, { hash, party: hash }, 1)
  learned.forget('0x2')
  expect(learned.vaultsOf('0xtoken')).toEqual(new Map([['0xvault', 1]]))
  expect(learned.elsewhereOf('0xtoken')).toEqual(new Map([['0xthief', 2]]))
  db.close()
})

test('a transaction that teaches several lessons is kept once, and forgotten with all of them', () => {
  const db = openDatabase(':memory:')
  const learned = createLearned(db)
  const samples = [
    { kind: 'vault', name: '0xtoken', value: '0xvault' },
    { kind: 'zone', name: 'ZoneToMain', value: 'equal' },
  ] as const
  for (const n of [1, 2, 3]) learned.learn(samples, { hash: `0x${n}`, party: `0xa${n}` }, n)
  // Again, and for another party.
  learned.learn(samples, { hash: '0x3', party: '0xb' }, 3)
  learned.learn([{ kind: 'zone', name: 'ZoneToMain', value: 'other' }], { hash: '0x3', party: '0xb' }, 3)
  const count = (table: string) => int.get(db, `SELECT count(*) FROM ${table}`)
  expect([count('teachers'), count('learned_samples')]).toEqual([4, 7])
  purgeSamples(db, 3, 1)
  expect(listLessonRows(db).map(({ kind, value, party }) => [kind, value, party])).toEqual([
    ['zone', 'other', '0xb'],
    ['zone', 'equal', '0xa3'],
    ['vault', '0xvault', '0xa3'],
    ['zone', 'equal', '0xa2'],
    ['vault', '0xvault', '0xa2'],
  ])
  purgeSamples(db, 9, 10)
  expect([count('teachers'), count('learned_samples'), count('lessons')]).toEqual([0, 0, 0])
  db.close()
})

test('what was learned while the clock was ahead keeps nothing that came after it', () => {
  const db = openDatabase(':memory:')
  const learned = createLearned(db)
  for (const [hash, at] of [
    ['0x1', 1_000],
    ['0x2', 10],
  ] as const)
    learned.learn([{ kind: 'vault', name: '0xcc', value: '0xvault' }], { hash, party: `0xa${hash}` }, at)
  purgeSamples(db, 20, 10)
  expect(listLessonRows(db).map(({ hash }) => hash)).toEqual(['0x1'])
  db.close()
})

test('what was learned in a transaction that came to nothing is not known, and is learned as if for the first time', () => {
  const db = openDatabase(':memory:')
  const learned = createLearned(db)
  const teach = (n: number) =>
    learned.learn(
      [{ kind: 'vault', name: '0xtoken', value: '0xvault' }],
      { hash: `0x${n}`, party: `0xa${n}` },
      n,
    )
  for (const n of [1, 2, 3]) teach(n)
  const undone = () =>
    db.transaction(() => {
      teach(4)
      throw new Error('the commit came to nothing')
    })
  expect(undone).toThrow('came to nothing')
  expect(learned.vaultsOf('0xtoken')).toEqual(new Map([['0xvault', 3]]))
  teach(4)
  expect(learned.vaultsOf('0xtoken')).toEqual(new Map([['0xvault', 4]]))
  db.close()
})

test('semantics.md 48: of one counterparty five samples count, however many it gave', () => {
  const db = openDatabase(':memory:')
  const learned = createLearned(db)
  const parties = ['a', 'b', ...Array.from({ length: 18 }, () => 'c')]
  for (const [n, party] of parties.entries())
    learned.learn([{ kind: 'token', name: '0xtoken', value: '0xmoved' }], { hash: `0x${n}`, party }, n)
  expect(learned.tokensOf('0xtoken').get('0xmoved')).toBe(1 + 1 + 5)
  db.close()
})

test('what is told for a fee keeps teaching it, whatever a token is called', () => {
  const db = openDatabase(':memory:')
  const learned = createLearned(db)
  const names = [
    'ZoneToMain 0xaa',
    'told ZoneToMain 0xaa',
    'flat told ZoneToMain 0xaa',
    'ZoneToMain a told b',
  ]
  const samples = names.map((name) => ({ kind: 'fee' as const, name, value: '1' }))
  learned.learn(samples, { hash: '0x2', party: '0xp' }, 1)
  learned.forget('0x2')
  expect(listLessonNames(db, 'fee', 10).toSorted()).toEqual([
    'flat told ZoneToMain 0xaa',
    'told ZoneToMain 0xaa',
  ])
  db.close()
})
