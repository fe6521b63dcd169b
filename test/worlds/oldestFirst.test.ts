import { expect, test } from 'vitest'
import { createBridgeWorld } from '../support/bridgeWorld.ts'
import { send } from '../support/fakeExplorer.ts'

// The order of lists is not documented, newest first in every sample.

const rules = `
rules:
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: stands, on: chain.stalled, severity: critical }
`

test('lists that begin with the oldest row are watched from their end: the chain goes on, and a payout without an origin is told of', async () => {
  const world = await createBridgeWorld({
    rules,
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    prepare: ({ fake, now, withdraw }) => {
      fake.pageCap = 2
      for (let n = 1; n <= 2_000; n += 1) {
        const at = now() - 3 * 86_400_000 + n * 10_000
        withdraw(n, { zoneBlockTime: String(at), mainBlockTime: String(at + 5_000) })
      }
      fake.records.reverse()
      const { intercept } = fake
      fake.intercept = (request, response) => {
        if (!request.path.endsWith('/block/block-list')) return intercept(request, response)
        const [limit, page] = ['limit', 'page'].map((name) => Number(request.query.get(name) ?? 20))
        const first = 1 + ((page ?? 1) - 1) * (limit ?? 20)
        const head = fake.zoneHead()
        const count = Math.max(0, Math.min(limit ?? 20, head - first + 1))
        const data = Array.from({ length: count }, (_, n) => ({
          hash: `0x${(first + n).toString(16)}`,
          height: String(first + n),
          miner: '0x01',
          blockTime: String(fake.now() - (head - first - n) * 100),
          transactionCount: '0',
        }))
        const totalPage = String(Math.ceil(head / (limit ?? 20)))
        send(response, 200, {
          code: '0',
          msg: '',
          data: [{ page: String(page), limit: String(limit), totalPage, total: String(head), data }],
        })
        return true
      }
    },
  })
  const { fake, monitor, withdraw } = world
  /** As the service gives them: each behind the ones before it. */
  const add = (...of: Parameters<typeof withdraw>) => {
    const record = withdraw(...of)
    fake.records = [...fake.records.filter((one) => one !== record), record]
  }
  const stands = () => monitor.app.parts.db.prepare("SELECT * FROM alerts WHERE kind = 'chain.stalled'").all()
  await world.pass(300_000)
  for (let n = 5_001; n <= 5_025; n += 1) add(n)
  await world.pass(60_000)
  const stolen = `0x${'5e'.repeat(32)}`
  const paidAt = world.now()
  add(6_000, { zoneTxHash: stolen, mainTxHash: `0x${'6e'.repeat(32)}` })
  fake.zoneTransactions.delete(stolen)
  await world.until(() => world.told('transfer.unbacked').length > 0, 'the payout')
  expect(world.now() - paidAt).toBeLessThan(120_000)
  expect(world.told()).toHaveLength(1)
  expect(stands()).toEqual([])
})
