/**
 * What a completed transfer takes on disk with all that was asked about it: `npm run bench:bytes -- [minutes]`. The whole
 * daemon watches a healthy bridge with second sources on both chains, 60 transfers a minute, in time that leaps; then it
 * stops, what was deleted is taken out of the file, and the pages of each table and index are counted.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../src/store/database.ts'
import { listEveryAnswer } from '../test/support/everyAnswer.ts'
import { shippedPoll } from '../test/support/incidents.ts'
import { createLeapingClock } from '../test/support/leapingClock.ts'
import { runScenario } from '../test/support/runScenario.ts'
import { note } from './support/figures.ts'

const minutes = Number(process.argv[2] ?? 30)
const folder = mkdtempSync(join(tmpdir(), 'spanwatch-bytes-'))
const clock = createLeapingClock()
const run = await runScenario({
  scenario: `name: bytes\nseed: 7\ntraffic: { transfersPerMinute: 60 }\ntimeline: []\n`,
  clock,
  timeoutMs: 60_000,
  preconfIntervalMs: 60_000,
  zoneRpc: true,
  secondSource: true,
  config: { poll: shippedPoll, stateDir: join(folder, 'state') },
})
await run.pass(minutes * 60_000)
await run.app.stop()
clock.stop()
const copy = join(folder, 'copy.sqlite')
cpSync(join(folder, 'state', 'ledger.sqlite'), copy)
const db = openDatabase(copy)
db.prepare('VACUUM').run()
const count = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0])
const transfers = count('SELECT count(*) FROM transfers')
const completed = count("SELECT count(*) FROM transfers WHERE state = 'completed'")
console.log(
  `${transfers} transfers, ${completed} of them completed, ${(listEveryAnswer(db).length / transfers).toFixed(2)} answers each`,
)
const sizes = db
  .prepare('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC')
  .all()
const perTransfer = (bytes: number) => (bytes / transfers).toFixed(0).padStart(6)
for (const { name, bytes } of sizes.slice(0, 25)) console.log(`${perTransfer(Number(bytes))} ${String(name)}`)
const sum = (of: typeof sizes) => of.reduce((total, { bytes }) => total + Number(bytes), 0)
const own = sizes.filter(({ name }) => /^(transfers|leg_answers|other_hashes)/.test(String(name)))
const unit = 'bytes'
note({ name: 'a transfer with its evidence', value: sum(own) / transfers, unit, target: { atMost: 900 } })
note({ name: 'the same with what is kept for days, or as samples', value: sum(sizes) / transfers, unit })
db.close()
await run.stop()
rmSync(folder, { recursive: true, force: true })
