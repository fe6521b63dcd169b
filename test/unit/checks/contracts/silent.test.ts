import { expect, test } from 'vitest'
import { contracts } from '../../../../src/checks/contracts/check.ts'
import { readProgress, saveProgress } from '../../../../src/checks/contracts/progressStore.ts'
import { contractSilent } from '../../../../src/checks/contracts/silent.ts'
import { noteCoverage } from '../../../../src/kernel/running/coverage.ts'
import { noBridge } from '../../../support/appConfig.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { toFacts } from '../../rules/facts.ts'
import { createTestKernel } from '../support.ts'

const day = 86_400_000
const start = 1_800_000_000_000
const addresses = ['c0', 'c1'].map((byte) => `0x${byte.repeat(20)}`)

/** A bridge over which so many transfers have crossed since its logs are read. */
function setUp({ crossed = 20, watched = addresses } = {}) {
  const kernel = createTestKernel({ start, config: { bridge: { ...noBridge, contracts: watched } } })
  const { clock, commit, db } = kernel
  const records = Array.from({ length: crossed }, (_, n) =>
    toRecord({
      id: `id${n}`,
      mainHash: hash(`m${n}`),
      mainTime: start + n,
      zoneHash: hash(`z${n}`),
      zoneTime: start + n,
      requestedAt: start,
    }),
  )
  commit({ answers: [records] })
  noteCoverage(db, 'contracts', start, day)
  const check = contracts.open(kernel)
  const read = () => noteCoverage(db, 'contracts', clock.now(), 3 * day)
  const judge = () => {
    const facts = toFacts(clock.now(), check.facts(clock.now()))
    return contractSilent.judge(facts, contractSilent.params.parse({}))
  }
  const showLog = (address: string) =>
    saveProgress(db, address, { ...readProgress(db, address), lastLogHeight: 5 })
  return { clock, judge, read, showLog }
}

test('contracts that show no log for a day in which transfers crossed are told', async () => {
  const { clock, judge, read } = setUp()
  await clock.advance(day - 1_000)
  read()
  expect(judge().findings).toEqual([])
  await clock.advance(61_000)
  expect(judge()).toMatchObject({
    findings: [{ subject: 'bridge.contracts', since: start, facts: { count: 2, crossed: 20 } }],
    unknown: [],
  })
})

test('one log of one of them is enough, and ends it', async () => {
  const { clock, judge, read, showLog } = setUp()
  await clock.advance(2 * day)
  read()
  expect(judge().findings).toHaveLength(1)
  showLog(addresses[1] ?? '')
  await clock.advance(61_000)
  expect(judge()).toEqual({ findings: [], unknown: [] })
})

test('a bridge that few transfers cross may rest', async () => {
  const { clock, judge, read } = setUp({ crossed: 19 })
  await clock.advance(2 * day)
  read()
  expect(judge()).toEqual({ findings: [], unknown: [] })
})

test('while logs are not read it is not known', async () => {
  const { clock, judge, read } = setUp()
  await clock.advance(2 * day)
  read()
  await clock.advance(301_000)
  expect(judge()).toEqual({ findings: [], unknown: ['bridge.contracts'] })
})

test('without contracts there is nothing to tell', async () => {
  const { clock, judge, read } = setUp({ watched: [] })
  await clock.advance(2 * day)
  read()
  expect(judge()).toEqual({ findings: [], unknown: [] })
})
