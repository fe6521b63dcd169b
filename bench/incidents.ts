import { parseArgs } from 'node:util'
import { incidents, shippedPoll } from '../test/support/incidents.ts'
import { runScenario, type ScenarioRun } from '../test/support/runScenario.ts'

// Scenarios side by side with the shipped schedule: what was told, how severe, how long after the start, in the world's time.
// `--pace N` requests a second for each; default: the shipped one.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    speed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '4' },
    pace: { type: 'string', default: '4' },
    concurrency: { type: 'string', default: '2' },
    one: { type: 'boolean', default: false },
  },
})
const speed = Number(values.speed)
const names = positionals.length > 0 ? positionals : incidents.map(({ name }) => name)
const runs = await Promise.all(
  names.map(async (name) => ({
    name,
    run: await runScenario({
      scenario: name.replace('!', ''),
      speed,
      preconfIntervalMs: Math.max(200, 50 * speed),
      ...(name.endsWith('!') && { secondSource: false }),
      pace: { maxRequestsPerSecond: Number(values.pace), concurrency: Number(values.concurrency) },
      config: { poll: shippedPoll },
    }),
  })),
)
await new Promise((resolve) => setTimeout(resolve, (Number(values.minutes) * 60_000) / speed))
for (const { name, run } of runs) print(name, run)
await Promise.all(runs.map(({ run }) => run.stop()))

function print(name: string, run: ScenarioRun): void {
  const groups = new Map<string, { first: number; last: number; count: number }>()
  for (const { kind, severity, state, afterMs } of run.alerts()) {
    const key = `${kind} ${severity} ${state}`
    const group = groups.get(key) ?? { first: afterMs, last: afterMs, count: 0 }
    groups.set(key, {
      first: Math.min(group.first, afterMs),
      last: Math.max(group.last, afterMs),
      count: group.count + 1,
    })
  }
  const incident = incidents.find((known) => known.name === name)
  process.stdout.write(`\n${name}\n`)
  for (const [key, { first, last, count }] of groups) {
    const at = incident?.tells.find(({ kind }) => key.startsWith(`${kind} `))?.atSeconds
    const delay = at === undefined ? '' : `, ${(first / 1_000 - at).toFixed(0)} s after it could be seen`
    process.stdout.write(
      `  ${key}: ${count}, from ${(first / 1_000).toFixed(0)} s to ${(last / 1_000).toFixed(0)} s${delay}\n`,
    )
  }
  for (const { kind, atSeconds } of incident?.tells ?? []) {
    if (![...groups.keys()].some((key) => key.startsWith(`${kind} `)))
      process.stdout.write(`  MISSED ${kind} (${atSeconds} s)\n`)
  }
  for (const line of new Set(
    run.log.filter((text) => /"level":(50|60)|poll failed/.test(text)).slice(0, 5),
  )) {
    process.stdout.write(`  log ${line.slice(0, 300)}\n`)
  }
}
