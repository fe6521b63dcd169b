import { describe, expect, test } from 'vitest'
import { noAmount } from '../../../src/bridge/decimal.ts'
import type { Observation } from '../../../src/bridge/observation.ts'
import type { TokenMove } from '../../../src/bridge/transfer.ts'
import { transferDuplicate } from '../../../src/checks/transfers/duplicate.ts'
import { transferMismatch } from '../../../src/checks/transfers/mismatch.ts'
import { createRelated } from '../../../src/kernel/related.ts'
import { hash, toRecord } from '../../support/records.ts'
import { eventContext } from '../rules/transfers.ts'
import { createTestKernel } from '../checks/support.ts'

test('who shares a transaction with one of many is asked of all of them at once, on both chains', () => {
  const kernel = createTestKernel()
  const { commit, ledger, stakes } = kernel
  const records = Array.from({ length: 30 }, (_, index) =>
    toRecord({ id: hash(`i${index}`), zoneHash: hash(`a${index}`), mainHash: hash(`b${index}`) }),
  )
  const twins = [1, 2].map((index) =>
    toRecord({ id: hash(`t${index}`), zoneHash: hash(`e${index}`), mainHash: hash('ff') }),
  )
  commit({ answers: [[...records, ...twins]] })
  const changed = ledger.listTransfers({ limit: 100 })
  const asked: string[] = []
  const counting = {
    ...ledger,
    listSharing: (...[chain, name, limit]: Parameters<typeof ledger.listSharing>) => {
      asked.push(`${chain} ${name}`)
      return ledger.listSharing(chain, name, limit)
    },
  }
  const related = createRelated({ ledger: counting, stakes }, changed)
  for (const { key, main, zone } of changed)
    for (const leg of [main, zone]) {
      const found = related.sharing(leg?.chain ?? 'main', leg?.hash ?? '')
      expect(found.map((one) => one.key)).toContain(key)
      expect(found).toEqual(ledger.listSharing(leg?.chain ?? 'main', leg?.hash ?? '', 200))
    }
  expect(asked).toEqual([])
  expect(related.sharing('main', hash('ff'))).toHaveLength(2)
  // Nobody among them bears it: that is asked, once.
  expect([related.sharing('main', hash('99')), related.sharing('main', hash('99'))]).toEqual([[], []])
  expect(asked).toEqual([`main ${hash('99')}`])
})

const proofOf = (main: string) => ({
  chain: 'main' as const,
  hash: hash(main),
  source: 'E13' as const,
  requestedAt: 10_000_000,
  status: 'success' as const,
  errorMessage: '',
  moves: null,
})

test.each([0, 199, 205])(
  'a second payout is one too many beside %i dust withdrawals of its zone transaction',
  (dust) => {
    const { commit, ledger, stakes } = createTestKernel()
    const withdraw = (n: number, main: string) =>
      toRecord({ source: 'E12', zoneEventIndex: `${n}`, mainHash: hash(main), targetAddress: `0xb${n}` })
    commit({ answers: [Array.from({ length: dust }, (_, n) => withdraw(n, `m${n}`))] })
    const pay = (main: string) => commit({ answers: [[withdraw(dust, main)]], evidence: [proofOf(main)] })
    pay('first')
    pay('second')
    const paid = ledger.listTransfers({ hash: hash('second'), limit: 9 })
    const context = eventContext({ related: createRelated({ ledger, stakes }, paid) })
    const found = paid.map((one) => transferDuplicate.detect(one, {}, context)?.facts)
    expect(found).toMatchObject([{ otherHashes: hash('first'), payouts: 2 }])
  },
)

test.each([
  { title: 'one of 152 deposits too many is told', took: 151, credited: 152, told: [152] },
  { title: 'one of 302 is', took: 301, credited: 302, told: [302] },
  { title: 'none of 301 is', took: 301, credited: 301, told: [] },
  { title: 'none is where movements were cut off', took: 301, credited: 302, dust: 1_999, told: [] },
])('of the credits of one main transaction $title', ({ took, credited, dust = 0, told }) => {
  const { commit, ledger, stakes } = createTestKernel()
  const credits = Array.from({ length: credited }, (_, n) =>
    toRecord({
      id: hash(`id ${n}`),
      direction: 'MainToZone',
      amountRaw: 10n,
      mainHash: hash('deposit'),
      zoneHash: hash(`zone ${n}`),
      zoneTime: 950_000 + n,
    }),
  )
  const proof = { requestedAt: 10_000_000, status: 'success', errorMessage: '' } as const
  const of = { token: credits[0]?.token ?? '', tokenId: '', from: '0xa', to: '0xe', amount: null }
  const moves = [BigInt(took) * 10n, ...Array.from({ length: dust }, () => 0n)]
  const deposit = {
    ...proof,
    chain: 'main' as const,
    source: 'E13' as const,
    hash: hash('deposit'),
    moves: moves.map((amountRaw) => ({ ...of, amountRaw })),
  }
  const mints = credits.map(({ zoneHash }) => ({
    ...proof,
    chain: 'zone' as const,
    source: 'E9' as const,
    hash: zoneHash ?? '',
    moves: null,
  }))
  commit({ answers: [credits], evidence: [deposit, ...mints] })
  const last = ledger.listTransfers({ hash: hash(`zone ${credited - 1}`), limit: 9 })
  const context = eventContext({ related: createRelated({ ledger, stakes }, last) })
  const found = last.flatMap((one) => transferDuplicate.detect(one, {}, context) ?? [])
  expect(found.map(({ facts }) => facts.payouts)).toEqual(told)
})

test('of however many payouts of one origin each beyond the first is told, with the oldest', () => {
  const { commit, ledger, stakes } = createTestKernel()
  const names = Array.from({ length: 800 }, (_, n) => `p${n}`)
  const pay = (name: string, n: number) =>
    toRecord({ source: 'E12', zoneEventIndex: '7', mainHash: hash(name), mainTime: 900_000 + n * 1_000 })
  commit({ answers: [names.map(pay)], evidence: names.map(proofOf) })
  const all = ledger.listTransfers({ limit: 1_000 })
  const context = eventContext({ related: createRelated({ ledger, stakes }, all) })
  const found = all.flatMap((one) => transferDuplicate.detect(one, {}, context) ?? [])
  expect(found).toHaveLength(799)
  expect(new Set(found.map(({ facts }) => facts.payouts))).toEqual(new Set([800]))
  const last = found.find(({ transfer }) => transfer?.main?.hash === hash('p799'))
  expect(last?.facts.otherHashes).toBe(`${names.slice(0, 20).map(hash).join(', ')}, and 779 more`)
  expect(last?.evidence.map(({ says }) => says.split(' ')[0])).toEqual(
    [...names.slice(0, 20), 'p799'].map(hash),
  )
})

test('of a crowd in one transaction those of most value are compared, and what is judged', () => {
  const { commit, ledger, stakes } = createTestKernel()
  const records = Array.from({ length: 300 }, (_, n) =>
    toRecord({ id: `r${n}`, zoneHash: hash(`z${n}`), amountRaw: n === 250 ? 9n : 1n }),
  )
  commit({ answers: [records] })
  const all = ledger.listSharing('main', hash('main'), 300)
  const judged = all.slice(-1)
  const compared = createRelated({ ledger, stakes }, judged).sharing('main', hash('main'))
  expect(compared).toHaveLength(200)
  expect(compared.filter(({ id }) => ['r250', judged[0]?.id].includes(id ?? ''))).toHaveLength(2)
})

describe('of so many of one main transaction', () => {
  const move = (amountRaw: bigint, from: string, to: string): TokenMove => {
    return { token: '0xcc', from, to, amountRaw, amount: null, tokenId: '' }
  }
  const judge = (records: readonly Observation[], moves: readonly TokenMove[]) => {
    const { commit, ledger, stakes } = createTestKernel()
    commit({ answers: [records], evidence: [{ ...proofOf('main'), moves }] })
    const all = ledger.listSharing('main', hash('main'), 1_000)
    const context = eventContext({ related: createRelated({ ledger, stakes }, all) })
    return all.flatMap((one) => transferMismatch.detect(one, {}, context)?.facts['found'] ?? [])
  }
  const many = (count: number, of: Partial<Observation>) =>
    Array.from({ length: count }, (_, n) =>
      toRecord({
        id: `r${n}`,
        zoneHash: hash(`z${n}`),
        targetAddress: `0xb${n}`,
        amountRaw: 10n,
        value: '0.00001',
        ...of,
      }),
    )

  test.each([200, 201, 300])('%i withdrawals to one recipient are paid by one sum', (count) => {
    const records = many(count, { targetAddress: '0xbb' })
    expect(judge(records, [move(10n * BigInt(count), '0xe5', '0xbb')])).toEqual([])
  })

  test.each([200, 201, 300])('%i deposits are paid by one sum', (count) => {
    const records = many(count, { direction: 'MainToZone', crossType: 'Deposit' })
    expect(judge(records, [move(10n * BigInt(count), '0xaa', '0xe5')])).toEqual([])
  })

  test.each([200, 201, 300])(
    '%i withdrawals to one recipient the one that was not paid is found',
    (count) => {
      const records = many(count, { targetAddress: '0xbb' })
      const moves = Array.from({ length: count - 1 }, () => move(10n, '0xe5', '0xbb'))
      expect(judge(records, moves)).toEqual(['no item of its own'])
    },
  )
})

test.each([0, 199, 200, 300])('a credit too many is found beside %i others of one deposit', (others) => {
  const { commit, ledger, stakes } = createTestKernel()
  const credits = Array.from({ length: others + 2 }, (_, n) =>
    toRecord({
      direction: 'MainToZone',
      crossType: 'Deposit',
      id: `r${n}`,
      zoneHash: hash(`z${n}`),
      zoneTime: 950_000 + n,
      amountRaw: 10n,
    }),
  )
  const took = {
    ...proofOf('main'),
    moves: [
      {
        token: '0xcc',
        from: '0xaa',
        to: '0xe5',
        amountRaw: 10n * BigInt(others + 1),
        amount: null,
        tokenId: '',
      },
    ],
  }
  const seen = credits.map(({ zoneHash }) => ({
    ...proofOf(''),
    chain: 'zone' as const,
    source: 'E9' as const,
    hash: zoneHash ?? '',
  }))
  commit({ answers: [credits], evidence: [took, ...seen] })
  const all = ledger.listSharing('main', hash('main'), 1_000)
  const context = eventContext({ related: createRelated({ ledger, stakes }, all) })
  const found = all.filter((one) => transferDuplicate.detect(one, {}, context) !== null)
  expect(found.map(({ id }) => id)).toEqual([`r${others + 1}`])
})

test('what an escrow held is not known of before its first balance', () => {
  const { ledger, stakes } = createTestKernel()
  stakes.follow({
    lockedOf: () => noAmount,
    reserveOf: () => 70n,
    reserveSince: () => 1_000,
    riskOf: () => 0,
    netOf: () => null,
  })
  const related = createRelated({ ledger, stakes }, [])
  expect([related.escrowBalance('0xcc', 999), related.escrowBalance('0xcc', 1_000)]).toEqual([null, 70n])
})
