/**
 * Reads a long history from outside: `npm run bench:backfill -- [transfers]`. The program in a process of its own, from
 * genesis, with a pace of 1,000 requests a second and the questions to second sources beside it, against a sandbox in
 * another. Both share the machine: on two cores the sandbox takes as much of it as the program.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { note } from './support/figures.ts'
import { readCpuSeconds, readResident, watchSandbox } from './support/sandboxDaemon.ts'

const transfers = Number(process.argv[2] ?? 100_000)
const scenario = `name: backfill\nseed: 7\ntraffic: { transfersPerMinute: 0 }\nhistory: { for: 30d, transfers: ${transfers} }\ntimeline: []\n`
const more = 'start: { from: genesis }\n'
const pace = 'pace: { maxRequestsPerSecond: 1000, concurrency: 8 }'
const begun = performance.now()
const { folder, daemon, end } = await watchSandbox(scenario, more, pace)
const startedAt = performance.now()
const count = () => {
  const db = new DatabaseSync(join(folder, 'state', 'ledger.sqlite'), { readOnly: true })
  try {
    return Number(db.prepare('SELECT count(*) AS n FROM transfers').get()?.['n'])
  } finally {
    db.close()
  }
}
let known = count()
while (known < transfers && performance.now() - startedAt < 480_000) {
  await sleep(250)
  known = count()
}
const seconds = (performance.now() - startedAt) / 1_000
console.log(
  `${known} of ${transfers} in ${seconds.toFixed(1)} s and ${readCpuSeconds(daemon.pid).toFixed(1)} s of CPU time; before that ${((startedAt - begun) / 1_000).toFixed(1)} s to make the world`,
)
note({
  name: 'backfill from outside',
  value: known / seconds,
  unit: 'records a second',
  target: { atLeast: 6_000 },
})
note({
  name: 'resident during a backfill, at most',
  value: readResident(daemon.pid, 'VmHWM'),
  unit: 'MB',
  target: { atMost: 300 },
})
await end()
