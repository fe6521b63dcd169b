/**
 * A storm as people see it: `npm run bench:storm -- [failures]`. So many withdrawals fail within a minute, all for the
 * same reason, one of them far larger than all others, through commits, engine, outbox and dispatcher, to a Slack-like
 * receiver over sockets, in real time.
 *
 * In the heap that Node allows itself within the 1 GB of the shipped units (half of it). What is resident is what lives, 41 MB of heap,
 * and garbage that V8 has no reason to collect yet: on a machine with 24 GB it lets four times as much gather, and nothing more lives.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import type { Observation } from '../src/bridge/observation.ts'
import type { EvidenceReading } from '../src/ledger/evidence/evidence.ts'
import { kinds } from '../src/checks/index.ts'
import { loadConfig } from '../src/config/loadConfig.ts'
import { createSystemClock } from '../src/lib/clock.ts'
import { createLog } from '../src/lib/log.ts'
import { createApp } from '../src/monitor/createMonitor.ts'
import { loadRules } from '../src/rules/loadRules.ts'
import { createSlackInbox } from '../src/sandbox/inbox/slackInbox.ts'
import { note } from './support/figures.ts'
import { watchLoop } from './support/loopDelay.ts'
import { toObservation } from './support/records.ts'

// As the program itself keeps its heap.
const { limitHeap }: { limitHeap: () => void } = await import(
  new URL('../bin/limitHeap.js', import.meta.url).href
)
limitHeap()

const { values, positionals } = parseArgs({
  allowPositionals: true,
  // Nothing says why.
  options: { silent: { type: 'boolean', default: false } },
})
const count = Number(positionals[0] ?? 20_000)
const isSilent = values.silent
const seconds = 60
const pages = seconds * 4
const large = '9750000'
const rules = `rules:
  - { name: transfer-failed, on: transfer.failed, severity: critical }
`

const folder = mkdtempSync(join(tmpdir(), 'spanwatch-storm-'))
const slack = await createSlackInbox({ keep: 10_000 })
const path = join(folder, 'spanwatch.yaml')
writeFileSync(
  path,
  `explorer: { baseUrl: "http://127.0.0.1:9", chains: { main: MAINCHAIN, zone: ZONE_CHAIN } }
state: ./state
http: null
channels: { ops: { type: slack, url: "${slack.url}" } }
`,
)
const loaded = loadConfig({ path, env: {} })
const checked = loadRules([{ path: 'rules.yaml', text: rules }], kinds)
if (!loaded.ok || !checked.ok) throw new Error(JSON.stringify([loaded, checked]))
const app = createApp(
  { clock: createSystemClock(), log: createLog({ write: () => {} }), write: () => {}, random: Math.random },
  { config: loaded.config, rules: checked.rules, version: 'bench' },
)
const { db, engine, sending, commitInSlices, state } = app.parts
db.transaction(() => engine.start(Date.now()))
sending.start({ ack: refuse, handle: refuse, silenceTransfer: refuse })
const ticking = setInterval(() => db.transaction(() => engine.flush(Date.now())), 1_000)
const ending = new AbortController()
const copying = copyLog()
const loop = watchLoop()
const spent = process.threadCpuUsage()
const begun = Date.now()
let most = 0
const commits: number[] = []
for (let page = 0; page < pages; page += 1) {
  const size = Math.round(((page + 1) * count) / pages) - Math.round((page * count) / pages)
  const first = Math.round((page * count) / pages)
  const records = Array.from({ length: size }, (_, index) =>
    fail(first + index, page === pages / 2 && index === 0),
  )
  const evidence = records.flatMap(tellWhy)
  const asked = performance.now()
  await commitInSlices({ answers: [records], evidence })
  commits.push(performance.now() - asked)
  most = Math.max(most, process.memoryUsage.rss())
  await sleep(Math.max(0, begun + ((page + 1) * seconds * 1_000) / pages - Date.now()))
}
await sleep(70_000)
clearInterval(ticking)
ending.abort()
await copying
loop.stop()
const held = loop.read()
const { user, system } = process.threadCpuUsage(spent)
const texts = slack.messages.map(({ payload }) => JSON.stringify(payload))
const withLarge = texts.findIndex((text) => text.replaceAll(',', '').includes(large))
const place = withLarge < 0 ? -1 : (slack.messages[withLarge]?.text.replaceAll(',', '').indexOf(large) ?? -1)
const cases = db.prepare("SELECT COUNT(*) AS n, SUM(members) AS m FROM cases WHERE state <> 'merged'").get()
console.log(
  `${count} failures in ${seconds} s: ${texts.length} Slack messages (at most 12), ${String(cases?.['n'])} cases of ${String(cases?.['m'])} findings`,
)
console.log(`  the large one: in message ${withLarge + 1}, at character ${place} of it`)
console.log(
  `  resident at most ${(most / 1_048_576).toFixed(0)} MB (at most 350), with a heap of at most ${(getHeapStatistics().heap_size_limit / 1_048_576).toFixed(0)} MB`,
)
commits.sort((a, b) => a - b)
console.log(
  `  loop held: median ${held.p50.toFixed(1)}, p99 ${held.p99.toFixed(0)}, longest ${held.most.toFixed(0)} ms; a commit of ${Math.ceil(count / pages)}: median ${commits[pages / 2]?.toFixed(0)}, longest ${commits.at(-1)?.toFixed(0)} ms; CPU ${((user + system) / 1e6).toFixed(1)} s`,
)
note({
  name: `the loop held in a storm of one cause, p99`,
  value: held.p99,
  unit: 'ms',
  target: { atMost: 50 },
})
note({
  name: `resident in a storm of one cause, at most`,
  value: most / 1_048_576,
  unit: 'MB',
  target: { atMost: 300 },
})
for (const { text } of slack.messages) console.log(`  ${text.split('\n')[0]?.slice(0, 180) ?? ''}`)
await app.stop()
await slack.close()
rmSync(folder, { recursive: true, force: true })

/** As the daemon does. */
async function copyLog(): Promise<void> {
  while (!ending.signal.aborted) {
    if (state.logCopies.isDue()) await state.logCopies.run(ending.signal)
    await sleep(100)
  }
}

function refuse(): never {
  throw new Error('nobody presses anything here')
}

function fail(index: number, isLarge: boolean): Observation {
  const value = isLarge ? large : String(10 + (index % 500))
  const amountRaw = BigInt(value) * 10n ** 6n
  return { ...toObservation(2 * index, Date.now()), status: 'failed', value, amountRaw }
}

/** Why it failed, as the zone's own transaction says. */
function tellWhy({ zoneHash, zoneHeight }: Observation): EvidenceReading[] {
  if (isSilent || zoneHash === null) return []
  return [
    {
      chain: 'zone',
      hash: zoneHash,
      source: 'E9',
      requestedAt: Date.now(),
      status: 'failed',
      errorMessage: 'execution reverted: nonce too low',
      moves: null,
      height: zoneHeight,
    },
  ]
}
