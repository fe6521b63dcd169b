import { expect, test } from 'vitest'
import type { Finding } from '../../../src/bridge/finding.ts'
import type { Observation } from '../../../src/bridge/observation.ts'
import { createCommitInSlices } from '../../../src/kernel/commitInSlices.ts'
import { recordHead } from '../../../src/kernel/heads/heads.ts'
import type { ReadingResult } from '../../../src/kernel/reads/reads.ts'
import type { EvidenceReading } from '../../../src/ledger/evidence/evidence.ts'
import { hash, toPending, toRecord } from '../../support/records.ts'
import { createRule } from '../alerts/harness.ts'
import { createTestKernel } from '../checks/support.ts'

const recordOf = (name: string, overrides: Partial<Observation> = {}) =>
  toRecord({ id: hash(`i${name}`), zoneHash: hash(`z${name}`), mainHash: hash(`m${name}`), ...overrides })
const listRecords = (count: number) => Array.from({ length: count }, (_, index) => recordOf(String(index)))
const evidenceOf = ({ zoneHash }: Observation): EvidenceReading => ({
  chain: 'zone',
  hash: zoneHash ?? '',
  source: 'E9',
  requestedAt: 1_000_000,
  status: 'failed',
  errorMessage: '',
  moves: null,
})

/** A commit that takes so long for each record, and what came to it. */
function setUp(msPerRecord: number) {
  const committed: ReadingResult[] = []
  let nowMs = 0
  const lost = { count: 0, isWithLast: false }
  /** After how many commits something was saved by itself. */
  const saves: number[] = []
  const commit = createCommitInSlices(
    (reading) => {
      committed.push(reading)
      if (lost.isWithLast && !reading.goesOn) lost.count += 1
      lost.isWithLast &&= reading.goesOn === true
      const size = (reading.answers ?? []).flat().length
      nowMs += size * msPerRecord
      return { news: size, hasUrgent: size > 0 && (reading.answers ?? []).flat().includes(urgent) }
    },
    {
      clock: { monotonicMs: () => nowMs },
      db: { rollbacks: () => lost.count, held: { save: () => void saves.push(committed.length) } },
    },
  )
  return {
    commit,
    committed,
    lost,
    saves,
    sizes: () => committed.map(({ answers = [] }) => answers.flat().length),
  }
}
const urgent = recordOf('urgent')

test('what is little is one commit, as it is', async () => {
  const { commit, committed } = setUp(1)
  const reading: ReadingResult = { answers: [listRecords(25)], mayWait: 'without-news', apply: () => [] }
  expect(await commit(reading)).toEqual({ news: 25, hasUrgent: false })
  expect(committed).toEqual([reading])
})

test('slices take on the size that takes no longer than 20 ms, and the last commit saves them', async () => {
  const { commit, committed, sizes } = setUp(1)
  await commit({ answers: [listRecords(100)] })
  expect(sizes()).toEqual([25, 23, 22, 21, 9, 0])
  expect(committed.map(({ mayWait = false, goesOn = false }) => ({ mayWait, goesOn }))).toEqual([
    ...Array.from({ length: 5 }, () => ({ mayWait: true, goesOn: true })),
    { mayWait: false, goesOn: false },
  ])
})

test('where records are quick, more of them are one slice', async () => {
  const { commit, sizes } = setUp(0.1)
  await commit({ answers: [listRecords(300)] })
  expect(sizes()).toEqual([25, 113, 157, 5, 0])
})

test('what took long is saved before more of it is done, but for what may wait', async () => {
  const { commit, saves } = setUp(1)
  await commit({ answers: [listRecords(100)] })
  expect(saves).toEqual([2, 4])
  await commit({ answers: [listRecords(100)], mayWait: true })
  expect(saves).toEqual([2, 4])
})

test('however slow, a slice is not so small that all of it takes longer', async () => {
  const { commit, sizes } = setUp(20)
  await commit({ answers: [listRecords(70)] })
  expect(sizes()).toEqual([25, 15, 15, 15, 0])
})

test('others run between two slices', async () => {
  const { commit, committed } = setUp(1)
  const running = commit({ answers: [listRecords(100)] })
  expect(committed).toHaveLength(1)
  await running
})

test('where a commit of somebody else fails meanwhile, which may take along what waits, all is committed once more', async () => {
  const { commit, committed, lost } = setUp(1)
  const reading: ReadingResult = { answers: [listRecords(40)], apply: () => [] }
  const running = commit(reading)
  lost.count += 1
  await running
  expect(committed.at(-1)).toBe(reading)
  expect(committed.slice(0, -1).some((one) => 'apply' in one)).toBe(false)
})

test('so it is where that shows with the last commit alone', async () => {
  const { commit, committed, lost } = setUp(1)
  const reading: ReadingResult = { answers: [listRecords(40)] }
  lost.isWithLast = true
  await commit(reading)
  expect(committed.slice(-2)).toEqual([{}, reading])
})

test('what shares a hash or an id stays together, with what was said of it', async () => {
  const { commit, committed } = setUp(1)
  const records = listRecords(40)
  const bundle = ['a', 'b', 'c'].map((name) => recordOf(name, { mainHash: records[0]?.mainHash ?? '' }))
  const twin = recordOf('twin', { id: bundle[2]?.id ?? '', zoneHash: hash('another') })
  const detail = recordOf('39', { source: 'E12' })
  const evidence = [twin, ...records].map(evidenceOf)
  await commit({ answers: [[...records, ...bundle, twin], [detail]], evidence })
  const slices = committed.map(({ answers = [], evidence: said = [] }) => ({ answers, said }))
  const together = slices.find(({ answers }) => answers.flat().includes(twin))
  expect(together?.answers.flat()).toEqual(expect.arrayContaining([records[0], ...bundle]))
  // Each answer by itself, also where only one of its records is in a slice.
  expect(slices.find(({ answers }) => answers.length === 2)?.answers[1]).toEqual([detail])
  for (const { answers, said } of slices) {
    const hashes = answers.flat().map(({ zoneHash }) => zoneHash)
    expect(said.every((one) => hashes.includes(one.hash))).toBe(true)
  }
  expect(slices.flatMap(({ answers }) => answers.flat())).toHaveLength(45)
  expect(slices.flatMap(({ said }) => said)).toHaveLength(41)
})

test('heads go first, what a check saves goes last, and what is urgent in one is urgent', async () => {
  const { commit, committed } = setUp(1)
  const heads = [{ chain: 'zone' as const, height: 1, blockTime: 1, requestedAt: 1 }]
  const apply = () => []
  const result = await commit({
    answers: [[urgent, ...listRecords(40)]],
    heads,
    apply,
    judge: ['t1'],
    bad: [{ endpoint: 'E3', problem: 'x', raw: '' }],
  })
  expect(result).toEqual({ news: 41, hasUrgent: true })
  expect(committed[0]).toMatchObject({ heads, bad: [{ endpoint: 'E3' }] })
  expect(committed.at(-1)).toEqual({ apply, judge: ['t1'] })
  expect(committed.slice(0, -1).some((one) => 'apply' in one || 'judge' in one)).toBe(false)
})

test('what may wait does so to the end; without news alone, only without news', async () => {
  const { commit, committed } = setUp(1)
  await commit({ answers: [listRecords(30)], mayWait: true })
  expect(committed.at(-1)).toEqual({ mayWait: true })
  await commit({ answers: [listRecords(30)], mayWait: 'without-news' })
  expect(committed.at(-1)).toEqual({})
})

test('in slices the ledger becomes what it becomes at once, and who sends is woken once, when all is saved', async () => {
  const records = listRecords(90).flatMap((record, index) => [
    { ...record, ...(index % 7 === 0 && { status: 'failed' as const }) },
    ...(index % 10 === 0 ? [{ ...record, id: hash(`more${index}`), value: '2', amountRaw: 2_000_000n }] : []),
  ])
  const read = async (name: 'commit' | 'commitInSlices') => {
    const kernel = createTestKernel()
    const woken: boolean[] = []
    kernel.after.add(() => woken.push(kernel.db.held.isUnsaved()))
    const result = await kernel[name]({ answers: [records], evidence: records.map(evidenceOf) })
    return { result, woken, transfers: kernel.ledger.listTransfers({ limit: 200 }).toSorted(byId) }
  }
  const byId = (a: { main: unknown; amount: unknown }, b: typeof a) =>
    JSON.stringify([a.main, a.amount]) < JSON.stringify([b.main, b.amount]) ? -1 : 1
  const [whole, sliced] = [await read('commit'), await read('commitInSlices')]
  const withoutKeys = ({ transfers }: typeof whole) => transfers.map((one) => ({ ...one, key: '' }))
  expect(withoutKeys(sliced)).toEqual(withoutKeys(whole))
  expect(sliced.result).toEqual(whole.result)
  expect(sliced.woken).toEqual([false])
})

test('payouts that name no origin wait for the withdrawals of their amount further down the page', async () => {
  const kernel = createTestKernel()
  kernel.live.rules = [createRule({ name: 'unbacked', kind: 'transfer.unbacked' })]
  const now = kernel.clock.now()
  for (const chain of ['main', 'zone'] as const)
    for (const height of [9_999, 10_000]) recordHead(kernel.db, chain, { height, blockTime: now, at: now })
  // The chains were shown meanwhile, the list was not.
  kernel.list.readAt = now - 300_000
  const at = now - 180_000
  const of = (n: number) => ({ requestedAt: now, zoneTime: at - 1_000, mainTime: at, amountRaw: BigInt(n) })
  const unnamed = { zoneHash: null, zoneHeight: null, zoneTime: null }
  const numbers = Array.from({ length: 40 }, (_, index) => index + 1)
  await kernel.commitInSlices({
    answers: [
      [
        ...numbers.map((n) => toRecord({ ...of(n), ...unnamed, mainHash: hash(`m${n}`) })),
        toRecord({ ...of(99), ...unnamed, mainHash: hash('forged') }),
        ...numbers.map((n) => toPending({ ...of(n), zoneHash: hash(`z${n}`), mainTime: null })),
      ],
    ],
  })
  const [forged, ...others] = kernel.ledger.listTransfers({ hash: hash('forged'), limit: 2 })
  expect(others).toEqual([])
  expect(kernel.alerts.listAlerts({ limit: 100 }).map(({ subject }) => subject)).toEqual([forged?.key])
})

test('who was paid further down the page, where it is older, is paid for the first time there alone', async () => {
  const kernel = createTestKernel()
  const matches = ({ facts }: Finding) => facts['firstTimeRecipient'] === false
  kernel.live.rules = [createRule({ name: 'large', kind: 'transfer.large', params: {}, matches })]
  const at = kernel.clock.now()
  const records = Array.from({ length: 60 }, (_, n) =>
    recordOf(String(n), {
      requestedAt: at,
      zoneTime: at - n * 1_000 - 500,
      mainTime: at - n * 1_000,
      targetAddress: n === 0 || n === 59 ? '0xagain' : `0x${n}`,
    }),
  )
  await kernel.commitInSlices({ answers: [records] })
  const [again] = kernel.ledger.listTransfers({ hash: hash('m0'), limit: 1 })
  expect(kernel.alerts.listAlerts({ limit: 100 }).map(({ subject }) => subject)).toEqual([again?.key])
})
