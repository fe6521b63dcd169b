import { expect, test } from 'vitest'
import { encodeFinding, keptFinding } from '../../../../src/alerts/findingJson.ts'
import { alertTable } from '../../../../src/alerts/store/alertRows.ts'
import type { Database } from '../../../../src/store/database.ts'
import { searchAlerts } from '../../../../src/web/views/pageQueries.ts'
import { createBench, createEvent, createRule, start } from '../../alerts/harness.ts'

const hash = `0x${'1d'.repeat(16)}${'e7'.repeat(16)}`
const party = `0x${'7b'.repeat(20)}`

function fill(): Database {
  const { database, engine } = createBench()
  const rule = createRule({ name: 'failed' })
  const leg = { chain: 'main', hash, height: 1, time: start } as const
  const said = createEvent(3)
  const findings = [
    createEvent(1, { main: leg }),
    createEvent(2, { sourceAddress: party }),
    {
      ...said,
      evidence: [{ source: 'E9', at: start, says: `replaced by ${hash.toUpperCase().replace('X', 'x')}` }],
    },
  ]
  engine.tellEvents(
    findings.map((finding) => ({ rule, finding })),
    start,
  )
  return database
}

/** The rows as a version before wrote them. */
function writeOldForm(db: Database): void {
  for (const row of alertTable.all(db, 'SELECT * FROM alerts'))
    db.prepare('UPDATE alerts SET finding = ? WHERE id = ?').run(encodeFinding(keptFinding(row)), row.id)
}

const questions: readonly (readonly [string, readonly string[]])[] = [
  [hash, ['t1', 't3']],
  [hash.toUpperCase().replace('X', 'x'), ['t1', 't3']],
  [hash.slice(0, 20), ['t1', 't3']],
  [hash.slice(0, 21), ['t1', 't3']],
  [`${hash.slice(0, 20)}0`, []],
  [`${hash.slice(0, 6)}…${hash.slice(-4)}`, ['t1', 't3']],
  [`${hash.slice(0, 5)}…${hash.slice(-3)}`, ['t1', 't3']],
  [`${hash.slice(0, 6)}…0000`, []],
  [party, ['t2']],
  [hash.slice(2), ['t1', 't3']],
  [party.slice(2).toUpperCase(), ['t2']],
  ['t2', ['t2']],
  ['replaced by', ['t3']],
  [`0x${'99'.repeat(32)}`, []],
]

test.each(questions)(
  'alerts that name %s are found, in the form of now and in that of before',
  (text, keys) => {
    const db = fill()
    const search = () =>
      searchAlerts(db, text, 10)
        .map(({ subject }) => subject)
        .toSorted()
    expect(search()).toEqual(keys)
    writeOldForm(db)
    expect(search()).toEqual(keys)
  },
)
