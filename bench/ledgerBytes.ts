/**
 * What a completed transfer takes on disk with all that was asked about it, in two worlds. The pages of each table and index are
 * counted in a copy of the file from which what was deleted is taken out.
 *
 * `npm run bench:bytes -- [minutes]`: the whole daemon watches a healthy bridge with second sources on both chains, 60 transfers
 * a minute, in time that leaps. It is weighed halfway and at the end: the first column is what one more transfer adds, which is
 * nothing where so many samples, or hours, are kept and no more; the second is what the file has for every transfer so far.
 *
 * `npm run bench:bytes -- history [transfers]`: it reads a history of 30 days from genesis until nothing of it waits for an
 * answer. The first column is the file as it stands, half full pages included, the second without them.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../src/store/database.ts'
import { listEveryAnswer } from '../test/support/everyAnswer.ts'
import { shippedPoll } from '../test/support/incidents.ts'
import { createLeapingClock } from '../test/support/leapingClock.ts'
import { runScenario } from '../test/support/runScenario.ts'
import { note } from './support/figures.ts'

const [what = '30', count = '20000'] = process.argv.slice(2)
const isHistory = what === 'history'
const minutes = isHistory ? 0 : Number(what)
const unit = 'bytes'
const folder = mkdtempSync(join(tmpdir(), 'spanwatch-bytes-'))
const path = join(folder, 'state', 'ledger.sqlite')
const clock = createLeapingClock()
const run = await runScenario({
  scenario: `name: bytes
seed: 7
traffic: { transfersPerMinute: ${isHistory ? 0 : 60} }
${isHistory ? `history: { for: 30d, transfers: ${count} }\n` : ''}timeline: []
`,
  clock,
  timeoutMs: 60_000,
  preconfIntervalMs: 60_000,
  zoneRpc: true,
  secondSource: true,
  config: {
    poll: shippedPoll,
    stateDir: join(folder, 'state'),
    ...(isHistory && { start: { from: { kind: 'genesis' } } }),
  },
})
await (isHistory ? weighHistory() : weighWatching())
await run.stop()
rmSync(folder, { recursive: true, force: true })

async function weighHistory(): Promise<void> {
  const { db } = run.app.parts
  const isThere = (sql: string) => db.prepare(sql).get() !== undefined
  do await run.pass(5 * 60_000)
  while (
    !isThere(`SELECT 1 FROM transfers LIMIT 1 OFFSET ${count} - 1`) ||
    isThere('SELECT 1 FROM evidence_queue')
  )
  // What is settled by then takes less room.
  await run.pass(20 * 60_000)
  await run.app.stop()
  clock.stop()
  const stands = weigh(path)
  const packed = weighCopy()
  print(packed, stands.sizes, packed.sizes)
  const { completed } = packed
  note({
    name: 'the whole file for each transfer of a history',
    value: statSync(path).size / completed,
    unit,
    target: { atMost: 900 },
  })
  note({ name: 'the same without pages that are half full', value: sum(packed) / completed, unit })
}

async function weighWatching(): Promise<void> {
  await run.pass((minutes / 2) * 60_000)
  const halfway = weighCopy()
  await run.pass((minutes / 2) * 60_000)
  await run.app.stop()
  clock.stop()
  const end = weighCopy()
  const { completed } = end
  const added = completed - halfway.completed
  const growth = end.sizes
    .entries()
    .map(([name, bytes]): [string, number] => [
      name,
      ((bytes - (halfway.sizes.get(name) ?? 0)) * completed) / added,
    ])
  print(end, new Map(growth), end.sizes)
  const own = sum(end, /^(transfers|leg_answers|settled_answers|other_hashes)/) / completed
  note({
    name: 'what one more transfer adds to the file',
    value: (sum(end) - sum(halfway)) / added,
    unit,
    target: { atMost: 900 },
  })
  note({ name: 'the whole file for each transfer so far', value: sum(end) / completed, unit })
  note({ name: 'the transfer and its answers alone', value: own, unit })
}

function print({ transfers, completed, answers }: Weighed, first: Sizes, second: Sizes): void {
  console.log(
    `${transfers} transfers, ${completed} of them completed, ${(answers / transfers).toFixed(2)} answers each`,
  )
  const ofOne = (bytes = 0) => (bytes / completed).toFixed(0).padStart(6)
  for (const [name, bytes] of [...second].sort(([, a], [, b]) => b - a).slice(0, 45))
    console.log(`${ofOne(first.get(name))} ${ofOne(bytes)} ${name}`)
}

function sum({ sizes }: Weighed, of = /./): number {
  return sizes.entries().reduce((total, [name, bytes]) => (of.test(name) ? total + bytes : total), 0)
}

/** Bytes of each table and index. */
type Sizes = ReadonlyMap<string, number>

interface Weighed {
  readonly transfers: number
  readonly completed: number
  readonly answers: number
  readonly sizes: Sizes
}

function weighCopy(): Weighed {
  const copy = join(folder, 'copy.sqlite')
  const ledger = openDatabase(path, { readOnly: true })
  ledger.prepare('VACUUM INTO ?').run(copy)
  ledger.close()
  const weighed = weigh(copy)
  rmSync(copy)
  return weighed
}

function weigh(file: string): Weighed {
  const db = openDatabase(file)
  const count = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0])
  const pages = db.prepare('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name').all()
  const weighed = {
    transfers: count('SELECT count(*) FROM transfers'),
    completed: count("SELECT count(*) FROM transfers WHERE state = 'completed'"),
    answers: listEveryAnswer(db).length,
    sizes: new Map(pages.map(({ name, bytes }) => [String(name), Number(bytes)])),
  }
  db.close()
  return weighed
}
