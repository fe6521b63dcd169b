import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { World } from '../src/sandbox/world.ts'
import { shippedPoll } from '../test/support/incidents.ts'
import { createLeapingClock } from '../test/support/leapingClock.ts'
import { runScenario } from '../test/support/runScenario.ts'

// A week of a healthy bridge whose service has its usual weaknesses: records listed late, rewritten with a newer
// updateTime alone, a list that lags, throttling plain and in disguise, slow answers, short failures, a
// preconfirmation RPC that breaks off. The daemon and the world live in this process, in time that leaps to what
// comes next. Prints progress, and every alert at once: nothing at warning or above may be told (exit code 1).
//
// --hours 168      how much of the world's time
// --minutes 600    of real time, at most
// --perMinute 10   transfers: 100,800 in a week
// --flight 0       minutes that a withdrawal takes at most, a deposit a fifth; 0: seconds, as the sandbox has it
// --stretch 1      every poll at so many times its shipped distance, so that a week passes sooner
// --preconf 5000   ms between two looks at the preconfirmations (shipped: 200)
// --seed 1         another seed is another week
// --every 60       seconds between two lines of progress
// TMPDIR=/dev/shm keeps the ledger in memory.
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '600' },
    hours: { type: 'string', default: '168' },
    perMinute: { type: 'string', default: '10' },
    flight: { type: 'string', default: '0' },
    stretch: { type: 'string', default: '1' },
    preconf: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    every: { type: 'string', default: '60' },
  },
})
const stretch = Number(values.stretch)
const hours = Number(values.hours)

/** Even distances only: cron begins anew with each minute. */
const period = (seconds: number) => {
  const apart = [5, 10, 15, 20, 30].find((one) => one >= seconds * stretch)
  return apart ? `*/${apart} * * * * *` : `0 */${Math.ceil((seconds * stretch) / 60)} * * * *`
}
const stretched = {
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
      `- { at: ${minute}m, fault: transfer.late, behind: 60s, count: 3 }`,
      `- { at: ${minute + 2}m, fault: record.rewritten, updateTimeOnly: true, count: 5 }`,
      `- { at: ${minute + 4}m, for: 5m, fault: api.disguised, share: ${[0.05, 0.1][(minute / 10) % 2] ?? 0.05} }`,
      `- { at: ${minute + 11}m, for: 20s, fault: head.stall, chain: list }`,
      `- { at: ${minute + 14}m, for: 3m, fault: api.slow, delay: 2s, share: 0.2 }`,
      `- { at: ${minute + 18}m, for: 4s, fault: api.error }`,
      `- { at: ${minute + 19}m, for: 2s, fault: api.reset, endpoints: [rpc] }`,
      `- { at: ${minute + 22}m, for: 2m, fault: api.throttle, share: 0.05 }`,
      `- { at: ${minute + 25}m, for: 2m, fault: api.html, share: 0.05 }`,
    )
  }
  return lines.map((line) => `  ${line}`).join('\n')
}

/** Of each payout, as a share of its token's usual amount: what is kept back, and what the configuration allows. */
const fee = 0.001
const fees = ({ tokens }: World) =>
  tokens
    .filter(({ type }) => type !== 'ERC1155')
    .map(({ address, usual }) => ({
      token: address,
      direction: 'ZoneToMain' as const,
      max: String(Number((usual * fee).toFixed(6))),
    }))

const flight = Number(values.flight) * 60
const latencies =
  flight === 0
    ? ''
    : `, depositLatency: { min: ${flight / 10}s, max: ${flight / 5}s }, withdrawalLatency: { min: ${flight / 2}s, max: ${flight}s }`

const clock = createLeapingClock()
const run = await runScenario({
  scenario: `name: week
seed: ${values.seed}
history: { for: 2h, transfers: 600 }
traffic: { transfersPerMinute: ${values.perMinute}, native: 0.1, fee: ${fee}${latencies} }
timeline:
${timeline()}
`,
  clock,
  timeoutMs: 60_000,
  bridge: (world) => ({ fees: fees(world) }),
  preconfIntervalMs: Number(values.preconf),
  // As shipped.
  pace: { maxRequestsPerSecond: 4, concurrency: 8 },
  config: { poll: stretch === 1 ? shippedPoll : { ...shippedPoll, ...stretched } },
})
const { startAt } = run.sandbox.world
const passedHours = () => (run.sandbox.look().now - startAt) / 3_600_000
const write = (line: string) => void process.stdout.write(`${line}\n`)
const startedAt = performance.now()
const realMinutes = () => (performance.now() - startedAt) / 60_000
const folder = run.app.parts.config.stateDir
let shown = 0
let logged = 0
let before = { cpu: process.cpuUsage(), hours: 0 }

function showNews(): void {
  const alerts = run.alerts()
  for (const { kind, severity, subject, state, afterMs } of alerts.slice(shown))
    write(`ALERT ${(afterMs / 60_000).toFixed(1)} min ${severity} ${kind} ${state} ${subject}`)
  for (const line of run.log.slice(logged))
    if (/"level":"?(warn|error|40|50)/.test(line)) write(`LOG ${line.slice(0, 400).trim()}`)
  shown = alerts.length
  logged = run.log.length
}

function showProgress(): void {
  const cpu = process.cpuUsage()
  const passed = passedHours()
  const spent = (cpu.user + cpu.system - before.cpu.user - before.cpu.system) / 1e6 / (passed - before.hours)
  before = { cpu, hours: passed }
  const { rss, heapUsed } = process.memoryUsage()
  const state = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  const count = run.app.parts.db.prepare('SELECT sum(count) AS n FROM state_counts').get()?.['n']
  const counts = [...run.sandbox.requests].sort(([, one], [, other]) => other - one)
  const requests = counts.reduce((sum, [, one]) => sum + one, 0)
  const most = counts.slice(0, 6).map(([name, one]) => `${name} ${one}`)
  write(
    `${passed.toFixed(2)} h in ${realMinutes().toFixed(1)} min: ${String(count)} transfers, ${shown} alerts, ${requests} requests (${most.join(', ')}), ${spent.toFixed(1)} s CPU an hour, ${Math.round(rss / 1e6)} MB rss, ${Math.round(heapUsed / 1e6)} MB heap, ${(state / 1e6).toFixed(1)} MB state`,
  )
}

let shownAt = performance.now()
while (realMinutes() < Number(values.minutes) && passedHours() < hours) {
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  showNews()
  if (performance.now() - shownAt < Number(values.every) * 1_000) continue
  shownAt = performance.now()
  showProgress()
}
showNews()
showProgress()
for (const text of run.told().slice(0, 20)) write(`${text.slice(0, 1_500)}\n---`)
process.exitCode = run.alerts().some(({ severity }) => severity !== 'info') ? 1 : 0
await run.stop()
clock.stop()
