import { expect, test } from 'vitest'
import type { Actor } from '../../../src/store/actor.ts'
import { listChanges, purgeChanges, recordChange, sayWhence } from '../../../src/store/auditLog.ts'
import { openDatabase } from '../../../src/store/database.ts'

const ana: Actor = {
  by: 'ana',
  from: { via: 'page', address: '192.0.2.7', role: 'act', session: '4fZ1ab' },
}
const change = { what: 'acknowledged', about: 'alert', aboutId: '612cb0aa', detail: 'stalled: t42' } as const

test('a change is kept with who, when and from where', () => {
  const db = openDatabase(':memory:')
  recordChange(db, ana, change, 1_000)
  const [kept] = listChanges(db, { limit: 9 })
  expect(kept).toEqual({ id: 1, at: 1_000, who: 'ana', ...ana.from, ...change })
  expect(kept && sayWhence(kept)).toBe('page, 192.0.2.7, may act, session 4fZ1ab')
})

test('what is typed or sent is cleaned and bounded', () => {
  const db = openDatabase(':memory:')
  const by = `\u202eana\n${'x'.repeat(5_000)}`
  const from = { via: 'api', address: 'y'.repeat(9_000), role: null, session: null } as const
  recordChange(
    db,
    { by, from },
    { ...change, aboutId: 'z'.repeat(9_000), detail: '\u0000 a'.repeat(9_000) },
    1,
  )
  const [kept] = listChanges(db, { limit: 1 })
  expect(kept?.who).toMatch(/^ana x+…?$/)
  expect(Object.values(kept ?? {}).every((value) => String(value).length <= 1_001)).toBe(true)
  expect(kept?.who.length).toBeLessThanOrEqual(101)
})

test('an entry is never changed', () => {
  const db = openDatabase(':memory:')
  recordChange(db, ana, change, 1_000)
  expect(() => db.prepare("UPDATE audit_log SET who = 'bob'").run()).toThrow('never changed')
})

test('entries are listed newest first, page by page', () => {
  const db = openDatabase(':memory:')
  for (const at of [1, 2, 3]) recordChange(db, ana, change, at)
  expect(listChanges(db, { limit: 2 }).map(({ at }) => at)).toEqual([3, 2])
  expect(listChanges(db, { limit: 2, before: 2 }).map(({ at }) => at)).toEqual([1])
})

test('the oldest are forgotten in steps, by an index, and none that is younger', () => {
  const db = openDatabase(':memory:')
  for (const at of [1, 2, 3, 4]) recordChange(db, ana, change, at)
  expect(purgeChanges(db, 4, 2)).toBe(2)
  expect(listChanges(db, { limit: 9 }).map(({ at }) => at)).toEqual([4, 3])
  expect(purgeChanges(db, 4, 2)).toBe(1)
  expect(purgeChanges(db, 4, 2)).toBe(0)
  const plan = db
    .prepare('EXPLAIN QUERY PLAN SELECT id FROM audit_log WHERE at < 5 ORDER BY at LIMIT 2')
    .all()
  expect(String(plan[0]?.['detail'])).toContain('audit_log_at')
})
