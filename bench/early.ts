import { readFinding } from '../test/support/readFinding.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Finding } from '../src/bridge/finding.ts'
import { createRpcView } from '../src/sandbox/rpc/rpcView.ts'
import { incidents, shippedPoll } from '../test/support/incidents.ts'
import { createLeapingClock } from '../test/support/leapingClock.ts'
import { runScenario, type ScenarioRun } from '../test/support/runScenario.ts'

// Seconds from the preconfirmation of a theft's transaction, or of an act of administration, to the first message that
// accuses it: by the kinds that read the block being made, and without them. The thefts of docs/incidents.md, in time
// that leaps, with the shipped schedule and pace; each incident begins after `--after` seconds of honest traffic.
// `--explorer`: without a node of the main chain. `--seconds`: how long it goes on after the last entry of the timeline.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    after: { type: 'string', default: '120' },
    seconds: { type: 'string', default: '180' },
    explorer: { type: 'boolean', default: false },
  },
})
const stepMs = 200
const accusing = [
  'preconf.unbacked',
  'transfer.unbacked',
  'transfer.duplicate',
  'transfer.mismatch',
  'escrow.drift',
]
const names = positionals.length > 0 ? positionals : incidents.map(({ name }) => name)
const all = new Map<string, number[]>()
process.stdout.write(
  'incident | kind | transactions | by all kinds: median, p99 | without preconf.unbacked: median, p99\n',
)
for (const name of names) await play(name)
for (const [what, delays] of all) process.stdout.write(`all | ${what} | ${delays.length} | ${sum(delays)}\n`)

async function play(name: string): Promise<void> {
  const after = Number(values.after)
  const path = join(import.meta.dirname, '../src/sandbox/scenarios', `${name}.yaml`)
  const scenario = readFileSync(path, 'utf8').replace(
    /\bat: (\d+)([sm])/g,
    (_, at: string, unit: string) => `at: ${Number(at) * (unit === 'm' ? 60 : 1) + after}s`,
  )
  const last = Math.max(...[...scenario.matchAll(/\bat: (\d+)s/g)].map(([, at]) => Number(at)))
  const clock = createLeapingClock()
  const run = await runScenario({
    scenario,
    clock,
    timeoutMs: 60_000,
    preconfIntervalMs: stepMs,
    ...(values.explorer && { secondSource: false }),
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    config: { poll: shippedPoll },
  })
  const seen = new Map<string, number>()
  const sent = new Map<number, number>()
  for (let passed = 0; passed < (last + Number(values.seconds)) * 1_000; passed += stepMs) {
    await run.pass(stepMs)
    const at = clock.now()
    const view = createRpcView(run.sandbox.look(), 'preconf')
    for (const { hash } of view.pending?.transactions ?? []) if (!seen.has(hash)) seen.set(hash, at)
    const rows = run.app.parts.db.prepare("SELECT DISTINCT alert_id FROM outbox WHERE state = 'sent'").all()
    for (const row of rows) if (!sent.has(Number(row['alert_id']))) sent.set(Number(row['alert_id']), at)
  }
  print(name, listTold(run, sent), seen)
  await run.stop()
  clock.stop()
}

interface Told {
  readonly finding: Finding
  readonly at: number
}

function listTold(run: ScenarioRun, sent: ReadonlyMap<number, number>): Told[] {
  const rows = run.app.parts.db.prepare('SELECT id, finding FROM alerts ORDER BY id').all()
  return rows.flatMap((row) => {
    const at = sent.get(Number(row['id']))
    return at === undefined ? [] : [{ finding: readFinding(row), at }]
  })
}

function print(name: string, told: readonly Told[], seen: ReadonlyMap<string, number>): void {
  printOne(
    name,
    'payout',
    told.filter(({ finding }) => accusing.includes(finding.kind)),
    seen,
  )
  printOne(
    name,
    'act',
    told.filter(({ finding }) => finding.kind === 'contract.changed'),
    seen,
  )
}

function printOne(
  name: string,
  what: string,
  told: readonly Told[],
  seen: ReadonlyMap<string, number>,
): void {
  const byHash = Map.groupBy(told, ({ finding }) => hashOf(finding))
  const delays = (of: (one: Told) => boolean) =>
    [...byHash].flatMap(([hash, own]) => {
      const from = seen.get(hash)
      const first = Math.min(...own.filter(of).map(({ at }) => at))
      return from === undefined ? [] : [(first - from) / 1_000]
    })
  const [with_, without] = [delays(() => true), delays(({ finding }) => finding.kind !== 'preconf.unbacked')]
  if (with_.length === 0) return
  add(`${what}, by all kinds`, with_)
  add(`${what}, without preconf.unbacked`, without)
  process.stdout.write(`${name} | ${what} | ${with_.length} | ${sum(with_)} | ${sum(without)}\n`)
}

function hashOf({ facts, transfer }: Finding): string {
  return transfer?.main?.hash ?? String(facts['mainTxHash'] ?? facts['txHash'] ?? '')
}

function add(what: string, delays: readonly number[]): void {
  all.set(what, [...(all.get(what) ?? []), ...delays])
}

function sum(delays: readonly number[]): string {
  const sorted = [...delays].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? NaN
  const say = (value: number) => (Number.isFinite(value) ? `${value.toFixed(1)} s` : 'not told')
  return `${say(at(0.5))}, ${say(at(0.99))}`
}
