import { expect, test } from 'vitest'
import { calmPoll, createBridgeWorld } from '../support/bridgeWorld.ts'
import { send, type WireRecord } from '../support/fakeExplorer.ts'

// A list that keeps the row of a withdrawal from before its payout beside the one of it; records bear no names.

const minute = 60_000
const rules = `
rules:
  - { name: stalled, on: transfer.stalled, with: { after: 16m }, severity: critical }
`
const noMain = { mainTxHash: '', mainBlockHeight: '', mainBlockTime: '' }

async function watch(shows: (rows: readonly WireRecord[]) => readonly WireRecord[]) {
  const world = await createBridgeWorld({
    rules,
    config: { poll: calmPoll },
    prepare({ fake, withdraw }) {
      const before = fake.intercept
      fake.intercept = (request, response) => {
        if (!request.path.endsWith('/cross/transaction-multi')) return before(request, response)
        const hashes = (request.query.get('txId') ?? '').split(',')
        const rows = shows(fake.records.filter((row) => hashes.includes(row['zoneTxHash'] ?? '')))
        const detail = { zoneEventIndex: '', zoneBlockHash: '0xb1', batchDetail: '', blockHeight: '1' }
        const data = rows.map((row) => ({ ...detail, updateTime: row['zoneBlockTime'], ...row }))
        send(response, 200, { code: '0', msg: '', data })
        return true
      }
      for (let n = 0; n < 5; n += 1) withdraw(n, { id: '' })
    },
  })
  await world.pass(minute)
  const open = world.withdraw(80, { id: '', ...noMain })
  await world.pass(2 * minute)
  const paid = `0x${'77'.repeat(32)}`
  world.withdraw(80, {
    ...open,
    mainTxHash: paid,
    mainBlockHeight: '9000',
    mainBlockTime: String(world.now()),
  })
  await world.pass(18 * minute)
  return world.monitor.app.parts.db
    .prepare("SELECT kind, state FROM alerts WHERE kind LIKE 'transfer.%'")
    .all()
    .map((row) => `${String(row['kind'])} ${String(row['state'])}`)
}

const isPaid = (row: WireRecord) => row['mainTxHash'] !== ''

test('a row beside which E12 shows the paid one alone is of that', async () => {
  expect(await watch((rows) => (rows.some(isPaid) ? rows.filter(isPaid) : rows))).toEqual([])
}, 300_000)

test('two of which E12 shows both are two, and the one that is not paid is told', async () => {
  expect(await watch((rows) => rows)).toEqual(['transfer.stalled firing'])
}, 300_000)
