// A process that commits to the ledger and follows with the cursors as fast as it can, and says each number only when
// both are durable. Its write-ahead log is copied beside that. Run by powerLoss.ts.
import { setImmediate } from 'node:timers/promises'
import { openState } from '../../src/store/openState.ts'

const { db, cursors, logCopies } = openState({ folder: process.argv[2] ?? '', since: 1_000, now: 5_000 })
db.prepare("INSERT OR IGNORE INTO meta VALUES ('written', '0')").run()
const read = db.prepare("SELECT value FROM meta WHERE name = 'written'")
const write = db.prepare("UPDATE meta SET value = ? WHERE name = 'written'")
// So that there is a log to copy each twenty commits, and the file stays small.
const fill = db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)')
const filling = 'x'.repeat(512 * 1024)
const { signal } = new AbortController()
let isCopying = false
for (;;) {
  const next = Number(read.get()?.['value']) + 1
  db.transaction(() => {
    write.run(String(next))
    fill.run(`filled ${next % 50}`, filling)
  })
  const now = cursors.read()
  cursors.write({ ...now, sweep: { ...now.sweep, page: next } })
  process.stdout.write(`${next}\n`)
  if (!isCopying && logCopies.isDue()) {
    isCopying = true
    void logCopies.run(signal).finally(() => (isCopying = false))
  }
  await setImmediate()
}
