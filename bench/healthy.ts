import { parseArgs } from 'node:util'
import { shippedPoll } from '../test/support/incidents.ts'
import { runScenario } from '../test/support/runScenario.ts'

// A healthy bridge whose service has its usual weaknesses: records listed late, rewritten with a newer updateTime
// alone, a list that lags, throttling in disguise, slow answers, a preconfirmation RPC that breaks off. Prints what
// was told: nothing at warning or above may be. Time runs as fast as the machine keeps up.
//
// `--stretch 1` has the shipped schedule; with 20 every poll comes at a twentieth of it, so that a week passes sooner.
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '8' },
    hours: { type: 'string', default: '168' },
    perMinute: { type: 'string', default: '300' },
    speed: { type: 'string', default: '60' },
    stretch: { type: 'string', default: '1' },
    preconf: { type: 'string', default: '5000' },
  },
})
const stretch = Number(values.stretch)
const hours = Number(values.hours)

const period = (seconds: number) => {
  const apart = seconds * stretch
  return apart < 60 ? `*/${apart} * * * * *` : `0 */${Math.ceil(apart / 60)} * * * *`
}
const poll =
  stretch === 1
    ? shippedPoll
    : {
        ...shippedPoll,
        transfers: period(5),
        openTransfers: period(10),
        evidence: period(15),
        challenges: period(60),
        heads: period(10),
        contracts: period(15),
        escrows: period(30),
      }

function timeline(): string {
  const lines: string[] = []
  for (let minute = 10; minute < hours * 60; minute += 30) {
    lines.push(
      `- { at: ${minute}m, fault: transfer.late, behind: 8m, count: 3 }`,
      `- { at: ${minute + 2}m, fault: record.rewritten, updateTimeOnly: true, count: 5 }`,
      `- { at: ${minute + 4}m, for: 5m, fault: api.disguised, share: 0.05 }`,
      `- { at: ${minute + 11}m, for: 20s, fault: head.stall, chain: list }`,
      `- { at: ${minute + 14}m, for: 3m, fault: api.slow, delay: 2s, share: 0.2 }`,
      `- { at: ${minute + 19}m, for: 2s, fault: api.reset, endpoints: [rpc] }`,
      `- { at: ${minute + 22}m, for: 2m, fault: api.throttle, share: 0.05 }`,
    )
  }
  return lines.map((line) => `  ${line}`).join('\n')
}

const run = await runScenario({
  scenario: `name: week
history: { for: 2h, transfers: 600 }
traffic: { transfersPerMinute: ${values.perMinute} }
timeline:
${timeline()}
`,
  speed: Number(values.speed),
  timeoutMs: 20_000,
  maxStepMs: 80 * stretch,
  preconfIntervalMs: Number(values.preconf),
  pace: { maxRequestsPerSecond: 20, concurrency: 4 },
  config: { poll },
})
const startedAt = performance.now()
const endsAt = startedAt + Number(values.minutes) * 60_000
const { startAt } = run.sandbox.world
const passedMs = () => run.sandbox.look().now - startAt
while (performance.now() < endsAt && passedMs() < hours * 3_600_000) {
  await new Promise((resolve) => setTimeout(resolve, 5_000))
}
const seen = run.app.parts.db.prepare('SELECT count(*) AS n FROM transfers').get()
process.stdout.write(
  `${(passedMs() / 3_600_000).toFixed(1)} hours of the world in ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes, ${String(seen?.['n'])} transfers\n`,
)
const alerts = run.alerts()
process.stdout.write(alerts.length === 0 ? 'nothing was told\n' : `${alerts.length} alerts:\n`)
for (const { kind, severity, subject, state, afterMs } of alerts.slice(0, 60)) {
  process.stdout.write(`  ${(afterMs / 60_000).toFixed(1)} min ${severity} ${kind} ${state} ${subject}\n`)
}
for (const line of new Set(run.log.map((text) => /"msg":"([^"]{0,160})/.exec(text)?.[1] ?? text))) {
  process.stdout.write(`  log: ${line}\n`)
}
for (const text of run.told().slice(0, 6)) process.stdout.write(`${text.slice(0, 1_200)}\n---\n`)
const isLoud = alerts.some(({ severity }) => severity !== 'info')
await run.stop()
process.exitCode = isLoud ? 1 : 0
