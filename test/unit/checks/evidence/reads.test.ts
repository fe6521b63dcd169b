import { expect, test } from 'vitest'
import { createEvidenceReads } from '../../../../src/checks/evidence/reads.ts'
import type { Explorer } from '../../../../src/clients/explorer/createExplorer.ts'
import { joinExplorers } from '../../../../src/clients/explorer/explorerSeat.ts'
import { createSeat } from '../../../../src/clients/seat.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'
import { noSignal } from '../support.ts'

/** An explorer of transactions that moved a token so often, 100 a page; the theft is the last movement of its transaction. */
function readsOf(moves: Readonly<Record<string, number>>, unread: readonly string[] = [], saysPages = true) {
  const asked: string[] = []
  const callNonEmpty = async (
    _: unknown,
    { txId, page }: { readonly txId: string | readonly string[]; readonly page: number },
  ) => {
    const hashes = [txId].flat()
    asked.push(`${hashes.join()} ${page}`)
    const rows = hashes.flatMap((hash) =>
      Array.from({ length: moves[hash] ?? 0 }, (__, n) => ({
        hash,
        height: 7,
        time: 7_000,
        state: 'success',
        from: '0xe5',
        to: '0xbb',
        amount: `${n}`,
        token: n + 1 === moves[hash] ? '0xcc' : '0xdd',
      })),
    )
    const bad = page === 1 ? unread : []
    // What cannot be read takes its place on the page.
    const records = rows.slice((page - 1) * 100, page * 100 - (saysPages ? 0 : bad.length))
    return {
      records,
      totalPage: saysPages ? Math.ceil(rows.length / 100) : null,
      limit: 100,
      quarantined: bad.map((raw) => ({ raw, problem: 'bad' })),
      misfits: [],
      requestedAt: 5,
      endpoint: 'E13',
    }
  }
  const reads = createEvidenceReads(toExplorer(callNonEmpty))
  return { asked, reads }
}
const options = { priority: 'evidence', signal: noSignal } as const

/** Of the explorer only what movements are read of. */
function toExplorer(callNonEmpty: unknown): Explorer {
  const explorer = { callNonEmpty, session: () => explorer } as unknown as Explorer
  return explorer
}

test('pages of one answer are of one explorer: another one may give its rows in another order', async () => {
  const rows = Array.from({ length: 150 }, (_, n) => ({
    hash: '0xa',
    from: '0xee',
    to: '0xbb',
    token: '0xcc',
    amount: String(n + 1),
    tokenId: '',
    state: 'success',
    height: 7,
    time: 5,
  }))
  const serve = (name: string, all: readonly unknown[], fails: (page: number) => boolean) => ({
    name,
    client: toExplorer(async (_: unknown, { page }: { readonly page: number }) => {
      if (fails(page)) throw new MonitorError('source.throttled', 'too many requests')
      const records = all.slice((page - 1) * 100, page * 100)
      return {
        records,
        totalPage: 2,
        limit: 100,
        quarantined: [],
        misfits: [],
        requestedAt: 5,
        endpoint: 'E13',
      }
    }),
  })
  const a = serve('a', rows, (page) => page > 1)
  const b = serve('b', rows.toReversed(), () => false)
  const reads = createEvidenceReads(joinExplorers(createSeat([a, b], createSteppedClock())))
  await expect(reads.mainLegs(['0xa'], options)).rejects.toThrow('too many requests')
  // Who broke off rests, and the other one is asked for all of them.
  const { readings } = await reads.mainLegs(['0xa'], options)
  expect(new Set(readings[0]?.moves?.map(({ amount }) => amount)).size).toBe(150)
  expect(readings[0]?.moves).toHaveLength(150)
})

test.each([2_000, 2_001, 9_999])(
  'what a payout beside %i movements of a token of its own paid is read, and so are those asked for with it',
  async (dust) => {
    const { reads } = readsOf({ '0xa': 1, '0xb': dust, '0xc': 2, '0xd': 1 })
    const { readings, bad } = await reads.mainLegs(['0xa', '0xb', '0xc', '0xd'], options)
    expect(readings.map(({ hash, moves }) => [hash, moves?.length, moves?.at(-1)?.token])).toEqual([
      ['0xa', 1, '0xcc'],
      ['0xb', dust, '0xcc'],
      ['0xc', 2, '0xcc'],
      ['0xd', 1, '0xcc'],
    ])
    expect(bad).toEqual([])
  },
)

test('of more than can be read it is known that they are there, and said that what they moved is not judged', async () => {
  const { asked, reads } = readsOf({ '0xa': 1, '0xb': 10_001 })
  const { readings, bad } = await reads.mainLegs(['0xa', '0xb'], options)
  expect(readings).toMatchObject([
    { hash: '0xa', status: 'success', moves: [{ token: '0xcc' }] },
    { hash: '0xb', status: 'success', moves: null },
  ])
  expect(bad).toMatchObject([{ endpoint: 'E13', raw: '0xb' }])
  expect(asked).toHaveLength(20 + 1 + 100)
})

test.each([
  { title: 'of one of them', raw: '{"txId":"0xB","amount":"much"}', known: [1, undefined, 2] },
  { title: 'of nobody knows which', raw: '{"amount":"much"}', known: [undefined, undefined, undefined] },
])(
  'a row $title that cannot be read hides what moved there, and not what others moved',
  async ({ raw, known }) => {
    const { reads } = readsOf({ '0xa': 1, '0xb': 1, '0xc': 2 }, [raw])
    const { readings } = await reads.mainLegs(['0xa', '0xb', '0xc'], options)
    expect(readings.map(({ moves }) => moves?.length)).toEqual(known)
  },
)

test('a page that is full with what cannot be read is not the last one, where none says how many there are', async () => {
  const { asked, reads } = readsOf({ '0xa': 100, '0xb': 101 }, ['{"txId":"0xA","amount":"much"}'], false)
  const { readings } = await reads.mainLegs(['0xa', '0xb'], options)
  expect(asked).toEqual(['0xa,0xb 1', '0xa,0xb 2', '0xa,0xb 3'])
  expect(readings.map(({ hash, moves }) => [hash, moves?.length])).toEqual([
    ['0xa', undefined],
    ['0xb', 101],
  ])
})

test.each(['', `0x${'0'.repeat(40)}`, `0x${'e'.repeat(40)}`])(
  'the native currency that a transaction carried is read where its token is "%s"',
  async (token) => {
    const row = {
      hash: '0xa',
      height: 7,
      time: 7_000,
      state: 'success',
      from: '0xe5',
      to: '0xbb',
      amount: '2',
    }
    for (const endpoint of ['E7', 'E6']) {
      const callNonEmpty = async ({ id }: { readonly id: string }) => ({
        records: id === endpoint ? [{ ...row, token }] : [],
        empty: id !== endpoint,
        quarantined: [],
        misfits: [],
        requestedAt: 5,
        endpoint: id,
      })
      const reads = createEvidenceReads(toExplorer(callNonEmpty))
      const found = await reads.ownValue('0xa', 7, { ...options, parties: ['0xbb'] })
      expect(found).toMatchObject({
        source: endpoint,
        status: 'success',
        moves: [{ token: '', amount: '2' }],
      })
    }
  },
)
