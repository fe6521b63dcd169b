import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { incidents, shippedPoll } from '../test/support/incidents.ts'
import { createLeapingClock } from '../test/support/leapingClock.ts'
import { runScenario, type ScenarioRun } from '../test/support/runScenario.ts'

// Scenarios one after the other, in time that leaps, with the shipped schedule: what was told, how severe, how long after
// the start, in the world's time, however busy the machine is. `--pace N` requests a second; default: the shipped one.
// `--copies N`: beside each incident so many copies of one theft, a second apart.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '4' },
    pace: { type: 'string', default: '4' },
    concurrency: { type: 'string', default: '8' },
    copies: { type: 'string', default: '0' },
    load: { type: 'boolean', default: false },
  },
})
const names = positionals.length > 0 ? positionals : incidents.map(({ name }) => name)
// How long each poller has been without a success, at most.
const longest = new Map<string, number>()
for (const name of names) {
  const clock = createLeapingClock()
  const run = await runScenario({
    scenario: readScenario(name.replace('!', '')),
    clock,
    ...(name.endsWith('!') && { secondSource: false }),
    timeoutMs: 60_000,
    preconfIntervalMs: 5_000,
    pace: { maxRequestsPerSecond: Number(values.pace), concurrency: Number(values.concurrency) },
    config: { poll: shippedPoll },
  })
  for (let passed = 0; passed < Number(values.minutes) * 60; passed += 1) {
    await run.pass(1_000)
    noteAges(name, run)
  }
  print(name, run)
  await run.stop()
  clock.stop()
}

function readScenario(name: string): string {
  if (values.copies === '0') return name
  const text = readFileSync(join(import.meta.dirname, '../src/sandbox/scenarios', `${name}.yaml`), 'utf8')
  return `${text}  - { at: 15s, fault: transfer.unbacked, token: USDT, amount: "777.77", count: ${values.copies}, spacing: 1s }\n`
}

function noteAges(name: string, run: ScenarioRun): void {
  for (const { poller, lastSuccessAt, startedAt } of run.app.parts.pollerStatus()) {
    const age = run.sandbox.look().now - (lastSuccessAt ?? startedAt)
    const key = `${name} ${poller}`
    longest.set(key, Math.max(longest.get(key) ?? 0, age))
  }
}

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
  if (values.load) printLoad(name, run)
  for (const line of new Set(
    run.log.filter((text) => /"level":(50|60)|poll failed/.test(text)).slice(0, 5),
  )) {
    process.stdout.write(`  log ${line.slice(0, 300)}\n`)
  }
}

function printLoad(name: string, run: ScenarioRun): void {
  for (const { poller, runs, errors, missedTicks } of run.app.parts.pollerStatus()) {
    const rest = ((longest.get(`${name} ${poller}`) ?? 0) / 1_000).toFixed(1)
    process.stdout.write(
      `  poller ${poller}: ${runs} runs, ${errors} errors, ${missedTicks} missed, at most ${rest} s between successes\n`,
    )
  }
  const { requests, waitedMs, queued } = run.app.parts.explorer.paceMetrics()
  process.stdout.write(
    `  ${requests} requests, waited ${(waitedMs / requests).toFixed(0)} ms each, ${queued} wait\n`,
  )
  process.stdout.write(
    `  ${[...run.sandbox.requests].map(([endpoint, count]) => `${endpoint} ${count}`).join(', ')}\n`,
  )
}
