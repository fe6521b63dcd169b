import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createLedger } from '../../src/ledger/ledger.ts'
import { createRunner } from '../../src/kernel/running/runner.ts'
import { createUpkeep } from '../../src/monitor/watching.ts'
import { createSilentLog } from '../../src/lib/log.ts'
import { toRecord } from '../support/records.ts'
import { createBench, createCondition, createEvent, createRoute, createRule } from '../unit/alerts/harness.ts'

const day = 86_400_000
const step = 4 * 3_600_000

test('F65: two months of alerts and transfers: tables, timers and listeners stay as they are after the first', async () => {
  const bench = createBench({ routes: [createRoute({ groupWaitMs: 0, groupIntervalMs: 60_000 })] })
  const { engine, store, database, ops } = bench
  const sleeping = new Set<AbortSignal | undefined>()
  let sleepers = 0
  const clock = {
    ...bench.clock,
    async sleep(ms: number, signal?: AbortSignal) {
      sleepers += 1
      sleeping.add(signal)
      await bench.clock.sleep(ms, signal)
      sleeping.delete(signal)
      sleepers -= 1
    },
  }
  const ledger = createLedger(database, { tokens: [], openIntervalMs: 10_000 })
  const retention = { transfersMs: 20 * day, preconfMs: day, auditMs: 20 * day }
  const upkeep = createUpkeep({ clock, db: database, ledger, alerts: store, config: { retention } }, [])
  const runner = createRunner({ clock, log: createSilentLog() }, [
    { name: 'upkeep', schedule: step, run: upkeep },
    { name: 'often', schedule: '0 */5 * * * *', run: async () => {} },
  ])
  runner.start()
  const dispatcher = bench.startSending()
  const stalled = createRule({ name: 'stalled', kind: 'chain.stalled' })
  const failed = createRule()
  const measure = () => {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    const rows = tables.map(({ name }) => {
      const count = database.prepare(`SELECT count(*) AS n FROM "${String(name)}"`).get()
      return [String(name), Number(count?.['n'])] as const
    })
    const listeners = [...sleeping].map((signal) => (signal ? getEventListeners(signal, 'abort').length : 0))
    return { rows: new Map(rows), sleepers, listeners: Math.max(0, ...listeners), sent: ops.sent.length }
  }
  const live = async (days: number) => {
    for (let passed = 0; passed < days * day; passed += step) {
      const now = clock.now()
      const n = Math.round(now / step)
      const at = { zoneTime: now - 60_000, mainTime: now, requestedAt: now }
      database.transaction(() => {
        const record = toRecord({ id: `r${n}`, zoneHash: `0x${n}aa`, mainHash: `0x${n}bb`, ...at })
        const { changes } = ledger.recordAnswer([record], now)
        const told = changes.map(({ after }) => ({
          rule: failed,
          finding: createEvent(n, { key: after.key, originAt: now }),
        }))
        engine.tellEvents(told, now)
        const findings = n % 2 === 0 ? [createCondition('zone')] : []
        engine.applyCondition(stalled, { findings, unknown: [] }, now)
        engine.flush(now)
      })
      dispatcher.wake()
      await bench.clock.advance(step)
      // Messages are what this test holds, not the monitor.
      ops.sent.length = 0
    }
    return measure()
  }
  const first = await live(34)
  const second = await live(30)
  // Decisions have a bound of their own, in lines.
  second.rows.delete('decisions')
  const grown = [...second.rows].filter(([name, count]) => count > (first.rows.get(name) ?? 0) * 1.1 + 3)
  expect(grown).toEqual([])
  expect([...first.rows.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(500)
  expect(second.sleepers).toBeLessThanOrEqual(first.sleepers)
  expect(second.listeners).toBeLessThanOrEqual(first.listeners)
  const stopped = Promise.all([runner.stop(), dispatcher.stop()])
  await bench.clock.advance(60_000)
  await stopped
  expect(sleepers).toBe(0)
})
