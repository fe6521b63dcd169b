import { countAsked } from '../test/support/everyAnswer.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/monitor/createMonitor.ts'
import { loadConfig } from '../src/config/loadConfig.ts'
import { createScaledClock } from '../src/lib/clock.ts'
import { createLog } from '../src/lib/log.ts'
import { createSandbox } from '../src/sandbox/createSandbox.ts'
import { parseScenario } from '../src/sandbox/scenario.ts'

// Requests for evidence in the steady state, against the least that could do: 20 legs a request, 100 rows a page.
const speed = 20
const settleMs = 150_000
const measuredMs = 600_000
const target = 1.05

const folder = mkdtempSync(join(tmpdir(), 'spanwatch-bench-'))
const clock = createScaledClock(speed)
const traffic = 'name: bench\nhistory: { for: 1h, transfers: 20 }\ntraffic: { transfersPerMinute: 60 }\n'
const sandbox = createSandbox({ clock, scenario: parseScenario(traffic, 'bench.yaml') })
await sandbox.start()
const path = join(folder, 'spanwatch.yaml')
writeFileSync(
  path,
  `explorer:
  baseUrl: ${sandbox.url}
  chains: { main: MAINCHAIN, zone: ZONE_CHAIN }
  pace: { maxRequestsPerSecond: 20, concurrency: 4 }
state: ./state
http: null
`,
)
const loaded = loadConfig({ path, env: {} })
if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
const app = createApp(
  { clock, log: createLog({ write: () => {} }), write: () => {}, random: Math.random },
  { config: loaded.config, rules: [], version: 'bench' },
)
await app.start()
await clock.sleep(settleMs)
const before = count()
await clock.sleep(measuredMs)
const after = count()
const zone = after.zone - before.zone
const main = after.main - before.main
const asked = after.requests - before.requests
const least = Math.ceil(zone / 20) + Math.ceil(main / 20)
const ratio = asked / least
console.log(`legs verified          ${zone} zone, ${main} main`)
console.log(`requests for evidence  ${asked}`)
console.log(`least possible         ${least}`)
console.log(`ratio                  ${ratio.toFixed(3)}, target at most ${target}`)
await app.stop()
await sandbox.stop()
rmSync(folder, { recursive: true, force: true })
process.exitCode = ratio <= target ? 0 : 1

function count() {
  const { db } = app.parts
  const requests = ['E2', 'E9', 'E13', 'E14', 'E15', 'E16', 'E21'].reduce(
    (sum, endpoint) => sum + (sandbox.requests.get(endpoint) ?? 0),
    0,
  )
  return { zone: countAsked(db, 'zone'), main: countAsked(db, 'main'), requests }
}
