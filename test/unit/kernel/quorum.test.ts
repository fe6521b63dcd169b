import { fc } from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { createSeat, type Member } from '../../../src/clients/seat.ts'
import { type Accusation, askQuorum, judgeWords } from '../../../src/kernel/quorum.ts'
import { isContradicted, listContradictions, readAgreement } from '../../../src/kernel/sources/sourceWords.ts'
import { saySources } from '../../../src/bridge/agreement.ts'
import { createTestKernel, noSignal } from '../checks/support.ts'

const accused = 'nothing'
const word = (name: string, says: string | null, host = name) => ({ name, says, host })
const judge = (words: Parameters<typeof judgeWords>[0], quorum = 2) =>
  judgeWords(words, { says: accused, current: 'a', quorum })

describe('what the words of several sources come to', () => {
  test.each([
    {
      of: 'both say it',
      words: [word('a', accused), word('b', accused)],
      comesTo: { by: ['a', 'b'], silent: [] },
    },
    {
      of: 'the second does not answer',
      words: [word('a', accused), word('b', null)],
      comesTo: { by: ['a'], silent: ['b'] },
    },
    { of: 'the second contradicts', words: [word('a', accused), word('b', 'success')], comesTo: null },
    { of: 'who accused says otherwise now', words: [word('a', 'success'), word('b', null)], comesTo: null },
    {
      of: 'who accused does not answer any more',
      words: [word('a', null), word('b', accused)],
      comesTo: { by: ['a', 'b'], silent: [] },
    },
    {
      of: 'two of three say it',
      words: [word('a', accused), word('b', accused), word('c', 'success')],
      comesTo: { by: ['a', 'b'], silent: [] },
    },
    {
      of: 'two addresses of one host say it, and another one contradicts',
      words: [word('a', accused, 'x'), word('a 2', accused, 'x'), word('c', 'success')],
      comesTo: null,
    },
  ])('$of', ({ words, comesTo }) => {
    expect(judge(words)).toEqual(comesTo)
  })

  const says = fc.constantFrom(accused, 'success', null)
  const words = fc
    .array(fc.record({ host: fc.constantFrom('x', 'y', 'z'), says }), { minLength: 1, maxLength: 6 })
    .map((some) => some.map((one, at) => ({ ...one, name: String.fromCharCode(97 + at) })))

  test('never by fewer than the quorum against somebody who says otherwise; always where nobody does', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 2, max: 3 }), (some, quorum) => {
        const verdict = judge(some, quorum)
        const isAgainst = some.some((one) => one.says === 'success')
        if (isAgainst && verdict !== null) expect(verdict.by.length).toBeGreaterThanOrEqual(quorum)
        // A silent source holds up nothing: who accused has said it.
        if (!isAgainst) expect(verdict?.by.length).toBeGreaterThan(0)
      }),
    )
  })

  test('nobody is named twice, and of one host there is one', () => {
    fc.assert(
      fc.property(words, (some) => {
        const verdict = judge(some)
        if (verdict === null) return
        const hosts = verdict.by.map((name) => some.find((one) => one.name === name)?.host)
        expect(new Set(hosts).size).toBe(hosts.length)
        expect(verdict.by.filter((name) => verdict.silent.includes(name))).toEqual([])
      }),
    )
  })
})

test('who says it is said in the same words everywhere', () => {
  expect(saySources({ by: ['a'], silent: [] })).toBe('; one source (a)')
  expect(saySources({ by: ['a', 'b'], silent: [] })).toBe('; 2 sources (a, b)')
  expect(saySources({ by: ['a'], silent: ['b'] })).toBe('; one source (a): b could not tell')
  expect(saySources(undefined)).toBe('')
})

/** Sources of which each says something, or does not answer. */
interface Source {
  readonly host: string
  readonly says: string | Error | null
}

function setUp(sources: readonly (readonly [name: string, says: Source['says']])[], quorum: number) {
  const kernel = createTestKernel()
  const members = sources.map(([name, says]) => ({ name, client: { host: `${name}.example`, says } }))
  const seat = createSeat(members as [Member<Source>, ...Member<Source>[]], kernel.clock, quorum)
  const asked: string[] = []
  const accusation: Accusation<Source> = {
    chain: 'zone',
    what: 'transaction',
    about: '0xa1',
    says: accused,
    async ask({ host, says }) {
      asked.push(host)
      if (says instanceof Error) throw says
      return says
    },
  }
  const ask = () => askQuorum(kernel, { name: 'explorer', seat }, accusation, noSignal)
  return { kernel, seat, asked, ask }
}

describe('asking for a quorum', () => {
  test('without one nobody is asked, and who said it is named', async () => {
    const { ask, asked, kernel } = setUp(
      [
        ['a', accused],
        ['b', 'success'],
      ],
      1,
    )
    expect(await ask()).toEqual({ by: ['a'], silent: [] })
    expect(asked).toEqual([])
    expect(readAgreement(kernel.db, 'transaction', '0xa1')).toEqual({ by: ['a'], silent: [] })
  })

  test('a second source that contradicts makes it a difference of sources, and no accusation', async () => {
    const { ask, kernel, seat } = setUp(
      [
        ['a', accused],
        ['b', 'success'],
      ],
      2,
    )
    expect(await ask()).toBeNull()
    expect(isContradicted(kernel.db, 'transaction', '0xa1')).toBe(true)
    expect(listContradictions(kernel.db)).toMatchObject([
      {
        what: 'transaction',
        about: '0xa1',
        names: ['explorer a', 'explorer b'],
        isTie: true,
        says: 'explorer a: nothing; explorer b: success',
      },
    ])
    expect(seat.current().name).toBe('a')
  })

  test('of three the one that lies gives up its place', async () => {
    const { ask, kernel, seat } = setUp(
      [
        ['a', accused],
        ['b', 'success'],
        ['c', 'success'],
      ],
      2,
    )
    expect(await ask()).toBeNull()
    expect(listContradictions(kernel.db)).toMatchObject([{ names: ['explorer a'], isTie: false }])
    expect(seat.current().name).toBe('b')
  })

  test('of three the one that contradicts two is told, and the accusation stands', async () => {
    const { ask, kernel } = setUp(
      [
        ['a', accused],
        ['b', accused],
        ['c', 'success'],
      ],
      2,
    )
    expect(await ask()).toEqual({ by: ['a', 'b'], silent: [] })
    expect(listContradictions(kernel.db)).toMatchObject([{ names: ['explorer c'] }])
    expect(readAgreement(kernel.db, 'transaction', '0xa1')).toEqual({ by: ['a', 'b'], silent: [] })
  })

  test('one that does not answer, or has not come so far, holds up nothing', async () => {
    const dead = setUp(
      [
        ['a', accused],
        ['b', new Error('dead')],
      ],
      2,
    )
    expect(await dead.ask()).toEqual({ by: ['a'], silent: ['b'] })
    const behind = setUp(
      [
        ['a', accused],
        ['b', null],
      ],
      2,
    )
    expect(await behind.ask()).toEqual({ by: ['a'], silent: ['b'] })
    expect(listContradictions(behind.kernel.db)).toEqual([])
  })
})
