import { expect, test } from 'vitest'
import type { BridgeLog } from '../../../../src/bridge/bridgeLog.ts'
import { indexAdministration } from '../../../../src/checks/contracts/administration.ts'
import { takeLogs } from '../../../../src/checks/contracts/takeLogs.ts'
import { verifySource } from '../../../../src/checks/contracts/verifySource.ts'
import { hash } from '../../../support/records.ts'
import { createTestKernel, noSignal } from '../support.ts'

const contract = `0x${'c0'.repeat(20)}`
const [old, next, third] = ['a1', 'b2', 'c3'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
]

/** A contract whose verified source shows an upgrade before its logs do. */
async function setUp() {
  const kernel = createTestKernel()
  const { clock, told } = kernel
  let implementation = old
  const contractReads = {
    ...kernel.contractReads,
    verified: async (address: string) => ({
      source: { implementation: address === contract ? implementation : '', compiler: 'v1', name: 'Bridge' },
      events: [],
    }),
  }
  const administration = indexAdministration()
  const watched = {
    ...kernel,
    contractReads,
    address: contract,
    tellSince: 0,
    administration,
    named: new Map(),
  }
  const verify = async () => {
    await verifySource({ ...watched, everyMs: 40_000 }, noSignal)
    await clock.advance(40_000)
  }
  await verify()
  const upgradedAt = clock.now()
  implementation = next
  await verify()
  await verify()
  const [topic = ''] = [...administration].flatMap(([topic, { signature }]) =>
    signature === 'Upgraded(address)' ? [topic] : [],
  )
  const take = (to: string, time: number, name: string) => {
    const topics = [topic, `0x${to.slice(2).padStart(64, '0')}`]
    const log: BridgeLog = { contract, hash: hash(name), height: 9, time, place: '0', topics, data: '0x' }
    kernel.commit({ apply: (now) => takeLogs(watched, { logs: [log], birth: null }, now) })
  }
  const names = () => new Set(told.map(({ subject, since }) => `${subject} ${since}`)).size
  return { clock, take, told, names, upgradedAt, verify }
}

test('an upgrade that the verified source showed before its log is told once, and then names its transaction', async () => {
  const { names, take, told, upgradedAt } = await setUp()
  expect(told.map(({ facts }) => facts['after'])).toEqual([next])
  take(next, upgradedAt, 'upgrade')
  expect(told.map(({ facts }) => facts['txHash'])).toEqual([undefined, hash('upgrade')])
  expect(names()).toBe(1)
})

test('an upgrade to another one, or to the same one again later, is told by itself', async () => {
  const { clock, names, take, upgradedAt, verify } = await setUp()
  take(next, upgradedAt, 'upgrade')
  take(third, upgradedAt + 1_000, 'another')
  expect(names()).toBe(2)
  take(next, clock.now(), 'back')
  expect(names()).toBe(3)
  await verify()
  expect(names()).toBe(3)
})
