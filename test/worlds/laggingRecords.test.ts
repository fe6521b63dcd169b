import { expect, test } from 'vitest'
import { createEscrowWorld } from '../support/escrowWorld.ts'
import type { WireRecord } from '../support/fakeExplorer.ts'

// The list (E3) goes back by minutes, while details (E12) do not: what it says again of a record is no news (semantics 4).

const minute = 60_000

async function start() {
  const seen: { past: readonly WireRecord[] | null } = { past: null }
  const world = await createEscrowWorld({
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    prepare(bare) {
      for (let n = 0; n < 6; n += 1) bare.deposit(n, { amount: '250' })
      for (let n = 6; n < 9; n += 1) bare.withdraw(n)
      const before = bare.fake.intercept
      bare.fake.intercept = (request, response) => {
        if (seen.past === null || !request.path.endsWith('/cross/transaction-list'))
          return before(request, response)
        const present = bare.fake.records
        bare.fake.records = [...seen.past]
        // The answer is made at once.
        queueMicrotask(() => (bare.fake.records = present))
        return before(request, response)
      }
    },
  })
  await world.pass(2 * minute)
  const show = (past: readonly WireRecord[] | null) => void (seen.past = past)
  return { ...world, show }
}

test('a deposit that failed, and was credited by another transaction, is credited once', async () => {
  const world = await start()
  const refused = { record: { status: '0x0' }, zone: { status: '0x0', value: '', valueRaw: '' } }
  const record = world.deposit(80, { amount: '90', ...refused })
  await world.pass(minute)
  const past = world.fake.records.map((one) => ({ ...one }))
  const credit = `0x${'77'.repeat(32)}`
  const time = String(world.now())
  world.zone(credit, { actionType: 'deposit', value: '90', valueRaw: '90000000', blockTime: time })
  Object.assign(record, { status: '0x1', updateTime: time, zoneTxHash: credit, zoneBlockTime: time })
  world.fake.records.splice(world.fake.records.indexOf(record), 1)
  world.fake.records.unshift(record)
  await world.pass(2 * minute)
  world.show(past)
  await world.pass(3 * minute)
  world.show(null)
  await world.pass(minute)
  const kinds = world.told().map(({ kind }) => kind)
  expect(kinds).not.toContain('transfer.duplicate')
  expect(kinds).not.toContain('transfer.mismatch')
})
