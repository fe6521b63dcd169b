/**
 * What a completed transfer takes on disk with all that was asked about it: `npm run bench:bytes -- [minutes]`. The whole
 * daemon watches a healthy bridge with second sources on both chains, 60 transfers a minute, in time that leaps. Halfway and
 * at the end what was deleted is taken out of a copy of the file, and the pages of each table and index are counted: the
 * second column is what each took of the file for every transfer so far, the first what one more transfer adds to it, which
 * is nothing where so many samples, or hours, are kept and no more.
 */
import { mkdtempSync, rmSync } from 'node:fs'
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
const path = join(folder, 'state', 'ledger.sqlite')
await run.pass((minutes / 2) * 60_000)
const halfway = weigh(path)
await run.pass((minutes / 2) * 60_000)
await run.app.stop()
clock.stop()
const end = weigh(path)
const { transfers, completed, answers } = end
console.log(
  `${transfers} transfers, ${completed} of them completed, ${(answers / transfers).toFixed(2)} answers each`,
)
const added = completed - halfway.completed
const growthOf = (name: string) => ((end.sizes.get(name) ?? 0) - (halfway.sizes.get(name) ?? 0)) / added
for (const [name, bytes] of [...end.sizes].sort(([, a], [, b]) => b - a).slice(0, 45))
  console.log(
    `${growthOf(name).toFixed(0).padStart(6)} ${(bytes / completed).toFixed(0).padStart(6)} ${name}`,
  )
const sum = ({ sizes }: Weighed, of = /./) =>
  sizes.entries().reduce((total, [name, bytes]) => (of.test(name) ? total + bytes : total), 0)
const own = sum(end, /^(transfers|leg_answers|other_hashes)/) / completed
const unit = 'bytes'
note({
  name: 'what one more transfer adds to the file',
  value: (sum(end) - sum(halfway)) / added,
  unit,
  target: { atMost: 900 },
})
note({ name: 'the whole file for each transfer so far', value: sum(end) / completed, unit })
note({ name: 'the transfer and its answers alone', value: own, unit })
await run.stop()
rmSync(folder, { recursive: true, force: true })

interface Weighed {
  readonly transfers: number
  readonly completed: number
  readonly answers: number
  /** Bytes of each table and index. */
  readonly sizes: ReadonlyMap<string, number>
}

function weigh(path: string): Weighed {
  const copy = join(folder, 'copy.sqlite')
  const ledger = openDatabase(path, { readOnly: true })
  ledger.prepare('VACUUM INTO ?').run(copy)
  ledger.close()
  const db = openDatabase(copy)
  const count = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0])
  const pages = db.prepare('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name').all()
  const weighed = {
    transfers: count('SELECT count(*) FROM transfers'),
    completed: count("SELECT count(*) FROM transfers WHERE state = 'completed'"),
    answers: listEveryAnswer(db).length,
    sizes: new Map(pages.map(({ name, bytes }) => [String(name), Number(bytes)])),
  }
  db.close()
  rmSync(copy)
  return weighed
}
