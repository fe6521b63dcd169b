import { expect, test } from 'vitest'
import { createLogLagNotes, shownLogs } from '../../../../src/checks/contracts/logLag.ts'
import { saveLogs } from '../../../../src/checks/contracts/logStore.ts'
import { noBridge } from '../../../support/appConfig.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { createTestKernel } from '../support.ts'

const contract = `0x${'c0'.repeat(20)}`
const start = 1_000_000

/** Payouts that are proven, one a second, of which the contract's logs show the first: how many are not shown. */
function play(count: number, shown: number) {
  const kernel = createTestKernel({ start, config: { bridge: { ...noBridge, contracts: [contract] } } })
  const { commit, db, endpointLags, ledger } = kernel
  const note = createLogLagNotes(kernel)
  for (let n = 0; n < count; n += 1) {
    const main = { mainHash: hash(`p${n}`), mainHeight: n, mainTime: start + n * 1_000 }
    const proof = { status: 'success', errorMessage: '', moves: [], requestedAt: start } as const
    commit({
      answers: [[toRecord({ id: `i${n}`, zoneHash: hash(`z${n}`), ...main })]],
      evidence: [{ chain: 'main', hash: main.mainHash, source: 'E13', ...proof }],
    })
    const log = { contract, hash: main.mainHash, height: n, time: main.mainTime, place: '0' }
    if (n < shown) saveLogs(db, [{ ...log, topics: ['0x01'], data: '0x' }], start)
    note(ledger.listTransfers({ hash: main.mainHash, limit: 1 }))
  }
  endpointLags.noteRead(shownLogs(contract), { newest: shown - 1, to: 1_000, at: start + 600_000 })
  return endpointLags.list().map(({ endpoint, hashes }) => `${endpoint} ${hashes.length}`)
}

test.each([
  ['stands still lags', 10, 5, ['E19 5']],
  ['was hardly seen to tell of payouts lags in nothing', 10, 4, []],
  ['shows all lags in nothing', 10, 10, []],
])('a contract whose log %s', (_, count, shown, lags) => {
  expect(play(count, shown)).toEqual(lags)
})
