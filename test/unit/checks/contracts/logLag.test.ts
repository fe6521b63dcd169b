import { expect, test } from 'vitest'
import { createLogLag, shownLogs } from '../../../../src/checks/contracts/logLag.ts'
import { saveLogs } from '../../../../src/checks/contracts/logStore.ts'
import { createContractReads } from '../../../../src/kernel/reads/contractReads.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import { noBridge } from '../../../support/appConfig.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'
import { createTestKernel, noSignal } from '../support.ts'

const contract = `0x${'c0'.repeat(20)}`
const start = 1_000_000
const [gold, silver] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`]

interface Payouts {
  readonly count: number
  /** So many of the first are shown by the contract's logs. */
  readonly shown: number
  /** What the transaction's own logs say of the contract, by the payout's number. */
  readonly emitted?: (n: number) => boolean | null
  readonly token?: (n: number) => string
}

/** Payouts that are proven, one a second, and minutes later: how many are said to lack, and how often it was asked. */
async function play({ count, shown, emitted = () => true, token = () => gold }: Payouts) {
  const asked: string[] = []
  const kernel = createTestKernel({ start, config: { bridge: { ...noBridge, contracts: [contract] } } })
  const { clock, commit, db, endpointLags, ledger } = kernel
  const lag = createLogLag({
    ...kernel,
    contractReads: {
      ...kernel.contractReads,
      async hasEmitted(_, name) {
        asked.push(name)
        return emitted(Array.from({ length: count }, (_, n) => hash(`p${n}`)).indexOf(name))
      },
    },
  })
  for (let n = 0; n < count; n += 1) {
    const main = { mainHash: hash(`p${n}`), mainHeight: n, mainTime: start + n * 1_000 }
    const proof = { status: 'success', errorMessage: '', moves: [], requestedAt: start } as const
    commit({
      answers: [[toRecord({ id: `i${n}`, zoneHash: hash(`z${n}`), token: token(n), ...main })]],
      evidence: [{ chain: 'main', hash: main.mainHash, source: 'E13', ...proof }],
    })
    const log = { contract, hash: main.mainHash, height: n, time: main.mainTime, place: '0' }
    if (n < shown) saveLogs(db, [{ ...log, topics: ['0x01'], data: '0x' }], start)
    // A transfer changes more than once.
    for (let times = 0; times < 3; times += 1)
      lag.note(ledger.listTransfers({ hash: main.mainHash, limit: 1 }))
  }
  await lag.confirm({ priority: 'sweep', signal: noSignal })
  expect(asked).toEqual([])
  await clock.advance(120_000)
  for (let tick = 0; tick < 10; tick += 1) await lag.confirm({ priority: 'sweep', signal: noSignal })
  endpointLags.noteRead(shownLogs(contract), { newest: shown - 1, to: 1_000, at: start + 600_000 })
  return [endpointLags.list().map(({ endpoint, hashes }) => `${endpoint} ${hashes.length}`), asked.length]
}

test('a contract whose logs stand still lags, as the logs of the transactions themselves say', async () => {
  expect(await play({ count: 10, shown: 5 })).toEqual([['E19 5'], 5])
})

test('one that was hardly seen to tell of payouts, or shows all, is asked about nothing', async () => {
  expect(await play({ count: 10, shown: 4 })).toEqual([[], 0])
  expect(await play({ count: 10, shown: 10 })).toEqual([[], 0])
})

test('one that tells of one token lags in nothing while another is paid by another contract', async () => {
  const token = (n: number) => (n < 5 ? gold : silver)
  const emitted = (n: number) => token(n) === gold
  expect(await play({ count: 10, shown: 5, token, emitted })).toEqual([[], 1])
  const ofBoth = (n: number) => (n < 5 || n % 2 === 0 ? gold : silver)
  const byGold = (n: number) => ofBoth(n) === gold
  expect(await play({ count: 12, shown: 5, token: ofBoth, emitted: byGold })).toEqual([['E19 3'], 4])
})

test('one that was replaced by another lags in nothing: that is asked once', async () => {
  expect(await play({ count: 10, shown: 5, emitted: () => false })).toEqual([[], 1])
})

test('a contract emitted in a transaction, or did not, or nobody can say', async () => {
  const emits = (records: readonly { address: string }[], quarantined: readonly unknown[] = []) =>
    createContractReads({
      clock: createSteppedClock(),
      explorer: {
        call: async () => ({ records, quarantined }) as never,
        walk: () => Promise.reject(new Error()),
      },
    }).hasEmitted(contract, hash('p'), { priority: 'sweep', signal: noSignal })
  const [own, other] = [{ address: contract }, { address: gold }]
  expect(await emits([other, own])).toBe(true)
  expect(await emits([other])).toBe(false)
  expect(await emits([])).toBeNull()
  expect(await emits([other], ['not readable'])).toBeNull()
  expect(await emits(Array.from({ length: 1_000 }, () => other))).toBeNull()
})

test('nothing is said by who shows no logs of a transaction, and he is not asked for ever', async () => {
  expect(await play({ count: 8, shown: 5, emitted: () => null })).toEqual([[], 15])
  const failing = () => {
    throw new MonitorError('source.refused', 'E21 stumbles')
  }
  expect(await play({ count: 8, shown: 5, emitted: failing })).toEqual([[], 10])
})
