import { expect, test } from 'vitest'
import type { AppConfig } from '../../../src/kernel/settings.ts'
import { calmPoll, createBridgeWorld } from '../../support/bridgeWorld.ts'
import { toWire } from '../../support/fakeExplorer.ts'

const rules = `
rules:
  - { name: failed, on: transfer.failed, severity: critical, summary: "failed {{ transfer.amount }}" }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: vanished, on: transfer.vanished, severity: critical }
  - { name: incomplete, on: ledger.incomplete, severity: critical }
`
const hour = 3_600_000
/** As long as transfers are kept, in hours. */
const kept = 390 * 24

/** Records of all that is kept, newest first, the newest older than a first start looks back; every fourth failed. */
const setUp = (count: number, from: AppConfig['start']['from']) =>
  createBridgeWorld({
    rules,
    config: { poll: calmPoll, start: { from } },
    prepare({ fake, now }) {
      fake.records = Array.from({ length: count }, (_, n) => {
        const at = now() - Math.floor(((n + 1) * kept) / count) * hour - 30 * hour
        return toWire({
          zoneBlockTime: String(at - 30_000),
          mainBlockTime: String(at),
          mainBlockHeight: String(9_000 - n),
          zoneBlockHeight: String(90_000 - n),
          ...(n % 4 === 0 && { status: '0x0' }),
        })
      })
    },
  })

const wasTold = (failed: number) => (world: Awaited<ReturnType<typeof setUp>>) => {
  const row = world.monitor.app.parts.db
    .prepare("SELECT count(*) AS told FROM alerts WHERE kind = 'transfer.failed' AND nature = 'event'")
    .get()
  return Number(row?.['told']) === failed
}

test('F51: a first start on a year of history reads it and tells none of it, but all that follows', async () => {
  const world = await setUp(2_000, { kind: 'now' })
  const { ledger } = world.monitor.app.parts
  await world.until(() => ledger.countByState().failed === 500, 'the history')
  await world.pass(180_000)
  expect(world.told()).toEqual([])
  expect(world.monitor.told()).toEqual([])
  world.withdraw(1, { status: '0x0', mainTxHash: '', mainBlockTime: '', mainBlockHeight: '' })
  await world.until(() => world.told('transfer.failed').length === 1, 'what happens now')
})

test('F51: a first start that asks for all of history tells it in few messages, each failure counted once', async () => {
  const world = await setUp(600, { kind: 'genesis' })
  const isTold = wasTold(150)
  await world.until(() => isTold(world), 'the history')
  const { alerts } = world.monitor.app.parts
  await world.until(() => alerts.listDepths().length === 0, 'the messages')
  await world.pass(60_000)
  expect(world.told('transfer.failed')).toHaveLength(150)
  // A page of the list brings 25 of them; they do not make a message each.
  expect(world.monitor.told().length).toBeLessThanOrEqual(6)
  const counts = world.monitor
    .told()
    .map((text) =>
      Number(
        /(\d[\d,]*) (?:more )?(?:withdrawals|deposits|transfers|cases)/.exec(text)?.[1]?.replace(',', '') ??
          1,
      ),
    )
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(150)
})
