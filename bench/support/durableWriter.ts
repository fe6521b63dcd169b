// A process that commits to the ledger and follows with the cursors as fast as it can, and says each number only when
// both are durable. Run by powerLoss.ts.
import { openState } from '../../src/store/openState.ts'

const { db, cursors } = openState({ folder: process.argv[2] ?? '', since: 1_000, now: 5_000 })
db.prepare("INSERT OR IGNORE INTO meta VALUES ('written', '0')").run()
const read = db.prepare("SELECT value FROM meta WHERE name = 'written'")
const write = db.prepare("UPDATE meta SET value = ? WHERE name = 'written'")
for (;;) {
  const next = Number(read.get()?.['value']) + 1
  db.transaction(() => void write.run(String(next)))
  const now = cursors.read()
  cursors.write({ ...now, sweep: { ...now.sweep, page: next } })
  process.stdout.write(`${next}\n`)
}
